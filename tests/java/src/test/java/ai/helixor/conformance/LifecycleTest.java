package ai.helixor.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.helixor.runtime.ClosedException;
import ai.helixor.runtime.Decision;
import conformance.packs.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import conformance.packs.regulatorypiiguard.model.Action;
import conformance.packs.regulatorypiiguard.model.Field;
import conformance.packs.regulatorypiiguard.model.Rule;
import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Closing, collecting and loading anew. */
class LifecycleTest {
    private static RegulatoryPiiGuardClient open() {
        return RegulatoryPiiGuardClient.open(Fixtures.path("example.hxpack"), Fixtures.options());
    }

    @Test
    void aClosedClientIsClosedAndItsDecisionsLiveOn() {
        var client = open();
        Decision<Action, Rule, Field> decision = client.decide(Guard.state(5));
        assertEquals("RegulatoryPiiGuardClient[open]", client.toString());
        client.close();
        client.close();
        assertEquals("RegulatoryPiiGuardClient[closed]", client.toString());
        var error = assertThrows(ClosedException.class, () -> client.decide(Guard.state()));
        assertEquals("CLOSED", error.code());
        assertEquals("this RegulatoryPiiGuardClient was closed", error.getMessage());
        System.gc();
        assertEquals(List.of(Rule.RULE_GLBA_SSN_BLOCK), decision.firedRules());
        assertEquals(Field.HAS_SSN, decision.necessaryCauses().get(0).factor());
        assertEquals(64, decision.proofSha256().length());
    }

    /** Eight threads decide while clients are opened, closed and dropped and the collector runs. */
    @Test
    void threadsAndTheCollectorUnderFire() throws Exception {
        var shared = new AtomicReference<>(open());
        var expected = open().decide(Guard.state(1, 5));
        int rounds = 20_000;
        Callable<Integer> decide = () -> {
            int closed = 0;
            List<Decision<Action, Rule, Field>> kept = new ArrayList<>();
            for (int i = 0; i < rounds; i++) {
                try {
                    kept.add(shared.get().decide(Guard.state(1, 5)));
                } catch (ClosedException e) {
                    closed++;
                }
                if (kept.size() == 64) {
                    var decision = kept.get(ThreadLocalRandom.current().nextInt(64));
                    assertEquals(expected, decision);
                    kept.clear();
                }
            }
            return closed;
        };
        var pool = Executors.newFixedThreadPool(10);
        try {
            List<Future<Integer>> deciding = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                deciding.add(pool.submit(decide));
            }
            Callable<Integer> churn = () -> {
                int opened = 0;
                while (!deciding.stream().allMatch(Future::isDone)) {
                    var old = shared.getAndSet(open());
                    if (opened % 2 == 0) {
                        old.close();
                    }
                    RegulatoryPiiGuardClient.builtin().decide(Guard.state(0));
                    opened++;
                }
                return opened;
            };
            Callable<Integer> collect = () -> {
                int collected = 0;
                while (!deciding.stream().allMatch(Future::isDone)) {
                    System.gc();
                    collected++;
                }
                return collected;
            };
            Future<Integer> opened = pool.submit(churn);
            Future<Integer> collected = pool.submit(collect);
            for (Future<Integer> each : deciding) {
                each.get();
            }
            assertTrue(opened.get() > 0);
            assertTrue(collected.get() > 0);
        } finally {
            pool.shutdown();
        }
    }

    /** What the native library holds goes with what can reach it. */
    @Test
    void memoryIsFlat() throws Exception {
        if (!Files.exists(Path.of("/proc/self/status"))) {
            return;
        }
        churn(2_000);
        long before = resident();
        churn(20_000);
        long grown = resident() - before;
        assertTrue(grown < 64 * 1024, "grew by " + grown + " KiB");
    }

    private static void churn(int clients) throws InterruptedException {
        var states = IntStream.range(0, 12).mapToObj(i -> Guard.state(i % 6)).toList();
        for (int i = 0; i < clients; i++) {
            var client = RegulatoryPiiGuardClient.builtin();
            client.decide(Guard.state(0)).necessaryCauses();
            client.decideBatch(states).get(1).decision().proofSha256();
            states.forEach(client::decide);
            if (i % 2 == 0) {
                client.close();
            }
            if (i % 1_000 == 0) {
                System.gc();
                Thread.sleep(5);
            }
        }
        System.gc();
        Thread.sleep(50);
    }

    private static long resident() throws Exception {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            String line = lines.filter(text -> text.startsWith("VmRSS:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", ""));
        }
    }

    /** Each class loader has a runtime of its own, and takes it along when it goes. */
    @Test
    void classLoadersComeAndGo() throws Exception {
        List<WeakReference<ClassLoader>> gone = new ArrayList<>();
        Class<?> first = null;
        for (int i = 0; i < 3; i++) {
            var loader = loader();
            Class<?> client = loader.loadClass(RegulatoryPiiGuardClient.class.getName());
            assertNotSame(RegulatoryPiiGuardClient.class, client);
            assertNotSame(first, client);
            first = client;
            decideIn(loader);
            loader.close();
            gone.add(new WeakReference<>(loader));
        }
        first = null;
        for (int i = 0; i < 100 && gone.stream().anyMatch(loader -> loader.get() != null); i++) {
            System.gc();
            Thread.sleep(20);
        }
        assertNull(gone.get(0).get());
        assertNull(gone.get(1).get());
    }

    static URLClassLoader loader() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(path).toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    static void decideIn(ClassLoader loader) throws Exception {
        Class<?> run = loader.loadClass(Child.class.getName());
        assertEquals("207db3884ec5", run.getMethod("decide").invoke(null));
    }
}
