package ai.helixor.runtime;

import java.util.List;

/** The manifest is not valid. Code {@code MANIFEST_INVALID}. */
public final class ManifestInvalidException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public ManifestInvalidException(String message, String help, List<? extends HelixorException> others) {
        super("MANIFEST_INVALID", 41, message, help, others);
    }
}
