package ai.helixor.runtime;

import java.util.List;

/** A rule could not be evaluated. Code {@code EVALUATION}. */
public final class EvaluationException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public EvaluationException(String message, String help, List<? extends HelixorException> others) {
        super("EVALUATION", 55, message, help, others);
    }
}
