//! A pack's typed interface as one document, `helixor.interface.v1`: what a generated client was
//! compiled with, compared at open with what the pack has.

use crate::canonical::{self, Style};
use crate::ids::{ActionId, Digest, FieldName, IdError, PackId, RuleId};
use crate::model::{FieldKind, Playbook};
use crate::node::{Data, Node};
use crate::object::{Object, expected, list, text};
use crate::problem::Problem;
use crate::value::Value;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

/// The `schema` of an interface document.
pub const INTERFACE_SCHEMA: &str = "helixor.interface.v1";

/// A typed interface. Lists stand in the order of whoever made the document; unknown is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    /// The pack it belongs to.
    pub pack_id: PackId,
    /// The pack's version.
    pub pack_version: Option<String>,
    /// The digest of the very playbook it was made from; `None`: not tied to one.
    pub raw_pack_sha256: Option<Digest>,
    /// The state fields.
    pub fields: Vec<InterfaceField>,
    /// The actions.
    pub actions: Vec<ActionId>,
    /// The hard rules.
    pub rules: Vec<RuleId>,
    /// The command that makes the client anew.
    pub regenerate: Option<String>,
}

/// One state field of an [`Interface`].
#[derive(Clone, Debug, PartialEq)]
pub struct InterfaceField {
    /// Its name.
    pub name: FieldName,
    /// Its type.
    pub kind: FieldKind,
    /// Whether null is refused.
    pub required: bool,
    /// Smallest allowed number; `None`: no bound.
    pub min_value: Option<Value>,
    /// Largest allowed number; `None`: no bound.
    pub max_value: Option<Value>,
    /// The closed set of allowed texts; `None`: unknown, not compared.
    pub allowed_values: Option<Vec<String>>,
}

impl From<&Playbook> for Interface {
    /// The playbook's own interface: fields by name, actions in declared order, rules in priority
    /// order.
    fn from(playbook: &Playbook) -> Self {
        let rules = playbook
            .priority_order()
            .into_iter()
            .filter_map(|i| playbook.rules.get(i));
        Self {
            pack_id: playbook.pack_id.clone(),
            pack_version: Some(playbook.version.clone()),
            raw_pack_sha256: Some(playbook.digest),
            fields: playbook
                .fields
                .iter()
                .map(|field| InterfaceField {
                    name: field.name.clone(),
                    kind: field.kind,
                    required: field.required,
                    min_value: field.min_value.clone(),
                    max_value: field.max_value.clone(),
                    allowed_values: field.allowed_values.clone(),
                })
                .collect(),
            actions: playbook.actions.clone(),
            rules: rules.map(|rule| rule.id.clone()).collect(),
            regenerate: None,
        }
    }
}

impl Interface {
    /// The document: compact canonical JSON.
    pub fn to_json(&self) -> String {
        let strings = |items: Vec<&str>| Node::list(items);
        let fields = self.fields.iter().map(|field| {
            let allowed = field.allowed_values.as_ref();
            Node::map([
                ("name", field.name.as_str().into()),
                ("type", field.kind.as_str().into()),
                ("required", field.required.into()),
                ("min_value", field.min_value.as_ref().into()),
                ("max_value", field.max_value.as_ref().into()),
                (
                    "allowed_values",
                    allowed
                        .map(|v| strings(v.iter().map(String::as_str).collect()))
                        .into(),
                ),
            ])
        });
        let digest = self
            .raw_pack_sha256
            .map(|d| d.to_string())
            .unwrap_or_default();
        let node = Node::map([
            ("schema", INTERFACE_SCHEMA.into()),
            ("pack_id", self.pack_id.as_str().into()),
            ("pack_version", self.pack_version.as_deref().into()),
            ("raw_pack_sha256", digest.into()),
            ("fields", Node::list(fields)),
            (
                "actions",
                strings(self.actions.iter().map(ActionId::as_str).collect()),
            ),
            (
                "rules",
                strings(self.rules.iter().map(RuleId::as_str).collect()),
            ),
            ("regenerate", self.regenerate.as_deref().into()),
        ]);
        // Bounds are finite by construction, so there is always a JSON form.
        canonical::write(&node, Style::Compact).unwrap_or_default()
    }

    /// Reads an interface document.
    ///
    /// # Errors
    /// Every fault found, with its place in `json`.
    pub fn parse(json: &str) -> Result<Self, Vec<Problem>> {
        let node = canonical::parse(json).map_err(|problem| vec![problem])?;
        let mut problems = Vec::new();
        let interface = read(&node, &mut problems);
        match interface {
            Some(interface) if problems.is_empty() => Ok(interface),
            _ => Err(problems),
        }
    }

    /// Every way in which a client made for `self` does not fit a pack of interface `pack`; empty
    /// when it fits.
    ///
    /// Compared are the pack id, the set of fields (each with type, `required`, bounds and, where
    /// `self` knows them, allowed values), the set of actions and the set of hard rules; nothing
    /// else.
    ///
    /// ```
    /// # use helixor_playbook::{Interface, builtin};
    /// let pack = Interface::from(&builtin::example());
    /// let mut client = pack.clone();
    /// client.actions.pop();
    /// client.fields.reverse();
    /// assert_eq!(client.differences(&pack), [
    ///     "action `redact_and_permit_contact_pii` is in the pack but not in the client",
    /// ]);
    /// ```
    pub fn differences(&self, pack: &Interface) -> Vec<String> {
        let mut found = Vec::new();
        if self.pack_id != pack.pack_id {
            found.push(format!(
                "pack id: the client has `{}`, the pack has `{}`",
                self.pack_id, pack.pack_id
            ));
        }
        let names = |i: &Interface| -> BTreeSet<String> {
            i.fields.iter().map(|f| f.name.to_string()).collect()
        };
        compare_sets(&mut found, "field", &names(self), &names(pack));
        let mut pairs: Vec<_> = self
            .fields
            .iter()
            .filter_map(|ours| {
                let theirs = pack.fields.iter().find(|theirs| theirs.name == ours.name)?;
                Some((ours, theirs))
            })
            .collect();
        pairs.sort_by(|a, b| a.0.name.cmp(&b.0.name));
        for (ours, theirs) in pairs {
            ours.differences(theirs, &mut found);
        }
        let ids = |i: &Interface| -> BTreeSet<String> {
            i.actions.iter().map(ToString::to_string).collect()
        };
        compare_sets(&mut found, "action", &ids(self), &ids(pack));
        let ids = |i: &Interface| -> BTreeSet<String> {
            i.rules.iter().map(ToString::to_string).collect()
        };
        compare_sets(&mut found, "hard rule", &ids(self), &ids(pack));
        found
    }
}

impl InterfaceField {
    fn differences(&self, pack: &InterfaceField, found: &mut Vec<String>) {
        let name = &self.name;
        let mut differ = |what: &str, ours: String, theirs: String| {
            found.push(format!(
                "{what} of field `{name}`: the client has {ours}, the pack has {theirs}"
            ));
        };
        if self.kind != pack.kind {
            differ("type", self.kind.to_string(), pack.kind.to_string());
        }
        if self.required != pack.required {
            differ(
                "`required`",
                self.required.to_string(),
                pack.required.to_string(),
            );
        }
        for (what, ours, theirs) in [
            ("`min_value`", &self.min_value, &pack.min_value),
            ("`max_value`", &self.max_value, &pack.max_value),
        ] {
            let same = match (ours, theirs) {
                (None, None) => true,
                (Some(a), Some(b)) => a.compare(b) == Some(Ordering::Equal),
                _ => false,
            };
            if !same {
                let show = |bound: &Option<Value>| {
                    bound.as_ref().map_or("none".to_owned(), Value::to_string)
                };
                differ(what, show(ours), show(theirs));
            }
        }
        if let Some(ours) = &self.allowed_values {
            let ours: BTreeSet<&String> = ours.iter().collect();
            let theirs: Option<BTreeSet<&String>> = pack
                .allowed_values
                .as_ref()
                .map(|values| values.iter().collect());
            if Some(&ours) != theirs.as_ref() {
                let theirs = theirs.map_or("none".to_owned(), |values| format!("{values:?}"));
                differ("`allowed_values`", format!("{ours:?}"), theirs);
            }
        }
    }
}

fn compare_sets(
    found: &mut Vec<String>,
    what: &str,
    client: &BTreeSet<String>,
    pack: &BTreeSet<String>,
) {
    for name in client.difference(pack) {
        found.push(format!(
            "{what} `{name}` is in the client but not in the pack"
        ));
    }
    for name in pack.difference(client) {
        found.push(format!(
            "{what} `{name}` is in the pack but not in the client"
        ));
    }
}

fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Interface> {
    let mut object = Object::new(node, "the interface", problems)?;
    let schema = object.require("schema", problems)?;
    if schema.as_str() != Some(INTERFACE_SCHEMA) {
        problems.push(expected(
            schema,
            "`schema`",
            &format!("\"{INTERFACE_SCHEMA}\""),
        ));
    }
    let pack_id = id(
        object.require("pack_id", problems)?,
        "`pack_id`",
        PackId::new,
        problems,
    );
    let pack_version = object
        .get_non_null("pack_version")
        .and_then(|n| text(n, "`pack_version`", problems));
    let digest = object.string("raw_pack_sha256", problems)?;
    let raw_pack_sha256 = Digest::from_hex(digest);
    if raw_pack_sha256.is_none() && !digest.is_empty() {
        problems.push(Problem::new(
            object.span(),
            "`raw_pack_sha256` must be empty or 64 lower-case hex digits",
        ));
    }
    let mut fields = Vec::new();
    for (i, item) in list(object.require("fields", problems)?, "`fields`", problems)?
        .iter()
        .enumerate()
    {
        fields.extend(read_field(item, &format!("field {}", i + 1), problems));
    }
    unique(
        node,
        "field",
        fields.iter().map(|f| f.name.as_str()),
        problems,
    );
    let mut ids = Vec::new();
    for key in ["actions", "rules"] {
        let items = object.require(key, problems)?;
        ids.push(list(items, format!("`{key}`"), problems)?);
    }
    let [actions, rules] = ids.as_slice() else {
        return None;
    };
    let actions: Vec<ActionId> = actions
        .iter()
        .filter_map(|n| id(n, "an action", ActionId::new, problems))
        .collect();
    let rules: Vec<RuleId> = rules
        .iter()
        .filter_map(|n| id(n, "a rule", RuleId::new, problems))
        .collect();
    unique(
        node,
        "action",
        actions.iter().map(ActionId::as_str),
        problems,
    );
    unique(node, "rule", rules.iter().map(RuleId::as_str), problems);
    let regenerate = object
        .get_non_null("regenerate")
        .and_then(|n| text(n, "`regenerate`", problems));
    object.finish(problems);
    Some(Interface {
        pack_id: pack_id?,
        pack_version: pack_version.map(Into::into),
        raw_pack_sha256,
        fields,
        actions,
        rules,
        regenerate: regenerate.map(Into::into),
    })
}

fn read_field(node: &Node, what: &str, problems: &mut Vec<Problem>) -> Option<InterfaceField> {
    let mut object = Object::new(node, what, problems)?;
    let name = id(
        object.require("name", problems)?,
        "`name`",
        FieldName::new,
        problems,
    );
    let kind_node = object.require("type", problems)?;
    let kind = kind_node.as_str().and_then(FieldKind::parse);
    if kind.is_none() {
        problems.push(expected(
            kind_node,
            "`type`",
            "boolean, integer, number or string",
        ));
    }
    object.require("required", problems)?;
    let required = object.optional_bool("required", problems);
    let mut bound = |key| {
        let node = object.get_non_null(key)?;
        number(node, format!("`{key}`"), problems)
    };
    let (min_value, max_value) = (bound("min_value"), bound("max_value"));
    let allowed_values = object.get_non_null("allowed_values").and_then(|node| {
        let items = list(node, "`allowed_values`", problems)?;
        Some(
            items
                .iter()
                .filter_map(|n| text(n, "an allowed value", problems))
                .map(Into::into)
                .collect(),
        )
    });
    object.finish(problems);
    Some(InterfaceField {
        name: name?,
        kind: kind?,
        required: required?,
        min_value,
        max_value,
        allowed_values,
    })
}

/// A node that must be a number that a state could hold.
pub fn number(node: &Node, name: impl fmt::Display, problems: &mut Vec<Problem>) -> Option<Value> {
    match node.data {
        Data::Int(value) => match i64::try_from(value) {
            Ok(value) => Some(Value::Integer(value)),
            Err(_) => {
                let message = format!("{name} is outside the 64-bit integer range");
                let help = "write a number beyond -2^63 and 2^63 - 1 with a point";
                problems.push(Problem::new(node.span, message).with_help(help));
                None
            }
        },
        Data::Float(value) => Some(Value::Number(value)),
        _ => {
            problems.push(expected(node, name, "a number"));
            None
        }
    }
}

/// A node that must be a text that is a valid id.
pub(crate) fn id<T>(
    node: &Node,
    name: &str,
    new: impl FnOnce(String) -> Result<T, IdError>,
    problems: &mut Vec<Problem>,
) -> Option<T> {
    match new(text(node, name, problems)?.to_owned()) {
        Ok(id) => Some(id),
        Err(e) => {
            problems.push(Problem::new(node.span, format!("{name} {e}")));
            None
        }
    }
}

fn unique<'a>(
    node: &Node,
    what: &str,
    names: impl Iterator<Item = &'a str>,
    problems: &mut Vec<Problem>,
) {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            problems.push(Problem::new(
                node.span,
                format!("duplicate {what} `{name}`"),
            ));
        }
    }
}
