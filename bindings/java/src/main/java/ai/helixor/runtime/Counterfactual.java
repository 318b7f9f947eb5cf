package ai.helixor.runtime;

import java.util.List;
import java.util.OptionalDouble;

/**
 * What would have to change for an approval: the cheapest change of the state that was found, and
 * checked by deciding it.
 *
 * <p>Values are {@link Boolean}, {@link Long}, {@link Double} or {@link String}.
 *
 * @param <R> the pack's rules
 * @param <F> the pack's fields
 * @param remedy the changes as a text: {@code has_ssn == false (rule NO-SSN); amount <= 5000.0 (rule
 *     LIMIT)}, or {@code no change found within the search bound}
 * @param targetFactor the field of the first change; null when there is none
 * @param requiredValue the value that the first change asks for; null when there is none too
 * @param delta the first change's difference
 * @param changes every change, by rule in priority order, then by field; the state with all of them is
 *     approved. Empty when no such state was found
 */
public record Counterfactual<R, F>(
        String remedy,
        F targetFactor,
        Object requiredValue,
        OptionalDouble delta,
        List<Change<R, F>> changes) {
    /**
     * Copies the list.
     *
     * @param remedy the changes as a text
     * @param targetFactor the field of the first change
     * @param requiredValue the value that the first change asks for
     * @param delta the first change's difference
     * @param changes every change
     */
    public Counterfactual {
        changes = List.copyOf(changes);
    }
}
