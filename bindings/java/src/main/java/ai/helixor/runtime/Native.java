package ai.helixor.runtime;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The functions of {@code libhelixor_runtime}. Texts cross as UTF-8, everything longer than a number
 * as big-endian bytes. {@link NativePack} alone calls those that take a handle.
 */
final class Native {
    private Native() {}

    static native byte[] version();

    static native long openBuiltin(byte[] interfaceJson);

    /** Opens a pack by its path or, when that is null, by its bytes. */
    static native long open(
            byte[] interfaceJson,
            byte[] packPath,
            byte[] pack,
            byte[] licenseFile,
            byte[] licenseJson,
            byte[][] authorities,
            byte[][] publisherKeys,
            byte[] signature,
            boolean acceptSameInterface);

    static native void free(long handle);

    static native long decide(long handle, long[] words, byte[] others);

    /** A detail of a decision, one of those that {@link NativePack} names. */
    static native byte[] explain(long handle, long[] words, byte[] others, int what);

    /** Called by the native code; throws what it says. */
    private static void fail(byte[] encoded) {
        ByteBuffer in = ByteBuffer.wrap(encoded);
        record Fault(int number, String message, String help) {}
        List<Fault> faults = new ArrayList<>();
        for (int left = in.getInt(); left > 0; left--) {
            faults.add(new Fault(in.get(), Utf8.read(in), Utf8.read(in)));
        }
        List<HelixorException> others =
                faults.stream()
                        .skip(1)
                        .map(f -> HelixorException.of(f.number, f.message, f.help, List.of()))
                        .toList();
        Fault first = faults.get(0);
        throw HelixorException.of(first.number, first.message, first.help, others);
    }
}
