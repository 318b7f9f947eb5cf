package ai.helixor.runtime;

import java.util.List;

/** A file could not be read or written. Code {@code IO}. */
public final class IoException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public IoException(String message, String help, List<? extends HelixorException> others) {
        super("IO", 5, message, help, others);
    }
}
