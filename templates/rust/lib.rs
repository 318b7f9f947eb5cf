{%- for line in header -%}
// {{ line }}
{% endfor -%}
{% if sdk.packs.len() == 1 -%}
//! A typed client of the Helixor pack `{{ sdk.packs[0].id }}`; see the README for the first call.
{%- else -%}
//! Typed Helixor clients, a module per pack; see the README for the first call.
{%- endif %}
#![forbid(unsafe_code)]
#![warn(missing_docs)]
{% for pack in sdk.packs %}
{%- if sdk.packs.len() == 1 %}
#[rustfmt::skip]
mod {{ pack.module.rust }};

pub use {{ pack.module.rust }}::*;
{%- else %}
/// The pack `{{ pack.id }}`.
#[rustfmt::skip]
pub mod {{ pack.module.rust }};
{%- endif %}
{%- endfor %}
