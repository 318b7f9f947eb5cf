import ai.helixor.runtime.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import ai.helixor.runtime.regulatorypiiguard.model.RegulatoryPiiGuardState;
import java.nio.file.Path;

/** Decides on one payload with a sealed pack. */
class Guard {
    public static void main(String[] arguments) {
        try (var guard = RegulatoryPiiGuardClient.open(Path.of("guard.hxpack"))) {
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
            for (var cause : decision.necessaryCauses()) {
                System.out.println("  " + cause.rule().wire() + ": " + cause.factor().wire() + " " + cause.direction());
            }
            System.out.println("  proof " + decision.proofSha256());
        }
    }
}
