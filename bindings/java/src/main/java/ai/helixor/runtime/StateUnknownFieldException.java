package ai.helixor.runtime;

import java.util.List;

/** The state has a field the pack does not know. Code {@code STATE_UNKNOWN_FIELD}. */
public final class StateUnknownFieldException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public StateUnknownFieldException(String message, String help, List<? extends HelixorException> others) {
        super("STATE_UNKNOWN_FIELD", 52, message, help, others);
    }
}
