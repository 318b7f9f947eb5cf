package ai.helixor.runtime;

import java.util.List;

/** The licence's signature does not verify (check 1). Code {@code LICENSE_SIGNATURE}. */
public final class LicenseSignatureException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public LicenseSignatureException(String message, String help, List<? extends HelixorException> others) {
        super("LICENSE_SIGNATURE", 13, message, help, others);
    }
}
