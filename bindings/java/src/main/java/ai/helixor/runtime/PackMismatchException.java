package ai.helixor.runtime;

import java.util.List;

/** The pack is not the one the client was generated from. Code {@code PACK_MISMATCH}. */
public final class PackMismatchException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public PackMismatchException(String message, String help, List<? extends HelixorException> others) {
        super("PACK_MISMATCH", 28, message, help, others);
    }
}
