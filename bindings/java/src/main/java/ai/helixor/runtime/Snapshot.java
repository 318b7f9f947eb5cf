package ai.helixor.runtime;

/**
 * What crosses of a state, and is kept to explain its decision.
 *
 * @param words packed values, or a word for each field
 * @param others what the words of fields do not say, as {@link Slots} writes it; null when there is
 *     nothing such
 * @param packed whether the words are packed
 */
record Snapshot(long[] words, byte[] others, boolean packed) {}
