//! The scalar values of states, defaults, bounds and conditions.

use crate::node::{Data, Node};
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// One value of a state field.
///
/// `==` compares kind and content, so that `Integer(5)` is not `Number(5.0)`;
/// [`Value::compare`] compares as conditions do.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A 64-bit integer.
    Integer(i64),
    /// A finite float.
    Number(f64),
    /// A text of Unicode scalar values.
    String(Arc<str>),
    /// Several values. No field holds one: it stands right of `in`, and as the threshold of a cause.
    List(Arc<[Value]>),
}

/// A [`Value`] where it stands: what conditions are judged on, without copying texts and lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueRef<'a> {
    /// No value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A 64-bit integer.
    Integer(i64),
    /// A finite float.
    Number(f64),
    /// A text.
    String(&'a str),
    /// Several values.
    List(&'a [Value]),
}

impl ValueRef<'_> {
    /// Orders two numbers by exact value, two strings by code point, two booleans false first;
    /// `None` where the kinds do not meet, and for lists.
    pub fn compare(self, other: ValueRef<'_>) -> Option<Ordering> {
        use ValueRef::{Boolean, Integer, Null, Number, String};
        match (self, other) {
            (Null, Null) => Some(Ordering::Equal),
            (Boolean(a), Boolean(b)) => Some(a.cmp(&b)),
            (Integer(a), Integer(b)) => Some(a.cmp(&b)),
            (Number(a), Number(b)) => a.partial_cmp(&b),
            (Integer(a), Number(b)) => compare_exactly(a, b),
            (Number(a), Integer(b)) => compare_exactly(b, a).map(Ordering::reverse),
            (String(a), String(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// Whether two values are equal as conditions see them: numbers by value, null to itself.
    pub fn equals(self, other: ValueRef<'_>) -> bool {
        self.compare(other) == Some(Ordering::Equal)
    }
}

impl<'a> From<&'a Value> for ValueRef<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => ValueRef::Null,
            Value::Boolean(value) => ValueRef::Boolean(*value),
            Value::Integer(value) => ValueRef::Integer(*value),
            Value::Number(value) => ValueRef::Number(*value),
            Value::String(text) => ValueRef::String(text),
            Value::List(items) => ValueRef::List(items),
        }
    }
}

impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Value::Null,
            ValueRef::Boolean(value) => Value::Boolean(value),
            ValueRef::Integer(value) => Value::Integer(value),
            ValueRef::Number(value) => Value::Number(value),
            ValueRef::String(text) => Value::String(text.into()),
            ValueRef::List(items) => Value::List(items.into()),
        }
    }
}

impl Value {
    /// As [`ValueRef::compare`].
    pub fn compare(&self, other: &Value) -> Option<Ordering> {
        ValueRef::from(self).compare(other.into())
    }

    /// What this is, as users call it.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Boolean(_) => "boolean",
            Value::Integer(_) => "integer",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::List(_) => "list",
        }
    }
}

/// Orders an integer against a finite float without rounding either.
fn compare_exactly(integer: i64, float: f64) -> Option<Ordering> {
    // 2^63 as a float is exact; every float at or beyond it lies outside i64.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() {
        None
    } else if float >= LIMIT {
        Some(Ordering::Less)
    } else if float < -LIMIT {
        Some(Ordering::Greater)
    } else {
        // In range, so truncation is exact; the rest decides between equal integers.
        let whole = float.trunc();
        let fraction = float - whole;
        Some(
            integer
                .cmp(&(whole as i64))
                .then(0.0f64.partial_cmp(&fraction)?),
        )
    }
}

impl From<&Value> for Node {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Data::Null.into(),
            Value::Boolean(b) => (*b).into(),
            Value::Integer(i) => (*i).into(),
            Value::Number(n) => (*n).into(),
            Value::String(s) => s.as_ref().into(),
            Value::List(items) => Node::list(items.iter()),
        }
    }
}

/// The value as messages show it: JSON-like, strings in double quotes.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Boolean(b) => write!(f, "{b}"),
            Value::Integer(i) => write!(f, "{i}"),
            Value::Number(n) => crate::canonical::write_float(f, *n),
            Value::String(s) => write!(f, "{s:?}"),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(Value::to_string).collect();
                write!(f, "[{}]", items.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_meet_floats_by_exact_value() {
        let cases = [
            (
                9_007_199_254_740_993,
                9_007_199_254_740_992.0,
                Ordering::Greater,
            ),
            (
                9_007_199_254_740_992,
                9_007_199_254_740_992.0,
                Ordering::Equal,
            ),
            (i64::MAX, 9_223_372_036_854_775_808.0, Ordering::Less),
            (i64::MIN, -9_223_372_036_854_775_808.0, Ordering::Equal),
            (0, -0.0, Ordering::Equal),
            (0, 0.5, Ordering::Less),
            (0, -0.5, Ordering::Greater),
            (-1, -0.5, Ordering::Less),
            (5, 1e300, Ordering::Less),
            (5, -1e300, Ordering::Greater),
        ];
        for (integer, float, expected) in cases {
            let (a, b) = (Value::Integer(integer), Value::Number(float));
            assert_eq!(a.compare(&b), Some(expected), "{integer} {float}");
            assert_eq!(b.compare(&a), Some(expected.reverse()), "{float} {integer}");
        }
        assert_eq!(Value::Boolean(true).compare(&Value::Integer(1)), None);
    }
}
