//! `init`: a project's first `helixor-sdk.toml`, and what its build needs.

use super::{Failure, Outcome, print, read_manifest, word};
use helixor_playbook::file::write_atomic;
use helixor_sdk_gen::init::{Build, Names, config, parts};
use helixor_sdk_gen::{Code, Error};
use std::path::{Path, PathBuf};

/// The file that is written.
const CONFIG: &str = "helixor-sdk.toml";

/// Write a commented helixor-sdk.toml, and print what the build here needs
///
/// The current folder is the project's. What the build needs depends on what is in it:
/// Cargo.toml, pom.xml, pyproject.toml. Nothing that exists is changed.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The manifest; if it is there, names are those of its packs
    #[arg(
        long,
        value_name = "FILE",
        default_value = "embedded-pack-manifest.json"
    )]
    manifest: PathBuf,
}

pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let path = Path::new(CONFIG);
    if path.symlink_metadata().is_ok() {
        let message = format!("{CONFIG} exists and is not replaced");
        let help = "edit it; or move it away, to begin anew";
        return Err(Error::new(Code::Io, message, help).into());
    }
    let manifest = match args.manifest.try_exists() {
        Ok(false) => None,
        _ => Some(read_manifest(&args.manifest)?),
    };
    let names = Names::of(manifest.as_ref());
    write_atomic(path, config(&names).as_bytes())?;
    print(&format!("wrote {CONFIG}\n"))?;
    let manifest = args.manifest.to_string_lossy();
    let here = Build::ALL
        .into_iter()
        .filter(|build| Path::new(build.file()).exists());
    let mut found = false;
    for build in here {
        found = true;
        print(&format!(
            "\n{} is here: each build generates with this\n",
            build.file()
        ))?;
        for part in parts(build, &manifest, &names) {
            let (file, what, language) = (part.file, part.what, part.language);
            print(&format!(
                "\n`{file}`, {what}:\n\n```{language}\n{}```\n",
                part.text
            ))?;
        }
    }
    if !found {
        print(&format!(
            "\nno Cargo.toml, pom.xml or pyproject.toml is here; clients are generated with\n\n  \
             helixor-sdk-gen generate --manifest {} --config {CONFIG} --lang rust,java,python --out sdk\n",
            word(&manifest)
        ))?;
    }
    Ok(Outcome::Fine)
}
