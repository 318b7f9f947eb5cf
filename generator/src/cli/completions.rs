//! `completions`: what a shell needs to complete this command line.

use super::{Cli, Failure, Outcome, print_bytes};
use clap::CommandFactory;
use clap_complete::Shell;

/// Print the completions for a shell
///
/// For Bash:
///   helixor-sdk-gen completions bash \
///     > ~/.local/share/bash-completion/completions/helixor-sdk-gen
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(
        args.shell,
        &mut Cli::command(),
        "helixor-sdk-gen",
        &mut script,
    );
    print_bytes(&script)?;
    Ok(Outcome::Fine)
}
