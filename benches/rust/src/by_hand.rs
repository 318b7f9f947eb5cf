//! The same rules as someone writes them for whom nothing counts but speed: without branches that depend
//! on a field, on a state that is laid out as it is read.

use helixor_bench::workload::{Answer, Atom, Scalar, Verdict, WIDE, Workload};

/// The state of six booleans.
pub(crate) struct Six {
    has_credit_card: bool,
    has_email: bool,
    has_health_record: bool,
    has_ip: bool,
    has_phone: bool,
    has_ssn: bool,
}

impl Six {
    pub(crate) fn new(values: &[Scalar]) -> Self {
        let is = |field: usize| values[field] == Scalar::Boolean(true);
        Self {
            has_credit_card: is(0),
            has_email: is(1),
            has_health_record: is(2),
            has_ip: is(3),
            has_phone: is(4),
            has_ssn: is(5),
        }
    }

    pub(crate) fn decide(&self) -> Narrow {
        let contact = self.has_email | self.has_phone | self.has_ip;
        let fired = u8::from(self.has_ssn)
            | u8::from(self.has_credit_card) << 1
            | u8::from(self.has_health_record) << 2
            | u8::from(contact) << 3;
        Narrow::new(fired, &SIX)
    }
}

/// The state of a payment.
pub(crate) struct Payment {
    amount_usd: f64,
    is_sanctioned: bool,
    manager_approved: bool,
}

impl Payment {
    pub(crate) fn new(values: &[Scalar]) -> Self {
        Self {
            amount_usd: number(values[0]),
            is_sanctioned: values[1] == Scalar::Boolean(true),
            manager_approved: values[2] == Scalar::Boolean(true),
        }
    }

    pub(crate) fn decide(&self) -> Narrow {
        let unapproved = (self.amount_usd > 5_000.0) & !self.manager_approved;
        let fired = u8::from(self.is_sanctioned)
            | u8::from(unapproved) << 1
            | u8::from(self.amount_usd > 1_000.0) << 2;
        Narrow::new(fired, &PAYMENT)
    }
}

/// An answer of at most eight rules.
pub(crate) struct Narrow {
    verdict: Verdict,
    action: u8,
    fired: u8,
}

/// Verdict and action by the first fired rule; the last are those when none fired.
type Answers = [(Verdict, u8); 9];

const SIX: Answers = {
    let mut answers = [(Verdict::Approve, 0); 9];
    answers[0] = (Verdict::Refuse, 1);
    answers[1] = (Verdict::Refuse, 2);
    answers[2] = (Verdict::Refuse, 3);
    answers[3] = (Verdict::Redact, 4);
    answers
};

const PAYMENT: Answers = {
    let mut answers = [(Verdict::Approve, 0); 9];
    answers[0] = (Verdict::Refuse, 1);
    answers[1] = (Verdict::Refuse, 2);
    answers[2] = (Verdict::Redact, 3);
    answers
};

impl Narrow {
    fn new(fired: u8, answers: &Answers) -> Self {
        let (verdict, action) = answers[fired.trailing_zeros() as usize];
        Self {
            verdict,
            action,
            fired,
        }
    }
}

impl From<Narrow> for Answer {
    fn from(narrow: Narrow) -> Self {
        let mut answer = Answer {
            verdict: narrow.verdict,
            action: usize::from(narrow.action),
            ..Answer::default()
        };
        answer.fired[0] = u64::from(narrow.fired);
        answer
    }
}

/// The state of the thresholds, in the order of their rules' priority.
pub(crate) struct Wide([f64; WIDE]);

/// The thresholds and actions in that order; they do not change.
pub(crate) struct Thresholds {
    limits: [f64; WIDE],
    actions: [usize; WIDE],
}

impl Wide {
    pub(crate) fn new(values: &[Scalar], priority: &[usize]) -> Self {
        Self(std::array::from_fn(|i| number(values[priority[i]])))
    }
}

impl Thresholds {
    pub(crate) fn new(workload: &Workload, priority: &[usize]) -> Self {
        let rule = |i: usize| &workload.rules[priority[i]];
        Self {
            limits: std::array::from_fn(|i| match rule(i).any[0][0] {
                Atom::Above(_, limit) => limit,
                Atom::Is(..) => f64::NAN,
            }),
            actions: std::array::from_fn(|i| rule(i).action),
        }
    }

    pub(crate) fn decide(&self, state: &Wide) -> Answer {
        // Eight comparisons make a byte: the compiler turns that into vector instructions.
        let mut bytes = [0_u8; WIDE.div_ceil(64) * 8];
        let (values, _) = state.0.as_chunks::<8>();
        let (limits, _) = self.limits.as_chunks::<8>();
        for (byte, (values, limits)) in bytes.iter_mut().zip(values.iter().zip(limits)) {
            for (i, (value, limit)) in values.iter().zip(limits).enumerate() {
                *byte |= u8::from(value > limit) << i;
            }
        }
        let (words, _) = bytes.as_chunks::<8>();
        let mut answer = Answer {
            fired: std::array::from_fn(|i| u64::from_le_bytes(words[i])),
            ..Answer::default()
        };
        if let Some(word) = answer.fired.iter().position(|word| *word != 0) {
            let first = word * 64 + answer.fired[word].trailing_zeros() as usize;
            answer.verdict = if first < WIDE / 2 {
                Verdict::Refuse
            } else {
                Verdict::Redact
            };
            answer.action = self.actions[first];
        }
        answer
    }
}

fn number(value: Scalar) -> f64 {
    match value {
        Scalar::Number(value) => value,
        Scalar::Boolean(_) => f64::NAN,
    }
}
