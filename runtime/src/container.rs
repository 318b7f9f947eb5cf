//! The `.hxpack` container, format version 1: a playbook, encrypted for one licence.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 4 | `HXPK` |
//! | 4 | 2 | format version, big-endian: 1 |
//! | 6 | 2 | length *n* of the pack id, big-endian |
//! | 8 | *n* | pack id |
//! | 8 + *n* | 12 | AES-GCM nonce, random for each sealing |
//! | 20 + *n* | 32 | SHA-256 of the plaintext |
//! | 52 + *n* | rest | AES-256-GCM ciphertext, ending with its 16-byte tag |
//!
//! The key comes from the licence's content key and the pack id ([`License::pack_key`]);
//! `<pack id>:<licence id>` is authenticated with it. So a pack opens with the one licence it was
//! sealed for, under the one id it was sealed as. Encryption hides the rules from whoever lacks
//! the licence, not from the licensee, and the clear digest lets a guess of the whole playbook be
//! confirmed.
#![deny(clippy::arithmetic_side_effects)]

use crate::license::License;
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes256Gcm, KeyInit};
use helixor_playbook::file::read_limited;
use helixor_playbook::{Code, Digest, Error, PackId};
use rand::TryRng;
use rand::rngs::SysRng;
use std::io;
use std::path::Path;
use zeroize::Zeroizing;

/// The first bytes of every container.
pub const MAGIC: [u8; 4] = *b"HXPK";

/// The one format version there is.
pub const FORMAT_VERSION: u16 = 1;

/// The largest pack file that is read unless the caller says otherwise: 64 MiB.
pub const MAX_PACK_BYTES: u64 = 64 << 20;

/// Bytes of a container with an empty pack id and without the tag; anything shorter is refused.
const SMALLEST: usize = 56;
const NONCE: usize = 12;
const DIGEST: usize = 32;
const TAG: usize = 16;

/// A container taken apart; nothing in it is proven until it is unsealed.
#[derive(Clone, Debug)]
pub struct Envelope<'a> {
    pack_id: PackId,
    nonce: &'a [u8; NONCE],
    digest: Digest,
    ciphertext: &'a [u8],
}

impl<'a> Envelope<'a> {
    /// Takes the bytes of a pack apart (load check 2).
    ///
    /// # Errors
    /// `PACK_FORMAT`, naming the field and what it should be.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let short = |what: &str| {
            format_error(format!(
                "the pack has {} bytes and ends before its {what} does",
                bytes.len()
            ))
        };
        if bytes.len() < SMALLEST {
            return Err(format_error(format!(
                "the pack has {} bytes, fewer than the {SMALLEST} of the smallest one",
                bytes.len()
            )));
        }
        let (magic, rest) = bytes.split_first_chunk().ok_or_else(|| short("magic"))?;
        if *magic != MAGIC {
            return Err(format_error(
                "the file is not a pack: it does not begin with `HXPK`",
            ));
        }
        let (version, rest) = rest
            .split_first_chunk()
            .ok_or_else(|| short("format version"))?;
        let version = u16::from_be_bytes(*version);
        if version != FORMAT_VERSION {
            return Err(format_error(format!(
                "the pack has format version {version}; this runtime opens version {FORMAT_VERSION}"
            )));
        }
        let (length, rest) = rest
            .split_first_chunk()
            .ok_or_else(|| short("pack id length"))?;
        let (id, rest) = rest
            .split_at_checked(u16::from_be_bytes(*length).into())
            .ok_or_else(|| short("pack id"))?;
        let pack_id = std::str::from_utf8(id)
            .map_err(|_| "is not UTF-8".to_owned())
            .and_then(|id| PackId::new(id).map_err(|e| e.to_string()))
            .map_err(|e| format_error(format!("the pack id in the pack's header {e}")))?;
        let (nonce, rest) = rest.split_first_chunk().ok_or_else(|| short("nonce"))?;
        let (digest, ciphertext) = rest
            .split_first_chunk::<DIGEST>()
            .ok_or_else(|| short("digest"))?;
        if ciphertext.len() < TAG {
            return Err(short("authentication tag"));
        }
        Ok(Self {
            pack_id,
            nonce,
            digest: Digest::from_bytes(*digest),
            ciphertext,
        })
    }

    /// The pack id of the header; readable without a key.
    pub const fn pack_id(&self) -> &PackId {
        &self.pack_id
    }

    /// The SHA-256 of the playbook as canonical JSON, as the header promises it; readable without
    /// a key.
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// Decrypts the playbook (load checks 4 and 5). The caller has asked
    /// [`License::check_pack`] before.
    ///
    /// # Errors
    /// `PACK_UNSEAL` when the licence is not the one it was sealed for, or header or ciphertext
    /// were changed; `PACK_INTEGRITY` when the plaintext is not what the header promises.
    pub fn unseal(&self, license: &License) -> Result<Zeroizing<Vec<u8>>, Error> {
        let plaintext = cipher(&self.pack_id, license)
            .decrypt(
                self.nonce.into(),
                Payload {
                    msg: self.ciphertext,
                    aad: associated_data(&self.pack_id, license).as_bytes(),
                },
            )
            .map(Zeroizing::new)
            .map_err(|_| {
                Error::new(
                    Code::PackUnseal,
                    "Decryption failed: content key mismatch or corrupted pack envelope",
                    format!(
                        "pack `{}` was sealed for another licence than `{}`, or its file was \
                         changed; a renewed licence has a new key, so compile or fetch the pack \
                         anew and deploy both together",
                        self.pack_id,
                        license.license_id(),
                    ),
                )
            })?;
        let found = Digest::of(&plaintext);
        if found != self.digest {
            return Err(Error::new(
                Code::PackIntegrity,
                format!(
                    "the playbook in pack `{}` has SHA-256 {found}, but its header promises {}",
                    self.pack_id, self.digest
                ),
                "the file was changed or damaged; compile or fetch the pack anew",
            ));
        }
        Ok(plaintext)
    }
}

/// Seals a playbook, given as canonical JSON, for a licence, with a fresh nonce.
///
/// # Errors
/// `INTERNAL` when the system gives no random bytes.
pub fn seal(pack_id: &PackId, playbook: &[u8], license: &License) -> Result<Vec<u8>, Error> {
    let failed = |what: &str| {
        Error::new(
            Code::Internal,
            format!("pack `{pack_id}` cannot be sealed: {what}"),
            "",
        )
    };
    let mut nonce = [0; NONCE];
    SysRng
        .try_fill_bytes(&mut nonce)
        .map_err(|e| failed(&format!("the system gives no random bytes ({e})")))?;
    let ciphertext = cipher(pack_id, license)
        .encrypt(
            (&nonce).into(),
            Payload {
                msg: playbook,
                aad: associated_data(pack_id, license).as_bytes(),
            },
        )
        .map_err(|_| failed("it is too large for AES-GCM"))?;
    let id = pack_id.as_str().as_bytes();
    let length = u16::try_from(id.len()).map_err(|_| failed("its id is too long"))?;
    Ok([
        &MAGIC,
        FORMAT_VERSION.to_be_bytes().as_slice(),
        &length.to_be_bytes(),
        id,
        &nonce,
        Digest::of(playbook).as_bytes(),
        &ciphertext,
    ]
    .concat())
}

/// Reads a pack file of at most `max_bytes` (usually [`MAX_PACK_BYTES`]).
///
/// # Errors
/// `PACK_NOT_FOUND`; `PACK_TOO_LARGE`, found before the file is read; `IO`. All name the file.
pub fn read_pack(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Error> {
    let name = path.display();
    match read_limited(path, max_bytes) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(Error::new(
            Code::PackTooLarge,
            format!("pack file `{name}` is larger than the {max_bytes} bytes allowed"),
            "check that it is the right file, or raise the limit where the pack is opened",
        )),
        Err(e)
            if matches!(
                e.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Err(Error::new(
                Code::PackNotFound,
                format!("pack file `{name}` does not exist"),
                "check the path, or seal the pack with `helixor-pack compile`",
            ))
        }
        Err(e) => Err(Error::new(
            Code::Io,
            format!("cannot read pack file `{name}`: {e}"),
            "check that it is a file and may be read",
        )),
    }
}

fn cipher(pack_id: &PackId, license: &License) -> Aes256Gcm {
    let key = license.pack_key(pack_id);
    Aes256Gcm::new((&*key).into())
}

fn associated_data(pack_id: &PackId, license: &License) -> String {
    format!("{pack_id}:{}", license.license_id())
}

fn format_error(message: impl Into<String>) -> Error {
    Error::new(
        Code::PackFormat,
        message,
        "check that it is an .hxpack file and was copied whole; otherwise compile or fetch it anew",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::license::tests::{license, vector};

    fn id(text: &str) -> PackId {
        PackId::new(text).unwrap()
    }

    fn open(bytes: &[u8], license: &License) -> Result<Vec<u8>, Error> {
        let envelope = Envelope::parse(bytes)?;
        license.check_pack(envelope.pack_id())?;
        envelope.unseal(license).map(|plaintext| plaintext.to_vec())
    }

    fn code(bytes: &[u8], license: &License) -> Option<Code> {
        open(bytes, license).err().map(|e| e.code())
    }

    #[test]
    fn a_pack_made_by_other_means_opens() {
        let bytes = include_bytes!("../tests/vectors/pack.hxpack");
        let envelope = Envelope::parse(bytes).unwrap();
        let playbook = include_bytes!("../tests/vectors/playbook.json");
        assert_eq!(envelope.pack_id(), &id("example.vector.v1"));
        assert_eq!(envelope.digest(), Digest::of(playbook));
        assert_eq!(*envelope.unseal(&vector()).unwrap(), playbook);
    }

    #[test]
    fn what_was_sealed_opens_and_no_two_seals_are_alike() {
        let license = license("l", &["*"]);
        for plaintext in [b"".as_slice(), b"{}", &[7; 100_000]] {
            let pack = seal(&id("a.b.v1"), plaintext, &license).unwrap();
            assert_eq!(pack.len(), 8 + 6 + 12 + 32 + plaintext.len() + 16);
            assert_eq!(open(&pack, &license).unwrap(), plaintext);
            let again = seal(&id("a.b.v1"), plaintext, &license).unwrap();
            assert_ne!(pack[14..26], again[14..26]);
        }
        let longest = id(&"x".repeat(200));
        let pack = seal(&longest, b"{}", &license).unwrap();
        assert_eq!(open(&pack, &license).unwrap(), b"{}");
    }

    #[test]
    fn no_part_of_a_pack_opens() {
        let license = license("l", &["*"]);
        let pack = seal(&id("a.b.v1"), b"{\"a\":1}", &license).unwrap();
        for end in 0..pack.len() {
            // Once every field is there, only the tag can tell that something is missing.
            let expected = if end < 8 + 6 + 12 + 32 + 16 {
                Code::PackFormat
            } else {
                Code::PackUnseal
            };
            assert_eq!(code(&pack[..end], &license), Some(expected), "{end}");
        }
        let longer = [pack.as_slice(), b"x"].concat();
        assert_eq!(code(&longer, &license), Some(Code::PackUnseal));
    }

    #[test]
    fn no_changed_pack_opens() {
        let license = license("l", &["*"]);
        let pack = seal(&id("a.b.v1"), b"{\"a\":1}", &license).unwrap();
        for at in 0..pack.len() {
            for bit in 0..8 {
                let mut changed = pack.clone();
                changed[at] ^= 1 << bit;
                let code = code(&changed, &license);
                let expected: &[Code] = match at {
                    0..6 => &[Code::PackFormat],
                    6..14 => &[Code::PackFormat, Code::PackUnseal],
                    26..58 => &[Code::PackIntegrity],
                    _ => &[Code::PackUnseal],
                };
                assert!(
                    code.is_some_and(|code| expected.contains(&code)),
                    "{at} {code:?}"
                );
            }
        }
    }

    #[test]
    fn only_the_very_licence_opens_a_pack() {
        let sealed_for = license("one", &["*"]);
        let pack = seal(&id("a.b.v1"), b"{}", &sealed_for).unwrap();
        let error = open(&pack, &license("one", &["*"])).unwrap_err();
        assert_eq!(error.code(), Code::PackUnseal);
        assert_eq!(
            error.message(),
            "Decryption failed: content key mismatch or corrupted pack envelope"
        );
        assert_eq!(
            code(&pack, &license("one", &["b.*"])),
            Some(Code::PackNotLicensed)
        );
    }

    #[test]
    fn every_field_of_the_envelope_is_checked() {
        let header = |n: u16, id: &[u8]| {
            [b"HXPK".as_slice(), &[0, 1], &n.to_be_bytes(), id, &[0; 60]].concat()
        };
        Envelope::parse(&header(1, b"a")).unwrap();
        for (bytes, expected) in [
            (vec![], "0 bytes"),
            (vec![0; 55], "55 bytes"),
            (b"HXPj".repeat(20), "`HXPK`"),
            (b"HXPK\0\x02".repeat(20), "format version 2"),
            (b"HXPK\x01\0".repeat(20), "format version 256"),
            (header(0, b""), "must not be empty"),
            (header(1, b":"), "must consist of ASCII"),
            (header(2, "ü".as_bytes()), "must consist of ASCII"),
            (header(1, b"\xff"), "is not UTF-8"),
            (header(201, &[b'a'; 201]), "201 characters"),
            (header(61, b""), "ends before its pack id"),
            (header(u16::MAX, b"a"), "ends before its pack id"),
            (header(50, &[b'a'; 1]), "must consist of ASCII"),
            (header(10, &[b'a'; 6]), "must consist of ASCII"),
            (
                header(8, &[b'a'; 8])[..66].to_vec(),
                "ends before its authentication tag",
            ),
            (
                header(8, &[b'a'; 8])[..60].to_vec(),
                "ends before its authentication tag",
            ),
            (
                header(40, &[b'a'; 40])[..90].to_vec(),
                "ends before its digest",
            ),
            (
                header(50, &[b'a'; 50])[..60].to_vec(),
                "ends before its nonce",
            ),
        ] {
            let error = Envelope::parse(&bytes).unwrap_err();
            assert_eq!(error.code(), Code::PackFormat);
            assert!(error.message().contains(expected), "{expected}: {error}");
        }
    }

    #[test]
    fn pack_files_are_found_and_limited() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.hxpack");
        std::fs::write(&path, [0; 100]).unwrap();
        assert_eq!(read_pack(&path, 100).unwrap(), [0; 100]);
        for (path, max, code) in [
            (path.clone(), 99, Code::PackTooLarge),
            (folder.path().join("b.hxpack"), 100, Code::PackNotFound),
            (path.join("b.hxpack"), 100, Code::PackNotFound),
            (folder.path().to_owned(), u64::MAX, Code::Io),
        ] {
            let error = read_pack(&path, max).unwrap_err();
            assert_eq!(error.code(), code, "{error}");
            assert!(
                error.message().contains(&path.display().to_string()),
                "{error}"
            );
        }
    }

    #[test]
    fn a_pack_too_large_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.hxpack");
        // Sparse: reading it would not fit into memory.
        std::fs::File::create(&path)
            .unwrap()
            .set_len(1 << 42)
            .unwrap();
        let error = read_pack(&path, MAX_PACK_BYTES).unwrap_err();
        assert_eq!(error.code(), Code::PackTooLarge);
    }
}
