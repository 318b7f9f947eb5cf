package ai.helixor.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.helixor.runtime.AuditReport;
import ai.helixor.runtime.ClosedException;
import ai.helixor.runtime.EnforcementMode;
import ai.helixor.runtime.InvalidArgumentException;
import ai.helixor.runtime.IoException;
import ai.helixor.runtime.LedgerOffException;
import ai.helixor.runtime.Options;
import ai.helixor.runtime.StateRangeException;
import ai.helixor.runtime.Tier;
import com.google.gson.JsonParser;
import conformance.packs.loandesk.client.LoanDeskClient;
import conformance.packs.loandesk.model.LoanDeskState;
import conformance.packs.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ledgers, audit reports and timing. */
class CountedTest {
    private static final String EMPTY_ROOT = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private static RegulatoryPiiGuardClient open(Options options) {
        return RegulatoryPiiGuardClient.open(Fixtures.path("example.hxpack"), options);
    }

    @Test
    void nothingIsCountedWithoutALedgerAndLimits() {
        var client = RegulatoryPiiGuardClient.builtin();
        var error = assertThrows(LedgerOffException.class, client::auditReport);
        assertEquals("LEDGER_OFF", error.code());
        assertEquals("open the client with a ledger", error.help());
        client.close();
        assertThrows(ClosedException.class, client::auditReport);
    }

    @Test
    void aLedgerInMemory() {
        var client = RegulatoryPiiGuardClient.builtin(Options.defaults().ledgerInMemory());
        var before = client.auditReport();
        assertTrue(before.since().isAfter(Instant.now().minusSeconds(600)), before.toString());
        assertEquals(
                new AuditReport(
                        "", "", Tier.COMMUNITY, EnforcementMode.OBSERVE, 0, 0, 0, EMPTY_ROOT, before.since(), OptionalLong.empty()),
                before);
        client.decide(Guard.state(5));
        client.decideBatch(List.of(Guard.state(), Guard.state(1)));
        var after = client.auditReport();
        assertEquals(3, after.totalDecisionsExecuted());
        assertNotEquals(EMPTY_ROOT, after.ledgerMerkleRoot());
    }

    @Test
    void whatFailsLeavesNoLeaf() {
        var client = LoanDeskClient.open(Fixtures.path("loan_desk.hxpack"), Fixtures.options().ledgerInMemory());
        var state = LoanDeskState.builder().age(-1).amount(1).limit(1).managerApproved(true).points(1).build();
        assertThrows(StateRangeException.class, () -> client.decide(state));
        var report = client.auditReport();
        assertEquals(0, report.totalDecisionsExecuted());
        assertEquals("LIC-helixor.hxlic", report.licenseId());
        assertEquals("acme", report.tenantId());
        assertEquals(Tier.DEVELOPER, report.tier());
    }

    /** Without a ledger the limits count. */
    @Test
    void limitsAloneAreReported() {
        var client = LimitsTest.open("observed");
        for (int i = 0; i < 10; i++) {
            client.decide(Guard.state());
        }
        var report = client.auditReport();
        assertTrue(report.totalDecisionsExecuted() >= 10, report.toString());
        assertEquals(report.totalDecisionsExecuted() - 3, report.decisionsOverQuota());
        assertTrue(report.decisionsOverRateLimit() > 0, report.toString());
        assertEquals("", report.ledgerMerkleRoot());
        assertEquals(OptionalLong.empty(), report.durableLeaves());
        assertEquals(EnforcementMode.OBSERVE, report.enforcementMode());
    }

    /** A line for each decision, by the numbers, however many threads make them. */
    @Test
    void aLedgerFileCountsExactly(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("audit.ledger");
        var client = open(Fixtures.options().ledger(file));
        int each = 500;
        var pool = Executors.newFixedThreadPool(8);
        try {
            List<Callable<Void>> work = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                work.add(() -> {
                    for (int i = 0; i < each; i++) {
                        client.decide(Guard.state(i % 6));
                    }
                    return null;
                });
            }
            for (Future<Void> done : pool.invokeAll(work)) {
                done.get();
            }
        } finally {
            pool.shutdown();
        }
        client.decideBatch(List.of(Guard.state(), Guard.state()));
        int all = 8 * each + 2;
        assertEquals(all, client.auditReport().totalDecisionsExecuted());
        var lines = Files.readAllLines(file);
        assertEquals(all, lines.size());
        for (int i = 0; i < all; i++) {
            assertEquals(i, JsonParser.parseString(lines.get(i)).getAsJsonObject().get("seq").getAsInt());
        }
        // What the ledger's thread does, closed or not.
        while (client.auditReport().durableLeaves().orElseThrow() < all) {
            Thread.sleep(10);
        }
    }

    @Test
    void oneWritesAFileAtATime(@TempDir Path folder) throws Exception {
        var options = Fixtures.options().ledger(folder.resolve("audit.ledger"));
        var proof = writeAndClose(options);
        // Free once what was closed is collected.
        RegulatoryPiiGuardClient again = null;
        for (int i = 0; again == null; i++) {
            try {
                again = open(options);
            } catch (IoException e) {
                assertTrue(i < 1_000, e.getMessage());
                System.gc();
                Thread.sleep(10);
            }
        }
        assertEquals(proof, again.decide(Guard.state(5)).proofSha256());
        var report = again.auditReport();
        assertEquals(1, report.totalDecisionsExecuted());
        assertEquals(2, Files.readAllLines(folder.resolve("audit.ledger")).size());
    }

    private static String writeAndClose(Options options) {
        try (var client = open(options)) {
            assertThrows(IoException.class, () -> open(options));
            return client.decide(Guard.state(5)).proofSha256();
        }
    }

    @Test
    void aLedgerThatCannotBeKept(@TempDir Path folder) throws Exception {
        assertThrows(IoException.class, () -> open(Fixtures.options().ledger(folder.resolve("no/audit.ledger"))));
        Path file = Files.writeString(folder.resolve("text"), "no ledger\n");
        assertThrows(InvalidArgumentException.class, () -> RegulatoryPiiGuardClient.builtin(Options.defaults().ledger(file)));
        assertEquals("no ledger\n", Files.readString(file));
    }

    /** The later of the two counts. */
    @Test
    void aLedgerIsInAFileOrInMemory(@TempDir Path folder) {
        Path file = folder.resolve("audit.ledger");
        var inMemory = RegulatoryPiiGuardClient.builtin(Options.defaults().ledger(file).ledgerInMemory());
        assertEquals(OptionalLong.empty(), inMemory.auditReport().durableLeaves());
        assertFalse(Files.exists(file));
        var inFile = RegulatoryPiiGuardClient.builtin(Options.defaults().ledgerInMemory().ledger(file));
        assertEquals(OptionalLong.of(0), inFile.auditReport().durableLeaves());
    }

    /** Packed states and others are measured and decided as without. */
    @Test
    void decisionsAreMeasuredWhenWanted() throws Exception {
        var client = RegulatoryPiiGuardClient.builtin();
        var measured = RegulatoryPiiGuardClient.builtin(Options.defaults().timing(true).ledgerInMemory());
        assertEquals(OptionalDouble.empty(), client.decide(Guard.state(5)).latencyUs());
        var decision = measured.decide(Guard.state(5));
        double latency = decision.latencyUs().orElseThrow();
        assertTrue(latency > 0 && latency < 10e6, "" + latency);
        assertEquals(client.decide(Guard.state(5)), decision);
        var rows = measured.decideBatch(List.of(Guard.state(1), Guard.state(2)));
        assertTrue(rows.stream().allMatch(row -> row.decision().latencyUs().isPresent()));
        assertEquals(3, measured.auditReport().totalDecisionsExecuted());
        var loans = LoanDeskClient.open(Fixtures.path("loan_desk.hxpack"), Fixtures.options().timing(true));
        var state = LoanDeskState.builder().age(-1).amount(-1).limit(1).managerApproved(true).points(1).build();
        assertEquals(2, assertThrows(StateRangeException.class, () -> loans.decide(state)).all().size());
    }
}
