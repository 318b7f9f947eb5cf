package ai.helixor.runtime;

import java.util.List;

/** A limit of the licence is reached. Code {@code QUOTA_EXCEEDED}. */
public final class QuotaExceededException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public QuotaExceededException(String message, String help, List<? extends HelixorException> others) {
        super("QUOTA_EXCEEDED", 60, message, help, others);
    }
}
