//! The proof of a decision: a digest that anyone who has the state can make again.

use crate::layout::State;
use crate::program::{Outcome, Program};
use helixor_playbook::canonical::{push_float, push_string};
use helixor_playbook::{Digest, Field, ValueRef};
use std::fmt::Write as _;

/// For each field what stands before its value in a state's JSON.
pub(crate) fn keys(fields: &[Field]) -> Box<[String]> {
    let key = |(i, field): (usize, &Field)| {
        let mut key = String::from(if i == 0 { "" } else { ", " });
        push_string(&mut key, field.name.as_str());
        key + ": "
    };
    fields.iter().enumerate().map(key).collect()
}

/// SHA-256 of `<pack_id>:<action>:<verdict>:<normal state>`, the state as canonical JSON in spaced
/// style.
pub(crate) fn proof(program: &Program, state: &State, outcome: &Outcome) -> Digest {
    let playbook = program.playbook();
    let action = playbook
        .actions
        .get(outcome.action())
        .map_or("", |action| action.as_str());
    let mut text = String::with_capacity(256);
    for part in [playbook.pack_id.as_str(), action, outcome.verdict.as_str()] {
        text.push_str(part);
        text.push(':');
    }
    let view = program.view(state);
    text.push('{');
    for (field, key) in program.keys().iter().enumerate() {
        text.push_str(key);
        push_value(&mut text, view.value(field));
    }
    text.push('}');
    Digest::of(text.as_bytes())
}

fn push_value(text: &mut String, value: ValueRef<'_>) {
    match value {
        ValueRef::Boolean(value) => text.push_str(if value { "true" } else { "false" }),
        // Writing to a text cannot fail.
        ValueRef::Integer(value) => drop(write!(text, "{value}")),
        // A state holds finite numbers only.
        ValueRef::Number(value) => drop(push_float(text, value)),
        ValueRef::String(value) => push_string(text, value),
        // No field holds a list.
        ValueRef::Null | ValueRef::List(_) => text.push_str("null"),
    }
}
