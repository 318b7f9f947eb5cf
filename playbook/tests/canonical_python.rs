//! Canonical JSON against CPython: the same bytes for everything CPython comes up with.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use helixor_playbook::canonical::{Style, parse, write};
use helixor_playbook::{Data, Node};
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

#[test]
fn canonical_json_is_cpythons() {
    let seed = seed();
    println!("HELIXOR_SEED={seed}");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/canonical.py");
    let output = Command::new("python3")
        .args(["-X", "utf8", script, &seed.to_string(), "3000"])
        .output()
        .expect("python3 runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let (mut floats, mut documents, mut refused) = (0, 0, 0);
    for line in text.lines() {
        let line = line.replace("\\CR", "\r");
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            ["float", bits, repr] => {
                let value = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
                assert_eq!(
                    write(&value.into(), Style::Compact).unwrap(),
                    *repr,
                    "{bits}"
                );
                let Node {
                    data: Data::Float(read),
                    ..
                } = parse(repr).unwrap()
                else {
                    panic!("{repr}")
                };
                assert_eq!(read.to_bits(), value.to_bits(), "{repr}");
                floats += 1;
            }
            ["document", messy, compact, spaced] => {
                let node = parse(messy).unwrap_or_else(|problem| panic!("{messy}: {problem:?}"));
                assert_eq!(write(&node, Style::Compact).unwrap(), *compact, "{messy}");
                assert_eq!(write(&node, Style::Spaced).unwrap(), *spaced, "{messy}");
                documents += 1;
            }
            ["refused", messy] => {
                assert!(parse(messy).is_err(), "{messy}");
                refused += 1;
            }
            _ => panic!("{line}"),
        }
    }
    assert!(
        floats > 15_000 && documents == 3_000 && refused > 1_000,
        "{floats} {documents} {refused}"
    );
}
