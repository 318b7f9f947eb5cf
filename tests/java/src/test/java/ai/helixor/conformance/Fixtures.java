package ai.helixor.conformance;

import ai.helixor.runtime.Client;
import ai.helixor.runtime.Options;
import ai.helixor.runtime.Slots;
import ai.helixor.runtime.Spec;
import ai.helixor.runtime.ToSlots;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The fixtures that {@code cargo xtask test} made, and what reads them. */
final class Fixtures {
    private static final Path FOLDER = Path.of(System.getProperty("helixor.fixtures")).normalize();

    private Fixtures() {}

    static Path path(String name) {
        return FOLDER.resolve(name);
    }

    /** The licence that every good pack was sealed for. */
    static Options options() {
        return Options.defaults().licenseFile(path("helixor.hxlic")).authorities(path("authority.pem"));
    }

    /** Makes a licence that is valid for so many seconds, and the example pack sealed for it. */
    static void expiring(Path folder, int seconds) throws Exception {
        String program = Path.of(System.getProperty("helixor.conformance")).normalize().toString();
        var made = new ProcessBuilder(program, folder.toString(), String.valueOf(seconds)).inheritIO().start();
        if (made.waitFor() != 0) {
            throw new IllegalStateException(program + " failed");
        }
    }

    static JsonElement json(Path path) {
        try {
            return JsonParser.parseString(Files.readString(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<JsonObject> rows(JsonElement table) {
        return StreamSupport.stream(table.getAsJsonArray().spliterator(), false).map(JsonElement::getAsJsonObject);
    }

    static List<String> strings(JsonArray array) {
        return StreamSupport.stream(array.spliterator(), false).map(JsonElement::getAsString).toList();
    }

    /**
     * A state of a generated class by its builder; empty when its types cannot hold the values. What
     * is left out is left out.
     */
    static <S> Optional<S> state(Class<S> type, JsonObject given) throws Exception {
        Object builder = type.getMethod("builder").invoke(null);
        for (Map.Entry<String, JsonElement> entry : given.entrySet()) {
            String wire = entry.getKey();
            Method setter = setter(builder.getClass(), wire);
            // Null for any other field leaves it out.
            boolean isNull = entry.getValue().isJsonNull() && (wire.endsWith("_optional") || wire.endsWith("_both"));
            Object value = setter == null || isNull ? null : value(setter.getParameterTypes()[0], entry.getValue());
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
    private static Object value(Class<?> type, JsonElement element) {
        if (!(element instanceof JsonPrimitive value)) {
            return null;
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
        boolean exact = !integer || new BigDecimal(number).compareTo(value.getAsBigDecimal()) == 0;
        return (type == double.class || type == Double.class) && exact ? number : null;
    }

    /** A client of an interface document, whose names are strings and whose states are values. */
    static final class AnyClient extends Client<Object[], String, String, String> {
        AnyClient(String document, Path pack, Options options) {
            super(spec(document, AnyClient::write), pack, options);
        }

        static <S> Spec<S, String, String, String> spec(String document, ToSlots<S> toSlots) {
            JsonObject read = JsonParser.parseString(document).getAsJsonObject();
            return new Spec<>(
                    document,
                    strings(read.getAsJsonArray("actions")),
                    strings(read.getAsJsonArray("rules")),
                    rows(read.get("fields")).map(field -> field.get("name").getAsString()).toList(),
                    toSlots);
        }

        static void write(Object[] state, Slots slots) {
            for (int field = 0; field < state.length; field++) {
                slots.putIfAny(field, state[field]);
            }
        }
    }
}
