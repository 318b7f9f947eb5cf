//! Makes the fixtures for the languages that cannot: `conformance DIR`.

use conformance::Fixtures;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: conformance DIR");
        return ExitCode::from(2);
    };
    let made = std::fs::create_dir_all(&folder).map_err(|e| e.to_string());
    match made.and_then(|()| Fixtures::make(folder.as_ref()).map_err(|e| e.to_string())) {
        Ok(_) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}
