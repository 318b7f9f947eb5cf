//! Makes the fixtures for the languages that cannot, and seeds for fuzzers: `conformance DIR`.

use conformance::Fixtures;
use conformance::fuzz::TARGETS;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: conformance DIR");
        return ExitCode::from(2);
    };
    match make(folder.as_ref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

fn make(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all(folder)?;
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
