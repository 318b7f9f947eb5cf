//! The pack's rules, ready to run: immutable, shared by all threads.

use crate::arithmetic::{self, Fault};
use crate::state::State;
use helixor_playbook::condition::{Comparison, Operand, Tree};
use helixor_playbook::{Code, Error, HardRule, Playbook, Value, Verdict};
use std::borrow::Cow;

/// A checked playbook with its rules in priority order.
#[derive(Debug)]
pub(crate) struct Program {
    playbook: Playbook,
    /// Indexes into the playbook's rules; "rule i" everywhere else is the i-th of these.
    priority: Vec<usize>,
}

/// Which rules fired: indexes in priority order. The first 256 need no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fired {
    inline: [u64; 4],
    more: Vec<u64>,
}

/// What one decision says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub(crate) verdict: Verdict,
    pub(crate) action: usize,
    pub(crate) fired: Fired,
}

impl Outcome {
    /// The verdict.
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The action: an index into the pack's actions, in declared order.
    pub const fn action(&self) -> usize {
        self.action
    }

    /// The fired rules: indexes into the pack's rules, in priority order.
    pub fn fired_rules(&self) -> impl Iterator<Item = usize> {
        self.fired.iter()
    }
}

impl Fired {
    fn insert(&mut self, rule: usize) {
        let (word, bit) = (rule / 64, 1 << (rule % 64));
        let slot = match word.checked_sub(self.inline.len()) {
            None => self.inline.get_mut(word),
            Some(word) => {
                if word >= self.more.len() {
                    self.more.resize(word + 1, 0);
                }
                self.more.get_mut(word)
            }
        };
        if let Some(slot) = slot {
            *slot |= bit;
        }
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.inline.iter().chain(&self.more).enumerate();
        words.flat_map(|(i, word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| i * 64 + bit)
        })
    }
}

impl Program {
    pub(crate) fn new(playbook: Playbook) -> Self {
        Self {
            priority: playbook.priority_order(),
            playbook,
        }
    }

    pub(crate) const fn playbook(&self) -> &Playbook {
        &self.playbook
    }

    /// The rules in priority order.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &HardRule> {
        self.priority
            .iter()
            .filter_map(|i| self.playbook.rules.get(*i))
    }

    pub(crate) fn rule(&self, rule: usize) -> Option<&HardRule> {
        self.playbook.rules.get(*self.priority.get(rule)?)
    }

    /// Judges every rule; none is skipped because another fired. One that cannot be judged fails
    /// the whole decision: the first such in declared order.
    pub(crate) fn decide(&self, state: &State) -> Result<Outcome, Error> {
        let mut outcome = Outcome {
            verdict: Verdict::Approve,
            action: self.playbook.default_action,
            fired: Fired::default(),
        };
        let mut fault: Option<(usize, Fault)> = None;
        for (i, declared) in self.priority.iter().enumerate() {
            let Some(rule) = self.playbook.rules.get(*declared) else {
                continue;
            };
            match holds(&rule.condition.tree, state) {
                Ok(false) => {}
                Ok(true) => {
                    if outcome.verdict == Verdict::Approve {
                        outcome.verdict = rule.verdict;
                        outcome.action = rule.action;
                    }
                    outcome.fired.insert(i);
                }
                Err(found) => {
                    if fault.is_none_or(|(first, _)| *declared < first) {
                        fault = Some((*declared, found));
                    }
                }
            }
        }
        match fault {
            None => Ok(outcome),
            Some((declared, fault)) => Err(self.fault(declared, fault)),
        }
    }

    fn fault(&self, declared: usize, fault: Fault) -> Error {
        let rule = self.playbook.rules.get(declared);
        let id = rule.map_or("", |rule| rule.id.as_str());
        Error::new(
            Code::Evaluation,
            format!(
                "rule `{id}` cannot be evaluated on this state: {}",
                fault.message()
            ),
            "nothing is decided when a rule cannot be; bound the fields in the playbook's \
             `state_schema`, or guard the rule's condition",
        )
    }
}

/// Whether a condition holds in a state; parts are judged left to right, as far as they are needed.
pub(crate) fn holds(tree: &Tree, state: &State) -> Result<bool, Fault> {
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
            compare(&left, atom.comparison, &right)
        }
    }
}

/// Whether two values compare so. Null is equal to itself only; it has no order and no parts.
pub(crate) fn compare(left: &Value, comparison: Comparison, right: &Value) -> Result<bool, Fault> {
    // Conditions are typed: what has no order otherwise is null.
    let order = || match left {
        Value::Null => Err(Fault::Null),
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
fn is_in(left: &Value, right: &Value) -> Result<bool, Fault> {
    match (left, right) {
        (left, Value::List(members)) => Ok(members.iter().any(|member| left.equals(member))),
        (Value::String(part), Value::String(text)) => Ok(text.contains(&**part)),
        _ => Err(Fault::Null),
    }
}

/// The value of one side of an atom in a state: borrowed where it stands, or made.
pub(crate) fn operand<'a>(operand: &'a Operand, state: &'a State) -> Result<Cow<'a, Value>, Fault> {
    let value = |side: &Operand| self::operand(side, state).map(Cow::into_owned);
    Ok(match operand {
        Operand::Field(field) => Cow::Borrowed(state.value(*field)),
        Operand::Fact(field) => match state.value(*field) {
            Value::Null => return Err(Fault::Null),
            value => Cow::Borrowed(value),
        },
        Operand::Constant(value) => Cow::Borrowed(value),
        Operand::Truth(tree) => Cow::Owned(Value::Boolean(holds(tree, state)?)),
        Operand::Arithmetic(first, steps) => {
            let mut result = value(first)?;
            for (operator, step) in steps {
                result = arithmetic::apply(*operator, &result, &value(step)?)?;
            }
            Cow::Owned(result)
        }
        Operand::Negative(inner) => Cow::Owned(arithmetic::negate(&value(inner)?)?),
        Operand::Call(function, arguments) => {
            let arguments = arguments.iter().map(value).collect::<Result<_, _>>()?;
            Cow::Owned(arithmetic::call(*function, arguments)?)
        }
        Operand::List(items) => {
            let items = items.iter().map(value).collect::<Result<_, _>>()?;
            Cow::Owned(Value::List(items))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fired_rules_come_back_in_order_inline_and_beyond() {
        let mut fired = Fired::default();
        for rule in [300, 0, 63, 64, 255, 256, 9_999] {
            fired.insert(rule);
        }
        assert_eq!(
            fired.iter().collect::<Vec<_>>(),
            [0, 63, 64, 255, 256, 300, 9_999]
        );
    }
}
