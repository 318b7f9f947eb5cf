//! Licences (`.hxlic`): what one says, whether to believe it, and what it allows.
//!
//! A licence is JSON, signed with Ed25519 by an *authority*. It is read in steps that cannot be
//! skipped: [`UnverifiedLicense::parse`], [`UnverifiedLicense::verify`] against the
//! [`Authorities`] believed, and [`License::check_window`]; [`load()`] finds the licence and does
//! all three (load check 1). Secret in it is `content_key`, from which the keys of packs are made:
//! it is never shown and is wiped from memory when the licence is dropped.
//!
//! Authorities are those pinned in the build, by the PEM file that `HELIXOR_PINNED_AUTHORITIES`
//! named when it was made; without such, those the caller names, or else those of the environment.
//! So whoever controls the environment of a process that is not pinned decides whom it believes.

mod authority;
#[cfg(any(test, feature = "issue"))]
pub mod issue;
mod lookup;
mod pattern;
mod time;

pub use authority::Authorities;
pub use lookup::{
    AUTHORITY_KEYS_VARIABLE, AuthoritySource, LICENSE_FILE_VARIABLE, LicenseSource, Surroundings,
    find, find_authorities, is_pinned, load,
};
pub use time::Timestamp;

use crate::document::{self, Reader, from_base64, signed_text};
use ed25519_dalek::Signature;
use helixor_playbook::{Code, Data, Digest, Error, Node, PackId, Problem, canonical};
use hkdf::Hkdf;
use sha2::Sha256;
use std::fmt;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use zeroize::{Zeroize, Zeroizing};

/// The `schema` of a licence, and the first line of what its signature covers.
pub const LICENSE_SCHEMA: &str = "helixor.license.v1";

/// The feature that allows any pack, whatever `licensed_packs` says.
pub const CUSTOM_PLAYBOOK_COMPILATION: &str = "custom_playbook_compilation";

/// The largest licence that is read, in bytes.
const MAX_LICENSE_BYTES: usize = 1 << 20;

macro_rules! words {
    ($($(#[doc = $doc:literal])+ $name:ident {
        $($(#[doc = $item_doc:literal])+ $item:ident = $text:literal,)+
    })+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[doc = $item_doc])+ $item,)+
        }

        impl $name {
            /// Every value.
            pub const ALL: &'static [$name] = &[$($name::$item,)+];

            /// The word licences use.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($name::$item => $text,)+
                }
            }

            /// Reads the word licences use.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    )+};
}

words! {
    /// What the licensee bought.
    Tier {
        /// The tier without a licence.
        Community = "COMMUNITY",
        /// For development.
        Developer = "DEVELOPER",
        /// For production.
        Studio = "STUDIO",
        /// For production, with everything.
        Expert = "EXPERT",
    }
    /// How the licence was sold.
    LicenseModel {
        /// It may be without an end.
        Perpetual = "PERPETUAL",
        /// It always has an end.
        Subscription = "SUBSCRIPTION",
    }
    /// What happens beyond a limit.
    Enforcement {
        /// The excess is counted.
        Observe = "observe",
        /// The decision is refused.
        Enforce = "enforce",
    }
}

macro_rules! names {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// Takes 1 to 200 characters without control characters; anything else is `None`.
            pub fn new(text: &str) -> Option<Self> {
                is_name(text).then(|| Self(text.into()))
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
    )+};
}

names! {
    /// A licence's id: 1 to 200 characters without control characters.
    LicenseId;
    /// A licensee's id: 1 to 200 characters without control characters.
    TenantId;
}

fn is_name(text: &str) -> bool {
    (1..=200).contains(&text.chars().count()) && !text.contains(char::is_control)
}

/// How much may be decided, per process and licence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Decisions since load; `None`: any number.
    pub max_decisions: Option<NonZeroU64>,
    /// Decisions per second; `None`: any number.
    pub max_decisions_per_second: Option<NonZeroU64>,
    /// What happens beyond them.
    pub enforcement: Enforcement,
}

impl Limits {
    /// No limits.
    pub const NONE: Limits = Limits {
        max_decisions: None,
        max_decisions_per_second: None,
        enforcement: Enforcement::Observe,
    };
}

/// What a licence says, but for its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Its id; a renewed licence has another.
    pub license_id: LicenseId,
    /// Who holds it.
    pub tenant_id: TenantId,
    /// What was bought.
    pub tier: Tier,
    /// How it was sold.
    pub model: LicenseModel,
    /// When it was made.
    pub issued_at: Timestamp,
    /// The first second it is valid.
    pub not_before: Timestamp,
    /// The first second it is no longer valid; `None`: it has no end.
    pub expires_at: Option<Timestamp>,
    /// Patterns of the packs it allows.
    pub licensed_packs: Vec<String>,
    /// Patterns of the solvers it allows.
    pub licensed_solvers: Vec<String>,
    /// What else it allows, for example [`CUSTOM_PLAYBOOK_COMPILATION`].
    pub features: Vec<String>,
    /// How much may be decided.
    pub limits: Limits,
    /// The authority key that signed it: the SHA-256 of its SPKI DER.
    pub key_id: Digest,
}

/// A licence whose signature was verified.
pub struct License {
    claims: Claims,
    // Boxed, so that moving the licence leaves no copy behind.
    content_key: Box<Zeroizing<[u8; 32]>>,
    source: String,
    file: Option<PathBuf>,
    believed: String,
}

impl License {
    /// What it says.
    pub const fn claims(&self) -> &Claims {
        &self.claims
    }

    /// Its id; a renewed licence has another.
    pub const fn license_id(&self) -> &LicenseId {
        &self.claims.license_id
    }

    /// The first second it is no longer valid; `None`: it has no end.
    pub const fn expires_at(&self) -> Option<Timestamp> {
        self.claims.expires_at
    }

    /// Where the licence was read, for example ``licence file `./helixor.hxlic` ``.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The file it was read from; `None` when it was given as text.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Which source of authority keys was believed, for example
    /// `$HELIXOR_AUTHORITY_KEYS (/etc/helixor/authorities)`.
    pub fn believed(&self) -> &str {
        &self.believed
    }

    /// Checks that `not_before <= now < expires_at`.
    ///
    /// # Errors
    /// `LICENSE_NOT_YET_VALID` or `LICENSE_EXPIRED`.
    pub fn check_window(&self, now: Timestamp) -> Result<(), Error> {
        let id = &self.claims.license_id;
        if now < self.claims.not_before {
            return Err(Error::new(
                Code::LicenseNotYetValid,
                format!(
                    "licence `{id}` is valid from {}; it is {now} now",
                    self.claims.not_before
                ),
                "wait until then, or check this machine's clock",
            ));
        }
        match self.claims.expires_at {
            Some(end) if now >= end => Err(self.expired(end, now)),
            _ => Ok(()),
        }
    }

    pub(crate) fn expired(&self, end: Timestamp, now: Timestamp) -> Error {
        let id = &self.claims.license_id;
        Error::new(
            Code::LicenseExpired,
            format!("licence `{id}` expired at {end}; it is {now} now"),
            "renew it, then compile or fetch every pack anew: a renewed licence has a new key",
        )
    }

    /// Whether it allows a pack: its id fits a pattern of `licensed_packs`, or the feature
    /// [`CUSTOM_PLAYBOOK_COMPILATION`] is there.
    pub fn allows_pack(&self, pack_id: &PackId) -> bool {
        self.claims
            .features
            .iter()
            .any(|f| f == CUSTOM_PLAYBOOK_COMPILATION)
            || any_matches(&self.claims.licensed_packs, pack_id.as_str())
    }

    /// Whether it allows a solver: its name fits a pattern of `licensed_solvers`.
    pub fn allows_solver(&self, solver: &str) -> bool {
        any_matches(&self.claims.licensed_solvers, solver)
    }

    /// Load check 3.
    ///
    /// # Errors
    /// `PACK_NOT_LICENSED` unless [`License::allows_pack`].
    pub fn check_pack(&self, pack_id: &PackId) -> Result<(), Error> {
        if self.allows_pack(pack_id) {
            return Ok(());
        }
        Err(Error::new(
            Code::PackNotLicensed,
            format!(
                "licence `{}` does not allow pack `{pack_id}`; it allows {}",
                self.claims.license_id,
                quoted(&self.claims.licensed_packs),
            ),
            format!(
                "ask for a licence that allows it, or one with the feature \
                 `{CUSTOM_PLAYBOOK_COMPILATION}`"
            ),
        ))
    }

    /// Load check 6.
    ///
    /// # Errors
    /// `SOLVER_NOT_LICENSED`, naming every solver that is not allowed.
    pub fn check_solvers<'a>(
        &self,
        solvers: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), Error> {
        let refused: Vec<&str> = solvers
            .into_iter()
            .filter(|solver| !self.allows_solver(solver))
            .collect();
        if refused.is_empty() {
            return Ok(());
        }
        Err(Error::new(
            Code::SolverNotLicensed,
            format!(
                "licence `{}` does not allow {}, which the pack declares; it allows {}",
                self.claims.license_id,
                quoted(&refused),
                quoted(&self.claims.licensed_solvers),
            ),
            "ask for a licence that allows these solvers",
        ))
    }

    /// The AES-256 key of a pack: HKDF-SHA256 of the content key without salt, with the
    /// information `helixor.hxpack.v1:<pack id>`.
    pub fn pack_key(&self, pack_id: &PackId) -> Zeroizing<[u8; 32]> {
        let mut key = Zeroizing::new([0; 32]);
        let info = [b"helixor.hxpack.v1:", pack_id.as_str().as_bytes()];
        let expanded = Hkdf::<Sha256>::new(None, self.content_key.as_slice())
            .expand_multi_info(&info, key.as_mut_slice());
        debug_assert!(expanded.is_ok(), "HKDF-SHA256 gives up to 8160 bytes");
        key
    }
}

impl fmt::Debug for License {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("License")
            .field("license_id", &self.claims.license_id)
            .field("tenant_id", &self.claims.tenant_id)
            .field("tier", &self.claims.tier)
            .field("expires_at", &self.claims.expires_at)
            .finish_non_exhaustive()
    }
}

fn any_matches(patterns: &[String], text: &str) -> bool {
    patterns.iter().any(|p| pattern::matches(p, text))
}

fn quoted<S: AsRef<str>>(items: &[S]) -> String {
    if items.is_empty() {
        return "none".to_owned();
    }
    let items: Vec<String> = items
        .iter()
        .map(|item| format!("`{}`", item.as_ref()))
        .collect();
    items.join(", ")
}

/// A licence as read, believed by nobody yet.
pub struct UnverifiedLicense {
    license: License,
    signed: Zeroizing<String>,
    signature: Signature,
}

impl UnverifiedLicense {
    /// Reads a licence; `source` says in messages where it came from ("licence file `x`").
    ///
    /// # Errors
    /// `LICENSE_MALFORMED`, with every fault and its place.
    pub fn parse(json: &str, source: &str) -> Result<Self, Error> {
        let mut node =
            canonical::parse(json).map_err(|problem| malformed(json, source, &[problem]))?;
        let mut problems = Vec::new();
        let parts = read(&node, source, &mut problems);
        let signed = signed_text(LICENSE_SCHEMA, &mut node);
        wipe(&mut node);
        match parts {
            Some((license, signature)) if problems.is_empty() => Ok(Self {
                license,
                signed,
                signature,
            }),
            _ => Err(malformed(json, source, &problems)),
        }
    }

    /// What it says, not to be believed yet.
    pub const fn claims(&self) -> &Claims {
        &self.license.claims
    }

    /// Where it was read.
    pub fn source(&self) -> &str {
        &self.license.source
    }

    /// The file it was read from; `None` when it was given as text.
    pub fn file(&self) -> Option<&Path> {
        self.license.file()
    }

    /// Verifies the signature with the authority key that the licence names.
    ///
    /// # Errors
    /// `LICENSE_UNTRUSTED` when no authority has that key; `LICENSE_SIGNATURE` when its signature
    /// is not over what the licence says.
    pub fn verify(mut self, authorities: &Authorities) -> Result<License, Error> {
        let key_id = self.license.claims.key_id;
        let Some(key) = authorities.key(key_id) else {
            return Err(Error::new(
                Code::LicenseUntrusted,
                format!(
                    "{} is signed with key {key_id}, which is none of the authority keys believed \
                     ({})",
                    self.license.source,
                    authorities.described(),
                ),
                authorities.advice(),
            ));
        };
        key.verify_strict(self.signed.as_bytes(), &self.signature)
            .map_err(|_| {
                Error::new(
                    Code::LicenseSignature,
                    format!(
                        "the signature of {} does not fit what it says: it was changed, or is not \
                         signed with the key it names, {key_id}",
                        self.license.source
                    ),
                    "install the licence file again exactly as it was issued",
                )
            })?;
        self.license.believed = authorities.source().to_owned();
        Ok(self.license)
    }
}

impl fmt::Debug for UnverifiedLicense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnverifiedLicense")
            .field("license_id", &self.license.claims.license_id)
            .finish_non_exhaustive()
    }
}

/// Overwrites every text of the document, the content key among them.
fn wipe(license: &mut Node) {
    if let Data::Map(entries) = &mut license.data {
        for entry in entries {
            if let Data::String(text) = &mut entry.value.data {
                text.zeroize();
            }
        }
    }
}

fn malformed(json: &str, source: &str, problems: &[Problem]) -> Error {
    document::invalid(
        Code::LicenseMalformed,
        json,
        &format!("{source} is not a valid licence"),
        problems,
        "install the licence file again exactly as it was issued",
    )
}

fn read(node: &Node, source: &str, problems: &mut Vec<Problem>) -> Option<(License, Signature)> {
    let mut reader = Reader::new(node, "the licence", problems)?;
    reader.schema(LICENSE_SCHEMA);
    let license_id = reader.value("license_id", NAME, |node| LicenseId::new(node.as_str()?));
    let tenant_id = reader.value("tenant_id", NAME, |node| TenantId::new(node.as_str()?));
    let tier = reader.value("tier", "COMMUNITY, DEVELOPER, STUDIO or EXPERT", |node| {
        Tier::parse(node.as_str()?)
    });
    let model = reader.value("license_model", "PERPETUAL or SUBSCRIPTION", |node| {
        LicenseModel::parse(node.as_str()?)
    });
    let issued_at = reader.time("issued_at");
    let not_before = reader.nullable_time("not_before");
    let expires_at = match model {
        Some(LicenseModel::Subscription) => reader.time("expires_at"),
        _ => reader.nullable_time("expires_at"),
    };
    let licensed_packs = names(&mut reader, "licensed_packs");
    let licensed_solvers = names(&mut reader, "licensed_solvers");
    let features = names(&mut reader, "features");
    let limits = match reader.map("limits") {
        Some((node, problems)) => read_limits(node, problems),
        None => Some(Limits::NONE),
    };
    let content_key = reader.value("content_key", "the Base64 of 32 bytes", |node| {
        let bytes = from_base64(node.as_str()?)?;
        let mut key = Box::new(Zeroizing::new([0; 32]));
        if bytes.len() != key.len() {
            return None;
        }
        key.copy_from_slice(&bytes);
        Some(key)
    });
    let key_id = reader.digest("key_id");
    let signature = reader.signature();
    reader.finish();
    let claims = Claims {
        license_id: license_id?,
        tenant_id: tenant_id?,
        tier: tier?,
        model: model?,
        issued_at: issued_at?,
        not_before: not_before.or(issued_at)?,
        expires_at,
        licensed_packs,
        licensed_solvers,
        features,
        limits: limits?,
        key_id: key_id?,
    };
    let license = License {
        claims,
        content_key: content_key?,
        source: source.to_owned(),
        file: None,
        believed: String::new(),
    };
    Some((license, signature?))
}

fn read_limits(node: &Node, problems: &mut Vec<Problem>) -> Option<Limits> {
    let mut reader = Reader::new(node, "`limits`", problems)?;
    let max_decisions = reader.nullable("max_decisions", COUNT, count);
    let max_decisions_per_second = reader.nullable("max_decisions_per_second", COUNT, count);
    let enforcement = reader.value("enforcement_mode", "observe or enforce", |node| {
        Enforcement::parse(node.as_str()?)
    });
    reader.finish();
    Some(Limits {
        max_decisions,
        max_decisions_per_second,
        enforcement: enforcement?,
    })
}

const NAME: &str = "a string of 1 to 200 characters without control characters";
const COUNT: &str = "an integer above 0";

fn count(node: &Node) -> Option<NonZeroU64> {
    match node.data {
        Data::Int(n) => NonZeroU64::new(u64::try_from(n).ok()?),
        _ => None,
    }
}

/// A list of names or patterns; empty after a fault.
fn names(reader: &mut Reader<'_, '_>, key: &'static str) -> Vec<String> {
    let items = reader.value(key, "a list", |node| match &node.data {
        Data::List(items) => Some(items),
        _ => None,
    });
    let mut names = Vec::new();
    for item in items.into_iter().flatten() {
        match item.as_str().filter(|text| is_name(text)) {
            Some(name) => names.push(name.to_owned()),
            None => reader.fault(item.span, &format!("an item of `{key}`"), NAME),
        }
    }
    names
}

#[cfg(test)]
pub(crate) mod tests;
