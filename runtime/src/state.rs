//! The normal state: what a decision is made on, with one value for every field of the pack.

use helixor_playbook::{Code, Data, Error, Field, FieldKind, Node, Value, suggest_after};
use std::cmp::Ordering;
use std::sync::Arc;

/// A normal state: every field of the pack with its value, ordered by field name.
///
/// Made by [`Pack::state`](crate::Pack::state) or a [`StateBuilder`]; it belongs to the pack it
/// was made for.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    values: Box<[Value]>,
}

impl State {
    /// The values, one for each field of the pack, ordered by field name.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    pub(crate) fn value(&self, field: usize) -> &Value {
        self.values.get(field).unwrap_or(&Value::Null)
    }
}

/// A value as a caller gave it, not yet checked against its field.
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
        }
    }
}

/// Collects the values of one state and finds every fault in them.
#[derive(Debug)]
pub struct StateBuilder<'p> {
    fields: &'p [Field],
    values: Vec<Option<Value>>,
    /// Faults, each with the name of its field.
    faults: Vec<(String, Error)>,
}

impl<'p> StateBuilder<'p> {
    pub(crate) fn new(fields: &'p [Field]) -> Self {
        Self {
            fields,
            values: vec![None; fields.len()],
            faults: Vec::new(),
        }
    }

    /// Sets a field by its index in the pack's fields; an index beyond them is ignored.
    pub fn set(&mut self, field: usize, given: Given) {
        let (Some(known), Some(slot)) = (self.fields.get(field), self.values.get_mut(field)) else {
            return;
        };
        match accept(known, given) {
            Ok(value) => *slot = Some(value),
            Err(fault) => {
                // A value is there, so that it is not reported as missing too.
                *slot = Some(Value::Null);
                self.faults.push((known.name.to_string(), fault));
            }
        }
    }

    /// Sets a field by its name.
    pub fn set_named(&mut self, name: &str, given: Given) {
        match self
            .fields
            .binary_search_by(|field| field.name.as_str().cmp(name))
        {
            Ok(field) => self.set(field, given),
            Err(_) => {
                let known = self.fields.iter().map(|field| field.name.as_str());
                let (shown, more) = shortened(name);
                let fault = Error::new(
                    Code::StateUnknownField,
                    format!("the pack has no field `{shown}`{more}"),
                    suggest_after(self.faults.len(), name, known),
                );
                self.faults.push((name.to_owned(), fault));
            }
        }
    }

    /// The normal state.
    ///
    /// # Errors
    /// The first fault by field name: STATE_MISSING, STATE_UNKNOWN_FIELD, STATE_TYPE or
    /// STATE_RANGE; [`Error::all`] has every fault.
    pub fn finish(self) -> Result<State, Error> {
        let Self {
            fields,
            values,
            mut faults,
        } = self;
        for (field, value) in fields.iter().zip(&values) {
            if value.is_none() {
                faults.push((field.name.to_string(), missing(field.name.as_str())));
            }
        }
        faults.sort_by(|a, b| a.0.cmp(&b.0));
        match Error::first_of(faults.into_iter().map(|(_, fault)| fault).collect()) {
            Some(error) => Err(error),
            None => Ok(State {
                values: values.into_iter().flatten().collect(),
            }),
        }
    }
}

/// No field has a name of more than 200 characters, so what lies beyond tells nobody anything.
fn shortened(name: &str) -> (&str, &'static str) {
    match name.char_indices().nth(200) {
        Some((end, _)) => (name.get(..end).unwrap_or_default(), " (and so on)"),
        None => (name, ""),
    }
}

/// The fault of a required field that was not given.
pub fn missing(field: &str) -> Error {
    Error::new(
        Code::StateMissing,
        format!("field `{field}` is required and missing"),
        "give every required field; nothing is assumed for one that is left out",
    )
}

const OUTSIDE_64_BITS: &str = "is outside the 64-bit integer range";

/// The value of a field in the normal state.
fn accept(field: &Field, given: Given) -> Result<Value, Error> {
    let name = &field.name;
    let wrong_type = |given: &Given| {
        Err(Error::new(
            Code::StateType,
            format!(
                "field `{name}` must be {}, not {}",
                article(field.kind.as_str()),
                given.type_name()
            ),
            "",
        ))
    };
    let value = match (field.kind, given) {
        (_, Given::Null) => {
            return Err(Error::new(
                Code::StateMissing,
                format!("field `{name}` is required and must not be null"),
                "",
            ));
        }
        (FieldKind::Boolean, Given::Boolean(value)) => Value::Boolean(value),
        (FieldKind::String, Given::String(text)) => Value::String(text),
        (FieldKind::Integer, Given::Integer(value)) => {
            let value = value.and_then(|value| i64::try_from(value).ok());
            Value::Integer(value.ok_or_else(|| range(field, OUTSIDE_64_BITS))?)
        }
        // `+ 0.0` turns -0.0 into 0.0.
        (FieldKind::Number, Given::Number(value)) if value.is_finite() => {
            Value::Number(value + 0.0)
        }
        (FieldKind::Number, Given::Number(_)) => return Err(range(field, "must be finite")),
        (FieldKind::Number, Given::Integer(value)) => {
            let value = value.ok_or_else(|| range(field, OUTSIDE_64_BITS))?;
            if (value as f64) as i128 != value {
                let what = "is an integer that no 64-bit float holds exactly";
                return Err(range(field, what));
            }
            Value::Number(value as f64)
        }
        (_, given) => return wrong_type(&given),
    };
    for (bound, outside, what) in [
        (&field.min_value, Ordering::Less, "below its minimum"),
        (&field.max_value, Ordering::Greater, "above its maximum"),
    ] {
        if let Some(bound) = bound
            && value.compare(bound) == Some(outside)
        {
            return Err(range(field, &format!("is {value}, {what} {bound}")));
        }
    }
    Ok(value)
}

fn range(field: &Field, what: &str) -> Error {
    Error::new(
        Code::StateRange,
        format!("field `{}` {what}", field.name),
        "",
    )
}

fn article(kind: &str) -> String {
    let article = if kind.starts_with('i') { "an" } else { "a" };
    format!("{article} {kind}")
}

#[cfg(test)]
mod tests {
    use super::Given;
    use crate::Pack;

    #[test]
    fn the_name_of_an_unknown_field_is_shown_as_far_as_names_go() {
        let json = format!("{{\"{}\": true}}", "ü".repeat(100_000));
        let error = Pack::builtin()
            .state_from_json(json.as_bytes())
            .unwrap_err();
        let told = error.all().iter().map(|fault| fault.message().len()).max();
        assert!(told.is_some_and(|longest| longest < 500), "{told:?}");
    }

    #[test]
    fn an_integer_outside_64_bits_is_told_as_such_for_integers_and_numbers() {
        let source = "{\"pack_id\": \"acme.x.v1\", \"version\": \"1.0.0\", \"actions\": [\"a\"], \
            \"default_action\": \"a\", \"state_schema\": {\"i\": {\"type\": \"integer\"}, \"n\": {\"type\": \"number\"}}, \
            \"hard_rules\": [{\"id\": \"R\", \"condition\": \"state.i > state.n\", \"action\": \"a\"}]}";
        let root = helixor_playbook::read(source, helixor_playbook::Format::Json).unwrap();
        let pack = Pack::from(helixor_playbook::check(source, &root).unwrap());
        let mut state = pack.state();
        state.set_named("i", Given::Integer(None));
        state.set_named("n", Given::Integer(None));
        let error = state.finish().unwrap_err();
        let told: Vec<&str> = error.all().iter().map(|fault| fault.message()).collect();
        assert_eq!(
            told,
            [
                "field `i` is outside the 64-bit integer range",
                "field `n` is outside the 64-bit integer range",
            ]
        );
    }
}
