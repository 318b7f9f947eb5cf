package ai.helixor.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the native library is taken from, each way in a JVM of its own. */
class LoaderTest {
    private static final String PROOF = "207db3884ec5";
    private static final String LIBRARY = System.mapLibraryName("helixor_runtime");

    private static String run(List<String> flags, Map<String, String> variables, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add("-Dhelixor.fixtures=" + Fixtures.path(""));
        command.add(Child.class.getName());
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(variables);
        var process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        assertEquals(0, process.waitFor(), said);
        return said;
    }

    private static Path library(Path folder) throws Exception {
        Path file = folder.resolve(LIBRARY);
        try (InputStream in = Child.class.getResourceAsStream("/META-INF/native/linux-x86_64/" + LIBRARY)) {
            Files.copy(in, file);
        }
        return file;
    }

    @Test
    void theJarIsEnoughAndLeavesNothing(@TempDir Path folder) throws Exception {
        assertEquals(PROOF, run(List.of("-Djava.io.tmpdir=" + folder), Map.of()));
        try (var left = Files.list(folder)) {
            assertEquals(List.of(), left.filter(path -> path.toString().contains("helixor")).toList());
        }
    }

    @Test
    void thePropertyThenTheVariableThenTheLibraryPath(@TempDir Path folder, @TempDir Path bad) throws Exception {
        String good = library(folder).toString();
        Files.writeString(bad.resolve(LIBRARY), "no library");
        String wrong = bad.resolve(LIBRARY).toString();
        assertEquals(PROOF, run(List.of("-Dhelixor.runtime.path=" + good), Map.of("HELIXOR_RUNTIME_LIB", wrong)));
        assertEquals(PROOF, run(List.of("-Djava.library.path=" + bad), Map.of("HELIXOR_RUNTIME_LIB", good)));
        assertEquals(PROOF, run(List.of("-Djava.library.path=" + folder), Map.of()));
        String said = run(List.of("-Djava.library.path=" + bad), Map.of());
        assertTrue(said.contains("IO the native library " + wrong + " cannot be loaded: file too short"), said);
    }

    @Test
    void whatIsNamedMustBeThere() throws Exception {
        assertEquals(
                "IO the property helixor.runtime.path names /nowhere/x.so, which is no file",
                run(List.of("-Dhelixor.runtime.path=/nowhere/x.so"), Map.of()));
        assertEquals(
                "IO the variable HELIXOR_RUNTIME_LIB names /nowhere/x.so, which is no file",
                run(List.of(), Map.of("HELIXOR_RUNTIME_LIB", "/nowhere/x.so")));
        assertEquals(PROOF, run(List.of("-Dhelixor.runtime.path="), Map.of("HELIXOR_RUNTIME_LIB", "")));
    }

    @Test
    void oneFileServesSeveralClassLoaders(@TempDir Path folder) throws Exception {
        assertEquals(PROOF, run(List.of("-Dhelixor.runtime.path=" + library(folder)), Map.of(), "loaders"));
    }

    @Test
    void theJvmFindsNoFaultInTheCalls() throws Exception {
        String said = run(
                List.of("-Xcheck:jni"),
                Map.of(),
                Fixtures.path("example.hxpack").toString(),
                Fixtures.path("helixor.hxlic").toString(),
                Fixtures.path("authority.pem").toString());
        assertFalse(said.contains("WARNING") || said.contains("FATAL"), said);
        assertTrue(said.startsWith("Decision[action=block_glba_ssn_leakage, verdict=refuse"), said);
        String missing = run(List.of("-Xcheck:jni"), Map.of(), "/nowhere", "/nowhere", "/nowhere");
        assertFalse(missing.contains("WARNING"), missing);
        assertTrue(missing.contains("LICENSE_"), missing);
    }

    @Test
    void pathsNeedNoAscii(@TempDir Path folder) throws Exception {
        Path odd = Files.createDirectory(folder.resolve("gr\u00f6\u00dfe \u4e2d"));
        for (String name : List.of("example.hxpack", "helixor.hxlic", "authority.pem")) {
            Files.copy(Fixtures.path(name), odd.resolve(name));
        }
        String said = run(
                List.of(),
                Map.of("LC_ALL", "C.UTF-8"),
                odd.resolve("example.hxpack").toString(),
                odd.resolve("helixor.hxlic").toString(),
                odd.resolve("authority.pem").toString());
        assertTrue(said.startsWith("Decision["), said);
    }
}
