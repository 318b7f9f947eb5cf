package ai.helixor.conformance;

import ai.helixor.runtime.HelixorException;
import ai.helixor.runtime.Options;
import conformance.packs.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import conformance.packs.regulatorypiiguard.model.RegulatoryPiiGuardState;
import java.nio.file.Path;

/** What other JVMs and class loaders run. */
public final class Child {
    private Child() {}

    /** Decides on a clean payload, and gives the first digits of the proof. */
    public static String decide() {
        try (var client = RegulatoryPiiGuardClient.builtin()) {
            var state = new RegulatoryPiiGuardState(false, false, false, false, false, false);
            return client.decide(state).proofSha256().substring(0, 12);
        }
    }

    /** Decides, over a pack of these files if they are given, and prints the proof or the error. */
    public static void main(String[] arguments) throws Exception {
        try {
            if (arguments.length == 0) {
                System.out.println(decide());
                return;
            }
            if (arguments[0].equals("loaders")) {
                try (var one = LifecycleTest.loader(); var other = LifecycleTest.loader()) {
                    LifecycleTest.decideIn(one);
                    LifecycleTest.decideIn(other);
                    System.out.println(decide());
                }
                return;
            }
            var options = Options.defaults().licenseFile(Path.of(arguments[1])).authorities(Path.of(arguments[2]));
            try (var client = RegulatoryPiiGuardClient.open(Path.of(arguments[0]), options)) {
                var state = new RegulatoryPiiGuardState(false, true, false, false, false, true);
                var decision = client.decide(state);
                System.out.println(decision + " " + decision.necessaryCauses().size() + " " + decision.proofSha256().length());
            }
        } catch (HelixorException e) {
            System.out.println(e.code() + " " + e.getMessage());
        }
    }
}
