//! What a Helixor playbook *is*, without any secret: the spanned document tree, canonical JSON,
//! reading (YAML or JSON) and checking of playbooks, conditions, typed interfaces, the built-in
//! packs, and the table of error codes that every tool and binding shares.
//!
//! A playbook goes one way through this crate: text -> [`Node`] ([`yaml`] or [`canonical`]) ->
//! [`check()`] -> [`Playbook`] -> [`Interface`].
#![forbid(unsafe_code)]

pub mod builtin;
pub mod canonical;
mod check;
mod code;
pub mod condition;
pub mod file;
mod given;
mod hidden;
mod ids;
mod infer;
mod interface;
mod model;
mod node;
mod object;
mod problem;
mod value;
pub mod yaml;

pub use check::{
    Format, MAX_BYTES, MAX_DEPTH, MAX_NODES, check, declared_solvers, read, read_sealed,
};
pub use code::{Code, Error, Report};
pub use given::{Given, Misfit, Shape};
pub use hidden::{is_hidden, shown};
pub use ids::{ActionId, CodonCode, Digest, FieldName, IdError, PackId, RuleId};
pub use interface::{INTERFACE_SCHEMA, Interface, InterfaceField, number};
pub use model::{Budget, Codon, Field, FieldKind, HardRule, Playbook, Severity, Verdict};
pub use node::{Data, Entry, Node, Span};
pub use object::{Object, expected};
pub use problem::{Kind, Position, Positions, Problem, suggest, suggest_after};
pub use value::{Value, ValueRef};
