# fmt: off
{% for line in header -%}
# {{ line }}
{% endfor -%}
"""The state, the closed sets and the constants of the Helixor pack `{{ pack.id }}`."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from helixor_runtime import {{ pack.python_runtime_imports() }}

PACK_ID: Final = {{ literal::string(pack.id.as_str()) }}
"""The pack's id."""

GOAL_ID: Final = {{ literal::string(pack.goal_id) }}
"""The decision the pack answers."""

FLOOR: Final = {{ literal::float(*pack.floor) }}
"""The declared confidence floor: carried, not acted on."""

BUDGET_MAX_LATENCY_MS: Final = {{ literal::float(*pack.budget_max_latency_ms) }}
"""The declared latency budget in milliseconds: carried, not acted on."""

{%- for set in pack.value_sets() %}


class {{ set.names.python }}(StrEnum):
    {{ docs::python::docstring(set.doc, 4) }}
{%- for member in set.members %}

    {{ member.names.python }} = {{ literal::string(member.wire) }}
    {{ docs::python::docstring(member.doc, 4) }}
{%- endfor %}
{%- endfor %}


@dataclass(frozen=True, slots=True, kw_only=True)
class {{ pack.stem.python }}State:
    """What the pack `{{ pack.id }}` decides on."""
{%- for field in pack.fields %}

    {{ field.names.python }}: {{ field.python_type() }}
    {{ docs::python::docstring(&field.python_doc(), 4) }}
{%- endfor %}


class Action(StrEnum):
    """An action of the pack `{{ pack.id }}`."""
{%- for member in pack.actions %}

    {{ member.names.python }} = {{ literal::string(member.wire) }}
    {{ docs::python::docstring(member.doc, 4) }}
{%- endfor %}


class Rule(StrEnum):
    """A hard rule of the pack `{{ pack.id }}`."""
{%- for member in pack.rules %}

    {{ member.names.python }} = {{ literal::string(member.wire) }}
    {{ docs::python::docstring(member.doc, 4) }}
{%- endfor %}


class Field(StrEnum):
    """A state field of the pack `{{ pack.id }}`."""
{%- for field in pack.fields %}

    {{ field.member.names.python }} = {{ literal::string(field.member.wire) }}
    {{ docs::python::docstring(field.member.doc, 4) }}
{%- endfor %}


{{ pack.stem.python }}Decision: TypeAlias = Decision[Action, Rule, Field]
"""A decision of the pack: its action, verdict, fired rules, causes, counterfactual and proof."""

{{ pack.stem.python }}Cause: TypeAlias = Cause[Rule, Field]
"""A necessary cause of a decision."""

{{ pack.stem.python }}Counterfactual: TypeAlias = Counterfactual[Rule, Field]
"""What would have to change for an approval."""

{{ pack.stem.python }}Change: TypeAlias = Change[Rule, Field]
"""One change that a counterfactual asks for."""
