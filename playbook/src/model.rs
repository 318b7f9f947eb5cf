//! A playbook that passed [`check()`](crate::check()): what the engine runs on and what manifests
//! describe.

use crate::condition::Condition;
use crate::ids::{ActionId, CodonCode, Digest, FieldName, PackId, RuleId};
use crate::node::Node;
use crate::value::Value;
use std::fmt;

/// The type of a state field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// True or false.
    Boolean,
    /// A 64-bit integer.
    Integer,
    /// A finite 64-bit float.
    Number,
    /// A text.
    String,
}

impl FieldKind {
    /// Every kind.
    pub const ALL: [FieldKind; 4] = [
        FieldKind::Boolean,
        FieldKind::Integer,
        FieldKind::Number,
        FieldKind::String,
    ];

    /// The name documents use: `boolean`, `integer`, `number` or `string`.
    pub const fn as_str(self) -> &'static str {
        match self {
            FieldKind::Boolean => "boolean",
            FieldKind::Integer => "integer",
            FieldKind::Number => "number",
            FieldKind::String => "string",
        }
    }

    /// Reads the name documents use.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

impl fmt::Display for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a decision says about the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// No hard rule fired.
    Approve,
    /// The first fired rule asks for a redaction.
    Redact,
    /// The first fired rule refuses.
    Refuse,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Verdict; 3] = [Verdict::Approve, Verdict::Redact, Verdict::Refuse];

    /// The name documents and proofs use: `approve`, `redact` or `refuse`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::Approve => "approve",
            Verdict::Redact => "redact",
            Verdict::Refuse => "refuse",
        }
    }

    /// Reads the name documents use.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.as_str() == text)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How grave a hard rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The payload must not pass.
    Fatal,
    /// The payload may pass once changed.
    Warning,
}

/// The declared budget; carried, not acted on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Milliseconds.
    pub max_latency_ms: f64,
    /// Tokens.
    pub max_tokens: u64,
}

/// A state field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name, as written in states.
    pub name: FieldName,
    /// Its type.
    pub kind: FieldKind,
    /// What it means; may be empty.
    pub description: String,
    /// Whether null is refused.
    pub required: bool,
    /// The value taken when the field is left out.
    pub default: Option<Value>,
    /// Smallest allowed number.
    pub min_value: Option<Value>,
    /// Largest allowed number.
    pub max_value: Option<Value>,
    /// The closed set of allowed texts.
    pub allowed_values: Option<Vec<String>>,
    /// Whether a counterfactual may ask to change it.
    pub actionable: bool,
    /// What changing it costs a counterfactual; above 0.
    pub cost: f64,
}

impl Field {
    /// A field of which only name and type are known: required, without bounds.
    pub(crate) const fn plain(name: FieldName, kind: FieldKind) -> Self {
        Self {
            name,
            kind,
            description: String::new(),
            required: true,
            default: None,
            min_value: None,
            max_value: None,
            allowed_values: None,
            actionable: true,
            cost: 1.0,
        }
    }
}

/// A detector of a text pattern that sets one boolean field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Codon {
    /// Its code.
    pub code: CodonCode,
    /// The boolean field it sets.
    pub binds_to: FieldName,
}

/// A hard rule: when its condition holds, it fires.
#[derive(Clone, Debug, PartialEq)]
pub struct HardRule {
    /// Its id.
    pub id: RuleId,
    /// When it fires.
    pub condition: Condition,
    /// The action it asks for: an index into [`Playbook::actions`].
    pub action: usize,
    /// [`Verdict::Redact`] or [`Verdict::Refuse`].
    pub verdict: Verdict,
    /// How grave it is.
    pub severity: Severity,
    /// What it stands for; may be empty.
    pub description: String,
}

/// A checked playbook.
#[derive(Clone, Debug, PartialEq)]
pub struct Playbook {
    /// Its id.
    pub pack_id: PackId,
    /// Its version (semver).
    pub version: String,
    /// Its name; the pack id when none was given.
    pub name: String,
    /// Its free label; may be empty.
    pub kind: String,
    /// What it is for; may be empty.
    pub description: String,
    /// The stem of generated type names, UpperCamelCase.
    pub domain_name: String,
    /// The decision it answers.
    pub goal_id: String,
    /// The declared budget.
    pub budget: Budget,
    /// The declared confidence floor.
    pub floor: f64,
    /// Every action, in declared order.
    pub actions: Vec<ActionId>,
    /// The action when no rule fires: an index into `actions`.
    pub default_action: usize,
    /// Every state field, ordered by name (code points).
    pub fields: Vec<Field>,
    /// Every codon, in declared order.
    pub codons: Vec<Codon>,
    /// Every hard rule, in declared order.
    pub rules: Vec<HardRule>,
    /// Free data; a map.
    pub metadata: Node,
    /// The SHA-256 of the playbook as written, in compact canonical JSON.
    pub digest: Digest,
}

impl Playbook {
    /// Indexes into [`Playbook::rules`] in priority order: refusing rules first, then redacting
    /// ones, each in declared order. Whatever lists rules uses this order.
    pub fn priority_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rules.len()).collect();
        order.sort_by_key(|i| {
            self.rules
                .get(*i)
                .map(|rule| std::cmp::Reverse(rule.verdict))
        });
        order
    }
}
