//! What fits a field: values as callers and documents give them, held to a field's type, bounds and
//! closed set.

use crate::interface::InterfaceField;
use crate::model::{Field, FieldKind};
use crate::node::{Data, Node};
use crate::value::Value;
use std::cmp::Ordering;
use std::sync::Arc;

/// A value as someone gave it, not yet checked against a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// Null.
    Null,
    /// True or false.
    Boolean(bool),
    /// An integer; `None` when it is outside i64 and u64.
    Integer(Option<i128>),
    /// A float, finite or not.
    Number(f64),
    /// A text of Unicode scalar values.
    String(Arc<str>),
    /// Anything else, by the name of its type.
    Other(String),
}

impl Given {
    /// A text that is none, since half a surrogate pair stands in it: some languages can give such.
    pub fn lone_surrogate() -> Self {
        Given::Other("string with a lone surrogate".into())
    }

    fn type_name(&self) -> &str {
        match self {
            Given::Null => "null",
            Given::Boolean(_) => "boolean",
            Given::Integer(_) => "integer",
            Given::Number(_) => "number",
            Given::String(_) => "string",
            Given::Other(name) => name,
        }
    }
}

impl From<&Node> for Given {
    fn from(node: &Node) -> Self {
        match &node.data {
            Data::Null => Given::Null,
            Data::Bool(value) => Given::Boolean(*value),
            Data::Int(value) => Given::Integer(Some(*value)),
            Data::Float(value) => Given::Number(*value),
            Data::String(text) => Given::String(text.as_str().into()),
            Data::List(_) | Data::Map(_) => Given::Other(node.type_name().into()),
        }
    }
}

impl From<Value> for Given {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Given::Null,
            Value::Boolean(value) => Given::Boolean(value),
            Value::Integer(value) => Given::Integer(Some(value.into())),
            Value::Number(value) => Given::Number(value),
            Value::String(text) => Given::String(text),
            Value::List(_) => Given::Other("list".into()),
        }
    }
}

/// Why a value does not fit its field; the text goes on after the field's name ("must be ...",
/// "is ...").
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// It is null, and the field is required.
    Null(String),
    /// It is of another type.
    Type(String),
    /// It is of the right type, but outside what the field can hold, its bounds or its closed set.
    Range(String),
}

impl Misfit {
    /// What is wrong.
    pub fn text(&self) -> &str {
        match self {
            Misfit::Null(text) | Misfit::Type(text) | Misfit::Range(text) => text,
        }
    }
}

/// What a field takes.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'f> {
    /// Its type.
    pub kind: FieldKind,
    /// Whether null is refused.
    pub required: bool,
    /// Smallest allowed number.
    pub min_value: Option<&'f Value>,
    /// Largest allowed number.
    pub max_value: Option<&'f Value>,
    /// The closed set of allowed texts.
    pub allowed_values: Option<&'f [String]>,
}

impl<'f> From<&'f Field> for Shape<'f> {
    fn from(field: &'f Field) -> Self {
        Self {
            kind: field.kind,
            required: field.required,
            min_value: field.min_value.as_ref(),
            max_value: field.max_value.as_ref(),
            allowed_values: field.allowed_values.as_deref(),
        }
    }
}

impl<'f> From<&'f InterfaceField> for Shape<'f> {
    fn from(field: &'f InterfaceField) -> Self {
        Self {
            kind: field.kind,
            required: field.required,
            min_value: field.min_value.as_ref(),
            max_value: field.max_value.as_ref(),
            allowed_values: field.allowed_values.as_deref(),
        }
    }
}

const OUTSIDE_64_BITS: &str = "is outside the 64-bit integer range";

impl Shape<'_> {
    /// The value as the normal state holds it: a number is always a float, and never `-0.0`.
    ///
    /// # Errors
    /// How it does not fit.
    pub fn accept(&self, given: Given) -> Result<Value, Misfit> {
        let range = |text: &str| Err(Misfit::Range(text.to_owned()));
        let value = match (self.kind, given) {
            (_, Given::Null) if !self.required => return Ok(Value::Null),
            (_, Given::Null) => {
                return Err(Misfit::Null("is required and must not be null".into()));
            }
            (FieldKind::Boolean, Given::Boolean(value)) => Value::Boolean(value),
            (FieldKind::String, Given::String(text)) => {
                let closed = self.allowed_values;
                if closed.is_some_and(|values| !values.iter().any(|value| **value == *text)) {
                    return range(&outside(closed.unwrap_or_default(), &text));
                }
                Value::String(text)
            }
            (FieldKind::Integer, Given::Integer(value)) => {
                match value.and_then(|value| i64::try_from(value).ok()) {
                    Some(value) => Value::Integer(value),
                    None => return range(OUTSIDE_64_BITS),
                }
            }
            // `+ 0.0` turns -0.0 into 0.0.
            (FieldKind::Number, Given::Number(value)) if value.is_finite() => {
                Value::Number(value + 0.0)
            }
            (FieldKind::Number, Given::Number(_)) => return range("must be finite"),
            (FieldKind::Number, Given::Integer(None)) => return range(OUTSIDE_64_BITS),
            (FieldKind::Number, Given::Integer(Some(value))) => {
                if (value as f64) as i128 != value {
                    return range("is an integer that no 64-bit float holds exactly");
                }
                Value::Number(value as f64)
            }
            (kind, given) => {
                let article = if kind == FieldKind::Integer {
                    "an"
                } else {
                    "a"
                };
                let found = given.type_name();
                return Err(Misfit::Type(format!(
                    "must be {article} {kind}, not {found}"
                )));
            }
        };
        for (bound, outside, what) in [
            (self.min_value, Ordering::Less, "below its minimum"),
            (self.max_value, Ordering::Greater, "above its maximum"),
        ] {
            if let Some(bound) = bound
                && value.compare(bound) == Some(outside)
            {
                return range(&format!("is {value}, {what} {bound}"));
            }
        }
        Ok(value)
    }
}

/// A text outside a closed set, and the set, each as far as a reader would follow.
fn outside(allowed: &[String], text: &str) -> String {
    const SHOWN: usize = 10;
    let values: Vec<String> = allowed.iter().take(SHOWN).map(|v| shown(v)).collect();
    let more = match allowed.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "is {}, which is none of its allowed values {}{more}",
        shown(text),
        values.join(", ")
    )
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(100) {
        None => Value::String(text.into()).to_string(),
        Some((end, _)) => {
            let start = text.get(..end).unwrap_or_default();
            format!("{} (and so on)", Value::String(start.into()))
        }
    }
}
