package bench;

import ai.helixor.bench.payment.client.PaymentClient;
import ai.helixor.bench.payment.model.PaymentState;
import ai.helixor.bench.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import ai.helixor.bench.regulatorypiiguard.model.RegulatoryPiiGuardState;
import ai.helixor.bench.thresholds.client.ThresholdsClient;
import ai.helixor.bench.thresholds.model.ThresholdsState;
import ai.helixor.runtime.Decision;
import ai.helixor.runtime.Options;
import ai.helixor.runtime.Wire;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** What JMH runs: a block of states at a time, out of so many that no branch predictor learns them. */
public class Packs {
    static final long SEED = 0x5eed0005L;
    static final int BLOCK = 1_000;

    private static final Path FOLDER = Path.of(System.getProperty("bench.folder", "."));

    /** States, a block after the other. */
    abstract static class Blocks {
        private final int count;
        private int at;

        Blocks(int count) {
            this.count = count;
        }

        int next() {
            int start = at;
            at = (at + BLOCK) % count;
            return start;
        }
    }

    /** The six booleans. */
    @State(Scope.Thread)
    public static class Six extends Blocks {
        static final int COUNT = 100_000;

        final RegulatoryPiiGuardState[] states = new RegulatoryPiiGuardState[COUNT];
        final RegulatoryPiiGuardClient client =
                RegulatoryPiiGuardClient.open(FOLDER.resolve("regulatory_pii_guard.hxpack"), options());

        public Six() {
            super(COUNT);
            var random = new Random(SEED);
            for (int i = 0; i < COUNT; i++) {
                states[i] = new RegulatoryPiiGuardState(
                        random.nextBoolean(),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        random.nextBoolean());
            }
        }
    }

    /** Two booleans and an amount. */
    @State(Scope.Thread)
    public static class Payment extends Blocks {
        static final int COUNT = 100_000;

        final PaymentState[] states = new PaymentState[COUNT];
        final PaymentClient client = PaymentClient.open(FOLDER.resolve("payment.hxpack"), options());

        public Payment() {
            super(COUNT);
            var random = new Random(SEED);
            for (int i = 0; i < COUNT; i++) {
                states[i] = new PaymentState(
                        random.nextInt(1_000_001) / 100.0, random.nextBoolean(), random.nextBoolean());
            }
        }
    }

    /** The 200 thresholds; so few states that the cache holds them. */
    @State(Scope.Thread)
    public static class Wide extends Blocks {
        static final int COUNT = 2_000;

        final double[][] values = new double[COUNT][ByHand.Thresholds.COUNT];
        final ThresholdsState[] states = new ThresholdsState[COUNT];
        final ByHand.Thresholds byHand = new ByHand.Thresholds();
        final long[] fired = new long[4];
        final ThresholdsClient client = ThresholdsClient.open(FOLDER.resolve("thresholds.hxpack"), options());

        public Wide() {
            super(COUNT);
            var random = new Random(SEED);
            var setters = new Method[ByHand.Thresholds.COUNT];
            try {
                for (int i = 0; i < setters.length; i++) {
                    var name = String.format("f%03d", ByHand.Thresholds.field(i));
                    setters[i] = ThresholdsState.Builder.class.getMethod(name, double.class);
                }
                for (int i = 0; i < COUNT; i++) {
                    var builder = ThresholdsState.builder();
                    for (int field = 0; field < setters.length; field++) {
                        values[i][field] = random.nextInt(100_001) / 100.0;
                        setters[field].invoke(builder, values[i][field]);
                    }
                    states[i] = builder.build();
                }
            } catch (ReflectiveOperationException error) {
                throw new IllegalStateException("the generated builder has other names", error);
            }
        }
    }

    @Benchmark
    @OperationsPerInvocation(BLOCK)
    public void sixByHand(Six six, Blackhole hole) {
        int start = six.next();
        for (int i = start; i < start + BLOCK; i++) {
            var answer = ByHand.decide(six.states[i]);
            hole.consume(answer.action());
            hole.consume(answer.verdict());
            hole.consume(answer.fired());
        }
    }

    @Benchmark
    @OperationsPerInvocation(BLOCK)
    public void sixClient(Six six, Blackhole hole) {
        int start = six.next();
        for (int i = start; i < start + BLOCK; i++) {
            consume(hole, six.client.decide(six.states[i]));
        }
    }

    @Benchmark
    @OperationsPerInvocation(BLOCK)
    public void paymentByHand(Payment payment, Blackhole hole) {
        int start = payment.next();
        for (int i = start; i < start + BLOCK; i++) {
            var answer = ByHand.decide(payment.states[i]);
            hole.consume(answer.action());
            hole.consume(answer.verdict());
            hole.consume(answer.fired());
        }
    }

    @Benchmark
    @OperationsPerInvocation(BLOCK)
    public void paymentClient(Payment payment, Blackhole hole) {
        int start = payment.next();
        for (int i = start; i < start + BLOCK; i++) {
            consume(hole, payment.client.decide(payment.states[i]));
        }
    }

    @Benchmark
    @OperationsPerInvocation(BLOCK)
    public void wideByHand(Wide wide, Blackhole hole) {
        int start = wide.next();
        for (int i = start; i < start + BLOCK; i++) {
            hole.consume(wide.byHand.decide(wide.values[i], wide.fired));
        }
    }

    @Benchmark
    @OperationsPerInvocation(BLOCK)
    public void wideClient(Wide wide, Blackhole hole) {
        int start = wide.next();
        for (int i = start; i < start + BLOCK; i++) {
            consume(hole, wide.client.decide(wide.states[i]));
        }
    }

    private static void consume(Blackhole hole, Decision<?, ?, ?> decision) {
        hole.consume(decision.action());
        hole.consume(decision.verdict());
    }

    /** Both say the same of every state, or nothing is measured. */
    static void check() {
        var six = new Six();
        for (var state : six.states) {
            var answer = ByHand.decide(state);
            same(six.client.decide(state), answer, state);
        }
        var payment = new Payment();
        for (var state : payment.states) {
            var answer = ByHand.decide(state);
            same(payment.client.decide(state), answer, state);
        }
        var wide = new Wide();
        var rules = ai.helixor.bench.thresholds.model.Rule.values();
        for (int i = 0; i < Wide.COUNT; i++) {
            int action = wide.byHand.decide(wide.values[i], wide.fired);
            var decision = wide.client.decide(wide.states[i]);
            long[] fired = new long[4];
            for (var rule : decision.firedRules()) {
                int at = Arrays.asList(rules).indexOf(rule);
                fired[at / 64] |= 1L << at;
            }
            if (decision.action().ordinal() != action || !Arrays.equals(fired, wide.fired)) {
                throw new IllegalStateException("thresholds: " + decision);
            }
        }
    }

    private static <A, R extends Wire> void same(Decision<A, R, ?> decision, ByHand.Answer<A> answer, Object state) {
        List<R> fired = decision.firedRules();
        boolean equal = decision.action() == answer.action()
                && decision.verdict() == answer.verdict()
                && fired.size() == Long.bitCount(answer.fired());
        if (!equal) {
            throw new IllegalStateException(state + ": " + decision + ", by hand " + answer);
        }
    }

    private static Options options() {
        return Options.defaults()
                .licenseFile(FOLDER.resolve("helixor.hxlic"))
                .authorities(FOLDER.resolve("authority.pem"));
    }
}
