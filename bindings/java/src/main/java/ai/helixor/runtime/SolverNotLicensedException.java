package ai.helixor.runtime;

import java.util.List;

/** The licence does not allow a solver the pack declares (check 6). Code {@code SOLVER_NOT_LICENSED}. */
public final class SolverNotLicensedException extends HelixorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong
     * @param help what to do next; empty when there is nothing to add
     * @param others the further faults of the same call
     */
    public SolverNotLicensedException(String message, String help, List<? extends HelixorException> others) {
        super("SOLVER_NOT_LICENSED", 26, message, help, others);
    }
}
