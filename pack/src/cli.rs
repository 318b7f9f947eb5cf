//! The command line.

use crate::commands::{
    authority, check, compile, decide, inspect, inspect_license, ledger, license, publisher,
};
use crate::{Answer, Failure};
use clap::{Parser, Subcommand};
use helixor_runtime::{AuthoritySource, LicenseSource, Surroundings};
use std::io::{BufRead, Write};
use std::path::PathBuf;

/// Seal decision playbooks into packs that open with one licence only.
#[derive(Debug, Parser)]
#[command(name = "helixor-pack", version, arg_required_else_help = true)]
pub struct Cli {
    /// Say everything as one JSON object a line.
    #[arg(long, global = true)]
    pub json: bool,

    /// Believe the authority keys in this file or folder; may be repeated
    /// [default: $HELIXOR_AUTHORITY_KEYS, else ~/.helixor/authorities].
    #[arg(long, global = true, value_name = "PATH")]
    pub authorities: Vec<PathBuf>,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// A command with its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check a playbook and say what is in it.
    Check(check::Arguments),
    /// Check a playbook and seal it for a licence.
    Compile(compile::Arguments),
    /// Say what a pack is; with its licence, what is in it.
    Inspect(inspect::Arguments),
    /// Decide on states with a pack.
    Decide(decide::Arguments),
    /// Say what a licence is, and whether it is valid.
    InspectLicense(inspect_license::Arguments),
    /// Make a licence for development, with an authority of its own that signs nothing else.
    DevLicense(license::DevArguments),
    /// Issue licences.
    #[command(subcommand)]
    License(LicenseCommand),
    /// Make the keys that licences are signed with.
    #[command(subcommand)]
    Authority(AuthorityCommand),
    /// Make the keys that packs are signed with.
    #[command(subcommand)]
    Publisher(PublisherCommand),
    /// Sign a pack as its publisher.
    Sign(publisher::SignArguments),
    /// Verify that a pack was signed by a publisher you trust.
    Verify(publisher::VerifyArguments),
    /// Say and prove what is in an audit ledger.
    #[command(subcommand)]
    Ledger(ledger::LedgerCommand),
}

/// What to do with licences.
#[derive(Debug, Subcommand)]
pub enum LicenseCommand {
    /// Sign a new licence.
    Issue(license::IssueArguments),
}

/// What to do with authorities.
#[derive(Debug, Subcommand)]
pub enum AuthorityCommand {
    /// Make a new pair of keys.
    Init(authority::Arguments),
}

/// What to do with publishers.
#[derive(Debug, Subcommand)]
pub enum PublisherCommand {
    /// Make a new pair of keys.
    Init(publisher::InitArguments),
}

impl Cli {
    /// The authorities to believe.
    pub fn authority_source(&self) -> AuthoritySource {
        if self.authorities.is_empty() {
            AuthoritySource::LookUp
        } else {
            AuthoritySource::Paths(self.authorities.clone())
        }
    }
}

/// The licence that a `--license` option names.
pub(crate) fn license_source(path: &Option<PathBuf>) -> LicenseSource {
    match path {
        Some(path) => LicenseSource::File(path.clone()),
        None => LicenseSource::LookUp,
    }
}

/// Does what the command line asks; `input`, `output` and `errors` are those of commands that
/// answer while they read.
///
/// # Errors
/// Those of the command.
pub fn run(
    cli: &Cli,
    around: &Surroundings,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    errors: &mut dyn Write,
) -> Result<Answer, Failure> {
    let authorities = cli.authority_source();
    match &cli.command {
        Command::Check(arguments) => check::check(arguments),
        Command::Compile(arguments) => compile::compile(arguments, &authorities, around),
        Command::Inspect(arguments) => inspect::inspect(arguments, &authorities, around),
        Command::Decide(arguments) => {
            decide::decide(arguments, &authorities, around, input, output, errors)
        }
        Command::InspectLicense(arguments) => {
            inspect_license::inspect_license(arguments, &authorities, around)
        }
        Command::DevLicense(arguments) => Ok(license::dev(arguments, around)?),
        Command::License(LicenseCommand::Issue(arguments)) => {
            Ok(license::issue(arguments, around)?)
        }
        Command::Authority(AuthorityCommand::Init(arguments)) => {
            Ok(authority::authority(arguments)?)
        }
        Command::Publisher(PublisherCommand::Init(arguments)) => Ok(publisher::init(arguments)?),
        Command::Sign(arguments) => publisher::sign(arguments, around),
        Command::Verify(arguments) => publisher::verify(arguments),
        Command::Ledger(command) => ledger::ledger(command),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
