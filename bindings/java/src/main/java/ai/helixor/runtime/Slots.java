package ai.helixor.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The values of one state under way: what generated builders collect, and what states of very many
 * fields keep. Fields have the numbers of the pack's generated {@code Field}.
 */
public final class Slots {
    private final long[] words;
    private final BitSet given;

    /**
     * Room for a state; no value is given yet.
     *
     * @param fields how many fields it has
     */
    public Slots(int fields) {
        this(new long[fields], new BitSet(fields));
    }

    private Slots(long[] words, BitSet given) {
        this.words = words;
        this.given = given;
    }

    /**
     * Gives a boolean field its value.
     *
     * @param field the field's number
     * @param value the value
     */
    public void putBoolean(int field, boolean value) {
        put(field, value ? 1 : 0);
    }

    /**
     * Gives an integer field its value.
     *
     * @param field the field's number
     * @param value the value
     */
    public void putLong(int field, long value) {
        put(field, value);
    }

    /**
     * Gives a number field its value. It is not looked at: {@code decide} tells what is out of range.
     *
     * @param field the field's number
     * @param value the value
     */
    public void putDouble(int field, double value) {
        put(field, Double.doubleToLongBits(value));
    }

    private void put(int field, long word) {
        words[field] = word;
        given.set(field);
    }

    /**
     * The value of a boolean field.
     *
     * @param field the field's number
     * @return the value
     */
    public boolean getBoolean(int field) {
        return words[field] != 0;
    }

    /**
     * The value of an integer field.
     *
     * @param field the field's number
     * @return the value
     */
    public long getLong(int field) {
        return words[field];
    }

    /**
     * The value of a number field.
     *
     * @param field the field's number
     * @return the value
     */
    public double getDouble(int field) {
        return Double.longBitsToDouble(words[field]);
    }

    /**
     * Checks that every field was given.
     *
     * @param fields the fields, in order
     * @throws StateMissingException naming the first that was not, with every other in
     *     {@link HelixorException#all()}
     */
    public void requireAll(List<? extends Wire> fields) {
        List<StateMissingException> missing = new ArrayList<>();
        for (int field = given.nextClearBit(0); field < words.length; field = given.nextClearBit(field + 1)) {
            missing.add(missing(fields.get(field), List.of()));
        }
        if (!missing.isEmpty()) {
            throw missing(fields.get(given.nextClearBit(0)), missing.subList(1, missing.size()));
        }
    }

    private static StateMissingException missing(Wire field, List<StateMissingException> others) {
        return new StateMissingException(
                "field `" + field.wire() + "` is required and missing",
                "give every required field; nothing is assumed for one that is left out",
                others);
    }

    /**
     * A copy that later changes do not reach.
     *
     * @return the copy
     */
    public Slots copy() {
        return new Slots(words.clone(), (BitSet) given.clone());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Slots slots
                && Arrays.equals(words, slots.words)
                && given.equals(slots.given);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(words);
    }
}
