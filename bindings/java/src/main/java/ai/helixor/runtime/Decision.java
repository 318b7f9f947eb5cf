package ai.helixor.runtime;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
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
    private final Source<R, F> source;

    // Computed when first asked for; two threads may both do it, with the same outcome.
    private List<R> firedRules;
    private List<Cause<R, F>> necessaryCauses;
    private String proofSha256;

    /** What the details come from. */
    private interface Source<R, F> {
        List<R> firedRules();

        List<Cause<R, F>> necessaryCauses();

        String proofSha256();
    }

    private Decision(A action, Verdict verdict, Source<R, F> source) {
        this.action = Objects.requireNonNull(action, "action");
        this.verdict = Objects.requireNonNull(verdict, "verdict");
        this.source = source;
    }

    /** The decision of a pack; {@code packed} is the verdict's ordinal and the action's number. */
    static <A, R, F> Decision<A, R, F> made(
            Spec<?, A, R, F> spec, NativePack pack, long[] slots, long packed) {
        return new Decision<>(
                spec.action((int) packed),
                Verdict.of((int) (packed >>> 32)),
                new ByPack<>(spec, pack, slots));
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
        return fake(action, verdict, List.of(), List.of(), "0".repeat(64));
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
     * @param proofSha256 the proof
     * @return the decision
     */
    public static <A, R, F> Decision<A, R, F> fake(
            A action,
            Verdict verdict,
            List<R> firedRules,
            List<Cause<R, F>> necessaryCauses,
            String proofSha256) {
        Objects.requireNonNull(proofSha256, "proofSha256");
        return new Decision<>(
                action,
                verdict,
                new MadeUp<>(List.copyOf(firedRules), List.copyOf(necessaryCauses), proofSha256));
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
        List<R> rules = firedRules;
        if (rules == null) {
            rules = source.firedRules();
            firedRules = rules;
        }
        return rules;
    }

    /**
     * Why it came out so.
     *
     * @return the causes by fired rule in priority order, then by place in its condition
     */
    public List<Cause<R, F>> necessaryCauses() {
        List<Cause<R, F>> causes = necessaryCauses;
        if (causes == null) {
            causes = source.necessaryCauses();
            necessaryCauses = causes;
        }
        return causes;
    }

    /**
     * The proof: the SHA-256 of {@code <pack_id>:<action>:<verdict>:<state>}, the same in every
     * language.
     *
     * @return 64 lower-case hexadecimal digits
     */
    public String proofSha256() {
        String proof = proofSha256;
        if (proof == null) {
            proof = source.proofSha256();
            proofSha256 = proof;
        }
        return proof;
    }

    /** Two decisions are equal when all they say is. */
    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof Decision<?, ?, ?> decision
                        && action.equals(decision.action)
                        && verdict == decision.verdict
                        && proofSha256().equals(decision.proofSha256())
                        && firedRules().equals(decision.firedRules())
                        && necessaryCauses().equals(decision.necessaryCauses());
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

    private static String name(Object named) {
        return named instanceof Wire wire ? wire.wire() : named.toString();
    }

    private record MadeUp<R, F>(
            List<R> firedRules, List<Cause<R, F>> necessaryCauses, String proofSha256)
            implements Source<R, F> {}

    /** The state that was decided on, and the pack that decided. */
    private static final class ByPack<R, F> implements Source<R, F> {
        private final Spec<?, ?, R, F> spec;
        private final NativePack pack;
        private final long[] slots;

        ByPack(Spec<?, ?, R, F> spec, NativePack pack, long[] slots) {
            this.spec = spec;
            this.pack = pack;
            this.slots = slots;
        }

        @Override
        public List<R> firedRules() {
            return Arrays.stream(pack.firedRules(slots)).mapToObj(spec::rule).toList();
        }

        @Override
        public List<Cause<R, F>> necessaryCauses() {
            ByteBuffer in = ByteBuffer.wrap(pack.causes(slots));
            @SuppressWarnings({"unchecked", "rawtypes"})
            Cause<R, F>[] causes = new Cause[in.getInt()];
            Arrays.setAll(causes, i -> cause(in));
            return List.of(causes);
        }

        private Cause<R, F> cause(ByteBuffer in) {
            R rule = spec.rule(in.getInt());
            Verdict verdict = Verdict.of(in.get());
            F factor = spec.field(in.getInt());
            Object observed = value(in);
            String direction = Utf8.read(in);
            Object threshold = value(in);
            double distance = in.getDouble();
            return new Cause<>(
                    rule,
                    verdict,
                    factor,
                    observed,
                    direction,
                    threshold,
                    Double.isNaN(distance) ? OptionalDouble.empty() : OptionalDouble.of(distance));
        }

        private static Object value(ByteBuffer in) {
            byte tag = in.get();
            return switch (tag) {
                case 0 -> null;
                case 1 -> in.get() != 0;
                case 2 -> in.getLong();
                case 3 -> in.getDouble();
                case 4 -> Utf8.read(in);
                case 5 -> {
                    Object[] items = new Object[in.getInt()];
                    Arrays.setAll(items, i -> value(in));
                    yield List.of(items);
                }
                default -> throw new InternalException(
                        "the native library answered with the unknown tag " + tag, "", List.of());
            };
        }

        @Override
        public String proofSha256() {
            return HexFormat.of().formatHex(pack.proof(slots));
        }
    }
}
