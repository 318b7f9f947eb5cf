package ai.helixor.runtime;

import java.util.List;

/** A field of the state is out of range. Code {@code STATE_RANGE}. */
public final class StateRangeException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public StateRangeException(String message, String help, List<? extends HelixorException> others) {
        super("STATE_RANGE", 54, message, help, others);
    }
}
