{% for line in header -%}
// {{ line }}
{% endfor -%}
package {{ package }}.model;

import ai.helixor.runtime.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {{ docs::line(set.doc) }}
 *
 * <p>There are too many for an enum. Each is there once, so that {@code ==} compares them.
 */
public final class {{ set.name }} implements Wire
{%- for part in parts %}, {{ set.name }}{{ part.number }}{% endfor %} {
    private final String wire;

    {{ set.name }}(String wire) {
        this.wire = wire;
    }

    // A class of its own: initialising the names must not wait for one another.
    private static final class All {
        static final List<{{ set.name }}> LIST = list();

        private static List<{{ set.name }}> list() {
            List<{{ set.name }}> all = new ArrayList<>();
{%- for part in parts %}
            {{ set.name }}{{ part.number }}.addTo(all);
{%- endfor %}
            return List.copyOf(all);
        }
    }

    /**
     * Every one, in the order of the manifest.
     *
     * @return the list
     */
    public static List<{{ set.name }}> all() {
        return All.LIST;
    }

    /**
     * The one that a text stands for.
     *
     * @param wire the text, as {@link #wire()} has it
     * @return it; empty when there is none
     */
    public static Optional<{{ set.name }}> fromWire(String wire) {
        for ({{ set.name }} one : all()) {
            if (one.wire.equals(wire)) {
                return Optional.of(one);
            }
        }
        return Optional.empty();
    }

    @Override
    public String wire() {
        return wire;
    }

    @Override
    public String toString() {
        return wire;
    }
}
