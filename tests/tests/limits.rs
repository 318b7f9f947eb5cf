//! A licence's limits and its end, through the clients that users generate.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use conformance::Fixtures;
use helixor_runtime::client::Usage;
use helixor_runtime::{Code, Error, Options};

#[allow(dead_code)]
mod example {
    include!(concat!(env!("OUT_DIR"), "/regulatory_pii_guard.rs"));
}

use example::{RegulatoryPiiGuardClient as Client, RegulatoryPiiGuardState as State};

struct Opened {
    _folder: tempfile::TempDir,
    fixtures: Fixtures,
}

impl Opened {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let fixtures = Fixtures::make(folder.path()).unwrap();
        Self {
            _folder: folder,
            fixtures,
        }
    }

    fn client(&self, name: &str) -> Client {
        self.client_of(name, name)
    }

    fn client_of(&self, license: &str, pack: &str) -> Client {
        let options = Options::new()
            .license_file(self.fixtures.path(&format!("{license}.hxlic")))
            .authorities([self.fixtures.path("authority.pem")]);
        Client::open_with(self.fixtures.path(&format!("{pack}.hxpack")), &options).unwrap()
    }
}

fn state() -> State {
    State {
        has_credit_card: false,
        has_email: false,
        has_health_record: false,
        has_ip: false,
        has_phone: false,
        has_ssn: true,
    }
}

fn decide(client: &Client) -> Result<(), Error> {
    client.decide(&state()).map(drop)
}

fn decided(client: &Client) -> u64 {
    client.inner().usage().unwrap().decisions
}

#[test]
fn clients_of_one_licence_share_what_it_allows() {
    let opened = Opened::new();
    let (first, second) = (opened.client("quota"), opened.client("quota"));
    let kept = first.decide(&state()).unwrap();
    decide(&second).unwrap();
    decide(&first.clone()).unwrap();
    for client in [&first, &second, &opened.client("quota")] {
        let error = decide(client).unwrap_err();
        assert_eq!(error.code(), Code::QuotaExceeded);
        assert_eq!(
            error.message(),
            "licence `LIC-quota.hxlic` allows no more decisions now: its `max_decisions` is 3"
        );
        assert!(error.help().contains("max_decisions"), "{}", error.help());
        assert_eq!(decided(client), 3);
    }
    // What was decided explains itself all the same, and so does another licence's client decide.
    assert_eq!(kept.necessary_causes().len(), 1);
    decide(&opened.client("quota_shared")).unwrap();
}

#[test]
fn threads_decide_exactly_as_many_as_allowed() {
    let opened = Opened::new();
    let clients = [
        opened.client("quota_threads"),
        opened.client("quota_threads"),
    ];
    let made: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                let client = &clients[thread % 2];
                scope.spawn(move || (0..1_000).filter(|_| decide(client).is_ok()).count())
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).sum()
    });
    assert_eq!(made, 4_000);
    assert_eq!(decided(&clients[0]), 4_000);
}

#[test]
fn a_rate_is_enforced() {
    let opened = Opened::new();
    let client = opened.client("rate");
    // One a second: of a thousand in a row few are let through.
    let error = (0..1_000).find_map(|_| decide(&client).err()).unwrap();
    assert_eq!(error.code(), Code::QuotaExceeded);
    assert!(
        error.message().contains("`max_decisions_per_second` is 1"),
        "{error}"
    );
}

#[test]
fn a_licence_that_ends_ends_decisions() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // A machine that is busy may be late for the first decision; then another licence is made.
    let (client, decision) = (0..10)
        .find_map(|_| {
            Fixtures::expiring(folder.path(), 3).unwrap();
            let options = Options::new()
                .license_file(path("expiring.hxlic"))
                .authorities([path("expiring.pem")]);
            let client = Client::open_with(path("expiring.hxpack"), &options).ok()?;
            let decision = client.decide(&state()).ok()?;
            Some((client, decision))
        })
        .unwrap();
    let error = loop {
        match client.decide(&state()) {
            Ok(_) => std::thread::sleep(std::time::Duration::from_millis(20)),
            Err(e) => break e,
        }
    };
    assert_eq!(error.code(), Code::LicenseExpired);
    assert!(error.message().contains("expired at"), "{error}");
    assert_eq!(decision.necessary_causes().len(), 1);
    assert_eq!(decision.proof_sha256().len(), 64);
}

#[test]
fn what_is_only_observed_is_decided_and_counted() {
    let opened = Opened::new();
    let client = opened.client("observed");
    for _ in 0..1_000 {
        decide(&client).unwrap();
    }
    let Usage {
        decisions,
        over_quota,
        over_rate_limit,
    } = client.inner().usage().unwrap();
    assert_eq!((decisions, over_quota), (1_000, 997));
    assert!((1..1_000).contains(&over_rate_limit), "{over_rate_limit}");
    assert_eq!(opened.client_of("helixor", "example").inner().usage(), None);
}
