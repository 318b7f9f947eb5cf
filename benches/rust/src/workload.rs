//! The three workloads: a playbook, random states, and what must come out.

use fastrand::Rng;
use std::fmt::Write;

/// How many states a workload is measured on: too many for a branch predictor to learn.
pub const STATES: usize = 100_000;

/// How many fields and rules the wide workload has.
pub const WIDE: usize = 200;

/// The value of a field. Numbers have at most two decimals, so that engines without floats can take
/// them as hundredths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    Boolean(bool),
    Number(f64),
}

/// One comparison of a condition: a field by its number, and what it must be.
#[derive(Clone, Copy, Debug)]
pub enum Atom {
    Is(usize, bool),
    Above(usize, f64),
}

/// A rule: it fires when any of its lists holds in full.
#[derive(Clone, Debug)]
pub struct Rule {
    pub id: String,
    pub refuses: bool,
    pub action: usize,
    pub any: Vec<Vec<Atom>>,
}

/// A pack to decide with, and the states it decides on.
#[derive(Clone, Debug)]
pub struct Workload {
    pub name: &'static str,
    pub pack_id: String,
    /// Ordered by name; states have their values in this order.
    pub fields: Vec<Field>,
    pub actions: Vec<String>,
    /// In declared order.
    pub rules: Vec<Rule>,
    /// How many states are made, decided and dropped at a time: so few that the cache holds them.
    pub block: usize,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub numeric: bool,
}

/// What a decision says; the fired rules, the first 256 of them, are bits in priority order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub verdict: Verdict,
    pub action: usize,
    pub fired: [u64; WIDE.div_ceil(64)],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    #[default]
    Approve,
    Redact,
    Refuse,
}

/// How a language writes conditions.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// What stands before a field's name.
    pub prefix: &'static str,
    pub and: &'static str,
    pub or: &'static str,
    /// How a boolean field is said to be true or false: what follows its name.
    pub is: [&'static str; 2],
    pub number: fn(f64) -> String,
}

impl Workload {
    pub fn all() -> [Workload; 3] {
        [Self::six(), Self::amount(), Self::wide()]
    }

    /// Six booleans: the rules of the example pack.
    pub fn six() -> Self {
        let names = [
            "has_credit_card",
            "has_email",
            "has_health_record",
            "has_ip",
            "has_phone",
            "has_ssn",
        ];
        let is = |field| vec![Atom::Is(field, true)];
        Self {
            name: "six booleans",
            pack_id: "compliance.regulatory_pii_guard.v1".into(),
            fields: names.map(Field::boolean).into(),
            actions: texts([
                "permit_clean_payload",
                "block_glba_ssn_leakage",
                "block_pci_dss_pan_leakage",
                "block_hipaa_phi_leakage",
                "redact_and_permit_contact_pii",
            ]),
            rules: vec![
                Rule::new("RULE-GLBA-SSN-BLOCK", true, 1, vec![is(5)]),
                Rule::new("RULE-PCI-DSS-PAN-BLOCK", true, 2, vec![is(0)]),
                Rule::new("RULE-HIPAA-PHI-BLOCK", true, 3, vec![is(2)]),
                Rule::new(
                    "RULE-GDPR-CONTACT-REDACT",
                    false,
                    4,
                    vec![is(1), is(4), is(3)],
                ),
            ],
            block: 1_000,
        }
    }

    /// Two booleans and an amount: a payment.
    pub fn amount() -> Self {
        Self {
            name: "two booleans and an amount",
            pack_id: "bench.payment.v1".into(),
            fields: vec![
                Field::number("amount_usd"),
                Field::boolean("is_sanctioned"),
                Field::boolean("manager_approved"),
            ],
            actions: texts([
                "permit",
                "refuse_sanctioned",
                "refuse_unapproved",
                "report_large",
            ]),
            rules: vec![
                Rule::new("RULE-LARGE", false, 3, vec![vec![Atom::Above(0, 1_000.0)]]),
                Rule::new("RULE-SANCTIONED", true, 1, vec![vec![Atom::Is(1, true)]]),
                Rule::new(
                    "RULE-UNAPPROVED",
                    true,
                    2,
                    vec![vec![Atom::Above(0, 5_000.0), Atom::Is(2, false)]],
                ),
            ],
            block: 1_000,
        }
    }

    /// 200 numbers, each with a rule and a threshold of its own. Every threshold is passed by another
    /// part of the states, half of them in all.
    pub fn wide() -> Self {
        let rule = |i: usize| {
            let threshold = ((i * 37 + 120) % WIDE * 5) as f64 + 2.5;
            Rule::new(
                &format!("RULE-{i:03}"),
                i.is_multiple_of(2),
                1 + i % 10,
                vec![vec![Atom::Above(i, threshold)]],
            )
        };
        Self {
            name: "200 thresholds",
            pack_id: "bench.thresholds.v1".into(),
            fields: (0..WIDE)
                .map(|i| Field::number(&format!("f_{i:03}")))
                .collect(),
            actions: (0..=10).map(|i| format!("action_{i}")).collect(),
            rules: (0..WIDE).map(rule).collect(),
            block: 40,
        }
    }

    /// A pack of so many rules over 60 numbers and 40 booleans, to be loaded.
    pub fn of_size(rules: usize) -> Self {
        let number = |i: usize| Field::number(&format!("amount_{i:02}"));
        let boolean = |i: usize| Field::boolean(&format!("flag_{i:02}"));
        let rule = |i: usize| {
            let above = Atom::Above(i % 60, (i * 37 % 1_000) as f64 + 0.5);
            let all = match i % 2 {
                0 => vec![above],
                _ => vec![above, Atom::Is(60 + i % 40, i.is_multiple_of(3))],
            };
            Rule::new(&format!("RULE-{i:05}"), i % 4 != 3, 1 + i % 10, vec![all])
        };
        Self {
            name: "by size",
            pack_id: format!("bench.rules_{rules}.v1"),
            fields: (0..60).map(number).chain((0..40).map(boolean)).collect(),
            actions: (0..=10).map(|i| format!("action_{i}")).collect(),
            rules: (0..rules).map(rule).collect(),
            block: 20,
        }
    }

    /// A state with every value drawn by itself.
    pub fn random(&self, rng: &mut Rng) -> Vec<Scalar> {
        let most = if self.fields.len() == 3 {
            1_000_000
        } else {
            100_000
        };
        let value = |field: &Field| match field.numeric {
            true => Scalar::Number(f64::from(rng.i32(0..=most)) / 100.0),
            false => Scalar::Boolean(rng.bool()),
        };
        self.fields.iter().map(value).collect()
    }

    /// The playbook, in YAML.
    pub fn playbook(&self) -> String {
        let mut text = format!(
            "pack_id: {}\nversion: 1.0.0\nactions: [{}]\ndefault_action: {}\nstate_schema:\n",
            self.pack_id,
            self.actions.join(", "),
            self.actions[0]
        );
        // Writing to a string cannot fail.
        for Field { name, numeric } in &self.fields {
            let kind = if *numeric { "number" } else { "boolean" };
            let _ = writeln!(text, "  {name}: {{type: {kind}}}");
        }
        text.push_str("hard_rules:\n");
        for rule in &self.rules {
            let condition = self.condition(rule, &PLAYBOOK);
            let (id, action) = (&rule.id, &self.actions[rule.action]);
            let severity = if rule.refuses { "fatal" } else { "warning" };
            let _ = writeln!(
                text,
                "  - {{id: {id}, condition: {condition}, action: {action}, severity: {severity}}}"
            );
        }
        text
    }

    /// The condition of a rule as a language writes it.
    pub fn condition(&self, rule: &Rule, dialect: &Dialect) -> String {
        let atom = |atom: &Atom| match atom {
            Atom::Is(field, value) => {
                format!(
                    "{}{}{}",
                    dialect.prefix,
                    self.fields[*field].name,
                    dialect.is[usize::from(*value)]
                )
            }
            Atom::Above(field, limit) => {
                format!(
                    "{}{} > {}",
                    dialect.prefix,
                    self.fields[*field].name,
                    (dialect.number)(*limit)
                )
            }
        };
        let all = |atoms: &Vec<Atom>| atoms.iter().map(atom).collect::<Vec<_>>().join(dialect.and);
        rule.any
            .iter()
            .map(all)
            .collect::<Vec<_>>()
            .join(dialect.or)
    }

    /// The rules in priority order: refusing ones first.
    pub fn priority(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rules.len()).collect();
        order.sort_by_key(|i| !self.rules[*i].refuses);
        order
    }

    /// The answer when these rules fired, in declared order; `priority` is [`Workload::priority`].
    pub fn answer(&self, priority: &[usize], fired: impl Fn(usize) -> bool) -> Answer {
        let mut answer = Answer::default();
        for (i, declared) in priority.iter().enumerate() {
            let rule = &self.rules[*declared];
            if !fired(*declared) {
                continue;
            }
            if answer.verdict == Verdict::Approve {
                answer.verdict = if rule.refuses {
                    Verdict::Refuse
                } else {
                    Verdict::Redact
                };
                answer.action = rule.action;
            }
            if let Some(word) = answer.fired.get_mut(i / 64) {
                *word |= 1 << (i % 64);
            }
        }
        answer
    }

    /// The answer by the plain reading of the rules, which everything measured is compared with.
    pub fn expected(&self, priority: &[usize], state: &[Scalar]) -> Answer {
        let holds = |atom: &Atom| match *atom {
            Atom::Is(field, value) => state[field] == Scalar::Boolean(value),
            Atom::Above(field, limit) => matches!(state[field], Scalar::Number(n) if n > limit),
        };
        self.answer(priority, |i| {
            self.rules[i].any.iter().any(|all| all.iter().all(holds))
        })
    }
}

const PLAYBOOK: Dialect = Dialect {
    prefix: "state.",
    and: " and ",
    or: " or ",
    is: [" is False", " is True"],
    number: |limit| format!("{limit:?}"),
};

impl Field {
    fn boolean(name: &str) -> Self {
        Self {
            name: name.into(),
            numeric: false,
        }
    }

    fn number(name: &str) -> Self {
        Self {
            name: name.into(),
            numeric: true,
        }
    }
}

impl Rule {
    fn new(id: &str, refuses: bool, action: usize, any: Vec<Vec<Atom>>) -> Self {
        Self {
            id: id.into(),
            refuses,
            action,
            any,
        }
    }
}

fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).into()
}
