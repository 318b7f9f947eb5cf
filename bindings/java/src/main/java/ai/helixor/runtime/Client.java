package ai.helixor.runtime;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * A client of one pack; generated clients derive from it. Threads may share it.
 *
 * <p>{@link #close()} never waits: calls in flight finish, and decisions made before explain
 * themselves afterwards. What the native library holds is freed once neither the client nor a
 * decision of it can be reached, whether it was closed or not.
 *
 * @param <S> the pack's states
 * @param <A> the pack's actions
 * @param <R> the pack's rules
 * @param <F> the pack's fields
 */
public abstract class Client<S, A, R, F> implements AutoCloseable {
    private final Spec<S, A, R, F> spec;

    /** Null once closed. */
    private volatile NativePack pack;

    /**
     * Opens the pack that the runtime carries; no licence is needed.
     *
     * @param spec the pack's typed interface
     * @throws HelixorException PACK_NOT_FOUND when the runtime carries no such pack; PACK_MISMATCH when
     *     it carries another interface of it; IO or VERSION_SKEW when the native library cannot be
     *     loaded
     */
    protected Client(Spec<S, A, R, F> spec) {
        this.spec = spec;
        pack = NativePack.builtin(document(spec));
    }

    /**
     * Opens a pack file.
     *
     * @param spec the pack's typed interface
     * @param path the {@code .hxpack} file
     * @param options how
     * @throws HelixorException the first check that fails, in order: LICENSE_*, PACK_NOT_FOUND,
     *     PACK_TOO_LARGE, IO, PACK_FORMAT, PACK_SIGNATURE, PACK_NOT_LICENSED, PACK_UNSEAL, PACK_INTEGRITY,
     *     SOLVER_NOT_LICENSED, PACK_UNSUPPORTED, PACK_MISMATCH; before them IO or VERSION_SKEW when the
     *     native library cannot be loaded
     */
    protected Client(Spec<S, A, R, F> spec, Path path, Options options) {
        this.spec = spec;
        Objects.requireNonNull(path, "path");
        Objects.requireNonNull(options, "options");
        pack = NativePack.ofFile(document(spec), Options.path("path", path), options);
    }

    /**
     * Opens a pack that was read already.
     *
     * @param spec the pack's typed interface
     * @param pack the content of an {@code .hxpack} file
     * @param options how
     * @throws HelixorException as for a file, but for those of reading it
     */
    protected Client(Spec<S, A, R, F> spec, byte[] pack, Options options) {
        this.spec = spec;
        Objects.requireNonNull(pack, "pack");
        Objects.requireNonNull(options, "options");
        this.pack = NativePack.ofBytes(document(spec), pack, options);
    }

    private static byte[] document(Spec<?, ?, ?, ?> spec) {
        return Utf8.bytes("interfaceJson", spec.interfaceJson());
    }

    /**
     * Decides.
     *
     * @param state what to decide on
     * @return the decision
     * @throws HelixorException STATE_RANGE when a value is outside its field's bounds or allowed values,
     *     STATE_TYPE when a text holds half a surrogate pair, STATE_MISSING when a required field is null,
     *     with every fault in {@link HelixorException#all()}; EVALUATION when a rule cannot be judged;
     *     LICENSE_EXPIRED once the licence's window is over; QUOTA_EXCEEDED when a limit that it enforces
     *     is reached; CLOSED after {@link #close()}
     */
    public final Decision<A, R, F> decide(S state) {
        Objects.requireNonNull(state, "state");
        NativePack pack = this.pack;
        if (pack == null) {
            throw new ClosedException(
                    "this " + getClass().getSimpleName() + " was closed", "open another", List.of());
        }
        Slots slots = new Slots(spec.fields());
        spec.toSlots().write(state, slots);
        return Decision.made(spec, pack, slots, pack.decide(slots));
    }

    /** Marks the client as closed; again does nothing. */
    @Override
    public final void close() {
        pack = null;
    }

    /** The class, and whether it was closed. */
    @Override
    public String toString() {
        return getClass().getSimpleName() + (pack == null ? "[closed]" : "[open]");
    }
}
