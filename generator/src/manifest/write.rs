//! Manifests written from playbooks, in the form of the next release: nothing in them is a
//! placeholder.

use super::{GENERATION_MODE, SCHEMA_VERSION};
use helixor_playbook::canonical;
use helixor_playbook::condition::Operand;
use helixor_playbook::{Data, Entry, FieldKind, HardRule, Node, Playbook, Value};

/// That a manifest describes a sealed pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// When it was sealed, `YYYY-MM-DDTHH:MM:SSZ`.
    pub sealed_at: String,
}

/// Writes the manifest of these playbooks, in their order; `sealed` is stated of each.
///
/// Key order and layout are fixed: the same playbooks give the same bytes. Every pack is tied to
/// its playbook by `raw_pack_sha256`, sealed or not.
pub fn write(playbooks: &[Playbook], sealed: Option<&Sealed>) -> String {
    let packs = playbooks.iter().map(|playbook| pack(playbook, sealed));
    let manifest = Node::map([
        ("generator", "helixor-sdk-gen".into()),
        ("generation_mode", GENERATION_MODE.into()),
        ("packs", Node::list(packs)),
    ]);
    pretty(&manifest)
}

/// A document laid out in lines, two spaces a level, keys in the order given.
pub(crate) fn pretty(node: &Node) -> String {
    let mut out = String::new();
    push(&mut out, node, 0);
    out.push('\n');
    out
}

fn pack(playbook: &Playbook, sealed: Option<&Sealed>) -> Node {
    let default_action = playbook.actions.get(playbook.default_action);
    let fields = playbook
        .fields
        .iter()
        .map(|field| (field.name.as_str(), state_field(field)));
    let rules = playbook
        .priority_order()
        .into_iter()
        .filter_map(|i| playbook.rules.get(i));
    Node::map([
        ("pack_id", playbook.pack_id.as_str().into()),
        ("schema_version", SCHEMA_VERSION.into()),
        ("domain_name", playbook.domain_name.as_str().into()),
        ("goal_id", playbook.goal_id.as_str().into()),
        (
            "actions",
            Node::list(playbook.actions.iter().map(|action| action.as_str())),
        ),
        (
            "default_action",
            default_action.map(|action| action.as_str()).into(),
        ),
        ("floor", playbook.floor.into()),
        (
            "budget_max_latency_ms",
            playbook.budget.max_latency_ms.into(),
        ),
        ("state_schema", Node::map(fields)),
        (
            "hard_rules",
            Node::list(rules.map(|rule| hard_rule(playbook, rule))),
        ),
        ("has_decision_head", false.into()),
        ("decision_head", Data::Null.into()),
        ("merkle_root", "".into()),
        (
            "sealed_at",
            sealed.map(|sealed| sealed.sealed_at.as_str()).into(),
        ),
        ("raw_pack_sha256", playbook.digest.to_string().into()),
        ("solvers", Data::List(Vec::new()).into()),
        (
            "codons",
            Node::list(playbook.codons.iter().map(|codon| codon.code.as_str())),
        ),
        ("metadata", metadata(playbook)),
        ("is_sealed", sealed.is_some().into()),
    ])
}

fn state_field(field: &helixor_playbook::Field) -> Node {
    let mut entries = vec![
        ("name", field.name.as_str().into()),
        ("property_type", field.kind.as_str().into()),
        ("description", field.description.as_str().into()),
        ("required", field.required.into()),
        ("min_value", field.min_value.as_ref().into()),
        ("max_value", field.max_value.as_ref().into()),
        ("default", field.default.as_ref().into()),
    ];
    if let Some(values) = &field.allowed_values {
        entries.push((
            "allowed_values",
            Node::list(values.iter().map(String::as_str)),
        ));
    }
    Node::map(entries)
}

fn hard_rule(playbook: &Playbook, rule: &HardRule) -> Node {
    let read = rule.condition.fields.iter();
    let fields: Vec<_> = read.filter_map(|i| playbook.fields.get(*i)).collect();
    let names = || fields.iter().map(|field| field.name.as_str());
    let (factor, factors): (Option<&str>, Vec<&str>) = match fields.as_slice() {
        [field] => (Some(field.name.as_str()), Vec::new()),
        _ => (None, names().collect()),
    };
    let reading = rule
        .condition
        .single_atom()
        .and_then(|atom| atom.reading(&playbook.fields));
    let constant = reading
        .as_ref()
        .and_then(|reading| match reading.threshold {
            Some(Operand::Constant(value)) => Some(value),
            _ => None,
        });
    let (threshold, threshold_str) = match constant {
        Some(Value::String(text)) => (None, Some(text.as_ref())),
        Some(Value::List(_)) => (None, None),
        other => (other, None),
    };
    let mut entries = vec![
        ("id", rule.id.as_str().into()),
        ("condition", rule.condition.text.as_str().into()),
        ("verdict", rule.verdict.as_str().into()),
        (
            "action",
            playbook
                .actions
                .get(rule.action)
                .map(|action| action.as_str())
                .into(),
        ),
        ("factor", factor.into()),
        ("operator", reading.map(|reading| reading.direction).into()),
        ("threshold", threshold.into()),
        ("threshold_str", threshold_str.into()),
        (
            "is_boolean",
            fields
                .iter()
                .all(|field| field.kind == FieldKind::Boolean)
                .into(),
        ),
        ("factors", Node::list(factors)),
    ];
    if !rule.description.is_empty() {
        entries.push(("description", rule.description.as_str().into()));
    }
    Node::map(entries)
}

/// The playbook's own metadata with the pack's version.
fn metadata(playbook: &Playbook) -> Node {
    const VERSION: &str = "pack_version";
    let own: &[Entry] = match &playbook.metadata.data {
        Data::Map(entries) => entries,
        _ => &[],
    };
    let mut entries: Vec<(String, Node)> = own
        .iter()
        .map(|entry| (entry.key.clone(), entry.value.clone()))
        .filter(|(key, _)| key != VERSION)
        .chain([(VERSION.to_owned(), playbook.version.as_str().into())])
        .collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    Node::map(entries)
}

fn push(out: &mut String, node: &Node, depth: usize) {
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    };
    match &node.data {
        Data::Null => out.push_str("null"),
        Data::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Data::Int(value) => out.push_str(&value.to_string()),
        // Playbooks hold finite numbers only.
        Data::Float(value) => canonical::push_float(out, *value).unwrap_or_default(),
        Data::String(text) => canonical::push_string(out, text),
        Data::List(items) if items.is_empty() => out.push_str("[]"),
        Data::Map(entries) if entries.is_empty() => out.push_str("{}"),
        Data::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { "," });
                line(out, depth + 1);
                push(out, item, depth + 1);
            }
            line(out, depth);
            out.push(']');
        }
        Data::Map(entries) => {
            out.push('{');
            for (i, entry) in entries.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { "," });
                line(out, depth + 1);
                canonical::push_string(out, &entry.key);
                out.push_str(": ");
                push(out, &entry.value, depth + 1);
            }
            line(out, depth);
            out.push('}');
        }
    }
}
