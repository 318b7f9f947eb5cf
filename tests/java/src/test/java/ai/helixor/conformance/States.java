package ai.helixor.conformance;

import ai.helixor.runtime.Wire;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** States of generated classes from JSON. */
final class States {
    private States() {}

    /**
     * A state by its builder; empty when its types cannot hold the values, null among them unless the
     * field is said to take it. What is left out is left out.
     */
    static <S> Optional<S> state(Class<S> type, JsonObject given, Predicate<String> nullable) throws Exception {
        Object builder = type.getMethod("builder").invoke(null);
        for (Map.Entry<String, JsonElement> entry : given.entrySet()) {
            Method setter = setter(builder.getClass(), entry.getKey());
            if (setter == null) {
                return Optional.empty();
            }
            Class<?> parameter = setter.getParameterTypes()[0];
            boolean isNull = entry.getValue().isJsonNull() && !parameter.isPrimitive() && nullable.test(entry.getKey());
            Object value = isNull ? null : value(parameter, entry.getValue());
            if (value == null && !isNull) {
                return Optional.empty();
            }
            setter.invoke(builder, value);
        }
        try {
            return Optional.of(type.cast(builder.getClass().getMethod("build").invoke(builder)));
        } catch (InvocationTargetException e) {
            throw (RuntimeException) e.getCause();
        }
    }

    private static Method setter(Class<?> builder, String wire) {
        var name = new StringBuilder();
        for (String word : wire.split("_")) {
            name.append(name.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return Stream.of(builder.getMethods())
                .filter(method -> method.getName().contentEquals(name) && method.getParameterCount() == 1)
                .findFirst()
                .orElse(null);
    }

    /** The value as a field's type has it; null when it cannot. */
    private static Object value(Class<?> type, JsonElement element) throws Exception {
        if (!(element instanceof JsonPrimitive value)) {
            return null;
        }
        if (value.isString() && Wire.class.isAssignableFrom(type)) {
            var found = (Optional<?>) type.getMethod("fromWire", String.class).invoke(null, value.getAsString());
            return found.orElse(null);
        }
        if (value.isString()) {
            return type == String.class ? value.getAsString() : null;
        }
        if (value.isBoolean()) {
            return type == boolean.class || type == Boolean.class ? value.getAsBoolean() : null;
        }
        boolean integer = value.getAsString().matches("-?\\d+");
        if (type == long.class || type == Long.class) {
            BigInteger exact = integer ? value.getAsBigInteger() : null;
            return integer && exact.bitLength() < 64 ? exact.longValue() : null;
        }
        double number = value.getAsDouble();
        // An integer outside 64 bits is none of the values that the other languages have for it.
        boolean exact = !integer
                || value.getAsBigInteger().bitLength() < 64
                        && new BigDecimal(number).compareTo(value.getAsBigDecimal()) == 0;
        return (type == double.class || type == Double.class) && exact ? number : null;
    }
}
