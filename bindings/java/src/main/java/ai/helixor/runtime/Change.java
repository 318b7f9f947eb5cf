package ai.helixor.runtime;

import java.util.OptionalDouble;

/**
 * One change that a {@link Counterfactual} asks for.
 *
 * <p>Values are {@link Boolean}, {@link Long}, {@link Double} or {@link String}.
 *
 * @param <R> the pack's rules
 * @param <F> the pack's fields
 * @param rule the rule that asked for it: the first that still fired without it
 * @param factor the field to change
 * @param relation how the new value stands to those that would do for the rule: {@code ==}; {@code <=}
 *     or {@code >=} where it is the nearest of a range
 * @param requiredValue the new value; it can be assigned as it is, and may be null
 * @param observedValue the value in the state; null when it has none
 * @param delta new value less present one; empty unless both are numbers and it is finite
 */
public record Change<R, F>(
        R rule,
        F factor,
        String relation,
        Object requiredValue,
        Object observedValue,
        OptionalDouble delta) {}
