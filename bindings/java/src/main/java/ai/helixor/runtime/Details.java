package ai.helixor.runtime;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Supplier;

/**
 * What a decision says beyond action and verdict. Each is asked of the pack when first needed; two
 * threads may both do it, with the same outcome.
 */
final class Details<R, F> {
    private final Spec<?, ?, R, F> spec;
    private final NativePack pack;
    private final Snapshot state;

    /** How long deciding took; NaN when it was not measured. */
    final double latencyUs;

    private List<R> firedRules;
    private List<Cause<R, F>> necessaryCauses;
    private Optional<Counterfactual<R, F>> counterfactual;
    private String proofSha256;

    /** Of the decision of a pack on a state. */
    Details(Spec<?, ?, R, F> spec, NativePack pack, Snapshot state, double latencyUs) {
        this.spec = spec;
        this.pack = pack;
        this.state = state;
        this.latencyUs = latencyUs;
    }

    /** Made up. */
    Details(
            List<R> firedRules,
            List<Cause<R, F>> necessaryCauses,
            Optional<Counterfactual<R, F>> counterfactual,
            String proofSha256) {
        this(null, null, null, Double.NaN);
        this.firedRules = firedRules;
        this.necessaryCauses = necessaryCauses;
        this.counterfactual = counterfactual;
        this.proofSha256 = proofSha256;
    }

    List<R> firedRules() {
        List<R> rules = firedRules;
        if (rules == null) {
            ByteBuffer in = explain(NativePack.FIRED_RULES);
            rules = list(in, () -> spec.rule(in.getInt()));
            firedRules = rules;
        }
        return rules;
    }

    List<Cause<R, F>> necessaryCauses() {
        List<Cause<R, F>> causes = necessaryCauses;
        if (causes == null) {
            ByteBuffer in = explain(NativePack.CAUSES);
            causes = list(in, () -> cause(in));
            necessaryCauses = causes;
        }
        return causes;
    }

    Optional<Counterfactual<R, F>> counterfactual() {
        Optional<Counterfactual<R, F>> found = counterfactual;
        if (found == null) {
            ByteBuffer in = explain(NativePack.COUNTERFACTUAL);
            found = in.hasRemaining() ? Optional.of(counterfactual(in)) : Optional.empty();
            counterfactual = found;
        }
        return found;
    }

    String proofSha256() {
        String proof = proofSha256;
        if (proof == null) {
            proof = HexFormat.of().formatHex(explain(NativePack.PROOF).array());
            proofSha256 = proof;
        }
        return proof;
    }

    private ByteBuffer explain(int what) {
        return ByteBuffer.wrap(pack.explain(state, what));
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
        return new Cause<>(rule, verdict, factor, observed, direction, threshold, optional(in));
    }

    private Counterfactual<R, F> counterfactual(ByteBuffer in) {
        String remedy = Utf8.read(in);
        int target = in.getInt();
        Object required = value(in);
        OptionalDouble delta = optional(in);
        List<Change<R, F>> changes = list(in, () -> change(in));
        F factor = target == 0 ? null : spec.field(target - 1);
        return new Counterfactual<>(remedy, factor, required, delta, changes);
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
        return optional(in.getDouble());
    }

    static OptionalDouble optional(double number) {
        return Double.isNaN(number) ? OptionalDouble.empty() : OptionalDouble.of(number);
    }

    static Object value(ByteBuffer in) {
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
}
