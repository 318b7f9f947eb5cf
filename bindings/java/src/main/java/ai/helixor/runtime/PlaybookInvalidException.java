package ai.helixor.runtime;

import java.util.List;

/** The playbook is not valid. Code {@code PLAYBOOK_INVALID}. */
public final class PlaybookInvalidException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public PlaybookInvalidException(String message, String help, List<? extends HelixorException> others) {
        super("PLAYBOOK_INVALID", 40, message, help, others);
    }
}
