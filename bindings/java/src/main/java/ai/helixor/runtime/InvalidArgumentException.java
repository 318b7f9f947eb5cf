package ai.helixor.runtime;

import java.util.List;

/** An argument of a call is not one it takes. Code {@code INVALID_ARGUMENT}. */
public final class InvalidArgumentException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public InvalidArgumentException(String message, String help, List<? extends HelixorException> others) {
        super("INVALID_ARGUMENT", 1, message, help, others);
    }
}
