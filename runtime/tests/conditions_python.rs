//! Conditions against CPython: the same truth, and an error where it has one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use helixor_playbook::{Format, Node, canonical, check, read};
use helixor_runtime::{Code, Pack, Verdict};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// `$HELIXOR_SEED`, or another one each time; printed when a test fails.
fn seed() -> u64 {
    let given = std::env::var("HELIXOR_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    given.unwrap_or_else(|| {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_nanos() as u64
    })
}

/// A pack with this one condition.
fn pack(condition: &str) -> Pack {
    let field = |kind: &str| Node::map([("type", kind.into())]);
    let rule = Node::map([
        ("id", "R".into()),
        ("condition", condition.into()),
        ("action", "stop".into()),
    ]);
    let playbook = Node::map([
        ("pack_id", "acme.random.v1".into()),
        ("version", "1.0.0".into()),
        ("actions", Node::list(["pass", "stop"])),
        ("default_action", "pass".into()),
        (
            "state_schema",
            Node::map([
                ("a", field("boolean")),
                ("b", field("boolean")),
                ("i", field("integer")),
                ("j", field("integer")),
                ("n", field("number")),
                ("m", field("number")),
            ]),
        ),
        ("hard_rules", Node::list([rule])),
    ]);
    let json = canonical::write(&playbook, canonical::Style::Compact).unwrap();
    let playbook = check(&json, &read(&json, Format::Json).unwrap());
    Pack::from(playbook.unwrap_or_else(|problems| panic!("{condition}: {problems:?}")))
}

#[test]
fn conditions_are_judged_as_cpython_judges_them() {
    let seed = seed();
    let count = std::env::var("HELIXOR_CONDITIONS").unwrap_or_else(|_| "2000".into());
    println!("HELIXOR_SEED={seed} HELIXOR_CONDITIONS={count}");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conditions.py");
    let output = Command::new("python3")
        .args(["-W", "ignore", script, &seed.to_string(), &count])
        .output()
        .expect("python3 runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let mut last: Option<(&str, Pack)> = None;
    let mut seen = [0; 3];
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [condition, state, expected] = fields.as_slice() else {
            panic!("{line}")
        };
        if last.as_ref().is_none_or(|(text, _)| text != condition) {
            last = Some((condition, pack(condition)));
        }
        let (_, pack) = last.as_ref().unwrap();
        let state = pack.state_from_json(state.as_bytes()).unwrap();
        let (kind, found) = match pack.decide(&state) {
            Ok(outcome) if outcome.verdict() == Verdict::Refuse => {
                // What fired is explained, and by true atoms only.
                assert!(!pack.causes(&state, &outcome).is_empty(), "{line}");
                (0, "True")
            }
            Ok(_) => (1, "False"),
            Err(e) => {
                assert_eq!(e.code(), Code::Evaluation);
                (2, "error")
            }
        };
        assert_eq!(found, *expected, "{line}");
        seen[kind] += 1;
    }
    let least = seen.iter().min().unwrap();
    assert!(
        least * 50 > seen.iter().sum::<usize>(),
        "every outcome must be tried: {seen:?}"
    );
}
