//! The one runtime of Helixor: it verifies a licence, opens the packs that were sealed for it and
//! decides.
//!
//! A pack's way in: bytes -> [`container`] (the envelope) -> [`license`] (may it be opened?) ->
//! the checked rules of a [`Pack`]. A decision's way through: a [`State`] -> [`Pack::decide`] ->
//! an [`Outcome`], explained when asked. [`client`] adds what a client needs around it (names
//! bound at open, the licence's window and limits, the audit [`ledger`]), [`typed`] what generated Rust clients are made of.
//!
//! ```
//! use helixor_runtime::Pack;
//!
//! let pack = Pack::builtin();
//! let state = pack.state_from_json(
//!     br#"{"has_ssn": false, "has_credit_card": true, "has_health_record": false,
//!          "has_email": true, "has_phone": false, "has_ip": false}"#,
//! )?;
//! let outcome = pack.decide(&state)?;
//! assert_eq!(pack.action(&outcome), "block_pci_dss_pan_leakage");
//! assert_eq!(pack.causes(&state, &outcome).len(), 2);
//! # Ok::<(), helixor_runtime::Error>(())
//! ```
#![forbid(unsafe_code)]

mod arithmetic;
pub mod client;
mod clock;
pub mod container;
mod counterfactual;
mod document;
mod explain;
mod judge;
mod keys;
mod layout;
pub mod ledger;
pub mod license;
mod meter;
mod pack;
mod program;
mod proof;
pub mod signature;
mod state;
mod table;
pub mod typed;

pub use client::{AuditReport, Client, Options};
pub use counterfactual::{Change, Counterfactual};
pub use explain::Cause;
pub use helixor_playbook::{
    Code, Data, Digest, Error, Field, FieldKind, Given, HardRule, Interface, Node, PackId,
    Playbook, Value, ValueRef, Verdict, canonical, shown,
};
#[cfg(any(test, feature = "issue"))]
pub use keys::PrivateKey;
pub use layout::State;
pub use ledger::{Ledger, LedgerChoice};
pub use license::{AuthoritySource, License, LicenseSource, Surroundings};
pub use pack::Pack;
pub use program::Outcome;
pub use signature::PublisherSource;
pub use state::{StateBuilder, missing};
