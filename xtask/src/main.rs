//! The two commands of this workspace: `cargo xtask demo` shows it working, `cargo xtask test`
//! runs every test. What they need and make lies in `target/`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a command line tool")]

mod demo;
mod example;
mod java;
mod readme;
mod run;
mod test;
mod tools;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask demo | test

  demo  compile, seal, generate, build and decide in every language, and compare
  test  every test, lint and drift check
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["demo"] => demo::demo,
        ["test"] => test::test,
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match command(&mut std::io::stdout()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}
