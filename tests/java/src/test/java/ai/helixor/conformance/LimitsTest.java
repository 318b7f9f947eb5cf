package ai.helixor.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.helixor.runtime.Decision;
import ai.helixor.runtime.LicenseExpiredException;
import ai.helixor.runtime.Options;
import ai.helixor.runtime.QuotaExceededException;
import conformance.packs.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import conformance.packs.regulatorypiiguard.model.Action;
import conformance.packs.regulatorypiiguard.model.Field;
import conformance.packs.regulatorypiiguard.model.Rule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A licence's limits and its end; counts are the process's. */
class LimitsTest {
    /** The example pack that was sealed for a licence with limits. */
    static RegulatoryPiiGuardClient open(String name) {
        var options = Options.defaults()
                .licenseFile(Fixtures.path(name + ".hxlic"))
                .authorities(Fixtures.path("authority.pem"));
        return RegulatoryPiiGuardClient.open(Fixtures.path(name + ".hxpack"), options);
    }

    @Test
    void clientsOfOneLicenceShareWhatItAllows() {
        var first = open("quota");
        var second = open("quota");
        var decision = first.decide(Guard.state(5));
        second.decide(Guard.state(5));
        first.decide(Guard.state(5));
        for (var client : List.of(first, second, open("quota"))) {
            var error = assertThrows(QuotaExceededException.class, () -> client.decide(Guard.state()));
            assertEquals("QUOTA_EXCEEDED", error.code());
            assertEquals(
                    "licence `LIC-quota.hxlic` allows no more decisions now: its `max_decisions` is 3",
                    error.getMessage());
            assertTrue(error.help().contains("max_decisions"), error.help());
        }
        assertEquals(1, decision.necessaryCauses().size());
        open("quota_shared").decide(Guard.state());
    }

    @Test
    void threadsDecideExactlyAsManyAsAllowed() throws Exception {
        var clients = List.of(open("quota_threads"), open("quota_threads"));
        var pool = Executors.newFixedThreadPool(8);
        try {
            List<Callable<Integer>> work = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                var client = clients.get(thread % 2);
                work.add(() -> {
                    int made = 0;
                    for (int i = 0; i < 1_000; i++) {
                        try {
                            client.decide(Guard.state(i % 6));
                            made++;
                        } catch (QuotaExceededException e) {
                            continue;
                        }
                    }
                    return made;
                });
            }
            int made = 0;
            for (Future<Integer> each : pool.invokeAll(work)) {
                made += each.get();
            }
            assertEquals(4_000, made);
        } finally {
            pool.shutdown();
        }
    }

    @Test
    void aRateIsEnforced() {
        var client = open("rate");
        var error = assertThrows(QuotaExceededException.class, () -> {
            for (int i = 0; i < 1_000; i++) {
                client.decide(Guard.state());
            }
        });
        assertTrue(error.getMessage().endsWith("`max_decisions_per_second` is 1"), error.getMessage());
    }

    @Test
    void aLicenceThatEndsEndsDecisions(@TempDir Path folder) throws Exception {
        var options = Options.defaults()
                .licenseFile(folder.resolve("expiring.hxlic"))
                .authorities(folder.resolve("expiring.pem"));
        RegulatoryPiiGuardClient client = null;
        Decision<Action, Rule, Field> decision = null;
        // A machine that is busy may be late for the first decision; then another licence is made.
        for (int i = 0; decision == null && i < 10; i++) {
            Fixtures.expiring(folder, 3);
            try {
                client = RegulatoryPiiGuardClient.open(folder.resolve("expiring.hxpack"), options);
                decision = client.decide(Guard.state(5));
            } catch (LicenseExpiredException e) {
                decision = null;
            }
        }
        LicenseExpiredException error = null;
        while (error == null) {
            try {
                client.decide(Guard.state());
                Thread.sleep(20);
            } catch (LicenseExpiredException e) {
                error = e;
            }
        }
        assertTrue(error.getMessage().contains(" expired at "), error.getMessage());
        assertEquals(List.of(Rule.RULE_GLBA_SSN_BLOCK), decision.firedRules());
        assertEquals(1, decision.necessaryCauses().size());
    }

    @Test
    void whatIsOnlyObservedIsDecided() {
        var client = open("observed");
        for (int i = 0; i < 100; i++) {
            assertTrue(client.decide(Guard.state()).isApproved());
        }
    }
}
