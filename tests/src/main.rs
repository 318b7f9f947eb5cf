//! Makes the fixtures for the languages that cannot, and seeds for fuzzers: `conformance DIR`; and
//! those of a licence that is valid for so many seconds: `conformance DIR SECONDS`.

use conformance::Fixtures;
use conformance::fuzz::TARGETS;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    // A folder named like an option would be a slip of the keyboard.
    let folder = arguments.next();
    let Some(folder) = folder.filter(|name| !name.as_encoded_bytes().starts_with(b"-")) else {
        eprintln!("usage: conformance DIR [SECONDS]");
        return ExitCode::from(2);
    };
    let seconds = arguments.next();
    let seconds = seconds.and_then(|seconds| seconds.to_str()?.parse().ok());
    match make(folder.as_ref(), seconds) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

fn make(folder: &Path, seconds: Option<i64>) -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all(folder)?;
    if let Some(seconds) = seconds {
        return Ok(Fixtures::expiring(folder, seconds)?);
    }
    Fixtures::make(folder)?;
    for target in TARGETS {
        let seeds = folder.join("seeds").join(target.name);
        std::fs::create_dir_all(&seeds)?;
        for (i, seed) in (target.seeds)().into_iter().enumerate() {
            std::fs::write(seeds.join(i.to_string()), seed)?;
        }
    }
    Ok(())
}
