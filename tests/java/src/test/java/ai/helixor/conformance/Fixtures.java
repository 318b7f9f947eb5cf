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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

    /** A state of a generated class, as {@link States} makes it; null for other fields leaves them out. */
    static <S> Optional<S> state(Class<S> type, JsonObject given) throws Exception {
        return States.state(type, given, wire -> wire.endsWith("_optional") || wire.endsWith("_both"));
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
