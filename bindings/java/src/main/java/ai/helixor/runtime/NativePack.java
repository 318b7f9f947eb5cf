package ai.helixor.runtime;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;

/**
 * A pack that the native library holds. It is freed once nothing can reach it: a client, its
 * decisions and the calls in flight all do, so that no call ever meets a freed one.
 */
final class NativePack {
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
        NativeLoader.load();
        return new NativePack(
                Native.openFile(
                        interfaceJson,
                        path,
                        options.licenseFileBytes(),
                        options.licenseJsonBytes(),
                        options.authoritiesBytes(),
                        options.publisherKeysBytes(),
                        options.signatureBytes(),
                        options.acceptSameInterface()));
    }

    static NativePack ofBytes(byte[] interfaceJson, byte[] pack, Options options) {
        NativeLoader.load();
        return new NativePack(
                Native.openBytes(
                        interfaceJson,
                        pack,
                        options.licenseFileBytes(),
                        options.licenseJsonBytes(),
                        options.authoritiesBytes(),
                        options.publisherKeysBytes(),
                        options.signatureBytes(),
                        options.acceptSameInterface()));
    }

    long decide(long[] slots) {
        try {
            return Native.decide(handle, slots);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    int[] firedRules(long[] slots) {
        try {
            return Native.firedRules(handle, slots);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    byte[] causes(long[] slots) {
        try {
            return Native.causes(handle, slots);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    byte[] proof(long[] slots) {
        try {
            return Native.proof(handle, slots);
        } finally {
            Reference.reachabilityFence(this);
        }
    }
}
