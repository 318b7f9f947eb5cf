# fmt: off
{% for line in header -%}
# {{ line }}
{% endfor -%}
"""Typed client of the Helixor pack `{{ pack.id }}`."""

from .client import {{ pack.stem.python }}Client
from .models import (
{%- for name in pack.python_model_exports() %}
    {{ name }},
{%- endfor %}
)

__all__ = [
{%- for name in pack.python_exports() %}
    "{{ name }}",
{%- endfor %}
]
