//! Pins the authorities that this build believes: those of the PEM file that the environment
//! variable `HELIXOR_PINNED_AUTHORITIES` names, when it is set.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const VARIABLE: &str = "HELIXOR_PINNED_AUTHORITIES";

/// What the DER form of every Ed25519 public key (SPKI) begins with; the key's 32 bytes follow.
const ED25519: [u8; 12] = *b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\0";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    match pin() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("cargo::error={message}");
            ExitCode::FAILURE
        }
    }
}

/// Leaves the keys, or an empty file, where the library includes it from.
fn pin() -> Result<(), String> {
    let named = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let pem = match named.map(PathBuf::from) {
        Some(path) => keys(&path)?,
        None => String::new(),
    };
    let out = std::env::var_os("OUT_DIR").ok_or("Cargo did not set OUT_DIR")?;
    let out = Path::new(&out).join("pinned_authorities.pem");
    std::fs::write(&out, pem).map_err(|e| format!("cannot write `{}`: {e}", out.display()))
}

fn keys(path: &Path) -> Result<String, String> {
    let name = format!("${VARIABLE} (`{}`)", path.display());
    if !path.is_absolute() {
        // Where a relative one would begin is for Cargo to say, not for who set the variable.
        return Err(format!("{name} must be an absolute path"));
    }
    println!("cargo::rerun-if-changed={}", path.display());
    let pem =
        std::fs::read_to_string(path).map_err(|e| format!("{name} cannot be read as text: {e}"))?;
    let mut blocks = pem.split("-----BEGIN ").skip(1).peekable();
    if blocks.peek().is_none() {
        return Err(format!("{name} holds no authority key (PEM, Ed25519)"));
    }
    for (i, block) in blocks.enumerate() {
        if !is_public_key(block) {
            return Err(format!(
                "block {} of {name} is not an Ed25519 public key (`-----BEGIN PUBLIC KEY-----`)",
                i + 1
            ));
        }
    }
    Ok(pem)
}

/// Whether what follows `-----BEGIN ` is a whole Ed25519 public key. That it is a point of the
/// curve, and no weak one, is seen when it is used.
fn is_public_key(block: &str) -> bool {
    let body = block
        .strip_prefix("PUBLIC KEY-----")
        .and_then(|rest| rest.split_once("-----END PUBLIC KEY-----"));
    body.is_some_and(|(body, _)| {
        let body: String = body.lines().map(str::trim_end).collect();
        BASE64
            .decode(body)
            .is_ok_and(|der| der.len() == ED25519.len() + 32 && der.starts_with(&ED25519))
    })
}
