package ai.helixor.conformance;

import conformance.packs.regulatorypiiguard.model.RegulatoryPiiGuardState;
import java.util.Arrays;

/** States of the example pack. */
final class Guard {
    private Guard() {}

    /** The state whose facts of these numbers, in the order of their names, are true. */
    static RegulatoryPiiGuardState state(int... facts) {
        boolean[] given = new boolean[6];
        Arrays.stream(facts).forEach(fact -> given[fact] = true);
        return new RegulatoryPiiGuardState(given[0], given[1], given[2], given[3], given[4], given[5]);
    }
}
