package ai.helixor.runtime;

import java.util.List;

/** A field of the state has the wrong type. Code {@code STATE_TYPE}. */
public final class StateTypeException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public StateTypeException(String message, String help, List<? extends HelixorException> others) {
        super("STATE_TYPE", 53, message, help, others);
    }
}
