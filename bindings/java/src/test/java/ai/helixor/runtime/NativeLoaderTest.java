package ai.helixor.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeLoaderTest {
    @Test
    void theVersionIsThatOfTheArtifactAndOfTheNativeLibrary() {
        assertEquals(System.getProperty("helixor.version"), NativeLoader.VERSION);
        NativeLoader.load();
        assertEquals(NativeLoader.VERSION, new String(Native.version(), StandardCharsets.UTF_8));
    }

    @Test
    void anotherVersionIsToldWithBothAndThePath() {
        var error = assertThrows(VersionSkewException.class, () -> NativeLoader.compareVersions("9.8.7", "/x/lib.so"));
        assertEquals(
                "helixor-runtime is version 0.1.0, but the native library /x/lib.so is version 9.8.7",
                error.getMessage());
    }

    @Test
    void aPlatformThatIsMissingSaysWhichAreCarried() {
        assertEquals("linux-x86_64", NativeLoader.platform("Linux", "amd64"));
        assertEquals("macos-aarch64", NativeLoader.platform("Mac OS X", "aarch64"));
        assertEquals("windows-x86_64", NativeLoader.platform("Windows Server 2025", "amd64"));
        var error = assertThrows(IoException.class, () -> NativeLoader.loadCarried("linux-riscv64"));
        assertEquals(
                "helixor-runtime carries no native library for linux-riscv64; it carries those for linux-x86_64",
                error.getMessage());
    }

    @Test
    void theLibraryPathIsSearchedInOrder(@TempDir Path folder) throws Exception {
        Path file = folder.resolve(System.mapLibraryName("helixor_runtime"));
        assertNull(NativeLoader.inLibraryPath("/nowhere::" + folder));
        Files.createFile(file);
        assertEquals(file, NativeLoader.inLibraryPath("/nowhere::" + folder));
    }

    @Test
    void nothingIsLeftBehind() throws Exception {
        NativeLoader.load();
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Path maps = Path.of("/proc/self/maps");
        if (Files.exists(maps)) {
            assertTrue(Files.readString(maps).contains("libhelixor_runtime.so (deleted)"));
        }
        assertTrue(Files.isDirectory(temporary));
    }
}
