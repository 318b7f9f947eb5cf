package ai.helixor.runtime;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

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
    private final boolean timing;

    /** Null once closed. */
    private final AtomicReference<NativePack> pack;

    /**
     * Opens the pack that the runtime carries; no licence is needed.
     *
     * @param spec the pack's typed interface
     * @param options how; only ledger and timing say anything
     * @throws HelixorException PACK_NOT_FOUND when the runtime carries no such pack; PACK_MISMATCH when
     *     it carries another interface of it; INVALID_ARGUMENT or IO when the ledger cannot be opened; IO
     *     or VERSION_SKEW when the native library cannot be loaded
     */
    protected Client(Spec<S, A, R, F> spec, Options options) {
        this.spec = spec;
        Objects.requireNonNull(options, "options");
        timing = options.timing();
        pack = new AtomicReference<>(NativePack.builtin(document(spec), options));
    }

    /**
     * Opens a pack file.
     *
     * @param spec the pack's typed interface
     * @param path the {@code .hxpack} file
     * @param options how
     * @throws HelixorException the first check that fails, in order: LICENSE_*, PACK_NOT_FOUND,
     *     PACK_TOO_LARGE, IO, PACK_FORMAT, PACK_SIGNATURE, PACK_NOT_LICENSED, PACK_UNSEAL, PACK_INTEGRITY,
     *     SOLVER_NOT_LICENSED, PACK_UNSUPPORTED, PACK_MISMATCH; INVALID_ARGUMENT or IO when the ledger
     *     cannot be opened; before them IO or VERSION_SKEW when the
     *     native library cannot be loaded
     */
    protected Client(Spec<S, A, R, F> spec, Path path, Options options) {
        this.spec = spec;
        Objects.requireNonNull(path, "path");
        Objects.requireNonNull(options, "options");
        timing = options.timing();
        pack =
                new AtomicReference<>(
                        NativePack.open(document(spec), Options.path("path", path), null, options));
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
        timing = options.timing();
        this.pack = new AtomicReference<>(NativePack.open(document(spec), null, pack, options));
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
     *     is reached; IO when the ledger cannot be written; CLOSED after {@link #close()}
     */
    public final Decision<A, R, F> decide(S state) {
        Objects.requireNonNull(state, "state");
        NativePack pack = opened();
        if (timing) {
            return batch(pack, List.of(state)).get(0).decision();
        }
        Snapshot snapshot = spec.snapshot(state);
        return Decision.made(spec, pack, snapshot, pack.decide(snapshot), Double.NaN);
    }

    /**
     * Decides on several states in their order, all with the same pack and in one call of the native
     * library. A state that fails does not keep the others from being decided; but once a limit that the
     * licence enforces is reached, it and all after it are QUOTA_EXCEEDED.
     *
     * @param states what to decide on
     * @return for each state a decision, or why there is none, as {@link #decide} would throw it
     * @throws HelixorException LICENSE_EXPIRED when the licence's window is over at the start; CLOSED
     *     after {@link #close()}
     */
    public final List<BatchResult<A, R, F>> decideBatch(List<? extends S> states) {
        return batch(opened(), states);
    }

    private List<BatchResult<A, R, F>> batch(NativePack pack, List<? extends S> states) {
        List<Snapshot> snapshots = new ArrayList<>(states.size());
        for (S state : states) {
            snapshots.add(spec.snapshot(Objects.requireNonNull(state, "state")));
        }
        ByteBuffer in = pack.decideBatch(snapshots);
        List<BatchResult<A, R, F>> results = new ArrayList<>(snapshots.size());
        for (Snapshot snapshot : snapshots) {
            if (in.get() == 0) {
                results.add(
                        new BatchResult.Decided<>(
                                Decision.made(spec, pack, snapshot, in.getLong(), in.getDouble())));
            } else {
                results.add(new BatchResult.Failed<>(Native.failure(in)));
            }
        }
        return Collections.unmodifiableList(results);
    }

    private NativePack opened() {
        NativePack opened = pack.get();
        if (opened == null) {
            throw new ClosedException(
                    "this " + getClass().getSimpleName() + " was closed", "open another", List.of());
        }
        return opened;
    }

    /**
     * Opens a pack file with the default options, and puts it in the place of the old pack; see {@link
     * #reload(Path, Options)}.
     *
     * @param path the {@code .hxpack} file
     * @throws HelixorException as there
     */
    public final void reload(Path path) {
        reload(path, Options.defaults());
    }

    /**
     * Opens a pack file anew, with all checks, and puts it in the place of the old pack, which stays on
     * any error. Calls in flight finish on the old one, and decisions keep the pack that made them. The
     * ledger and the timing are those of the first opening, whatever the options say.
     *
     * @param path the {@code .hxpack} file
     * @param options how
     * @throws HelixorException as when it is opened; CLOSED after {@link #close()}
     */
    public final void reload(Path path, Options options) {
        Objects.requireNonNull(path, "path");
        Objects.requireNonNull(options, "options");
        replace(opened().reopen(Options.path("path", path), null, options));
    }

    /**
     * {@link #reload(Path, Options)} with a pack that was read already.
     *
     * @param pack the content of an {@code .hxpack} file
     * @param options how
     * @throws HelixorException as for a file, but for those of reading it
     */
    public final void reload(byte[] pack, Options options) {
        Objects.requireNonNull(pack, "pack");
        Objects.requireNonNull(options, "options");
        replace(opened().reopen(null, pack, options));
    }

    private void replace(NativePack fresh) {
        // A client that was closed meanwhile stays closed.
        NativePack old = opened();
        while (!pack.compareAndSet(old, fresh)) {
            old = opened();
        }
    }

    /**
     * What was counted so far.
     *
     * @return the report
     * @throws HelixorException LEDGER_OFF when the client was opened without a ledger and its licence sets
     *     no limit; CLOSED after {@link #close()}
     */
    public final AuditReport auditReport() {
        return opened().auditReport();
    }

    /** Marks the client as closed; again does nothing. A ledger is synced by its own thread. */
    @Override
    public final void close() {
        pack.set(null);
    }

    /** The class, and whether it was closed. */
    @Override
    public String toString() {
        return getClass().getSimpleName() + (pack.get() == null ? "[closed]" : "[open]");
    }
}
