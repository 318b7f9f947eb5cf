package ai.helixor.runtime;

/** What was bought. */
public enum Tier implements Wire {
    /** The tier without a licence. */
    COMMUNITY,
    /** For development. */
    DEVELOPER,
    /** For production. */
    STUDIO,
    /** For production, with everything. */
    EXPERT;

    @Override
    public String wire() {
        return name();
    }
}
