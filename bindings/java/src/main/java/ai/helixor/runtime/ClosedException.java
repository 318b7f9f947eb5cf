package ai.helixor.runtime;

import java.util.List;

/** The client was closed. Code {@code CLOSED}. */
public final class ClosedException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public ClosedException(String message, String help, List<? extends HelixorException> others) {
        super("CLOSED", 6, message, help, others);
    }
}
