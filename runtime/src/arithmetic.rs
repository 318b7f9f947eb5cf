//! Arithmetic as CPython does it, within 64 bits.
//!
//! Integers are i64 and numbers f64; an integer that meets a number is rounded to one. Where an
//! integer leaves i64, a float is not finite or CPython raises, there is a [`Fault`].

use helixor_playbook::ValueRef;
use helixor_playbook::condition::ArithmeticOperator;
use std::cmp::Ordering;

/// Why a value could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    DivisionByZero,
    Overflow,
    NotFinite,
    Null,
}

impl Fault {
    pub(crate) const fn message(self) -> &'static str {
        match self {
            Fault::DivisionByZero => "it divides by zero",
            Fault::Overflow => "an integer in it leaves the 64-bit range",
            Fault::Null => "it needs the value of a field that is null",
            Fault::NotFinite => "a number in it is too large for a 64-bit float",
        }
    }
}

/// `left operator right`. Conditions are typed: both are numbers, or null.
pub(crate) fn apply<'v>(
    operator: ArithmeticOperator,
    left: ValueRef<'_>,
    right: ValueRef<'_>,
) -> Result<ValueRef<'v>, Fault> {
    if let (ValueRef::Integer(a), ValueRef::Integer(b)) = (left, right) {
        return integers(operator, a, b);
    }
    floats(operator, float(left)?, float(right)?)
}

pub(crate) fn negate(value: ValueRef<'_>) -> Result<ValueRef<'_>, Fault> {
    match value {
        ValueRef::Integer(value) => integer(value.checked_neg()),
        other => Ok(ValueRef::Number(-float(other)?)),
    }
}

pub(crate) fn abs(value: ValueRef<'_>) -> Result<ValueRef<'_>, Fault> {
    match value {
        ValueRef::Integer(value) => integer(value.checked_abs()),
        other => Ok(ValueRef::Number(float(other)?.abs())),
    }
}

/// The first of the values that is the least or the greatest, as it is. As in CPython all are computed
/// before they are compared.
pub(crate) fn extreme<'v>(
    wanted: Ordering,
    values: impl Iterator<Item = Result<ValueRef<'v>, Fault>>,
) -> Result<ValueRef<'v>, Fault> {
    let mut best: Option<ValueRef<'_>> = None;
    let mut null = false;
    for value in values {
        let value = value?;
        // Null is no number, not even alone.
        null |= float(value).is_err();
        if best.is_none_or(|best| value.compare(best) == Some(wanted)) {
            best = Some(value);
        }
    }
    best.filter(|_| !null).ok_or(Fault::Null)
}

pub(crate) fn length(length: usize) -> ValueRef<'static> {
    ValueRef::Integer(i64::try_from(length).unwrap_or(i64::MAX))
}

fn integer<'v>(value: Option<i64>) -> Result<ValueRef<'v>, Fault> {
    value.map(ValueRef::Integer).ok_or(Fault::Overflow)
}

fn float(value: ValueRef<'_>) -> Result<f64, Fault> {
    match value {
        ValueRef::Integer(value) => Ok(value as f64),
        ValueRef::Number(value) => Ok(value),
        _ => Err(Fault::Null),
    }
}

fn integers<'v>(operator: ArithmeticOperator, a: i64, b: i64) -> Result<ValueRef<'v>, Fault> {
    let divides = !matches!(
        operator,
        ArithmeticOperator::Add | ArithmeticOperator::Subtract | ArithmeticOperator::Multiply
    );
    if divides && b == 0 {
        return Err(Fault::DivisionByZero);
    }
    let result = match operator {
        ArithmeticOperator::Add => a.checked_add(b),
        ArithmeticOperator::Subtract => a.checked_sub(b),
        ArithmeticOperator::Multiply => a.checked_mul(b),
        ArithmeticOperator::Divide => return Ok(ValueRef::Number(quotient(a, b))),
        ArithmeticOperator::FloorDivide => {
            let floored = a.checked_div(b);
            floored.map(|q| {
                if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) {
                    q - 1
                } else {
                    q
                }
            })
        }
        ArithmeticOperator::Remainder => {
            let rest = a.wrapping_rem(b);
            Some(if rest != 0 && (rest < 0) != (b < 0) {
                rest + b
            } else {
                rest
            })
        }
    };
    integer(result)
}

/// a / b, rounded once (to nearest, ties to even); b is not 0.
fn quotient(a: i64, b: i64) -> f64 {
    let (dividend, divisor) = (u128::from(a.unsigned_abs()), u128::from(b.unsigned_abs()));
    let bits = |n: u128| 128 - n.leading_zeros() as i32;
    // Scaled so that the whole quotient has 55 or 56 bits: two more than a float keeps, and the
    // lowest of them also stands for all that is cut off.
    let shift = 55 + bits(divisor) - bits(dividend);
    let (dividend, divisor) = if shift >= 0 {
        (dividend << shift, divisor)
    } else {
        (dividend, divisor << -shift)
    };
    let whole = (dividend / divisor) | u128::from(dividend % divisor != 0);
    // 2^-shift by its bits: how exact `powi` is, is not promised. The exponent is far from both ends.
    let scale = f64::from_bits(u64::from((1_023 - shift).unsigned_abs()) << 52);
    let value = whole as f64 * scale;
    if (a < 0) == (b < 0) { value } else { -value }
}

fn floats<'v>(operator: ArithmeticOperator, a: f64, b: f64) -> Result<ValueRef<'v>, Fault> {
    let divides = !matches!(
        operator,
        ArithmeticOperator::Add | ArithmeticOperator::Subtract | ArithmeticOperator::Multiply
    );
    if divides && b == 0.0 {
        return Err(Fault::DivisionByZero);
    }
    let result = match operator {
        ArithmeticOperator::Add => a + b,
        ArithmeticOperator::Subtract => a - b,
        ArithmeticOperator::Multiply => a * b,
        ArithmeticOperator::Divide => a / b,
        ArithmeticOperator::FloorDivide => divmod(a, b).0,
        ArithmeticOperator::Remainder => divmod(a, b).1,
    };
    if result.is_finite() {
        Ok(ValueRef::Number(result))
    } else {
        Err(Fault::NotFinite)
    }
}

/// Floored quotient and remainder, the remainder with the divisor's sign; the steps are those of
/// CPython's `float.__divmod__`, so that every bit agrees. b is not 0.
fn divmod(a: f64, b: f64) -> (f64, f64) {
    let mut rest = a % b;
    let mut quotient = (a - rest) / b;
    if rest == 0.0 {
        rest = 0f64.copysign(b);
    } else if (b < 0.0) != (rest < 0.0) {
        rest += b;
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return (0f64.copysign(a / b), rest);
    }
    let mut floored = quotient.floor();
    if quotient - floored > 0.5 {
        floored += 1.0;
    }
    (floored, rest)
}

#[cfg(test)]
mod tests {
    use super::ArithmeticOperator::{Add, Divide, FloorDivide, Multiply, Remainder, Subtract};
    use super::*;

    #[test]
    fn integers_stay_integers_within_64_bits() {
        let int = ValueRef::Integer;
        for (a, operator, b, expected) in [
            (7, Add, 2, Ok(int(9))),
            (i64::MAX, Add, 1, Err(Fault::Overflow)),
            (i64::MIN, Subtract, 1, Err(Fault::Overflow)),
            (1 << 62, Multiply, 2, Err(Fault::Overflow)),
            (-7, FloorDivide, 2, Ok(int(-4))),
            (7, FloorDivide, -2, Ok(int(-4))),
            (-7, Remainder, 2, Ok(int(1))),
            (7, Remainder, -2, Ok(int(-1))),
            (i64::MIN, FloorDivide, -1, Err(Fault::Overflow)),
            (i64::MIN, Remainder, -1, Ok(int(0))),
            (1, FloorDivide, 0, Err(Fault::DivisionByZero)),
            (1, Remainder, 0, Err(Fault::DivisionByZero)),
            (1, Divide, 0, Err(Fault::DivisionByZero)),
            (1, Divide, 3, Ok(ValueRef::Number(1.0 / 3.0))),
            (
                9_007_199_254_740_993,
                Divide,
                1,
                Ok(ValueRef::Number(9_007_199_254_740_992.0)),
            ),
            (i64::MAX, Divide, i64::MIN, Ok(ValueRef::Number(-1.0))),
            (0, Divide, -5, Ok(ValueRef::Number(-0.0))),
        ] {
            assert_eq!(
                apply(operator, int(a), int(b)),
                expected,
                "{a} {operator:?} {b}"
            );
        }
        assert_eq!(negate(int(i64::MIN)), Err(Fault::Overflow));
        assert_eq!(abs(int(i64::MIN)), Err(Fault::Overflow));
    }

    #[test]
    fn the_first_extreme_argument_is_given_as_it_is() {
        use ValueRef::{Integer, Null, Number};
        let of = |wanted, values: &[Result<ValueRef<'static>, Fault>]| {
            extreme(wanted, values.iter().copied())
        };
        let arguments = [Integer(2), Number(1.0), Integer(1), Number(2.0)].map(Ok);
        assert_eq!(of(Ordering::Less, &arguments), Ok(Number(1.0)));
        assert_eq!(of(Ordering::Greater, &arguments), Ok(Integer(2)));
        for nulls in [vec![Null], vec![Integer(1), Null], vec![Null, Integer(1)]] {
            let nulls: Vec<_> = nulls.into_iter().map(Ok).collect();
            assert_eq!(of(Ordering::Less, &nulls), Err(Fault::Null));
        }
        // A division by zero comes before any comparison.
        let late = [Ok(Null), Ok(Integer(1)), Err(Fault::DivisionByZero)];
        assert_eq!(of(Ordering::Less, &late), Err(Fault::DivisionByZero));
    }
}
