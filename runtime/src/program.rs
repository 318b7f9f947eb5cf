//! The pack's rules, ready to run: immutable, shared by all threads.

use crate::arithmetic::Fault;
use crate::judge::holds;
use crate::layout::{Layout, State, View};
use crate::proof;
use crate::table::{Row, Rows};
use helixor_playbook::{Code, Error, HardRule, Playbook, Verdict};

/// A checked playbook with its rules in priority order.
#[derive(Debug)]
pub(crate) struct Program {
    playbook: Playbook,
    layout: Layout,
    /// See [`proof::keys`].
    keys: Box<[String]>,
    /// Indexes into the playbook's rules; "rule i" everywhere else is the i-th of these.
    priority: Box<[usize]>,
    /// For each rule what it decides.
    heads: Box<[(Verdict, usize)]>,
    /// The rules that one row judges.
    rows: Box<[Group]>,
    /// Those that several rows judge.
    trees: Box<[(usize, Rows)]>,
    /// The others: computed part by part, they can fail.
    judged: Box<[usize]>,
}

/// Rules that one row each judges, among 64 that follow each other.
#[derive(Debug)]
struct Group {
    /// The first of the 64, divided by 64.
    word: usize,
    /// Each with its place among the 64.
    rows: Box<[(Row, u8)]>,
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

const BITS: usize = u64::BITS as usize;

impl Fired {
    fn insert(&mut self, rule: usize) {
        self.insert_all(rule / BITS, 1 << (rule % BITS));
    }

    /// Of the 64 rules from `word * 64` on those whose bits are set.
    fn insert_all(&mut self, word: usize, rules: u64) {
        if let Some(slot) = self.inline.get_mut(word) {
            *slot |= rules;
        } else if rules != 0 {
            let word = word - self.inline.len();
            if word >= self.more.len() {
                self.more.resize(word + 1, 0);
            }
            if let Some(slot) = self.more.get_mut(word) {
                *slot |= rules;
            }
        }
    }

    fn first(&self) -> Option<usize> {
        let mut words = self.inline.iter().chain(&self.more).enumerate();
        let (word, rules) = words.find(|(_, rules)| **rules != 0)?;
        Some(word * BITS + rules.trailing_zeros() as usize)
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
        let layout = Layout::new(&playbook.fields);
        let priority: Box<[usize]> = playbook.priority_order().into();
        let in_order = || priority.iter().filter_map(|rule| playbook.rules.get(*rule));
        let (mut rows, mut trees, mut judged) =
            (Vec::<Vec<(Row, u8)>>::new(), Vec::new(), Vec::new());
        rows.resize_with(priority.len().div_ceil(BITS), Vec::new);
        for (i, rule) in in_order().enumerate() {
            match Rows::of(&rule.condition.tree, &playbook.fields, &layout) {
                Some(Rows::One(row)) => {
                    if let Some(group) = rows.get_mut(i / BITS) {
                        group.push((row, (i % BITS) as u8));
                    }
                }
                Some(tree) => trees.push((i, tree)),
                None => judged.push(i),
            }
        }
        let groups = rows.into_iter().enumerate();
        Self {
            heads: in_order().map(|rule| (rule.verdict, rule.action)).collect(),
            rows: groups
                .filter(|(_, rows)| !rows.is_empty())
                .map(|(word, rows)| Group {
                    word,
                    rows: rows.into(),
                })
                .collect(),
            trees: trees.into(),
            judged: judged.into(),
            keys: proof::keys(&playbook.fields),
            priority,
            layout,
            playbook,
        }
    }

    pub(crate) const fn playbook(&self) -> &Playbook {
        &self.playbook
    }

    pub(crate) const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// For each field what stands before its value in a proof.
    pub(crate) const fn keys(&self) -> &[String] {
        &self.keys
    }

    pub(crate) const fn view<'a>(&'a self, state: &'a State) -> View<'a> {
        self.layout.view(state)
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
        let words = state.words();
        let mut fired = Fired::default();
        for group in &self.rows {
            let mut rules = 0;
            for (row, bit) in &group.rows {
                rules |= u64::from(row.holds(words)) << bit;
            }
            fired.insert_all(group.word, rules);
        }
        for (rule, tree) in &self.trees {
            if tree.holds(words) {
                fired.insert(*rule);
            }
        }
        if !self.judged.is_empty() {
            self.judge(state, &mut fired)?;
        }
        let head = fired.first().and_then(|first| self.heads.get(first));
        let (verdict, action) = head
            .copied()
            .unwrap_or((Verdict::Approve, self.playbook.default_action));
        Ok(Outcome {
            verdict,
            action,
            fired,
        })
    }

    fn judge(&self, state: &State, fired: &mut Fired) -> Result<(), Error> {
        let mut fault: Option<(usize, Fault)> = None;
        for i in &self.judged {
            let Some(declared) = self.priority.get(*i) else {
                continue;
            };
            let Some(rule) = self.playbook.rules.get(*declared) else {
                continue;
            };
            match holds(&rule.condition.tree, self.view(state)) {
                Ok(false) => {}
                Ok(true) => fired.insert(*i),
                Err(found) => {
                    if fault.is_none_or(|(first, _)| *declared < first) {
                        fault = Some((*declared, found));
                    }
                }
            }
        }
        match fault {
            None => Ok(()),
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
