package ai.helixor.runtime;

/**
 * What came of one state of a batch: a decision, or why there is none.
 *
 * @param <A> the pack's actions
 * @param <R> the pack's rules
 * @param <F> the pack's fields
 */
public sealed interface BatchResult<A, R, F> {
    /**
     * The decision.
     *
     * @return the decision
     * @throws HelixorException why there is none
     */
    Decision<A, R, F> decision();

    /**
     * A state that was decided on.
     *
     * @param <A> the pack's actions
     * @param <R> the pack's rules
     * @param <F> the pack's fields
     * @param decision the decision
     */
    record Decided<A, R, F>(Decision<A, R, F> decision) implements BatchResult<A, R, F> {}

    /**
     * A state that was not.
     *
     * @param <A> the pack's actions
     * @param <R> the pack's rules
     * @param <F> the pack's fields
     * @param error why
     */
    record Failed<A, R, F>(HelixorException error) implements BatchResult<A, R, F> {
        @Override
        public Decision<A, R, F> decision() {
            throw error;
        }
    }
}
