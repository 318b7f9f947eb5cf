//! The commands of this workspace: `cargo xtask demo` shows it working, `cargo xtask test` runs every
//! test, `cargo xtask soak` the long ones, `cargo xtask bench` measures, `cargo xtask dist` makes what
//! users get. What they need and make lies in `target/`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a command line tool")]

mod bench;
mod demo;
mod dist;
mod docs;
mod example;
mod examples;
mod java;
mod markdown;
mod packages;
mod readme;
mod run;
mod soak;
mod stages;
mod test;
mod tools;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask demo | test | soak [MINUTES] | bench [WHAT] | dist

  demo  compile, seal, generate, build and decide in every language, and compare
  test  every test, lint and drift check
  soak  fuzzing (MINUTES for each target, 2 if not given), long random tests, peak memory
  bench what decisions cost, as one table; WHAT is one of rust, python, java,
        generator, engines
  dist  what users get, in target/dist: wheels, a Maven repository, crates, the C library
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let out = &mut std::io::stdout();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["demo"] => demo::demo(out),
        ["test"] => test::test(out),
        ["soak"] => soak::soak(out, 2),
        ["soak", minutes] if minutes.parse::<u32>().is_ok() => {
            soak::soak(out, minutes.parse().unwrap_or_default())
        }
        ["bench"] => bench::bench(out, &bench::PARTS),
        ["bench", what] if bench::PARTS.contains(&what) => bench::bench(out, &[what]),
        ["dist"] => dist::dist(out),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}
