//! `validate`: a manifest is checked and described.

use super::{Failure, Outcome, drawn, parse_source, print, read_config, read_source};
use helixor_playbook::Digest;
use helixor_sdk_gen::{Code, plan};
use std::path::PathBuf;

/// Check a manifest and say what it describes
///
/// Names are checked for every language.
///
/// Exit codes: 0 fine, 2 not valid, 3 input or output failed.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The manifest; `-` is stdin
    manifest: PathBuf,
    /// Take warnings, such as unknown fields, as errors
    #[arg(long)]
    strict: bool,
    /// The names that `generate` is given with its own --config
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let config = read_config(args.config.as_deref())?;
    let path = args.manifest.as_path();
    let manifest = if args.strict {
        let (source, manifest) = parse_source(path)?;
        if !manifest.warnings.is_empty() {
            let faults = &manifest.warnings;
            return Err(drawn(Code::ManifestInvalid, faults, &source, path));
        }
        manifest
    } else {
        read_source(path)?.1
    };
    for pack in &manifest.packs {
        print(&format!(
            "{}\n  types    {}Client and others\n  fields   {}\n  actions  {}\n  rules    {}\n  version  {}\n  tied to  {}\n",
            pack.pack_id,
            pack.domain_name.escape_debug(),
            pack.fields.len(),
            pack.actions.len(),
            pack.rules.len(),
            pack.pack_version.as_deref().unwrap_or("not stated"),
            pack.raw_pack_sha256
                .map_or("no playbook".to_owned(), |digest: Digest| format!(
                    "playbook {digest}"
                )),
        ))?;
    }
    // Names are part of what makes a manifest usable, so that they are checked here too.
    plan(&manifest, &[], &[], &config)?;
    let (path, count) = (path.display(), manifest.warnings.len());
    let warned = match count {
        0 => String::new(),
        1 => " (1 warning)".into(),
        n => format!(" ({n} warnings)"),
    };
    print(&format!("{path} is valid{warned}\n"))?;
    Ok(Outcome::Fine)
}
