package ai.helixor.runtime;

import java.util.List;

/** No believed authority has the licence's key (check 1). Code {@code LICENSE_UNTRUSTED}. */
public final class LicenseUntrustedException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public LicenseUntrustedException(String message, String help, List<? extends HelixorException> others) {
        super("LICENSE_UNTRUSTED", 12, message, help, others);
    }
}
