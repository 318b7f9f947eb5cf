package ai.helixor.runtime;

import java.util.List;

/** Two parts of Helixor are of versions that do not fit. Code {@code VERSION_SKEW}. */
public final class VersionSkewException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public VersionSkewException(String message, String help, List<? extends HelixorException> others) {
        super("VERSION_SKEW", 7, message, help, others);
    }
}
