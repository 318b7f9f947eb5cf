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
import com.google.gson.JsonObject;
import conformance.packs.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import conformance.packs.reversednames.client.ReversedNamesClient;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
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
            var licensed = Options.defaults()
                    .licenseFile(Fixtures.path(check.get("license").getAsString()))
                    .authorities(Fixtures.path(check.get("authorities").getAsString()));
            String publisherKeys = check.get("publisher_keys").getAsString();
            var options = publisherKeys.isEmpty() ? licensed : licensed.publisherKeys(Fixtures.path(publisherKeys));
            Path signature = Fixtures.path(check.get("pack").getAsString() + ".sig");
            Path pack = Fixtures.path(check.get("pack").getAsString());
            String code = check.get("code").getAsString();
            Supplier<AutoCloseable> open = () -> RegulatoryPiiGuardClient.open(pack, options);
            var signed = Files.exists(signature) ? options.signature(Files.readAllBytes(signature)) : options;
            if (code.isEmpty()) {
                open.get().close();
                RegulatoryPiiGuardClient.fromBytes(Files.readAllBytes(pack), signed).close();
                continue;
            }
            refused++;
            var error = assertThrows(HelixorException.class, open::get, name);
            assertEquals(code, error.code(), name + ": " + error.getMessage());
            assertTrue(error.getMessage().contains(check.get("says").getAsString()), name + ": " + error.getMessage());
            assertFalse(error.help().isEmpty(), name);
            String simple = error.getClass().getSimpleName();
            assertEquals(code.replace("_", "").toLowerCase(java.util.Locale.ROOT) + "exception", simple.toLowerCase(java.util.Locale.ROOT));
            if (Files.exists(pack) && Files.size(pack) < 1 << 20) {
                byte[] bytes = Files.readAllBytes(pack);
                var same = assertThrows(HelixorException.class, () -> RegulatoryPiiGuardClient.fromBytes(bytes, signed), name);
                assertEquals(code, same.code(), name);
            }
        }
        assertTrue(refused > 25);
    }

    @Test
    void aClientTakesItsOwnPackAndNoOther() {
        int refused = 0;
        for (JsonObject row : Fixtures.rows(Fixtures.json(Fixtures.path("interfaces.json"))).toList()) {
            var options = Fixtures.options().acceptSameInterface(row.get("accept_same_interface").getAsBoolean());
            Supplier<AnyClient> open =
                    () -> new AnyClient(row.get("client").getAsString(), Fixtures.path("loan_desk.hxpack"), options);
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
}
