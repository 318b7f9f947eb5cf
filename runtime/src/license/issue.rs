//! Signing licences: for tools, behind the feature `issue`.

use super::{LICENSE_SCHEMA, LicenseModel, Limits, Tier, Timestamp, UnverifiedLicense};
use crate::document;
use crate::keys::{PrivateKey, random};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use helixor_playbook::{Code, Digest, Error, Node};
use zeroize::Zeroizing;

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
pub fn issue(terms: &Terms, authority: &PrivateKey) -> Result<Zeroizing<String>, Error> {
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
        ("key_id", authority.key_id().to_string().into()),
    ]);
    let text = document::sign(LICENSE_SCHEMA, &mut license, authority);
    super::wipe(&mut license);
    match UnverifiedLicense::parse(&text, "the licence to be issued") {
        Ok(_) => Ok(text),
        Err(e) => Err(invalid(e.message().to_owned())),
    }
}

fn invalid(message: String) -> Error {
    Error::new(
        Code::InvalidArgument,
        message,
        "correct the terms of the licence",
    )
}
