package ai.helixor.runtime;

import java.util.OptionalDouble;

/**
 * Why a rule fired: one field's value, and what it was compared with.
 *
 * <p>Values are {@link Boolean}, {@link Long}, {@link Double} or {@link String}; a threshold may be a
 * {@link java.util.List} of such.
 *
 * @param <R> the pack's rules
 * @param <F> the pack's fields
 * @param rule the fired rule
 * @param ruleVerdict what the rule asks for: refuse or redact
 * @param factor the field whose value made it fire
 * @param observedValue the value that field has in the state; null when it has none
 * @param direction {@code is_true}, {@code is_false}, {@code is_null}, {@code is_not_null}, {@code ==},
 *     {@code !=}, {@code <}, {@code <=}, {@code >}, {@code >=}, {@code in} or {@code not_in}
 * @param threshold the other side, a list where it is one; null for booleans, for the tests for null,
 *     and when the field does not stand alone
 * @param distanceToBoundary how far the value is from the threshold, in the field's unit; empty if
 *     not both are numbers
 */
public record Cause<R, F>(
        R rule,
        Verdict ruleVerdict,
        F factor,
        Object observedValue,
        String direction,
        Object threshold,
        OptionalDouble distanceToBoundary) {}
