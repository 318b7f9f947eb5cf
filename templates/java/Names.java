{% for line in header -%}
// {{ line }}
{% endfor -%}
package {{ package }}.model;

import ai.helixor.runtime.Wire;
import java.util.List;
import java.util.Optional;

{{ docs::comment(set.doc, [], 0) }}
public enum {{ set.name }} implements Wire {
{%- for member in set.members %}
    {{ docs::comment(member.doc, [], 4) }}
    {{ member.names.java }}({{ literal::string(member.wire) }}){% if !loop.last %},
{% endif %}
{%- endfor %};

    // Constants are in capitals, so that none can have this name.
    private static final List<{{ set.name }}> all = List.of(values());

    private final String wire;

    {{ set.name }}(String wire) {
        this.wire = wire;
    }

    /**
     * Every one, in the order of the manifest.
     *
     * @return the list
     */
    public static List<{{ set.name }}> all() {
        return all;
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
}
