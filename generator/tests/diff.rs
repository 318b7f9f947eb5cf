//! Every kind of change, by a manifest before it and one after it, `diff/RULE/{previous,current}.json`; and the
//! three ways in which changes are told.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "tests may panic"
)]

use helixor_playbook::{Node, canonical};
use helixor_sdk_gen::diff::{Change, RULES, diff, json, sarif, text};
use helixor_sdk_gen::manifest::parse;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diff")
}

fn source(rule: &str, which: &str) -> String {
    std::fs::read_to_string(folder().join(rule).join(format!("{which}.json"))).unwrap()
}

fn changes(rule: &str, from: &str, to: &str) -> Vec<Change> {
    let [from, to] = [from, to].map(|which| parse(&source(rule, which)).unwrap());
    diff(&from, &to)
}

fn ids(changes: &[Change]) -> Vec<&'static str> {
    changes.iter().map(|change| change.rule.id).collect()
}

#[test]
fn each_rule_is_reported_for_its_manifests_and_nothing_else() {
    for rule in RULES {
        let found = changes(rule.id, "previous", "current");
        assert_eq!(ids(&found), [rule.id]);
        assert!(changes(rule.id, "previous", "previous").is_empty());
        assert!(!changes(rule.id, "current", "previous").is_empty());
    }
    let rules: BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
    let folders = std::fs::read_dir(folder()).unwrap();
    let folders = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(
        folders.collect::<BTreeSet<_>>(),
        rules.iter().map(|id| (*id).to_owned()).collect()
    );
}

#[test]
fn each_rule_is_documented() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/manifest-changes.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    let expected = RULES.iter().map(|rule| {
        let (breaking, area) = (if rule.breaking { "yes" } else { "no" }, rule.area.as_str());
        format!("| `{}` | {breaking} | {area} | {} |", rule.id, rule.meaning)
    });
    assert_eq!(rows, expected.collect::<Vec<_>>());
}

#[test]
fn the_way_back_is_the_opposite() {
    for (there, back) in [
        ("PACK_ADDED", "PACK_REMOVED"),
        ("FIELD_ADDED_REQUIRED", "FIELD_REMOVED"),
        ("FIELD_BECAME_OPTIONAL", "FIELD_BECAME_REQUIRED"),
        ("DEFAULT_ADDED", "DEFAULT_REMOVED"),
        ("BOUND_TIGHTENED", "BOUND_LOOSENED"),
        ("ALLOWED_VALUE_ADDED", "ALLOWED_VALUE_REMOVED"),
        ("ALLOWED_VALUES_STATED", "ALLOWED_VALUES_DROPPED"),
        ("ACTION_ADDED", "ACTION_REMOVED"),
        ("RULE_ADDED", "RULE_REMOVED"),
        ("CODON_ADDED", "CODON_REMOVED"),
    ] {
        assert_eq!(ids(&changes(there, "current", "previous")), [back]);
    }
}

#[test]
fn a_default_that_null_was_or_becomes_is_a_change_of_meaning() {
    let manifest = |required: bool, default: &str| {
        let text = source("DEFAULT_CHANGED", "previous").replace(
            "\"default\": 100",
            &format!("\"default\": {default}, \"required\": {required}"),
        );
        // The key stands twice now; the fixture's own goes.
        let own = "\"required\": true,\n     \"min_value\": 0";
        assert!(text.contains(own));
        parse(&text.replace(own, "\"min_value\": 0")).unwrap()
    };
    let nullable = manifest(false, "null");
    let found = diff(&nullable, &manifest(false, "7"));
    assert_eq!(ids(&found), ["DEFAULT_CHANGED"]);
    assert!(
        found[0]
            .message
            .contains("was `null` when left out and is `7.0`")
    );
    let found = diff(&nullable, &manifest(true, "null"));
    assert_eq!(ids(&found), ["FIELD_BECAME_REQUIRED", "DEFAULT_REMOVED"]);
    let found = diff(&manifest(true, "null"), &nullable);
    assert_eq!(ids(&found), ["FIELD_BECAME_OPTIONAL", "DEFAULT_ADDED"]);
}

#[test]
fn text_tells_each_pack_and_counts() {
    let mut found = changes("FIELD_ADDED_REQUIRED", "previous", "current");
    found.extend(changes("RULE_ADDED", "previous", "current"));
    assert_eq!(
        text(&found),
        "acme.loans.v1\n  breaking  FIELD_ADDED_REQUIRED  field `age` is new and must be given\n            \
         RULE_ADDED            hard rule `NEW` is new\n2 changes, 1 breaking\n"
    );
    assert_eq!(text(&[]), "nothing changed that counts\n");
}

/// The value at a path of keys and indexes.
fn at<'n>(node: &'n Node, path: &str) -> &'n Node {
    path.split('/').fold(node, |node, key| match &node.data {
        helixor_playbook::Data::List(items) => &items[key.parse::<usize>().unwrap()],
        _ => node
            .get(key)
            .unwrap_or_else(|| panic!("no {key} in {path}")),
    })
}

#[test]
fn json_says_the_same() {
    let found = changes("ACTION_ADDED", "previous", "current");
    let node = canonical::parse(&json(&found)).unwrap();
    let text = |path| at(&node, path).as_str().unwrap();
    assert_eq!(text("schema"), "helixor.manifest_diff.v1");
    assert_eq!(text("changes/0/rule"), "ACTION_ADDED");
    assert_eq!(text("changes/0/item/kind"), "action");
    assert_eq!(text("changes/0/item/name"), "ask_manager");
    assert_eq!(text("changes/0/pack_id"), "acme.loans.v1");
    let breaking = &at(&node, "breaking").data;
    assert!(matches!(breaking, helixor_playbook::Data::Bool(true)));
}

#[test]
fn sarif_has_every_change_at_its_place_in_the_new_manifest() {
    for rule in RULES {
        let (found, new) = (
            changes(rule.id, "previous", "current"),
            source(rule.id, "current"),
        );
        let node = canonical::parse(&sarif(&found, &new, "a folder/ä.json")).unwrap();
        let result = at(&node, "runs/0/results/0");
        assert_eq!(at(result, "ruleId").as_str(), Some(rule.id));
        let place = at(result, "locations/0/physicalLocation");
        assert_eq!(
            at(place, "artifactLocation/uri").as_str(),
            Some("a%20folder/%C3%A4.json")
        );
        let helixor_playbook::Data::Int(line) = at(place, "region/startLine").data else {
            panic!("a line is a number");
        };
        let line = new.lines().nth(usize::try_from(line).unwrap() - 1).unwrap();
        let there = match rule.id {
            "FIELD_ADDED_REQUIRED" => "\"age\": {",
            "ACTION_ADDED" => "\"ask_manager\"",
            "FIELD_REMOVED" => "\"state_schema\": {",
            "RULE_REMOVED" => "\"hard_rules\": [",
            "PACK_REMOVED" => "{",
            _ => "",
        };
        assert!(line.contains(there), "{}: {line}", rule.id);
    }
}

/// To look through the manifest for each change would take minutes.
#[test]
fn as_many_changes_as_a_manifest_has_rules_are_told_at_once() {
    const RULES: usize = 20_000;
    let manifest = |verdict: &str| {
        let rule = |i: usize| {
            format!("{{\"id\": \"R{i}\", \"condition\": \"x\", \"verdict\": \"{verdict}\"}}")
        };
        let rules: Vec<String> = (0..RULES).map(rule).collect();
        let fixture = source("RULE_ADDED", "previous");
        let (start, _) = fixture.split_once("\"hard_rules\": [").unwrap();
        format!("{start}\"hard_rules\": [\n{}\n]}}]}}", rules.join(",\n"))
    };
    let [old, new] = ["redact", "refuse"].map(manifest);
    let found = diff(&parse(&old).unwrap(), &parse(&new).unwrap());
    let node = canonical::parse(&sarif(&found, &new, "new.json")).unwrap();
    let last = format!("runs/0/results/{}", found.len() - 1);
    let line = &at(
        &node,
        &format!("{last}/locations/0/physicalLocation/region/startLine"),
    )
    .data;
    let lines = new.lines().count();
    assert!(matches!(line, helixor_playbook::Data::Int(line) if *line == lines as i128 - 1));
    assert!(found.len() >= RULES);
}
