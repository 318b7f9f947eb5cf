//! `diff`: what a change of the manifest means for those who use the clients.

use super::{Failure, Outcome, print, read_source};
use helixor_sdk_gen::diff::{diff, json, sarif, text};
use helixor_sdk_gen::{Code, Error};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The manifest as it was; `-` is stdin
    old: PathBuf,
    /// The manifest as it is; `-` is stdin
    new: PathBuf,
    /// How the changes are told
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    /// A line for each, for people
    Text,
    /// One document, helixor.manifest_diff.v1
    Json,
    /// SARIF 2.1.0, for what shows findings beside code
    Sarif,
}

pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let stdin = Path::new("-");
    if args.old == stdin && args.new == stdin {
        let message = "only one of the manifests can be stdin";
        return Err(Error::new(Code::InvalidArgument, message, "").into());
    }
    let (_, old) = read_source(&args.old)?;
    let (source, new) = read_source(&args.new)?;
    let changes = diff(&old, &new);
    print(&match args.format {
        Format::Text => text(&changes),
        Format::Json => json(&changes),
        Format::Sarif => sarif(&changes, &source, &args.new.to_string_lossy()),
    })?;
    Ok(match changes.iter().any(|change| change.rule.breaking) {
        true => Outcome::Differs,
        false => Outcome::Fine,
    })
}
