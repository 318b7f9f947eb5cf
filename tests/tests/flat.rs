//! Memory stays flat, however much is decided. `$HELIXOR_DECISIONS` sets how much; `cargo xtask soak` asks for
//! ten million.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use helixor_runtime::{Client, Given, LedgerChoice, Options, Pack};

/// How much memory the process may take on while it decides, in KiB: what allocators keep back.
const GROWTH: u64 = 4 * 1_024;

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let size = line.and_then(|line| line.split_whitespace().nth(1));
    size.unwrap().parse().unwrap()
}

#[test]
fn memory_is_flat_over_many_decisions() {
    let decisions = std::env::var("HELIXOR_DECISIONS").ok();
    let decisions = decisions.map_or(200_000, |text| text.parse().unwrap());
    let options = Options::new().ledger(LedgerChoice::InMemory).timing(true);
    let client = Client::builtin_with(Pack::builtin().interface(), &options).unwrap();
    let decide = |count: u64| {
        for i in 0..count {
            let mut state = client.state();
            for field in 0..6 {
                state.set(field, Given::Boolean(i >> field & 1 == 1));
            }
            let decision = client.decide(state.finish().unwrap()).unwrap();
            assert_eq!(decision.fired_rules().is_empty(), i % 64 == 0);
            if i % 64 == 63 {
                assert_eq!(decision.causes().len(), 6);
                assert!(client.decide_batch([client.unpack(&[i % 64])]).is_ok());
            }
            if i % 10_000 == 63 {
                assert!(decision.counterfactual().is_some());
            }
        }
    };
    decide(decisions / 10);
    let before = resident();
    decide(decisions);
    let after = resident();
    println!("{decisions} decisions: {before} KiB before, {after} KiB after");
    assert!(after < before + GROWTH, "{before} KiB, then {after} KiB");
}
