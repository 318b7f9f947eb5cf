//! `validate`: a manifest is checked and described.

use super::{Failure, Outcome, print, read_manifest};
use helixor_playbook::Digest;
use helixor_sdk_gen::{Config, Language, plan};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The manifest; `-` is stdin
    manifest: PathBuf,
}

pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let manifest = read_manifest(&args.manifest)?;
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
    plan(&manifest, &Language::ALL, &[], &Config::default())?;
    let (path, count) = (args.manifest.display(), manifest.warnings.len());
    let warned = match count {
        0 => String::new(),
        1 => " (1 warning)".into(),
        n => format!(" ({n} warnings)"),
    };
    print(&format!("{path} is valid{warned}\n"))?;
    Ok(Outcome::Fine)
}
