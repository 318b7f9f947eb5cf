//! The ledger through the client that users generate; and a process that is killed while it writes one.
#![allow(clippy::unwrap_used, missing_docs)]

use conformance::Fixtures;
use helixor_runtime::ledger::root;
use helixor_runtime::{Client, Code, Ledger, LedgerChoice, Options, Pack};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

#[allow(dead_code)]
mod example {
    include!(concat!(env!("OUT_DIR"), "/regulatory_pii_guard.rs"));
}

use example::{RegulatoryPiiGuardClient, RegulatoryPiiGuardState};

#[test]
fn a_client_is_reloaded_under_fire_and_counts_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = Fixtures::make(folder.path()).unwrap();
    let options = Options::new()
        .license_file(fixtures.path("helixor.hxlic"))
        .authorities([fixtures.path("authority.pem")]);
    let counted = Options::new().ledger(LedgerChoice::InMemory).timing(true);
    let client = RegulatoryPiiGuardClient::builtin_with(&counted).unwrap();
    let state = RegulatoryPiiGuardState {
        has_credit_card: false,
        has_email: false,
        has_health_record: false,
        has_ip: false,
        has_phone: false,
        has_ssn: true,
    };
    let before = client.decide(&state).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..500 {
                    let decision = client.decide(&state).unwrap();
                    assert!(decision.latency_us().is_some());
                    assert_eq!(decision.proof_sha256(), before.proof_sha256());
                }
            });
        }
        for _ in 0..20 {
            let same = client.clone();
            same.reload(fixtures.path("example.hxpack"), &options)
                .unwrap();
            let other = same.reload(fixtures.path("loan_desk.hxpack"), &options);
            assert_eq!(other.unwrap_err().code(), Code::PackMismatch);
            let torn = same.reload_bytes(b"HXPACK", &options);
            assert_eq!(torn.unwrap_err().code(), Code::PackFormat);
        }
    });
    let report = client.audit_report().unwrap();
    assert_eq!(report.total_decisions_executed, 4_001);
    // The pack of now was opened with a licence, the one before without.
    assert_eq!(report.license_id, "LIC-helixor.hxlic");
    assert_eq!(
        before.fired_rules(),
        client.decide(&state).unwrap().fired_rules()
    );
}

/// Where the child finds the path of its ledger.
const LEDGER: &str = "HELIXOR_KILLED_LEDGER";

/// How often one is killed: some times, or `$HELIXOR_KILLS`.
fn kills() -> u32 {
    let given = std::env::var("HELIXOR_KILLS").ok();
    given.and_then(|kills| kills.parse().ok()).unwrap_or(4)
}

#[test]
fn nothing_durable_is_lost_by_a_kill() {
    let seed = conformance::seed("kills");
    let mut random = fastrand::Rng::with_seed(seed);
    let folder = tempfile::tempdir().unwrap();
    let (mut leaves, mut durable) = (0, 0);
    for kill in 0..kills() {
        // A file goes through some kills; then another is begun, so that none grows large.
        let path = folder.path().join(format!("{}.ledger", kill / 10));
        let before = match kill % 10 {
            0 => 0,
            _ => leaves,
        };
        // The first line tells of nothing new; the first child is to tell more.
        let lines = random.usize(usize::from(kill == 0)..4);
        let told = kill_one(&path, lines, random.u64(0..100));
        // Readers see what the killed one wrote, a last line that it did not finish apart.
        let found = root(&path, None).unwrap();
        assert!(found.size >= told.max(before), "{told} {before} {found:?}");
        let ledger = Ledger::open(&path).unwrap();
        assert_eq!(ledger.state().leaves, found.size);
        assert_eq!(ledger.state().root, found.root);
        drop(ledger);
        assert!(!root(&path, None).unwrap().torn);
        assert_eq!(std::fs::read(&path).unwrap().last(), Some(&b'\n'));
        leaves = found.size;
        durable += told - before.min(told);
    }
    assert!(durable > 0, "no child told of a leaf");
}

/// Starts a writer, and kills it some milliseconds after some lines of it; gives how many leaves it told
/// to be durable last.
fn kill_one(path: &Path, lines: usize, milliseconds: u64) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writes_until_it_is_killed", "--nocapture"])
        .env(LEDGER, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let mut told = output.lines().filter_map(|line| {
        let line = line.ok()?;
        line.strip_prefix("durable ")?.parse().ok()
    });
    let first: u64 = told.nth(lines).unwrap();
    std::thread::scope(|scope| {
        let last = scope.spawn(|| told.last());
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        last.join().unwrap().unwrap_or(first)
    })
}

/// The child: two threads decide, and one tells whenever more became durable.
#[test]
fn writes_until_it_is_killed() {
    let Some(path) = std::env::var_os(LEDGER) else {
        return;
    };
    let pack = Pack::builtin();
    let options = Options::new().ledger_file(path);
    let client = Client::builtin_with(pack.interface(), &options).unwrap();
    let state = br#"{"has_ssn": true, "has_credit_card": false, "has_health_record": false,
        "has_email": false, "has_phone": false, "has_ip": false}"#;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    client.decide(pack.state_from_json(state).unwrap()).unwrap();
                }
            });
        }
        let mut told = None;
        loop {
            let durable = client.audit_report().unwrap().durable_leaves;
            if told.replace(durable) != Some(durable) {
                let mut output = std::io::stdout().lock();
                // A newline first: the test harness does not end its own line.
                writeln!(output, "\ndurable {}", durable.unwrap()).unwrap();
                output.flush().unwrap();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}
