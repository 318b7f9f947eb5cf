package ai.helixor.runtime;

import java.util.List;

/** No licence was found (check 1). Code {@code LICENSE_NOT_FOUND}. */
public final class LicenseNotFoundException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public LicenseNotFoundException(String message, String help, List<? extends HelixorException> others) {
        super("LICENSE_NOT_FOUND", 10, message, help, others);
    }
}
