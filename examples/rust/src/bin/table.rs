//! Decides on every state of standard input, one JSON object a line, and says all of each decision
//! and how long it took: `table PACK LICENCE AUTHORITY < STATES`.
//!
//! An error is one JSON object as well, and the exit code is 1.

use helixor_runtime::{Error, Options, Value};
use regulatory_pii_guard::{
    RegulatoryPiiGuardCause, RegulatoryPiiGuardClient, RegulatoryPiiGuardState,
};
use serde_json::json;
use std::hint::black_box;
use std::io::BufRead;
use std::process::ExitCode;
use std::time::Instant;

const BATCHES: usize = 31;
const DECISIONS_PER_BATCH: u32 = 500;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let (code, message, help) = (error.code(), error.message(), error.help());
            let class = format!("Error::{}", code.name());
            println!(
                "{}",
                json!({"code": code.as_str(), "message": message, "help": help, "class": class})
            );
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Error> {
    let [pack, license, authority] = arguments()?;
    let options = Options::new()
        .license_file(license)
        .authorities([authority]);
    let guard = RegulatoryPiiGuardClient::open_with(pack, &options)?;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|e| invalid(&e))?;
        let state = state(&serde_json::from_str(&line).map_err(|e| invalid(&e))?)?;
        let decision = guard.decide(&state)?;
        let rules: Vec<&str> = decision.fired_rules().iter().map(|r| r.as_str()).collect();
        let causes: Vec<_> = decision.necessary_causes().iter().map(cause).collect();
        println!(
            "{}",
            json!({
                "action": decision.action().as_str(),
                "verdict": decision.verdict().as_str(),
                "is_approved": decision.is_approved(),
                "fired_rules": rules,
                "necessary_causes": causes,
                "proof_sha256": decision.proof_sha256(),
                "nanoseconds": nanoseconds(&guard, &state)?,
            })
        );
    }
    Ok(())
}

fn arguments() -> Result<[String; 3], Error> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    <[String; 3]>::try_from(given).map_err(|_| invalid(&"usage: table PACK LICENCE AUTHORITY"))
}

fn invalid(what: &dyn std::fmt::Display) -> Error {
    Error::new(helixor_runtime::Code::InvalidArgument, what.to_string(), "")
}

/// A field that the line lacks stays unset, so that the builder says which.
fn state(given: &serde_json::Value) -> Result<RegulatoryPiiGuardState, Error> {
    let mut state = RegulatoryPiiGuardState::builder();
    let field = |name: &str| given.get(name).and_then(serde_json::Value::as_bool);
    if let Some(value) = field("has_credit_card") {
        state = state.has_credit_card(value);
    }
    if let Some(value) = field("has_email") {
        state = state.has_email(value);
    }
    if let Some(value) = field("has_health_record") {
        state = state.has_health_record(value);
    }
    if let Some(value) = field("has_ip") {
        state = state.has_ip(value);
    }
    if let Some(value) = field("has_phone") {
        state = state.has_phone(value);
    }
    if let Some(value) = field("has_ssn") {
        state = state.has_ssn(value);
    }
    state.build()
}

fn cause(cause: &RegulatoryPiiGuardCause) -> serde_json::Value {
    json!({
        "rule": cause.rule.as_str(),
        "rule_verdict": cause.rule_verdict.as_str(),
        "factor": cause.factor.as_str(),
        "observed_value": value(&cause.observed_value),
        "direction": cause.direction,
        "threshold": value(&cause.threshold),
        "distance_to_boundary": cause.distance_to_boundary,
    })
}

fn value(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Boolean(value) => json!(value),
        Value::Integer(value) => json!(value),
        Value::Number(value) => json!(value),
        Value::String(value) => json!(**value),
        Value::List(items) => items.iter().map(self::value).collect(),
    }
}

/// The median of several batches, for one decision.
fn nanoseconds(
    guard: &RegulatoryPiiGuardClient,
    state: &RegulatoryPiiGuardState,
) -> Result<f64, Error> {
    let mut batches = Vec::with_capacity(BATCHES);
    for _ in 0..BATCHES {
        let start = Instant::now();
        for _ in 0..DECISIONS_PER_BATCH {
            black_box(guard.decide(black_box(state))?);
        }
        batches.push(start.elapsed().as_nanos() as f64 / f64::from(DECISIONS_PER_BATCH));
    }
    batches.sort_by(f64::total_cmp);
    Ok(batches[BATCHES / 2])
}
