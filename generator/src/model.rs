//! Every decision about the output, made before anything is rendered: names per language, types,
//! docs, order, and the interface document.

use crate::config::Config;
use crate::docs::{Doc, Piece};
use crate::manifest::{self, Manifest};
use crate::names::{self, Language, Names, Words};
use crate::rename::{self, Renames, Thing};
use helixor_playbook::{
    Code, Digest, Error, FieldKind, Interface, InterfaceField, PackId, Value, builtin,
};
use std::collections::{BTreeMap, BTreeSet};

/// The version of this generator, which is that of the runtime it generates for.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Bytes of a module's name from which on a file of that name, with an ending or the suffixes of a
/// compiler, could not be made: file systems take 255.
const TOO_LONG: usize = 201;

/// The most members of a Java enum: what initialises it is one method of at most 64 KiB.
const JAVA_ENUM: usize = 2_000;

/// The most fields or members that one generated Java method or type deals with.
pub(crate) const JAVA_PART: usize = 1_000;

/// In how many Java types beside a closed set its members stand; none when it is an enum.
pub(crate) fn java_parts(members: usize) -> usize {
    match members {
        0..=JAVA_ENUM => 0,
        _ => members.div_ceil(JAVA_PART),
    }
}

/// What is generated from one manifest.
#[derive(Clone, Debug)]
pub(crate) struct Sdk {
    /// The packs, in the manifest's order; at least one.
    pub(crate) packs: Vec<Pack>,
    /// The digest of the manifest.
    pub(crate) manifest: Digest,
    /// The version of the generated packages, as Cargo has it.
    pub(crate) version: String,
    /// The same version as Python has it.
    pub(crate) python_version: String,
    /// The name of the generated crate.
    pub(crate) crate_name: String,
    /// The path of the runtime's crate, for a build in one tree.
    pub(crate) runtime_path: Option<String>,
    /// The Maven group and artifact of the generated Java project.
    pub(crate) java_group: String,
    /// See `java_group`.
    pub(crate) java_artifact: String,
    /// The Java package that the configuration names.
    java_package: Option<String>,
    /// The name of the generated Python package.
    pub(crate) python_package: String,
    /// The licence of the generated packages, as SPDX has it.
    pub(crate) license: Option<String>,
    /// The URL of their sources.
    pub(crate) repository: Option<String>,
    /// The pack ids that were asked for one by one; empty: all of the manifest.
    selected: Vec<PackId>,
}

/// One pack of an [`Sdk`].
#[derive(Clone, Debug)]
pub(crate) struct Pack {
    /// Its id.
    pub(crate) id: PackId,
    /// The decision it answers.
    pub(crate) goal_id: String,
    /// The declared confidence floor.
    pub(crate) floor: f64,
    /// The declared latency budget in milliseconds.
    pub(crate) budget_max_latency_ms: f64,
    /// Whether a pack of that id is built into the runtime.
    pub(crate) builtin: bool,
    /// Its module or package.
    pub(crate) module: Names,
    /// The stem of its type names.
    pub(crate) stem: Names,
    /// The Rust type that stands for the pack.
    pub(crate) marker: String,
    /// Its state fields, by wire name (code points).
    pub(crate) fields: Vec<Field>,
    /// Its actions, in the manifest's order.
    pub(crate) actions: Vec<Member>,
    /// Its hard rules, in the manifest's order.
    pub(crate) rules: Vec<Member>,
    /// Its interface, without the command that regenerates it.
    pub(crate) interface: Interface,
}

/// A state field.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// Its type.
    pub(crate) kind: FieldKind,
    /// Whether it may be left out or null.
    pub(crate) presence: Presence,
    /// Its name as a member of the state.
    pub(crate) names: Names,
    /// Its name as an attribute of the pydantic model.
    pub(crate) pydantic: String,
    /// It as a member of the closed set of fields.
    pub(crate) member: Member,
    /// The closed set of its values, when it has one.
    pub(crate) values: Option<ValueSet>,
    /// What it means, for the state.
    pub(crate) doc: Doc,
    /// A value that it takes, for examples.
    pub(crate) example: Value,
    /// As the manifest declares it.
    pub(crate) declared: manifest::Field,
}

/// Whether a field may be left out or null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It is always given, and never null.
    Required,
    /// Left out, its default is taken; it is never null.
    Defaulted,
    /// It may be null, and is when it is left out.
    Nullable,
    /// It may be null; left out, its default is taken.
    NullableDefaulted,
}

/// A member of a closed set.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// The wire string.
    pub(crate) wire: String,
    /// Its name.
    pub(crate) names: Names,
    /// What it means.
    pub(crate) doc: Doc,
}

/// The closed set of a string field's values: a type of its own.
#[derive(Clone, Debug)]
pub(crate) struct ValueSet {
    /// The type.
    pub(crate) names: Names,
    /// What it means.
    pub(crate) doc: Doc,
    /// The values, in the manifest's order; at least one.
    pub(crate) members: Vec<Member>,
}

impl Sdk {
    /// Decides everything for the packs of a manifest; `selected` names those wanted, empty means
    /// all.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for a pack the manifest lacks and for a rename of what it lacks,
    /// MANIFEST_INVALID for a name that begins with the reserved prefix, NAME_COLLISION for names that fall together in some language,
    /// whether it is generated or not; all of them in [`Error::all`].
    pub(crate) fn new(
        manifest: &Manifest,
        selected: &[PackId],
        config: &Config,
    ) -> Result<Self, Error> {
        let mut faults = Vec::new();
        faults.extend(selected.iter().filter_map(|id| manifest.pack(id).err()));
        faults.extend(rename::unknown(&config.rename, manifest));
        let wanted =
            |pack: &&manifest::Pack| selected.is_empty() || selected.contains(&pack.pack_id);
        let packs: Vec<Pack> = manifest
            .packs
            .iter()
            .filter(wanted)
            .map(|pack| Pack::new(pack, &config.rename, &mut faults))
            .collect();
        let mut collisions = Collisions::new(String::new());
        collisions.taken.extend(packs.iter().flat_map(|pack| {
            Language::ALL.map(|language| names::squashed(pack.module.of(language)))
        }));
        // Modules are files, and files whose names differ only in case fall together on some
        // systems.
        let modules = packs.iter().map(|pack| {
            let domain = Words::new(&pack.stem.rust).as_str().to_owned();
            Named {
                thing: Some(Thing::pack(&pack.id)),
                words: domain,
                names: pack.module.clone(),
            }
        });
        collisions.check(
            modules.collect(),
            "module",
            |_, name| name.to_lowercase(),
            &mut faults,
        );
        if let Some(error) = Error::first_of(faults) {
            return Err(error);
        }
        let (version, words) = match packs.as_slice() {
            [pack] => (
                pack.interface.pack_version.clone(),
                Words::new(&pack.stem.rust).package(),
            ),
            _ => (None, None),
        };
        let version = version.unwrap_or_else(|| "0.1.0".into());
        let crate_name = config.rust_crate.clone().unwrap_or_else(|| match &words {
            None => "helixor-sdk".into(),
            Some(words) if names::is_crate_name(words) => words.clone(),
            Some(words) => format!("{words}-sdk"),
        });
        let java_artifact = words.clone().unwrap_or_else(|| "helixor-sdk".into());
        let python_package = config.python_package.clone().unwrap_or_else(|| {
            match words.map(|words| words.replace('-', "")) {
                None => "helixor_sdk".into(),
                Some(words) if names::is_python_package(&words) => words,
                Some(words) => format!("{words}_sdk"),
            }
        });
        Ok(Self {
            packs,
            manifest: manifest.digest,
            python_version: python_version(&version),
            version,
            crate_name,
            runtime_path: config.rust_runtime.clone(),
            java_group: config
                .java_group
                .clone()
                .unwrap_or_else(|| "ai.helixor.sdk".into()),
            java_artifact,
            java_package: config.java_package.clone(),
            python_package,
            license: config.license.clone(),
            repository: config.repository.clone(),
            selected: selected.to_vec(),
        })
    }

    /// The command that makes one language's output anew, paths as placeholders.
    pub(crate) fn command(&self, language: Language) -> String {
        let mut command = format!(
            "helixor-sdk-gen generate --manifest MANIFEST --lang {} --out DIR",
            language.as_str()
        );
        for id in &self.selected {
            command.push_str(&format!(" --pack {id}"));
        }
        command
    }

    /// The Java package of a pack.
    pub(crate) fn java_package(&self, pack: &Pack) -> String {
        let module = &pack.module.java;
        match &self.java_package {
            None => format!("ai.helixor.runtime.{module}"),
            Some(package) if self.packs.len() == 1 => package.clone(),
            Some(package) => format!("{package}.{module}"),
        }
    }

    /// The interface document that one language's client of a pack is compiled with.
    pub(crate) fn interface(&self, pack: &Pack, language: Language) -> String {
        let regenerate = Some(self.command(language));
        Interface {
            regenerate,
            ..pack.interface.clone()
        }
        .to_json()
    }

    /// The lines that every generated source file begins with, without comment marks.
    pub(crate) fn header(&self, language: Language, pack: Option<&Pack>) -> Vec<String> {
        let mut lines = vec![format!(
            "Generated by helixor-sdk-gen {VERSION}; do not edit."
        )];
        let packs = match pack {
            Some(pack) => std::slice::from_ref(pack),
            None => self.packs.as_slice(),
        };
        lines.extend(packs.iter().map(|pack| format!("Pack: {}", pack.id)));
        lines.push(format!("Manifest: sha256 {}", self.manifest));
        lines.push(format!("Command: {}", self.command(language)));
        lines
    }
}

impl Pack {
    /// The fields that every state must have.
    pub(crate) fn required(&self) -> impl Iterator<Item = &Field> {
        let fields = self.fields.iter();
        fields.filter(|field| field.presence == Presence::Required)
    }

    /// The closed sets of its fields' values.
    pub(crate) fn value_sets(&self) -> impl Iterator<Item = &ValueSet> {
        self.fields.iter().filter_map(|field| field.values.as_ref())
    }

    /// The types that the first call of one language needs, sorted.
    pub(crate) fn example_types(&self, language: Language) -> String {
        let stem = self.stem.of(language);
        let values = self.required().filter_map(|field| field.values.as_ref());
        let mut types: Vec<String> = values
            .map(|set| set.names.of(language).to_owned())
            .collect();
        types.extend([format!("{stem}Client"), format!("{stem}State")]);
        types.sort();
        types.join(", ")
    }

    fn new(pack: &manifest::Pack, renames: &Renames, faults: &mut Vec<Error>) -> Self {
        let words_of = |thing: &Thing, raw: &str, faults: &mut Vec<Error>| {
            let raw = renames.get(thing).map_or(raw, String::as_str);
            let words = Words::new(raw);
            if words.is_reserved() {
                faults.push(reserved(thing, &pack.pack_id, raw));
            }
            words
        };
        let id = &pack.pack_id;
        let this = Thing::pack(id);
        let domain_name = renames.get(&this).unwrap_or(&pack.domain_name);
        let (stem, marker) = names::domain(domain_name);
        if stem.rust.starts_with("Helixor") {
            faults.push(reserved(&this, id, domain_name));
        }
        let module = Words::new(domain_name).module();
        let longest = Language::ALL.into_iter().map(|l| module.of(l).len()).max();
        if let Some(length @ TOO_LONG..) = longest {
            faults.push(Error::new(
                Code::ManifestInvalid,
                format!(
                    "domain name {domain_name:?} of pack `{id}` gives files a name of {length} bytes, at most {} will do",
                    TOO_LONG - 1
                ),
                format!("add a line {}: {}", rename::WHERE, this.line("shorter words")),
            ));
        }
        let mut members =
            |thing: fn(&PackId, &str) -> Thing, wires: Vec<(&str, &str)>| -> Vec<Member> {
                let member = |(wire, description): (&str, &str)| {
                    let words = words_of(&thing(id, wire), wire, faults);
                    Member::new(&words, wire, description)
                };
                wires.into_iter().map(member).collect()
            };
        let actions = pack.actions.iter().map(|action| (action.as_str(), ""));
        let actions = members(Thing::action, actions.collect());
        let rules = pack
            .rules
            .iter()
            .map(|r| (r.id.as_str(), r.description.as_str()));
        let rules = members(Thing::rule, rules.collect());
        let words: Vec<Words> = pack
            .fields
            .iter()
            .map(|field| {
                let wire = field.interface.name.as_str();
                words_of(&Thing::field(id, wire), wire, faults)
            })
            .collect();
        let taken: BTreeSet<String> = words.iter().map(|words| words.field().python).collect();
        let field = |(field, words): (&manifest::Field, &Words)| {
            let values = field.interface.allowed_values.as_ref().map(|allowed| {
                let wire = field.interface.name.as_str();
                let value = |value: &String| {
                    let words = words_of(&Thing::value(id, wire, value), value, faults);
                    Member::of_value(&words, value)
                };
                ValueSet {
                    names: words.value_type(&taken),
                    doc: Doc::default().with([
                        text("A value of the field "),
                        code(wire),
                        text(" of the pack "),
                        code(id.as_str()),
                        text("."),
                    ]),
                    members: allowed.iter().map(value).collect(),
                }
            });
            Field {
                pydantic: names::pydantic(&words.field().python, &taken),
                values,
                ..Field::new(field, words)
            }
        };
        let fields: Vec<Field> = pack.fields.iter().zip(&words).map(field).collect();
        let new = Self {
            id: pack.pack_id.clone(),
            goal_id: pack.goal_id.clone(),
            floor: pack.floor,
            budget_max_latency_ms: pack.budget_max_latency_ms,
            builtin: builtin::is_builtin(&pack.pack_id),
            module,
            stem,
            marker,
            interface: Interface {
                pack_id: pack.pack_id.clone(),
                pack_version: pack.pack_version.clone(),
                raw_pack_sha256: pack.raw_pack_sha256,
                fields: pack
                    .fields
                    .iter()
                    .map(|field| field.interface.clone())
                    .collect(),
                actions: pack.actions.clone(),
                rules: pack.rules.iter().map(|rule| rule.id.clone()).collect(),
                regenerate: None,
            },
            fields,
            actions,
            rules,
        };
        new.check(faults);
        new
    }

    /// Reports names that fall together.
    fn check(&self, faults: &mut Vec<Error>) {
        let id = &self.id;
        let mut collisions = Collisions::new(format!(" of pack `{id}`"));
        let same = |_: Language, name: &str| name.to_owned();
        let field = |field: &Field| Thing::field(id, &field.member.wire);
        let members = |thing: &dyn Fn(&Member) -> Thing, members: &[Member]| -> Vec<Named> {
            let named = |member: &Member| Named::new(thing(member), &member.names, &member.names);
            members.iter().map(named).collect()
        };
        let actions = members(&|member| Thing::action(id, &member.wire), &self.actions);
        let rules = members(&|member| Thing::rule(id, &member.wire), &self.rules);
        let mut types = self.types();
        let fields = self.fields.iter();
        types.extend(fields.clone().filter_map(|f| {
            Some(Named::new(
                field(f),
                &f.values.as_ref()?.names,
                &f.member.names,
            ))
        }));
        let mut groups = vec![
            (actions, "constant"),
            (rules, "constant"),
            (
                fields
                    .clone()
                    .map(|f| Named::new(field(f), &f.names, &f.member.names))
                    .collect(),
                "member",
            ),
            (
                fields
                    .clone()
                    .map(|f| Named::new(field(f), &f.member.names, &f.member.names))
                    .collect(),
                "constant",
            ),
        ];
        for field in fields {
            if let Some(values) = &field.values {
                let value = |member: &Member| Thing::value(id, &field.member.wire, &member.wire);
                groups.push((members(&value, &values.members), "constant"));
            }
        }
        let all = groups.iter().flat_map(|(group, _)| group).chain(&types);
        collisions.taken = all.map(|named| names::squashed(&named.words)).collect();
        for (group, role) in groups {
            collisions.check(group, role, same, faults);
        }
        // Java's types are files.
        collisions.check(
            types,
            "type",
            |language, name| match language {
                Language::Java => name.to_lowercase(),
                _ => name.to_owned(),
            },
            faults,
        );
    }

    /// The types that are there whatever the fields are called.
    fn types(&self) -> Vec<Named> {
        const SUFFIXES: [&str; 9] = [
            "Client",
            "State",
            "StateBuilder",
            "StateModel",
            "Decision",
            "Details",
            "Cause",
            "Counterfactual",
            "Change",
        ];
        let own = SUFFIXES.map(|suffix| Names {
            rust: format!("{}{suffix}", self.stem.rust),
            java: format!("{}{suffix}", self.stem.java),
            python: format!("{}{suffix}", self.stem.python),
        });
        // Java's sets that are too large for an enum have their members in types beside them.
        let counts = [
            ("Action", self.actions.len()),
            ("Rule", self.rules.len()),
            ("Field", self.fields.len()),
        ];
        let of_fields = self.fields.iter().filter_map(|field| {
            let values = field.values.as_ref()?;
            Some((values.names.java.as_str(), values.members.len()))
        });
        let parts = counts
            .into_iter()
            .chain(of_fields)
            .flat_map(|(set, count)| {
                (1..=java_parts(count)).map(move |part| format!("{set}{part}"))
            });
        let same = ["Action", "Field", "Rule", "FLOOR"]
            .map(str::to_owned)
            .into_iter();
        let same = same
            .chain([self.marker.clone()])
            .chain(parts)
            .map(|name| Names {
                rust: name.clone(),
                java: name.clone(),
                python: name,
            });
        own.into_iter()
            .chain(same)
            .map(|names| Named {
                thing: None,
                words: names.rust.clone(),
                names,
            })
            .collect()
    }
}

impl Field {
    /// Without what depends on other fields.
    fn new(field: &manifest::Field, words: &Words) -> Self {
        let wire = field.interface.name.as_str();
        Self {
            kind: field.interface.kind,
            presence: match (field.interface.required, &field.default) {
                (true, None) => Presence::Required,
                (true, Some(_)) => Presence::Defaulted,
                (false, None) => Presence::Nullable,
                (false, Some(_)) => Presence::NullableDefaulted,
            },
            names: words.field(),
            pydantic: String::new(),
            doc: Doc::default()
                .with([text(&field.description)])
                .with(rules(field)),
            member: Member::new(words, wire, &field.description),
            values: None,
            example: example(&field.interface),
            declared: field.clone(),
        }
    }

    /// Its documentation, with what its type's own words mean: each and its meaning.
    pub(crate) fn doc_with(&self, words: &[(&str, &str)]) -> Doc {
        let mut doc = self.doc.clone();
        if let (Some(rules), [_, ..]) = (doc.0.last_mut(), words) {
            rules.pop();
            rules.push(text(". "));
            let words = words.iter();
            rules.extend(words.flat_map(|(word, meaning)| [code(word), text(meaning)]));
        }
        doc
    }
}

/// What a field's value must be.
fn rules(field: &manifest::Field) -> Vec<Piece> {
    let InterfaceField {
        min_value,
        max_value,
        allowed_values,
        ..
    } = &field.interface;
    let mut rules = vec![text("Field "), code(field.interface.name.as_str())];
    match (min_value, max_value) {
        (None, None) => {}
        (Some(min), None) => rules.extend([text(", from "), value(min)]),
        (None, Some(max)) => rules.extend([text(", up to "), value(max)]),
        (Some(min), Some(max)) => {
            rules.extend([text(", from "), value(min), text(" to "), value(max)]);
        }
    }
    for (i, allowed) in allowed_values.iter().flatten().enumerate() {
        let before = if i == 0 { ", one of " } else { ", " };
        rules.extend([text(before), value(&Value::String(allowed.as_str().into()))]);
    }
    if !field.interface.required {
        rules.push(text("; it may be null"));
    }
    match (&field.default, field.interface.required) {
        (Some(default), _) => rules.extend([text("; when left out it is "), value(default)]),
        (None, false) => rules.push(text(" or left out, which is the same")),
        (None, true) => {}
    }
    rules.push(text("."));
    rules
}

impl Member {
    fn new(words: &Words, wire: &str, description: &str) -> Self {
        Self {
            wire: wire.to_owned(),
            names: words.member(),
            doc: Doc::default().with([text(description)]).with([code(wire)]),
        }
    }

    /// Of a field's closed set; quoted, since it can be empty.
    fn of_value(words: &Words, wire: &str) -> Self {
        Self {
            wire: wire.to_owned(),
            names: words.member(),
            doc: Doc::default().with([value(&Value::String(wire.into()))]),
        }
    }
}

fn text(text: &str) -> Piece {
    Piece::Text(text.into())
}

fn code(text: &str) -> Piece {
    Piece::Code(text.into())
}

fn value(value: &Value) -> Piece {
    Piece::Code(value.to_string())
}

/// A plain value that the field takes.
fn example(field: &InterfaceField) -> Value {
    let zero = match field.kind {
        FieldKind::Boolean => return Value::Boolean(false),
        FieldKind::Integer => Value::Integer(0),
        FieldKind::Number => Value::Number(0.0),
        FieldKind::String => {
            let allowed = field.allowed_values.iter().flatten().next();
            return Value::String(allowed.map_or("", String::as_str).into());
        }
    };
    let below = |bound: &&Value| zero.compare(bound).is_some_and(|order| order.is_lt());
    let above = |bound: &&Value| zero.compare(bound).is_some_and(|order| order.is_gt());
    let (min, max) = (field.min_value.as_ref(), field.max_value.as_ref());
    let bound = min.filter(below).or(max.filter(above)).unwrap_or(&zero);
    match (field.kind, bound) {
        (FieldKind::Integer, Value::Number(number)) => Value::Integer(number.round() as i64),
        (FieldKind::Number, Value::Integer(integer)) => Value::Number(*integer as f64),
        (_, bound) => bound.clone(),
    }
}

fn reserved(thing: &Thing, pack: &PackId, name: &str) -> Error {
    let words = Words::new(name);
    let rest = match words
        .as_str()
        .trim_start_matches("helixor")
        .trim_matches('_')
    {
        "" => "pack",
        rest => rest,
    };
    Error::new(
        Code::ManifestInvalid,
        format!(
            "{thing} of pack `{pack}` has the name {name:?}, which begins with `helixor`: that is kept for generated names"
        ),
        format!("add a line {}: {}", rename::WHERE, thing.line(rest)),
    )
}

/// Something with a name in each language.
struct Named {
    /// What `[rename]` calls it; none for what is always there.
    thing: Option<Thing>,
    /// The words that its names are made of, in any case.
    words: String,
    names: Names,
}

impl Named {
    /// `words`: a name of it in which each word can be told.
    fn new(thing: Thing, names: &Names, words: &Names) -> Self {
        Self {
            thing: Some(thing),
            words: words.python.to_lowercase(),
            names: names.clone(),
        }
    }
}

/// Names that fall together, reported once for each pair.
struct Collisions {
    /// Where: empty, or ` of pack ...`.
    of: String,
    /// Words that no suggestion may have, squashed.
    taken: BTreeSet<String>,
    /// What is suggested for each thing.
    suggested: BTreeMap<Thing, String>,
    reported: BTreeSet<(Option<Thing>, Thing)>,
}

impl Collisions {
    fn new(of: String) -> Self {
        Self {
            of,
            taken: BTreeSet::new(),
            suggested: BTreeMap::new(),
            reported: BTreeSet::new(),
        }
    }

    /// Reports names of one group, which have a role, for the first language they fall together in.
    fn check(
        &mut self,
        group: Vec<Named>,
        role: &str,
        key: impl Fn(Language, &str) -> String,
        faults: &mut Vec<Error>,
    ) {
        for language in Language::ALL {
            let mut seen: BTreeMap<String, &Named> = BTreeMap::new();
            for named in &group {
                let name = named.names.of(language);
                let Some(other) = seen.insert(key(language, name), named) else {
                    continue;
                };
                let Some(thing) = &named.thing else {
                    // Of the types that are always there, some are the same.
                    continue;
                };
                if !self.reported.insert((other.thing.clone(), thing.clone())) {
                    continue;
                }
                let other = match &other.thing {
                    Some(other) => other.to_string(),
                    None => "a type that every client has".into(),
                };
                let line = thing.line(&self.suggestion(thing, &named.words));
                faults.push(Error::new(
                    Code::NameCollision,
                    format!("{other} and {thing}{} would both have the {role} name `{name}` in {language}", self.of),
                    format!("every name must be distinct in Rust, Java and Python, whichever is generated; add a line {}, with words of your choice: {line}", rename::WHERE),
                ));
            }
        }
    }

    /// Words that nothing else has.
    fn suggestion(&mut self, thing: &Thing, words: &str) -> String {
        let taken = &mut self.taken;
        let new = || {
            let mut number = 2;
            while !taken.insert(names::squashed(&format!("{words}{number}"))) {
                number += 1;
            }
            format!("{words}_{number}")
        };
        self.suggested
            .entry(thing.clone())
            .or_insert_with(new)
            .clone()
    }
}

/// A semantic version as Python writes versions; what has no like there becomes a development
/// release.
fn python_version(version: &str) -> String {
    let Ok(parsed) = semver::Version::parse(version) else {
        return version.to_owned();
    };
    let release = format!("{}.{}.{}", parsed.major, parsed.minor, parsed.patch);
    if parsed.pre.is_empty() {
        return release;
    }
    let (word, number) = parsed
        .pre
        .split_once('.')
        .unwrap_or((parsed.pre.as_str(), "0"));
    let letter = match word {
        "alpha" | "a" => "a",
        "beta" | "b" => "b",
        "rc" => "rc",
        _ => "",
    };
    if letter.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return format!("{release}.dev0");
    }
    format!("{release}{letter}{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_written_as_python_writes_them() {
        for (version, expected) in [
            ("1.0.0", "1.0.0"),
            ("1.2.3+build.5", "1.2.3"),
            ("1.0.0-rc.1", "1.0.0rc1"),
            ("1.0.0-beta", "1.0.0b0"),
            ("1.0.0-alpha.2.x", "1.0.0.dev0"),
            ("1.0.0-2024.x", "1.0.0.dev0"),
        ] {
            assert_eq!(python_version(version), expected);
        }
    }
}
