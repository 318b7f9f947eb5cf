import ai.helixor.runtime.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import ai.helixor.runtime.regulatorypiiguard.model.RegulatoryPiiGuardState;

/** Decides with a client that this build generated. */
class Guard {
    public static void main(String[] arguments) {
        // A sealed pack is opened with `RegulatoryPiiGuardClient.open(path)`.
        try (var guard = RegulatoryPiiGuardClient.builtin()) {
            var payload = RegulatoryPiiGuardState.builder()
                    .hasCreditCard(false)
                    .hasEmail(true)
                    .hasHealthRecord(false)
                    .hasIp(false)
                    .hasPhone(true)
                    .hasSsn(false)
                    .build();
            var decision = guard.decide(payload);
            System.out.println(decision.verdict().wire() + ": " + decision.action().wire());
        }
    }
}
