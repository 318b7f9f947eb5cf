package ai.helixor.runtime;

import java.util.List;

/** A fault of Helixor itself. Code {@code INTERNAL}. */
public final class InternalException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public InternalException(String message, String help, List<? extends HelixorException> others) {
        super("INTERNAL", 4, message, help, others);
    }
}
