//! The authority keys that are believed.

use crate::keys::{Keys, Purpose};
use ed25519_dalek::VerifyingKey;
use helixor_playbook::{Code, Digest, Error};
use std::path::{Path, PathBuf};

const PURPOSE: Purpose = Purpose {
    code: Code::LicenseUntrusted,
    key: "authority key",
    help: "name the public key (PEM, Ed25519) of the authority that issued your licence: as an \
           option of the call (`--authorities` of a command), as a file or folder in \
           $HELIXOR_AUTHORITY_KEYS, or as ~/.helixor/authorities/*.pem",
};

/// The public keys whose licences are believed, and where they came from. There is at least one.
#[derive(Clone, Debug)]
pub struct Authorities {
    keys: Keys,
    pinned: bool,
}

impl Authorities {
    /// Reads Ed25519 public keys (PEM, `PUBLIC KEY`; several may follow one another, text between
    /// them is ignored); `source` names them in messages.
    ///
    /// # Errors
    /// `LICENSE_UNTRUSTED` when there is no key or one that cannot be believed.
    pub fn from_pem(pem: &str, source: impl Into<String>) -> Result<Self, Error> {
        Keys::from_pem(pem, source.into(), &PURPOSE).map(Self::believing)
    }

    pub(super) fn from_place(path: &Path, source: String) -> Result<Self, Error> {
        Keys::from_place(path, source, &PURPOSE).map(Self::believing)
    }

    pub(super) fn from_paths(paths: &[PathBuf]) -> Result<Self, Error> {
        Keys::from_paths(paths, "the authorities given", &PURPOSE).map(Self::believing)
    }

    /// Those that the build believes, whatever its caller and its environment say.
    pub(super) fn pinned(pem: &str) -> Result<Self, Error> {
        let source = "the authorities pinned in this build".to_owned();
        Ok(Self {
            keys: Keys::from_pem(pem, source, &PURPOSE)?,
            pinned: true,
        })
    }

    fn believing(keys: Keys) -> Self {
        Self {
            keys,
            pinned: false,
        }
    }

    /// The ids of the keys: the SHA-256 of their SPKI DER.
    pub fn key_ids(&self) -> impl Iterator<Item = Digest> {
        self.keys.ids()
    }

    /// Where the keys came from.
    pub fn source(&self) -> &str {
        self.keys.source()
    }

    pub(super) fn described(&self) -> String {
        self.keys.described()
    }

    pub(super) fn key(&self, id: Digest) -> Option<&VerifyingKey> {
        self.keys.get(id)
    }

    /// What to do when a licence is signed with none of the keys.
    pub(super) const fn advice(&self) -> &'static str {
        if self.pinned {
            "this build believes the authorities pinned in it and no other; get a licence from one \
             of them"
        } else {
            "get the public key of the authority that issued the licence and, if you trust it, name \
             it as an authority"
        }
    }
}

pub(super) fn untrusted(message: String) -> Error {
    PURPOSE.error(message)
}
