package ai.helixor.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class Utf8Test {
    @Test
    void textsCrossExactlyOrNotAtAll() {
        for (String text : new String[] {"", "a\u0000b", "gr\u00f6\u00dfe \u4e2d \ud83d\ude00"}) {
            assertArrayEquals(text.getBytes(StandardCharsets.UTF_8), Utf8.bytes("x", text));
        }
        assertNull(Utf8.bytes("x", null));
        for (String text : new String[] {"\ud800", "a\udc00", "\ude00\ud83d"}) {
            var error = assertThrows(InvalidArgumentException.class, () -> Utf8.bytes("licenseJson", text));
            assertEquals("`licenseJson` holds half a surrogate pair, which no UTF-8 text can", error.getMessage());
        }
    }
}
