//! What a Helixor playbook *is*, without any secret: the spanned document tree, canonical JSON,
//! reading (YAML or JSON) and checking of playbooks, conditions, typed interfaces, the built-in
//! packs, and the table of error codes that every tool and binding shares.
//!
//! A playbook goes one way through this crate: text -> [`Node`] ([`yaml`] or [`canonical`]) ->
//! [`check()`] -> [`Playbook`] -> [`Interface`].
#![forbid(unsafe_code)]

pub mod canonical;
mod code;
pub mod condition;
mod ids;
mod interface;
mod model;
mod node;
mod object;
mod problem;
mod value;

pub use code::{Code, Error, Report};
pub use ids::{ActionId, CodonCode, Digest, FieldName, IdError, PackId, RuleId};
pub use interface::{Interface, InterfaceField, INTERFACE_SCHEMA};
pub use model::{
    Budget, Codon, Field, FieldKind, HardRule, Playbook, Severity, Verdict,
};
pub use node::{Data, Entry, Node, Span};
pub use object::Object;
pub use problem::{suggest, Kind, Position, Problem};
pub use value::Value;
