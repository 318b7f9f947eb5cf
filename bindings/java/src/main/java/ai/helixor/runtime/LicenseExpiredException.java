package ai.helixor.runtime;

import java.util.List;

/** The licence's window is over (check 1, and every decision). Code {@code LICENSE_EXPIRED}. */
public final class LicenseExpiredException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public LicenseExpiredException(String message, String help, List<? extends HelixorException> others) {
        super("LICENSE_EXPIRED", 15, message, help, others);
    }
}
