//! The Java view: a Maven project, a `client` and a `model` package per pack.

use crate::docs::{Doc, Piece, java as docs};
use crate::literals::{java as literal, xml};
use crate::model::{Field, JAVA_PART, Member, Pack, Presence, Sdk, VERSION, java_parts};
use crate::names::Language;
use crate::output::Plan;
use askama::Template;
use helixor_playbook::{Error, FieldKind, Value};

/// The most words of a record: a constructor takes 255, the object itself included, and what
/// `javac` makes of a record counts too.
const RECORD_WORDS: usize = 200;

/// How many booleans a word holds.
const WORD: usize = 64;

#[derive(Template)]
#[template(path = "java/pom.xml")]
struct Pom<'a> {
    sdk: &'a Sdk,
    header: &'a [String],
    description: String,
}

#[derive(Template)]
#[template(path = "java/README.md")]
struct Readme<'a> {
    sdk: &'a Sdk,
    /// The pack of the examples.
    pack: &'a Pack,
    /// Its package.
    package: String,
}

#[derive(Template)]
#[template(path = "java/Client.java")]
struct Client<'a> {
    pack: &'a Pack,
    header: &'a [String],
    package: &'a str,
    interface: String,
    parts: Vec<Part<'a, Field>>,
    /// For each field the statement that packs it; none when a field does not always have a value, or
    /// is a text.
    packed: Vec<String>,
    /// How many words it packs into.
    words: usize,
    /// Whether the state is too wide for a record.
    wide: bool,
}

#[derive(Template)]
#[template(path = "java/State.java")]
struct State<'a> {
    pack: &'a Pack,
    header: &'a [String],
    package: &'a str,
    /// Whether it is too wide for a record.
    wide: bool,
    parts: Vec<Part<'a, Field>>,
}

#[derive(Template)]
#[template(path = "java/Names.java")]
struct Names<'a> {
    set: Set<'a>,
    header: &'a [String],
    package: &'a str,
}

/// A set too large for an enum.
#[derive(Template)]
#[template(path = "java/ManyNames.java")]
struct ManyNames<'a> {
    set: Set<'a>,
    header: &'a [String],
    package: &'a str,
    parts: Vec<Part<'a, &'a Member>>,
}

/// Some of its members.
#[derive(Template)]
#[template(path = "java/NamesPart.java")]
struct NamesPart<'a> {
    set: Set<'a>,
    header: &'a [String],
    package: &'a str,
    number: usize,
    members: &'a [&'a Member],
}

/// A closed set of names.
struct Set<'a> {
    /// The type's name.
    name: &'a str,
    doc: Doc,
    members: Vec<&'a Member>,
}

/// A run of items.
struct Part<'a, T> {
    /// Which run, from 1.
    number: usize,
    /// The number of the first item.
    first: usize,
    items: &'a [T],
}

fn parts<T>(items: &[T]) -> Vec<Part<'_, T>> {
    let part = |(i, items)| Part {
        number: i + 1,
        first: i * JAVA_PART,
        items,
    };
    items.chunks(JAVA_PART).enumerate().map(part).collect()
}

/// Plans the project, its files below `folder` (empty, or ending in `/`).
pub(crate) fn plan(sdk: &Sdk, folder: &str, plan: &mut Plan) -> Result<(), Error> {
    let description = match sdk.packs.as_slice() {
        [pack] => format!("Typed client of the Helixor pack {}", pack.id),
        packs => format!("Typed clients of {} Helixor packs", packs.len()),
    };
    let pom = Pom {
        sdk,
        header: &sdk.header(Language::Java, None),
        description,
    };
    plan.template(format!("{folder}pom.xml"), &pom)?;
    if let Some(pack) = sdk.packs.first() {
        let package = sdk.java_package(pack);
        plan.template(format!("{folder}README.md"), &Readme { sdk, pack, package })?;
    }
    plan.add_each(&sdk.packs, |pack, plan| plan_pack(sdk, pack, folder, plan))
}

fn plan_pack(sdk: &Sdk, pack: &Pack, folder: &str, plan: &mut Plan) -> Result<(), Error> {
    let header = &*sdk.header(Language::Java, Some(pack));
    let package = &*sdk.java_package(pack);
    let folder = format!("{folder}src/main/java/{}", package.replace('.', "/"));
    let stem = &pack.stem.java;
    let (packed, words) = pack.java_packed().unwrap_or_default();
    let wide = pack.fields.iter().map(Field::java_words).sum::<usize>() > RECORD_WORDS;
    let client = Client {
        pack,
        header,
        package,
        interface: literal::string(&sdk.interface(pack, Language::Java)),
        parts: parts(&pack.fields),
        packed,
        words,
        wide,
    };
    plan.template(format!("{folder}/client/{stem}Client.java"), &client)?;
    let state = State {
        pack,
        header,
        package,
        wide,
        parts: parts(&pack.fields),
    };
    plan.template(format!("{folder}/model/{stem}State.java"), &state)?;
    let fields = pack.fields.iter().map(|field| &field.member).collect();
    let sets = [
        (
            "Action",
            "An action of the pack ",
            pack.actions.iter().collect(),
        ),
        (
            "Rule",
            "A hard rule of the pack ",
            pack.rules.iter().collect(),
        ),
        ("Field", "A state field of the pack ", fields),
    ];
    let sets = sets.map(|(name, doc, members)| Set {
        name,
        doc: pack.java_doc(doc, "."),
        members,
    });
    let of_fields = pack.value_sets();
    let of_fields = of_fields.map(|set| Set {
        name: &set.names.java,
        doc: set.doc.clone(),
        members: set.members.iter().collect(),
    });
    for set in sets.into_iter().chain(of_fields) {
        let name = set.name;
        plan_set(
            set,
            header,
            package,
            &format!("{folder}/model/{name}"),
            plan,
        )?;
    }
    Ok(())
}

fn plan_set(
    set: Set<'_>,
    header: &[String],
    package: &str,
    path: &str,
    plan: &mut Plan,
) -> Result<(), Error> {
    if java_parts(set.members.len()) == 0 {
        let names = Names {
            set,
            header,
            package,
        };
        return plan.template(format!("{path}.java"), &names);
    }
    let members = set.members.clone();
    for part in parts(&members) {
        let (number, name, doc) = (part.number, set.name, set.doc.clone());
        let part = NamesPart {
            set: Set {
                name,
                doc,
                members: Vec::new(),
            },
            header,
            package,
            number,
            members: part.items,
        };
        plan.template(format!("{path}{number}.java"), &part)?;
    }
    let parts = parts(&members);
    let names = ManyNames {
        set,
        header,
        package,
        parts,
    };
    plan.template(format!("{path}.java"), &names)
}

impl Pack {
    /// The documentation of a type that is about the pack: `what`, then its id, then `rest`.
    fn java_doc(&self, what: &str, rest: &str) -> Doc {
        Doc::default().with([
            Piece::Text(what.into()),
            Piece::Code(self.id.to_string()),
            Piece::Text(rest.into()),
        ])
    }

    /// The tags of the record's components.
    fn java_params(&self) -> Vec<String> {
        let param = |field: &Field| {
            format!(
                "@param {} {}",
                field.names.java,
                docs::line(&field.java_doc())
            )
        };
        self.fields.iter().map(param).collect()
    }

    /// Whether a field of the state is a `Given`.
    fn java_has_given(&self) -> bool {
        let mut fields = self.fields.iter();
        fields.any(|field| field.presence == Presence::NullableDefaulted)
    }

    /// For each field the statement that packs it into `words`, and how many words that takes: a bit for
    /// each boolean, then a word for each other field. `None` when one does not always have a value, or
    /// is a text.
    fn java_packed(&self) -> Option<(Vec<String>, usize)> {
        let boolean = |field: &&Field| field.kind == FieldKind::Boolean;
        let mut bits = 0;
        let mut words = self.fields.iter().filter(boolean).count().div_ceil(WORD);
        let packed = self.fields.iter().map(|field| {
            let value = format!("state.{}()", field.names.java);
            let (at, value) = match (field.kind, field.presence) {
                (FieldKind::Boolean, Presence::Required) => {
                    bits += 1;
                    let bit = bits - 1;
                    let value = format!("ToWords.bit({value}, {})", bit % WORD);
                    return Some(format!("words[{}] |= {value};", bit / WORD));
                }
                (FieldKind::Integer, Presence::Required) => (words, value),
                (FieldKind::Number, Presence::Required) => {
                    (words, format!("Double.doubleToRawLongBits({value})"))
                }
                _ => return None,
            };
            words += 1;
            Some(format!("words[{at}] = {value};"))
        });
        let packed = packed.collect::<Option<Vec<_>>>()?;
        Some((packed, words))
    }

    /// The arguments of `new Values`: how many fields, and the bits of those that may be left out.
    fn java_values(&self) -> String {
        let optional = |fields: &[Field]| {
            fields.iter().rev().fold(0u64, |bits, field| {
                bits << 1 | u64::from(field.presence != Presence::Required)
            })
        };
        let mut words: Vec<u64> = self.fields.chunks(64).map(optional).collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        let words: String = words.iter().map(|bits| format!(", {bits:#x}L")).collect();
        format!("{}{words}", self.fields.len())
    }
}

impl Field {
    /// The type of the builder's argument.
    fn java_argument(&self) -> &str {
        if let Some(set) = &self.values {
            return &set.names.java;
        }
        match (self.kind, self.presence) {
            (FieldKind::Boolean, Presence::Required) => "boolean",
            (FieldKind::Integer, Presence::Required) => "long",
            (FieldKind::Number, Presence::Required) => "double",
            (FieldKind::Boolean, _) => "Boolean",
            (FieldKind::Integer, _) => "Long",
            (FieldKind::Number, _) => "Double",
            (FieldKind::String, _) => "String",
        }
    }

    /// The type of the field in the state.
    fn java_type(&self) -> String {
        let argument = self.java_argument();
        match self.presence {
            Presence::NullableDefaulted => format!("Given<{argument}>"),
            _ => argument.to_owned(),
        }
    }

    /// Its documentation in the state.
    fn java_doc(&self) -> Doc {
        self.doc_with(match self.presence {
            Presence::Required | Presence::Nullable => &[],
            Presence::Defaulted => &[("null", " leaves it out.")],
            Presence::NullableDefaulted => &[
                ("Given.leftOut()", " leaves it out, "),
                ("Given.of(null)", " is null."),
            ],
        })
    }

    /// How many words of the stack an argument of its type takes.
    const fn java_words(&self) -> usize {
        match (self.kind, self.presence) {
            (FieldKind::Integer | FieldKind::Number, Presence::Required) => 2,
            _ => 1,
        }
    }

    /// The call that takes it out of `Values`.
    fn java_get(&self, number: usize) -> String {
        match self.presence {
            Presence::NullableDefaulted => format!("given({number})"),
            _ => format!("get({number})"),
        }
    }

    /// What the builder puts into `values` for its argument.
    const fn java_given(&self) -> &'static str {
        match self.presence {
            Presence::NullableDefaulted => "Given.of(value)",
            _ => "value",
        }
    }

    /// The method of `Slots` that takes it.
    const fn java_put(&self) -> &'static str {
        match self.presence {
            Presence::Required | Presence::NullableDefaulted => "put",
            Presence::Defaulted | Presence::Nullable => "putIfAny",
        }
    }
}

/// A value that the field takes, for examples.
fn example(field: &Field) -> String {
    if let Some(set) = &field.values
        && let Some(first) = set.members.first()
    {
        return format!("{}.{}", set.names.java, first.names.java);
    }
    match &field.example {
        Value::Integer(value) => format!("{value}L"),
        Value::Number(value) => literal::float(*value),
        Value::String(text) => literal::string(text),
        other => other.to_string(),
    }
}
