//! Conditions over booleans and constants, made into rows of numbers: they cannot fail, and are judged
//! without looking at types.

use crate::judge;
use crate::layout::{Place, View, ordered};
use helixor_playbook::condition::{Atom, Comparison, Operand, Tree};
use helixor_playbook::{Field, Value};
use std::cmp::Ordering;

/// One test of one word of a state: whether the bits of `mask` in it lie `span` or less above `low`.
///
/// The bits of booleans are compared with a pattern: a span of 0. Numbers are words of the same
/// order, so that a comparison is a range; `outside` turns the test round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    word: u32,
    outside: bool,
    /// For who keeps it in a group: the place of its rule there.
    pub(crate) place: u8,
    mask: u64,
    low: u64,
    span: u64,
}

/// AND and OR over rows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    One(Row),
    All(Box<[Rows]>),
    Any(Box<[Rows]>),
}

impl Row {
    #[inline]
    pub(crate) fn holds(&self, words: &[u64]) -> bool {
        let word = words.get(self.word as usize).copied().unwrap_or_default();
        let above = (word & self.mask).wrapping_sub(self.low);
        (above <= self.span) != self.outside
    }

    /// The same for a group.
    pub(crate) const fn placed(self, place: u8) -> Self {
        Self { place, ..self }
    }

    /// Both at once, if they test different bits of one word for a pattern.
    fn and(self, other: Self) -> Option<Self> {
        let pattern = |row: &Self| row.span == 0 && !row.outside;
        let one = self.word == other.word && self.mask & other.mask == 0;
        (one && pattern(&self) && pattern(&other)).then_some(Self {
            mask: self.mask | other.mask,
            low: self.low | other.low,
            ..self
        })
    }

    /// The row that holds when this one does not.
    pub(crate) const fn turned(self) -> Self {
        if self.mask.is_power_of_two() && self.span == 0 {
            // Of one bit the opposite is a pattern too.
            return Self {
                low: self.low ^ self.mask,
                ..self
            };
        }
        Self {
            outside: !self.outside,
            ..self
        }
    }

    /// A row that holds in this range of a number's words, both ends included.
    fn range(word: u32, range: Option<(i64, i64)>) -> Self {
        match range {
            Some((low, high)) => Self {
                word,
                mask: u64::MAX,
                low: low.cast_unsigned(),
                span: high.wrapping_sub(low).cast_unsigned(),
                outside: false,
                place: 0,
            },
            // What is nowhere: 0 does not lie at 1.
            None => Self {
                word,
                mask: 0,
                low: 1,
                span: 0,
                outside: false,
                place: 0,
            },
        }
    }
}

impl Rows {
    /// A condition as rows; `None` when it is not made of booleans and comparisons of numbers with
    /// constants alone, or reads what may be null.
    ///
    /// `blank` is any state: what reads no field is the same in all.
    pub(crate) fn of(tree: &Tree, fields: &[Field], blank: View<'_>) -> Option<Self> {
        let parts = |parts: &[Tree]| {
            let parts = parts.iter().map(|part| Self::of(part, fields, blank));
            parts.collect::<Option<Vec<Self>>>()
        };
        Some(match tree {
            Tree::All(trees) => joined(parts(trees)?, Rows::All, |row| row),
            // At least one holds unless each of the opposites does.
            Tree::Any(trees) => joined(parts(trees)?, Rows::Any, Row::turned),
            Tree::Atom(atom) => comparison(atom, fields, blank)?,
        })
    }

    /// The row, when it is just one.
    pub(crate) const fn one(&self) -> Option<Row> {
        match self {
            Rows::One(row) => Some(*row),
            Rows::All(_) | Rows::Any(_) => None,
        }
    }

    /// The parts of the AND or OR; of a row alone, that.
    pub(crate) fn parts(&self) -> &[Rows] {
        match self {
            Rows::One(_) => std::slice::from_ref(self),
            Rows::All(parts) | Rows::Any(parts) => parts,
        }
    }

    pub(crate) fn holds(&self, words: &[u64]) -> bool {
        match self {
            Rows::One(row) => row.holds(words),
            Rows::All(parts) => parts.iter().all(|part| part.holds(words)),
            Rows::Any(parts) => parts.iter().any(|part| part.holds(words)),
        }
    }
}

/// Parts that all must hold once `turn` was applied to each of their rows: tests of booleans in one
/// word become one.
fn joined(parts: Vec<Rows>, join: fn(Box<[Rows]>) -> Rows, turn: fn(Row) -> Row) -> Rows {
    let mut rows: Vec<Row> = Vec::new();
    let mut joined = Vec::new();
    for part in parts {
        let row = match part {
            Rows::One(row) => turn(row),
            part => {
                joined.push(part);
                continue;
            }
        };
        let mut seen = rows.iter_mut();
        match seen.find_map(|seen| Some((seen.and(row)?, seen))) {
            Some((both, seen)) => *seen = both,
            None => rows.push(row),
        }
    }
    joined.extend(rows.into_iter().map(|row| Rows::One(turn(row))));
    match (joined.pop(), joined.is_empty()) {
        (Some(only), true) => only,
        (last, _) => join(joined.into_iter().chain(last).collect()),
    }
}

/// A field compared with a constant.
fn comparison(atom: &Atom, fields: &[Field], blank: View<'_>) -> Option<Rows> {
    let (field, comparison, other) = match (&atom.left, &atom.right) {
        (Operand::Field(field), other) => (*field, atom.comparison, other),
        (other, Operand::Field(field)) => (*field, atom.comparison.turned(), other),
        _ => return None,
    };
    if other.reads_any() || !fields.get(field)?.required {
        return None;
    }
    let constant = &Value::from(judge::operand(other, blank).ok()?);
    let place = blank.place(field)?;
    if let Value::List(members) = constant {
        let equal = |member| row(place, Comparison::Equal, member).map(Rows::One);
        let any = Rows::Any(members.iter().map(equal).collect::<Option<_>>()?);
        return (comparison == Comparison::In).then_some(any);
    }
    row(place, comparison, constant).map(Rows::One)
}

fn row(place: Place, comparison: Comparison, constant: &Value) -> Option<Row> {
    let (word, cuts): (u32, Cuts) = match (place, constant) {
        (Place::Bit(bit), Value::Boolean(value)) => {
            let mask = 1 << (bit % u64::BITS);
            let row = Row {
                word: bit / u64::BITS,
                mask,
                low: if *value { mask } else { 0 },
                span: 0,
                outside: false,
                place: 0,
            };
            return match comparison {
                Comparison::Equal => Some(row),
                Comparison::NotEqual => Some(row.turned()),
                _ => None,
            };
        }
        (Place::Integer(word), Value::Integer(constant)) => (word, Cuts::whole(*constant)),
        (Place::Integer(word), Value::Number(constant)) => (word, Cuts::integers(*constant)),
        (Place::Number(word), Value::Integer(_) | Value::Number(_)) => {
            (word, Cuts::numbers(constant))
        }
        _ => return None,
    };
    let from = |low: Option<i64>| Row::range(word, low.map(|low| (low, i64::MAX)));
    Some(match comparison {
        Comparison::GreaterEqual => from(cuts.at_least),
        Comparison::Greater => from(cuts.above),
        Comparison::Less => from(cuts.at_least).turned(),
        Comparison::LessEqual => from(cuts.above).turned(),
        Comparison::Equal => cuts.equal(word),
        Comparison::NotEqual => cuts.equal(word).turned(),
        Comparison::In | Comparison::NotIn => return None,
    })
}

/// Where a constant lies among the words of a number: the first that is at least it, and the first
/// above it. `None`: all are less.
#[derive(Clone, Copy, Debug)]
struct Cuts {
    at_least: Option<i64>,
    above: Option<i64>,
}

impl Cuts {
    const fn whole(constant: i64) -> Self {
        Self {
            at_least: Some(constant),
            above: constant.checked_add(1),
        }
    }

    /// A float among integers.
    fn integers(constant: f64) -> Self {
        // 2^63 as a float is exact.
        const LIMIT: f64 = 9_223_372_036_854_775_808.0;
        if constant >= LIMIT {
            Self {
                at_least: None,
                above: None,
            }
        } else if constant < -LIMIT {
            Self {
                at_least: Some(i64::MIN),
                above: Some(i64::MIN),
            }
        } else {
            let floor = Self::whole(constant.floor() as i64);
            match constant.fract() == 0.0 {
                true => floor,
                false => Self {
                    at_least: floor.above,
                    ..floor
                },
            }
        }
    }

    /// A number among floats.
    fn numbers(constant: &Value) -> Self {
        let near = match constant {
            Value::Integer(constant) => *constant as f64,
            Value::Number(constant) => *constant,
            _ => 0.0,
        } + 0.0;
        let next = near.next_up() + 0.0;
        let key = |number: f64| number.is_finite().then(|| ordered(number));
        // An integer may have been rounded up or down.
        match Value::Number(near).compare(constant) {
            Some(Ordering::Greater) => Self {
                at_least: key(near),
                above: key(near),
            },
            Some(Ordering::Less) => Self {
                at_least: key(next),
                above: key(next),
            },
            _ => Self {
                at_least: key(near),
                above: key(next),
            },
        }
    }

    fn equal(self, word: u32) -> Row {
        let range = match (self.at_least, self.above) {
            (Some(low), Some(above)) if low < above => Some((low, above - 1)),
            (Some(low), None) => Some((low, i64::MAX)),
            _ => None,
        };
        Row::range(word, range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use helixor_playbook::{FieldKind, Format, Playbook, check, read};

    fn playbook(conditions: &[String]) -> Playbook {
        let rules = conditions.iter().enumerate();
        let rules = rules.map(|(i, condition)| {
            format!(r#"{{"id": "R{i}", "condition": "{condition}", "action": "a"}}"#)
        });
        let source = format!(
            r#"{{"pack_id": "acme.x.v1", "version": "1.0.0", "actions": ["a"], "default_action": "a",
            "state_schema": {{"a": {{"type": "boolean"}}, "b": {{"type": "boolean"}}, "c": {{"type": "boolean"}},
            "i": {{"type": "integer"}}, "n": {{"type": "number"}},
            "o": {{"type": "boolean", "required": false}}, "s": {{"type": "string"}}}},
            "hard_rules": [{}]}}"#,
            rules.collect::<Vec<_>>().join(",")
        );
        check(&source, &read(&source, Format::Json).unwrap()).unwrap()
    }

    /// Holds the rows of conditions to what is judged part by part, in states of these values; how many
    /// conditions have rows.
    fn agree(conditions: &[String], integers: &[i64], numbers: &[f64]) -> usize {
        let playbook = playbook(conditions);
        let layout = Layout::new(&playbook.fields);
        let mut state = layout.blank();
        let rows: Vec<_> = playbook
            .rules
            .iter()
            .map(|rule| Rows::of(&rule.condition.tree, &playbook.fields, layout.view(&state)))
            .collect();
        for (integer, number) in integers.iter().zip(numbers.iter().cycle()) {
            for booleans in 0..8 {
                for (i, field) in playbook.fields.iter().enumerate() {
                    let value = match field.kind {
                        FieldKind::Boolean => Value::Boolean(booleans >> i & 1 == 1),
                        FieldKind::Integer => Value::Integer(*integer),
                        FieldKind::Number => Value::Number(*number),
                        FieldKind::String => Value::String("x".into()),
                    };
                    layout.put(&mut state, i, value);
                }
                for (rule, rows) in playbook.rules.iter().zip(&rows) {
                    let judged = judge::holds(&rule.condition.tree, layout.view(&state));
                    if let Some(rows) = rows {
                        let text = &rule.condition.text;
                        let found = rows.holds(state.words());
                        assert_eq!(Ok(found), judged, "{text} {integer} {number} {booleans:b}");
                    }
                }
            }
        }
        rows.iter().flatten().count()
    }

    #[test]
    fn rows_say_what_comparisons_say() {
        let integers = [
            i64::MIN,
            i64::MIN + 1,
            -9_007_199_254_740_993,
            -2,
            -1,
            0,
            1,
            2,
            3,
            9_007_199_254_740_991,
            9_007_199_254_740_992,
            9_007_199_254_740_993,
            i64::MAX - 1,
            i64::MAX,
        ];
        let mut numbers: Vec<f64> = integers.iter().map(|i| *i as f64).collect();
        for number in numbers.clone() {
            numbers.extend([
                number.next_up() + 0.0,
                number.next_down() + 0.0,
                number + 0.5,
            ]);
        }
        numbers.extend([f64::MIN, f64::MAX, 5e-324, -5e-324]);
        // Every value meets every integer.
        let pairs = integers
            .iter()
            .flat_map(|i| numbers.iter().map(|n| (*i, *n)));
        let (all_integers, all_numbers): (Vec<i64>, Vec<f64>) = pairs.unzip();
        let mut constants: Vec<String> = numbers.iter().map(|n| format!("{n:?}")).collect();
        // -2^63 has no literal: it would be the negation of what is no integer.
        constants.extend(integers[1..].iter().map(i64::to_string));
        let mut conditions = Vec::new();
        for constant in &constants {
            for operator in ["==", "!=", "<", "<=", ">", ">="] {
                for field in ["state.i", "state.n"] {
                    conditions.push(format!("{field} {operator} {constant}"));
                    conditions.push(format!("{constant} {operator} {field}"));
                }
            }
        }
        assert_eq!(
            agree(&conditions, &all_integers, &all_numbers),
            conditions.len()
        );
    }

    #[test]
    fn rows_say_what_trees_say() {
        let conditions = [
            "state.a and state.b",
            "state.a and not state.b and state.c",
            "state.a or state.b",
            "not state.a or state.b or not state.c",
            "state.a and state.a",
            "state.a and not state.a",
            "state.a or not state.a",
            "state.a and (state.b or state.c)",
            "(state.a or state.b) and (not state.b or state.c)",
            "not (state.a and (state.b or state.i > 2))",
            "state.i > 2 and state.a and state.n < 1.5 and not state.b",
            "state.i > 2 or state.a or state.n < 1.5 or not state.b",
            "1 < state.i <= 3",
            "not 1 < state.i <= 3",
            "state.i in [1, 2.0, 2.5]",
            "state.n in [1, 2.5] and state.a",
            "state.n in []",
            "state.i < 2 * 3 - 4 or state.n > -abs(-1)",
            "state.a in [True] or state.b in [True, False]",
        ];
        let integers: Vec<i64> = (-1..5).flat_map(|i| [i; 7]).collect();
        let numbers = [-0.5, 0.0, 1.0, 1.5, 2.0, 2.5, 3.0];
        let conditions = conditions.map(str::to_owned);
        assert_eq!(agree(&conditions, &integers, &numbers), conditions.len());
    }

    #[test]
    fn tests_of_booleans_in_one_word_are_one() {
        let rows = |condition: &str| {
            let playbook = playbook(&[condition.to_owned()]);
            let layout = Layout::new(&playbook.fields);
            let tree = &playbook.rules[0].condition.tree;
            Rows::of(tree, &playbook.fields, layout.view(&layout.blank()))
        };
        for condition in [
            "state.a and not state.b and state.c",
            "state.a or state.b or not state.c",
            "not (state.a or state.b)",
        ] {
            assert!(matches!(rows(condition), Some(Rows::One(_))), "{condition}");
        }
        // What can be null, computes or compares texts is judged part by part.
        for condition in ["state.a and state.o", "state.i + 1 > 2", "state.s == 'x'"] {
            assert_eq!(rows(condition), None, "{condition}");
        }
    }
}
