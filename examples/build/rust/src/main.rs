//! Decides with a client that this build generated.

mod regulatory_pii_guard {
    include!(concat!(env!("OUT_DIR"), "/regulatory_pii_guard.rs"));
}

use regulatory_pii_guard::{RegulatoryPiiGuardClient, RegulatoryPiiGuardState};

fn main() -> Result<(), helixor_runtime::Error> {
    // A sealed pack is opened with `RegulatoryPiiGuardClient::open(path)`.
    let guard = RegulatoryPiiGuardClient::builtin()?;
    let payload = RegulatoryPiiGuardState::builder()
        .has_credit_card(false)
        .has_email(true)
        .has_health_record(false)
        .has_ip(false)
        .has_phone(true)
        .has_ssn(false)
        .build()?;
    let decision = guard.decide(&payload)?;
    println!("{}: {}", decision.verdict(), decision.action());
    Ok(())
}
