package ai.helixor.runtime;

import java.util.List;

/** Two names fall together in a generated language. Code {@code NAME_COLLISION}. */
public final class NameCollisionException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public NameCollisionException(String message, String help, List<? extends HelixorException> others) {
        super("NAME_COLLISION", 42, message, help, others);
    }
}
