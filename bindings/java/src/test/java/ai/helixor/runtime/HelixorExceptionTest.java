package ai.helixor.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class HelixorExceptionTest {
    private static final Pattern ROW = Pattern.compile("^    (\\w+) = (\\d+), \"(\\w+)\";$", Pattern.MULTILINE);

    @Test
    void everyCodeHasItsException() throws Exception {
        String table = Files.readString(Path.of(System.getProperty("helixor.codes")));
        List<String> expected = new ArrayList<>();
        List<String> found = new ArrayList<>();
        for (var row = ROW.matcher(table); row.find(); ) {
            int number = Integer.parseInt(row.group(2));
            expected.add(row.group(1) + "Exception " + number + " " + row.group(3));
            HelixorException error = HelixorException.of(number, "what", "then", List.of());
            found.add(error.getClass().getSimpleName() + " " + error.number() + " " + error.code());
            assertTrue(Modifier.isFinal(error.getClass().getModifiers()));
        }
        assertTrue(expected.size() > 30);
        assertEquals(expected, found);
        assertEquals(expected.size(), HelixorException.class.getPermittedSubclasses().length);
    }

    @Test
    void messageAndAdviceAreApartAndFaultsInOrder() {
        var second = new StateRangeException("second", "", List.of());
        var first = new StateMissingException("first", "give it", List.of(second));
        assertEquals("first", first.getMessage());
        assertEquals("give it", first.help());
        assertEquals(List.of(first, second), first.all());
        assertEquals(List.of(second), second.all());
    }

    @Test
    void exceptionsCanBeSerialized() throws Exception {
        var second = new StateRangeException("second", "", List.of());
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(new StateMissingException("first", "give it", List.of(second)));
        }
        try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            var read = (HelixorException) in.readObject();
            assertEquals("STATE_MISSING", read.code());
            assertEquals("give it", read.help());
            assertSame(StateRangeException.class, read.all().get(1).getClass());
        }
    }
}
