package ai.helixor.runtime;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Strict UTF-8: nothing is replaced on its way across. */
final class Utf8 {
    private Utf8() {}

    /** The bytes of a text; {@code name} is how a message calls it, null stays null. */
    static byte[] bytes(String name, String text) {
        if (text == null) {
            return null;
        }
        try {
            return encode(text);
        } catch (CharacterCodingException e) {
            throw new InvalidArgumentException(
                    "`" + name + "` holds half a surrogate pair, which no UTF-8 text can", "", List.of());
        }
    }

    /** The bytes of a text. */
    static byte[] encode(String text) throws CharacterCodingException {
        ByteBuffer bytes =
                StandardCharsets.UTF_8
                        .newEncoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT)
                        .encode(CharBuffer.wrap(text));
        byte[] exact = Arrays.copyOfRange(bytes.array(), 0, bytes.limit());
        // The encoder's own copy may be of a licence.
        Arrays.fill(bytes.array(), (byte) 0);
        return exact;
    }

    /** Writes a text as the native library reads it: its length, then its bytes. */
    static void write(ByteArrayOutputStream out, byte[] text) {
        out.writeBytes(ByteBuffer.allocate(4).putInt(text.length).array());
        out.writeBytes(text);
    }

    /** A text as the native library writes it: its length, then its bytes. */
    static String read(ByteBuffer in) {
        byte[] bytes = new byte[in.getInt()];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
