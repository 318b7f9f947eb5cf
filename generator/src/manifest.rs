//! `embedded-pack-manifest.json`, as written.
//!
//! Manifests in the field differ: `default_action`, `hard_rules[].action` and our own additions
//! (`allowed_values`, `hard_rules[].description`, `metadata.pack_version`) may be absent, which
//! means unknown; `raw_pack_sha256` may be empty, which means not tied; `merkle_root` is a
//! placeholder and is never read.

use helixor_playbook::canonical::{self, Style};
use helixor_playbook::{
    ActionId, Code, CodonCode, Data, Digest, Error, FieldKind, FieldName, Given, InterfaceField,
    Node, Object, PackId, Problem, RuleId, Shape, Value, Verdict, expected, number, suggest,
    suggest_after,
};
use std::collections::BTreeSet;
use std::fmt::Display;

mod write;

pub(crate) use write::pretty;
pub use write::{Sealed, write};

/// The `schema_version` of a pack entry.
pub const SCHEMA_VERSION: &str = "helixor.pack_manifest.v1";

/// The only `generation_mode`.
const GENERATION_MODE: &str = "embedded_decision";

/// A manifest that was read and found valid.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The SHA-256 of its compact canonical JSON: the same however its keys are ordered.
    pub digest: Digest,
    /// Its packs, in its order; at least one.
    pub packs: Vec<Pack>,
    /// What is odd about it but does no harm: unknown fields.
    pub warnings: Vec<Problem>,
}

impl Manifest {
    /// The pack of an id.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when there is none, with the ids that there are.
    pub fn pack(&self, id: &PackId) -> Result<&Pack, Error> {
        let found = self.packs.iter().find(|pack| pack.pack_id == *id);
        found.ok_or_else(|| {
            let ids = || self.packs.iter().map(|pack| pack.pack_id.as_str());
            let mut help = suggest(id.as_str(), ids());
            if help.is_empty() {
                let ids: Vec<String> = ids().map(|id| format!("`{id}`")).collect();
                help = format!("the manifest has {}", ids.join(", "));
            }
            let message = format!("the manifest has no pack `{id}`");
            Error::new(Code::InvalidArgument, message, help)
        })
    }
}

/// One pack of a [`Manifest`].
#[derive(Clone, Debug, PartialEq)]
pub struct Pack {
    /// Its id.
    pub pack_id: PackId,
    /// The stem of generated type names.
    pub domain_name: String,
    /// The decision it answers.
    pub goal_id: String,
    /// Its actions, in the manifest's order.
    pub actions: Vec<ActionId>,
    /// The action when no rule fires; `None`: unknown.
    pub default_action: Option<ActionId>,
    /// The declared confidence floor.
    pub floor: f64,
    /// The declared latency budget in milliseconds.
    pub budget_max_latency_ms: f64,
    /// Its state fields, by name (code points).
    pub fields: Vec<Field>,
    /// Its hard rules, in the manifest's order.
    pub rules: Vec<HardRule>,
    /// Its codons, in the manifest's order; may be empty though the pack has some.
    pub codons: Vec<CodonCode>,
    /// The digest of the playbook it was made from; `None`: not tied to one.
    pub raw_pack_sha256: Option<Digest>,
    /// The pack's version (semver); `None`: unknown.
    pub pack_version: Option<String>,
}

/// One entry of `state_schema`.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// What counts for the interface: name, type, `required`, bounds, allowed values.
    pub interface: InterfaceField,
    /// What it means; may be empty.
    pub description: String,
    /// The value taken when the field is left out.
    pub default: Option<Value>,
}

/// One entry of `hard_rules`.
#[derive(Clone, Debug, PartialEq)]
pub struct HardRule {
    /// Its id.
    pub id: RuleId,
    /// Its condition as text; never evaluated here.
    pub condition: String,
    /// What it says.
    pub verdict: Verdict,
    /// The action it asks for; `None`: unknown.
    pub action: Option<ActionId>,
    /// Every field its condition reads, as far as the manifest says: `factors`, or `factor` alone
    /// when that is empty.
    pub factors: Vec<FieldName>,
    /// What it stands for; empty: unknown.
    pub description: String,
}

/// Reads a manifest.
///
/// # Errors
/// Every fault found, each with its place in `text`; users see them as MANIFEST_INVALID.
pub fn parse(text: &str) -> Result<Manifest, Vec<Problem>> {
    let node = canonical::parse(text).map_err(|problem| vec![problem])?;
    let mut reader = Reader::default();
    let packs = reader.manifest(&node).unwrap_or_default();
    if !reader.problems.is_empty() {
        reader.problems.sort_by_key(|problem| problem.span.start);
        return Err(reader.problems);
    }
    let json = canonical::write(&node, Style::Compact)
        .map_err(|e| vec![Problem::new(node.span, e.to_string())])?;
    Ok(Manifest {
        digest: Digest::of(json.as_bytes()),
        packs,
        warnings: reader.warnings,
    })
}

#[derive(Default)]
struct Reader {
    problems: Vec<Problem>,
    warnings: Vec<Problem>,
}

impl Reader {
    fn manifest(&mut self, node: &Node) -> Option<Vec<Pack>> {
        let mut object = Object::new(node, "the manifest", &mut self.problems)?;
        object.get("generator");
        if let Some(mode) = object.get("generation_mode") {
            self.exactly(mode, "`generation_mode`", GENERATION_MODE);
        }
        let list = object.require("packs", &mut self.problems)?;
        let items = self.list(list, "`packs`")?;
        object.finish(&mut self.warnings);
        if items.is_empty() {
            self.problems.push(Problem::new(
                list.span,
                "`packs` is empty, at least one pack is needed",
            ));
        }
        let packs: Vec<Pack> = items
            .iter()
            .enumerate()
            .filter_map(|(i, item)| self.pack(item, &format!("pack {}", i + 1)))
            .collect();
        if packs.len() == items.len() {
            self.unique(
                items,
                packs.iter().map(|pack| pack.pack_id.as_str()),
                "pack",
            );
        }
        Some(packs)
    }

    fn pack(&mut self, node: &Node, what: &str) -> Option<Pack> {
        let mut object = Object::new(node, what, &mut self.problems)?;
        let schema = object.require("schema_version", &mut self.problems);
        if let Some(schema) = schema {
            self.exactly(
                schema,
                &format!("`schema_version` of {what}"),
                SCHEMA_VERSION,
            );
        }
        let pack_id = self.required_id(&mut object, "pack_id", PackId::new);
        let domain = object.require("domain_name", &mut self.problems);
        let domain_name = domain.and_then(|n| self.domain_name(n, object.name_of("domain_name")));
        let goal_id = object.string("goal_id", &mut self.problems);
        let floor = self.required_number(&mut object, "floor");
        let budget = self.required_number(&mut object, "budget_max_latency_ms");

        let actions = self.ids(&mut object, "actions", true, ActionId::new);
        if let (Some(actions), Some(node)) = (&actions, node.get("actions"))
            && actions.is_empty()
        {
            self.problems.push(Problem::new(
                node.span,
                format!("`actions` of {what} is empty, at least one is needed"),
            ));
        }
        let default_action = object
            .get_non_null("default_action")
            .and_then(|n| self.action(n, object.name_of("default_action"), actions.as_deref()));

        let schema = object.require("state_schema", &mut self.problems);
        let fields = schema.and_then(|n| self.fields(n, what));
        let rules = object.require("hard_rules", &mut self.problems);
        let rules = rules.and_then(|n| self.rules(n, what, actions.as_deref(), fields.as_deref()));
        let codons = self
            .ids(&mut object, "codons", false, CodonCode::new)
            .unwrap_or_default();

        let raw_pack_sha256 = match object.get_non_null("raw_pack_sha256") {
            None => None,
            Some(node) => self.digest(node, object.name_of("raw_pack_sha256")),
        };
        let metadata = object.get_non_null("metadata");
        let pack_version = metadata.and_then(|n| self.pack_version(n, what));
        // Carried for other tools; `merkle_root` is never to be read.
        for key in [
            "solvers",
            "has_decision_head",
            "decision_head",
            "merkle_root",
            "sealed_at",
            "is_sealed",
        ] {
            object.get(key);
        }
        object.finish(&mut self.warnings);
        Some(Pack {
            pack_id: pack_id?,
            domain_name: domain_name?,
            goal_id: goal_id?.to_owned(),
            actions: actions?,
            default_action,
            floor: floor?,
            budget_max_latency_ms: budget?,
            fields: fields?,
            rules: rules?,
            codons,
            raw_pack_sha256,
            pack_version,
        })
    }

    fn fields(&mut self, node: &Node, what: &str) -> Option<Vec<Field>> {
        let Data::Map(entries) = &node.data else {
            self.wrong(node, &format!("`state_schema` of {what}"), "a map");
            return None;
        };
        let before = self.problems.len();
        let mut fields: Vec<Field> = entries
            .iter()
            .filter_map(|entry| {
                let name = match FieldName::new(entry.key.as_str()) {
                    Ok(name) => name,
                    Err(e) => {
                        let message = format!("field name {:?} in {what} {e}", entry.key);
                        self.problems.push(Problem::new(entry.key_span, message));
                        return None;
                    }
                };
                self.field(&entry.value, name, what)
            })
            .collect();
        fields.sort_by(|a, b| a.interface.name.cmp(&b.interface.name));
        // With a faulty field the set of names is not known, so that rules cannot be held to it.
        (self.problems.len() == before).then_some(fields)
    }

    fn field(&mut self, node: &Node, name: FieldName, pack: &str) -> Option<Field> {
        let what = format!("field `{name}` of {pack}");
        let mut object = Object::new(node, what.as_str(), &mut self.problems)?;
        if let Some(inner) = object.get_non_null("name") {
            self.exactly(inner, object.name_of("name"), name.as_str());
        }
        let kind_node = object.require("property_type", &mut self.problems);
        let kind = kind_node.and_then(|n| self.kind(n, object.name_of("property_type")));
        let description = match object.get_non_null("description") {
            None => "",
            Some(node) => self.string(node, object.name_of("description"))?,
        };
        let required = object
            .optional_bool("required", &mut self.problems)
            .unwrap_or(true);
        let min_value = self.bound(&mut object, "min_value", kind);
        let max_value = self.bound(&mut object, "max_value", kind);
        if let (Some(min), Some(max)) = (&min_value, &max_value)
            && min.compare(max).is_some_and(|order| order.is_gt())
        {
            let message = format!("`min_value` {min} of {what} is above its `max_value` {max}");
            self.problems.push(Problem::new(node.span, message));
        }
        let allowed_values = match object.get_non_null("allowed_values") {
            None => None,
            Some(node) => self.allowed_values(node, object.name_of("allowed_values"), kind),
        };
        let default = object.get_non_null("default");
        object.finish(&mut self.warnings);
        let interface = InterfaceField {
            name,
            kind: kind?,
            required,
            min_value,
            max_value,
            allowed_values,
        };
        Some(Field {
            default: default.and_then(|node| {
                let name = format!("`default` of {what}");
                self.default_value(node, &name, &interface)
            }),
            interface,
            description: description.to_owned(),
        })
    }

    fn default_value(&mut self, node: &Node, name: &str, field: &InterfaceField) -> Option<Value> {
        match Shape::from(field).accept(Given::from(node)) {
            Ok(value) => Some(value),
            Err(misfit) => {
                let message = format!("{name} {}", misfit.text());
                self.problems.push(Problem::new(node.span, message));
                None
            }
        }
    }

    fn rules(
        &mut self,
        node: &Node,
        what: &str,
        actions: Option<&[ActionId]>,
        fields: Option<&[Field]>,
    ) -> Option<Vec<HardRule>> {
        let items = self.list(node, &format!("`hard_rules` of {what}"))?;
        let before = self.problems.len();
        let rules: Vec<HardRule> = items
            .iter()
            .enumerate()
            .filter_map(|(i, item)| {
                self.rule(
                    item,
                    &format!("hard rule {} of {what}", i + 1),
                    actions,
                    fields,
                )
            })
            .collect();
        if self.problems.len() == before {
            self.unique(
                items,
                rules.iter().map(|rule| rule.id.as_str()),
                "hard rule",
            );
        }
        Some(rules)
    }

    fn rule(
        &mut self,
        node: &Node,
        what: &str,
        actions: Option<&[ActionId]>,
        fields: Option<&[Field]>,
    ) -> Option<HardRule> {
        let mut object = Object::new(node, what, &mut self.problems)?;
        let id = self.required_id(&mut object, "id", RuleId::new);
        let condition = object.string("condition", &mut self.problems);
        let verdict_at = object.require("verdict", &mut self.problems);
        let verdict = verdict_at.and_then(|node| {
            let verdict = node
                .as_str()
                .and_then(Verdict::parse)
                .filter(|v| *v != Verdict::Approve);
            if verdict.is_none() {
                self.wrong(node, object.name_of("verdict"), "`refuse` or `redact`");
            }
            verdict
        });
        let action = object
            .get_non_null("action")
            .and_then(|n| self.action(n, object.name_of("action"), actions));
        let mut factors = Vec::new();
        for node in object
            .optional_list("factors", &mut self.problems)
            .unwrap_or_default()
        {
            factors.extend(self.factor(node, object.name_of("factors"), fields));
        }
        // Older manifests name one of several fields here, so that `factors` goes first.
        let factor = object.get_non_null("factor");
        if let (true, Some(node)) = (factors.is_empty(), factor) {
            factors.extend(self.factor(node, object.name_of("factor"), fields));
        }
        let description = match object.get_non_null("description") {
            None => "",
            Some(node) => self.string(node, object.name_of("description"))?,
        };
        for key in ["operator", "threshold", "threshold_str", "is_boolean"] {
            object.get(key);
        }
        object.finish(&mut self.warnings);
        Some(HardRule {
            id: id?,
            condition: condition?.to_owned(),
            verdict: verdict?,
            action,
            factors,
            description: description.to_owned(),
        })
    }

    fn factor(
        &mut self,
        node: &Node,
        name: impl Display + Copy,
        fields: Option<&[Field]>,
    ) -> Option<FieldName> {
        let text = self.string(node, name)?;
        let fields = fields?;
        let found = fields
            .iter()
            .find(|field| field.interface.name.as_str() == text);
        if found.is_none() {
            let names = fields.iter().map(|field| field.interface.name.as_str());
            let help = suggest_after(self.problems.len(), text, names);
            let message = format!("{name} names {text:?}, which `state_schema` lacks");
            self.problems
                .push(Problem::new(node.span, message).with_help(help));
        }
        found.map(|field| field.interface.name.clone())
    }

    fn action(
        &mut self,
        node: &Node,
        name: impl Display + Copy,
        actions: Option<&[ActionId]>,
    ) -> Option<ActionId> {
        let text = self.string(node, name)?;
        let actions = actions?;
        let found = actions.iter().find(|action| action.as_str() == text);
        if found.is_none() {
            let known = actions.iter().map(ActionId::as_str);
            let help = suggest_after(self.problems.len(), text, known);
            let message = format!("{name} names {text:?}, which `actions` lacks");
            self.problems
                .push(Problem::new(node.span, message).with_help(help));
        }
        found.cloned()
    }

    fn kind(&mut self, node: &Node, name: impl Display + Copy) -> Option<FieldKind> {
        let kind = node.as_str().and_then(FieldKind::parse);
        if kind.is_none() {
            let help = suggest(
                node.as_str().unwrap_or_default(),
                FieldKind::ALL.iter().map(|kind| kind.as_str()),
            );
            let message = format!("{name} must be `boolean`, `integer`, `number` or `string`");
            self.problems
                .push(Problem::new(node.span, message).with_help(help));
        }
        kind
    }

    fn bound(
        &mut self,
        object: &mut Object<'_>,
        key: &'static str,
        kind: Option<FieldKind>,
    ) -> Option<Value> {
        let node = object.get_non_null(key)?;
        if matches!(kind, Some(FieldKind::Boolean | FieldKind::String)) {
            let message = format!(
                "{} is not allowed: only numbers have bounds",
                object.name_of(key)
            );
            self.problems.push(Problem::new(node.span, message));
            return None;
        }
        let value = number(node, object.name_of(key), &mut self.problems)?;
        // Interfaces compare bounds by value, so that 1.0 is an integer here.
        let whole = |float: f64| {
            Value::Integer(float as i64).compare(&Value::Number(float))
                == Some(std::cmp::Ordering::Equal)
        };
        match value {
            Value::Number(float) if kind == Some(FieldKind::Integer) && !whole(float) => {
                self.wrong(node, object.name_of(key), "a 64-bit integer");
                None
            }
            value => Some(value),
        }
    }

    fn allowed_values(
        &mut self,
        node: &Node,
        name: impl Display + Copy,
        kind: Option<FieldKind>,
    ) -> Option<Vec<String>> {
        if kind != Some(FieldKind::String) {
            let message = format!("{name} is not allowed: only strings have allowed values");
            self.problems.push(Problem::new(node.span, message));
            return None;
        }
        let items = self.list(node, name)?;
        if items.is_empty() {
            let message = format!("{name} is empty, at least one is needed");
            self.problems.push(Problem::new(node.span, message));
        }
        let item_name = format!("an entry of {name}");
        let values: Vec<&str> = items
            .iter()
            .filter_map(|item| self.string(item, &item_name))
            .collect();
        if values.len() == items.len() {
            self.unique(items, values.iter().copied(), &format!("entry of {name}:"));
        }
        Some(values.into_iter().map(Into::into).collect())
    }

    fn domain_name(&mut self, node: &Node, name: impl Display + Copy) -> Option<String> {
        let text = self.string(node, name)?;
        let length = text.chars().count();
        if (1..=200).contains(&length) && !text.contains(char::is_control) {
            return Some(text.to_owned());
        }
        let message = format!("{name} must have 1 to 200 characters and no control characters");
        self.problems.push(Problem::new(node.span, message));
        None
    }

    fn digest(&mut self, node: &Node, name: impl Display + Copy) -> Option<Digest> {
        let text = self.string(node, name)?;
        let digest = Digest::from_hex(text);
        if digest.is_none() && !text.is_empty() {
            let message = format!("{name} must be empty or 64 lower-case hex digits");
            self.problems.push(Problem::new(node.span, message));
        }
        digest
    }

    fn pack_version(&mut self, metadata: &Node, what: &str) -> Option<String> {
        if !matches!(metadata.data, Data::Map(_)) {
            self.wrong(metadata, &format!("`metadata` of {what}"), "a map");
            return None;
        }
        let node = metadata
            .get("pack_version")
            .filter(|node| !node.is_null())?;
        let name = format!("`metadata.pack_version` of {what}");
        let text = self.string(node, &name)?;
        if let Err(e) = semver::Version::parse(text) {
            let message = format!("{name} must be a version like 1.0.0: {e}");
            self.problems.push(Problem::new(node.span, message));
            return None;
        }
        Some(text.to_owned())
    }

    fn required_id<T, E: Display>(
        &mut self,
        object: &mut Object<'_>,
        key: &'static str,
        new: impl Fn(String) -> Result<T, E>,
    ) -> Option<T> {
        let node = object.require(key, &mut self.problems)?;
        self.id(node, object.name_of(key), &new)
    }

    fn ids<T, E: Display>(
        &mut self,
        object: &mut Object<'_>,
        key: &'static str,
        required: bool,
        new: impl Fn(String) -> Result<T, E>,
    ) -> Option<Vec<T>> {
        let node = if required {
            object.require(key, &mut self.problems)?
        } else {
            object.get_non_null(key)?
        };
        let name = object.name_of(key);
        let items = self.list(node, name)?;
        let ids: Vec<T> = items
            .iter()
            .filter_map(|item| self.id(item, name, &new))
            .collect();
        let texts = items.iter().map(|item| item.as_str().unwrap_or_default());
        if ids.len() == items.len() {
            self.unique(items, texts, &format!("entry of {name}:"));
        }
        Some(ids)
    }

    fn id<T, E: Display>(
        &mut self,
        node: &Node,
        name: impl Display + Copy,
        new: &impl Fn(String) -> Result<T, E>,
    ) -> Option<T> {
        match new(self.string(node, name)?.to_owned()) {
            Ok(id) => Some(id),
            Err(e) => {
                self.problems
                    .push(Problem::new(node.span, format!("{name} {e}")));
                None
            }
        }
    }

    fn unique<'a>(&mut self, nodes: &[Node], names: impl Iterator<Item = &'a str>, what: &str) {
        let mut seen = BTreeSet::new();
        for (node, name) in nodes.iter().zip(names) {
            if !seen.insert(name) {
                self.problems.push(Problem::new(
                    node.span,
                    format!("duplicate {what} `{name}`"),
                ));
            }
        }
    }

    fn required_number(&mut self, object: &mut Object<'_>, key: &'static str) -> Option<f64> {
        object.require(key, &mut self.problems)?;
        object.optional_number(key, &mut self.problems)
    }

    fn exactly(&mut self, node: &Node, name: impl Display + Copy, wanted: &str) {
        if node.as_str() != Some(wanted) {
            self.problems.push(Problem::new(
                node.span,
                format!("{name} must be {wanted:?}"),
            ));
        }
    }

    fn string<'n>(&mut self, node: &'n Node, name: impl Display + Copy) -> Option<&'n str> {
        let text = node.as_str();
        if text.is_none() {
            self.wrong(node, name, "a string");
        }
        text
    }

    fn list<'n>(&mut self, node: &'n Node, name: impl Display + Copy) -> Option<&'n [Node]> {
        match &node.data {
            Data::List(items) => Some(items),
            _ => {
                self.wrong(node, name, "a list");
                None
            }
        }
    }

    fn wrong(&mut self, node: &Node, name: impl Display + Copy, wanted: &str) {
        self.problems.push(match &node.data {
            Data::String(text) if wanted.starts_with('`') => {
                Problem::new(node.span, format!("{name} must be {wanted}, not {text:?}"))
            }
            _ => expected(node, name, wanted),
        });
    }
}
