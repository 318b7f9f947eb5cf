{%- for line in header -%}
// {{ line }}
{% endfor -%}
{% if sdk.packs.len() == 1 -%}
//! A typed Helixor client; see the README for the first call.
{%- else -%}
//! Typed Helixor clients, a module per pack; see the README for the first call.
{%- endif %}
#![forbid(unsafe_code)]
#![warn(missing_docs)]
{% for pack in sdk.packs %}
/// The pack `{{ pack.id }}`.
#[rustfmt::skip]
pub mod {{ pack.module.rust }};
{%- endfor %}
{%- if sdk.packs.len() == 1 %}

pub use {{ sdk.packs[0].module.rust }}::*;
{%- endif %}
