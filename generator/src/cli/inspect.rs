//! `inspect`: every name and type that generated code has.

use super::{Failure, Outcome, parse_packs, print, read_config, read_manifest};
use helixor_sdk_gen::inspect::inspect;
use std::path::PathBuf;

/// Print the names, types and docs of the generated code as JSON
///
/// The document has the schema helixor.sdk_model.v1, described in docs/sdk.md and in the
/// documentation of the library.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The manifest; `-` is stdin
    manifest: PathBuf,
    /// Inspect this pack, and only those named so
    #[arg(long = "pack", value_name = "ID")]
    packs: Vec<String>,
    /// Names and places of the generated packages
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let packs = parse_packs(&args.packs)?;
    let config = read_config(args.config.as_deref())?;
    let manifest = read_manifest(&args.manifest)?;
    print(&inspect(&manifest, &packs, &config)?)?;
    Ok(Outcome::Fine)
}
