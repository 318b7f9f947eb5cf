//! `helixor-sdk-gen`: manifests from playbooks, typed clients from manifests.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a command line tool")]

use clap::{Parser, Subcommand};
use helixor_playbook::file::{is_same, write_atomic};
use helixor_playbook::{Digest, Format, PackId, Playbook, Problem, check, read};
use helixor_sdk_gen::manifest::{self, Manifest};
use helixor_sdk_gen::{
    Code, Config, Error, Language, diagnostics, plan, read_text, read_text_from,
};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "helixor-sdk-gen",
    version,
    about = "Typed Helixor clients from pack manifests"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write the manifest of one or more playbooks
    Manifest {
        /// Playbooks, YAML or JSON (by the name `.json`); `-` is stdin
        #[arg(required = true)]
        playbooks: Vec<PathBuf>,
        /// Where the manifest goes; stdout without it
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Check a manifest and say what it describes
    Validate {
        /// The manifest; `-` is stdin
        manifest: PathBuf,
    },
    /// Write typed clients, each language in a folder of its name
    Generate {
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
    },
}

/// Why the tool stops.
enum Failure {
    /// One error or several.
    Error(Error),
    /// The faults of a document, drawn with their source.
    Document(Code, String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Error(error)
    }
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Manifest { playbooks, out } => write_manifest(&playbooks, out.as_deref()),
        Command::Validate { manifest } => validate(&manifest),
        Command::Generate {
            manifest,
            languages,
            out,
            packs,
            config,
        } => generate(&manifest, &languages, &out, &packs, config.as_deref()),
    };
    let (code, text) = match outcome {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Document(code, drawn)) => (code, format!("{code}: {drawn}")),
        Err(Failure::Error(error)) => (error.code(), diagnostics::render_error(&error)),
    };
    warn(&text);
    ExitCode::from(code.exit_code())
}

fn write_manifest(paths: &[PathBuf], out: Option<&Path>) -> Result<(), Failure> {
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
    let text = manifest::write(&playbooks, None);
    match out.filter(|path| *path != Path::new("-")) {
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
    Ok(())
}

fn validate(path: &Path) -> Result<(), Failure> {
    let manifest = read_manifest(path)?;
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
    let (path, count) = (path.display(), manifest.warnings.len());
    let warned = match count {
        0 => String::new(),
        1 => " (1 warning)".into(),
        n => format!(" ({n} warnings)"),
    };
    print(&format!("{path} is valid{warned}\n"))?;
    Ok(())
}

fn generate(
    manifest: &Path,
    languages: &[String],
    out: &Path,
    packs: &[String],
    config: Option<&Path>,
) -> Result<(), Failure> {
    let languages = languages
        .iter()
        .map(|name| language(name))
        .collect::<Result<Vec<_>, _>>()?;
    let packs = packs
        .iter()
        .map(|id| {
            PackId::new(id.as_str())
                .map_err(|e| Error::new(Code::InvalidArgument, format!("--pack {id:?} {e}"), ""))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let config = match config {
        None => Config::default(),
        Some(path) => {
            let text = read_input(path, Code::InvalidArgument)?;
            Config::parse(&text, &path.display().to_string())?
        }
    };
    let manifest = read_manifest(manifest)?;
    let done = plan(&manifest, &languages, &packs, &config)?.write(out)?;
    for file in &done.written {
        print(&format!("wrote {}\n", out.join(file).display()))?;
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
    Ok(())
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

/// Reads a manifest; its warnings go to stderr.
fn read_manifest(path: &Path) -> Result<Manifest, Failure> {
    let source = read_input(path, Code::ManifestInvalid)?;
    let manifest = manifest::parse(&source)
        .map_err(|problems| drawn(Code::ManifestInvalid, &problems, &source, path))?;
    if !manifest.warnings.is_empty() {
        let name = path.display().to_string();
        warn(&diagnostics::render_warnings(
            &manifest.warnings,
            &source,
            &name,
        ));
    }
    Ok(manifest)
}

fn drawn(code: Code, problems: &[Problem], source: &str, path: &Path) -> Failure {
    let name = path.display().to_string();
    let count = match problems.len() {
        1 => "1 fault".to_owned(),
        n => format!("{n} faults"),
    };
    let drawn = diagnostics::render(problems, source, &name);
    Failure::Document(code, format!("{name} is not valid, {count}\n\n{drawn}"))
}

/// A text file, or standard input; `code` is that of one that is too large or no text.
fn read_input(path: &Path, code: Code) -> Result<String, Error> {
    if path == Path::new("-") {
        read_text_from(std::io::stdin(), Path::new("stdin"), code)
    } else {
        read_text(path, code)
    }
}

/// Prints to standard output; whoever closed it has read enough.
fn print(text: &str) -> Result<(), Error> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            let message = format!("cannot write to stdout: {e}");
            Err(Error::new(Code::Io, message, ""))
        }
        _ => Ok(()),
    }
}

/// Prints to standard error; when that cannot be written to, only the exit code is left.
fn warn(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
