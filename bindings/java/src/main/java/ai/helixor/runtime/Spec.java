package ai.helixor.runtime;

import java.util.List;
import java.util.Objects;

/**
 * The typed interface of one pack, as generated. The lists stand in the order of the document's: a
 * name's number is its place.
 *
 * @param <S> the pack's states
 * @param <A> the pack's actions
 * @param <R> the pack's rules
 * @param <F> the pack's fields
 * @param interfaceJson the interface document, {@code helixor.interface.v1}
 * @param actions the actions
 * @param rules the hard rules
 * @param fields the state fields
 * @param toSlots writes a state
 */
public record Spec<S, A, R, F>(
        String interfaceJson, List<A> actions, List<R> rules, List<F> fields, ToSlots<S> toSlots) {
    /**
     * Copies the lists.
     *
     * @param interfaceJson the interface document
     * @param actions the actions
     * @param rules the hard rules
     * @param fields the state fields
     * @param toSlots writes a state
     */
    public Spec {
        Objects.requireNonNull(interfaceJson, "interfaceJson");
        actions = List.copyOf(actions);
        rules = List.copyOf(rules);
        fields = List.copyOf(fields);
        Objects.requireNonNull(toSlots, "toSlots");
    }

    A action(int number) {
        return named(actions, number);
    }

    R rule(int number) {
        return named(rules, number);
    }

    F field(int number) {
        return named(fields, number);
    }

    private static <T> T named(List<T> names, int number) {
        if (number >= names.size()) {
            throw new VersionSkewException(
                    "the generated code does not agree with its own interface document",
                    "generate it anew and do not edit it",
                    List.of());
        }
        return names.get(number);
    }
}
