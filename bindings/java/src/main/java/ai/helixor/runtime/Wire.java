package ai.helixor.runtime;

/** A name that documents and other languages know by the same text. */
public interface Wire {
    /**
     * The name as documents and other languages have it.
     *
     * @return the text
     */
    String wire();
}
