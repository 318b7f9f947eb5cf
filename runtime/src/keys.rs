//! Ed25519 keys in PEM: those that are believed, and those that sign. A key's id is the SHA-256 of
//! its SPKI DER; it helps to choose a key and proves nothing.

use ed25519_dalek::VerifyingKey;
use ed25519_dalek::pkcs8::{DecodePublicKey, EncodePublicKey};
use helixor_playbook::file::read_limited;
use helixor_playbook::{Code, Digest, Error};
use std::io;
use std::path::{Path, PathBuf};

/// The largest file of keys that is read, in bytes.
const MAX_KEY_BYTES: u64 = 1 << 20;

/// What keys are believed for, as errors say it.
#[derive(Debug)]
pub(crate) struct Purpose {
    /// The code of an error with the keys.
    pub(crate) code: Code,
    /// One key: "authority key".
    pub(crate) key: &'static str,
    /// What to do about an error.
    pub(crate) help: &'static str,
}

impl Purpose {
    pub(crate) fn error(&self, message: String) -> Error {
        Error::new(self.code, message, self.help)
    }
}

/// Public keys, and where they came from. There is at least one.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    keys: Vec<(Digest, VerifyingKey)>,
    source: String,
}

impl Keys {
    /// Reads a PEM text (`PUBLIC KEY`; several may follow one another, text between them is
    /// ignored); `source` names it in messages.
    pub(crate) fn from_pem(pem: &str, source: String, purpose: &Purpose) -> Result<Self, Error> {
        let keys = read_keys(pem, &source, purpose)?;
        Self::new(keys, source, purpose)
    }

    /// Reads a file, or the `*.pem` of a folder.
    pub(crate) fn from_place(
        path: &Path,
        source: String,
        purpose: &Purpose,
    ) -> Result<Self, Error> {
        Self::new(read_path(path, &source, purpose)?, source, purpose)
    }

    /// Reads all these files and folders, which `given` names together.
    pub(crate) fn from_paths(
        paths: &[PathBuf],
        given: &str,
        purpose: &Purpose,
    ) -> Result<Self, Error> {
        let mut keys = Vec::new();
        for path in paths {
            keys.extend(read_path(path, &format!("`{}`", path.display()), purpose)?);
        }
        let names: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        Self::new(keys, format!("{given} ({})", names.join(", ")), purpose)
    }

    fn new(
        keys: Vec<(Digest, VerifyingKey)>,
        source: String,
        purpose: &Purpose,
    ) -> Result<Self, Error> {
        if keys.is_empty() {
            return Err(purpose.error(format!("no {} is in {source}", purpose.key)));
        }
        Ok(Self { keys, source })
    }

    /// The ids of the keys.
    pub(crate) fn ids(&self) -> impl Iterator<Item = Digest> {
        self.keys.iter().map(|(id, _)| *id)
    }

    /// Where the keys came from.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// Where the keys came from, and their ids.
    pub(crate) fn described(&self) -> String {
        let ids: Vec<String> = self.ids().map(|id| id.to_string()).collect();
        format!("{}: {}", self.source, ids.join(", "))
    }

    pub(crate) fn get(&self, id: Digest) -> Option<&VerifyingKey> {
        self.keys
            .iter()
            .find(|(known, _)| *known == id)
            .map(|(_, key)| key)
    }
}

/// The keys of a PEM text, each with its id; none is no error here.
fn read_keys(
    pem: &str,
    source: &str,
    purpose: &Purpose,
) -> Result<Vec<(Digest, VerifyingKey)>, Error> {
    const BEGIN: &str = "-----BEGIN ";
    // What stands before the first block is no key.
    pem.split(BEGIN)
        .skip(1)
        .map(|block| {
            if block
                .split('\n')
                .next()
                .is_some_and(|label| label.contains("PRIVATE KEY"))
            {
                return Err(purpose.error(format!(
                    "{source} holds a private key where the public one belongs"
                )));
            }
            let end = block.find("-----END ").and_then(|at| {
                let line = block.get(at..)?.find('\n')?;
                at.checked_add(line)
            });
            let block = end.and_then(|end| block.get(..end)).unwrap_or(block);
            let key =
                VerifyingKey::from_public_key_pem(&format!("{BEGIN}{block}\n")).map_err(|e| {
                    purpose.error(format!(
                        "{source} holds no valid Ed25519 public key (PEM): {e}"
                    ))
                })?;
            if key.is_weak() {
                return Err(purpose.error(format!("{source} holds a weak Ed25519 key")));
            }
            let id = key_id(&key).map_err(|e| purpose.error(format!("{source}: {e}")))?;
            Ok((id, key))
        })
        .collect()
}

/// The keys of a file, or of the `*.pem` of a folder; at least one. `name` is the source.
fn read_path(
    path: &Path,
    name: &str,
    purpose: &Purpose,
) -> Result<Vec<(Digest, VerifyingKey)>, Error> {
    let Purpose { key, .. } = purpose;
    let unreadable = |path: &Path, e: io::Error| {
        purpose.error(format!("{key}s `{}` cannot be read: {e}", path.display()))
    };
    let mut files = Vec::new();
    if path.is_dir() {
        for entry in std::fs::read_dir(path).map_err(|e| unreadable(path, e))? {
            let entry = entry.map_err(|e| unreadable(path, e))?;
            let name = entry.file_name();
            let name = name.as_encoded_bytes();
            if name.ends_with(b".pem") && !name.starts_with(b".") {
                files.push(entry.path());
            }
        }
        files.sort();
        if files.is_empty() {
            return Err(purpose.error(format!("the folder {name} holds no {key} (*.pem)")));
        }
    } else {
        files.push(path.to_owned());
    }
    let mut keys = Vec::new();
    for file in files {
        let name = format!("`{}`", file.display());
        let bytes = read_limited(&file, MAX_KEY_BYTES)
            .map_err(|e| unreadable(&file, e))?
            .ok_or_else(|| purpose.error(format!("{name} is larger than {MAX_KEY_BYTES} bytes")))?;
        let pem = std::str::from_utf8(&bytes)
            .map_err(|_| purpose.error(format!("{name} is not a PEM file")))?;
        let found = read_keys(pem, &name, purpose)?;
        if found.is_empty() {
            return Err(purpose.error(format!("no {key} is in {name}")));
        }
        keys.extend(found);
    }
    Ok(keys)
}

fn key_id(key: &VerifyingKey) -> Result<Digest, String> {
    key.to_public_key_der()
        .map(|der| Digest::of(der.as_bytes()))
        .map_err(|e| format!("the key has no DER form: {e}"))
}

#[cfg(any(test, feature = "issue"))]
pub use private::PrivateKey;
#[cfg(any(test, feature = "issue"))]
pub(crate) use private::random;

#[cfg(any(test, feature = "issue"))]
mod private {
    use super::key_id;
    use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
    use ed25519_dalek::pkcs8::{
        DecodePrivateKey, EncodePrivateKey, EncodePublicKey, Error as KeyError, KeypairBytes,
    };
    use ed25519_dalek::{Signature, Signer, SigningKey};
    use helixor_playbook::{Code, Digest, Error};
    use rand::TryRng;
    use rand::rngs::SysRng;
    use std::fmt;
    use zeroize::Zeroizing;

    /// The private key of an authority or a publisher; wiped from memory when dropped.
    pub struct PrivateKey {
        signing: SigningKey,
        key_id: Digest,
    }

    impl PrivateKey {
        /// A new key from the system's random bytes.
        ///
        /// # Errors
        /// `INTERNAL` when the system gives none.
        pub fn generate() -> Result<Self, Error> {
            Self::new(SigningKey::from_bytes(&*random()?))
        }

        /// Reads a private key in PKCS#8 PEM, as [`PrivateKey::private_pem`] and OpenSSL write it;
        /// `source` names it in messages.
        ///
        /// # Errors
        /// `INVALID_ARGUMENT` when it is not an unencrypted Ed25519 private key.
        pub fn from_pem(pem: &str, source: &str) -> Result<Self, Error> {
            let key = SigningKey::from_pkcs8_pem(pem).map_err(|e| {
                Error::new(
                    Code::InvalidArgument,
                    format!(
                        "{source} is not an unencrypted Ed25519 private key (PKCS#8 PEM): {e}"
                    ),
                    "make a pair of keys with `helixor-pack authority init --out DIR` for licences, \
                     `helixor-pack publisher init --out DIR` for packs",
                )
            })?;
            Self::new(key)
        }

        fn new(signing: SigningKey) -> Result<Self, Error> {
            let key_id = key_id(&signing.verifying_key())
                .map_err(|message| Error::new(Code::Internal, message, ""))?;
            Ok(Self { signing, key_id })
        }

        /// The private key in PKCS#8 PEM, version 1, which OpenSSL 3.0 reads (it does not read the
        /// version 2 that would hold the public key too).
        ///
        /// # Errors
        /// `INTERNAL` when it cannot be encoded.
        pub fn private_pem(&self) -> Result<Zeroizing<String>, Error> {
            KeypairBytes {
                secret_key: self.signing.to_bytes(),
                public_key: None,
            }
            .to_pkcs8_pem(LineEnding::LF)
            .map_err(|e| not_encoded(&e))
        }

        /// The public key in SPKI PEM: what is handed to those who should believe the owner.
        ///
        /// # Errors
        /// `INTERNAL` when it cannot be encoded.
        pub fn public_pem(&self) -> Result<String, Error> {
            self.signing
                .verifying_key()
                .to_public_key_pem(LineEnding::LF)
                .map_err(|e| not_encoded(&e.into()))
        }

        /// The SHA-256 of the public key's SPKI DER.
        pub const fn key_id(&self) -> Digest {
            self.key_id
        }

        pub(crate) fn sign(&self, text: &[u8]) -> Signature {
            self.signing.sign(text)
        }
    }

    impl fmt::Debug for PrivateKey {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("PrivateKey")
                .field("key_id", &self.key_id)
                .finish_non_exhaustive()
        }
    }

    /// Thirty-two of the system's random bytes.
    pub(crate) fn random() -> Result<Zeroizing<[u8; 32]>, Error> {
        let mut bytes = Zeroizing::new([0; 32]);
        SysRng.try_fill_bytes(bytes.as_mut_slice()).map_err(|e| {
            Error::new(
                Code::Internal,
                format!("the system gives no random bytes: {e}"),
                "",
            )
        })?;
        Ok(bytes)
    }

    fn not_encoded(e: &KeyError) -> Error {
        Error::new(
            Code::Internal,
            format!("the private key cannot be encoded: {e}"),
            "",
        )
    }
}
