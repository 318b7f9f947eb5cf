package ai.helixor.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The values of one state under way: what generated builders collect, and what states of very many
 * fields keep. Fields have the numbers of the pack's generated {@code Field}; a field that was not
 * given has null.
 */
public final class Values {
    private final Object[] values;

    /** The fields that may be left out. */
    private final BitSet optional;

    /**
     * Room for a state; no value is given yet.
     *
     * @param fields how many fields it has
     * @param optional those that may be left out, as {@link BitSet#valueOf(long[])} reads them: a bit for
     *     each, since a method cannot name very many numbers
     */
    public Values(int fields, long... optional) {
        values = new Object[fields];
        this.optional = BitSet.valueOf(optional);
    }

    private Values(Values other) {
        values = other.values.clone();
        optional = other.optional;
    }

    /**
     * Gives a field its value. It is not looked at: {@code decide} tells what is wrong with it.
     *
     * @param field the field's number
     * @param value the value, a {@link Boolean}, {@link Long}, {@link Double}, {@link String} or
     *     {@link Wire}, or a {@link Given} of one; null takes it back
     */
    public void put(int field, Object value) {
        values[field] = value;
    }

    /**
     * The value of a field.
     *
     * @param <T> the type it was given with
     * @param field the field's number
     * @return the value; null when it was not given
     */
    @SuppressWarnings("unchecked")
    public <T> T get(int field) {
        return (T) values[field];
    }

    /**
     * The value of a field that null is not the same as to be left out for.
     *
     * @param <T> the type it was given with
     * @param field the field's number
     * @return the value, or that it was left out
     */
    public <T> Given<T> given(int field) {
        Given<T> given = get(field);
        return given == null ? Given.leftOut() : given;
    }

    /**
     * Checks that every field was given, but for those that may be left out.
     *
     * @param fields the fields, in order
     * @throws StateMissingException naming the first that was not, with every other in
     *     {@link HelixorException#all()}
     */
    public void requireAll(List<? extends Wire> fields) {
        List<Wire> missing = new ArrayList<>();
        for (int field = optional.nextClearBit(0); field < values.length; field = optional.nextClearBit(field + 1)) {
            if (values[field] == null) {
                missing.add(fields.get(field));
            }
        }
        if (!missing.isEmpty()) {
            List<StateMissingException> others =
                    missing.stream().skip(1).map(field -> missing(field, List.of())).toList();
            throw missing(missing.get(0), others);
        }
    }

    private static StateMissingException missing(Wire field, List<StateMissingException> others) {
        return new StateMissingException(
                "field `" + field.wire() + "` is required and missing",
                "give every required field; nothing is assumed for one that is left out",
                others);
    }

    /** A copy that later changes do not reach. */
    Values copy() {
        return new Values(this);
    }

    /** The values as {@link ToWords} packs them; null when one is not a boolean, integer or number. */
    long[] words() {
        int booleans = 0;
        for (Object value : values) {
            booleans += value instanceof Boolean ? 1 : 0;
        }
        int bit = 0;
        int word = (booleans + Long.SIZE - 1) / Long.SIZE;
        long[] words = new long[word + values.length - booleans];
        for (Object value : values) {
            if (value instanceof Boolean bool) {
                words[bit / Long.SIZE] |= ToWords.bit(bool, bit % Long.SIZE);
                bit++;
            } else if (value instanceof Long integer) {
                words[word++] = integer;
            } else if (value instanceof Double number) {
                words[word++] = Double.doubleToRawLongBits(number);
            } else {
                return null;
            }
        }
        return words;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Values state && Arrays.equals(values, state.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }
}
