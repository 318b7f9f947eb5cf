//! Typed Helixor clients, generated from `embedded-pack-manifest.json`.
//!
//! From a `build.rs`:
//!
//! ```no_run
//! fn main() -> Result<(), helixor_sdk_gen::Error> {
//!     helixor_sdk_gen::configure().manifest("embedded-pack-manifest.json").rust().generate()
//! }
//! ```
//!
//! and in the crate, where a binary may not use all that is generated:
//!
//! ```ignore
//! mod regulatory_pii_guard {
//!     include!(concat!(env!("OUT_DIR"), "/regulatory_pii_guard.rs"));
//! }
//! ```
//!
//! The way of a manifest: [`manifest`] (as written) -> the model (every decision made) -> one view
//! per language -> a [`Plan`] (then written).
#![forbid(unsafe_code)]

mod build;
mod config;
#[cfg(feature = "diagnostics")]
pub mod diagnostics;
pub mod diff;
mod docs;
pub mod init;
pub mod inspect;
mod java;
mod literals;
mod lock;
pub mod manifest;
mod model;
mod names;
mod output;
mod python;
mod rename;
mod rust;
pub mod schema;

pub use build::{Configuration, configure};
pub use config::Config;
pub use helixor_playbook::{Code, Error};
pub use manifest::Manifest;
pub use names::Language;
pub use output::{Action, Change, Changes, Plan};

use helixor_playbook::{PackId, Position, Problem};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Plans the packages of these languages, each in a folder of its language's name.
///
/// `packs` names the packs wanted; empty means all of the manifest. Without languages the plan is
/// empty, and everything is checked all the same.
///
/// # Errors
/// INVALID_ARGUMENT for a pack the manifest lacks, MANIFEST_INVALID for a name that begins with the
/// prefix kept for generated names, NAME_COLLISION for names that fall together in some language,
/// whether it is generated or not; all of them in [`Error::all`].
pub fn plan(
    manifest: &Manifest,
    languages: &[Language],
    packs: &[PackId],
    config: &Config,
) -> Result<Plan, Error> {
    let sdk = model::Sdk::new(manifest, packs, config)?;
    let mut plan = Plan::new(lock::Inputs::new(manifest, packs, config));
    for language in Language::ALL
        .into_iter()
        .filter(|language| languages.contains(language))
    {
        plan.begin(language.as_str());
        let folder = format!("{}/", language.as_str());
        match language {
            Language::Rust => rust::plan_crate(&sdk, &folder, &mut plan)?,
            Language::Python => python::plan(&sdk, &folder, &mut plan)?,
            Language::Java => java::plan(&sdk, &folder, &mut plan)?,
        }
    }
    Ok(plan)
}

/// The number of files in a folder, the lock file among them, when the lock file there says that this
/// very generator made them of the same, and they are as it says: then [`Plan::write`] would have
/// nothing to do, and nothing has to be planned to know it. `None` when that is not known so.
///
/// The lock file is believed. [`Plan::compare`] believes nothing.
pub fn current(
    manifest: &Manifest,
    languages: &[Language],
    packs: &[PackId],
    config: &Config,
    folder: &Path,
) -> Option<usize> {
    let sections: Vec<&str> = languages.iter().map(|language| language.as_str()).collect();
    let inputs = lock::Inputs::new(manifest, packs, config);
    output::current(folder, &sections, inputs)
}

/// Reads and checks the manifest in a file.
///
/// # Errors
/// IO for a file that cannot be read; MANIFEST_INVALID, with the faults (the first hundred) and
/// their places in [`Error::all`].
pub fn read_manifest(path: &Path) -> Result<Manifest, Error> {
    let text = read_text(path, Code::ManifestInvalid)?;
    manifest::parse(&text).map_err(|problems| {
        in_file(
            Code::ManifestInvalid,
            &path.display().to_string(),
            &text,
            &problems,
        )
    })
}

/// Most bytes of a document that is read.
const MAX_BYTES: u64 = 64 << 20;

/// Reads a text file of at most 64 MiB; `code` is that of one that is larger or no text.
///
/// # Errors
/// IO, or `code`, naming the file.
pub fn read_text(path: &Path, code: Code) -> Result<String, Error> {
    let file = File::open(path).map_err(|e| output::io(path, "read", &e))?;
    read_text_from(file, path, code)
}

/// [`read_text`] from an open file; `name` is how messages call it.
///
/// # Errors
/// As those of [`read_text`].
pub fn read_text_from(reader: impl Read, name: &Path, code: Code) -> Result<String, Error> {
    let mut bytes = Vec::new();
    let read = reader.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    let size = read.map_err(|e| output::io(name, "read", &e))?;
    let name = name.display();
    if size as u64 > MAX_BYTES {
        let message = format!("{name} is larger than the {MAX_BYTES} bytes allowed");
        return Err(Error::new(code, message, "check that it is the right file"));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let message = format!("{name} is not UTF-8 at byte {at}");
        Error::new(code, message, "save it as UTF-8")
    })
}

/// The faults of a file as one error, the first in the lead; at least one must be given.
fn in_file(code: Code, name: &str, text: &str, problems: &[Problem]) -> Error {
    let faults = problems
        .iter()
        .take(100)
        .map(|problem| {
            let at = Position::of(text, problem.span.start);
            let message = format!("{name}:{}:{}: {}", at.line, at.column, problem.message);
            Error::new(code, message, problem.help.as_str())
        })
        .collect();
    Error::first_of(faults).unwrap_or_else(|| Error::new(code, format!("{name} is not valid"), ""))
}
