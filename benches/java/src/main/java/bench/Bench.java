package bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs JMH in turns, a fresh JVM for each benchmark of each turn, and prints rows for {@code cargo xtask bench}.
 *
 * <p>{@code java -jar bench.jar FOLDER}, where the packs and the licence are.
 */
final class Bench {
    private static final int TURNS = 3;

    /** Section, the rules by hand, the client, and what is to be reached. */
    private static final List<String[]> SECTIONS = List.of(
            new String[] {"six booleans", "sixByHand", "sixClient", "+30"},
            new String[] {"two booleans and an amount", "paymentByHand", "paymentClient", "+30"},
            new String[] {"200 thresholds", "wideByHand", "wideClient", "+"});

    private Bench() {}

    public static void main(String[] arguments) throws RunnerException {
        System.setProperty("bench.folder", arguments[0]);
        Packs.check();
        String java = "Java " + Runtime.version().feature();
        System.out.printf(
                "note\t%s: states from seed %#x; medians over %d JVMs for each row, in turn%n",
                java, Packs.SEED, TURNS);
        Map<String, List<Double>> times = new LinkedHashMap<>();
        for (int turn = 0; turn < TURNS; turn++) {
            for (String[] section : SECTIONS) {
                for (String name : List.of(section[1], section[2])) {
                    times.computeIfAbsent(name, key -> new ArrayList<>()).addAll(measure(name, arguments[0]));
                }
            }
        }
        for (String[] section : SECTIONS) {
            row(java, section[0], "ifs by hand", times.get(section[1]), "", "");
            row(java, section[0], "generated client, ready record", times.get(section[2]), "ifs by hand", section[3]);
        }
    }

    /** Nanoseconds for each iteration of a fresh JVM: medians of blocks, which a busy machine disturbs least. */
    private static List<Double> measure(String name, String folder) throws RunnerException {
        var options = new OptionsBuilder()
                .include("^" + Packs.class.getName() + "\\." + name + "$")
                .mode(Mode.SampleTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .forks(1)
                .warmupIterations(5)
                .warmupTime(TimeValue.milliseconds(500))
                .measurementIterations(4)
                .measurementTime(TimeValue.milliseconds(200))
                .jvmArgsAppend(jvmArguments(folder))
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true)
                .build();
        var times = new ArrayList<Double>();
        for (var result : new Runner(options).run()) {
            for (var fork : result.getBenchmarkResults()) {
                for (var iteration : fork.getIterationResults()) {
                    times.add(iteration.getPrimaryResult().getStatistics().getPercentile(50));
                }
            }
        }
        return times;
    }

    private static String[] jvmArguments(String folder) {
        var arguments = new ArrayList<>(List.of("-Dbench.folder=" + folder));
        // JMH hands on as output what later JDKs warn of.
        if (Runtime.version().feature() >= 23) {
            arguments.add("--sun-misc-unsafe-memory-access=allow");
            arguments.add("--enable-native-access=ALL-UNNAMED");
        }
        return arguments.toArray(String[]::new);
    }

    private static void row(String java, String section, String name, List<Double> times, String base, String target) {
        double median = times.stream().sorted().skip(times.size() / 2).findFirst().orElseThrow();
        System.out.printf(
                Locale.ROOT, "row\t%s, %s\t%s\t%.3f\tns\t%s\t%s%n", java, section, name, median, base, target);
    }
}
