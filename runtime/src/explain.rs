//! Why a decision came out as it did: the atoms that made each fired rule hold.

use crate::judge::{holds, operand};
use crate::layout::{State, View};
use crate::program::{Outcome, Program};
use helixor_playbook::condition::{Atom, Tree};
use helixor_playbook::{Value, Verdict};

/// One necessary cause of a decision. `R` and `F` are how rules and fields are named: indexes
/// here, enums in generated clients.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause<R, F> {
    /// The fired rule.
    pub rule: R,
    /// What the rule asks for: [`Verdict::Refuse`] or [`Verdict::Redact`].
    pub rule_verdict: Verdict,
    /// The field whose value made it fire.
    pub factor: F,
    /// The value that field has in the state.
    pub observed_value: Value,
    /// How the value stands to the threshold: `is_true`, `is_false`, `is_null`, `is_not_null`, `==`,
    /// `!=`, `<`, `<=`, `>`, `>=`, `in` or `not_in`. `in` is also said of a text that holds the
    /// threshold as a part.
    pub direction: &'static str,
    /// What the value was compared with, a list for members; null for booleans and null tests, and
    /// when the field does not stand alone on its side.
    pub threshold: Value,
    /// How far the value is from the threshold, in the field's own unit; `None` unless both are
    /// numbers and the distance is finite.
    pub distance_to_boundary: Option<f64>,
}

/// The causes of an outcome, by fired rule in priority order, then by place in its condition.
pub(crate) fn causes(
    program: &Program,
    state: &State,
    outcome: &Outcome,
) -> Vec<Cause<usize, usize>> {
    let state = program.view(state);
    let mut causes = Vec::new();
    for rule in outcome.fired_rules() {
        let Some(hard_rule) = program.rule(rule) else {
            continue;
        };
        collect(&hard_rule.condition.tree, state, &mut |atom| {
            causes.extend(cause(program, state, atom, rule, hard_rule.verdict));
        });
    }
    causes
}

/// Visits the atoms that are true in a satisfied branch of a tree that holds. A part that cannot be
/// judged counts as not true.
fn collect(tree: &Tree, state: View<'_>, visit: &mut impl FnMut(&Atom)) {
    match tree {
        Tree::All(parts) => parts.iter().for_each(|part| collect(part, state, visit)),
        Tree::Any(parts) => {
            let true_parts = parts.iter().filter(|part| holds(part, state) == Ok(true));
            true_parts.for_each(|part| collect(part, state, visit));
        }
        Tree::Atom(atom) => visit(atom),
    }
}

fn cause(
    program: &Program,
    state: View<'_>,
    atom: &Atom,
    rule: usize,
    rule_verdict: Verdict,
) -> Option<Cause<usize, usize>> {
    let reading = atom.reading(&program.playbook().fields)?;
    let observed_value = Value::from(state.value(reading.factor));
    let threshold = match reading.threshold {
        // The atom holds, so its sides have values.
        Some(other) => operand(other, state).map_or(Value::Null, Value::from),
        None => Value::Null,
    };
    Some(Cause {
        rule,
        rule_verdict,
        factor: reading.factor,
        distance_to_boundary: difference(&observed_value, &threshold).map(f64::abs),
        observed_value,
        direction: reading.direction,
        threshold,
    })
}

/// `a - b` for two numbers, when it is finite.
pub(crate) fn difference(a: &Value, b: &Value) -> Option<f64> {
    let difference = match (a, b) {
        // The difference of two integers is rounded once.
        (Value::Integer(a), Value::Integer(b)) => (i128::from(*a) - i128::from(*b)) as f64,
        (Value::Integer(a), Value::Number(b)) => *a as f64 - b,
        (Value::Number(a), Value::Integer(b)) => a - *b as f64,
        (Value::Number(a), Value::Number(b)) => a - b,
        _ => return None,
    };
    difference.is_finite().then_some(difference)
}
