package ai.helixor.runtime;

import java.util.List;

/** The pack file is not an pack of format version 1 (check 2). Code {@code PACK_FORMAT}. */
public final class PackFormatException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public PackFormatException(String message, String help, List<? extends HelixorException> others) {
        super("PACK_FORMAT", 22, message, help, others);
    }
}
