//! Counterfactuals: applied they approve, and no cheaper change does.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use conformance::{applied, playbook, seed};
use fastrand::Rng;
use helixor_runtime::{Counterfactual, Given, Pack, State, Value, Verdict};

fn pack(source: &str) -> Pack {
    Pack::from(playbook(source).unwrap_or_else(|e| panic!("{source}: {e}")))
}

fn state(pack: &Pack, values: &[Value]) -> State {
    let mut state = pack.state();
    for (field, value) in values.iter().enumerate() {
        state.set(field, Given::from(value.clone()));
    }
    state.finish().unwrap()
}

/// Checks that what a counterfactual asks for is of this state, and is approved.
#[track_caller]
fn approves(pack: &Pack, state: &State, found: &Counterfactual<usize, usize>) {
    for change in &found.changes {
        let observed = pack.values(state).nth(change.factor).map(Value::from);
        assert_eq!(Some(&change.observed_value), observed.as_ref());
    }
    assert_eq!(applied(pack, state, found), Ok(Verdict::Approve));
}

const FIELDS: &str = "
  a: {type: boolean, cost: 2}
  b: {type: boolean}
  c: {type: boolean, actionable: false}
  i: {type: integer, min_value: 0, max_value: 6, cost: 1.5}
  j: {type: integer, min_value: -3, max_value: 3}
  s: {type: string, allowed_values: [x, y, z], required: false, cost: 3}
";

/// Every state of [`FIELDS`].
fn every() -> Vec<Vec<Value>> {
    let booleans = vec![Value::Boolean(false), Value::Boolean(true)];
    let integers = |range: std::ops::RangeInclusive<i64>| range.map(Value::Integer).collect();
    let texts = ["x", "y", "z"].map(|text| Value::String(text.into()));
    let domains: [Vec<Value>; 6] = [
        booleans.clone(),
        booleans.clone(),
        booleans,
        integers(0..=6),
        integers(-3..=3),
        [vec![Value::Null], texts.to_vec()].concat(),
    ];
    domains.iter().fold(vec![Vec::new()], |states, domain| {
        let with = |state: &Vec<Value>| -> Vec<Vec<Value>> {
            let with = |value: &Value| [state.clone(), vec![value.clone()]].concat();
            domain.iter().map(with).collect()
        };
        states.iter().flat_map(with).collect()
    })
}

fn atom(random: &mut Rng) -> String {
    let operator = random.choice(["==", "!=", "<", "<=", ">", ">="]).unwrap();
    match random.u32(..6) {
        0 => random
            .choice(["state.a", "state.b", "state.c", "not state.a"])
            .unwrap()
            .into(),
        1 => format!("state.i {operator} {}", random.u32(..7)),
        2 => format!("{} {operator} state.j", random.i64(-3..4)),
        3 => format!("2 * state.i - 3 {operator} {}", random.u32(..8)),
        4 => random
            .choice(["state.s is None", "state.s == 'x'", "state.s != 'y'"])
            .unwrap()
            .into(),
        _ => random
            .choice(["state.s in ['x', 'z']", "state.j not in [0, 2]"])
            .unwrap()
            .into(),
    }
}

fn condition(random: &mut Rng) -> String {
    let parts: Vec<String> = (0..=random.u32(..3)).map(|_| atom(random)).collect();
    let joined = parts.join(random.choice([" and ", " or "]).unwrap());
    if random.u32(..4) == 0 {
        format!("not ({joined})")
    } else {
        joined
    }
}

#[test]
fn no_cheaper_change_approves() {
    let mut random = Rng::with_seed(seed("counterfactuals"));
    let (mut found_some, mut found_none) = (0, 0);
    let every = every();
    let packs = std::env::var("HELIXOR_PACKS").map_or(30, |packs| packs.parse().unwrap());
    for _ in 0..packs {
        let mut source = format!(
            "pack_id: acme.random.v1\nversion: 1.0.0\nactions: [pass, stop]\ndefault_action: pass\n\
             state_schema:{FIELDS}hard_rules:\n"
        );
        for rule in 0..=random.u32(..4) {
            let condition = condition(&mut random);
            source += &format!("  - {{id: R{rule}, condition: \"{condition}\", action: stop}}\n");
        }
        let pack = pack(&source);
        let fields = &pack.playbook().fields;
        let approving: Vec<&Vec<Value>> = every
            .iter()
            .filter(|values| {
                let state = state(&pack, values);
                pack.decide(&state).unwrap().verdict() == Verdict::Approve
            })
            .collect();
        for _ in 0..20 {
            let values = random.choice(&every).unwrap();
            let state = state(&pack, values);
            let outcome = pack.decide(&state).unwrap();
            let Some(found) = pack.counterfactual(&state, &outcome) else {
                assert_eq!(outcome.verdict(), Verdict::Approve);
                continue;
            };
            let cost_to = |other: &Vec<Value>| -> Option<f64> {
                let changed = (0..fields.len()).filter(|i| other[*i] != values[*i]);
                let costs = changed.map(|i| fields[i].actionable.then_some(fields[i].cost));
                costs.sum()
            };
            let cheapest = approving
                .iter()
                .copied()
                .filter_map(cost_to)
                .reduce(f64::min);
            let cost = found.changes.iter().map(|c| fields[c.factor].cost).sum();
            if found.changes.is_empty() {
                assert_eq!(cheapest, None, "{source}{values:?}");
                assert_eq!(found.remedy, "no change found within the search bound");
                found_none += 1;
            } else {
                assert_eq!(cheapest, Some(cost), "{source}{values:?}: {found:?}");
                approves(&pack, &state, &found);
                found_some += 1;
            }
        }
    }
    assert!(
        found_some > 50 && found_none > 5,
        "{found_some} {found_none}"
    );
}

/// The remedies for one rule's condition, fields `n` a number, `i` and `j` integers, `s` and `o` texts,
/// the latter optional.
fn remedy(condition: &str, values: &str) -> String {
    let source = format!(
        "pack_id: acme.remedy.v1\nversion: 1.0.0\nactions: [pass, stop]\ndefault_action: pass\n\
         state_schema:\n  i: {{type: integer}}\n  j: {{type: integer, max_value: 10}}\n  \
         n: {{type: number, cost: 0.5}}\n  o: {{type: string, required: false}}\n  s: {{type: string}}\n\
         hard_rules:\n  - {{id: R, condition: '{condition}', action: stop}}\n"
    );
    let pack = pack(&source);
    let state = pack.state_from_json(values.as_bytes()).unwrap();
    let outcome = pack.decide(&state).unwrap();
    let found = pack.counterfactual(&state, &outcome).unwrap();
    if !found.changes.is_empty() {
        approves(&pack, &state, &found);
        assert_eq!(found.target_factor, Some(found.changes[0].factor));
        assert_eq!(found.delta, found.changes[0].delta);
    }
    found.remedy
}

#[test]
fn the_nearest_value_is_asked_for() {
    let values = r#"{"i": 7, "j": 3, "n": 5000.5, "s": "b", "o": "x"}"#;
    for (condition, expected) in [
        ("state.n > 5000", "n <= 5000.0 (rule R)"),
        ("state.n > 1000", "n <= 1000.0 (rule R)"),
        ("state.n >= 5000", "n <= 4999.999999999999 (rule R)"),
        ("state.i > 5", "i <= 5 (rule R)"),
        ("2 * state.i > 5", "i <= 2 (rule R)"),
        ("state.i - state.j > 2", "i <= 5 (rule R)"),
        ("state.j - state.i < -2", "i <= 5 (rule R)"),
        ("-3 * state.j < -8", "j <= 2 (rule R)"),
        ("20 > state.j + state.j", "i == 0"),
        ("state.i / 2 > 3.25", "i <= 6 (rule R)"),
        ("state.i / 3 > 2", "i <= 6 (rule R)"),
        (
            "state.i / 2 > -9007199254740993",
            "i <= -18014398509481987 (rule R)",
        ),
        ("state.i == 7", "i == 6 (rule R)"),
        ("state.i in [6, 7, 8]", "i == 5 (rule R)"),
        ("state.i != 100", "i == 100 (rule R)"),
        ("state.s != \"c\"", "s == \"c\" (rule R)"),
        ("state.s not in [\"c\", \"d\"]", "s == \"c\" (rule R)"),
        ("state.o == \"x\"", "o == null (rule R)"),
        ("state.o is not None", "o == null (rule R)"),
        (
            "state.s == \"b\"",
            "no change found within the search bound",
        ),
        (
            "state.i * state.j > 1",
            "no change found within the search bound",
        ),
        (
            "state.i % 2 == 1",
            "no change found within the search bound",
        ),
        (
            "abs(state.i) > 1",
            "no change found within the search bound",
        ),
        (
            "\"b\" in state.s",
            "no change found within the search bound",
        ),
        ("len(state.s) < state.j", "j <= 1 (rule R)"),
        ("state.j < 11", "no change found within the search bound"),
    ] {
        let expected = match condition {
            "20 > state.j + state.j" => "j >= 10 (rule R)",
            _ => expected,
        };
        assert_eq!(remedy(condition, values), expected, "{condition}");
    }
}

/// Differences this large are equal once they are rounded.
#[test]
fn the_nearest_value_is_asked_for_from_afar() {
    let far = |i: i64, n: f64| format!(r#"{{"i": {i}, "j": 3, "n": {n:e}, "s": "b"}}"#);
    for (condition, i, n, expected) in [
        ("state.i > 5", i64::MAX, 0.0, "i <= 5 (rule R)"),
        ("state.i < 5", i64::MIN, 0.0, "i >= 5 (rule R)"),
        ("2 * state.j < state.i", 1 << 62, 0.0, "i <= 6 (rule R)"),
        (
            "state.i == 7 or state.i > 1",
            i64::MAX,
            0.0,
            "i <= 1 (rule R)",
        ),
        ("state.n > 5000", 0, 1e300, "n <= 5000.0 (rule R)"),
        ("state.n < -0.5", 0, -1e17, "n >= -0.5 (rule R)"),
        (
            "state.n >= 5 or state.n >= 4",
            0,
            f64::MAX,
            "n <= 3.9999999999999996 (rule R)",
        ),
    ] {
        assert_eq!(remedy(condition, &far(i, n)), expected, "{condition}");
    }
}
