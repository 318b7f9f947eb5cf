package ai.helixor.runtime;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * The typed interface of one pack, as generated. The lists stand in the order of the document's: a
 * name's number is its place.
 *
 * @param <S> the pack's states
 * @param <A> the pack's actions
 * @param <R> the pack's rules
 * @param <F> the pack's fields
 */
public final class Spec<S, A, R, F> {
    private final String interfaceJson;
    private final List<A> actions;
    private final List<R> rules;
    private final List<F> fields;
    private final Function<S, Snapshot> snapshot;

    /**
     * The interface of a pack with any fields.
     *
     * @param interfaceJson the interface document, {@code helixor.interface.v1}
     * @param actions the actions
     * @param rules the hard rules
     * @param fields the state fields
     * @param toSlots writes a state
     */
    public Spec(
            String interfaceJson, List<A> actions, List<R> rules, List<F> fields, ToSlots<S> toSlots) {
        this(interfaceJson, actions, rules, fields, slots(List.copyOf(fields), toSlots));
    }

    /**
     * The interface of a pack whose fields are booleans, integers and numbers that always have a
     * value.
     *
     * @param interfaceJson the interface document, {@code helixor.interface.v1}
     * @param actions the actions
     * @param rules the hard rules
     * @param fields the state fields
     * @param toWords packs a state
     */
    public Spec(
            String interfaceJson, List<A> actions, List<R> rules, List<F> fields, ToWords<S> toWords) {
        this(interfaceJson, actions, rules, fields, packed(toWords));
    }

    /**
     * The interface of a pack whose fields are booleans, integers and numbers that always have a value,
     * and so many that its states are no records.
     *
     * @param <S> the pack's states
     * @param <A> the pack's actions
     * @param <R> the pack's rules
     * @param <F> the pack's fields
     * @param interfaceJson the interface document, {@code helixor.interface.v1}
     * @param actions the actions
     * @param rules the hard rules
     * @param fields the state fields
     * @return the interface
     */
    public static <S extends ManyFields, A, R, F> Spec<S, A, R, F> wide(
            String interfaceJson, List<A> actions, List<R> rules, List<F> fields) {
        Function<S, Snapshot> snapshot = packed(ManyFields::words);
        return new Spec<>(interfaceJson, actions, rules, fields, snapshot);
    }

    private Spec(
            String interfaceJson,
            List<A> actions,
            List<R> rules,
            List<F> fields,
            Function<S, Snapshot> snapshot) {
        this.interfaceJson = Objects.requireNonNull(interfaceJson, "interfaceJson");
        this.actions = List.copyOf(actions);
        this.rules = List.copyOf(rules);
        this.fields = List.copyOf(fields);
        this.snapshot = snapshot;
    }

    private static <S> Function<S, Snapshot> slots(List<?> fields, ToSlots<S> toSlots) {
        Objects.requireNonNull(toSlots, "toSlots");
        return state -> {
            Slots slots = new Slots(fields);
            toSlots.write(state, slots);
            return slots.snapshot();
        };
    }

    private static <S> Function<S, Snapshot> packed(ToWords<S> toWords) {
        Objects.requireNonNull(toWords, "toWords");
        return state -> new Snapshot(toWords.words(state), null, true);
    }

    String interfaceJson() {
        return interfaceJson;
    }

    Snapshot snapshot(S state) {
        return snapshot.apply(state);
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
