package ai.helixor.runtime;

import java.util.List;

/** The caller's buffer is too small. Code {@code BUFFER_TOO_SMALL}. */
public final class BufferTooSmallException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public BufferTooSmallException(String message, String help, List<? extends HelixorException> others) {
        super("BUFFER_TOO_SMALL", 8, message, help, others);
    }
}
