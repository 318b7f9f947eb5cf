package ai.helixor.runtime;

import java.util.List;

/** The publisher's signature is missing or wrong. Code {@code PACK_SIGNATURE}. */
public final class PackSignatureException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public PackSignatureException(String message, String help, List<? extends HelixorException> others) {
        super("PACK_SIGNATURE", 29, message, help, others);
    }
}
