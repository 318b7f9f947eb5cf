//! How a pack is opened.

use crate::container::{Envelope, MAX_PACK_BYTES};
use crate::ledger::LedgerChoice;
use crate::license::{AuthoritySource, LicenseSource};
use crate::signature::{self, PackSignature, PublisherKeys, PublisherSource};
use helixor_playbook::Error;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// How a pack is opened. The default looks the licence and the authorities up.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which licence.
    pub license: LicenseSource,
    /// Which authorities are believed.
    pub authorities: AuthoritySource,
    /// Whether a pack of the same interface but other content is taken.
    pub accept_same_interface: bool,
    /// Which publishers are trusted: then a pack needs a signature by one of them. `None`: none is
    /// asked for.
    pub publisher_keys: Option<PublisherSource>,
    /// The pack's signature; `None`: that of a pack file is the file beside it, `<file>.sig`.
    pub signature: Option<Vec<u8>>,
    /// Largest pack file, in bytes.
    pub max_pack_bytes: u64,
    /// Whether the client keeps an audit ledger, and where.
    pub ledger: LedgerChoice,
    /// Whether decisions say how long they took; see [`Decision::latency_us`](super::Decision::latency_us).
    pub timing: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            license: LicenseSource::LookUp,
            authorities: AuthoritySource::LookUp,
            accept_same_interface: false,
            publisher_keys: None,
            signature: None,
            max_pack_bytes: MAX_PACK_BYTES,
            ledger: LedgerChoice::Off,
            timing: false,
        }
    }
}

impl Options {
    /// The default: everything is looked up.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the licence from this file.
    #[must_use]
    pub fn license_file(self, path: impl Into<PathBuf>) -> Self {
        Self {
            license: LicenseSource::File(path.into()),
            ..self
        }
    }

    /// Takes this licence.
    #[must_use]
    pub fn license_json(self, json: impl Into<String>) -> Self {
        Self {
            license: LicenseSource::Json(Zeroizing::new(json.into())),
            ..self
        }
    }

    /// Believes the authority keys in these files, and in the `*.pem` of these folders.
    #[must_use]
    pub fn authorities<P: Into<PathBuf>>(self, paths: impl IntoIterator<Item = P>) -> Self {
        let paths = paths.into_iter().map(Into::into).collect();
        Self {
            authorities: AuthoritySource::Paths(paths),
            ..self
        }
    }

    /// Takes only packs with a signature by one of the publisher keys in these files, and in the
    /// `*.pem` of these folders.
    #[must_use]
    pub fn publisher_keys<P: Into<PathBuf>>(self, paths: impl IntoIterator<Item = P>) -> Self {
        let paths = paths.into_iter().map(Into::into).collect();
        Self {
            publisher_keys: Some(PublisherSource::Paths(paths)),
            ..self
        }
    }

    /// The pack's signature, the content of its `.hxpack.sig`. It is looked at only when publisher
    /// keys are given.
    #[must_use]
    pub fn signature(self, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            signature: Some(bytes.into()),
            ..self
        }
    }

    /// Takes a pack of the same interface even when its content is not what the client was
    /// generated from.
    #[must_use]
    pub fn accept_same_interface(self, accept: bool) -> Self {
        Self {
            accept_same_interface: accept,
            ..self
        }
    }

    /// Keeps an audit ledger: a [`LedgerChoice`] or a [`Ledger`](crate::ledger::Ledger) that other clients have too.
    #[must_use]
    pub fn ledger(self, ledger: impl Into<LedgerChoice>) -> Self {
        Self {
            ledger: ledger.into(),
            ..self
        }
    }

    /// Keeps an audit ledger in this file; see [`Ledger::open`](crate::ledger::Ledger::open).
    #[must_use]
    pub fn ledger_file(self, path: impl Into<PathBuf>) -> Self {
        self.ledger(LedgerChoice::File(path.into()))
    }

    /// Measures each decision.
    #[must_use]
    pub fn timing(self, timing: bool) -> Self {
        Self { timing, ..self }
    }

    /// Checks, when publishers are trusted, that one of them signed these very bytes, which were
    /// read from `path` unless they were given; gives the signature.
    ///
    /// # Errors
    /// PACK_FORMAT when they are not a pack; PACK_SIGNATURE; IO.
    pub fn check_signature(
        &self,
        pack: &[u8],
        path: Option<&Path>,
    ) -> Result<Option<PackSignature>, Error> {
        let Some(trusted) = &self.publisher_keys else {
            return Ok(None);
        };
        let envelope = Envelope::parse(pack)?;
        let trusted = PublisherKeys::read(trusted)?;
        let signature = match (&self.signature, path) {
            (Some(bytes), _) => PackSignature::parse(bytes, "the signature given")?,
            (None, Some(path)) => PackSignature::read(&PackSignature::beside(path))?,
            (None, None) => return Err(signature::missing("none is given")),
        };
        signature.verify(&trusted, pack, envelope.pack_id())?;
        Ok(Some(signature))
    }
}
