//! The model as JSON: every name and type that generated code has, for tools that must know them.
//!
//! The document, of the schema `helixor.sdk_model.v1`, has these keys, in this order; what stands in
//! it follows the model, so a name here is the name there.
//!
//! | key | meaning |
//! |---|---|
//! | `schema`, `generator` | `helixor.sdk_model.v1`; the generator's version |
//! | `manifest` | the manifest's digest, as headers and the lock file have it |
//! | `packages` | for `rust` its `crate`, for `java` its `group` and `artifact`, for `python` its `package`; each with `version` |
//! | `packs` | the packs, in the manifest's order |
//!
//! A pack has `pack_id`, `pack_version`, `raw_pack_sha256`, `goal_id`, `floor`,
//! `budget_max_latency_ms`, `is_builtin`, then for each language `modules` (module or package),
//! `clients` and `states` (type names), then `fields`, `actions` and `rules`.
//!
//! A field has `name` (on the wire), `type`, `required` (it must not be null), `default`, `min_value`,
//! `max_value`, `values` (the closed set of its values: `types` by language, and `members`), `doc`
//! (paragraphs, code in backticks), `members` (its name in a state, by language), `pydantic` (its
//! attribute there) and `constants` (its name in the closed set of fields, by language). An action, a
//! value or a rule has `id`, `doc` and `constants`. What is not stated is null.

use crate::docs::{Doc, Piece};
use crate::manifest::{Manifest, pretty};
use crate::model::{Field, Member, Pack, Sdk, VERSION};
use crate::names::{Language, Names};
use crate::{Config, Error};
use helixor_playbook::{Node, PackId};

/// The model of what [`crate::plan`] would plan, as one JSON document; the same input gives the same
/// bytes.
///
/// # Errors
/// As those of [`crate::plan`].
pub fn inspect(manifest: &Manifest, packs: &[PackId], config: &Config) -> Result<String, Error> {
    let sdk = Sdk::new(manifest, packs, config)?;
    let version = || ("version", Node::from(sdk.version.as_str()));
    Ok(pretty(&Node::map([
        ("schema", Node::from("helixor.sdk_model.v1")),
        ("generator", VERSION.into()),
        ("manifest", sdk.manifest.to_string().into()),
        (
            "packages",
            Node::map([
                (
                    "rust",
                    Node::map([("crate", sdk.crate_name.as_str().into()), version()]),
                ),
                (
                    "java",
                    Node::map([
                        ("group", sdk.java_group.as_str().into()),
                        ("artifact", sdk.java_artifact.as_str().into()),
                        version(),
                    ]),
                ),
                (
                    "python",
                    Node::map(
                        [
                            ("package", sdk.python_package.as_str()),
                            ("version", sdk.python_version.as_str()),
                        ]
                        .map(|(key, value)| (key, Node::from(value))),
                    ),
                ),
            ]),
        ),
        (
            "packs",
            Node::list(sdk.packs.iter().map(|one| pack(&sdk, one))),
        ),
    ])))
}

fn pack(sdk: &Sdk, pack: &Pack) -> Node {
    let python = match sdk.packs.as_slice() {
        [_] => sdk.python_package.clone(),
        _ => format!("{}.{}", sdk.python_package, pack.module.python),
    };
    let types =
        |suffix: &str| by_language(|language| format!("{}{suffix}", pack.stem.of(language)));
    let interface = &pack.interface;
    Node::map([
        ("pack_id", pack.id.as_str().into()),
        ("pack_version", interface.pack_version.as_deref().into()),
        (
            "raw_pack_sha256",
            interface.raw_pack_sha256.map(|d| d.to_string()).into(),
        ),
        ("goal_id", pack.goal_id.as_str().into()),
        ("floor", pack.floor.into()),
        ("budget_max_latency_ms", pack.budget_max_latency_ms.into()),
        ("is_builtin", pack.builtin.into()),
        (
            "modules",
            by_language(|language| match language {
                Language::Rust => pack.module.rust.clone(),
                Language::Java => sdk.java_package(pack),
                Language::Python => python.clone(),
            }),
        ),
        ("clients", types("Client")),
        ("states", types("State")),
        ("fields", Node::list(pack.fields.iter().map(field))),
        ("actions", Node::list(pack.actions.iter().map(member))),
        ("rules", Node::list(pack.rules.iter().map(member))),
    ])
}

fn field(field: &Field) -> Node {
    let declared = &field.declared;
    let interface = &declared.interface;
    Node::map([
        ("name", field.member.wire.as_str().into()),
        ("type", field.kind.as_str().into()),
        ("required", interface.required.into()),
        ("default", declared.default.as_ref().into()),
        ("min_value", interface.min_value.as_ref().into()),
        ("max_value", interface.max_value.as_ref().into()),
        (
            "values",
            field
                .values
                .as_ref()
                .map(|set| {
                    Node::map([
                        ("types", names(&set.names)),
                        ("members", Node::list(set.members.iter().map(member))),
                    ])
                })
                .into(),
        ),
        ("doc", doc(&field.doc)),
        ("members", names(&field.names)),
        ("pydantic", field.pydantic.as_str().into()),
        ("constants", names(&field.member.names)),
    ])
}

fn member(member: &Member) -> Node {
    Node::map([
        ("id", member.wire.as_str().into()),
        ("doc", doc(&member.doc)),
        ("constants", names(&member.names)),
    ])
}

fn names(names: &Names) -> Node {
    by_language(|language| names.of(language).to_owned())
}

fn by_language(text: impl Fn(Language) -> String) -> Node {
    let languages = Language::ALL.into_iter();
    Node::map(languages.map(|language| (language.as_str(), text(language).into())))
}

fn doc(doc: &Doc) -> Node {
    let paragraph = |pieces: &Vec<Piece>| -> String {
        let pieces = pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Code(code) => format!("`{code}`"),
        });
        pieces.collect()
    };
    Node::list(doc.0.iter().map(paragraph))
}
