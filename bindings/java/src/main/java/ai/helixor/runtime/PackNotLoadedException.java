package ai.helixor.runtime;

import java.util.List;

/** No pack of that id is loaded. Code {@code PACK_NOT_LOADED}. */
public final class PackNotLoadedException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public PackNotLoadedException(String message, String help, List<? extends HelixorException> others) {
        super("PACK_NOT_LOADED", 3, message, help, others);
    }
}
