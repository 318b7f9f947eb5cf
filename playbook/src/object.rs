//! Fills file structs from a map: which keys are there, which are missing, which are unknown.

use crate::hidden::shown;
use crate::node::{Data, Entry, Node, Span};
use crate::problem::{Problem, suggest_after};
use std::fmt;

/// Reads the keys of one map and collects every fault.
///
/// ```
/// use helixor_playbook::{canonical, Object};
///
/// let node = canonical::parse(r#"{"name": "Ada", "aeg": 36}"#).unwrap();
/// let mut problems = Vec::new();
/// let mut object = Object::new(&node, "person", &mut problems).unwrap();
/// let name = object.string("name", &mut problems);
/// let age = object.get("age");
/// object.finish(&mut problems);
/// assert_eq!((name, age.is_none()), (Some("Ada"), true));
/// assert_eq!(problems[0].message, "unknown key `aeg` in person");
/// ```
#[derive(Debug)]
pub struct Object<'n> {
    what: String,
    span: Span,
    entries: &'n [Entry],
    asked: Vec<&'static str>,
}

impl<'n> Object<'n> {
    /// Takes a map; anything else is a problem. `what` names it in messages ("hard rule 3").
    pub fn new(
        node: &'n Node,
        what: impl Into<String>,
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let what = what.into();
        match &node.data {
            Data::Map(entries) => Some(Self {
                what,
                span: node.span,
                entries,
                asked: Vec::with_capacity(8),
            }),
            _ => {
                problems.push(expected(node, what, "a map"));
                None
            }
        }
    }

    /// Where the map stands.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// The value of a key that may be left out; null counts as a value.
    pub fn get(&mut self, key: &'static str) -> Option<&'n Node> {
        self.asked.push(key);
        self.entries
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.value)
    }

    /// The value of a key that may be left out or null.
    pub fn get_non_null(&mut self, key: &'static str) -> Option<&'n Node> {
        self.get(key).filter(|node| !node.is_null())
    }

    /// The value of a key that must be there.
    pub fn require(&mut self, key: &'static str, problems: &mut Vec<Problem>) -> Option<&'n Node> {
        let found = self.get(key);
        if found.is_none() {
            problems.push(Problem::new(
                Span::new(self.span.start, self.span.start),
                format!("missing key `{key}` in {}", self.what),
            ));
        }
        found
    }

    /// A text under a key that must be there.
    pub fn string(&mut self, key: &'static str, problems: &mut Vec<Problem>) -> Option<&'n str> {
        let node = self.require(key, problems)?;
        text(node, self.name_of(key), problems)
    }

    /// A text under a key that may be left out.
    pub fn optional_string(
        &mut self,
        key: &'static str,
        problems: &mut Vec<Problem>,
    ) -> Option<&'n str> {
        let node = self.get(key)?;
        text(node, self.name_of(key), problems)
    }

    /// True or false under a key that may be left out.
    pub fn optional_bool(
        &mut self,
        key: &'static str,
        problems: &mut Vec<Problem>,
    ) -> Option<bool> {
        let node = self.get(key)?;
        match node.data {
            Data::Bool(value) => Some(value),
            _ => {
                problems.push(expected(node, self.name_of(key), "a boolean"));
                None
            }
        }
    }

    /// A number, integers included, under a key that may be left out.
    pub fn optional_number(
        &mut self,
        key: &'static str,
        problems: &mut Vec<Problem>,
    ) -> Option<f64> {
        let node = self.get(key)?;
        match node.data {
            Data::Float(value) => Some(value),
            Data::Int(value) => Some(value as f64),
            _ => {
                problems.push(expected(node, self.name_of(key), "a number"));
                None
            }
        }
    }

    /// A list under a key that may be left out.
    pub fn optional_list(
        &mut self,
        key: &'static str,
        problems: &mut Vec<Problem>,
    ) -> Option<&'n [Node]> {
        let node = self.get(key)?;
        list(node, self.name_of(key), problems)
    }

    /// How a key of this map is named in messages.
    pub const fn name_of<'a>(&'a self, key: &'a str) -> Name<'a> {
        Name {
            key,
            what: self.what.as_str(),
        }
    }

    /// The keys that were never asked for.
    pub fn unknown(&self) -> impl Iterator<Item = &'n Entry> {
        self.entries
            .iter()
            .filter(|entry| !self.asked.contains(&entry.key.as_str()))
    }

    /// Reports every key that was never asked for.
    pub fn finish(self, problems: &mut Vec<Problem>) {
        for entry in self.unknown() {
            let asked = self.asked.iter().copied();
            let help = suggest_after(problems.len(), &entry.key, asked);
            let message = format!("unknown key {} in {}", shown(&entry.key), self.what);
            problems.push(Problem::new(entry.key_span, message).with_help(help));
        }
    }
}

/// How a key is named in messages; made a text only when one is told.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    key: &'a str,
    what: &'a str,
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of {}", self.key, self.what)
    }
}

/// The problem that a node is not of the wanted kind.
pub fn expected(node: &Node, name: impl fmt::Display, wanted: &str) -> Problem {
    let article = match node.type_name() {
        "null" => "",
        "integer" => "an ",
        _ => "a ",
    };
    Problem::new(
        node.span,
        format!("{name} must be {wanted}, not {article}{}", node.type_name()),
    )
}

/// A node that must be a text.
pub(crate) fn text<'n>(
    node: &'n Node,
    name: impl fmt::Display,
    problems: &mut Vec<Problem>,
) -> Option<&'n str> {
    let found = node.as_str();
    if found.is_none() {
        problems.push(expected(node, name, "a string"));
    }
    found
}

/// A node that must be a list.
pub(crate) fn list<'n>(
    node: &'n Node,
    name: impl fmt::Display,
    problems: &mut Vec<Problem>,
) -> Option<&'n [Node]> {
    match &node.data {
        Data::List(items) => Some(items),
        _ => {
            problems.push(expected(node, name, "a list"));
            None
        }
    }
}
