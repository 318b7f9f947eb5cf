package ai.helixor.runtime;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A decision. It keeps what made it and explains itself when asked, after its client was closed too.
 * Threads may share it.
 *
 * @param <A> the pack's actions
 * @param <R> the pack's rules
 * @param <F> the pack's fields
 */
public final class Decision<A, R, F> {
    private final A action;
    private final Verdict verdict;
    private final Details<R, F> details;

    private Decision(A action, Verdict verdict, Details<R, F> details) {
        this.action = Objects.requireNonNull(action, "action");
        this.verdict = Objects.requireNonNull(verdict, "verdict");
        this.details = details;
    }

    /** The decision of a pack; {@code packed} is the verdict's ordinal and the action's number. */
    static <A, R, F> Decision<A, R, F> made(
            Spec<?, A, R, F> spec,
            NativePack pack,
            Snapshot state,
            long packed,
            double latencyUs) {
        return new Decision<>(
                spec.action((int) packed),
                Verdict.of((int) (packed >>> 32)),
                new Details<>(spec, pack, state, latencyUs));
    }

    /**
     * A decision made up for testing code that takes decisions: no rule fired, and a proof of zeros.
     *
     * @param <A> the pack's actions
     * @param <R> the pack's rules
     * @param <F> the pack's fields
     * @param action what to do
     * @param verdict what the rules say of the payload
     * @return the decision
     */
    public static <A, R, F> Decision<A, R, F> fake(A action, Verdict verdict) {
        return fake(action, verdict, List.of(), List.of(), null, "0".repeat(64));
    }

    /**
     * A decision made up for testing code that takes decisions.
     *
     * @param <A> the pack's actions
     * @param <R> the pack's rules
     * @param <F> the pack's fields
     * @param action what to do
     * @param verdict what the rules say of the payload
     * @param firedRules the rules that fired
     * @param necessaryCauses why
     * @param counterfactual what would have to change for an approval; null when no rule fired
     * @param proofSha256 the proof
     * @return the decision
     */
    public static <A, R, F> Decision<A, R, F> fake(
            A action,
            Verdict verdict,
            List<R> firedRules,
            List<Cause<R, F>> necessaryCauses,
            Counterfactual<R, F> counterfactual,
            String proofSha256) {
        Objects.requireNonNull(proofSha256, "proofSha256");
        return new Decision<>(
                action,
                verdict,
                new Details<>(
                        List.copyOf(firedRules),
                        List.copyOf(necessaryCauses),
                        Optional.ofNullable(counterfactual),
                        proofSha256));
    }

    /**
     * What to do.
     *
     * @return the action
     */
    public A action() {
        return action;
    }

    /**
     * What the rules say of the payload.
     *
     * @return the verdict
     */
    public Verdict verdict() {
        return verdict;
    }

    /**
     * Whether no hard rule fired.
     *
     * @return whether the verdict is to approve
     */
    public boolean isApproved() {
        return verdict == Verdict.APPROVE;
    }

    /**
     * The rules that fired.
     *
     * @return the rules in priority order
     */
    public List<R> firedRules() {
        return details.firedRules();
    }

    /**
     * Why it came out so.
     *
     * @return the causes by fired rule in priority order, then by place in its condition
     */
    public List<Cause<R, F>> necessaryCauses() {
        return details.necessaryCauses();
    }

    /**
     * What would have to change for an approval. Every change that it asks for was checked; searching
     * takes up to some thousand decisions.
     *
     * @return the counterfactual; empty when no rule fired
     */
    public Optional<Counterfactual<R, F>> counterfactual() {
        return details.counterfactual();
    }

    /**
     * How sure the decision is, from 0 to 1: rules over typed facts are always sure.
     *
     * @return 1.0
     */
    public double confidence() {
        return 1.0;
    }

    /**
     * The proof: the SHA-256 of {@code <pack_id>:<action>:<verdict>:<state>}, the same in every
     * language.
     *
     * @return 64 lower-case hexadecimal digits
     */
    public String proofSha256() {
        return details.proofSha256();
    }

    /**
     * How long deciding took, in microseconds; without the way to the native library and back.
     *
     * @return the time; empty unless the client was opened with {@link Options#timing}
     */
    public OptionalDouble latencyUs() {
        return Details.optional(details.latencyUs);
    }

    /** Two decisions are equal when all they say is, but for the time they took. */
    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof Decision<?, ?, ?> decision
                        && action.equals(decision.action)
                        && verdict == decision.verdict
                        && proofSha256().equals(decision.proofSha256())
                        && firedRules().equals(decision.firedRules())
                        && necessaryCauses().equals(decision.necessaryCauses())
                        && counterfactual().equals(decision.counterfactual());
    }

    @Override
    public int hashCode() {
        return proofSha256().hashCode();
    }

    @Override
    public String toString() {
        return "Decision[action="
                + name(action)
                + ", verdict="
                + verdict.wire()
                + ", firedRules="
                + firedRules().stream().map(Decision::name).toList()
                + "]";
    }

    static String name(Object named) {
        return named instanceof Wire wire ? wire.wire() : named.toString();
    }
}
