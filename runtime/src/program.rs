//! The pack's rules, ready to run: immutable, shared by all threads.

use crate::arithmetic::Fault;
use crate::judge::holds;
use crate::layout::{Layout, State, View};
use crate::proof;
use crate::table::{Row, Rows};
use helixor_playbook::{Code, Error, FieldKind, HardRule, Playbook, Verdict};

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
    heads: Box<[(Verdict, u32)]>,
    default_action: u32,
    /// 64 rules each.
    groups: Box<[Group]>,
    /// What is decided on each state of a few booleans, by its only word; empty for other packs.
    answers: Box<[Answer]>,
    /// The rules that are in no group: computed part by part, they can fail.
    judged: Box<[usize]>,
}

/// An [`Outcome`] of at most 64 rules.
#[derive(Clone, Copy, Debug)]
struct Answer {
    verdict: Verdict,
    action: u32,
    fired: u64,
}

/// How many booleans are few: so many that the answers take 4 KiB.
const FEW: usize = 8;

/// Of 64 rules that follow each other, those that are made of rows; rows know their rule's place among
/// the 64.
#[derive(Debug, Default)]
struct Group {
    /// The rules that are one AND.
    all: u64,
    /// What each of them breaks on.
    breaks: Vec<Row>,
    /// What the rules that are one OR, or a row alone, hold by.
    holds: Vec<Row>,
    /// The others.
    trees: Vec<(Rows, u8)>,
}

impl Group {
    fn insert(&mut self, rule: usize, rows: Rows) {
        let place = (rule % BITS) as u8;
        let ones = |parts: &[Rows]| -> Option<Vec<Row>> { parts.iter().map(Rows::one).collect() };
        let placed = |row: Row| row.placed(place);
        match (&rows, ones(rows.parts())) {
            (Rows::All(_), Some(rows)) => {
                self.breaks
                    .extend(rows.into_iter().map(Row::turned).map(placed));
                self.all |= 1 << place;
            }
            (_, Some(rows)) => self.holds.extend(rows.into_iter().map(placed)),
            (_, None) => self.trees.push((rows, place)),
        }
    }

    /// The rules that hold, a bit each.
    #[inline]
    fn judge(&self, words: &[u64]) -> u64 {
        let judge = |rows: &[Row]| {
            rows.iter().fold(0, |rules, row| {
                rules | u64::from(row.holds(words)) << row.place
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
    pub(crate) action: u32,
    pub(crate) fired: Fired,
}

impl Outcome {
    /// The verdict.
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The action: an index into the pack's actions, in declared order.
    pub const fn action(&self) -> usize {
        self.action as usize
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

    fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.inline.iter().chain(&*self.more).enumerate();
        words.flat_map(|(i, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let rule = first(&[left])?;
                left &= left - 1;
                Some(i * BITS + rule)
            })
        })
    }
}

/// The first rule of those whose bits are set.
#[inline]
fn first(fired: &[u64]) -> Option<usize> {
    let (word, rules) = fired.iter().enumerate().find(|(_, rules)| **rules != 0)?;
    Some(word * BITS + rules.trailing_zeros() as usize)
}

impl Program {
    pub(crate) fn new(playbook: Playbook) -> Self {
        let layout = Layout::new(&playbook.fields);
        let priority: Box<[usize]> = playbook.priority_order().into();
        let in_order = || priority.iter().filter_map(|rule| playbook.rules.get(*rule));
        let mut groups = Vec::new();
        groups.resize_with(priority.len().div_ceil(BITS), Group::default);
        let mut judged = Vec::new();
        let blank = layout.blank();
        for (i, rule) in in_order().enumerate() {
            let rows = Rows::of(&rule.condition.tree, &playbook.fields, layout.view(&blank));
            match (rows, groups.get_mut(i / BITS)) {
                (Some(rows), Some(group)) => group.insert(i, rows),
                _ => judged.push(i),
            }
        }
        // Playbooks have far fewer actions than numbers fit into 32 bits.
        let number = |action: usize| u32::try_from(action).unwrap_or(u32::MAX);
        let heads = in_order().map(|rule| (rule.verdict, number(rule.action)));
        let mut program = Self {
            heads: heads.collect(),
            default_action: number(playbook.default_action),
            groups: groups.into(),
            answers: Box::default(),
            judged: judged.into(),
            keys: proof::keys(&playbook.fields),
            priority,
            layout,
            playbook,
        };
        program.answers = program.all_answers();
        program
    }

    /// What is decided on each state, if those are few and no rule can fail.
    fn all_answers(&self) -> Box<[Answer]> {
        let fields = &self.playbook.fields;
        let booleans = fields.iter().filter(|f| f.kind == FieldKind::Boolean);
        let booleans = booleans.count();
        let few = self.layout.words() == 1 && (1..=FEW).contains(&booleans);
        match &*self.groups {
            [group] if few && self.judged.is_empty() => (0..1 << booleans)
                .map(|word| {
                    let fired = group.judge(&[word]);
                    let (verdict, action) = self.head(first(&[fired]));
                    Answer {
                        verdict,
                        action,
                        fired,
                    }
                })
                .collect(),
            _ => Box::default(),
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
    #[inline]
    pub(crate) fn decide(&self, state: &State) -> Result<Outcome, Error> {
        if let [word] = state.words()
            && let Some(answer) = self.answers.get(*word as usize)
        {
            let mut inline = [0; INLINE];
            inline[0] = answer.fired;
            return Ok(Outcome {
                verdict: answer.verdict,
                action: answer.action,
                fired: Fired {
                    inline,
                    more: Box::default(),
                },
            });
        }
        self.decide_by_rules(state)
    }

    /// The verdict and action on a state of these words, as [`Program::decide`] has it; `None` when a rule
    /// reads more than words.
    // Nothing goes through memory: who waits for the answer would wait for that too.
    #[inline]
    pub(crate) fn head_on(&self, words: &[u64]) -> Option<(Verdict, u32)> {
        if let [word] = words
            && let Some(answer) = self.answers.get(*word as usize)
        {
            return Some((answer.verdict, answer.action));
        }
        if !self.judged.is_empty() {
            return None;
        }
        let groups = self.groups.iter().enumerate();
        let first = groups.fold(None, |fired, (i, group)| {
            let rules = group.judge(words);
            fired.or_else(|| Some(i * BITS + first(&[rules])?))
        });
        Some(self.head(first))
    }

    /// Whether a decision cannot fail and takes microseconds at most.
    pub(crate) const fn is_quick(&self) -> bool {
        self.groups.len() <= INLINE && self.judged.is_empty()
    }

    fn decide_by_rules(&self, state: &State) -> Result<Outcome, Error> {
        let words = state.words();
        let judge = |group: &Group| group.judge(words);
        let inline = std::array::from_fn(|i| self.groups.get(i).map_or(0, judge));
        if !self.is_quick() {
            return self.decide_on(state, inline);
        }
        // Nothing here takes the address of what is returned, so that it is written once.
        let (verdict, action) = self.head(first(&inline));
        let more = Box::default();
        Ok(Outcome {
            verdict,
            action,
            fired: Fired { inline, more },
        })
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
        let first = fired.iter().next();
        let (verdict, action) = self.head(first);
        Ok(Outcome {
            verdict,
            action,
            fired,
        })
    }

    /// What is decided when this rule is the first that fired.
    #[inline]
    fn head(&self, first: Option<usize>) -> (Verdict, u32) {
        let head = first.and_then(|rule| self.heads.get(rule));
        let approved = (Verdict::Approve, self.default_action);
        head.copied().unwrap_or(approved)
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
