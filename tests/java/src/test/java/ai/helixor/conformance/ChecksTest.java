package ai.helixor.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.helixor.conformance.Fixtures.AnyClient;
import ai.helixor.runtime.HelixorException;
import ai.helixor.runtime.InvalidArgumentException;
import ai.helixor.runtime.Options;
import ai.helixor.runtime.PackMismatchException;
import ai.helixor.runtime.VersionSkewException;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import conformance.packs.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import conformance.packs.reversednames.client.ReversedNamesClient;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The load checks and the interface table. */
class ChecksTest {
    @Test
    void eachCheckFailsAloneAndInOrder() throws Exception {
        int refused = 0;
        for (JsonObject check : Fixtures.rows(Fixtures.json(Fixtures.path("checks.json"))).toList()) {
            String name = check.get("name").getAsString();
            var keys = Options.defaults().authorities(Fixtures.path(check.get("authorities").getAsString()));
            String publishers = check.get("publisher_keys").getAsString();
            var options = publishers.isEmpty() ? keys : keys.publisherKeys(Fixtures.path(publishers));
            Path license = Fixtures.path(check.get("license").getAsString());
            Path pack = Fixtures.path(check.get("pack").getAsString());
            Path signature = Fixtures.path(check.get("pack").getAsString() + ".sig");
            Callable<AutoCloseable> open = () -> RegulatoryPiiGuardClient.open(pack, options.licenseFile(license));
            refused += attempt(check, check.get("told"), open);
            JsonElement told = check.get("told_of_bytes");
            if (told.isJsonNull()) {
                continue;
            }
            var given = options.licenseJson(Files.readString(license));
            var signed = Files.exists(signature) ? given.signature(Files.readAllBytes(signature)) : given;
            byte[] bytes = Files.readAllBytes(pack);
            attempt(check, told, () -> RegulatoryPiiGuardClient.fromBytes(bytes, signed));
        }
        assertTrue(refused > 35);
    }

    /** Whether it was refused, which must be with the words that Rust has for it. */
    private static int attempt(JsonObject check, JsonElement told, Callable<AutoCloseable> open) throws Exception {
        String name = check.get("name").getAsString();
        String code = check.get("code").getAsString();
        if (code.isEmpty()) {
            open.call().close();
            return 0;
        }
        var error = assertThrows(HelixorException.class, open::call, name);
        assertEquals(code, error.code(), name + ": " + error.getMessage());
        JsonObject expected = told.getAsJsonObject();
        assertEquals(timeless(expected.get("message").getAsString()), timeless(error.getMessage()), name);
        assertEquals(general(expected.get("help").getAsString()), general(error.help()), name);
        String simple = error.getClass().getSimpleName();
        assertEquals(code.replace("_", "") + "EXCEPTION", simple.toUpperCase(Locale.ROOT));
        return 1;
    }

    /** The advice without the command that generates the client, which is one for each language. */
    private static String general(String help) {
        return help.replaceAll("helixor-sdk-gen generate[^;]*", "helixor-sdk-gen generate");
    }

    /** The message without the present moment. */
    private static String timeless(String message) {
        return message.replaceAll("it is \\S+ now", "it is ... now");
    }

    @Test
    void aClientTakesItsOwnPackAndNoOther() {
        int refused = 0;
        for (JsonObject row : Fixtures.rows(Fixtures.json(Fixtures.path("interfaces.json"))).toList()) {
            var options = Fixtures.options().acceptSameInterface(row.get("accept_same_interface").getAsBoolean());
            Path pack = Fixtures.path(row.get("pack").getAsString() + ".hxpack");
            Supplier<AnyClient> open = () -> new AnyClient(row.get("client").getAsString(), pack, options);
            String says = row.get("says").getAsString();
            if (says.isEmpty()) {
                open.get().close();
                continue;
            }
            refused++;
            var error = assertThrows(PackMismatchException.class, open::get, row.get("name").getAsString());
            assertTrue(error.getMessage().contains(says), error.getMessage());
        }
        assertTrue(refused > 8);
    }

    @Test
    void noTruncationAndNoFlipOfAnyByteOpens() throws Exception {
        byte[] good = Files.readAllBytes(Fixtures.path("reversed_names.hxpack"));
        var options = Options.defaults()
                .licenseJson(Files.readString(Fixtures.path("helixor.hxlic")))
                .authorities(Fixtures.path("authority.pem"));
        ReversedNamesClient.fromBytes(good, options).close();
        for (int at = 0; at < good.length; at++) {
            byte[] part = Arrays.copyOf(good, at);
            assertThrows(HelixorException.class, () -> ReversedNamesClient.fromBytes(part, options));
            byte[] changed = good.clone();
            changed[at] ^= 1;
            assertThrows(HelixorException.class, () -> ReversedNamesClient.fromBytes(changed, options));
        }
    }

    @Test
    void textsThatAreNoneAreRefused() {
        var options = Options.defaults().licenseJson("{\"a\": \"\ud800\"}");
        var error = assertThrows(
                InvalidArgumentException.class,
                () -> RegulatoryPiiGuardClient.open(Fixtures.path("example.hxpack"), options));
        assertEquals("`licenseJson` holds half a surrogate pair, which no UTF-8 text can", error.getMessage());
        assertFalse(options.toString().contains("a\""), options.toString());
        var publishers = Options.defaults().publisherKeys(Path.of("p.pem")).signature(new byte[] {1, 2});
        assertTrue(
                publishers.toString().contains("publisherKeys=[p.pem], signature=(given)"), publishers.toString());
    }

    @Test
    void theLaterLicenceCountsAndOptionsDoNotChange() throws Exception {
        String text = Files.readString(Fixtures.path("helixor.hxlic"));
        Path pack = Fixtures.path("example.hxpack");
        var keys = Options.defaults().authorities(Fixtures.path("authority.pem"));
        RegulatoryPiiGuardClient.open(pack, keys.licenseFile(Fixtures.path("nowhere.hxlic")).licenseJson(text)).close();
        var nowhere = keys.licenseJson(text).licenseFile(Fixtures.path("nowhere.hxlic"));
        var error = assertThrows(HelixorException.class, () -> RegulatoryPiiGuardClient.open(pack, nowhere));
        assertEquals("LICENSE_NOT_FOUND", error.code());
        var none = assertThrows(HelixorException.class, () -> RegulatoryPiiGuardClient.open(pack, keys.authorities().licenseJson(text)));
        assertEquals("LICENSE_UNTRUSTED", none.code());
    }

    @Test
    void pathsOfOtherFileSystemsAreRefused(@TempDir Path folder) throws Exception {
        var uri = java.net.URI.create("jar:" + folder.resolve("x.zip").toUri());
        try (var zip = FileSystems.newFileSystem(uri, Map.of("create", "true"))) {
            Path inside = zip.getPath("/example.hxpack");
            Files.copy(Fixtures.path("example.hxpack"), inside);
            var error = assertThrows(InvalidArgumentException.class, () -> RegulatoryPiiGuardClient.open(inside, Fixtures.options()));
            assertTrue(error.getMessage().contains("no file of the system"), error.getMessage());
            RegulatoryPiiGuardClient.fromBytes(Files.readAllBytes(inside), Fixtures.options()).close();
        }
    }

    @Test
    void nullsAreRefusedByName() {
        for (Throwable error : new Throwable[] {
            assertThrows(NullPointerException.class, () -> RegulatoryPiiGuardClient.open(null)),
            assertThrows(NullPointerException.class, () -> RegulatoryPiiGuardClient.open(Path.of("x"), null)),
            assertThrows(NullPointerException.class, () -> RegulatoryPiiGuardClient.fromBytes(null, Options.defaults())),
            assertThrows(NullPointerException.class, () -> RegulatoryPiiGuardClient.builtin().decide(null)),
        }) {
            assertTrue(error.getMessage() != null, error.toString());
        }
    }

    /** States that do not fit the document are found by the native side. */
    @Test
    void aSpecMustAgreeWithItself() {
        var row = Fixtures.rows(Fixtures.json(Fixtures.path("interfaces.json"))).findFirst().orElseThrow();
        String document = row.get("client").getAsString();
        var count = new AtomicInteger();
        // A child who asks for nothing, with a limit of 1.0 and 900 points.
        Object[] child = {1L, 0.0, 1.0, false, 900L};
        for (int missing : new int[] {0, 1, 2}) {
            Object[] state = missing == 2 ? new Object[] {1L} : child;
            var spec = new ai.helixor.runtime.Spec<Object[], String, String, String>(
                    document,
                    missing == 0 ? java.util.List.of() : java.util.List.of("a", "b", "c", "d"),
                    missing == 1 ? java.util.List.of() : java.util.List.of("1", "2", "3", "4", "5", "6", "7"),
                    missing == 2 ? java.util.List.of("x") : java.util.List.of("1", "2", "3", "4", "5"),
                    AnyClient::write);
            class Odd extends ai.helixor.runtime.Client<Object[], String, String, String> {
                Odd() {
                    super(spec, Fixtures.path("loan_desk.hxpack"), Fixtures.options());
                }
            }
            try (var client = new Odd()) {
                assertThrows(VersionSkewException.class, () -> client.decide(state).firedRules());
                count.incrementAndGet();
            }
        }
        assertEquals(3, count.get());
    }

    @Test
    void aSpecMustWriteEveryText() {
        String document = Fixtures.rows(Fixtures.json(Fixtures.path("interfaces.json")))
                .filter(row -> row.get("pack").getAsString().equals("every_field"))
                .findFirst()
                .orElseThrow()
                .get("client")
                .getAsString();
        class Lazy extends ai.helixor.runtime.Client<Object, String, String, String> {
            Lazy() {
                super(AnyClient.spec(document, (state, slots) -> {}), Fixtures.path("every_field.hxpack"), Fixtures.options());
            }
        }
        try (var client = new Lazy()) {
            var error = assertThrows(VersionSkewException.class, () -> client.decide("anything"));
            assertEquals("the state lacks a text", error.getMessage());
        }
    }
}
