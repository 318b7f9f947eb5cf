//! Publisher signatures (`.hxpack.sig`): who published a pack.
//!
//! A signature is a JSON document beside the pack, signed with Ed25519 over the digest of the
//! pack's file. Whoever trusts publisher keys opens no pack without a valid one; without trusted
//! keys a signature proves nothing and is not looked at. It proves who published the pack, not
//! that there is no newer one.

use crate::document::{self, Reader, signed_text};
use crate::keys::{Keys, Purpose};
use crate::license::Timestamp;
use ed25519_dalek::Signature;
use helixor_playbook::file::read_limited;
use helixor_playbook::{Code, Digest, Error, PackId, Problem, canonical};
use std::io;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The `schema` of a signature, and the first line of what it covers.
pub const SIGNATURE_SCHEMA: &str = "helixor.pack_signature.v1";

/// The largest signature that is read, in bytes.
const MAX_SIGNATURE_BYTES: usize = 64 << 10;

/// The environment variable that names a file or folder of publisher keys to the C library.
pub const PUBLISHER_KEYS_VARIABLE: &str = "HELIXOR_PUBLISHER_KEYS";

const PURPOSE: Purpose = Purpose {
    code: Code::PackSignature,
    key: "publisher key",
    help: "name the public keys (PEM, Ed25519) of the publishers you trust, or none at all",
};

/// Which publishers to trust.
#[derive(Clone, Debug)]
pub enum PublisherSource {
    /// The keys in all these files, and in the `*.pem` of these folders.
    Paths(Vec<PathBuf>),
    /// These public keys, in PEM.
    Pem(String),
}

impl PublisherSource {
    /// The place that [`PUBLISHER_KEYS_VARIABLE`] names; `None` when it is unset or empty.
    pub fn of_environment() -> Option<Self> {
        let named = std::env::var_os(PUBLISHER_KEYS_VARIABLE).filter(|path| !path.is_empty());
        named.map(|path| Self::Paths(vec![path.into()]))
    }

    /// As [`PublisherSource::of_environment`], for whoever asks for a signature.
    ///
    /// # Errors
    /// `PACK_SIGNATURE` when the variable is unset or empty.
    pub fn required_of_environment() -> Result<Self, Error> {
        Self::of_environment().ok_or_else(|| {
            let message = format!(
                "a signature is to be verified, but ${PUBLISHER_KEYS_VARIABLE} names no publisher \
                 keys"
            );
            refused(
                message,
                "let it name the public keys (PEM, Ed25519) of the publishers you trust: a file, or \
                 a folder of *.pem",
            )
        })
    }
}

/// The public keys of the publishers that are trusted. There is at least one.
#[derive(Clone, Debug)]
pub struct PublisherKeys(Keys);

impl PublisherKeys {
    /// Reads the keys to trust: PEM, Ed25519, `PUBLIC KEY`; several may follow one another, text
    /// between them is ignored.
    ///
    /// # Errors
    /// `PACK_SIGNATURE` when one cannot be read or trusted, or there is none.
    pub fn read(source: &PublisherSource) -> Result<Self, Error> {
        match source {
            PublisherSource::Paths(paths) => {
                Keys::from_paths(paths, "the publisher keys given", &PURPOSE)
            }
            PublisherSource::Pem(pem) => {
                let source = "the publisher keys given as text".to_owned();
                Keys::from_pem(pem, source, &PURPOSE)
            }
        }
        .map(Self)
    }

    /// Where the keys came from.
    pub fn source(&self) -> &str {
        self.0.source()
    }
}

/// A signature as read; what it says is proven by [`PackSignature::verify`] only.
#[derive(Clone, Debug)]
pub struct PackSignature {
    key_id: Digest,
    pack_id: PackId,
    file_sha256: Digest,
    signed_at: Timestamp,
    source: String,
    signed: Zeroizing<String>,
    signature: Signature,
}

impl PackSignature {
    /// Where the signature of a pack file is: beside it, as `<file>.sig`.
    pub fn beside(pack: &Path) -> PathBuf {
        let mut path = pack.as_os_str().to_owned();
        path.push(".sig");
        path.into()
    }

    /// Reads a signature file.
    ///
    /// # Errors
    /// `PACK_SIGNATURE` when it is not there or no signature; `IO` when it cannot be read.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let source = format!("signature file `{}`", path.display());
        match read_limited(path, MAX_SIGNATURE_BYTES as u64) {
            Ok(Some(bytes)) => Self::parse(&bytes, &source),
            Ok(None) => Err(too_large(&source)),
            Err(e)
                if matches!(
                    e.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Err(missing(&format!("{source} does not exist")))
            }
            Err(e) => Err(Error::new(
                Code::Io,
                format!("cannot read {source}: {e}"),
                "check that it is a file and may be read",
            )),
        }
    }

    /// Reads a signature; `source` says in messages where it came from.
    ///
    /// # Errors
    /// `PACK_SIGNATURE`, with every fault and its place.
    pub fn parse(bytes: &[u8], source: &str) -> Result<Self, Error> {
        if bytes.len() > MAX_SIGNATURE_BYTES {
            return Err(too_large(source));
        }
        let invalid = |problems: &[Problem]| {
            document::invalid(
                Code::PackSignature,
                &String::from_utf8_lossy(bytes),
                &format!("{source} is not a valid pack signature"),
                problems,
                ANEW,
            )
        };
        let mut node = canonical::parse_bytes(bytes).map_err(|problem| invalid(&[problem]))?;
        let mut problems = Vec::new();
        let parts = Reader::new(&node, "the signature", &mut problems).and_then(|mut reader| {
            reader.schema(SIGNATURE_SCHEMA);
            let key_id = reader.digest("key_id");
            let pack_id = reader.value("pack_id", "a pack id", |node| {
                PackId::new(node.as_str()?).ok()
            });
            let file_sha256 = reader.digest("file_sha256");
            let signed_at = reader.time("signed_at");
            let signature = reader.signature();
            reader.finish();
            Some((key_id?, pack_id?, file_sha256?, signed_at?, signature?))
        });
        let Some((key_id, pack_id, file_sha256, signed_at, signature)) =
            parts.filter(|_| problems.is_empty())
        else {
            return Err(invalid(&problems));
        };
        Ok(Self {
            key_id,
            pack_id,
            file_sha256,
            signed_at,
            source: source.to_owned(),
            signed: signed_text(SIGNATURE_SCHEMA, &mut node),
            signature,
        })
    }

    /// The publisher key it names: the SHA-256 of its SPKI DER.
    pub const fn key_id(&self) -> Digest {
        self.key_id
    }

    /// When the pack was signed, as the signature says.
    pub const fn signed_at(&self) -> Timestamp {
        self.signed_at
    }

    /// Verifies that a publisher who is trusted signed these very bytes as this pack.
    ///
    /// # Errors
    /// `PACK_SIGNATURE`, saying which of these does not hold.
    pub fn verify(
        &self,
        trusted: &PublisherKeys,
        pack: &[u8],
        pack_id: &PackId,
    ) -> Result<(), Error> {
        let Self { source, key_id, .. } = self;
        let Some(key) = trusted.0.get(*key_id) else {
            return Err(refused(
                format!(
                    "{source} is made with key {key_id}, which is none of the publisher keys \
                     trusted ({})",
                    trusted.0.described()
                ),
                "get the publisher's public key and, if you trust it, name it as a publisher key",
            ));
        };
        if key
            .verify_strict(self.signed.as_bytes(), &self.signature)
            .is_err()
        {
            let message = format!(
                "{source} does not fit what it says: it was changed, or is not made with the key it \
                 names, {key_id}"
            );
            return Err(refused(message, ANEW));
        }
        if self.pack_id != *pack_id {
            let message = format!(
                "{source} is for pack `{}`, but the pack is `{pack_id}`",
                self.pack_id
            );
            return Err(refused(message, ANEW));
        }
        let digest = Digest::of(pack);
        if self.file_sha256 != digest {
            let message = format!(
                "{source} is for other bytes of pack `{pack_id}`: it says SHA-256 {}, the pack has \
                 {digest}",
                self.file_sha256
            );
            return Err(refused(message, ANEW));
        }
        Ok(())
    }
}

const ANEW: &str = "fetch the pack and its signature from the publisher again, both together";

/// The error of a pack without a signature; `why` says what was looked for.
pub(crate) fn missing(why: &str) -> Error {
    refused(
        format!("publisher keys are trusted, but the pack comes without a signature: {why}"),
        "get the pack's signature (.hxpack.sig) from its publisher, or trust no publisher keys",
    )
}

fn too_large(source: &str) -> Error {
    let message =
        format!("{source} is larger than the {MAX_SIGNATURE_BYTES} bytes a signature may have");
    refused(message, "check that it is the right file")
}

fn refused(message: String, help: &str) -> Error {
    Error::new(Code::PackSignature, message, help)
}

/// Signs the bytes of a pack; gives the text of its `.hxpack.sig`, one field a line.
///
/// # Errors
/// `PACK_FORMAT` when they are not a pack.
#[cfg(any(test, feature = "issue"))]
pub fn sign(
    pack: &[u8],
    key: &crate::keys::PrivateKey,
    signed_at: Timestamp,
) -> Result<String, Error> {
    use helixor_playbook::Node;
    let envelope = crate::container::Envelope::parse(pack)?;
    let mut document = Node::map([
        ("schema", SIGNATURE_SCHEMA.into()),
        ("key_id", key.key_id().to_string().into()),
        ("pack_id", envelope.pack_id().as_str().into()),
        ("file_sha256", Digest::of(pack).to_string().into()),
        ("signed_at", signed_at.to_string().into()),
    ]);
    let text = document::sign(SIGNATURE_SCHEMA, &mut document, key);
    Ok(text.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::{Envelope, seal};
    use crate::keys::PrivateKey;
    use crate::license::tests::{keys_of, license};

    struct Signed {
        key: PrivateKey,
        pack: Vec<u8>,
        text: String,
    }

    impl Signed {
        fn new() -> Self {
            let key = PrivateKey::generate().unwrap();
            let id = PackId::new("acme.loans.v1").unwrap();
            let pack = seal(&id, b"{}", &license("l", &["*"])).unwrap();
            let at = Timestamp::parse("2026-11-30T18:00:00Z").unwrap();
            let text = sign(&pack, &key, at).unwrap();
            Self { key, pack, text }
        }

        fn verify(&self, text: &str, pack: &[u8]) -> Result<(), Error> {
            let keys =
                PublisherKeys::read(&PublisherSource::Pem(self.key.public_pem().unwrap())).unwrap();
            let id = Envelope::parse(pack)?.pack_id().clone();
            PackSignature::parse(text.as_bytes(), "the test's signature")?.verify(&keys, pack, &id)
        }

        #[track_caller]
        fn refused(&self, text: &str, pack: &[u8], says: &str) {
            let error = self.verify(text, pack).unwrap_err();
            assert_eq!(error.code(), Code::PackSignature, "{error}");
            assert!(error.message().contains(says), "{says}: {error}");
            assert!(error.message().contains("the test's signature"), "{error}");
            assert!(!error.help().is_empty());
        }
    }

    #[test]
    fn a_signature_is_of_these_bytes_by_this_publisher() {
        let signed = Signed::new();
        signed.verify(&signed.text, &signed.pack).unwrap();
        assert_eq!(
            keys_of(&signed.text),
            [
                "schema",
                "key_id",
                "pack_id",
                "file_sha256",
                "signed_at",
                "signature"
            ]
        );
        // Layout and the order of keys are not what is signed.
        let node = canonical::parse(&signed.text).unwrap();
        let compact = canonical::write(&node, canonical::Style::Compact).unwrap();
        signed.verify(&compact, &signed.pack).unwrap();

        for at in [8, 25, 40, signed.pack.len() - 1] {
            let mut changed = signed.pack.clone();
            changed[at] ^= 2;
            let says = if at == 8 {
                "for pack `acme.loans.v1`"
            } else {
                "other bytes"
            };
            signed.refused(&signed.text, &changed, says);
        }
        let other = Signed::new();
        signed.refused(&other.text, &signed.pack, "none of the publisher keys");
        let again = sign(&other.pack, &signed.key, Timestamp::now()).unwrap();
        signed.refused(&again, &signed.pack, "for other bytes");
    }

    #[test]
    fn every_field_is_protected() {
        let signed = Signed::new();
        let digest = Digest::of(b"other").to_string();
        for (from, to) in [
            ("acme.loans.v1", "acme.loans.v2"),
            ("2026-11-30", "2026-12-01"),
            (&Digest::of(&signed.pack).to_string(), digest.as_str()),
        ] {
            let changed = signed.text.replace(from, to);
            assert_ne!(changed, signed.text);
            signed.refused(&changed, &signed.pack, "does not fit what it says");
        }
        let changed = signed
            .text
            .replace(&signed.key.key_id().to_string(), &digest);
        signed.refused(&changed, &signed.pack, "none of the publisher keys");
    }

    #[test]
    fn what_is_no_signature_is_refused_with_its_faults() {
        let signed = Signed::new();
        let text = &signed.text;
        let last = text
            .lines()
            .find(|line| line.contains("\"signature\""))
            .unwrap();
        let base64 = last.split('"').nth(3).unwrap();
        let with = |value: &str| text.replace(base64, value);
        // The last digit before the padding has bits that belong to no byte.
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let at = digits
            .find(base64.trim_end_matches('=').chars().last().unwrap())
            .unwrap();
        let loose = format!("{}{}==", &base64[..85], &digits[at + 1..at + 2]);
        for (changed, says) in [
            (String::new(), "line 1"),
            ("[]".into(), "must be a map"),
            ("{".into(), "line 1"),
            (
                text.replace("pack_signature.v1", "pack_signature.v2"),
                "`schema`",
            ),
            (text.replace("acme.loans.v1", "a b"), "`pack_id`"),
            (text.replace("2026-11-30T", "2026-11-30 "), "`signed_at`"),
            (
                text.replace("\"key_id\"", "\"keyid\""),
                "unknown key `keyid`",
            ),
            (text.replace("{\n", "{\n\"more\": 1,"), "unknown key `more`"),
            (text.replace("{\n", "{\n\"key_id\": \"\",\n"), "key_id"),
            (
                text.replace(&signed.key.key_id().to_string(), "AB"),
                "`key_id`",
            ),
            (with(base64.trim_end_matches('=')), "`signature`"),
            (with(&format!(" {base64}")), "`signature`"),
            (with("AAAA"), "`signature`"),
            (with(&loose), "`signature`"),
            (
                format!("{text}{}", " ".repeat(MAX_SIGNATURE_BYTES)),
                "larger",
            ),
        ] {
            signed.refused(&changed, &signed.pack, says);
        }
        let bytes = b"{\"schema\": \"\xff\"}";
        let error = PackSignature::parse(bytes, "x").unwrap_err();
        assert_eq!(error.code(), Code::PackSignature, "{error}");
    }

    #[test]
    fn signature_files_are_found_beside_the_pack() {
        let folder = tempfile::tempdir().unwrap();
        let pack = folder.path().join("a.hxpack");
        let path = PackSignature::beside(&pack);
        assert_eq!(path, folder.path().join("a.hxpack.sig"));
        let error = PackSignature::read(&path).unwrap_err();
        assert_eq!(error.code(), Code::PackSignature);
        assert!(error.message().contains("without a signature"), "{error}");
        assert!(error.message().contains("a.hxpack.sig"), "{error}");
        std::fs::write(&path, vec![b' '; MAX_SIGNATURE_BYTES + 1]).unwrap();
        let error = PackSignature::read(&path).unwrap_err();
        assert!(error.message().contains("larger"), "{error}");
        let error = PackSignature::read(folder.path()).unwrap_err();
        assert_eq!(error.code(), Code::Io);
    }

    #[test]
    fn publisher_keys_are_keys() {
        let private = PrivateKey::generate().unwrap().private_pem().unwrap();
        let paths =
            |paths: &[&str]| PublisherSource::Paths(paths.iter().map(PathBuf::from).collect());
        for source in [
            PublisherSource::Pem(String::new()),
            PublisherSource::Pem("x".into()),
            PublisherSource::Pem(private.as_str().into()),
            paths(&[]),
            paths(&["/nowhere/publisher.pem"]),
        ] {
            let error = PublisherKeys::read(&source).unwrap_err();
            assert_eq!(error.code(), Code::PackSignature, "{error}");
            assert!(
                error.message().contains("publisher key") || error.message().contains("private")
            );
        }
    }
}
