//! A decision as the JSON that clients of the C library read.

use helixor_runtime::canonical::{Style, write};
use helixor_runtime::client::Decision;
use helixor_runtime::{Data, Node, Value, Verdict};
use std::time::Instant;

/// The decision; `started` is when the call began, for `latency_us`.
pub(crate) fn json(decision: &Decision, started: Instant) -> String {
    let causes = decision.named_causes().into_iter().map(|cause| {
        Node::map([
            ("rule", cause.rule.into()),
            ("factor", cause.factor.into()),
            ("observed", number(&cause.observed_value)),
            ("threshold", number(&cause.threshold)),
            ("direction", cause.direction.into()),
        ])
    });
    let verdict = match decision.verdict() {
        Verdict::Approve => "compliant",
        Verdict::Redact | Verdict::Refuse => "invariant_breach",
    };
    let counterfactual = decision.named_counterfactual();
    text(&Node::map([
        ("verdict", verdict.into()),
        ("rule_verdict", decision.verdict().as_str().into()),
        ("action", decision.action_name().into()),
        ("fired_rules", Node::list(decision.fired_rule_names())),
        ("necessary_causes", Node::list(causes)),
        (
            "counterfactual",
            counterfactual.map(|found| found.to_node()).into(),
        ),
        ("proof_sha256", decision.proof().to_string().into()),
        (
            "latency_us",
            (started.elapsed().as_nanos() as f64 / 1_000.0).into(),
        ),
    ]))
}

/// What is asked of a decision.
pub(crate) fn explained(
    decision: &Decision,
    fired_rules: bool,
    causes: bool,
    counterfactual: bool,
    proof: bool,
) -> String {
    let remedy = || Node::from(decision.named_counterfactual().map(|found| found.to_node()));
    let causes_node = || Node::list(decision.named_causes().iter().map(|cause| cause.to_node()));
    let rules = || Node::list(decision.fired_rule_names());
    let parts = [
        fired_rules.then(|| ("fired_rules", rules())),
        causes.then(|| ("necessary_causes", causes_node())),
        counterfactual.then(|| ("counterfactual", remedy())),
        proof.then(|| ("proof_sha256", decision.proof().to_string().into())),
    ];
    let always = [
        ("verdict", decision.verdict().as_str().into()),
        ("action", decision.action_name().into()),
        ("latency_us", decision.latency_us().into()),
    ];
    text(&Node::map(
        always.into_iter().chain(parts.into_iter().flatten()),
    ))
}

/// Values of states are finite, so there is always a JSON form.
fn text(node: &Node) -> String {
    write(node, Style::Compact).unwrap_or_default()
}

/// A value as a number: 1.0 for true, null for what is none.
fn number(value: &Value) -> Node {
    match value {
        Value::Boolean(value) => f64::from(u8::from(*value)).into(),
        Value::Integer(_) | Value::Number(_) => value.into(),
        Value::Null | Value::String(_) | Value::List(_) => Data::Null.into(),
    }
}
