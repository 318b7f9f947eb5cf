//! `schema`: the JSON Schema of manifests, or of a pack's state.

use super::{Failure, Outcome, parse_packs, print, read_manifest};
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
    let manifest = read_manifest(path)?;
    let pack = match (parse_packs(args.pack.as_slice())?.first(), &*manifest.packs) {
        (Some(id), _) => manifest.pack(id)?,
        (None, [pack]) => pack,
        (None, packs) => {
            let ids: Vec<&str> = packs.iter().map(|pack| pack.pack_id.as_str()).collect();
            let message = format!("{} has several packs", path.display());
            let help = format!("name one with --pack: {}", ids.join(", "));
            return Err(Error::new(Code::InvalidArgument, message, help).into());
        }
    };
    print(&schema::state(pack))?;
    Ok(Outcome::Fine)
}
