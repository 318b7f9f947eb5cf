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
    /// A boolean field that is used as a condition: it must not be null.
    Fact(usize),
    /// A constant; a list right of `in`.
    Constant(Value),
    /// The truth of a condition, compared as a boolean.
    Truth(Box<Tree>),
    /// `a + b - c` or `a * b // c`: the first operand, then each step, from the left.
    Arithmetic(Box<Operand>, Vec<(ArithmeticOperator, Operand)>),
    /// `-a`
    Negative(Box<Operand>),
    /// `abs(a)` and `len(a)`: one argument; `min(a, b)` and `max(a, b)`: at least one.
    Call(Function, Vec<Operand>),
    /// `[a, b]`: it stands in `len` only.
    List(Vec<Operand>),
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
    /// `in`: a member of the list on the right, or a part of the text there.
    In,
    /// `not in`
    NotIn,
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
            Comparison::In => "in",
            Comparison::NotIn => "not_in",
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
            Comparison::In => Comparison::NotIn,
            Comparison::NotIn => Comparison::In,
        }
    }

    /// The comparison that says the same with its sides swapped; `in` has no other word for that.
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
    /// `is_true`, `is_false`, `is_null`, `is_not_null`, `==`, `!=`, `<`, `<=`, `>`, `>=`, `in` or
    /// `not_in`, as seen from the factor.
    pub direction: &'static str,
    /// The other side; none for booleans and null tests, and when the factor does not stand alone.
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
        let (factor, comparison, other) = match (self.left.alone(), self.right.alone()) {
            (Some(field), _) => (field, self.comparison, &self.right),
            (None, Some(field)) => (field, self.comparison.turned(), &self.left),
            (None, None) => {
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
        let null_test = *other == Operand::Constant(Value::Null);
        let direction = match (comparison, other) {
            (Comparison::Equal, Operand::Constant(Value::Boolean(true))) => "is_true",
            (Comparison::Equal, Operand::Constant(Value::Boolean(false))) => "is_false",
            (Comparison::Equal, _) if null_test => "is_null",
            (Comparison::NotEqual, _) if null_test => "is_not_null",
            _ => comparison.as_str(),
        };
        Some(Reading {
            factor,
            direction,
            threshold: (!boolean && !null_test).then_some(other),
        })
    }
}

impl Atom {
    /// Visits the fields it reads, in the order of the text.
    pub fn fields(&self, visit: &mut impl FnMut(usize)) {
        self.left.visit(visit);
        self.right.visit(visit);
    }
}

impl Operand {
    /// The field, when the operand is just one.
    pub const fn alone(&self) -> Option<usize> {
        match self {
            Operand::Field(field) | Operand::Fact(field) => Some(*field),
            _ => None,
        }
    }

    /// Whether it reads a field.
    pub fn reads(&self, field: usize) -> bool {
        let mut found = false;
        self.visit(&mut |other| found |= other == field);
        found
    }

    /// Whether it reads any field.
    pub fn reads_any(&self) -> bool {
        self.first_field().is_some()
    }

    fn first_field(&self) -> Option<usize> {
        let mut first = None;
        self.visit(&mut |field| first = first.or(Some(field)));
        first
    }

    /// Visits the fields it reads, in the order of the text.
    fn visit(&self, visit: &mut impl FnMut(usize)) {
        match self {
            Operand::Field(field) | Operand::Fact(field) => visit(*field),
            Operand::Constant(_) => {}
            Operand::Truth(tree) => tree.visit(visit),
            Operand::Arithmetic(first, steps) => {
                first.visit(visit);
                steps.iter().for_each(|(_, operand)| operand.visit(visit));
            }
            Operand::Negative(inner) => inner.visit(visit),
            Operand::Call(_, operands) | Operand::List(operands) => {
                operands.iter().for_each(|operand| operand.visit(visit));
            }
        }
    }
}

impl Tree {
    fn visit<F: FnMut(usize)>(&self, visit: &mut F) {
        match self {
            Tree::All(parts) | Tree::Any(parts) => parts.iter().for_each(|part| part.visit(visit)),
            Tree::Atom(atom) => atom.fields(visit),
        }
    }

    /// Visits its atoms in the order of the text, those inside operands before those around them.
    pub fn atoms<'a>(&'a self, visit: &mut dyn FnMut(&'a Atom)) {
        match self {
            Tree::All(parts) | Tree::Any(parts) => parts.iter().for_each(|part| part.atoms(visit)),
            Tree::Atom(atom) => {
                for side in [&atom.left, &atom.right] {
                    if let Operand::Truth(tree) = side {
                        tree.atoms(visit);
                    }
                }
                visit(atom);
            }
        }
    }
}
