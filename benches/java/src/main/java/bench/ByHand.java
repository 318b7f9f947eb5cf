package bench;

import ai.helixor.bench.payment.model.PaymentState;
import ai.helixor.bench.regulatorypiiguard.model.RegulatoryPiiGuardState;
import ai.helixor.runtime.Verdict;

/** The rules of the packs as someone writes them in Java. */
final class ByHand {
    private ByHand() {}

    /** What a decision says; the fired rules are bits in priority order. */
    record Answer<A>(A action, Verdict verdict, long fired) {}

    static Answer<ai.helixor.bench.regulatorypiiguard.model.Action> decide(RegulatoryPiiGuardState state) {
        int fired = 0;
        if (state.hasSsn()) {
            fired |= 1;
        }
        if (state.hasCreditCard()) {
            fired |= 2;
        }
        if (state.hasHealthRecord()) {
            fired |= 4;
        }
        if (state.hasEmail() || state.hasPhone() || state.hasIp()) {
            fired |= 8;
        }
        if ((fired & 1) != 0) {
            return new Answer<>(
                    ai.helixor.bench.regulatorypiiguard.model.Action.BLOCK_GLBA_SSN_LEAKAGE, Verdict.REFUSE, fired);
        }
        if ((fired & 2) != 0) {
            return new Answer<>(
                    ai.helixor.bench.regulatorypiiguard.model.Action.BLOCK_PCI_DSS_PAN_LEAKAGE, Verdict.REFUSE, fired);
        }
        if ((fired & 4) != 0) {
            return new Answer<>(
                    ai.helixor.bench.regulatorypiiguard.model.Action.BLOCK_HIPAA_PHI_LEAKAGE, Verdict.REFUSE, fired);
        }
        if ((fired & 8) != 0) {
            return new Answer<>(
                    ai.helixor.bench.regulatorypiiguard.model.Action.REDACT_AND_PERMIT_CONTACT_PII,
                    Verdict.REDACT,
                    fired);
        }
        return new Answer<>(
                ai.helixor.bench.regulatorypiiguard.model.Action.PERMIT_CLEAN_PAYLOAD, Verdict.APPROVE, fired);
    }

    static Answer<ai.helixor.bench.payment.model.Action> decide(PaymentState state) {
        int fired = 0;
        if (state.isSanctioned()) {
            fired |= 1;
        }
        if (state.amountUsd() > 5_000 && !state.managerApproved()) {
            fired |= 2;
        }
        if (state.amountUsd() > 1_000) {
            fired |= 4;
        }
        if ((fired & 1) != 0) {
            return new Answer<>(ai.helixor.bench.payment.model.Action.REFUSE_SANCTIONED, Verdict.REFUSE, fired);
        }
        if ((fired & 2) != 0) {
            return new Answer<>(ai.helixor.bench.payment.model.Action.REFUSE_UNAPPROVED, Verdict.REFUSE, fired);
        }
        if ((fired & 4) != 0) {
            return new Answer<>(ai.helixor.bench.payment.model.Action.REPORT_LARGE, Verdict.REDACT, fired);
        }
        return new Answer<>(ai.helixor.bench.payment.model.Action.PERMIT, Verdict.APPROVE, fired);
    }

    /** The 200 thresholds, on an array in the order of their priority. */
    static final class Thresholds {
        static final int COUNT = 200;

        private final double[] limits = new double[COUNT];
        private final int[] actions = new int[COUNT];

        Thresholds() {
            for (int i = 0; i < COUNT; i++) {
                int field = field(i);
                limits[i] = (field * 37 + 120) % COUNT * 5 + 2.5;
                actions[i] = 1 + field % 10;
            }
        }

        /** The field whose rule is the i-th: those of even numbers refuse, and come first. */
        static int field(int i) {
            return i < COUNT / 2 ? 2 * i : 2 * i - COUNT + 1;
        }

        /** Gives the number of the action and writes the fired rules. */
        int decide(double[] state, long[] fired) {
            int first = COUNT;
            for (int word = 0; word < fired.length; word++) {
                long bits = 0;
                int start = word * 64;
                int end = Math.min(start + 64, COUNT);
                for (int i = start; i < end; i++) {
                    if (state[i] > limits[i]) {
                        bits |= 1L << i;
                    }
                }
                fired[word] = bits;
                if (bits != 0 && first == COUNT) {
                    first = start + Long.numberOfTrailingZeros(bits);
                }
            }
            return first == COUNT ? 0 : actions[first];
        }
    }
}
