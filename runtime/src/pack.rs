//! A pack, opened: the door that does the load checks, and the pure decision behind it.

use crate::container::Envelope;
use crate::counterfactual::{self, Counterfactual};
use crate::explain::{self, Cause};
use crate::layout::{Layout, State};
use crate::license::License;
use crate::program::{Outcome, Program};
use crate::proof;
use crate::state::StateBuilder;
use helixor_playbook::{
    Code, Data, Digest, Error, Given, HardRule, Interface, Playbook, Position, Problem, ValueRef,
    Verdict, builtin, canonical, check, declared_solvers, expected, read_sealed,
};
use std::sync::{Arc, OnceLock};

/// A pack whose every load check passed: immutable, to be shared by all threads.
#[derive(Debug)]
pub struct Pack {
    program: Program,
    interface: Interface,
}

impl Pack {
    /// The built-in example pack, `compliance.regulatory_pii_guard.v1`. It needs no licence.
    pub fn builtin() -> Arc<Pack> {
        static PACK: OnceLock<Arc<Pack>> = OnceLock::new();
        Arc::clone(PACK.get_or_init(|| Arc::new(Pack::from(builtin::example()))))
    }

    /// Opens a sealed pack with a licence that passed check 1: load checks 2 to 7, in order.
    ///
    /// # Errors
    /// PACK_FORMAT (check 2), PACK_NOT_LICENSED (3), PACK_UNSEAL (4), PACK_INTEGRITY (5),
    /// SOLVER_NOT_LICENSED (6) or PACK_UNSUPPORTED (7, with every fault of the playbook).
    pub fn open(bytes: &[u8], license: &License) -> Result<Pack, Error> {
        let envelope = Envelope::parse(bytes)?;
        license.check_pack(envelope.pack_id())?;
        let plaintext = envelope.unseal(license)?;
        let unsupported = |faults: &str| {
            Error::new(
                Code::PackUnsupported,
                format!(
                    "pack `{}` holds what this runtime does not execute: {faults}",
                    envelope.pack_id()
                ),
                "use a newer runtime, or ask the publisher for a pack compiled for this one",
            )
        };
        let listed = |problems: Vec<Problem>| {
            let messages: Vec<String> = problems
                .into_iter()
                .map(|problem| problem.message)
                .collect();
            unsupported(&messages.join("; "))
        };
        let source = std::str::from_utf8(&plaintext).map_err(|_| unsupported("it is not UTF-8"))?;
        let root = read_sealed(source).map_err(listed)?;
        license.check_solvers(declared_solvers(&root))?;
        let playbook = check(source, &root).map_err(listed)?;
        if playbook.pack_id != *envelope.pack_id() {
            return Err(unsupported(&format!(
                "its playbook is that of pack `{}`",
                playbook.pack_id
            )));
        }
        if playbook.digest != envelope.digest() {
            return Err(unsupported("its playbook is not written as canonical JSON"));
        }
        Ok(Pack::from(playbook))
    }

    /// The checked playbook.
    pub const fn playbook(&self) -> &Playbook {
        self.program.playbook()
    }

    /// See [`Program::is_quick`].
    pub(crate) const fn is_quick(&self) -> bool {
        self.program.is_quick()
    }

    pub(crate) const fn layout(&self) -> &Layout {
        self.program.layout()
    }

    /// The pack's own typed interface.
    pub const fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The SHA-256 of the playbook in canonical JSON.
    pub const fn digest(&self) -> Digest {
        self.program.playbook().digest
    }

    /// The hard rules in priority order: refusing ones first, then redacting ones.
    pub fn rules(&self) -> impl Iterator<Item = &HardRule> {
        self.program.rules()
    }

    /// Collects the values of a state.
    pub fn state(&self) -> StateBuilder<'_> {
        StateBuilder::new(&self.playbook().fields, self.layout())
    }

    /// Reads a state: a JSON object with one key for each field.
    ///
    /// # Errors
    /// STATE_MALFORMED when it is not a JSON object; else as [`StateBuilder::finish`].
    pub fn state_from_json(&self, json: &[u8]) -> Result<State, Error> {
        let malformed = |problem: Problem| {
            let at = Position::of(&String::from_utf8_lossy(json), problem.span.start);
            Error::new(
                Code::StateMalformed,
                format!("the state is not valid JSON: {at}: {}", problem.message),
                "a state is a JSON object with one key for each field",
            )
        };
        let node = canonical::parse_bytes(json).map_err(malformed)?;
        let Data::Map(entries) = &node.data else {
            let message = expected(&node, "the state", "a JSON object").message;
            return Err(Error::new(
                Code::StateMalformed,
                message,
                "a state is a JSON object with one key for each field",
            ));
        };
        let mut state = self.state();
        for entry in entries {
            state.set_named(&entry.key, Given::from(&entry.value));
        }
        state.finish()
    }

    /// The values of a state, one for each field of the pack, ordered by field name.
    pub fn values<'a>(&'a self, state: &'a State) -> impl Iterator<Item = ValueRef<'a>> {
        let view = self.program.view(state);
        (0..self.playbook().fields.len()).map(move |field| view.value(field))
    }

    /// Decides: every hard rule is judged, none is skipped. Pure: no clock, lock, count or
    /// allocation; only where more than 256 rules are declared and a later one fires, its place is
    /// noted on the heap.
    ///
    /// # Errors
    /// EVALUATION when a rule cannot be judged (it divides by zero, or leaves 64 bits), whatever
    /// the others say: the first such rule in declared order.
    #[inline]
    pub fn decide(&self, state: &State) -> Result<Outcome, Error> {
        #[cfg(feature = "fault")]
        fault();
        self.program.decide(state)
    }

    /// See [`Program::head_on`].
    #[inline]
    pub(crate) fn head_on(&self, words: &[u64]) -> Option<(Verdict, u32)> {
        #[cfg(feature = "fault")]
        fault();
        self.program.head_on(words)
    }

    /// The action of an outcome.
    pub fn action(&self, outcome: &Outcome) -> &str {
        self.playbook()
            .actions
            .get(outcome.action())
            .map_or("", |action| action.as_str())
    }

    /// The ids of the rules that fired, in priority order.
    pub fn fired_rules(&self, outcome: &Outcome) -> Vec<&str> {
        outcome
            .fired_rules()
            .filter_map(|i| Some(self.program.rule(i)?.id.as_str()))
            .collect()
    }

    /// Why an outcome came out as it did. Rules are indexes into [`Pack::rules`], factors into the
    /// playbook's fields.
    pub fn causes(&self, state: &State, outcome: &Outcome) -> Vec<Cause<usize, usize>> {
        explain::causes(&self.program, state, outcome)
    }

    /// What would have to change for an approval; `None` when no rule fired. Rules and factors are
    /// numbered as in [`Pack::causes`].
    ///
    /// Changed states are decided in the order of their cost until one is approved, at most 4,096 of
    /// them: on a pack of 10,000 rules that can take seconds.
    pub fn counterfactual(
        &self,
        state: &State,
        outcome: &Outcome,
    ) -> Option<Counterfactual<usize, usize>> {
        counterfactual::counterfactual(&self.program, state, outcome)
    }

    /// [`Pack::counterfactual`] in the names of rules and fields.
    pub fn named_counterfactual(
        &self,
        state: &State,
        outcome: &Outcome,
    ) -> Option<Counterfactual<&str, &str>> {
        let fields = &self.playbook().fields;
        self.counterfactual(state, outcome)?.renamed(
            |rule| Some(self.program.rule(rule)?.id.as_str()),
            |field| Some(fields.get(field)?.name.as_str()),
        )
    }

    /// The proof of an outcome: SHA-256 of `<pack_id>:<action>:<verdict>:<normal state>`.
    pub fn proof(&self, state: &State, outcome: &Outcome) -> Digest {
        proof::proof(&self.program, state, outcome)
    }
}

impl From<Playbook> for Pack {
    fn from(playbook: Playbook) -> Self {
        Self {
            interface: Interface::from(&playbook),
            program: Program::new(playbook),
        }
    }
}

/// Panics in the first decisions of the process, `$HELIXOR_FAULTS` of them: no input is known that
/// panics, and what a binding makes of one must be seen all the same.
#[cfg(feature = "fault")]
fn fault() {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicI64, Ordering};

    static LEFT: LazyLock<AtomicI64> = LazyLock::new(|| {
        let faults = std::env::var("HELIXOR_FAULTS").unwrap_or_default();
        AtomicI64::new(faults.parse().unwrap_or(0))
    });
    assert!(
        LEFT.fetch_sub(1, Ordering::Relaxed) <= 0,
        "a fault was asked for"
    );
}
