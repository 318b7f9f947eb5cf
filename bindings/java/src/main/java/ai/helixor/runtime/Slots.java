package ai.helixor.runtime;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * One state as it crosses to the native library: a word for each field, in the order of the interface
 * document, and beside them what no word can say. Generated clients fill it.
 */
public final class Slots {
    // What `others` says of a field.
    private static final int LEFT_OUT = 0;
    private static final int NULL = 1;
    private static final int TEXT = 2;
    private static final int LONE_SURROGATE = 3;
    private static final int BOOLEAN = 4;
    private static final int INTEGER = 5;
    private static final int NUMBER = 6;
    private static final int OTHER = 7;

    private final long[] words;

    /**
     * Of each field that its word does not say: its number, a tag, and the length and UTF-8 of a text;
     * after BOOLEAN, INTEGER and NUMBER nothing more, since they tell what its word is.
     * Null when there is none, so that states of booleans and numbers cost no more.
     */
    private ByteArrayOutputStream others;

    private final List<?> fields;

    Slots(List<?> fields) {
        this.fields = fields;
        words = new long[fields.size()];
    }

    Snapshot snapshot() {
        return new Snapshot(words, others == null ? null : others.toByteArray(), false);
    }

    /**
     * Gives a boolean field its value.
     *
     * @param field the field's number
     * @param value the value
     */
    public void put(int field, boolean value) {
        words[field] = value ? 1 : 0;
    }

    /**
     * Gives an integer field its value.
     *
     * @param field the field's number
     * @param value the value
     */
    public void put(int field, long value) {
        words[field] = value;
    }

    /**
     * Gives a number field its value.
     *
     * @param field the field's number
     * @param value the value
     */
    public void put(int field, double value) {
        words[field] = Double.doubleToRawLongBits(value);
    }

    /**
     * Gives a string field its value.
     *
     * @param field the field's number
     * @param value the value, or null
     */
    public void put(int field, String value) {
        if (value == null) {
            put(field, NULL, null);
            return;
        }
        try {
            put(field, TEXT, Utf8.encode(value));
        } catch (CharacterCodingException e) {
            // For the runtime to tell, with whatever else is wrong with the state.
            put(field, LONE_SURROGATE, null);
        }
    }

    /**
     * Gives a string field with a closed set its value.
     *
     * @param field the field's number
     * @param value the value, or null
     */
    public void put(int field, Wire value) {
        put(field, value == null ? null : value.wire());
    }

    /**
     * Gives a field its value, if there is one.
     *
     * @param field the field's number
     * @param value the value, a {@link Boolean}, {@link Long}, {@link Double}, {@link String} or
     *     {@link Wire}; null leaves the field out
     */
    public void putIfAny(int field, Object value) {
        if (value == null) {
            put(field, LEFT_OUT, null);
        } else {
            putAny(field, value);
        }
    }

    /**
     * Gives a field its value, unless it is left out.
     *
     * @param field the field's number
     * @param given the value, or null, or that it is left out; not null itself, which would not tell
     *     which of the two is meant
     */
    public void put(int field, Given<?> given) {
        if (given == null) {
            String name = Decision.name(fields.get(field));
            throw new NullPointerException(
                    "field `" + name + "` must be Given.of(null) to be null, or Given.leftOut()");
        }
        if (given.isLeftOut()) {
            put(field, LEFT_OUT, null);
        } else if (given.value() == null) {
            put(field, NULL, null);
        } else {
            putTold(field, given.value());
        }
    }

    /**
     * With its type, which the compiler does not vouch for here: unchecked code, and libraries that
     * fill generic records, can put anything into a {@link Given}. The runtime tells what does not fit.
     */
    private void putTold(int field, Object value) {
        if (value instanceof String text) {
            put(field, text);
        } else if (value instanceof Wire one) {
            put(field, one);
        } else if (value instanceof Boolean bool) {
            put(field, bool.booleanValue());
            put(field, BOOLEAN, null);
        } else if (value instanceof Long integer) {
            put(field, integer.longValue());
            put(field, INTEGER, null);
        } else if (value instanceof Double number) {
            put(field, number.doubleValue());
            put(field, NUMBER, null);
        } else {
            put(field, OTHER, value.getClass().getName().getBytes(StandardCharsets.UTF_8));
        }
    }

    private void putAny(int field, Object value) {
        if (value instanceof Boolean bool) {
            put(field, bool.booleanValue());
        } else if (value instanceof Long integer) {
            put(field, integer.longValue());
        } else if (value instanceof Double number) {
            put(field, number.doubleValue());
        } else if (value instanceof Wire one) {
            put(field, one);
        } else {
            put(field, (String) value);
        }
    }

    private void put(int field, int tag, byte[] text) {
        if (others == null) {
            others = new ByteArrayOutputStream();
        }
        others.writeBytes(ByteBuffer.allocate(5).putInt(field).put((byte) tag).array());
        if (text != null) {
            Utf8.write(others, text);
        }
    }
}
