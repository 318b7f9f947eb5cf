import ai.helixor.runtime.Options;
import ai.helixor.runtime.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import ai.helixor.runtime.regulatorypiiguard.model.RegulatoryPiiGuardState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Ten million decisions on eight threads, some in batches, some explained, all counted: memory stays as it
 * was after the first of them. To be run with a small heap, so that what grows is not garbage.
 */
final class Flat {
    private static final int DECISIONS = 10_000_000;
    private static final int THREADS = 8;

    /** MiB. */
    private static final double ALLOWED = 16;

    private Flat() {}

    public static void main(String[] arguments) throws Exception {
        try (var client = RegulatoryPiiGuardClient.builtin(Options.defaults().ledgerInMemory())) {
            decide(client, DECISIONS / 10);
            double before = resident();
            decide(client, DECISIONS);
            double grown = resident() - before;
            long counted = client.auditReport().totalDecisionsExecuted();
            if (counted != DECISIONS + DECISIONS / 10) {
                throw new AssertionError(counted + " decisions were counted");
            }
            if (grown > ALLOWED) {
                throw new AssertionError("memory grew by " + grown + " MiB");
            }
            System.out.printf(Locale.ROOT, "%,d decisions, all counted; memory grew by %.1f MiB%n", DECISIONS, grown);
        }
    }

    private static void decide(RegulatoryPiiGuardClient client, int count) throws InterruptedException {
        var states = new RegulatoryPiiGuardState[64];
        for (int i = 0; i < states.length; i++) {
            states[i] = new RegulatoryPiiGuardState(
                    (i & 1) != 0, (i & 2) != 0, (i & 4) != 0, (i & 8) != 0, (i & 16) != 0, (i & 32) != 0);
        }
        var threads = new Thread[THREADS];
        for (int thread = 0; thread < THREADS; thread++) {
            threads[thread] = new Thread(() -> {
                for (int i = 0; i < count / THREADS; i++) {
                    if (i % 64 != 0) {
                        client.decide(states[i % 64]);
                        continue;
                    }
                    var decision = client.decideBatch(List.of(states[i / 64 % 64])).get(0).decision();
                    decision.necessaryCauses();
                    decision.counterfactual();
                }
            });
            threads[thread].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.gc();
    }

    private static double resident() throws Exception {
        String status = Files.readString(Path.of("/proc/self/status"));
        String line = status.lines().filter(text -> text.startsWith("VmRSS:")).findFirst().orElseThrow();
        return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
    }
}
