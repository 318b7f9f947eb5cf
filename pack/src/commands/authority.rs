//! `helixor-pack authority`.

use crate::Answer;
use crate::answer::quote;
use crate::files::{make_folder, refuse_existing};
use helixor_playbook::Error;
use helixor_playbook::file::write_pair;
use helixor_runtime::license::issue::AuthorityKey;
use std::path::PathBuf;

/// Arguments of `authority init`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder for `authority.key` (private) and `authority.pem` (public); made when missing.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Makes a new pair of keys.
///
/// # Errors
/// `IO` when the folder cannot be written to or has keys already.
pub fn init(arguments: &Arguments) -> Result<Answer, Error> {
    // The private key must not end in `.pem`: the folder may then be named as it is where
    // authorities are believed.
    let private = arguments.out.join("authority.key");
    let public = arguments.out.join("authority.pem");
    make_folder(&arguments.out)?;
    refuse_existing(&[&private, &public])?;
    let key = AuthorityKey::generate()?;
    let (secret, pem) = (key.private_pem()?, key.public_pem()?);
    write_pair((&public, pem.as_bytes()), (&private, secret.as_bytes()))?;
    let (private, public) = (private.display().to_string(), public.display().to_string());
    Ok(
        Answer::new("Made an authority: whoever believes its public key believes its licences.")
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
                    ["key id".into(), key.key_id().to_string(), String::new()],
                ],
            )
            .next(
                "Next, issue a licence:",
                &[format!(
                    "helixor-pack license issue --authority {} --tenant NAME --tier STUDIO --pack \
                 'PATTERN' --days 365 --out customer.hxlic",
                    quote(&private)
                )],
            ),
    )
}
