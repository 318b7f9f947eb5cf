//! What a change of the manifest means for those who use the clients generated from it.
//!
//! A change is *breaking* when code that uses the client must be looked at: a name it may use is gone
//! or of another type; a state that it builds is refused, or means something else; or a decision
//! may bring an action that it does not know. States are built by builders (Rust, Java) or by
//! keywords (Python). All else is not: a pack's rules are there to decide, and to change.

use crate::manifest::{Field, HardRule, Manifest, Pack};
use helixor_playbook::{ActionId, RuleId, Value, shown};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;

mod report;

pub use report::{json, sarif, text};

/// A kind of change, under an id that stays the same from version to version.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// In SCREAMING_SNAKE_CASE.
    pub id: &'static str,
    /// Whether code that uses the client must be looked at.
    pub breaking: bool,
    /// What it touches.
    pub area: Area,
    /// When it is reported, as a sentence without its stop.
    pub meaning: &'static str,
}

/// What a change touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// Names and types: what code is written against.
    Interface,
    /// What is decided on the same state.
    Decisions,
    /// Texts and figures that nothing depends on.
    Documentation,
}

impl Area {
    /// Its name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Area::Interface => "interface",
            Area::Decisions => "decisions",
            Area::Documentation => "documentation",
        }
    }
}

/// What of a pack has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// The pack itself.
    Pack,
    /// A state field, by name.
    Field(String),
    /// An action.
    Action(String),
    /// A hard rule, by id.
    Rule(String),
    /// A codon.
    Codon(String),
}

/// One difference between two manifests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its kind.
    pub rule: &'static Rule,
    /// The pack that it is in.
    pub pack_id: String,
    /// What of the pack has changed.
    pub item: Item,
    /// What was and what is, for people, on one line.
    pub message: String,
}

macro_rules! rules {
    ($($id:ident $breaking:literal $area:ident $meaning:literal)*) => {
        $(const $id: &Rule = &Rule {
            id: stringify!($id),
            breaking: $breaking,
            area: Area::$area,
            meaning: $meaning,
        };)*

        /// Every kind of change there is, by what it is about.
        pub const RULES: &[&Rule] = &[$($id),*];
    };
}

rules! {
    PACK_REMOVED true Interface "the pack is gone, and its client with it"
    PACK_ADDED false Interface "the pack is new"
    DOMAIN_NAME_CHANGED true Interface "the generated types and modules are named anew"
    PACK_VERSION_CHANGED false Documentation "the pack has another version"
    PACK_CONTENT_CHANGED false Decisions "the manifest is tied to another playbook: clients of the old manifest refuse packs made from it unless they accept the same interface"
    GOAL_CHANGED false Documentation "`goal_id` is another"
    FLOOR_CHANGED false Documentation "`floor` is another"
    BUDGET_CHANGED false Documentation "`budget_max_latency_ms` is another"
    FIELD_REMOVED true Interface "the field is gone: states that give it are refused"
    FIELD_ADDED_REQUIRED true Interface "the field is new and must be given"
    FIELD_ADDED_OPTIONAL false Interface "the field is new and may be left out"
    FIELD_TYPE_CHANGED true Interface "the field takes values of another type"
    FIELD_BECAME_REQUIRED true Interface "the field no longer takes null"
    FIELD_BECAME_OPTIONAL false Interface "the field takes null"
    DEFAULT_ADDED false Interface "the field, which had to be given, may be left out"
    DEFAULT_REMOVED true Interface "the field, which could be left out, must be given"
    DEFAULT_CHANGED true Decisions "a state that leaves the field out means something else"
    BOUND_TIGHTENED true Interface "numbers that were allowed are refused"
    BOUND_LOOSENED false Interface "numbers that were refused are allowed"
    ALLOWED_VALUE_REMOVED true Interface "a value of the closed set is gone"
    ALLOWED_VALUE_ADDED false Interface "the closed set has one more value"
    ALLOWED_VALUES_STATED true Interface "the field, which took any text, takes those of a closed set"
    ALLOWED_VALUES_DROPPED true Interface "the field, which took those of a closed set, takes any text"
    FIELD_DESCRIPTION_CHANGED false Documentation "the field is described otherwise"
    ACTION_REMOVED true Interface "the action is gone"
    ACTION_ADDED true Interface "decisions may bring an action that code does not handle"
    DEFAULT_ACTION_CHANGED false Decisions "what no rule objects to gets another action"
    RULE_REMOVED true Interface "the hard rule, and the constant that names it, is gone"
    RULE_ADDED false Decisions "the hard rule is new"
    RULE_VERDICT_CHANGED false Decisions "the hard rule refuses what it redacted, or the other way round"
    RULE_ACTION_CHANGED false Decisions "the hard rule asks for another action"
    RULE_CONDITION_CHANGED false Decisions "the hard rule fires on other states"
    RULES_REORDERED false Decisions "of several hard rules that fire, another gives the action"
    RULE_DESCRIPTION_CHANGED false Documentation "the hard rule is described otherwise"
    CODON_REMOVED false Decisions "the codon is gone"
    CODON_ADDED false Decisions "the codon is new"
}

/// Every difference that counts, pack by pack in the new manifest's order; packs that are gone come
/// last. What a manifest does not state is unknown, and nothing is said of it.
pub fn diff(old: &Manifest, new: &Manifest) -> Vec<Change> {
    let mut changes = Vec::new();
    for pack in &new.packs {
        let mut found = Found {
            pack_id: pack.pack_id.as_str(),
            changes: &mut changes,
        };
        match old.packs.iter().find(|other| other.pack_id == pack.pack_id) {
            Some(before) => found.pack(before, pack),
            None => found.add(PACK_ADDED, Item::Pack, "the pack is new"),
        }
    }
    for pack in &old.packs {
        if !new.packs.iter().any(|other| other.pack_id == pack.pack_id) {
            let mut found = Found {
                pack_id: pack.pack_id.as_str(),
                changes: &mut changes,
            };
            found.add(PACK_REMOVED, Item::Pack, "the pack is gone");
        }
    }
    changes
}

/// The changes of one pack.
struct Found<'c> {
    pack_id: &'c str,
    changes: &'c mut Vec<Change>,
}

impl Found<'_> {
    fn add(&mut self, rule: &'static Rule, item: Item, message: impl Into<String>) {
        self.changes.push(Change {
            rule,
            pack_id: self.pack_id.to_owned(),
            item,
            message: message.into(),
        });
    }

    /// One fact of the pack, as it was and as it is.
    fn fact<T: PartialEq + Display>(
        &mut self,
        rule: &'static Rule,
        what: &str,
        facts: (Option<T>, Option<T>),
    ) {
        if let (Some(old), Some(new)) = facts
            && old != new
        {
            let (old, new) = (shown(&old.to_string()), shown(&new.to_string()));
            self.add(rule, Item::Pack, format!("{what} was {old} and is {new}"));
        }
    }

    fn pack(&mut self, old: &Pack, new: &Pack) {
        let domains = (Some(&old.domain_name), Some(&new.domain_name));
        self.fact(DOMAIN_NAME_CHANGED, "`domain_name`", domains);
        let versions = (old.pack_version.as_ref(), new.pack_version.as_ref());
        self.fact(PACK_VERSION_CHANGED, "`pack_version`", versions);
        let digests = (old.raw_pack_sha256, new.raw_pack_sha256);
        self.fact(PACK_CONTENT_CHANGED, "`raw_pack_sha256`", digests);
        let goals = (Some(&old.goal_id), Some(&new.goal_id));
        self.fact(GOAL_CHANGED, "`goal_id`", goals);
        self.fact(FLOOR_CHANGED, "`floor`", (Some(old.floor), Some(new.floor)));
        let budgets = [old, new]
            .map(|pack| Some(pack.budget_max_latency_ms))
            .into();
        self.fact(BUDGET_CHANGED, "`budget_max_latency_ms`", budgets);

        self.fields(&old.fields, &new.fields);
        self.sets(
            old.actions.iter().map(ActionId::as_str),
            new.actions.iter().map(ActionId::as_str),
            (ACTION_REMOVED, ACTION_ADDED, "action"),
            Item::Action,
        );
        let defaults = (old.default_action.as_ref(), new.default_action.as_ref());
        self.fact(DEFAULT_ACTION_CHANGED, "`default_action`", defaults);
        self.rules(&old.rules, &new.rules);
        self.sets(
            old.codons.iter().map(|codon| codon.as_str()),
            new.codons.iter().map(|codon| codon.as_str()),
            (CODON_REMOVED, CODON_ADDED, "codon"),
            Item::Codon,
        );
    }

    /// What is gone from a list of names, and what is new in it.
    fn sets<'a>(
        &mut self,
        old: impl Iterator<Item = &'a str>,
        new: impl Iterator<Item = &'a str>,
        (removed, added, what): (&'static Rule, &'static Rule, &str),
        item: impl Fn(String) -> Item,
    ) {
        let (gone, come) = gone_and_new(old, new);
        for name in gone {
            let message = format!("{what} {} is gone", shown(name));
            self.add(removed, item(name.to_owned()), message);
        }
        for name in come {
            let message = format!("{what} {} is new", shown(name));
            self.add(added, item(name.to_owned()), message);
        }
    }

    /// Both lists are ordered by name.
    fn fields(&mut self, old: &[Field], new: &[Field]) {
        let name = |field: &Field| field.interface.name.clone();
        for field in old {
            let found = new.binary_search_by_key(&name(field), name).ok();
            match found.and_then(|i| new.get(i)) {
                Some(after) => self.field(field, after),
                None => self.of_field(FIELD_REMOVED, field, "is gone"),
            }
        }
        for field in new {
            if old.binary_search_by_key(&name(field), name).is_err() {
                match field.interface.required && field.default.is_none() {
                    true => self.of_field(FIELD_ADDED_REQUIRED, field, "is new and must be given"),
                    false => {
                        self.of_field(FIELD_ADDED_OPTIONAL, field, "is new and may be left out");
                    }
                }
            }
        }
    }

    fn of_field(&mut self, rule: &'static Rule, field: &Field, what: impl Display) {
        let name = field.interface.name.as_str();
        let message = format!("field {} {what}", shown(name));
        self.add(rule, Item::Field(name.to_owned()), message);
    }

    fn field(&mut self, old: &Field, new: &Field) {
        let (before, after) = (&old.interface, &new.interface);
        if before.kind != after.kind {
            let message = format!("was a {} and is a {}", before.kind, after.kind);
            return self.of_field(FIELD_TYPE_CHANGED, new, message);
        }
        match (before.required, after.required) {
            (false, true) => self.of_field(FIELD_BECAME_REQUIRED, new, "no longer takes null"),
            (true, false) => self.of_field(FIELD_BECAME_OPTIONAL, new, "takes null"),
            _ => {}
        }
        self.default(old, new);
        self.bound(
            new,
            "min_value",
            (&before.min_value, &after.min_value),
            Ordering::Greater,
        );
        self.bound(
            new,
            "max_value",
            (&before.max_value, &after.max_value),
            Ordering::Less,
        );
        self.allowed_values(new, &before.allowed_values, &after.allowed_values);
        if old.description != new.description {
            self.of_field(FIELD_DESCRIPTION_CHANGED, new, "is described otherwise");
        }
    }

    /// What a state that leaves the field out means.
    fn default(&mut self, old: &Field, new: &Field) {
        // Left out, a field without a default is null, or must not be left out.
        let left_out = |field: &Field| match (&field.default, field.interface.required) {
            (Some(value), _) => Some(value.clone()),
            (None, false) => Some(Value::Null),
            (None, true) => None,
        };
        match (left_out(old), left_out(new)) {
            (None, Some(value)) => {
                let message = format!("may be left out and is then {}", told(&value));
                self.of_field(DEFAULT_ADDED, new, message);
            }
            (Some(_), None) => self.of_field(DEFAULT_REMOVED, new, "must be given"),
            (Some(before), Some(after)) if before != after => {
                let (before, after) = (told(&before), told(&after));
                let message = format!("was {before} when left out and is {after}");
                self.of_field(DEFAULT_CHANGED, new, message);
            }
            _ => {}
        }
    }

    /// `tighter` is how a tighter bound compares with a looser one.
    fn bound(
        &mut self,
        field: &Field,
        name: &str,
        (old, new): (&Option<Value>, &Option<Value>),
        tighter: Ordering,
    ) {
        let order = match (old, new) {
            (None, None) => None,
            (None, Some(_)) => Some(tighter),
            (Some(_), None) => Some(tighter.reverse()),
            (Some(old), Some(new)) => new.compare(old),
        };
        let told = |bound: &Option<Value>| match bound {
            None => "no bound".to_owned(),
            Some(value) => told(value),
        };
        let rule = match order {
            None | Some(Ordering::Equal) => return,
            Some(order) if order == tighter => BOUND_TIGHTENED,
            Some(_) => BOUND_LOOSENED,
        };
        let message = format!("had {} for `{name}` and has {}", told(old), told(new));
        self.of_field(rule, field, message);
    }

    fn allowed_values(
        &mut self,
        field: &Field,
        old: &Option<Vec<String>>,
        new: &Option<Vec<String>>,
    ) {
        let (old, new) = match (old, new) {
            (Some(old), Some(new)) => (old, new),
            (None, None) => return,
            (None, Some(_)) => {
                let message = "took any text and takes those of a closed set";
                return self.of_field(ALLOWED_VALUES_STATED, field, message);
            }
            (Some(_), None) => {
                let message = "took those of a closed set and takes any text";
                return self.of_field(ALLOWED_VALUES_DROPPED, field, message);
            }
        };
        let (gone, come) = gone_and_new(
            old.iter().map(String::as_str),
            new.iter().map(String::as_str),
        );
        for value in gone {
            let message = format!("no longer takes {}", shown(value));
            self.of_field(ALLOWED_VALUE_REMOVED, field, message);
        }
        for value in come {
            let message = format!("takes {} too", shown(value));
            self.of_field(ALLOWED_VALUE_ADDED, field, message);
        }
    }

    fn rules(&mut self, old: &[HardRule], new: &[HardRule]) {
        self.sets(
            old.iter().map(|rule| rule.id.as_str()),
            new.iter().map(|rule| rule.id.as_str()),
            (RULE_REMOVED, RULE_ADDED, "hard rule"),
            Item::Rule,
        );
        let by_id = |rules: &'_ [HardRule]| -> HashMap<RuleId, usize> {
            let ids = rules.iter().map(|rule| rule.id.clone());
            ids.zip(0..).collect()
        };
        let (before, after) = (by_id(old), by_id(new));
        for rule in new {
            if let Some(old) = before.get(&rule.id).and_then(|i| old.get(*i)) {
                self.rule(old, rule);
            }
        }
        let kept_old = old.iter().filter(|rule| after.contains_key(&rule.id));
        let kept_new = new.iter().filter(|rule| before.contains_key(&rule.id));
        if !kept_old
            .map(|rule| &rule.id)
            .eq(kept_new.map(|rule| &rule.id))
        {
            let message = "the hard rules stand in another order";
            self.add(RULES_REORDERED, Item::Pack, message);
        }
    }

    fn rule(&mut self, old: &HardRule, new: &HardRule) {
        let mut changed = |rule: &'static Rule, what: String| {
            let id = new.id.as_str();
            let message = format!("hard rule {} {what}", shown(id));
            self.add(rule, Item::Rule(id.to_owned()), message);
        };
        if old.verdict != new.verdict {
            let what = format!("was `{}` and is `{}`", old.verdict, new.verdict);
            changed(RULE_VERDICT_CHANGED, what);
        }
        if let (Some(before), Some(after)) = (&old.action, &new.action)
            && before != after
        {
            let (before, after) = (shown(before.as_str()), shown(after.as_str()));
            let what = format!("asked for {before} and asks for {after}");
            changed(RULE_ACTION_CHANGED, what);
        }
        if old.condition != new.condition {
            let (before, after) = (shown(&old.condition), shown(&new.condition));
            changed(
                RULE_CONDITION_CHANGED,
                format!("fired on {before} and fires on {after}"),
            );
        }
        if old.description != new.description {
            changed(RULE_DESCRIPTION_CHANGED, "is described otherwise".into());
        }
    }
}

/// What only the first of two lists has, and what only the second has.
fn gone_and_new<'a>(
    old: impl Iterator<Item = &'a str>,
    new: impl Iterator<Item = &'a str>,
) -> (Vec<&'a str>, Vec<&'a str>) {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.collect(), new.collect());
    let only = |these: &[&'a str], others: &[&'a str]| {
        let others: HashSet<&str> = others.iter().copied().collect();
        let these = these.iter().copied();
        these.filter(|name| !others.contains(name)).collect()
    };
    (only(&old, &new), only(&new, &old))
}

/// A value as messages show it.
fn told(value: &Value) -> String {
    shown(&value.to_string())
}
