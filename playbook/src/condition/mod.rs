//! Conditions: a Python-like expression, parsed once and type-checked against the fields.
//!
//! Text -> [`parse()`] -> [`Expr`] -> [`check()`] -> [`Condition`]: a tree of AND and OR over
//! positive atoms, negation pushed down to the comparisons.

mod parser;
mod types;

pub use parser::{
    ArithmeticOperator, CompareOperator, Expr, ExprKind, Function, MAX_BYTES, MAX_LEVELS,
    MAX_OPERATORS, parse,
};
pub use types::check;

use crate::model::{Field, FieldKind};
use crate::value::Value;

/// A checked condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The text as written.
    pub text: String,
    /// The fields it reads, in order of first mention: indexes into the playbook's fields.
    pub fields: Vec<usize>,
    /// What it means.
    pub tree: Tree,
}

/// What a condition means: AND and OR over positive atoms.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// True when every part is, judged left to right.
    All(Vec<Tree>),
    /// True when some part is, judged left to right.
    Any(Vec<Tree>),
    /// One comparison.
    Atom(Atom),
}

/// One comparison of two operands; at least one reads a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    /// Left side.
    pub left: Operand,
    /// How they are compared.
    pub comparison: Comparison,
    /// Right side.
    pub right: Operand,
}

/// A side of an [`Atom`].
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A field: an index into [`Playbook::fields`](crate::Playbook::fields).
    Field(usize),
    /// A constant.
    Constant(Value),
    /// The truth of a condition, compared as a boolean.
    Truth(Box<Tree>),
    /// `a + b - c` or `a * b // c`: the first operand, then each step, from the left.
    Arithmetic(Box<Operand>, Vec<(ArithmeticOperator, Operand)>),
    /// `-a`
    Negative(Box<Operand>),
    /// `abs(a)`: one argument; `min(a, b)` and `max(a, b)`: at least one.
    Call(Function, Vec<Operand>),
}

/// How the sides of an atom are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl Comparison {
    /// As written, and as causes and manifests show it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
        }
    }

    /// The comparison that holds exactly when this one does not.
    #[must_use]
    pub const fn negated(self) -> Self {
        match self {
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
            Comparison::Less => Comparison::GreaterEqual,
            Comparison::LessEqual => Comparison::Greater,
            Comparison::Greater => Comparison::LessEqual,
            Comparison::GreaterEqual => Comparison::Less,
        }
    }

    /// The comparison that says the same with its sides swapped.
    #[must_use]
    pub const fn turned(self) -> Self {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessEqual => Comparison::GreaterEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterEqual => Comparison::LessEqual,
            same => same,
        }
    }
}

/// How an atom is told, in causes and manifests: which field, in which direction, against what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading<'a> {
    /// The field: the one alone on the left, else the one alone on the right, else the first in
    /// the text; an index into the playbook's fields.
    pub factor: usize,
    /// `is_true`, `is_false`, `==`, `!=`, `<`, `<=`, `>` or `>=`, as seen from the factor.
    pub direction: &'static str,
    /// The other side; none for booleans and when the factor does not stand alone.
    pub threshold: Option<&'a Operand>,
}

impl Condition {
    /// The only atom, when the condition is just one.
    pub fn single_atom(&self) -> Option<&Atom> {
        match &self.tree {
            Tree::Atom(atom) => Some(atom),
            Tree::All(_) | Tree::Any(_) => None,
        }
    }
}

impl Atom {
    /// How the atom is told; `None` only for an atom that reads no field, which no check passes.
    pub fn reading(&self, fields: &[Field]) -> Option<Reading<'_>> {
        let (factor, comparison, other) = match (&self.left, &self.right) {
            (Operand::Field(field), other) => (*field, self.comparison, other),
            (other, Operand::Field(field)) => (*field, self.comparison.turned(), other),
            _ => {
                let factor = self
                    .left
                    .first_field()
                    .or_else(|| self.right.first_field())?;
                return Some(Reading {
                    factor,
                    direction: self.comparison.as_str(),
                    threshold: None,
                });
            }
        };
        let boolean = fields
            .get(factor)
            .is_some_and(|field| field.kind == FieldKind::Boolean);
        let direction = match (comparison, other) {
            (Comparison::Equal, Operand::Constant(Value::Boolean(true))) => "is_true",
            (Comparison::Equal, Operand::Constant(Value::Boolean(false))) => "is_false",
            _ => comparison.as_str(),
        };
        Some(Reading {
            factor,
            direction,
            threshold: (!boolean).then_some(other),
        })
    }
}

impl Operand {
    pub(crate) fn first_field(&self) -> Option<usize> {
        match self {
            Operand::Field(field) => Some(*field),
            Operand::Constant(_) => None,
            Operand::Truth(tree) => tree.first_field(),
            Operand::Arithmetic(first, steps) => {
                let steps = || steps.iter().find_map(|(_, operand)| operand.first_field());
                first.first_field().or_else(steps)
            }
            Operand::Negative(inner) => inner.first_field(),
            Operand::Call(_, arguments) => arguments.iter().find_map(Operand::first_field),
        }
    }
}

impl Tree {
    pub(crate) fn first_field(&self) -> Option<usize> {
        match self {
            Tree::All(parts) | Tree::Any(parts) => parts.iter().find_map(Tree::first_field),
            Tree::Atom(atom) => atom.left.first_field().or_else(|| atom.right.first_field()),
        }
    }
}
