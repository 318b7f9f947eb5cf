package ai.helixor.runtime;

import java.util.List;

/** The licence's window has not begun (check 1). Code {@code LICENSE_NOT_YET_VALID}. */
public final class LicenseNotYetValidException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public LicenseNotYetValidException(String message, String help, List<? extends HelixorException> others) {
        super("LICENSE_NOT_YET_VALID", 14, message, help, others);
    }
}
