package ai.helixor.runtime;

import java.util.List;

/** Decryption failed (check 4). Code {@code PACK_UNSEAL}. */
public final class PackUnsealException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public PackUnsealException(String message, String help, List<? extends HelixorException> others) {
        super("PACK_UNSEAL", 24, message, help, others);
    }
}
