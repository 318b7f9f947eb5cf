//! The authority keys that are believed.

use ed25519_dalek::VerifyingKey;
use ed25519_dalek::pkcs8::{DecodePublicKey, EncodePublicKey};
use helixor_playbook::{Code, Digest, Error};

/// The public keys whose licences are believed, and where they came from. There is at least one.
#[derive(Clone, Debug)]
pub struct Authorities {
    keys: Vec<(Digest, VerifyingKey)>,
    source: String,
    pinned: bool,
}

impl Authorities {
    /// Reads Ed25519 public keys (PEM, `PUBLIC KEY`; several may follow one another, text between
    /// them is ignored); `source` names them in messages.
    ///
    /// # Errors
    /// `LICENSE_UNTRUSTED` when there is no key or one that cannot be believed.
    pub fn from_pem(pem: &str, source: impl Into<String>) -> Result<Self, Error> {
        let source = source.into();
        let keys = read_keys(pem, &source)?;
        Self::new(keys, source)
    }

    pub(super) fn new(keys: Vec<(Digest, VerifyingKey)>, source: String) -> Result<Self, Error> {
        if keys.is_empty() {
            return Err(untrusted(format!("no authority key is in {source}")));
        }
        Ok(Self {
            keys,
            source,
            pinned: false,
        })
    }

    /// Those that the build believes, whatever its caller and its environment say.
    pub(super) fn pinned(pem: &str) -> Result<Self, Error> {
        let authorities = Self::from_pem(pem, "the authorities pinned in this build")?;
        Ok(Self {
            pinned: true,
            ..authorities
        })
    }

    /// What to do when a licence is signed with none of the keys.
    pub(super) fn advice(&self) -> &'static str {
        if self.pinned {
            "this build believes the authorities pinned in it and no other; get a licence from one \
             of them"
        } else {
            "get the public key of the authority that issued the licence and, if you trust it, name \
             it as an authority"
        }
    }

    /// The ids of the keys: the SHA-256 of their SPKI DER.
    pub fn key_ids(&self) -> impl Iterator<Item = Digest> {
        self.keys.iter().map(|(id, _)| *id)
    }

    /// Where the keys came from.
    pub fn source(&self) -> &str {
        &self.source
    }

    pub(super) fn key(&self, id: Digest) -> Option<&VerifyingKey> {
        self.keys
            .iter()
            .find(|(known, _)| *known == id)
            .map(|(_, key)| key)
    }
}

/// The keys of a PEM text, each with its id; none is no error here.
pub(super) fn read_keys(pem: &str, source: &str) -> Result<Vec<(Digest, VerifyingKey)>, Error> {
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
                return Err(untrusted(format!(
                    "{source} holds a private key; authorities are named by their public keys"
                )));
            }
            let end = block.find("-----END ").and_then(|at| {
                let line = block.get(at..)?.find('\n')?;
                at.checked_add(line)
            });
            let block = end.and_then(|end| block.get(..end)).unwrap_or(block);
            let key =
                VerifyingKey::from_public_key_pem(&format!("{BEGIN}{block}\n")).map_err(|e| {
                    untrusted(format!(
                        "{source} holds no valid Ed25519 public key (PEM): {e}"
                    ))
                })?;
            if key.is_weak() {
                return Err(untrusted(format!("{source} holds a weak Ed25519 key")));
            }
            Ok((key_id(&key, source)?, key))
        })
        .collect()
}

/// The id of a key: the SHA-256 of its SPKI DER.
pub(super) fn key_id(key: &VerifyingKey, source: &str) -> Result<Digest, Error> {
    key.to_public_key_der()
        .map(|der| Digest::of(der.as_bytes()))
        .map_err(|e| untrusted(format!("{source} holds a key without a DER form: {e}")))
}

pub(super) fn untrusted(message: String) -> Error {
    Error::new(
        Code::LicenseUntrusted,
        message,
        "name the public key (PEM, Ed25519) of the authority that issued your licence: as an \
         option of the call (`--authorities` of a command), as a file or folder in \
         $HELIXOR_AUTHORITY_KEYS, or as ~/.helixor/authorities/*.pem",
    )
}
