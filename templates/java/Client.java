{% for line in header -%}
// {{ line }}
{% endfor -%}
package {{ package }}.client;

import ai.helixor.runtime.Client;
import ai.helixor.runtime.Options;
{% if packed.is_empty() -%}
import ai.helixor.runtime.Slots;
import ai.helixor.runtime.Spec;
{% else -%}
import ai.helixor.runtime.Spec;
{% if !wide -%}
import ai.helixor.runtime.ToWords;
{% endif -%}
{% endif -%}
import {{ package }}.model.Action;
import {{ package }}.model.Field;
import {{ package }}.model.{{ pack.stem.java }}State;
import {{ package }}.model.Rule;
import java.nio.file.Path;

{% if pack.builtin -%}
{{ docs::comment(&pack.java_doc("The client of the pack ", ": opens a sealed pack, or the one built into the runtime, and decides."), [], 0) }}
{%- else -%}
{{ docs::comment(&pack.java_doc("The client of the pack ", ": opens a sealed pack and decides."), [], 0) }}
{%- endif %}
public final class {{ pack.stem.java }}Client extends Client<{{ pack.stem.java }}State, Action, Rule, Field> {
    /** The pack's id. */
    public static final String PACK_ID = {{ literal::string(pack.id.as_str()) }};

    /** The decision the pack answers. */
    public static final String GOAL_ID = {{ literal::string(pack.goal_id) }};

    /** The declared confidence floor: carried, not acted on. */
    public static final double FLOOR = {{ literal::float(*pack.floor) }};

    /** The declared latency budget in milliseconds: carried, not acted on. */
    public static final double BUDGET_MAX_LATENCY_MS = {{ literal::float(*pack.budget_max_latency_ms) }};

    private static final Spec<{{ pack.stem.java }}State, Action, Rule, Field> SPEC = {% if wide && !packed.is_empty() %}Spec.wide{% else %}new Spec<>{% endif %}(
            {{ interface }},
            Action.all(),
            Rule.all(),
            Field.all()
{%- if packed.is_empty() %},
            {{ pack.stem.java }}Client::write
{%- else if !wide %},
            {{ pack.stem.java }}Client::pack
{%- endif %});
{% if pack.builtin %}
    private {{ pack.stem.java }}Client(Options options) {
        super(SPEC, options);
    }
{% endif %}
    private {{ pack.stem.java }}Client(Path path, Options options) {
        super(SPEC, path, options);
    }

    private {{ pack.stem.java }}Client(byte[] pack, Options options) {
        super(SPEC, pack, options);
    }
{% if pack.builtin %}
    /**
     * Opens the pack that the runtime carries; no licence is needed.
     *
     * @return the client
     */
    public static {{ pack.stem.java }}Client builtin() {
        return builtin(Options.defaults());
    }

    /**
     * Opens the pack that the runtime carries; no licence is needed.
     *
     * @param options how; only ledger and timing say anything
     * @return the client
     */
    public static {{ pack.stem.java }}Client builtin(Options options) {
        return new {{ pack.stem.java }}Client(options);
    }
{% endif %}
    /**
     * Opens a pack file; the licence and the authorities are looked up.
     *
     * @param path the <code>.hxpack</code> file
     * @return the client
     */
    public static {{ pack.stem.java }}Client open(Path path) {
        return open(path, Options.defaults());
    }

    /**
     * Opens a pack file.
     *
     * @param path the <code>.hxpack</code> file
     * @param options how
     * @return the client
     */
    public static {{ pack.stem.java }}Client open(Path path, Options options) {
        return new {{ pack.stem.java }}Client(path, options);
    }

    /**
     * Opens a pack that was read already.
     *
     * @param pack the content of an <code>.hxpack</code> file
     * @param options how
     * @return the client
     */
    public static {{ pack.stem.java }}Client fromBytes(byte[] pack, Options options) {
        return new {{ pack.stem.java }}Client(pack, options);
    }

{%- if packed.is_empty() %}

    private static void write({{ pack.stem.java }}State state, Slots slots) {
{%- for part in parts %}
        write{{ part.number }}(state, slots);
{%- endfor %}
    }
{%- for part in parts %}

    private static void write{{ part.number }}({{ pack.stem.java }}State state, Slots slots) {
{%- for field in part.items %}
        slots.{{ field.java_put() }}({{ part.first + loop.index0 }}, state.{{ field.names.java }}());
{%- endfor %}
    }
{%- endfor %}
{%- else if !wide %}

    private static long[] pack({{ pack.stem.java }}State state) {
        long[] words = new long[{{ words }}];
{%- for part in self::parts(packed) %}
        pack{{ part.number }}(state, words);
{%- endfor %}
        return words;
    }
{%- for part in self::parts(packed) %}

    private static void pack{{ part.number }}({{ pack.stem.java }}State state, long[] words) {
{%- for statement in part.items %}
        {{ statement }}
{%- endfor %}
    }
{%- endfor %}
{%- endif %}
}
