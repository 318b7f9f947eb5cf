# fmt: off
{% for line in header -%}
# {{ line }}
{% endfor -%}
"""The client of the Helixor pack `{{ pack.id }}`."""

from typing import ClassVar

from helixor_runtime import {% if pack.builtin %}BuiltinClient{% else %}Client{% endif %}, Spec

from .models import {{ pack.python_client_imports() }}


class {{ pack.stem.python }}Client(
    {% if pack.builtin %}BuiltinClient{% else %}Client{% endif %}[{{ pack.stem.python }}State, Action, Rule, Field],
):
    """The client of the pack `{{ pack.id }}`.
{% if pack.builtin %}
    Opens a sealed pack, or the one built into the runtime, and decides.
{%- else %}
    Opens a sealed pack and decides.
{%- endif %}
    """

    __slots__ = ()

    spec: ClassVar[Spec] = Spec(
        interface={{ interface }},
        state={{ pack.stem.python }}State,
        attributes=(
{%- if pack.fields.is_empty() -%}
),
{%- else -%}
{%- for name in pack.python_attributes() %}
            {{ name }},
{%- endfor %}
        ),
{%- endif %}
        actions=tuple(Action),
        rules=tuple(Rule),
        fields=tuple(Field),
    )
