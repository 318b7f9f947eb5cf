package ai.helixor.runtime;

import java.util.List;

/** The state is not JSON. Code {@code STATE_MALFORMED}. */
public final class StateMalformedException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public StateMalformedException(String message, String help, List<? extends HelixorException> others) {
        super("STATE_MALFORMED", 50, message, help, others);
    }
}
