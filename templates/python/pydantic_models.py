# fmt: off
{% for line in header -%}
# {{ line }}
{% endfor -%}
"""The state of the Helixor pack `{{ pack.id }}` as a pydantic model; it needs the extra `pydantic`."""

from typing import ClassVar{% if pack.python_leaves_out() %}, Literal{% endif %}
{% if pack.python_leaves_out() %}
from helixor_runtime import LEFT_OUT, LeftOut
{%- endif %}
from pydantic import {{ pack.pydantic_imports() }}
{%- if pack.pydantic_skips() %}
from pydantic.json_schema import SkipJsonSchema
{%- endif %}

from .models import {% for name in pack.pydantic_model_imports() %}{{ name }}{% if !loop.last %}, {% endif %}{% endfor %}


class {{ pack.stem.python }}StateModel(BaseModel):
    """What the pack `{{ pack.id }}` decides on."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        strict=True,
        frozen=True,
        extra="forbid",
        serialize_by_alias=True,
        protected_namespaces=(),
    )

    helixor_state: ClassVar[type[{{ pack.stem.python }}State]] = {{ pack.stem.python }}State
    """The state that this is a model of."""
{%- for field in pack.fields %}

    {{ field.pydantic }}: {{ field.pydantic_type() }}
{%- for argument in field.pydantic_arguments() %}
{%- if loop.first %} = Field({% endif %}
        {{ argument }},
{%- if loop.last %}
    )
{%- endif %}
{%- endfor %}
{%- endfor %}
