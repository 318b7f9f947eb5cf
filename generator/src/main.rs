//! `helixor-sdk-gen`: manifests from playbooks, typed clients from manifests.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a command line tool")]

mod cli;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(cli::Cli::parse())
}
