//! Reading and checking a playbook: the one list of what the engine executes.

use crate::condition::{self, Expr};
use crate::given::{Given, Shape};
use crate::ids::{ActionId, CodonCode, Digest, FieldName, PackId, RuleId};
use crate::infer::{Inference, Use, Verdict as Inferred};
use crate::interface::{id, number};
use crate::model::{Budget, Codon, Field, FieldKind, HardRule, Playbook, Severity, Verdict};
use crate::node::{Data, Node, Span};
use crate::object::{Object, expected, list, text};
use crate::problem::{Positions, Problem, suggest_after};
use crate::value::Value;
use crate::{canonical, yaml};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;
use std::sync::Arc;

/// Largest playbook, in bytes.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Deepest nesting of lists and maps in a playbook.
pub const MAX_DEPTH: usize = canonical::MAX_DEPTH;
/// Most values in a playbook.
pub const MAX_NODES: usize = 200_000;

/// How a playbook is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// YAML 1.2, core schema.
    Yaml,
    /// JSON.
    Json,
}

impl Format {
    /// The format that a file name tells: JSON for `.json`, else YAML.
    pub fn of_path(path: &std::path::Path) -> Self {
        match path.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("json") => Format::Json,
            _ => Format::Yaml,
        }
    }
}

/// Reads a playbook's text into its tree.
///
/// # Errors
/// Every fault found: size, depth, syntax, and in YAML whatever tools read differently.
pub fn read(source: &str, format: Format) -> Result<Node, Vec<Problem>> {
    if source.len() > MAX_BYTES {
        let message = format!(
            "a playbook has at most {MAX_BYTES} bytes, this one has {}",
            source.len()
        );
        return Err(vec![Problem::new(Span::default(), message)]);
    }
    match format {
        Format::Yaml => yaml::parse(source),
        Format::Json => read_sealed(source),
    }
}

/// Reads a playbook in JSON whose size someone else bounds, as [`read`] does: the canonical form
/// inside a pack is longer than the text it was made from.
///
/// # Errors
/// Every fault found: syntax, depth, number of values.
pub fn read_sealed(source: &str) -> Result<Node, Vec<Problem>> {
    let node = canonical::parse(source).map_err(|problem| vec![problem])?;
    match count(&node) {
        0..=MAX_NODES => Ok(node),
        n => {
            let message = format!("a playbook has at most {MAX_NODES} values, this one has {n}");
            Err(vec![Problem::new(node.span, message)])
        }
    }
}

fn count(node: &Node) -> usize {
    1 + match &node.data {
        Data::List(items) => items.iter().map(count).sum(),
        Data::Map(entries) => entries.iter().map(|entry| 1 + count(&entry.value)).sum(),
        _ => 0,
    }
}

/// Checks a playbook's tree; `source` is the text it was read from.
///
/// ```
/// use helixor_playbook::{check, read, Format};
///
/// let source = "
/// pack_id: acme.loans.v1
/// version: 1.0.0
/// actions: [approve_loan, deny_loan]
/// default_action: approve_loan
/// hard_rules:
///   - {id: TOO-LARGE, condition: state.amount > 5000, action: deny_loan}
/// ";
/// let playbook = check(source, &read(source, Format::Yaml).unwrap()).unwrap();
/// assert_eq!(playbook.domain_name, "Loans");
/// assert_eq!(playbook.fields[0].name.as_str(), "amount");
/// ```
///
/// # Errors
/// Every fault found, with its place in `source`.
pub fn check(source: &str, root: &Node) -> Result<Playbook, Vec<Problem>> {
    let mut checker = Checker {
        source,
        problems: Vec::new(),
    };
    let playbook = checker.playbook(root);
    match playbook {
        Some(playbook) if checker.problems.is_empty() => Ok(playbook),
        _ => {
            checker.problems.sort_by_key(|problem| problem.span.start);
            Err(checker.problems)
        }
    }
}

/// The solvers a playbook declares, whether or not the rest of it is valid.
pub fn declared_solvers(root: &Node) -> Vec<&str> {
    match root.get("solvers").map(|node| &node.data) {
        Some(Data::List(items)) => items.iter().filter_map(Node::as_str).collect(),
        _ => Vec::new(),
    }
}

struct Checker<'s> {
    source: &'s str,
    problems: Vec<Problem>,
}

/// A condition that was parsed but not yet checked.
struct Parsed<'n> {
    node: &'n Node,
    text: &'n str,
    expr: Expr,
}

/// A hard rule whose condition waits for the fields.
struct RuleDraft<'n> {
    id: RuleId,
    condition: Parsed<'n>,
    action: usize,
    verdict: Verdict,
    severity: Severity,
    description: String,
}

impl Checker<'_> {
    fn problem(&mut self, span: Span, message: impl Into<String>) {
        self.problems.push(Problem::new(span, message));
    }

    fn playbook(&mut self, root: &Node) -> Option<Playbook> {
        let mut top = Object::new(root, "the playbook", &mut self.problems)?;
        let pack_id = top
            .require("pack_id", &mut self.problems)
            .and_then(|node| id(node, "`pack_id`", PackId::new, &mut self.problems));
        let version = top
            .require("version", &mut self.problems)
            .and_then(|n| self.version(n));
        let name = top.optional_string("name", &mut self.problems);
        let kind = top
            .optional_string("kind", &mut self.problems)
            .unwrap_or_default();
        let description = top
            .optional_string("description", &mut self.problems)
            .unwrap_or_default();
        let domain_name = self.domain_name(&mut top, pack_id.as_ref());
        let goal_id = top.optional_string("goal_id", &mut self.problems);
        let budget = top.get("budget").and_then(|node| self.budget(node));
        let floor = top.optional_number("floor", &mut self.problems);
        let actions = top
            .require("actions", &mut self.problems)
            .and_then(|n| self.actions(n));
        let default_action = top
            .require("default_action", &mut self.problems)
            .and_then(|node| self.action(node, "`default_action`", actions.as_deref()?));
        let codons = top
            .optional_list("codons", &mut self.problems)
            .unwrap_or_default();
        let codons = self.codons(codons);
        let rules = top.get("hard_rules");
        let drafts = self.rules(rules, top.get("rules").is_some(), root, actions.as_deref());
        let fields = match top.get("state_schema") {
            Some(node) => self.schema(node, &codons),
            None => self.infer(&codons, &drafts),
        };
        let metadata = top.get("metadata");
        if let Some(node) = metadata.filter(|node| !matches!(node.data, Data::Map(_))) {
            self.problems.push(expected(node, "`metadata`", "a map"));
        }
        self.unsupported(&mut top, root);
        top.finish(&mut self.problems);

        // Conditions need to know the fields; without them their faults would only be echoes.
        let fields = fields?;
        let rules = drafts
            .into_iter()
            .filter_map(|draft| self.rule(draft, &fields))
            .collect();
        let pack_id = pack_id?;
        let compact = canonical::write(root, canonical::Style::Compact).ok()?;
        Some(Playbook {
            version: version?,
            name: name.map_or_else(|| pack_id.to_string(), Into::into),
            kind: kind.into(),
            description: description.into(),
            domain_name: domain_name?,
            goal_id: goal_id.unwrap_or("optimize_decision").into(),
            budget: budget.unwrap_or(Budget {
                max_latency_ms: 1.0,
                max_tokens: 0,
            }),
            floor: floor.unwrap_or(0.85),
            actions: actions?,
            default_action: default_action?,
            fields,
            codons: codons.into_iter().map(|(codon, _)| codon).collect(),
            rules,
            metadata: metadata
                .cloned()
                .unwrap_or_else(|| Data::Map(Vec::new()).into()),
            digest: Digest::of(compact.as_bytes()),
            pack_id,
        })
    }

    fn version(&mut self, node: &Node) -> Option<String> {
        let version = text(node, "`version`", &mut self.problems)?;
        if let Err(e) = semver::Version::parse(version) {
            self.problem(
                node.span,
                format!("`version` must be a semantic version such as 1.0.0: {e}"),
            );
        }
        Some(version.into())
    }

    /// As given, or the pack id without its first and its version segment, in UpperCamelCase.
    fn domain_name(&mut self, top: &mut Object<'_>, pack_id: Option<&PackId>) -> Option<String> {
        if let Some(node) = top.get("domain_name") {
            return id(node, "`domain_name`", FieldName::new, &mut self.problems)
                .map(|n| n.to_string());
        }
        let pack_id = pack_id?;
        let segments: Vec<&str> = pack_id.as_str().split('.').collect();
        let middle = match segments.as_slice() {
            [_, middle @ .., _] if !middle.is_empty() => middle,
            _ => {
                self.problem(
                    top.span(),
                    format!(
                        "`{pack_id}` has fewer than three segments, so `domain_name` must be given"
                    ),
                );
                return None;
            }
        };
        let words = middle.iter().flat_map(|segment| segment.split(['_', '-']));
        let name: String = words
            .filter_map(|word| {
                let mut chars = word.chars();
                Some(format!(
                    "{}{}",
                    chars.next()?.to_ascii_uppercase(),
                    chars.as_str()
                ))
            })
            .collect();
        if name.is_empty() {
            self.problem(
                top.span(),
                format!("`{pack_id}` names no domain, so `domain_name` must be given"),
            );
            return None;
        }
        Some(name)
    }

    fn budget(&mut self, node: &Node) -> Option<Budget> {
        let mut object = Object::new(node, "`budget`", &mut self.problems)?;
        let latency = object
            .optional_number("max_latency_ms", &mut self.problems)
            .unwrap_or(1.0);
        if latency < 0.0 {
            self.problem(
                node.span,
                "`max_latency_ms` of `budget` must not be negative",
            );
        }
        let tokens = object
            .get("max_tokens")
            .map_or(Some(0), |node| match node.data {
                Data::Int(tokens) => u64::try_from(tokens).ok(),
                _ => None,
            });
        if tokens.is_none() {
            self.problem(
                node.span,
                "`max_tokens` of `budget` must be an integer of at least 0",
            );
        }
        object.finish(&mut self.problems);
        Some(Budget {
            max_latency_ms: latency,
            max_tokens: tokens?,
        })
    }

    fn actions(&mut self, node: &Node) -> Option<Vec<ActionId>> {
        let items = list(node, "`actions`", &mut self.problems)?;
        if items.is_empty() {
            self.problem(node.span, "`actions` must name at least one action");
        }
        let mut actions = Vec::new();
        let mut seen = HashSet::new();
        for item in items {
            let action = id(item, "an action", ActionId::new, &mut self.problems);
            if let Some(action) = action {
                self.first_time(&mut seen, item.span, "action", item.as_str());
                actions.push(action);
            }
        }
        Some(actions)
    }

    fn first_time<'n>(
        &mut self,
        seen: &mut HashSet<&'n str>,
        span: Span,
        what: &str,
        id: Option<&'n str>,
    ) {
        if let Some(id) = id
            && !seen.insert(id)
        {
            self.problem(span, format!("duplicate {what} `{id}`"));
        }
    }

    fn action(&mut self, node: &Node, name: impl Display, actions: &[ActionId]) -> Option<usize> {
        let action = text(node, &name, &mut self.problems)?;
        let found = actions.iter().position(|a| a.as_str() == action);
        if found.is_none() {
            let known = actions.iter().map(ActionId::as_str);
            let help = suggest_after(self.problems.len(), action, known);
            let message = format!("{name} `{action}` is not one of `actions`");
            self.problems
                .push(Problem::new(node.span, message).with_help(help));
        }
        found
    }

    fn codons<'n>(&mut self, items: &'n [Node]) -> Vec<(Codon, &'n Node)> {
        let mut codons = Vec::new();
        let mut seen = HashSet::new();
        for (i, item) in items.iter().enumerate() {
            if let Some((codon, binds_to)) = self.codon(item, i + 1) {
                let code = item.get("code").and_then(Node::as_str);
                self.first_time(&mut seen, item.span, "codon", code);
                codons.push((codon, binds_to));
            }
        }
        codons
    }

    fn codon<'n>(&mut self, node: &'n Node, number: usize) -> Option<(Codon, &'n Node)> {
        let given = node.get("code").and_then(Node::as_str);
        let what = given.map_or_else(
            || format!("codon {number}"),
            |code| format!("codon `{code}`"),
        );
        let mut object = Object::new(node, what, &mut self.problems)?;
        let code = object
            .require("code", &mut self.problems)
            .and_then(|n| id(n, "`code`", CodonCode::new, &mut self.problems));
        for (key, wanted, required) in [
            ("kind", &["codon"][..], false),
            ("codon_type", &["extract_pattern"][..], true),
            ("trigger", &["on_input"][..], true),
            ("checksum", &["luhn", "mod97", "none"][..], false),
        ] {
            let value = if required {
                object.require(key, &mut self.problems)
            } else {
                object.get(key)
            };
            if let Some(value) = value {
                let name = object.name_of(key);
                self.one_of(value, name, wanted);
            }
        }
        if let Some(params) = object.require("params", &mut self.problems) {
            let name = object.name_of("params");
            self.params(params, &name.to_string());
        }
        let binds_to = object.require("binds_to", &mut self.problems);
        let field = binds_to.and_then(|n| id(n, "`binds_to`", FieldName::new, &mut self.problems));
        for key in ["matches_field", "remedy_template", "category"] {
            object.optional_string(key, &mut self.problems);
        }
        if let Some(rule_id) = object.get("rule_id") {
            id(rule_id, "`rule_id`", RuleId::new, &mut self.problems);
        }
        object.finish(&mut self.problems);
        Some((
            Codon {
                code: code?,
                binds_to: field?,
            },
            binds_to?,
        ))
    }

    fn params(&mut self, node: &Node, what: &str) -> Option<()> {
        let mut object = Object::new(node, what, &mut self.problems)?;
        object.string("pattern", &mut self.problems);
        for flag in object
            .optional_list("flags", &mut self.problems)
            .unwrap_or_default()
        {
            self.one_of(
                flag,
                "a flag",
                &["IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE", "ASCII"],
            );
        }
        object.finish(&mut self.problems);
        Some(())
    }

    /// A text out of a closed set.
    fn one_of<'n>(
        &mut self,
        node: &'n Node,
        name: impl Display,
        wanted: &[&str],
    ) -> Option<&'n str> {
        let value = text(node, &name, &mut self.problems)?;
        if wanted.contains(&value) {
            return Some(value);
        }
        let all = wanted
            .iter()
            .map(|w| format!("`{w}`"))
            .collect::<Vec<_>>()
            .join(" or ");
        let help = suggest_after(self.problems.len(), value, wanted.iter().copied());
        self.problems.push(
            Problem::new(node.span, format!("{name} must be {all}, not `{value}`")).with_help(help),
        );
        None
    }

    fn rules<'n>(
        &mut self,
        node: Option<&'n Node>,
        has_short_rules: bool,
        root: &Node,
        actions: Option<&[ActionId]>,
    ) -> Vec<RuleDraft<'n>> {
        let items = match node {
            Some(node) => list(node, "`hard_rules`", &mut self.problems).unwrap_or_default(),
            None => &[],
        };
        if items.is_empty() && !has_short_rules {
            let span = node.map_or(Span::new(root.span.start, root.span.start), |node| {
                node.span
            });
            self.problem(
                span,
                "a playbook needs at least one entry in `hard_rules` or `rules`",
            );
        }
        let mut drafts = Vec::with_capacity(items.len());
        let mut seen = HashSet::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            let id = item.get("id").and_then(Node::as_str);
            self.first_time(&mut seen, item.span, "hard rule", id);
            drafts.extend(self.rule_draft(item, i + 1, actions));
        }
        drafts
    }

    fn rule_draft<'n>(
        &mut self,
        node: &'n Node,
        number: usize,
        actions: Option<&[ActionId]>,
    ) -> Option<RuleDraft<'n>> {
        let given = node.get("id").and_then(Node::as_str);
        let what = given.map_or_else(
            || format!("hard rule {number}"),
            |id| ["hard rule `", id, "`"].concat(),
        );
        let mut object = Object::new(node, what, &mut self.problems)?;
        let rule_id = object
            .require("id", &mut self.problems)
            .and_then(|n| id(n, "`id`", RuleId::new, &mut self.problems));
        let condition = object
            .require("condition", &mut self.problems)
            .and_then(|node| {
                let text = text(node, object.name_of("condition"), &mut self.problems)?;
                match condition::parse(text) {
                    Ok(expr) => Some(Parsed { node, text, expr }),
                    Err(problem) => {
                        let problem = self.in_document(node, &Arc::from(text), problem);
                        self.problems.push(problem);
                        None
                    }
                }
            });
        let action = object.require("action", &mut self.problems);
        let action = action.and_then(|n| self.action(n, object.name_of("action"), actions?));
        let mut choice = |key, wanted: &[&str]| {
            let node = object.get(key)?;
            self.one_of(node, object.name_of(key), wanted)
        };
        let verdict = choice("verdict", &["refuse", "redact"]);
        let severity = choice("severity", &["fatal", "warning"]);
        let verdict = match (verdict, severity) {
            (Some("redact"), _) | (None, Some("warning")) => Verdict::Redact,
            _ => Verdict::Refuse,
        };
        let severity = match (severity, verdict) {
            (Some("warning"), _) | (None, Verdict::Redact) => Severity::Warning,
            _ => Severity::Fatal,
        };
        let description = object
            .optional_string("description", &mut self.problems)
            .unwrap_or_default();
        object.finish(&mut self.problems);
        Some(RuleDraft {
            id: rule_id?,
            condition: condition?,
            action: action?,
            verdict,
            severity,
            description: description.into(),
        })
    }

    fn rule(&mut self, draft: RuleDraft<'_>, fields: &[Field]) -> Option<HardRule> {
        let Parsed { node, text, expr } = draft.condition;
        match condition::check(text, &expr, fields, self.problems.len()) {
            Ok(condition) => Some(HardRule {
                id: draft.id,
                condition,
                action: draft.action,
                verdict: draft.verdict,
                severity: draft.severity,
                description: draft.description,
            }),
            Err(problems) => {
                // One copy for all: a long text may have thousands of faults.
                let text = Arc::from(text);
                for problem in problems {
                    let problem = self.in_document(node, &text, problem);
                    self.problems.push(problem);
                }
                None
            }
        }
    }

    /// A fault at a place in a scalar's value, as a fault at its place in the document.
    fn in_document(&self, node: &Node, value: &Arc<str>, problem: Problem) -> Problem {
        let raw = self
            .source
            .get(node.span.start..node.span.end)
            .unwrap_or_default();
        let offset = match raw.find(&**value) {
            // Plain, or quoted without escapes.
            Some(offset) if raw.len() - value.len() == 2 * offset && offset <= 1 => offset,
            _ => {
                return Problem {
                    span: node.span,
                    inner: Some((Arc::clone(value), problem.span)),
                    ..problem
                };
            }
        };
        let start = node.span.start + offset;
        Problem {
            span: Span::new(start + problem.span.start, start + problem.span.end),
            ..problem
        }
    }

    fn schema(&mut self, node: &Node, codons: &[(Codon, &Node)]) -> Option<Vec<Field>> {
        let entries = match &node.data {
            Data::Map(entries) => entries,
            _ => {
                self.problems
                    .push(expected(node, "`state_schema`", "a map"));
                return None;
            }
        };
        let mut fields = BTreeMap::new();
        let mut complete = true;
        for entry in entries {
            let name = FieldName::new(entry.key.as_str());
            if let Err(e) = &name {
                self.problem(entry.key_span, format!("a field name {e}"));
            }
            let field = name.ok().and_then(|name| self.field(name, &entry.value));
            complete &= field.is_some();
            if let Some(field) = field {
                fields.insert(field.name.clone(), field);
            }
        }
        for (codon, binds_to) in codons {
            match fields.get(&codon.binds_to).map(|field| field.kind) {
                Some(FieldKind::Boolean) => {}
                Some(kind) => self.problem(
                    binds_to.span,
                    format!(
                        "codon `{}` sets a boolean, but field `{}` is {kind}",
                        codon.code, codon.binds_to
                    ),
                ),
                None if complete => {
                    let known = fields.keys().map(FieldName::as_str);
                    let field = codon.binds_to.as_str();
                    let help = suggest_after(self.problems.len(), field, known);
                    let message = format!("field `{field}` is not in `state_schema`");
                    self.problems
                        .push(Problem::new(binds_to.span, message).with_help(help));
                }
                None => {}
            }
        }
        complete.then(|| fields.into_values().collect())
    }

    fn field(&mut self, name: FieldName, node: &Node) -> Option<Field> {
        let mut object = Object::new(node, format!("field `{name}`"), &mut self.problems)?;
        let kind = object.require("type", &mut self.problems).and_then(|node| {
            self.one_of(
                node,
                object.name_of("type"),
                &FieldKind::ALL.map(FieldKind::as_str),
            )
        });
        let kind = kind.and_then(FieldKind::parse);
        let description = object
            .optional_string("description", &mut self.problems)
            .unwrap_or_default();
        let required = object
            .optional_bool("required", &mut self.problems)
            .unwrap_or(true);
        let bounds = ["min_value", "max_value"].map(|key| {
            let node = object.get(key)?;
            self.bound(node, &object.name_of(key).to_string(), kind?)
        });
        let [min_value, max_value] = bounds;
        if let (Some(min), Some(max)) = (&min_value, &max_value)
            && min.compare(max) == Some(Ordering::Greater)
        {
            self.problem(
                object.span(),
                format!("field `{name}`: `min_value` {min} is above `max_value` {max}"),
            );
        }
        let allowed_values = object.get("allowed_values").and_then(|node| {
            self.allowed_values(node, &object.name_of("allowed_values").to_string(), kind?)
        });
        let default = object.get_non_null("default").and_then(|node| {
            let shape = Shape {
                kind: kind?,
                required,
                min_value: min_value.as_ref(),
                max_value: max_value.as_ref(),
                allowed_values: allowed_values.as_deref(),
            };
            match shape.accept(Given::from(node)) {
                Ok(value) => Some(value),
                Err(misfit) => {
                    let message = format!("{} {}", object.name_of("default"), misfit.text());
                    self.problem(node.span, message);
                    None
                }
            }
        });
        let actionable = object
            .optional_bool("actionable", &mut self.problems)
            .unwrap_or(true);
        let cost = object
            .optional_number("cost", &mut self.problems)
            .unwrap_or(1.0);
        if cost <= 0.0 {
            self.problem(
                object.span(),
                format!("field `{name}`: `cost` must be above 0"),
            );
        }
        object.finish(&mut self.problems);
        // With its name and type, conditions can be checked, whatever else is wrong with it.
        Some(Field {
            name,
            kind: kind?,
            description: description.into(),
            required,
            default,
            min_value,
            max_value,
            allowed_values,
            actionable,
            cost,
        })
    }

    /// The closed set of a string field: at least one text, each once.
    fn allowed_values(&mut self, node: &Node, name: &str, kind: FieldKind) -> Option<Vec<String>> {
        if kind != FieldKind::String {
            self.problem(
                node.span,
                format!("{name}: only strings have allowed values"),
            );
            return None;
        }
        let items = list(node, name, &mut self.problems)?;
        if items.is_empty() {
            self.problem(node.span, format!("{name} must name at least one value"));
        }
        let mut values = Vec::new();
        let mut seen = HashSet::new();
        for item in items {
            let value = text(item, format!("an item of {name}"), &mut self.problems);
            if let Some(value) = value {
                self.first_time(&mut seen, item.span, "allowed value", Some(value));
                values.push(value.to_owned());
            }
        }
        Some(values)
    }

    fn bound(&mut self, node: &Node, name: &str, kind: FieldKind) -> Option<Value> {
        if matches!(kind, FieldKind::Boolean | FieldKind::String) {
            let message = format!("{name}: only integers and numbers have bounds");
            self.problem(node.span, message);
            return None;
        }
        let value = number(node, name, &mut self.problems)?;
        if let (FieldKind::Integer, Value::Number(_)) = (kind, &value) {
            self.problems.push(expected(node, name, "a 64-bit integer"));
        }
        Some(value)
    }

    fn infer(&mut self, codons: &[(Codon, &Node)], drafts: &[RuleDraft<'_>]) -> Option<Vec<Field>> {
        let mut inference = Inference::default();
        // Sources 0.. are codons, the rest are rules.
        for (i, (codon, _)) in codons.iter().enumerate() {
            inference.note(
                codon.binds_to.as_str(),
                i,
                Span::default(),
                Some(FieldKind::Boolean),
            );
        }
        for (i, draft) in drafts.iter().enumerate() {
            inference.read(codons.len() + i, &draft.condition.expr);
        }
        let mut fields = Vec::new();
        let mut complete = true;
        let mut positions = None;
        for (name, verdict) in inference.finish() {
            let (message, uses) = match verdict {
                Inferred::Is(kind, uses) => {
                    match FieldName::new(name.as_str()) {
                        Ok(name) => fields.push(Field::plain(name, kind)),
                        Err(e) => {
                            complete = false;
                            let used = uses.first();
                            let span = used.map(|u| self.span_of(u, codons, drafts));
                            let message = format!("a field name {e}");
                            self.problem(span.unwrap_or_default(), message);
                        }
                    }
                    continue;
                }
                Inferred::Unknown(uses) => {
                    (format!("nothing tells the type of field `{name}`"), uses)
                }
                Inferred::Contradiction(uses) => {
                    (format!("field `{name}` is used as different types"), uses)
                }
            };
            complete = false;
            let positions = positions.get_or_insert_with(|| Positions::new(self.source));
            let place = |used: &Use| {
                let place = positions.of(self.span_of(used, codons, drafts).start);
                match used.kind {
                    Some(kind) => format!("{kind} at {place}"),
                    None => format!("used at {place}"),
                }
            };
            let places = uses.iter().take(4).map(place);
            let places = places.collect::<Vec<_>>().join("; ");
            let span = uses
                .first()
                .map(|u| self.span_of(u, codons, drafts))
                .unwrap_or_default();
            self.problems.push(
                Problem::new(span, format!("{message}: {places}"))
                    .with_help("declare it in `state_schema`"),
            );
        }
        complete.then_some(fields)
    }

    fn span_of(&self, used: &Use, codons: &[(Codon, &Node)], drafts: &[RuleDraft<'_>]) -> Span {
        if let Some((_, node)) = codons.get(used.source) {
            return node.span;
        }
        let draft = drafts.get(used.source.saturating_sub(codons.len()));
        draft.map_or(Span::default(), |draft| {
            let Parsed { node, text, .. } = draft.condition;
            self.in_document(node, &Arc::from(text), Problem::new(used.span, ""))
                .span
        })
    }

    /// What documents may hold but this engine does not execute.
    fn unsupported(&mut self, top: &mut Object<'_>, root: &Node) {
        for (key, harmless) in [
            ("rules", Data::List(Vec::new())),
            ("builtin_checks", Data::Bool(false)),
            ("suppress_contained", Data::List(Vec::new())),
            ("folded_view", Data::Bool(false)),
        ] {
            if let Some(node) = top.get(key).filter(|node| **node != harmless.into()) {
                self.problems.push(Problem::unsupported(
                    node.span,
                    format!("`{key}` is not yet supported"),
                ));
            }
        }
        if let Some(node) = top.get("solvers") {
            let items = list(node, "`solvers`", &mut self.problems).unwrap_or_default();
            for item in items {
                text(item, "a solver", &mut self.problems);
            }
            for solver in declared_solvers(root) {
                let message = format!("solver `{solver}`: this engine runs no solvers");
                self.problems.push(Problem::unsupported(node.span, message));
            }
        }
    }
}
