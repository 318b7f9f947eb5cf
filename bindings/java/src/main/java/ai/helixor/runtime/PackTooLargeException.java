package ai.helixor.runtime;

import java.util.List;

/** The pack file is larger than allowed (check 2). Code {@code PACK_TOO_LARGE}. */
public final class PackTooLargeException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public PackTooLargeException(String message, String help, List<? extends HelixorException> others) {
        super("PACK_TOO_LARGE", 21, message, help, others);
    }
}
