package ai.helixor.runtime;

/**
 * A state of so many fields that no record holds it; generated states of such packs derive from it.
 * It does not change.
 */
public abstract class ManyFields {
    private final Values values;

    /** The packed values, made once and not for each decision; null when there is a value that no word says. */
    private final long[] words;

    /**
     * A state.
     *
     * @param values what a builder collected
     */
    protected ManyFields(Values values) {
        this.values = values.copy();
        words = this.values.words();
    }

    /**
     * The value of a field.
     *
     * @param <T> the type it was given with
     * @param field the field's number
     * @return the value; null when it was not given
     */
    protected final <T> T get(int field) {
        return values.get(field);
    }

    /**
     * The value of a field that null is not the same as to be left out for.
     *
     * @param <T> the type it was given with
     * @param field the field's number
     * @return the value, or that it was left out
     */
    protected final <T> Given<T> given(int field) {
        return values.given(field);
    }

    long[] words() {
        return words;
    }

    /** Two states are equal when they are of one class and all their values are. */
    @Override
    public final boolean equals(Object other) {
        return other instanceof ManyFields state
                && getClass() == state.getClass()
                && values.equals(state.values);
    }

    @Override
    public final int hashCode() {
        return values.hashCode();
    }
}
