package ai.helixor.runtime;

import java.util.List;

/** The pack file is not there (check 2). Code {@code PACK_NOT_FOUND}. */
public final class PackNotFoundException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public PackNotFoundException(String message, String help, List<? extends HelixorException> others) {
        super("PACK_NOT_FOUND", 20, message, help, others);
    }
}
