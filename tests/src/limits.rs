//! Licences that set limits, each with the example pack sealed for it. Counts are per process and
//! licence, so a test that counts has a licence of its own.

use crate::{Fixtures, PACKS};
use helixor_playbook::Error;
use helixor_runtime::license::{Enforcement, Limits};
use std::num::NonZeroU64;

/// Name, decisions (0: any number), decisions a second (0: any number), what happens beyond.
const LICENSES: [(&str, u64, u64, Enforcement); 8] = [
    ("quota", 3, 0, Enforcement::Enforce),
    ("quota_shared", 3, 0, Enforcement::Enforce),
    ("quota_batch", 3, 0, Enforcement::Enforce),
    ("quota_unread", 3, 0, Enforcement::Enforce),
    ("quota_threads", 4_000, 0, Enforcement::Enforce),
    ("quota_forked", 3, 0, Enforcement::Enforce),
    ("rate", 0, 1, Enforcement::Enforce),
    ("observed", 3, 1, Enforcement::Observe),
];

/// Writes them as `<name>.hxlic` and `<name>.hxpack`.
///
/// # Errors
/// Those of sealing and writing.
pub(crate) fn limits(fixtures: &Fixtures) -> Result<(), Error> {
    let [example, ..] = PACKS;
    for (name, decisions, rate, enforcement) in LICENSES {
        let license = fixtures.license(&format!("{name}.hxlic"), |terms| {
            terms.limits = Limits {
                max_decisions: NonZeroU64::new(decisions),
                max_decisions_per_second: NonZeroU64::new(rate),
                enforcement,
            };
        })?;
        fixtures.write(&format!("{name}.hxpack"), &example.seal(&license)?)?;
    }
    Ok(())
}
