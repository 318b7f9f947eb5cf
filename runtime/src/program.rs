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
    /// 64 rules each.
    groups: Box<[Group]>,
    /// The rules that are in no group: computed part by part, they can fail.
    judged: Box<[usize]>,
}

/// Of 64 rules that follow each other, those that are made of rows. A number beside rows is a rule's
/// place among the 64.
#[derive(Debug, Default)]
struct Group {
    /// The rules that are one AND.
    all: u64,
    /// What each of them breaks on.
    breaks: Vec<(Row, u8)>,
    /// What the rules that are one OR, or a row alone, hold by.
    holds: Vec<(Row, u8)>,
    /// The others.
    trees: Vec<(Rows, u8)>,
}

impl Group {
    fn insert(&mut self, rule: usize, rows: Rows) {
        let place = (rule % BITS) as u8;
        match rows {
            Rows::One(row) => self.holds.push((row, place)),
            Rows::Any(parts) if parts.iter().all(|part| part.one().is_some()) => {
                let parts = parts.iter().filter_map(Rows::one);
                self.holds.extend(parts.map(|row| (row, place)));
            }
            Rows::All(parts) if parts.iter().all(|part| part.one().is_some()) => {
                let parts = parts.iter().filter_map(Rows::one);
                self.breaks.extend(parts.map(|row| (row.turned(), place)));
                self.all |= 1 << place;
            }
            rows => self.trees.push((rows, place)),
        }
    }

    /// The rules that hold, a bit each.
    #[inline]
    fn judge(&self, words: &[u64]) -> u64 {
        let judge = |rows: &[(Row, u8)]| {
            rows.iter().fold(0, |rules, (row, place)| {
                rules | u64::from(row.holds(words)) << place
            })
        };
        let simple = judge(&self.holds) | self.all & !judge(&self.breaks);
        self.trees.iter().fold(simple, |rules, (rows, place)| {
            rules | u64::from(rows.holds(words)) << place
        })
    }
}

/// Which rules fired: indexes in priority order. The first 256 need no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fired {
    inline: [u64; INLINE],
    more: Box<[u64]>,
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

/// How many times 64 rules need no allocation.
const INLINE: usize = 4;

impl Fired {
    fn insert(&mut self, rule: usize) {
        let (word, bit) = (rule / BITS, 1 << (rule % BITS));
        match word.checked_sub(INLINE) {
            None => self
                .inline
                .get_mut(word)
                .into_iter()
                .for_each(|w| *w |= bit),
            Some(word) => self.insert_more(word, bit),
        }
    }

    /// Of the 64 rules that begin `word` times 64 after the inline ones, those whose bits are set.
    #[cold]
    fn insert_more(&mut self, word: usize, rules: u64) {
        if word >= self.more.len() {
            let mut more = std::mem::take(&mut self.more).into_vec();
            more.resize(word + 1, 0);
            self.more = more.into();
        }
        if let Some(slot) = self.more.get_mut(word) {
            *slot |= rules;
        }
    }

    fn first(&self) -> Option<usize> {
        let first = |words: &[u64]| {
            let (word, rules) = words.iter().enumerate().find(|(_, rules)| **rules != 0)?;
            Some(word * BITS + rules.trailing_zeros() as usize)
        };
        first(&self.inline).or_else(|| Some(INLINE * BITS + first(&self.more)?))
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.inline.iter().chain(&*self.more).enumerate();
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
        let mut groups = Vec::new();
        groups.resize_with(priority.len().div_ceil(BITS), Group::default);
        let mut judged = Vec::new();
        for (i, rule) in in_order().enumerate() {
            let rows = Rows::of(&rule.condition.tree, &playbook.fields, &layout);
            match (rows, groups.get_mut(i / BITS)) {
                (Some(rows), Some(group)) => group.insert(i, rows),
                _ => judged.push(i),
            }
        }
        Self {
            heads: in_order().map(|rule| (rule.verdict, rule.action)).collect(),
            groups: groups.into(),
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
        let judge = |group: &Group| group.judge(words);
        let inline = std::array::from_fn(|i| self.groups.get(i).map_or(0, judge));
        if self.groups.len() > INLINE || !self.judged.is_empty() {
            return self.decide_on(state, inline);
        }
        // Nothing here takes the address of what is returned, so that it is written once.
        Ok(self.outcome(Fired {
            inline,
            more: Box::default(),
        }))
    }

    /// Goes on after the rules that need no allocation and cannot fail.
    #[inline(never)]
    fn decide_on(&self, state: &State, inline: [u64; INLINE]) -> Result<Outcome, Error> {
        let mut fired = Fired {
            inline,
            more: Box::default(),
        };
        for (i, group) in self.groups.iter().skip(INLINE).enumerate() {
            match group.judge(state.words()) {
                0 => {}
                rules => fired.insert_more(i, rules),
            }
        }
        self.judge(state, &mut fired)?;
        Ok(self.outcome(fired))
    }

    #[inline]
    fn outcome(&self, fired: Fired) -> Outcome {
        let head = fired.first().and_then(|first| self.heads.get(first));
        let approved = (Verdict::Approve, self.playbook.default_action);
        let (verdict, action) = head.copied().unwrap_or(approved);
        Outcome {
            verdict,
            action,
            fired,
        }
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
