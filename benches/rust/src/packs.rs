//! Licences and sealed packs, made as a publisher makes them.

use crate::workload::{Answer, Scalar, Verdict, WIDE, Workload};
use helixor_playbook::canonical::{self, Style};
use helixor_playbook::{Format, Playbook, check, read};
use helixor_runtime::license::issue::{Terms, issue};
use helixor_runtime::license::{
    Authorities, Enforcement, License, LicenseModel, Limits, Tier, Timestamp, UnverifiedLicense,
};
use helixor_runtime::{Given, Outcome, Pack, PackId, PrivateKey, State, StateBuilder, container};
use std::num::NonZeroU64;

/// An authority of one licence.
#[derive(Debug)]
pub struct Issued {
    pub authority_pem: String,
    pub json: String,
    pub license: License,
}

/// Limits that are counted and never reached.
pub const HIGH: Limits = Limits {
    max_decisions: NonZeroU64::new(1 << 60),
    max_decisions_per_second: NonZeroU64::new(1_000_000_000),
    enforcement: Enforcement::Enforce,
};

/// A licence until 2099.
pub fn license(limits: Limits) -> Issued {
    let time = |text: &str| Timestamp::parse(text).expect("a time");
    let terms = Terms {
        license_id: "LIC-BENCH".into(),
        tenant_id: "acme".into(),
        tier: Tier::Developer,
        license_model: LicenseModel::Subscription,
        issued_at: time("2020-01-01T00:00:00Z"),
        not_before: None,
        expires_at: Some(time("2099-01-01T00:00:00Z")),
        licensed_packs: vec!["*".into()],
        licensed_solvers: Vec::new(),
        features: Vec::new(),
        limits,
    };
    let authority = PrivateKey::generate().expect("a key");
    let authority_pem = authority.public_pem().expect("its public part");
    let json = issue(&terms, &authority).expect("a licence").to_string();
    let authorities = Authorities::from_pem(&authority_pem, "bench").expect("an authority");
    let license =
        UnverifiedLicense::parse(&json, "bench").and_then(|license| license.verify(&authorities));
    Issued {
        authority_pem,
        json,
        license: license.expect("a good licence"),
    }
}

/// The checked playbook of a workload.
pub fn playbook(workload: &Workload) -> Playbook {
    let source = workload.playbook();
    let root = read(&source, Format::Yaml).expect("YAML");
    check(&source, &root).expect("a valid playbook")
}

/// The pack of a workload, opened without a licence's way in.
pub fn pack(workload: &Workload) -> Pack {
    Pack::from(playbook(workload))
}

/// The sealed pack of a workload.
pub fn seal(workload: &Workload, license: &License) -> Vec<u8> {
    let root = read(&workload.playbook(), Format::Yaml).expect("YAML");
    let plaintext = canonical::write(&root, Style::Compact).expect("numbers that can be written");
    let id = PackId::new(&workload.pack_id).expect("a pack id");
    container::seal(&id, plaintext.as_bytes(), license).expect("a sealed pack")
}

/// A state of a pack, whose fields are the workload's in the same order.
pub fn state(mut state: StateBuilder<'_>, values: &[Scalar]) -> State {
    for (field, value) in values.iter().enumerate() {
        state.set(
            field,
            match *value {
                Scalar::Boolean(value) => Given::Boolean(value),
                Scalar::Number(value) => Given::Number(value),
            },
        );
    }
    state.finish().expect("a whole state")
}

/// What an outcome says.
pub fn answer(outcome: &Outcome) -> Answer {
    let mut answer = Answer {
        verdict: match outcome.verdict() {
            helixor_runtime::Verdict::Approve => Verdict::Approve,
            helixor_runtime::Verdict::Redact => Verdict::Redact,
            helixor_runtime::Verdict::Refuse => Verdict::Refuse,
        },
        action: outcome.action(),
        fired: [0; WIDE.div_ceil(64)],
    };
    for rule in outcome.fired_rules() {
        if let Some(word) = answer.fired.get_mut(rule / 64) {
            *word |= 1 << (rule % 64);
        }
    }
    answer
}
