//! Judging a condition on a state, part by part, as CPython would.

use crate::arithmetic::{self, Fault};
use crate::layout::View;
use helixor_playbook::ValueRef;
use helixor_playbook::condition::{Comparison, Function, Operand, Tree};
use std::cmp::Ordering;

/// Whether a condition holds in a state; parts are judged left to right, as far as they are needed.
pub(crate) fn holds(tree: &Tree, state: View<'_>) -> Result<bool, Fault> {
    match tree {
        Tree::All(parts) => {
            for part in parts {
                if !holds(part, state)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Tree::Any(parts) => {
            for part in parts {
                if holds(part, state)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Tree::Atom(atom) => {
            let left = operand(&atom.left, state)?;
            let right = operand(&atom.right, state)?;
            compare(left, atom.comparison, right)
        }
    }
}

/// Whether two values compare so. Null is equal to itself only; it has no order and no parts.
pub(crate) fn compare(
    left: ValueRef<'_>,
    comparison: Comparison,
    right: ValueRef<'_>,
) -> Result<bool, Fault> {
    // Conditions are typed: what has no order otherwise is null.
    let order = || match left {
        ValueRef::Null => Err(Fault::Null),
        left => left.compare(right).ok_or(Fault::Null),
    };
    Ok(match comparison {
        Comparison::Equal => left.equals(right),
        Comparison::NotEqual => !left.equals(right),
        Comparison::Less => order()?.is_lt(),
        Comparison::LessEqual => order()?.is_le(),
        Comparison::Greater => order()?.is_gt(),
        Comparison::GreaterEqual => order()?.is_ge(),
        Comparison::In => is_in(left, right)?,
        Comparison::NotIn => !is_in(left, right)?,
    })
}

/// Whether a value is a member of a list, or a text part of another.
fn is_in(left: ValueRef<'_>, right: ValueRef<'_>) -> Result<bool, Fault> {
    match (left, right) {
        (left, ValueRef::List(members)) => Ok(members.iter().any(|m| left.equals(m.into()))),
        (ValueRef::String(part), ValueRef::String(text)) => Ok(text.contains(part)),
        _ => Err(Fault::Null),
    }
}

/// The value of one side of an atom in a state.
pub(crate) fn operand<'a>(operand: &'a Operand, state: View<'a>) -> Result<ValueRef<'a>, Fault> {
    let value = |side: &'a Operand| self::operand(side, state);
    Ok(match operand {
        Operand::Field(field) => state.value(*field),
        Operand::Fact(field) => match state.value(*field) {
            ValueRef::Null => return Err(Fault::Null),
            value => value,
        },
        Operand::Constant(value) => value.into(),
        Operand::Truth(tree) => ValueRef::Boolean(holds(tree, state)?),
        Operand::Arithmetic(first, steps) => {
            let mut result = value(first)?;
            for (operator, step) in steps {
                result = arithmetic::apply(*operator, result, value(step)?)?;
            }
            result
        }
        Operand::Negative(inner) => arithmetic::negate(value(inner)?)?,
        Operand::Call(function, arguments) => match (function, arguments.as_slice()) {
            (Function::Min, numbers) => {
                arithmetic::extreme(Ordering::Less, numbers.iter().map(value))?
            }
            (Function::Max, numbers) => {
                arithmetic::extreme(Ordering::Greater, numbers.iter().map(value))?
            }
            (Function::Abs, [number]) => arithmetic::abs(value(number)?)?,
            (Function::Len, [Operand::List(items)]) => {
                items.iter().try_for_each(|item| value(item).map(drop))?;
                arithmetic::length(items.len())
            }
            (Function::Len, [text]) => match value(text)? {
                ValueRef::String(text) => arithmetic::length(text.chars().count()),
                _ => return Err(Fault::Null),
            },
            // Checked conditions have no other calls.
            (Function::Abs | Function::Len, _) => return Err(Fault::Null),
        },
        // In checked conditions it stands in `len` only.
        Operand::List(_) => return Err(Fault::Null),
    })
}
