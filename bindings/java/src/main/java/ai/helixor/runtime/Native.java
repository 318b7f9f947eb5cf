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

    static native long openBuiltin(byte[] interfaceJson, byte[] options);

    /** Opens a pack by its path or, when that is null, by its bytes. */
    static native long open(
            byte[] interfaceJson, byte[] packPath, byte[] pack, byte[] licenseJson, byte[] options);

    /** Opens a pack for the names, ledger and timing of another. */
    static native long reopen(
            long handle, byte[] packPath, byte[] pack, byte[] licenseJson, byte[] options);

    static native void free(long handle);

    // Few packed words cross as they are, without an array that the native side would have to ask for.

    static native long decide1(long handle, long first);

    static native long decide2(long handle, long first, long second);

    static native long decide3(long handle, long first, long second, long third);

    static native long decide4(long handle, long first, long second, long third, long fourth);

    static native long decidePacked(long handle, long[] words);

    static native long decide(long handle, long[] words, byte[] others);

    /** A detail of a decision, one of those that {@link NativePack} names. */
    static native byte[] explain(
            long handle, long[] words, byte[] others, boolean packed, int what);

    /**
     * Decides on states one after the other: for each a 0, the answer and the microseconds it took (NaN
     * unless they are measured), or a 1 and what {@link #failure} reads.
     *
     * @param words of all states
     * @param others for each state a length and its bytes; null when they are packed
     */
    static native byte[] decideBatch(
            long handle, long[] words, int states, byte[] others, boolean packed);

    static native byte[] auditReport(long handle);

    /** Called by the native code; throws what it says. */
    private static void fail(byte[] encoded) {
        throw failure(ByteBuffer.wrap(encoded));
    }

    /** A failure with all its faults. */
    static HelixorException failure(ByteBuffer in) {
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
        return HelixorException.of(first.number, first.message, first.help, others);
    }
}
