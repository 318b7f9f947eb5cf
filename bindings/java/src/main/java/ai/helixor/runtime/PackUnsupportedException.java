package ai.helixor.runtime;

import java.util.List;

/** The pack holds what this engine does not execute (check 7). Code {@code PACK_UNSUPPORTED}. */
public final class PackUnsupportedException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public PackUnsupportedException(String message, String help, List<? extends HelixorException> others) {
        super("PACK_UNSUPPORTED", 27, message, help, others);
    }
}
