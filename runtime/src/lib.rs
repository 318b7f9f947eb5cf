//! The one runtime of Helixor: it verifies a licence, opens the packs that were sealed for it and
//! decides.
//!
//! A pack's way in: bytes -> [`container`] (the envelope) -> [`license`] (may it be opened?) ->
//! the unsealed playbook.
#![forbid(unsafe_code)]

pub mod container;
pub mod file;
pub mod license;

pub use helixor_playbook::{Code, Digest, Error, PackId};
pub use license::{AuthoritySource, License, LicenseSource, Surroundings};
