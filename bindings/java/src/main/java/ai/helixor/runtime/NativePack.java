package ai.helixor.runtime;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;

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

    static NativePack builtin(byte[] interfaceJson) {
        NativeLoader.load();
        return new NativePack(Native.openBuiltin(interfaceJson));
    }

    static NativePack ofFile(byte[] interfaceJson, byte[] path, Options options) {
        return open(interfaceJson, path, null, options);
    }

    static NativePack ofBytes(byte[] interfaceJson, byte[] pack, Options options) {
        return open(interfaceJson, null, pack, options);
    }

    private static NativePack open(byte[] interfaceJson, byte[] path, byte[] pack, Options options) {
        NativeLoader.load();
        return new NativePack(
                Native.open(
                        interfaceJson,
                        path,
                        pack,
                        options.licenseFileBytes(),
                        options.licenseJsonBytes(),
                        options.authoritiesBytes(),
                        options.publisherKeysBytes(),
                        options.signatureBytes(),
                        options.acceptSameInterface()));
    }

    long decide(Slots slots) {
        try {
            return Native.decide(handle, slots.words, slots.others());
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** A detail of the decision on a state. */
    byte[] explain(Slots slots, int what) {
        try {
            return Native.explain(handle, slots.words, slots.others(), what);
        } finally {
            Reference.reachabilityFence(this);
        }
    }
}
