package ai.helixor.runtime;

import java.util.List;

/** The licence does not allow the pack (check 3). Code {@code PACK_NOT_LICENSED}. */
public final class PackNotLicensedException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public PackNotLicensedException(String message, String help, List<? extends HelixorException> others) {
        super("PACK_NOT_LICENSED", 23, message, help, others);
    }
}
