//! The commands, one module each, and what they share: input, output and how they end.

mod completions;
mod diff;
mod generate;
mod init;
mod inspect;
mod manifest;
mod schema;
mod unified;
mod validate;

use clap::{Parser, Subcommand};
use helixor_playbook::{PackId, Problem};
use helixor_sdk_gen::manifest::{Manifest, parse};
use helixor_sdk_gen::{Code, Config, Error, diagnostics, read_text, read_text_from};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

/// The command line.
#[derive(Parser)]
#[command(
    name = "helixor-sdk-gen",
    version,
    about = "Typed Helixor clients from pack manifests"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Init(init::Args),
    /// Write the manifest of one or more playbooks
    Manifest(manifest::Args),
    Validate(validate::Args),
    Generate(generate::Args),
    /// Say what a change of the manifest means; exit code 1 if code must be looked at
    Diff(diff::Args),
    Inspect(inspect::Args),
    /// Print the JSON Schema of manifests, or of a pack's state
    Schema(schema::Args),
    Completions(completions::Args),
}

/// How a command ends that could do its work; each is an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// All is well.
    Fine,
    /// What was compared differs.
    Differs,
}

/// Why a command stops.
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

/// Runs a command, tells what went wrong, and gives the exit code.
pub(crate) fn run(cli: Cli) -> ExitCode {
    let outcome = match cli.command {
        Command::Init(args) => init::run(&args),
        Command::Manifest(args) => manifest::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Completions(args) => completions::run(&args),
    };
    let (code, text) = match outcome {
        Ok(Outcome::Fine) => return ExitCode::SUCCESS,
        Ok(Outcome::Differs) => return ExitCode::FAILURE,
        Err(Failure::Document(code, drawn)) => (code, format!("{code}: {drawn}")),
        Err(Failure::Error(error)) => (error.code(), diagnostics::render_error(&error)),
    };
    warn(&text);
    ExitCode::from(code.exit_code())
}

/// Reads a manifest; its warnings go to stderr.
fn read_manifest(path: &Path) -> Result<Manifest, Failure> {
    read_source(path).map(|(_, manifest)| manifest)
}

/// [`read_manifest`] with the text that it was read from.
fn read_source(path: &Path) -> Result<(String, Manifest), Failure> {
    let (source, manifest) = parse_source(path)?;
    if !manifest.warnings.is_empty() {
        let name = path.display().to_string();
        warn(&diagnostics::render_warnings(
            &manifest.warnings,
            &source,
            &name,
        ));
    }
    Ok((source, manifest))
}

/// [`read_source`], whose warnings are the caller's.
fn parse_source(path: &Path) -> Result<(String, Manifest), Failure> {
    let source = read_input(path, Code::ManifestInvalid)?;
    let manifest = parse(&source)
        .map_err(|problems| drawn(Code::ManifestInvalid, &problems, &source, path))?;
    Ok((source, manifest))
}

/// Reads a `helixor-sdk.toml`; without a path nothing is set.
fn read_config(path: Option<&Path>) -> Result<Config, Error> {
    path.map_or_else(|| Ok(Config::default()), Config::read)
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

/// A number of files, as prose has it.
fn files(count: usize) -> String {
    match count {
        1 => "1 file".to_owned(),
        n => format!("{n} files"),
    }
}

/// A text file, or standard input; `code` is that of one that is too large or no text.
fn read_input(path: &Path, code: Code) -> Result<String, Error> {
    if path == Path::new("-") {
        read_text_from(std::io::stdin(), Path::new("stdin"), code)
    } else {
        read_text(path, code)
    }
}

/// Pack ids as the user gave them.
fn parse_packs(ids: &[String]) -> Result<Vec<PackId>, Error> {
    let ids = ids.iter().map(|id| {
        PackId::new(id.as_str())
            .map_err(|e| Error::new(Code::InvalidArgument, format!("--pack {id:?} {e}"), ""))
    });
    ids.collect()
}

/// A text as one word of a shell.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./+,:=@%".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Prints to standard output; whoever closed it has read enough.
fn print(text: &str) -> Result<(), Error> {
    print_bytes(text.as_bytes())
}

/// [`print()`] for what is no text to us.
fn print_bytes(bytes: &[u8]) -> Result<(), Error> {
    match std::io::stdout().write_all(bytes) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_them() {
        for (text, expected) in [
            ("../größe/m-1.json", "../größe/m-1.json"),
            ("my sdk", "'my sdk'"),
            ("it's", r"'it'\''s'"),
            ("$x", "'$x'"),
            ("", "''"),
        ] {
            assert_eq!(word(text), expected);
        }
    }
}
