//! `helixor-pack authority`, and pairs of keys.

use crate::Answer;
use crate::answer::quote;
use crate::files::{make_folder, refuse_existing};
use helixor_playbook::Error;
use helixor_playbook::file::write_pair;
use helixor_runtime::PrivateKey;
use std::path::{Path, PathBuf};

/// Arguments of `authority init`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder for `authority.key` (private) and `authority.pem` (public); made when missing.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Makes a new pair of keys for an authority.
///
/// # Errors
/// `IO` when the folder cannot be written to or has keys already.
pub fn authority(arguments: &Arguments) -> Result<Answer, Error> {
    init(
        &arguments.out,
        &Pair {
            name: "authority",
            sentence: "Made an authority: whoever believes its public key believes its licences.",
            next: "Next, issue a licence:",
            command: |private| {
                format!(
                    "helixor-pack license issue --authority {private} --tenant NAME --tier STUDIO \
                     --pack 'PATTERN' --days 365 --out customer.hxlic"
                )
            },
        },
    )
}

/// What a pair of keys is for.
pub(super) struct Pair {
    /// Of the files, before `.key` and `.pem`.
    pub(super) name: &'static str,
    pub(super) sentence: &'static str,
    pub(super) next: &'static str,
    /// The command to run next, with the private key's file.
    pub(super) command: fn(&str) -> String,
}

/// Makes a new pair of keys in a folder.
pub(super) fn init(out: &Path, pair: &Pair) -> Result<Answer, Error> {
    // The private key must not end in `.pem`: the folder may then be named as it is where public
    // keys are.
    let private = out.join(format!("{}.key", pair.name));
    let public = out.join(format!("{}.pem", pair.name));
    make_folder(out)?;
    refuse_existing(&[&private, &public])?;
    let key = PrivateKey::generate()?;
    let (secret, pem) = (key.private_pem()?, key.public_pem()?);
    write_pair((&public, pem.as_bytes()), (&private, secret.as_bytes()))?;
    let (private, public) = (private.display().to_string(), public.display().to_string());
    Ok(Answer::new(pair.sentence)
        .value("key_id", key.key_id().to_string())
        .value("private_key", private.as_str())
        .value("public_key", public.as_str())
        .table(
            "",
            &[
                [
                    "private key".into(),
                    private.clone(),
                    "keep it secret and safe".into(),
                ],
                [
                    "public key".into(),
                    public,
                    "hand it to those who should believe it".into(),
                ],
            ],
        )
        .table("", &[["key id".into(), key.key_id().to_string()]])
        .next(pair.next, &[(pair.command)(&quote(&private))]))
}
