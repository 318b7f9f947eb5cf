package ai.helixor.runtime;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Finds and loads {@code libhelixor_runtime}, once: where the property {@value #PROPERTY} or the
 * variable {@value #VARIABLE} says, in {@code java.library.path}, else the one in this jar.
 */
final class NativeLoader {
    /** The version of this library, which the native one must have too. */
    static final String VERSION = "0.1.0";

    static final String PROPERTY = "helixor.runtime.path";
    static final String VARIABLE = "HELIXOR_RUNTIME_LIB";

    /** The platforms that the jar carries a library for, as {@code <os>-<arch>}. */
    private static final List<String> CARRIED = List.of("linux-x86_64");

    private static volatile boolean loaded;

    private NativeLoader() {}

    /** Loads the library unless it is; after a failure the next call tries anew. */
    static void load() {
        if (!loaded) {
            loadOnce();
        }
    }

    private static synchronized void loadOnce() {
        if (loaded) {
            return;
        }
        String property = System.getProperty(PROPERTY, "");
        String variable = Objects.requireNonNullElse(System.getenv(VARIABLE), "");
        Path inLibraryPath = inLibraryPath(System.getProperty("java.library.path", ""));
        String from;
        if (!property.isEmpty()) {
            from = loadNamed("the property " + PROPERTY, property);
        } else if (!variable.isEmpty()) {
            from = loadNamed("the variable " + VARIABLE, variable);
        } else if (inLibraryPath != null) {
            from = loadFile(inLibraryPath);
        } else {
            from = loadCarried(platform(System.getProperty("os.name"), System.getProperty("os.arch")));
        }
        compareVersions(new String(Native.version(), StandardCharsets.UTF_8), from);
        loaded = true;
    }

    static void compareVersions(String version, String from) {
        if (!version.equals(VERSION)) {
            throw new VersionSkewException(
                    "helixor-runtime is version "
                            + VERSION
                            + ", but the native library "
                            + from
                            + " is version "
                            + version,
                    "take both of one version, or leave "
                            + PROPERTY
                            + ", "
                            + VARIABLE
                            + " and java.library.path to use the library in the jar",
                    List.of());
        }
    }

    /** A library that the user named: it must be there. */
    private static String loadNamed(String by, String name) {
        Path file = Path.of(name);
        if (!Files.isRegularFile(file)) {
            throw new IoException(
                    by + " names " + name + ", which is no file",
                    "let it name libhelixor_runtime.so, or unset it to use the library in the jar",
                    List.of());
        }
        return loadFile(file);
    }

    static Path inLibraryPath(String folders) {
        for (String folder : folders.split(File.pathSeparator)) {
            Path file = Path.of(folder, System.mapLibraryName("helixor_runtime"));
            if (!folder.isEmpty() && Files.isRegularFile(file)) {
                return file;
            }
        }
        return null;
    }

    private static String loadFile(Path file) {
        String path = file.toAbsolutePath().toString();
        try {
            System.load(path);
        } catch (UnsatisfiedLinkError e) {
            // The JVM gives one file to one class loader only; another gets a copy.
            if (!String.valueOf(e.getMessage()).contains("already loaded in another classloader")) {
                throw cannotLoad(path, e, "take the library of this platform, built with this version");
            }
            try (InputStream in = Files.newInputStream(file)) {
                loadCopy(in, path);
            } catch (IOException io) {
                throw cannotLoad(path, io, unpacking());
            }
        }
        return path;
    }

    /** The platform's name in the jar. */
    static String platform(String os, String arch) {
        String system = os.toLowerCase(Locale.ROOT);
        String name =
                system.startsWith("windows")
                        ? "windows"
                        : system.startsWith("mac") ? "macos" : system.replace(' ', '_');
        return name + "-" + (arch.equals("amd64") ? "x86_64" : arch);
    }

    static String loadCarried(String platform) {
        String resource =
                "/META-INF/native/" + platform + "/" + System.mapLibraryName("helixor_runtime");
        try (InputStream in = NativeLoader.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IoException(
                        "helixor-runtime carries no native library for "
                                + platform
                                + "; it carries those for "
                                + String.join(", ", CARRIED),
                        "build libhelixor_runtime from source and name it with -D" + PROPERTY,
                        List.of());
            }
            loadCopy(in, resource);
        } catch (IOException e) {
            throw cannotLoad(resource, e, unpacking());
        }
        return resource;
    }

    /** Loads a copy in a new folder that only this user can enter. */
    private static void loadCopy(InputStream in, String from) throws IOException {
        // Made with the permissions of its owner alone.
        Path folder = Files.createTempDirectory("helixor-runtime-");
        Path copy = folder.resolve(System.mapLibraryName("helixor_runtime"));
        try {
            Files.copy(in, copy);
            System.load(copy.toAbsolutePath().toString());
        } catch (UnsatisfiedLinkError e) {
            throw cannotLoad(from, e, unpacking());
        } finally {
            remove(copy);
            remove(folder);
        }
    }

    /** Removes at once where a loaded library's file can go, else at exit. */
    private static void remove(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            path.toFile().deleteOnExit();
        }
    }

    private static IoException cannotLoad(String from, Throwable cause, String help) {
        // The system begins with the path, sometimes twice.
        String reason = String.valueOf(cause.getMessage());
        while (reason.startsWith(from + ": ")) {
            reason = reason.substring(from.length() + 2);
        }
        IoException error =
                new IoException(
                        "the native library " + from + " cannot be loaded: " + reason, help, List.of());
        error.initCause(cause);
        return error;
    }

    private static String unpacking() {
        return "it is unpacked in "
                + System.getProperty("java.io.tmpdir")
                + " (java.io.tmpdir), which must be writable and not mounted noexec; or name a library with -D"
                + PROPERTY;
    }
}
