//! `[rename]` of `helixor-sdk.toml`: other words to build the names of something from. Its wire name
//! stays.

use crate::literals::toml;
use crate::manifest::{Manifest, Pack};
use helixor_playbook::{Code, Error, PackId, suggest};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Where a line belongs.
pub(crate) const WHERE: &str = "under `[rename]` in helixor-sdk.toml";

/// What is renamed, and to which words.
pub(crate) type Renames = BTreeMap<Thing, String>;

/// What can be renamed: the keys below `[rename]`, as TOML nests them.
///
/// A pack is `PACK_ID.pack`; a field, an action and a rule are `PACK_ID.field.NAME` and so on; an
/// allowed value is `PACK_ID.value.FIELD.VALUE`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Thing(Vec<String>);

/// How many keys each kind of thing has, the pack's id and the kind among them.
const KINDS: [(&str, usize); 5] = [
    ("action", 3),
    ("field", 3),
    ("pack", 2),
    ("rule", 3),
    ("value", 4),
];

impl Thing {
    pub(crate) fn pack(pack: &PackId) -> Self {
        Self::of(pack, "pack", &[])
    }

    pub(crate) fn field(pack: &PackId, name: &str) -> Self {
        Self::of(pack, "field", &[name])
    }

    pub(crate) fn action(pack: &PackId, id: &str) -> Self {
        Self::of(pack, "action", &[id])
    }

    pub(crate) fn rule(pack: &PackId, id: &str) -> Self {
        Self::of(pack, "rule", &[id])
    }

    pub(crate) fn value(pack: &PackId, field: &str, value: &str) -> Self {
        Self::of(pack, "value", &[field, value])
    }

    fn of(pack: &PackId, kind: &str, names: &[&str]) -> Self {
        let keys = [pack.as_str(), kind]
            .into_iter()
            .chain(names.iter().copied());
        Self(keys.map(str::to_owned).collect())
    }

    /// The line that renames it.
    pub(crate) fn line(&self, words: &str) -> String {
        format!("{} = {}", self.key(), toml::string(words))
    }

    fn key(&self) -> String {
        let key = |(i, key): (usize, &String)| match i {
            1 => key.clone(),
            _ => toml::string(key),
        };
        let keys: Vec<String> = self.0.iter().enumerate().map(key).collect();
        keys.join(".")
    }
}

/// As messages call it, without its pack.
impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [pack, _] => write!(f, "pack `{pack}`"),
            [_, kind, name] => write!(f, "{kind} {name:?}"),
            [_, _, field, value] => write!(f, "value {value:?} of field {field:?}"),
            _ => Ok(()),
        }
    }
}

/// Reads the table.
///
/// # Errors
/// What is wrong with each line: a message and advice.
pub(crate) fn read(table: ::toml::Table) -> Result<Renames, Vec<(String, String)>> {
    let mut renames = Renames::new();
    let mut faults = Vec::new();
    read_below(&[], table, &mut renames, &mut faults);
    if faults.is_empty() {
        Ok(renames)
    } else {
        Err(faults)
    }
}

fn read_below(
    above: &[String],
    table: ::toml::Table,
    renames: &mut Renames,
    faults: &mut Vec<(String, String)>,
) {
    for (key, value) in table {
        let thing = Thing([above, &[key]].concat());
        let depth = match thing.0.get(1) {
            None => usize::MAX,
            Some(kind) => match KINDS.iter().find(|(name, _)| name == kind) {
                Some((_, depth)) => *depth,
                None => {
                    let help = suggest(kind, KINDS.iter().map(|(name, _)| *name));
                    faults.push((
                        format!(
                            "`{}` in `[rename]` names no pack, field, action, rule or value",
                            thing.key()
                        ),
                        help,
                    ));
                    continue;
                }
            },
        };
        match value {
            ::toml::Value::Table(below) if thing.0.len() < depth => {
                read_below(&thing.0, below, renames, faults);
            }
            ::toml::Value::String(words) if thing.0.len() == depth => {
                if words.chars().any(char::is_alphanumeric) {
                    renames.insert(thing, words);
                } else {
                    faults.push((
                        format!("`{}` in `[rename]` must have letters or digits", thing.key()),
                        String::new(),
                    ));
                }
            }
            _ => faults.push((
                format!("`{}` in `[rename]` renames nothing", thing.key()),
                "write \"PACK_ID\".pack, \"PACK_ID\".field.\"NAME\", .action.\"ID\", .rule.\"ID\" or .value.\"FIELD\".\"VALUE\", \
                 and after `=` the words in quotes"
                    .into(),
            )),
        }
    }
}

/// Everything of a pack that can be renamed.
fn things(pack: &Pack) -> Vec<Thing> {
    let id = &pack.pack_id;
    let mut things = vec![Thing::pack(id)];
    for field in &pack.fields {
        let name = field.interface.name.as_str();
        things.push(Thing::field(id, name));
        let values = field.interface.allowed_values.iter().flatten();
        things.extend(values.map(|value| Thing::value(id, name, value)));
    }
    things.extend(
        pack.actions
            .iter()
            .map(|action| Thing::action(id, action.as_str())),
    );
    things.extend(
        pack.rules
            .iter()
            .map(|rule| Thing::rule(id, rule.id.as_str())),
    );
    things
}

/// Reports renames of what the manifest lacks.
pub(crate) fn unknown(renames: &Renames, manifest: &Manifest) -> Vec<Error> {
    if renames.is_empty() {
        return Vec::new();
    }
    let known: BTreeSet<Thing> = manifest.packs.iter().flat_map(things).collect();
    let unknown = renames.keys().filter(|thing| !known.contains(thing));
    let fault = |thing: &Thing| {
        // The keys down to the first that nothing has.
        let common = |other: &Thing| {
            let pairs = thing.0.iter().zip(&other.0);
            pairs.take_while(|(one, other)| one == other).count()
        };
        let depth = known.iter().map(common).max().unwrap_or_default();
        let near = known.iter().filter(|other| common(other) == depth);
        let near: BTreeSet<&str> = near
            .filter_map(|other| Some(other.0.get(depth)?.as_str()))
            .collect();
        let name = thing.0.get(depth).map_or("", String::as_str);
        Error::new(
            Code::InvalidArgument,
            format!(
                "`[rename]` names {thing} (`{}`), which the manifest lacks",
                thing.key()
            ),
            suggest(name, near),
        )
    };
    unknown.map(fault).collect()
}
