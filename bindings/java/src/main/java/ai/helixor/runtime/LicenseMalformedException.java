package ai.helixor.runtime;

import java.util.List;

/** The licence is not a licence document (check 1). Code {@code LICENSE_MALFORMED}. */
public final class LicenseMalformedException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public LicenseMalformedException(String message, String help, List<? extends HelixorException> others) {
        super("LICENSE_MALFORMED", 11, message, help, others);
    }
}
