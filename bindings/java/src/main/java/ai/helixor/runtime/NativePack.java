package ai.helixor.runtime;

import java.io.ByteArrayOutputStream;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A pack that the native library holds. It is freed once nothing can reach it: a client, its
 * decisions and the calls in flight all do, so that no call ever meets a freed one.
 */
final class NativePack {
    // The details of a decision.
    static final int FIRED_RULES = 0;
    static final int CAUSES = 1;
    static final int COUNTERFACTUAL = 2;
    static final int PROOF = 3;

    private static final Cleaner CLEANER = Cleaner.create();

    private final long handle;

    private NativePack(long handle) {
        this.handle = handle;
        CLEANER.register(this, new Free(handle));
    }

    /** What the Cleaner does; it must not reach the pack. */
    private record Free(long handle) implements Runnable {
        @Override
        public void run() {
            Native.free(handle);
        }
    }

    static NativePack builtin(byte[] interfaceJson, Options options) {
        NativeLoader.load();
        return new NativePack(Native.openBuiltin(interfaceJson, options.encoded()));
    }

    /** Opens a pack by its path or, when that is null, by its bytes. */
    static NativePack open(byte[] interfaceJson, byte[] path, byte[] pack, Options options) {
        NativeLoader.load();
        byte[] license = options.licenseJsonBytes();
        return new NativePack(Native.open(interfaceJson, path, pack, license, options.encoded()));
    }

    /** Opens another for the same names, ledger and timing. */
    NativePack reopen(byte[] path, byte[] pack, Options options) {
        try {
            byte[] license = options.licenseJsonBytes();
            return new NativePack(Native.reopen(handle, path, pack, license, options.encoded()));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    AuditReport auditReport() {
        try {
            return AuditReport.read(ByteBuffer.wrap(Native.auditReport(handle)));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** The verdict's ordinal in the upper half, the action's number in the lower. */
    long decide(Snapshot state) {
        try {
            long[] words = state.words();
            if (!state.packed()) {
                return Native.decide(handle, words, state.others());
            }
            return switch (words.length) {
                case 1 -> Native.decide1(handle, words[0]);
                case 2 -> Native.decide2(handle, words[0], words[1]);
                case 3 -> Native.decide3(handle, words[0], words[1], words[2]);
                case 4 -> Native.decide4(handle, words[0], words[1], words[2], words[3]);
                default -> Native.decidePacked(handle, words);
            };
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** As {@link Native#decideBatch} answers. */
    ByteBuffer decideBatch(List<Snapshot> states) {
        // All are packed, or none is.
        boolean packed = states.isEmpty() || states.get(0).packed();
        int width = states.isEmpty() ? 0 : states.get(0).words().length;
        long[] words = new long[Math.multiplyExact(width, states.size())];
        ByteArrayOutputStream others = packed ? null : new ByteArrayOutputStream();
        int at = 0;
        for (Snapshot state : states) {
            System.arraycopy(state.words(), 0, words, at, width);
            at += width;
            if (!packed) {
                Utf8.write(others, state.others() == null ? new byte[0] : state.others());
            }
        }
        try {
            byte[] texts = packed ? null : others.toByteArray();
            return ByteBuffer.wrap(
                    Native.decideBatch(handle, words, states.size(), texts, packed));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** A detail of the decision on a state. */
    byte[] explain(Snapshot state, int what) {
        try {
            return Native.explain(handle, state.words(), state.others(), state.packed(), what);
        } finally {
            Reference.reachabilityFence(this);
        }
    }
}
