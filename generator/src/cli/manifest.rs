//! `manifest`: the manifest of playbooks.

use super::{Failure, Outcome, drawn, print, read_input};
use helixor_playbook::file::{is_same, write_atomic};
use helixor_playbook::{Format, Playbook, check, read};
use helixor_sdk_gen::manifest::write;
use helixor_sdk_gen::{Code, Error};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Playbooks, YAML or JSON (by the name `.json`); `-` is stdin
    #[arg(required = true)]
    playbooks: Vec<PathBuf>,
    /// Where the manifest goes; stdout without it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let paths = &args.playbooks;
    let mut playbooks: Vec<Playbook> = Vec::new();
    for path in paths {
        let source = read_input(path, Code::PlaybookInvalid)?;
        let playbook = read(&source, Format::of_path(path))
            .and_then(|root| check(&source, &root))
            .map_err(|problems| drawn(Code::PlaybookInvalid, &problems, &source, path))?;
        if playbooks
            .iter()
            .any(|other| other.pack_id == playbook.pack_id)
        {
            let message = format!("two playbooks have the pack id `{}`", playbook.pack_id);
            let help = "a manifest has each pack once: name one of them, or give one another id";
            return Err(Error::new(Code::InvalidArgument, message, help).into());
        }
        playbooks.push(playbook);
    }
    let text = write(&playbooks, None);
    match args.out.as_deref().filter(|path| *path != Path::new("-")) {
        None => print(&text)?,
        Some(path) => {
            if let Some(playbook) = paths.iter().find(|playbook| is_same(playbook, path)) {
                let message = format!("{} is a playbook that is read", playbook.display());
                let help = "name another place for the manifest";
                return Err(Error::new(Code::InvalidArgument, message, help).into());
            }
            write_atomic(path, text.as_bytes())?;
            for playbook in &playbooks {
                print(&format!(
                    "{} {}  {}\n",
                    playbook.pack_id, playbook.version, playbook.digest
                ))?;
            }
            let path = path.display();
            print(&format!(
                "wrote {path}; next: helixor-sdk-gen generate --manifest {path} --lang rust,java,python --out sdk\n"
            ))?;
        }
    }
    Ok(Outcome::Fine)
}
