package ai.helixor.runtime;

import java.util.List;

/** A required field of the state is missing. Code {@code STATE_MISSING}. */
public final class StateMissingException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public StateMissingException(String message, String help, List<? extends HelixorException> others) {
        super("STATE_MISSING", 51, message, help, others);
    }
}
