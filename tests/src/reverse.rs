// Shared with `build.rs`.
use helixor_playbook::canonical::{self, Style};
use helixor_playbook::{Data, Entry, Node};

/// A manifest with its fields, actions and rules in the opposite order, tied to no playbook.
pub(crate) fn reversed(manifest: &str) -> String {
    let Ok(mut node) = canonical::parse(manifest) else {
        return String::new();
    };
    reverse(&mut node);
    canonical::write(&node, Style::Compact).unwrap_or_default()
}

fn reverse(node: &mut Node) {
    match &mut node.data {
        Data::List(items) => items.iter_mut().for_each(reverse),
        Data::Map(entries) => {
            for Entry { key, value, .. } in entries {
                match (key.as_str(), &mut value.data) {
                    ("state_schema", Data::Map(fields)) => fields.reverse(),
                    ("actions" | "hard_rules", Data::List(items)) => items.reverse(),
                    ("raw_pack_sha256", _) => *value = "".into(),
                    _ => reverse(value),
                }
            }
        }
        _ => {}
    }
}
