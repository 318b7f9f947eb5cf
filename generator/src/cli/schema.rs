//! `schema`: the JSON Schema of manifests, or of a pack's state.

use super::{Failure, Outcome, print, read_manifest};
use helixor_playbook::suggest;
use helixor_sdk_gen::{Code, Error, schema};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The schema of the state that a pack of the manifest decides on
    #[arg(long, requires = "manifest")]
    state: bool,
    /// The manifest; `-` is stdin
    #[arg(long, value_name = "FILE", requires = "state")]
    manifest: Option<PathBuf>,
    /// The pack, if the manifest has several
    #[arg(long, value_name = "ID", requires = "state")]
    pack: Option<String>,
}

pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let Some(path) = &args.manifest else {
        print(schema::manifest())?;
        return Ok(Outcome::Fine);
    };
    let packs = read_manifest(path)?.packs;
    let ids = || packs.iter().map(|pack| pack.pack_id.as_str());
    let list = || ids().collect::<Vec<_>>().join(", ");
    let pack = match (&args.pack, packs.as_slice()) {
        (None, [pack]) => pack,
        (None, _) => {
            let message = format!("{} has several packs", path.display());
            let help = format!("name one with --pack: {}", list());
            return Err(Error::new(Code::InvalidArgument, message, help).into());
        }
        (Some(id), packs) => {
            let named = packs.iter().find(|pack| pack.pack_id.as_str() == id);
            named.ok_or_else(|| {
                let help = match suggest(id, ids()) {
                    help if help.is_empty() => format!("it has {}", list()),
                    help => help,
                };
                let message = format!("{} has no pack {id:?}", path.display());
                Error::new(Code::InvalidArgument, message, help)
            })?
        }
    };
    print(&schema::state(pack))?;
    Ok(Outcome::Fine)
}
