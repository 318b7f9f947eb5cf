//! The command `helixor-pack`.
#![forbid(unsafe_code)]

use clap::Parser;
use clap::error::ErrorKind;
use helixor_pack::{Answer, Cli, Failure};
use helixor_runtime::Surroundings;
use helixor_runtime::{Code, Error};
use std::io::{BufReader, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) if !e.use_stderr() => e.exit(),
        Err(e) => {
            let json = std::env::args_os().any(|argument| argument == "--json");
            return fail(&usage(&e).into(), json);
        }
    };
    let around = Surroundings::of_process();
    // Standard input is locked only when a command reads it as it goes.
    let mut input = BufReader::new(std::io::stdin());
    let (mut output, mut errors) = (std::io::stdout(), std::io::stderr());
    match helixor_pack::run(&cli, &around, &mut input, &mut output, &mut errors) {
        Ok(answer) => match print(&answer, cli.json) {
            Ok(()) => match &answer.problem {
                Some(problem) => fail(problem, cli.json),
                None => ExitCode::from(answer.exit),
            },
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(e) => {
                let message = format!("cannot write to standard output: {e}");
                fail(&Error::new(Code::Io, message, "").into(), cli.json)
            }
        },
        Err(failure) => fail(&failure, cli.json),
    }
}

/// What clap says, split into message and help.
fn usage(e: &clap::Error) -> Error {
    let text = match e.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            format!("no command is given\n\n{}", e.render())
        }
        _ => e.render().to_string(),
    };
    let (message, help) = text.trim_end().split_once("\n\n").unwrap_or((&text, ""));
    let message = message.strip_prefix("error: ").unwrap_or(message);
    Error::new(Code::InvalidArgument, message.trim_end(), help)
}

/// A file that was asked for on standard output goes there, and what would be said to standard
/// error.
fn print(answer: &Answer, json: bool) -> std::io::Result<()> {
    if !json {
        std::io::stderr().write_all(answer.warning_text().as_bytes())?;
    }
    let mut stdout = std::io::stdout().lock();
    match &answer.content {
        Some(content) => {
            stdout.write_all(content)?;
            std::io::stderr().write_all(answer.text(json).as_bytes())?;
        }
        None => stdout.write_all(answer.text(json).as_bytes())?,
    }
    stdout.flush()
}

fn fail(failure: &Failure, json: bool) -> ExitCode {
    let text = if json {
        failure.json()
    } else {
        failure.human()
    };
    // When standard error cannot be written to, only the exit code is left to say it.
    let _ = std::io::stderr().write_all(text.as_bytes());
    ExitCode::from(failure.error().code().exit_code())
}
