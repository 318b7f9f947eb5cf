package ai.helixor.runtime;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Supplier;

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
    private Optional<Counterfactual<R, F>> counterfactual;
    private String proofSha256;

    /** What the details come from. */
    private interface Source<R, F> {
        List<R> firedRules();

        List<Cause<R, F>> necessaryCauses();

        Optional<Counterfactual<R, F>> counterfactual();

        String proofSha256();
    }

    private Decision(A action, Verdict verdict, Source<R, F> source) {
        this.action = Objects.requireNonNull(action, "action");
        this.verdict = Objects.requireNonNull(verdict, "verdict");
        this.source = source;
    }

    /** The decision of a pack; {@code packed} is the verdict's ordinal and the action's number. */
    static <A, R, F> Decision<A, R, F> made(
            Spec<?, A, R, F> spec, NativePack pack, Slots slots, long packed) {
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
                new MadeUp<>(
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
     * What would have to change for an approval. Every change that it asks for was checked; searching
     * takes up to some thousand decisions.
     *
     * @return the counterfactual; empty when no rule fired
     */
    public Optional<Counterfactual<R, F>> counterfactual() {
        Optional<Counterfactual<R, F>> found = counterfactual;
        if (found == null) {
            found = source.counterfactual();
            counterfactual = found;
        }
        return found;
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

    private record MadeUp<R, F>(
            List<R> firedRules,
            List<Cause<R, F>> necessaryCauses,
            Optional<Counterfactual<R, F>> counterfactual,
            String proofSha256)
            implements Source<R, F> {}

    /** The state that was decided on, and the pack that decided. */
    private static final class ByPack<R, F> implements Source<R, F> {
        private final Spec<?, ?, R, F> spec;
        private final NativePack pack;
        private final Slots slots;

        ByPack(Spec<?, ?, R, F> spec, NativePack pack, Slots slots) {
            this.spec = spec;
            this.pack = pack;
            this.slots = slots;
        }

        @Override
        public List<R> firedRules() {
            ByteBuffer in = explain(NativePack.FIRED_RULES);
            return list(in, () -> spec.rule(in.getInt()));
        }

        @Override
        public List<Cause<R, F>> necessaryCauses() {
            ByteBuffer in = explain(NativePack.CAUSES);
            return list(in, () -> cause(in));
        }

        private ByteBuffer explain(int what) {
            return ByteBuffer.wrap(pack.explain(slots, what));
        }

        private static <T> List<T> list(ByteBuffer in, Supplier<T> read) {
            List<T> items = new ArrayList<>();
            for (int left = in.getInt(); left > 0; left--) {
                items.add(read.get());
            }
            return Collections.unmodifiableList(items);
        }

        private Cause<R, F> cause(ByteBuffer in) {
            R rule = spec.rule(in.getInt());
            Verdict verdict = Verdict.of(in.get());
            F factor = spec.field(in.getInt());
            Object observed = value(in);
            String direction = Utf8.read(in);
            Object threshold = value(in);
            return new Cause<>(
                    rule, verdict, factor, observed, direction, threshold, optional(in));
        }

        @Override
        public Optional<Counterfactual<R, F>> counterfactual() {
            ByteBuffer in = explain(NativePack.COUNTERFACTUAL);
            if (!in.hasRemaining()) {
                return Optional.empty();
            }
            String remedy = Utf8.read(in);
            int target = in.getInt();
            Object required = value(in);
            OptionalDouble delta = optional(in);
            List<Change<R, F>> changes = list(in, () -> change(in));
            F factor = target == 0 ? null : spec.field(target - 1);
            return Optional.of(new Counterfactual<>(remedy, factor, required, delta, changes));
        }

        private Change<R, F> change(ByteBuffer in) {
            R rule = spec.rule(in.getInt());
            F factor = spec.field(in.getInt());
            String relation = Utf8.read(in);
            Object required = value(in);
            Object observed = value(in);
            return new Change<>(rule, factor, relation, required, observed, optional(in));
        }

        private static OptionalDouble optional(ByteBuffer in) {
            double number = in.getDouble();
            return Double.isNaN(number) ? OptionalDouble.empty() : OptionalDouble.of(number);
        }

        private static Object value(ByteBuffer in) {
            byte tag = in.get();
            return switch (tag) {
                case 0 -> null;
                case 1 -> in.get() != 0;
                case 2 -> in.getLong();
                case 3 -> in.getDouble();
                case 4 -> Utf8.read(in);
                case 5 -> list(in, () -> value(in));
                default -> throw new InternalException(
                        "the native library answered with the unknown tag " + tag, "", List.of());
            };
        }

        @Override
        public String proofSha256() {
            return HexFormat.of().formatHex(explain(NativePack.PROOF).array());
        }
    }
}
