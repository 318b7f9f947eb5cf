package ai.helixor.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the native library answers, and this one must understand. */
class NativeTest {
    private static void put(ByteArrayOutputStream out, int number, String message, String help) {
        out.write(number);
        Utf8.write(out, message.getBytes(StandardCharsets.UTF_8));
        Utf8.write(out, help.getBytes(StandardCharsets.UTF_8));
    }

    /** Also what a panic becomes: the number 4, without a code of its own. */
    @Test
    void aFailureHasItsExceptionAndEveryFault() {
        var out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {0, 0, 0, 2});
        put(out, 4, "the runtime failed inside", "please report how it came to this");
        put(out, 54, "second", "");
        HelixorException error = Native.failure(ByteBuffer.wrap(out.toByteArray()));
        assertSame(InternalException.class, error.getClass());
        assertEquals("INTERNAL", error.code());
        assertEquals("please report how it came to this", error.help());
        assertEquals(List.of("INTERNAL", "STATE_RANGE"), error.all().stream().map(HelixorException::code).toList());
    }

    @Test
    void anAnswerThatNobodyKnowsIsInternal() {
        var error = assertThrows(InternalException.class, () -> Details.value(ByteBuffer.wrap(new byte[] {9})));
        assertEquals("the native library answered with the unknown tag 9", error.getMessage());
    }
}
