//! Conditions: a Python-like expression, parsed once and type-checked against the fields.
//!
//! Text -> [`parse()`] -> [`Expr`] -> `Checker` -> [`Condition`]: a tree of AND and OR over
//! positive atoms, negation pushed down to the comparisons.

use crate::value::Value;

/// A checked condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The text as written.
    pub text: String,
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

/// Why an atom holds, as causes and manifests say it: which field, in which direction, against
/// what.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<'a> {
    /// The field: the one alone on the left, else the one alone on the right, else the first in
    /// the text; an index into the fields.
    pub factor: usize,
    /// `is_true`, `is_false`, `==`, `!=`, `<`, `<=`, `>` or `>=`.
    pub direction: &'static str,
    /// The other side, when `factor` stands alone and is not a boolean.
    pub threshold: Option<&'a Operand>,
}
