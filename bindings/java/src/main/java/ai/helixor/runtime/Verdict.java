package ai.helixor.runtime;

/** What the rules say of the payload. */
public enum Verdict implements Wire {
    /** No hard rule fired. */
    APPROVE("approve"),
    /** The first fired rule asks for a redaction. */
    REDACT("redact"),
    /** The first fired rule refuses. */
    REFUSE("refuse");

    /** By the number that the native library has for each. */
    private static final Verdict[] BY_ORDINAL = values();

    private final String wire;

    Verdict(String wire) {
        this.wire = wire;
    }

    static Verdict of(int ordinal) {
        return BY_ORDINAL[ordinal];
    }

    @Override
    public String wire() {
        return wire;
    }
}
