{% for line in header -%}
// {{ line }}
{% endfor -%}
package {{ package }}.model;

import java.util.List;

/** Some names of {@link {{ set.name }}}, where users find them. */
interface {{ set.name }}{{ number }} {
{%- for member in members %}
    {{ docs::comment(member.doc, [], 4) }}
    {{ set.name }} {{ member.names.java }} = new {{ set.name }}({{ literal::string(member.wire) }});
{% endfor %}
    /** Adds them all, in order. */
    static void addTo(List<{{ set.name }}> all) {
{%- for member in members %}
        all.add({{ member.names.java }});
{%- endfor %}
    }
}
