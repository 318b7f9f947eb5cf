package ai.helixor.runtime;

import java.util.List;

/** The C runtime was shut down and not initialised again. Code {@code NOT_INITIALIZED}. */
public final class NotInitializedException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public NotInitializedException(String message, String help, List<? extends HelixorException> others) {
        super("NOT_INITIALIZED", 2, message, help, others);
    }
}
