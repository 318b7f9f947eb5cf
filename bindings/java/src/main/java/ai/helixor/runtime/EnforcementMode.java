package ai.helixor.runtime;

import java.util.Locale;

/** What happens beyond a limit of a licence. */
public enum EnforcementMode implements Wire {
    /** The excess is counted. */
    OBSERVE,
    /** The decision is refused. */
    ENFORCE;

    @Override
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
