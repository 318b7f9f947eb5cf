package ai.helixor.runtime;

/**
 * Writes a state into the words that cross to the native library. Generated clients have one.
 *
 * @param <S> the pack's states
 */
@FunctionalInterface
public interface ToSlots<S> {
    /**
     * Writes every field: a boolean as 0 or 1, an integer as it is, a number as
     * {@link Double#doubleToRawLongBits}.
     *
     * @param state the state
     * @param slots a word for each field, in the order of the interface document
     */
    void write(S state, long[] slots);
}
