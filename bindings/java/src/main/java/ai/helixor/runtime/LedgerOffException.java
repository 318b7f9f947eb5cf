package ai.helixor.runtime;

import java.util.List;

/** The audit ledger is off. Code {@code LEDGER_OFF}. */
public final class LedgerOffException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public LedgerOffException(String message, String help, List<? extends HelixorException> others) {
        super("LEDGER_OFF", 9, message, help, others);
    }
}
