package ai.helixor.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.helixor.runtime.ClosedException;
import ai.helixor.runtime.Decision;
import ai.helixor.runtime.HelixorException;
import ai.helixor.runtime.PackMismatchException;
import ai.helixor.runtime.PackNotFoundException;
import conformance.packs.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import conformance.packs.regulatorypiiguard.model.Action;
import conformance.packs.regulatorypiiguard.model.Field;
import conformance.packs.regulatorypiiguard.model.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Another pack in the place of an open one. */
class ReloadTest {
    private static final Path PACK = Fixtures.path("example.hxpack");

    /** The same names, but a health record is permitted. */
    private static final Path OTHER = Fixtures.path("other_content.hxpack");

    @Test
    void decisionsKeepThePackThatMadeThem() throws Exception {
        var client = RegulatoryPiiGuardClient.open(PACK, Fixtures.options().ledgerInMemory());
        var before = client.decide(Guard.state(2));
        var any = Fixtures.options().acceptSameInterface(true);
        client.reload(OTHER, any);
        var after = client.decide(Guard.state(2));
        assertSame(Action.BLOCK_HIPAA_PHI_LEAKAGE, before.action());
        assertSame(Action.PERMIT_CLEAN_PAYLOAD, after.action());
        assertEquals(RegulatoryPiiGuardClient.builtin().decide(Guard.state(2)), before);
        client.reload(Files.readAllBytes(PACK), any);
        assertEquals(before, client.decide(Guard.state(2)));
        // The ledger goes on, though the options name none.
        assertEquals(3, client.auditReport().totalDecisionsExecuted());
    }

    @Test
    void onAnyErrorTheOldPackStays() {
        var client = RegulatoryPiiGuardClient.builtin();
        assertThrows(PackMismatchException.class, () -> client.reload(OTHER, Fixtures.options()));
        assertThrows(PackNotFoundException.class, () -> client.reload(Fixtures.path("none.hxpack"), Fixtures.options()));
        assertThrows(HelixorException.class, () -> client.reload(new byte[] {1}, Fixtures.options()));
        assertThrows(HelixorException.class, () -> client.reload(PACK));
        assertThrows(NullPointerException.class, () -> client.reload((Path) null));
        assertSame(Action.BLOCK_HIPAA_PHI_LEAKAGE, client.decide(Guard.state(2)).action());
        client.reload(PACK, Fixtures.options());
        assertSame(Action.BLOCK_HIPAA_PHI_LEAKAGE, client.decide(Guard.state(2)).action());
    }

    @Test
    void whatIsClosedStaysClosed() {
        var client = RegulatoryPiiGuardClient.builtin();
        client.close();
        assertThrows(ClosedException.class, () -> client.reload(PACK, Fixtures.options()));
        assertThrows(ClosedException.class, () -> client.decide(Guard.state()));
    }

    /**
     * Eight threads decide and explain while packs are exchanged, the collector runs, and at last the
     * client is closed. Each decision is wholly of one pack, each leaves a leaf, and CLOSED comes only
     * after the close.
     */
    @Test
    void exchangedUnderFire() throws Exception {
        var any = Fixtures.options().acceptSameInterface(true);
        var client = RegulatoryPiiGuardClient.open(PACK, any.ledgerInMemory());
        var old = client.decide(Guard.state(2));
        client.reload(OTHER, any);
        var other = client.decide(Guard.state(2));
        var closing = new AtomicBoolean();
        Callable<Integer> decide = () -> {
            int made = 0;
            while (true) {
                Decision<Action, Rule, Field> decision;
                try {
                    decision = client.decide(Guard.state(2));
                } catch (ClosedException e) {
                    assertTrue(closing.get());
                    return made;
                }
                made++;
                var expected = decision.action() == Action.PERMIT_CLEAN_PAYLOAD ? other : old;
                if (made % 16 == 0) {
                    assertEquals(expected, decision);
                } else {
                    assertSame(expected.action(), decision.action());
                }
            }
        };
        var pool = Executors.newFixedThreadPool(8);
        try {
            List<Future<Integer>> deciding = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                deciding.add(pool.submit(decide));
            }
            for (int i = 0; i < 100; i++) {
                client.reload(i % 2 == 0 ? PACK : OTHER, any);
                System.gc();
            }
            long before = client.auditReport().totalDecisionsExecuted();
            assertTrue(before > 100, "" + before);
            closing.set(true);
            client.close();
            long made = 2;
            for (Future<Integer> each : deciding) {
                made += each.get();
            }
            assertTrue(made >= before);
        } finally {
            pool.shutdown();
        }
    }
}
