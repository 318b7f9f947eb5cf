//! The commands, one module each.

pub mod authority;
pub mod check;
pub mod compile;
pub mod decide;
pub mod inspect;
pub mod inspect_license;
pub mod ledger;
pub mod license;
pub mod publisher;
