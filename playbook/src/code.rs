//! The one table of error codes, and the one error type made from it.

use std::fmt;

/// What an [`Error`] says, apart from its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What is wrong, naming the thing and what was expected; no final stop.
    pub message: String,
    /// What to do next; empty when there is nothing to add.
    pub help: String,
    /// Every fault found, this one first, where one call can find several (state validation);
    /// otherwise empty.
    pub all: Vec<Error>,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $number:literal, $text:literal;)+) => {
        /// A stable error code: the same name and number in Rust, C, Java and Python.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $doc])+ $variant = $number,)+
        }

        impl Code {
            /// Every code, by number.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)+];

            /// The code as users see it, for example `PACK_UNSEAL`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Code::$variant => $text,)+
                }
            }

            /// The name that Rust variants, and Java and Python exceptions before their suffix,
            /// carry: the code in UpperCamelCase, for example `PackUnseal`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Code::$variant => stringify!($variant),)+
                }
            }
        }

        /// Any failure of Helixor: one variant per [`Code`].
        ///
        /// `Display` gives the message alone; [`Error::code`] the stable code and [`Error::help`]
        /// what to do next.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Error {
            $($(#[doc = $doc])+ $variant(Box<Report>),)+
        }

        impl Error {
            /// The stable code.
            pub const fn code(&self) -> Code {
                match self {
                    $(Error::$variant(_) => Code::$variant,)+
                }
            }

            /// Message, advice and, for state validation, all faults.
            pub const fn report(&self) -> &Report {
                match self {
                    $(Error::$variant(report) => report,)+
                }
            }

            fn from_report(code: Code, report: Report) -> Self {
                let report = Box::new(report);
                match code {
                    $(Code::$variant => Error::$variant(report),)+
                }
            }
        }
    };
}

codes! {
    /// An argument of a call is not one it takes.
    InvalidArgument = 1, "INVALID_ARGUMENT";
    /// The C runtime was shut down and not initialised again.
    NotInitialized = 2, "NOT_INITIALIZED";
    /// No pack of that id is loaded.
    PackNotLoaded = 3, "PACK_NOT_LOADED";
    /// A fault of Helixor itself.
    Internal = 4, "INTERNAL";
    /// A file could not be read or written.
    Io = 5, "IO";
    /// The client was closed.
    Closed = 6, "CLOSED";
    /// Two parts of Helixor are of versions that do not fit.
    VersionSkew = 7, "VERSION_SKEW";
    /// The caller's buffer is too small.
    BufferTooSmall = 8, "BUFFER_TOO_SMALL";
    /// The audit ledger is off.
    LedgerOff = 9, "LEDGER_OFF";
    /// No licence was found (check 1).
    LicenseNotFound = 10, "LICENSE_NOT_FOUND";
    /// The licence is not a licence document (check 1).
    LicenseMalformed = 11, "LICENSE_MALFORMED";
    /// No believed authority has the licence's key (check 1).
    LicenseUntrusted = 12, "LICENSE_UNTRUSTED";
    /// The licence's signature does not verify (check 1).
    LicenseSignature = 13, "LICENSE_SIGNATURE";
    /// The licence's window has not begun (check 1).
    LicenseNotYetValid = 14, "LICENSE_NOT_YET_VALID";
    /// The licence's window is over (check 1, and every decision).
    LicenseExpired = 15, "LICENSE_EXPIRED";
    /// The pack file is not there (check 2).
    PackNotFound = 20, "PACK_NOT_FOUND";
    /// The pack file is larger than allowed (check 2).
    PackTooLarge = 21, "PACK_TOO_LARGE";
    /// The pack file is not an `.hxpack` of format version 1 (check 2).
    PackFormat = 22, "PACK_FORMAT";
    /// The licence does not allow the pack (check 3).
    PackNotLicensed = 23, "PACK_NOT_LICENSED";
    /// Decryption failed (check 4).
    PackUnseal = 24, "PACK_UNSEAL";
    /// The decrypted playbook is not what the header promises (check 5).
    PackIntegrity = 25, "PACK_INTEGRITY";
    /// The licence does not allow a solver the pack declares (check 6).
    SolverNotLicensed = 26, "SOLVER_NOT_LICENSED";
    /// The pack holds what this engine does not execute (check 7).
    PackUnsupported = 27, "PACK_UNSUPPORTED";
    /// The pack is not the one the client was generated from.
    PackMismatch = 28, "PACK_MISMATCH";
    /// The publisher's signature is missing or wrong.
    PackSignature = 29, "PACK_SIGNATURE";
    /// The playbook is not valid.
    PlaybookInvalid = 40, "PLAYBOOK_INVALID";
    /// The manifest is not valid.
    ManifestInvalid = 41, "MANIFEST_INVALID";
    /// Two names fall together in a generated language.
    NameCollision = 42, "NAME_COLLISION";
    /// The state is not JSON.
    StateMalformed = 50, "STATE_MALFORMED";
    /// A required field of the state is missing.
    StateMissing = 51, "STATE_MISSING";
    /// The state has a field the pack does not know.
    StateUnknownField = 52, "STATE_UNKNOWN_FIELD";
    /// A field of the state has the wrong type.
    StateType = 53, "STATE_TYPE";
    /// A field of the state is out of range.
    StateRange = 54, "STATE_RANGE";
    /// A rule could not be evaluated.
    Evaluation = 55, "EVALUATION";
    /// A limit of the licence is reached.
    QuotaExceeded = 60, "QUOTA_EXCEEDED";
}

impl Code {
    /// The stable number, also the C status.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The exit code of every tool for this code: 2 bad input or usage, 3 I/O, 4 licence or pack.
    pub const fn exit_code(self) -> u8 {
        match self.number() {
            10..=29 | 60 => 4,
            5 => 3,
            _ => 2,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Error {
    /// An error with its message and its advice (may be empty).
    pub fn new(code: Code, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::from_report(
            code,
            Report {
                message: message.into(),
                help: help.into(),
                all: Vec::new(),
            },
        )
    }

    /// The first of several faults, carrying them all; `None` when there is none.
    pub fn first_of(faults: Vec<Error>) -> Option<Self> {
        let first = faults.first()?;
        let (code, mut report) = (first.code(), first.report().clone());
        report.all = faults;
        Some(Self::from_report(code, report))
    }

    /// What is wrong; the same text as `Display`.
    pub fn message(&self) -> &str {
        &self.report().message
    }

    /// What to do next; empty when there is nothing to add.
    pub fn help(&self) -> &str {
        &self.report().help
    }

    /// Every fault found by the call, this one first; just this one where a call finds only one.
    pub fn all(&self) -> Vec<&Error> {
        let all = &self.report().all;
        if all.is_empty() {
            vec![self]
        } else {
            all.iter().collect()
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_from_the_codes_and_numbers_are_unique() {
        let mut numbers = Vec::new();
        for code in Code::ALL {
            let camel: String = code
                .as_str()
                .split('_')
                .map(|word| format!("{}{}", &word[..1], word[1..].to_lowercase()))
                .collect();
            assert_eq!(camel, code.name());
            numbers.push(code.number());
        }
        assert!(numbers.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn exit_codes_follow_the_table() {
        assert_eq!(Code::PlaybookInvalid.exit_code(), 2);
        assert_eq!(Code::Io.exit_code(), 3);
        assert_eq!(Code::LicenseNotFound.exit_code(), 4);
        assert_eq!(Code::PackSignature.exit_code(), 4);
        assert_eq!(Code::QuotaExceeded.exit_code(), 4);
        assert_eq!(Code::StateMissing.exit_code(), 2);
    }
}
