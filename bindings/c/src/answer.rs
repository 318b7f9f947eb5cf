//! A decision as the JSON that clients of the C library read.

use helixor_runtime::canonical::{Style, write};
use helixor_runtime::client::Decision;
use helixor_runtime::{Client, Data, Node, Value, Verdict};
use std::time::Instant;

/// The decision; `started` is when the call began, for `latency_us`.
pub(crate) fn json(client: &Client, decision: &Decision, started: Instant) -> String {
    let playbook = client.pack().playbook();
    let rules: Vec<&str> = client.pack().rules().map(|rule| rule.id.as_str()).collect();
    let rule = |i: usize| rules.get(i).copied().unwrap_or_default();
    let action = playbook
        .actions
        .get(decision.action())
        .map_or("", |action| action.as_str());
    let field = |i: usize| {
        let field = playbook.fields.get(i);
        field.map_or("", |field| field.name.as_str())
    };
    let causes = decision.causes().into_iter().map(|cause| {
        Node::map([
            ("rule", rule(cause.rule).into()),
            ("factor", field(cause.factor).into()),
            ("observed", number(&cause.observed_value)),
            ("threshold", number(&cause.threshold)),
            ("direction", cause.direction.into()),
        ])
    });
    let counterfactual = decision
        .counterfactual()
        .and_then(|found| found.renamed(|i| Some(rule(i)), |i| Some(field(i))))
        .map(|found| found.to_node());
    let verdict = match decision.verdict() {
        Verdict::Approve => "compliant",
        Verdict::Redact | Verdict::Refuse => "invariant_breach",
    };
    let node = Node::map([
        ("verdict", verdict.into()),
        ("rule_verdict", decision.verdict().as_str().into()),
        ("action", action.into()),
        (
            "fired_rules",
            Node::list(decision.fired_rules().into_iter().map(rule)),
        ),
        ("necessary_causes", Node::list(causes)),
        ("counterfactual", counterfactual.into()),
        ("proof_sha256", decision.proof().to_string().into()),
        (
            "latency_us",
            (started.elapsed().as_nanos() as f64 / 1_000.0).into(),
        ),
    ]);
    // Values of states are finite, so there is always a JSON form.
    write(&node, Style::Compact).unwrap_or_default()
}

/// A value as a number: 1.0 for true, null for what is none.
fn number(value: &Value) -> Node {
    match value {
        Value::Boolean(value) => f64::from(u8::from(*value)).into(),
        Value::Integer(_) | Value::Number(_) => value.into(),
        Value::Null | Value::String(_) | Value::List(_) => Data::Null.into(),
    }
}
