import ai.helixor.runtime.HelixorException;
import ai.helixor.runtime.InternalException;
import ai.helixor.runtime.Options;
import ai.helixor.runtime.Verdict;
import ai.helixor.runtime.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import ai.helixor.runtime.regulatorypiiguard.model.RegulatoryPiiGuardState;
import java.util.List;

/**
 * A panic inside the runtime is INTERNAL, and the next decision is made. The library that is loaded is built with
 * its feature {@code fault}, and {@code $HELIXOR_FAULTS} is the number of decisions here that are to panic, 2.
 */
final class Fault {
    private Fault() {}

    public static void main(String[] arguments) {
        var state = RegulatoryPiiGuardState.builder()
                .hasCreditCard(true).hasEmail(true).hasHealthRecord(true).hasIp(true).hasPhone(true).hasSsn(true)
                .build();
        try (var client = RegulatoryPiiGuardClient.builtin(Options.defaults().ledgerInMemory())) {
            List<Runnable> ways = List.of(
                    () -> client.decide(state),
                    () -> client.decideBatch(List.of(state)));
            for (Runnable way : ways) {
                try {
                    way.run();
                } catch (HelixorException error) {
                    check(InternalException.class, error.getClass());
                    check("INTERNAL", error.code());
                    check("the runtime failed inside", error.getMessage());
                    check("please report how it came to this", error.help());
                    continue;
                }
                throw new AssertionError("nothing was thrown");
            }
            check(Verdict.REFUSE, client.decide(state).verdict());
            check(1L, client.auditReport().totalDecisionsExecuted());
        }
    }

    private static void check(Object expected, Object found) {
        if (!expected.equals(found)) {
            throw new AssertionError("expected " + expected + ", found " + found);
        }
    }
}
