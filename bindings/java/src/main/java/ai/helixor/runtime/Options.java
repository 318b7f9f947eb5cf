package ai.helixor.runtime;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * How a pack is opened. By {@link #defaults() default} the licence and the authorities whose licences
 * are believed are looked up: {@code HELIXOR_LICENSE_FILE}, {@code ./helixor.hxlic} and
 * {@code ~/.helixor/helixor.hxlic}; {@code HELIXOR_AUTHORITY_KEYS} and
 * {@code ~/.helixor/authorities}. Immutable: each method gives another.
 */
public final class Options {
    private static final Options DEFAULTS = new Options(null, null, null, null, null, false);

    private final Path licenseFile;
    private final String licenseJson;
    private final List<Path> authorities;
    private final List<Path> publisherKeys;
    private final byte[] signature;
    private final boolean acceptSameInterface;

    private Options(
            Path licenseFile,
            String licenseJson,
            List<Path> authorities,
            List<Path> publisherKeys,
            byte[] signature,
            boolean acceptSameInterface) {
        this.licenseFile = licenseFile;
        this.licenseJson = licenseJson;
        this.authorities = authorities;
        this.publisherKeys = publisherKeys;
        this.signature = signature;
        this.acceptSameInterface = acceptSameInterface;
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
        Objects.requireNonNull(path, "path");
        return new Options(
                path, null, authorities, publisherKeys, signature, acceptSameInterface);
    }

    /**
     * Takes this licence; replaces {@link #licenseFile}.
     *
     * @param json the text of an {@code .hxlic} file
     * @return options with it
     */
    public Options licenseJson(String json) {
        Objects.requireNonNull(json, "json");
        return new Options(
                null, json, authorities, publisherKeys, signature, acceptSameInterface);
    }

    /**
     * Believes the authority keys in these files, and in the {@code *.pem} of these folders; no
     * others.
     *
     * @param paths PEM files, or folders of them
     * @return options with them
     */
    public Options authorities(Path... paths) {
        return new Options(
                licenseFile,
                licenseJson,
                List.of(paths),
                publisherKeys,
                signature,
                acceptSameInterface);
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
        return new Options(
                licenseFile,
                licenseJson,
                authorities,
                List.of(paths),
                signature,
                acceptSameInterface);
    }

    /**
     * The pack's signature. It is looked at only when {@link #publisherKeys publisher keys} are given.
     *
     * @param content the content of an {@code .hxpack.sig} file
     * @return options with it
     */
    public Options signature(byte[] content) {
        return new Options(
                licenseFile,
                licenseJson,
                authorities,
                publisherKeys,
                content.clone(),
                acceptSameInterface);
    }

    /**
     * Whether a pack of the same interface is taken even when its content is not what the client was
     * generated from.
     *
     * @param accept whether it is
     * @return options with it
     */
    public Options acceptSameInterface(boolean accept) {
        return new Options(
                licenseFile, licenseJson, authorities, publisherKeys, signature, accept);
    }

    boolean acceptSameInterface() {
        return acceptSameInterface;
    }

    byte[] licenseFileBytes() {
        return licenseFile == null ? null : path("licenseFile", licenseFile);
    }

    byte[] licenseJsonBytes() {
        return Utf8.bytes("licenseJson", licenseJson);
    }

    byte[][] authoritiesBytes() {
        return paths("authorities", authorities);
    }

    byte[][] publisherKeysBytes() {
        return paths("publisherKeys", publisherKeys);
    }

    byte[] signatureBytes() {
        return signature;
    }

    private static byte[][] paths(String name, List<Path> paths) {
        return paths == null
                ? null
                : paths.stream().map(each -> path(name, each)).toArray(byte[][]::new);
    }

    /** A path as the system has it; {@code name} is how a message calls it. */
    static byte[] path(String name, Path path) {
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
                + "]";
    }
}
