package ai.helixor.runtime;

import java.util.List;

/** The decrypted playbook is not what the header promises (check 5). Code {@code PACK_INTEGRITY}. */
public final class PackIntegrityException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public PackIntegrityException(String message, String help, List<? extends HelixorException> others) {
        super("PACK_INTEGRITY", 25, message, help, others);
    }
}
