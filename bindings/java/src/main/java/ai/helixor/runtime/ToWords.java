package ai.helixor.runtime;

/**
 * Packs a state of booleans, integers and numbers that all have a value. Clients of packs without
 * other fields have one.
 *
 * @param <S> the pack's states
 */
@FunctionalInterface
public interface ToWords<S> {
    /**
     * The packed values: a bit for each boolean field in the order of the interface document, 64 to a
     * word, the lowest first; then a word for each integer field and each number field (its bits) in
     * that order.
     *
     * @param state the state
     * @return the words, which nobody changes any more
     */
    long[] words(S state);

    /**
     * A boolean as a bit of a word. Without a branch, which states of all kinds would have guessed wrong.
     *
     * @param value the value
     * @param bit which bit, from 0 to 63
     * @return the word
     */
    static long bit(boolean value, int bit) {
        return (long) (value ? 1 : 0) << bit;
    }
}
