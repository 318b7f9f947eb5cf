//! States of very many fields, and sets of very many members, compiled and decided on in Rust.
#![deny(warnings)]
#![allow(clippy::unwrap_used)]

use conformance::Fixtures;
use helixor_runtime::typed::{Client, Names, Spec};
use helixor_runtime::{Options, Verdict};

/// Hundreds of fields, all required.
mod wide_300 {
    include!(concat!(env!("OUT_DIR"), "/wide/wide300.rs"));
}

/// Hundreds of fields of all kinds.
mod mixed_300 {
    include!(concat!(env!("OUT_DIR"), "/wide/mixed300.rs"));
}

/// Thousands of rules and actions.
mod many_rules {
    include!(concat!(env!("OUT_DIR"), "/wide/many.rs"));
}

/// A closed set of thousands of values.
mod many_values {
    include!(concat!(env!("OUT_DIR"), "/wide/choices.rs"));
}

/// What fires, by rule and field.
fn fired<S: Spec>(client: &Client<S>, state: &S::State) -> Vec<(&'static str, &'static str)> {
    let causes = client.decide(state).unwrap().necessary_causes();
    let names =
        |cause: &helixor_runtime::typed::Cause<S>| (cause.rule.as_str(), cause.factor.as_str());
    causes.iter().map(names).collect()
}

#[test]
fn sizes() {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = Fixtures::make(folder.path()).unwrap();
    let options = Options::new()
        .license_file(fixtures.path("helixor.hxlic"))
        .authorities([fixtures.path("authority.pem")]);
    let path = |name: &str| fixtures.path(&format!("{name}.hxpack"));

    let missing = wide_300::Wide300State::builder()
        .field_299(0.0)
        .build()
        .unwrap_err();
    assert_eq!(missing.all().len(), 299);
    assert_eq!(wide_300::Field::ALL.len(), 300);

    let missing = mixed_300::Mixed300State::builder().build().unwrap_err();
    assert_eq!(missing.all().len(), 76);

    let client = many_rules::ManyClient::open_with(path("many_rules"), &options).unwrap();
    let state = many_rules::ManyState { x: 2_999 };
    assert_eq!(fired(&client, &state), [("RULE-2999", "x")]);
    assert_eq!(
        client.decide(&state).unwrap().action(),
        many_rules::Action::Act2999
    );

    use many_values::{Choice, ChoicesClient, ChoicesState};
    let client = ChoicesClient::open_with(path("many_values"), &options).unwrap();
    assert_eq!(Choice::ALL.len(), 3_000);
    let last = Choice::from_wire("value_2999").unwrap();
    assert_eq!(last, Choice::Value2999);
    assert_eq!(
        fired(&client, &ChoicesState { choice: last }),
        [("RULE-LAST", "choice")]
    );
    let decision = client
        .decide(&ChoicesState {
            choice: Choice::Value0,
        })
        .unwrap();
    assert_eq!(decision.verdict(), Verdict::Approve);
}
