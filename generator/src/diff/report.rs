//! Changes as text for people, as JSON, and as SARIF for what shows findings beside code.

use super::{Area, Change, Item, RULES};
use crate::manifest::pretty;
use crate::model::VERSION;
use helixor_playbook::{Data, Node, Position, Positions, canonical, shown};
use std::collections::HashMap;

/// The `schema` of the JSON report.
const SCHEMA: &str = "helixor.manifest_diff.v1";

/// One line for each change below the id of its pack, then how many there are.
pub fn text(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "nothing changed that counts\n".to_owned();
    }
    let longest = changes.iter().map(|change| change.rule.id.len()).max();
    let width = longest.unwrap_or_default();
    let mut out = String::new();
    let mut pack = None;
    for change in changes {
        if pack.replace(&change.pack_id) != Some(&change.pack_id) {
            out.push_str(&format!("{}\n", change.pack_id));
        }
        let breaking = if change.rule.breaking { "breaking" } else { "" };
        let (id, message) = (change.rule.id, &change.message);
        out.push_str(&format!("  {breaking:8}  {id:width$}  {message}\n"));
    }
    let count = match changes.len() {
        1 => "1 change".to_owned(),
        n => format!("{n} changes"),
    };
    let breaking = changes.iter().filter(|change| change.rule.breaking).count();
    out.push_str(&format!("{count}, {breaking} breaking\n"));
    out
}

/// `{"schema", "breaking", "changes": [{"rule", "breaking", "area", "pack_id", "item", "message"}]}`;
/// `item` is `{"kind", "name"}`, where the kind is `pack`, `field`, `action`, `rule` or `codon`.
pub fn json(changes: &[Change]) -> String {
    let breaking = changes.iter().any(|change| change.rule.breaking);
    let changes = changes.iter().map(|change| {
        let (kind, name) = change.named();
        Node::map([
            ("rule", change.rule.id.into()),
            ("breaking", change.rule.breaking.into()),
            ("area", change.rule.area.as_str().into()),
            ("pack_id", change.pack_id.as_str().into()),
            (
                "item",
                Node::map([("kind", kind.into()), ("name", name.into())]),
            ),
            ("message", change.message.as_str().into()),
        ])
    });
    pretty(&Node::map([
        ("schema", SCHEMA.into()),
        ("breaking", breaking.into()),
        ("changes", Node::list(changes)),
    ]))
}

/// SARIF 2.1.0 (OASIS): breaking changes are errors, other changes of what is decided warnings, the rest
/// notes. Each has its place in the new manifest: `source` is its text, `uri` how it is called.
pub fn sarif(changes: &[Change], source: &str, uri: &str) -> String {
    let rules = RULES.iter().map(|rule| {
        Node::map([
            ("id", rule.id.into()),
            ("shortDescription", message(rule.meaning)),
            (
                "defaultConfiguration",
                Node::map([("level", level(rule).into())]),
            ),
        ])
    });
    let driver = Node::map([
        ("name", "helixor-sdk-gen".into()),
        ("version", VERSION.into()),
        ("rules", Node::list(rules)),
    ]);
    // It was read before; should it not be JSON, everything is at its beginning.
    let manifest = canonical::parse(source).unwrap_or_else(|_| Data::Null.into());
    let places = Places::new(source, &manifest);
    let results = changes.iter().map(|change| {
        let at = places.of(change);
        let (kind, name) = change.named();
        let region = Node::map([
            ("startLine", (at.line as u64).into()),
            ("startColumn", (at.column as u64).into()),
        ]);
        let physical = Node::map([
            (
                "artifactLocation",
                Node::map([("uri", escaped(uri).into())]),
            ),
            ("region", region),
        ]);
        let logical = Node::map([
            ("name", name.into()),
            (
                "fullyQualifiedName",
                format!("{}/{kind}/{name}", change.pack_id).into(),
            ),
        ]);
        let location = Node::map([
            ("physicalLocation", physical),
            ("logicalLocations", Node::list([logical])),
        ]);
        let text = format!("pack {}: {}", shown(&change.pack_id), change.message);
        Node::map([
            ("ruleId", change.rule.id.into()),
            ("level", level(change.rule).into()),
            ("message", message(&text)),
            ("locations", Node::list([location])),
        ])
    });
    let run = Node::map([
        ("tool", Node::map([("driver", driver)])),
        ("columnKind", "unicodeCodePoints".into()),
        ("results", Node::list(results)),
    ]);
    pretty(&Node::map([
        (
            "$schema",
            "https://json.schemastore.org/sarif-2.1.0.json".into(),
        ),
        ("version", "2.1.0".into()),
        ("runs", Node::list([run])),
    ]))
}

fn message(text: &str) -> Node {
    Node::map([("text", text.into())])
}

fn level(rule: &super::Rule) -> &'static str {
    match rule.area {
        _ if rule.breaking => "error",
        Area::Decisions => "warning",
        Area::Interface | Area::Documentation => "note",
    }
}

/// A path as a relative reference of RFC 3986.
fn escaped(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

impl Change {
    /// What has changed, as its kind and its name.
    fn named(&self) -> (&'static str, &str) {
        match &self.item {
            Item::Pack => ("pack", &self.pack_id),
            Item::Field(name) => ("field", name),
            Item::Action(name) => ("action", name),
            Item::Rule(name) => ("rule", name),
            Item::Codon(name) => ("codon", name),
        }
    }
}

/// Where everything is in a manifest.
struct Places<'m> {
    positions: Positions<'m>,
    /// By pack, kind and name; without a name the list of that kind.
    starts: HashMap<(&'m str, &'static str, Option<&'m str>), usize>,
}

impl<'m> Places<'m> {
    fn new(source: &'m str, manifest: &'m Node) -> Self {
        let mut starts = HashMap::new();
        for pack in items(manifest.get("packs")) {
            let Some(id) = string(pack, "pack_id") else {
                continue;
            };
            starts.insert((id, "pack", Some(id)), pack.span.start);
            for (kind, key) in [
                ("field", "state_schema"),
                ("action", "actions"),
                ("rule", "hard_rules"),
                ("codon", "codons"),
            ] {
                let list = pack.get(key);
                let whole = list.unwrap_or(pack).span.start;
                starts.insert((id, kind, None), whole);
                if let Some(Data::Map(entries)) = list.map(|list| &list.data) {
                    let fields = entries.iter();
                    starts.extend(fields.map(|entry| {
                        let name = Some(entry.key.as_str());
                        ((id, kind, name), entry.value.span.start)
                    }));
                }
                for item in items(list) {
                    let name = item.as_str().or_else(|| string(item, "id"));
                    starts.insert((id, kind, name), item.span.start);
                }
            }
        }
        Self {
            positions: Positions::new(source),
            starts,
        }
    }

    /// The place of what has changed, or of what it would stand in.
    fn of(&self, change: &Change) -> Position {
        let (kind, name) = change.named();
        let at = |name| self.starts.get(&(change.pack_id.as_str(), kind, name));
        let start = at(Some(name)).or_else(|| at(None));
        self.positions.of(start.copied().unwrap_or(0))
    }
}

fn items(node: Option<&Node>) -> &[Node] {
    match node.map(|node| &node.data) {
        Some(Data::List(items)) => items,
        _ => &[],
    }
}

fn string<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    node.get(key).and_then(Node::as_str)
}
