package ai.helixor.runtime;

/**
 * Writes a state as it crosses to the native library. Generated clients have one.
 *
 * @param <S> the pack's states
 */
@FunctionalInterface
public interface ToSlots<S> {
    /**
     * Puts every field.
     *
     * @param state the state
     * @param slots where to; fields have their numbers in the interface document
     */
    void write(S state, Slots slots);
}
