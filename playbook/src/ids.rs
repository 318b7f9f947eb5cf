//! A type for each name that could be confused with another, checked once at the border.

use sha2::{Digest as _, Sha256};
use std::fmt;

/// Why a text is not an id of the wanted kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdError(String);

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for IdError {}

/// Longest id or field name, in characters (pack ids: bytes, the same since they are ASCII).
const MAX_LENGTH: usize = 200;

fn checked_length(text: &str) -> Result<(), IdError> {
    match text.chars().count() {
        0 => Err(IdError("must not be empty".into())),
        1..=MAX_LENGTH => Ok(()),
        n => Err(IdError(format!(
            "has {n} characters, at most {MAX_LENGTH} are allowed"
        ))),
    }
}

fn without_control(text: &str) -> Result<(), IdError> {
    match text.chars().find(|c| c.is_control()) {
        None => Ok(()),
        Some(c) => Err(IdError(format!(
            "must not contain the control character U+{:04X}",
            c as u32
        ))),
    }
}

fn plain_id(text: &str) -> Result<(), IdError> {
    checked_length(text)?;
    without_control(text)?;
    match text.chars().find(|c| *c == ' ' || *c == ':') {
        None => Ok(()),
        Some(c) => Err(IdError(format!("must not contain `{c}`"))),
    }
}

fn pack_id(text: &str) -> Result<(), IdError> {
    checked_length(text)?;
    match text
        .chars()
        .find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')))
    {
        None => Ok(()),
        Some(c) => Err(IdError(format!(
            "must consist of ASCII letters, digits, `.`, `_` and `-`, not {c:?}"
        ))),
    }
}

fn field_name(text: &str) -> Result<(), IdError> {
    checked_length(text)?;
    without_control(text)
}

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident, $check:path;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// Checks and takes the text.
            ///
            /// # Errors
            /// [`IdError`] says which character or length is not allowed.
            pub fn new(text: impl Into<String>) -> Result<Self, IdError> {
                let text = text.into();
                $check(&text)?;
                Ok(Self(text.into()))
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    )+};
}

ids! {
    /// A pack's id, for example `compliance.regulatory_pii_guard.v1`: 1 to 200 bytes of
    /// `[A-Za-z0-9._-]`.
    PackId, pack_id;
    /// An action's id: 1 to 200 characters without control characters, space or `:`.
    ActionId, plain_id;
    /// A hard rule's id: 1 to 200 characters without control characters, space or `:`.
    RuleId, plain_id;
    /// A codon's code: 1 to 200 characters without control characters, space or `:`.
    CodonCode, plain_id;
    /// A state field's name: any text of 1 to 200 characters without control characters.
    FieldName, field_name;
}

/// A SHA-256 digest; shown as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The SHA-256 of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// A digest read from elsewhere.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 64 lower-case hex digits, as ASCII.
    pub fn hex(&self) -> [u8; 64] {
        let digit = |value: u8| match value {
            0..=9 => b'0' + value,
            _ => b'a' + value - 10,
        };
        let mut hex = [0; 64];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        }
        hex
    }

    /// Reads 64 lower-case hex digits; anything else is `None`.
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let digit = |c: &u8| match c {
                b'0'..=b'9' => Some(c - b'0'),
                b'a'..=b'f' => Some(c - b'a' + 10),
                _ => None,
            };
            let [high, low] = pair else { return None };
            *byte = digit(high)? << 4 | digit(low)?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.hex()).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_round_trip_and_only_lower_case_hex_is_read() {
        let digest = Digest::of(b"test");
        assert_eq!(
            digest.to_string(),
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        );
        assert_eq!(Digest::from_hex(&digest.to_string()), Some(digest));
        assert_eq!(Digest::from_hex(&digest.to_string().to_uppercase()), None);
        assert_eq!(Digest::from_hex("9f"), None);
        assert_eq!(Digest::from_hex(&"é".repeat(32)), None);
    }

    #[test]
    fn ids_refuse_what_their_kind_does_not_allow() {
        assert!(PackId::new("compliance.regulatory_pii_guard.v1").is_ok());
        for bad in ["", "a b", "a/b", "a:b", "päck", &"x".repeat(201)] {
            assert!(PackId::new(bad).is_err(), "{bad}");
        }
        for bad in ["", "a b", "a:b", "a\u{7f}", "a\n", &"x".repeat(201)] {
            assert!(RuleId::new(bad).is_err(), "{bad}");
        }
        assert!(RuleId::new("RÈGLE-*/-1").is_ok());
        assert!(FieldName::new("any name: \"quoted\" */").is_ok());
        assert!(FieldName::new("a\u{85}").is_err());
    }
}
