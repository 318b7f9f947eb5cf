//! Making authority keys and signing licences: for tools, behind the feature `issue`.

use super::authority::key_id;
use super::{
    BASE64, LICENSE_SCHEMA, LicenseModel, Limits, Tier, Timestamp, UnverifiedLicense, signed_text,
};
use base64::Engine;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{
    DecodePrivateKey, EncodePrivateKey, EncodePublicKey, Error as KeyError, KeypairBytes,
};
use ed25519_dalek::{Signer, SigningKey};
use helixor_playbook::canonical::{self, Style};
use helixor_playbook::{Code, Data, Digest, Entry, Error, Node, Span};
use rand::TryRng;
use rand::rngs::SysRng;
use std::fmt;
use zeroize::Zeroizing;

/// An authority's private key; wiped from memory when dropped.
pub struct AuthorityKey {
    signing: SigningKey,
    key_id: Digest,
}

impl AuthorityKey {
    /// A new key from the system's random bytes.
    ///
    /// # Errors
    /// `INTERNAL` when the system gives none.
    pub fn generate() -> Result<Self, Error> {
        Self::new(SigningKey::from_bytes(&*random()?))
    }

    /// Reads a private key in PKCS#8 PEM, as [`AuthorityKey::private_pem`] and OpenSSL write it;
    /// `source` names it in messages.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` when it is not an unencrypted Ed25519 private key.
    pub fn from_pem(pem: &str, source: &str) -> Result<Self, Error> {
        let key = SigningKey::from_pkcs8_pem(pem).map_err(|e| {
            Error::new(
                Code::InvalidArgument,
                format!("{source} is not an unencrypted Ed25519 private key (PKCS#8 PEM): {e}"),
                "make a pair of keys with `helixor-pack authority init --out DIR`",
            )
        })?;
        Self::new(key)
    }

    fn new(signing: SigningKey) -> Result<Self, Error> {
        let key_id = key_id(&signing.verifying_key(), "the authority key")?;
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

    /// The public key in SPKI PEM: what is handed to those who should believe this authority.
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
}

impl fmt::Debug for AuthorityKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthorityKey")
            .field("key_id", &self.key_id)
            .finish_non_exhaustive()
    }
}

/// What a licence is to say; the names are those of the licence's fields.
#[derive(Clone, Debug)]
pub struct Terms {
    /// 1 to 200 characters without control characters; never one that was used before.
    pub license_id: String,
    /// 1 to 200 characters without control characters.
    pub tenant_id: String,
    /// What is sold.
    pub tier: Tier,
    /// How it is sold.
    pub license_model: LicenseModel,
    /// When the licence is made.
    pub issued_at: Timestamp,
    /// The first second it is valid; `None`: `issued_at`.
    pub not_before: Option<Timestamp>,
    /// The first second it is no longer valid; `None` only for a perpetual licence.
    pub expires_at: Option<Timestamp>,
    /// Patterns of pack ids.
    pub licensed_packs: Vec<String>,
    /// Patterns of solver names.
    pub licensed_solvers: Vec<String>,
    /// For example [`super::CUSTOM_PLAYBOOK_COMPILATION`].
    pub features: Vec<String>,
    /// How much may be decided.
    pub limits: Limits,
}

/// A licence id that was never used before: `lic-` and 32 random hex digits.
///
/// # Errors
/// `INTERNAL` when the system gives no random bytes.
pub fn new_license_id() -> Result<String, Error> {
    let digest = Digest::of(random()?.as_slice()).to_string();
    Ok(format!("lic-{}", digest.get(..32).unwrap_or(&digest)))
}

/// Signs a licence with these terms and a new content key; gives the `.hxlic` text, one field a
/// line.
///
/// # Errors
/// `INVALID_ARGUMENT` when the terms do not make a valid licence or its window is empty;
/// `INTERNAL` when the system gives no random bytes.
pub fn issue(terms: &Terms, authority: &AuthorityKey) -> Result<Zeroizing<String>, Error> {
    let start = terms.not_before.unwrap_or(terms.issued_at);
    if let Some(end) = terms.expires_at.filter(|end| *end <= start) {
        return Err(invalid(format!(
            "the licence would be valid from {start} until {end}: never"
        )));
    }
    let content_key = Zeroizing::new(BASE64.encode(*random()?));
    let time = |moment: Timestamp| Node::from(moment.to_string());
    let number = |n: Option<std::num::NonZeroU64>| Node::from(n.map(|n| n.get()));
    let list = |items: &[String]| Node::list(items.iter().map(String::as_str));
    let mut license = Node::map([
        ("schema", LICENSE_SCHEMA.into()),
        ("license_id", terms.license_id.as_str().into()),
        ("tenant_id", terms.tenant_id.as_str().into()),
        ("tier", terms.tier.as_str().into()),
        ("license_model", terms.license_model.as_str().into()),
        ("issued_at", time(terms.issued_at)),
        ("not_before", terms.not_before.map(time).into()),
        ("expires_at", terms.expires_at.map(time).into()),
        ("licensed_packs", list(&terms.licensed_packs)),
        ("licensed_solvers", list(&terms.licensed_solvers)),
        ("features", list(&terms.features)),
        (
            "limits",
            Node::map([
                ("max_decisions", number(terms.limits.max_decisions)),
                (
                    "max_decisions_per_second",
                    number(terms.limits.max_decisions_per_second),
                ),
                ("enforcement_mode", terms.limits.enforcement.as_str().into()),
            ]),
        ),
        ("content_key", content_key.as_str().into()),
        ("key_id", authority.key_id.to_string().into()),
    ]);
    let signature = authority.signing.sign(signed_text(&mut license).as_bytes());
    if let Data::Map(entries) = &mut license.data {
        entries.push(Entry {
            key: "signature".into(),
            key_span: Span::default(),
            value: BASE64.encode(signature.to_bytes()).into(),
        });
    }
    let text = lines(&license);
    super::wipe(&mut license);
    match UnverifiedLicense::parse(&text, "the licence to be issued") {
        Ok(_) => Ok(text),
        Err(e) => Err(invalid(e.message().to_owned())),
    }
}

/// The document with one field a line, in the order given.
fn lines(license: &Node) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(4096));
    if let Data::Map(entries) = &license.data {
        for (i, entry) in entries.iter().enumerate() {
            text.push_str(if i == 0 { "{\n  " } else { ",\n  " });
            canonical::push_string(&mut text, &entry.key);
            text.push_str(": ");
            // A licence holds no floats, so every value has a JSON form.
            let value = canonical::write(&entry.value, Style::Spaced);
            text.push_str(&Zeroizing::new(value.unwrap_or_default()));
        }
        text.push_str("\n}\n");
    }
    text
}

fn random() -> Result<Zeroizing<[u8; 32]>, Error> {
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

fn invalid(message: String) -> Error {
    Error::new(
        Code::InvalidArgument,
        message,
        "correct the terms of the licence",
    )
}

fn not_encoded(e: &KeyError) -> Error {
    Error::new(
        Code::Internal,
        format!("the authority key cannot be encoded: {e}"),
        "",
    )
}
