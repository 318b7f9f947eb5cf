//! What CPython makes up and judges, made and judged again: the bytes of canonical JSON, the truth of
//! conditions.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use conformance::{applied, seed};
use helixor_playbook::canonical::{Style, parse, write};
use helixor_playbook::{Data, Format, Node, Problem, check, read};
use helixor_runtime::{Code, Outcome, Pack, State, Verdict};
use std::collections::{BTreeMap, HashMap};
use std::process::Command;

/// What a script of `tests/cpython` prints for `$HELIXOR_SEED`, or another seed each time, which is
/// printed when a test fails.
fn cpython(script: &str, count: &str) -> String {
    let seed = seed(&format!("{count} of {script}")).to_string();
    let script = format!("{}/cpython/{script}", env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("python3")
        .args(["-X", "utf8", "-W", "ignore", &script, &seed, count])
        .output()
        .expect("python3 runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn canonical_json_is_cpythons() {
    let text = cpython("canonical.py", "3000");
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

/// A pack with this one condition.
fn pack(condition: &str) -> Pack {
    try_pack(condition).unwrap_or_else(|problems| panic!("{condition}: {problems:?}"))
}

fn try_pack(condition: &str) -> Result<Pack, Vec<Problem>> {
    let field = |kind: &str| Node::map([("type", kind.into())]);
    let optional = |kind: &str| Node::map([("type", kind.into()), ("required", false.into())]);
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
                ("s", field("string")),
                ("t", field("string")),
                ("o", optional("boolean")),
                ("p", optional("integer")),
                ("q", optional("number")),
                ("r", optional("string")),
                ("z", optional("number")),
            ]),
        ),
        ("hard_rules", Node::list([rule])),
    ]);
    let json = write(&playbook, Style::Compact).unwrap();
    check(&json, &read(&json, Format::Json)?).map(Pack::from)
}

/// Applies the counterfactual of a refusal: the state must be approved. Whether there was any.
fn approves_as_told(pack: &Pack, state: &State, outcome: &Outcome) -> bool {
    let found = pack.counterfactual(state, outcome).unwrap();
    let verdict = applied(pack, state, &found).unwrap();
    let some = !found.changes.is_empty();
    assert_eq!(verdict == Verdict::Approve, some, "{found:?}");
    some
}

/// Random conditions, and random expressions of numbers: what they are worth is the threshold that
/// `state.z != (expression)` is told with, `z` being null.
#[test]
fn conditions_and_expressions_are_worth_what_cpython_finds() {
    let count = std::env::var("HELIXOR_CONDITIONS").unwrap_or_else(|_| "2000".into());
    let text = cpython("conditions.py", &count);
    let mut packs: HashMap<&str, Pack> = HashMap::new();
    let (mut seen, mut remedied) = (BTreeMap::new(), 0);
    for line in text.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [text, state, expected] = columns.as_slice() else {
            panic!("{line}")
        };
        let truth = matches!(*expected, "True" | "False");
        let value = expected.strip_prefix("value ");
        // Of an error it is not told which of the two it is; either way it is the same.
        let pack = packs.entry(text).or_insert_with(|| match truth {
            true => pack(text),
            false => try_pack(text).unwrap_or_else(|_| pack(&format!("state.z != ({text})"))),
        });
        let state = pack.state_from_json(state.as_bytes()).unwrap();
        let (kind, found) = match pack.decide(&state) {
            Ok(outcome) if outcome.verdict() == Verdict::Refuse => {
                // What fired is explained, and by true atoms only.
                let causes = pack.causes(&state, &outcome);
                assert!(!causes.is_empty(), "{line}");
                match value {
                    Some(_) => {
                        let value = write(&Node::from(&causes[0].threshold), Style::Spaced);
                        ("value", format!("value {}", value.unwrap()))
                    }
                    None => {
                        remedied += u32::from(approves_as_told(pack, &state, &outcome));
                        ("True", "True".into())
                    }
                }
            }
            Ok(_) => ("False", "False".into()),
            Err(e) => {
                assert_eq!(e.code(), Code::Evaluation);
                ("error", "error".into())
            }
        };
        assert_eq!(found, *expected, "{line}");
        *seen.entry(kind).or_insert(0) += 1;
        if packs.len() > 100 {
            packs.clear();
        }
    }
    println!("{seen:?}, {remedied} remedies");
    assert!(remedied * 5 > seen["True"], "{remedied} of {seen:?}");
    let all: u32 = seen.values().sum();
    let least = seen.values().min().unwrap();
    assert!(
        seen.len() == 4 && least * 50 > all,
        "every outcome must be tried: {seen:?}"
    );
}
