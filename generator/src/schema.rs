//! JSON Schemas (draft 2020-12): of manifests, and of the states that their packs decide on.

use crate::manifest::{Field, Pack, pretty};
use helixor_playbook::{Data, FieldKind, Node, Value};

/// The draft that the schemas are written in.
const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The JSON Schema of `embedded-pack-manifest.json`.
pub fn manifest() -> &'static str {
    include_str!("schema/manifest.json")
}

/// The JSON Schema of a pack's state.
///
/// A schema cannot tell `5.0` from `5`: the runtime refuses the former for an integer.
pub fn state(pack: &Pack) -> String {
    let fields = pack.fields.iter();
    let given = fields
        .clone()
        .filter(|field| field.interface.required && field.default.is_none());
    let properties = fields.map(|field| (field.interface.name.as_str(), property(field)));
    pretty(&Node::map([
        ("$schema", DRAFT.into()),
        ("title", format!("State of {}", pack.pack_id).into()),
        ("type", "object".into()),
        ("properties", Node::map(properties)),
        (
            "required",
            Node::list(given.map(|field| field.interface.name.as_str())),
        ),
        ("additionalProperties", false.into()),
    ]))
}

fn property(field: &Field) -> Node {
    let interface = &field.interface;
    let kind = interface.kind.as_str();
    let mut entries = Vec::new();
    if !field.description.is_empty() {
        entries.push(("description", field.description.as_str().into()));
    }
    entries.push((
        "type",
        match interface.required {
            true => kind.into(),
            false => Node::list([kind, "null"]),
        },
    ));
    let (min, max) = match interface.kind {
        FieldKind::Integer => (
            Some(Value::Integer(i64::MIN)),
            Some(Value::Integer(i64::MAX)),
        ),
        _ => (None, None),
    };
    let bounds = [
        ("minimum", interface.min_value.clone().or(min)),
        ("maximum", interface.max_value.clone().or(max)),
    ];
    for (key, bound) in bounds {
        if let Some(bound) = &bound {
            entries.push((key, bound.into()));
        }
    }
    if let Some(values) = &interface.allowed_values {
        let values = values.iter().map(|value| Node::from(value.as_str()));
        let null = (!interface.required).then(|| Data::Null.into());
        entries.push(("enum", Node::list(values.chain(null))));
    }
    if let Some(default) = &field.default {
        entries.push(("default", default.into()));
    }
    Node::map(entries)
}
