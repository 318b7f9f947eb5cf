package ai.helixor.runtime;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * How a pack is opened. By {@link #defaults() default} the licence and the authorities whose licences
 * are believed are looked up: {@code HELIXOR_LICENSE_FILE}, {@code ./helixor.hxlic} and
 * {@code ~/.helixor/helixor.hxlic}; {@code HELIXOR_AUTHORITY_KEYS} and
 * {@code ~/.helixor/authorities}. Each method gives other options and leaves these as they are.
 */
public final class Options {
    // What `encoded` says of an option.
    private static final int LICENSE_FILE = 0;
    private static final int AUTHORITIES = 1;
    private static final int PUBLISHER_KEYS = 2;
    private static final int SIGNATURE = 3;
    private static final int ACCEPT_SAME_INTERFACE = 4;
    private static final int LEDGER_IN_MEMORY = 5;
    private static final int LEDGER_FILE = 6;
    private static final int TIMING = 7;

    private static final Options DEFAULTS = new Options();

    private Path licenseFile;
    private String licenseJson;
    private List<Path> authorities;
    private List<Path> publisherKeys;
    private byte[] signature;
    private boolean acceptSameInterface;
    private Path ledger;
    private boolean ledgerInMemory;
    private boolean timing;

    private Options() {}

    /** Others, which the caller alone has yet and may change. */
    private Options copy() {
        Options copy = new Options();
        copy.licenseFile = licenseFile;
        copy.licenseJson = licenseJson;
        copy.authorities = authorities;
        copy.publisherKeys = publisherKeys;
        copy.signature = signature;
        copy.acceptSameInterface = acceptSameInterface;
        copy.ledger = ledger;
        copy.ledgerInMemory = ledgerInMemory;
        copy.timing = timing;
        return copy;
    }

    /**
     * Everything is looked up.
     *
     * @return the default options
     */
    public static Options defaults() {
        return DEFAULTS;
    }

    /**
     * Takes the licence from this file; replaces {@link #licenseJson}.
     *
     * @param path the {@code .hxlic} file
     * @return options with it
     */
    public Options licenseFile(Path path) {
        Options copy = copy();
        copy.licenseFile = Objects.requireNonNull(path, "path");
        copy.licenseJson = null;
        return copy;
    }

    /**
     * Takes this licence; replaces {@link #licenseFile}.
     *
     * @param json the text of an {@code .hxlic} file
     * @return options with it
     */
    public Options licenseJson(String json) {
        Options copy = copy();
        copy.licenseFile = null;
        copy.licenseJson = Objects.requireNonNull(json, "json");
        return copy;
    }

    /**
     * Believes the authority keys in these files, and in the {@code *.pem} of these folders; no
     * others.
     *
     * @param paths PEM files, or folders of them
     * @return options with them
     */
    public Options authorities(Path... paths) {
        Options copy = copy();
        copy.authorities = List.of(paths);
        return copy;
    }

    /**
     * Takes only packs with a signature by one of the publisher keys in these files, and in the
     * {@code *.pem} of these folders. The signature of a pack file is the file beside it, {@code
     * <file>.sig}, unless {@link #signature} gives it. It is checked before the pack is unsealed.
     *
     * @param paths PEM files, or folders of them
     * @return options with them
     */
    public Options publisherKeys(Path... paths) {
        Options copy = copy();
        copy.publisherKeys = List.of(paths);
        return copy;
    }

    /**
     * The pack's signature. It is looked at only when {@link #publisherKeys publisher keys} are given.
     *
     * @param content the content of an {@code .hxpack.sig} file
     * @return options with it
     */
    public Options signature(byte[] content) {
        Options copy = copy();
        copy.signature = content.clone();
        return copy;
    }

    /**
     * Whether a pack of the same interface is taken even when its content is not what the client was
     * generated from.
     *
     * @param accept whether it is
     * @return options with it
     */
    public Options acceptSameInterface(boolean accept) {
        Options copy = copy();
        copy.acceptSameInterface = accept;
        return copy;
    }

    /**
     * Keeps an audit ledger in this file; replaces {@link #ledgerInMemory}. It goes on where the file
     * ended; one ledger writes a file at a time.
     *
     * <p>A decision is written before {@code decide} returns, and survives a crash of the process. The
     * ledger's own thread makes it survive a loss of power too (fsync), at most 100 ms or 1,024
     * decisions later, whether the client is closed by then or not: {@link Client#close()} does not wait
     * for the disk. The file is free for another ledger once the closed client and its decisions were
     * collected, or the process ended; to exchange the pack under the same ledger, {@link
     * Client#reload(Path, Options) reload} it.
     *
     * @param path the file, which is made if it is not there
     * @return options with it
     */
    public Options ledger(Path path) {
        Options copy = copy();
        copy.ledger = Objects.requireNonNull(path, "path");
        copy.ledgerInMemory = false;
        return copy;
    }

    /**
     * Keeps an audit ledger in memory, which has a count and a root; replaces {@link #ledger}.
     *
     * @return options with it
     */
    public Options ledgerInMemory() {
        Options copy = copy();
        copy.ledger = null;
        copy.ledgerInMemory = true;
        return copy;
    }

    /**
     * Whether each decision is measured: {@link Decision#latencyUs()}.
     *
     * @param measure whether it is
     * @return options with it
     */
    public Options timing(boolean measure) {
        Options copy = copy();
        copy.timing = measure;
        return copy;
    }

    boolean timing() {
        return timing;
    }

    /** Apart from the others, so that no copy of it stays behind in the native library. */
    byte[] licenseJsonBytes() {
        return Utf8.bytes("licenseJson", licenseJson);
    }

    /** Those that are set, but for the licence's text: a tag, then what it is set to. */
    byte[] encoded() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        put(out, LICENSE_FILE, path("licenseFile", licenseFile));
        put(out, AUTHORITIES, "authorities", authorities);
        put(out, PUBLISHER_KEYS, "publisherKeys", publisherKeys);
        put(out, SIGNATURE, signature);
        put(out, ACCEPT_SAME_INTERFACE, acceptSameInterface);
        put(out, LEDGER_IN_MEMORY, ledgerInMemory);
        put(out, LEDGER_FILE, path("ledger", ledger));
        put(out, TIMING, timing);
        return out.toByteArray();
    }

    private static void put(ByteArrayOutputStream out, int tag, boolean set) {
        if (set) {
            out.write(tag);
        }
    }

    private static void put(ByteArrayOutputStream out, int tag, byte[] bytes) {
        if (bytes != null) {
            out.write(tag);
            Utf8.write(out, bytes);
        }
    }

    private static void put(ByteArrayOutputStream out, int tag, String name, List<Path> paths) {
        if (paths != null) {
            out.write(tag);
            out.writeBytes(ByteBuffer.allocate(4).putInt(paths.size()).array());
            paths.forEach(path -> Utf8.write(out, path(name, path)));
        }
    }

    /** A path as the system has it; {@code name} is how a message calls it, null stays null. */
    static byte[] path(String name, Path path) {
        if (path == null) {
            return null;
        }
        if (path.getFileSystem() != FileSystems.getDefault()) {
            throw new InvalidArgumentException(
                    "`" + name + "` " + path.toUri() + " is no file of the system",
                    "copy it to one, or give its content",
                    List.of());
        }
        return Utf8.bytes(name, path.toString());
    }

    /** Says which are set; never the licence itself. */
    @Override
    public String toString() {
        return "Options[licenseFile="
                + licenseFile
                + ", licenseJson="
                + (licenseJson == null ? "null" : "(given)")
                + ", authorities="
                + authorities
                + ", publisherKeys="
                + publisherKeys
                + ", signature="
                + (signature == null ? "null" : "(given)")
                + ", acceptSameInterface="
                + acceptSameInterface
                + ", ledger="
                + (ledgerInMemory ? "(in memory)" : ledger)
                + ", timing="
                + timing
                + "]";
    }
}
