package ai.helixor.runtime;

/**
 * The value of a field that may be null, and may be left out as well, which is something else: its
 * default is taken then.
 *
 * @param <T> the field's type
 * @param isLeftOut whether the field is left out
 * @param value the value; null when it is null, and when the field is left out
 */
public record Given<T>(boolean isLeftOut, T value) {
    private static final Given<?> LEFT_OUT = new Given<>(true, null);

    /**
     * Checks that what is left out has no value.
     *
     * @param isLeftOut whether the field is left out
     * @param value the value
     * @throws IllegalArgumentException if both are given
     */
    public Given {
        if (isLeftOut && value != null) {
            throw new IllegalArgumentException("a field that is left out has no value");
        }
    }

    /**
     * The field is left out: its default is taken.
     *
     * @param <T> the field's type
     * @return that it is left out
     */
    @SuppressWarnings("unchecked")
    public static <T> Given<T> leftOut() {
        return (Given<T>) LEFT_OUT;
    }

    /**
     * The field has this value, or null.
     *
     * @param <T> the field's type
     * @param value the value, or null
     * @return it
     */
    public static <T> Given<T> of(T value) {
        return new Given<>(false, value);
    }

    /** The value, {@code null}, or {@code (left out)}. */
    @Override
    public String toString() {
        return isLeftOut ? "(left out)" : String.valueOf(value);
    }
}
