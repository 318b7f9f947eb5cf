//! A decision in the client's numbers.

use super::bound::Bound;
use crate::counterfactual::Counterfactual;
use crate::explain::Cause;
use crate::layout::State;
use crate::program::Outcome;
use helixor_playbook::{Digest, Node, PackId, Verdict};
use std::sync::{Arc, OnceLock};

/// A decision in the client's numbers. It keeps the pack that made it and explains itself when
/// asked.
#[derive(Clone, Debug)]
pub struct Decision {
    pub(super) bound: Arc<Bound>,
    pub(super) state: State,
    pub(super) outcome: Outcome,
    /// Made at most once.
    pub(super) proof: OnceLock<Digest>,
    pub(super) latency_us: Option<f64>,
}

impl Decision {
    /// The verdict.
    pub const fn verdict(&self) -> Verdict {
        self.outcome.verdict()
    }

    /// The action, by the client's number.
    pub fn action(&self) -> usize {
        client_number(&self.bound.actions, self.outcome.action())
    }

    /// The fired rules in priority order, by the client's numbers.
    pub fn fired_rules(&self) -> Vec<usize> {
        self.outcome
            .fired_rules()
            .map(|rule| client_number(&self.bound.rules, rule))
            .collect()
    }

    /// Why it came out so, in the client's numbers for rules and fields.
    pub fn causes(&self) -> Vec<Cause<usize, usize>> {
        let mut causes = self.bound.pack.causes(&self.state, &self.outcome);
        for cause in &mut causes {
            cause.rule = client_number(&self.bound.rules, cause.rule);
            cause.factor = client_number(&self.bound.fields, cause.factor);
        }
        causes
    }

    /// What would have to change for an approval, in the client's numbers for rules and fields;
    /// `None` when no rule fired.
    pub fn counterfactual(&self) -> Option<Counterfactual<usize, usize>> {
        let found = self.bound.pack.counterfactual(&self.state, &self.outcome)?;
        let (rules, fields) = (&self.bound.rules, &self.bound.fields);
        found.renamed(
            |rule| Some(client_number(rules, rule)),
            |field| Some(client_number(fields, field)),
        )
    }

    /// The action by its name.
    pub fn action_name(&self) -> &str {
        self.bound.pack.action(&self.outcome)
    }

    /// The fired rules by their names, in priority order.
    pub fn fired_rule_names(&self) -> Vec<&str> {
        self.bound.pack.fired_rules(&self.outcome)
    }

    /// Why it came out so, in the names of rules and fields.
    pub fn named_causes(&self) -> Vec<Cause<&str, &str>> {
        let pack = &self.bound.pack;
        let rules: Vec<&str> = pack.rules().map(|rule| rule.id.as_str()).collect();
        let fields = &pack.playbook().fields;
        let named = |cause: Cause<usize, usize>| {
            Some(Cause {
                rule: rules.get(cause.rule).copied()?,
                rule_verdict: cause.rule_verdict,
                factor: fields.get(cause.factor)?.name.as_str(),
                observed_value: cause.observed_value,
                direction: cause.direction,
                threshold: cause.threshold,
                distance_to_boundary: cause.distance_to_boundary,
            })
        };
        let causes = pack.causes(&self.state, &self.outcome);
        causes.into_iter().filter_map(named).collect()
    }

    /// What would have to change for an approval, in the names of rules and fields; `None` when no rule
    /// fired.
    pub fn named_counterfactual(&self) -> Option<Counterfactual<&str, &str>> {
        self.bound
            .pack
            .named_counterfactual(&self.state, &self.outcome)
    }

    /// The proof.
    pub fn proof(&self) -> Digest {
        let proof = || self.bound.pack.proof(&self.state, &self.outcome);
        *self.proof.get_or_init(proof)
    }

    /// How long deciding took, the licence's window and limits included, in microseconds; `None` unless
    /// the client was opened with [`Options::timing`](super::Options::timing).
    pub const fn latency_us(&self) -> Option<f64> {
        self.latency_us
    }

    /// The pack that made it.
    pub fn pack_id(&self) -> &PackId {
        &self.bound.pack.playbook().pack_id
    }

    /// The normal state it was made on, ordered by field name.
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// The same in the pack's numbers.
    pub const fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The digest of the playbook that made it.
    pub fn pack_digest(&self) -> Digest {
        self.bound.pack.digest()
    }
}

impl Cause<&str, &str> {
    /// As documents say it.
    pub fn to_node(&self) -> Node {
        Node::map([
            ("rule", self.rule.into()),
            ("rule_verdict", self.rule_verdict.as_str().into()),
            ("factor", self.factor.into()),
            ("observed_value", Some(&self.observed_value).into()),
            ("direction", self.direction.into()),
            ("threshold", Some(&self.threshold).into()),
            ("distance_to_boundary", self.distance_to_boundary.into()),
        ])
    }
}

/// The client's number for one of the pack's; binding gave every one of them a partner.
pub(super) fn client_number(table: &[usize], pack_number: usize) -> usize {
    table.get(pack_number).copied().unwrap_or(usize::MAX)
}
