//! `helixor-pack publisher`, `sign` and `verify`.

use super::authority::{Pair, init as init_pair};
use crate::answer::quote;
use crate::files::{is_standard, keep_apart, read_text, warning_of};
use crate::{Answer, Failure};
use helixor_playbook::file::write_atomic;
use helixor_playbook::{Code, Error};
use helixor_runtime::container::{Envelope, MAX_PACK_BYTES, read_pack};
use helixor_runtime::signature::{
    PackSignature, PublisherKeys, PublisherSource, sign as sign_pack,
};
use helixor_runtime::{Options, PrivateKey, Surroundings};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Arguments of `publisher init`.
#[derive(Debug, clap::Args)]
pub struct InitArguments {
    /// Folder for `publisher.key` (private) and `publisher.pem` (public); made when missing.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Arguments of `sign`.
#[derive(Debug, clap::Args)]
pub struct SignArguments {
    /// The pack.
    #[arg(value_name = "PACK")]
    pub pack: PathBuf,
    /// The publisher's private key (PEM, from `publisher init`).
    #[arg(long, value_name = "KEY")]
    pub key: PathBuf,
    /// Where to write the signature; `-` is standard output [default: the pack's file and `.sig`].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub struct VerifyArguments {
    /// The pack.
    #[arg(value_name = "PACK")]
    pub pack: PathBuf,
    /// Trust the publisher keys in this file or folder; may be repeated.
    #[arg(long, value_name = "PATH", required = true)]
    pub publisher_keys: Vec<PathBuf>,
    /// The signature [default: the pack's file and `.sig`].
    #[arg(long, value_name = "FILE")]
    pub signature: Option<PathBuf>,
}

/// The publishers that a command which opens a pack trusts.
#[derive(Debug, clap::Args)]
pub struct Trusted {
    /// Open only a pack signed by a publisher key in this file or folder; may be repeated.
    #[arg(long, value_name = "PATH")]
    pub publisher_keys: Vec<PathBuf>,
}

impl Trusted {
    /// Checks the signature beside a pack file, if there are publishers to trust.
    pub(crate) fn check(&self, pack: &[u8], path: &std::path::Path) -> Result<Signed, Error> {
        if self.publisher_keys.is_empty() {
            let there = PackSignature::beside(path).symlink_metadata().is_ok();
            return Ok(if there {
                Signed::Unverified
            } else {
                Signed::No
            });
        }
        let options = Options::new().publisher_keys(&self.publisher_keys);
        let signature = options.check_signature(pack, Some(path))?;
        Ok(signature.map_or(Signed::No, |signature| {
            Signed::Verified(Box::new(signature))
        }))
    }
}

/// What is known of a pack's signature.
pub(crate) enum Signed {
    /// There is none.
    No,
    /// There is one, and nobody whose word counts.
    Unverified,
    /// A trusted publisher's.
    Verified(Box<PackSignature>),
}

impl Signed {
    /// Adds what is known to an answer.
    pub(crate) fn told(&self, answer: Answer) -> Answer {
        let (word, sentence) = match self {
            Signed::No => ("none", "none".to_owned()),
            Signed::Unverified => (
                "unverified",
                "not verified: name the publishers you trust with --publisher-keys".to_owned(),
            ),
            Signed::Verified(signature) => (
                "verified",
                format!(
                    "verified: by publisher key {} at {}",
                    signature.key_id(),
                    signature.signed_at()
                ),
            ),
        };
        let key = match self {
            Signed::Verified(signature) => Some(signature.key_id().to_string()),
            _ => None,
        };
        answer
            .value("signature", word)
            .value("publisher_key_id", key)
            .table("", &[["signature".into(), sentence]])
    }
}

/// Makes a new pair of keys for a publisher.
///
/// # Errors
/// `IO` when the folder cannot be written to or has keys already.
pub fn init(arguments: &InitArguments) -> Result<Answer, Error> {
    init_pair(
        &arguments.out,
        &Pair {
            name: "publisher",
            sentence: "Made a publisher: whoever trusts its public key trusts the packs it signs.",
            next: "Next, sign a pack:",
            command: |private| format!("helixor-pack sign PACK.hxpack --key {private}"),
        },
    )
}

/// Signs a pack.
///
/// # Errors
/// Those of reading the pack; `INVALID_ARGUMENT` for a key that is none; `IO`.
pub fn sign(arguments: &SignArguments, around: &Surroundings) -> Result<Answer, Failure> {
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None => PackSignature::beside(&arguments.pack),
    };
    keep_apart(
        &[("the pack", &arguments.pack), ("the key", &arguments.key)],
        &[("the signature", &out)],
    )?;
    let bytes = read_pack(&arguments.pack, MAX_PACK_BYTES)?;
    let pem = read_text(&arguments.key, 1 << 16, Code::InvalidArgument)?;
    let key = PrivateKey::from_pem(&pem, &format!("`{}`", arguments.key.display()))?;
    let text = sign_pack(&bytes, &key, around.now)?;
    let mut content = None;
    if is_standard(&out) {
        content = Some(Zeroizing::new(text.into_bytes()));
    } else {
        write_atomic(&out, text.as_bytes())?;
    }
    let pack_id = Envelope::parse(&bytes)?.pack_id().to_string();
    let (pack, out) = (
        arguments.pack.display().to_string(),
        out.display().to_string(),
    );
    let answer = Answer::new("Signed the pack: hand out the signature beside it.")
        .value("signature", out.as_str())
        .value("pack_id", pack_id.as_str())
        .value("key_id", key.key_id().to_string())
        .value("signed_at", around.now.to_string())
        .table(
            "",
            &[
                ["signature".into(), out],
                ["pack".into(), pack_id],
                ["signed with".into(), key.key_id().to_string()],
                ["at".into(), around.now.to_string()],
            ],
        )
        .warn(warning_of(&arguments.key, "a publisher's private key"));
    if content.is_some() {
        return Ok(answer.with_content(content));
    }
    Ok(answer.next(
        "Next, whoever gets the pack verifies it:",
        &[format!(
            "helixor-pack verify {} --publisher-keys publisher.pem",
            quote(&pack)
        )],
    ))
}

/// Verifies a pack's signature; the pack stays sealed.
///
/// # Errors
/// Those of reading the pack; `PACK_SIGNATURE`; `IO`.
pub fn verify(arguments: &VerifyArguments) -> Result<Answer, Failure> {
    let bytes = read_pack(&arguments.pack, MAX_PACK_BYTES)?;
    let envelope = Envelope::parse(&bytes)?;
    let trusted = PublisherKeys::read(&PublisherSource::Paths(arguments.publisher_keys.clone()))?;
    let path = match &arguments.signature {
        Some(path) => path.clone(),
        None => PackSignature::beside(&arguments.pack),
    };
    let signature = PackSignature::read(&path)?;
    signature.verify(&trusted, &bytes, envelope.pack_id())?;
    let sentence = "A publisher you trust signed this very file. That there is no newer one, it does \
                    not say.";
    Ok(Answer::new(sentence)
        .value("pack_id", envelope.pack_id().as_str())
        .value("key_id", signature.key_id().to_string())
        .value("signed_at", signature.signed_at().to_string())
        .value("publisher_keys", trusted.source())
        .table(
            "",
            &[
                ["pack".into(), envelope.pack_id().to_string()],
                ["signed with".into(), signature.key_id().to_string()],
                ["at".into(), signature.signed_at().to_string()],
                ["trusting".into(), trusted.source().to_owned()],
            ],
        ))
}
