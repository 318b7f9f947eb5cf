# fmt: off
{% for line in header -%}
# {{ line }}
{% endfor -%}
"""Typed Helixor clients, a package per pack."""
