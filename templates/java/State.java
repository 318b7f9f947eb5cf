{% for line in header -%}
// {{ line }}
{% endfor -%}
package {{ package }}.model;

{% if pack.java_has_given() -%}
import ai.helixor.runtime.Given;
{% endif -%}
{% if wide -%}
import ai.helixor.runtime.ManyFields;
{% endif -%}
import ai.helixor.runtime.Values;

{% if wide -%}
{{ docs::comment(&pack.java_doc("What the pack ", " decides on."), [], 0) }}
public final class {{ pack.stem.java }}State extends ManyFields {
    private {{ pack.stem.java }}State(Values values) {
        super(values);
    }
{%- for part in parts %}
{%- for field in part.items %}

    {{ docs::comment(&field.java_doc(), ["@return the value".to_owned()], 4) }}
    public {{ field.java_type() }} {{ field.names.java }}() {
        return {{ field.java_get(part.first + loop.index0) }};
    }
{%- endfor %}
{%- endfor %}

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{{ pack.stem.java }}State");
{%- for part in parts %}
        append{{ part.number }}(text);
{%- endfor %}
        return text.append(']').toString();
    }
{%- for part in parts %}

    private void append{{ part.number }}(StringBuilder text) {
{%- for field in part.items %}
        text.append("{% if part.first + loop.index0 == 0 %}[{% else %}, {% endif %}{{ field.names.java }}=").append({{ field.names.java }}());
{%- endfor %}
    }
{%- endfor %}
{%- else -%}
{{ docs::comment(&pack.java_doc("What the pack ", " decides on."), &pack.java_params(), 0) }}
public record {{ pack.stem.java }}State(
{%- for field in pack.fields %}
        {{ field.java_type() }} {{ field.names.java }}{% if !loop.last %},{% endif %}
{%- endfor %}) {
{%- endif %}

    /**
     * Begins a state.
     *
     * @return a builder without any value
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects a state: every field must be given, but for those that may be left out. */
    public static final class Builder {
        private final Values values = new Values({{ pack.java_values() }});

        private Builder() {}
{%- for part in parts %}
{%- for field in part.items %}

        {{ docs::comment(field.doc, ["@param value the value".to_owned(), "@return this builder".to_owned()], 8) }}
        public Builder {{ field.names.java }}({{ field.java_argument() }} value) {
            values.put({{ part.first + loop.index0 }}, {{ field.java_given() }});
            return this;
        }
{%- endfor %}
{%- endfor %}

        /**
         * The state.
         *
         * @return the state
         * @throws ai.helixor.runtime.StateMissingException naming the fields that were not given
         */
        public {{ pack.stem.java }}State build() {
            values.requireAll(Field.all());
{%- if wide %}
            return new {{ pack.stem.java }}State(values);
{%- else %}
            return new {{ pack.stem.java }}State(
{%- for field in pack.fields %}
                    values.{{ field.java_get(loop.index0.into()) }}{% if !loop.last %},{% endif %}
{%- endfor %});
{%- endif %}
        }
    }
}
