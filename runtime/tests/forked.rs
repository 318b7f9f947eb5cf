//! What a forked child makes of the ledgers it was born with. It stands alone, since it is of the whole
//! process; real forks are in the tests of the other languages.

use helixor_runtime::ledger::{forked, root};
use helixor_runtime::{Client, Ledger, Options, Pack};
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn a_child_has_an_empty_ledger_in_memory_and_leaves_the_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.ledger");
    let pack = Pack::builtin();
    let options = Options::new().ledger_file(&path);
    let client = Client::builtin_with(pack.interface(), &options).unwrap();
    let decide = || {
        let state = br#"{"has_ssn": false, "has_credit_card": false, "has_health_record": false,
            "has_email": false, "has_phone": false, "has_ip": false}"#;
        client.decide(pack.state_from_json(state).unwrap()).unwrap();
    };
    decide();
    let ledger = client.ledger().unwrap();
    while ledger.state().durable != Some(1) {
        std::thread::yield_now();
    }
    let before = std::fs::read(&path).unwrap();
    forked();
    let state = ledger.state();
    assert_eq!((state.leaves, state.durable), (0, None));
    // Threads that find out at the same time share one new ledger.
    forked();
    let go = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !go.load(Ordering::Acquire) {
                    std::hint::spin_loop();
                }
                (0..1_000).for_each(|_| decide());
            });
        }
        go.store(true, Ordering::Release);
    });
    let report = client.audit_report().unwrap();
    assert_eq!(report.total_decisions_executed, 8_000);
    assert_eq!(report.durable_leaves, None);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // The child's way to the file is closed, so here, without a parent, the lock is free.
    let again = Ledger::open(&path).unwrap();
    drop(client);
    assert_eq!(again.state().leaves, 1);
    drop(again);
    assert_eq!(root(&path, None).unwrap().size, 1);
}
