//! `generate`: typed clients.

use super::{Failure, Outcome, print, read_input, read_manifest};
use helixor_playbook::PackId;
use helixor_sdk_gen::{Code, Config, Error, Language, plan};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The manifest; `-` is stdin
    #[arg(long, value_name = "FILE")]
    manifest: PathBuf,
    /// Languages: rust, java, python
    #[arg(
        long = "lang",
        required = true,
        value_delimiter = ',',
        value_name = "LANG"
    )]
    languages: Vec<String>,
    /// The folder that everything is written below
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Generate this pack, and only those named so
    #[arg(long = "pack", value_name = "ID")]
    packs: Vec<String>,
    /// Names and places of the generated packages
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let languages = args
        .languages
        .iter()
        .map(|name| language(name))
        .collect::<Result<Vec<_>, _>>()?;
    let packs = args
        .packs
        .iter()
        .map(|id| {
            PackId::new(id.as_str())
                .map_err(|e| Error::new(Code::InvalidArgument, format!("--pack {id:?} {e}"), ""))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let config = match &args.config {
        None => Config::default(),
        Some(path) => {
            let text = read_input(path, Code::InvalidArgument)?;
            Config::parse(&text, &path.display().to_string())?
        }
    };
    let manifest = read_manifest(&args.manifest)?;
    let done = plan(&manifest, &languages, &packs, &config)?.write(&args.out)?;
    for file in &done.written {
        print(&format!("wrote {}\n", args.out.join(file).display()))?;
    }
    let files = |n: usize| {
        if n == 1 {
            "1 file".to_owned()
        } else {
            format!("{n} files")
        }
    };
    print(&format!(
        "{} written, {} unchanged; the README in each folder shows the first call\n",
        files(done.written.len()),
        done.unchanged.len(),
    ))?;
    Ok(Outcome::Fine)
}

fn language(name: &str) -> Result<Language, Error> {
    let known = Language::ALL.map(Language::as_str);
    Language::parse(name).ok_or_else(|| {
        let mut help = helixor_playbook::suggest(name, known);
        if help.is_empty() {
            help = format!("choose from {}", known.join(", "));
        }
        Error::new(
            Code::InvalidArgument,
            format!("{name:?} is no language of this generator"),
            help,
        )
    })
}
