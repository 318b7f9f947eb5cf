//! What was counted.

use super::Licensed;
use crate::ledger::Ledger;
use crate::license::{Enforcement, Tier, Timestamp};
use crate::meter::Meter;
use helixor_playbook::canonical::{self, Style};
use helixor_playbook::{Code, Data, Digest, Error, Node};

/// What was counted with a licence's limits and a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditReport {
    /// The licence's id; empty for a built-in pack, as is the tenant's.
    pub license_id: String,
    /// Who holds the licence.
    pub tenant_id: String,
    /// What was bought; [`Tier::Community`] for a built-in pack.
    pub tier: Tier,
    /// What happens beyond a limit; [`Enforcement::Observe`] without limits.
    pub enforcement_mode: Enforcement,
    /// The ledger's leaves since it was opened; without a ledger the decisions that count towards the
    /// licence's limits.
    pub total_decisions_executed: u64,
    /// Decisions in this process beyond the licence's `max_decisions`, 0 without limits.
    pub decisions_over_quota: u64,
    /// Decisions in this process beyond its `max_decisions_per_second`, 0 without limits.
    pub decisions_over_rate_limit: u64,
    /// The root of all the ledger's leaves; `None` without a ledger.
    pub ledger_merkle_root: Option<Digest>,
    /// When counting began.
    pub since: Timestamp,
    /// Leaves that a loss of power cannot take any more, those that the ledger's file had before
    /// included; `None` without a file.
    pub durable_leaves: Option<u64>,
}

impl AuditReport {
    /// The report of a licence and a ledger.
    ///
    /// # Errors
    /// LEDGER_OFF when there is no ledger and the licence sets no limit.
    pub fn of(licensed: Option<&Licensed>, ledger: Option<&Ledger>) -> Result<Self, Error> {
        let meter = licensed.and_then(|licensed| licensed.0.meter.as_deref());
        let ledger = ledger.map(Ledger::state);
        let (total, since) = match (&ledger, meter) {
            (Some(state), _) => (state.appended, state.since),
            (None, Some(meter)) => (meter.usage().decisions, meter.since()),
            (None, None) => {
                return Err(Error::new(
                    Code::LedgerOff,
                    "nothing is counted: there is no audit ledger, and the licence sets no limit",
                    "open the client with a ledger",
                ));
            }
        };
        let claims = licensed.map(|licensed| licensed.license().claims());
        let usage = meter.map(Meter::usage);
        Ok(Self {
            license_id: claims.map_or(String::new(), |claims| claims.license_id.to_string()),
            tenant_id: claims.map_or(String::new(), |claims| claims.tenant_id.to_string()),
            tier: claims.map_or(Tier::Community, |claims| claims.tier),
            enforcement_mode: claims
                .map_or(Enforcement::Observe, |claims| claims.limits.enforcement),
            total_decisions_executed: total,
            decisions_over_quota: usage.map_or(0, |usage| usage.over_quota),
            decisions_over_rate_limit: usage.map_or(0, |usage| usage.over_rate_limit),
            ledger_merkle_root: ledger.map(|state| state.root),
            since,
            durable_leaves: ledger.and_then(|state| state.durable),
        })
    }

    /// As compact canonical JSON; a root that is not there is the empty text.
    pub fn to_json(&self) -> String {
        let root = self.ledger_merkle_root.map(|root| root.to_string());
        let node = Node::map([
            ("license_id", self.license_id.as_str().into()),
            ("tenant_id", self.tenant_id.as_str().into()),
            ("tier", self.tier.as_str().into()),
            ("enforcement_mode", self.enforcement_mode.as_str().into()),
            (
                "total_decisions_executed",
                self.total_decisions_executed.into(),
            ),
            ("decisions_over_quota", self.decisions_over_quota.into()),
            (
                "decisions_over_rate_limit",
                self.decisions_over_rate_limit.into(),
            ),
            (
                "ledger_merkle_root",
                root.unwrap_or_default().as_str().into(),
            ),
            ("since", self.since.to_string().as_str().into()),
            (
                "durable_leaves",
                self.durable_leaves.map_or(Data::Null.into(), Node::from),
            ),
        ]);
        // It holds no floats, so there is always a JSON form.
        canonical::write(&node, Style::Compact).unwrap_or_default()
    }
}
