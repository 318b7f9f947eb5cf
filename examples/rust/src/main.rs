//! Decides on one payload with a sealed pack.

use regulatory_pii_guard::{RegulatoryPiiGuardClient, RegulatoryPiiGuardState};

fn main() -> Result<(), helixor_runtime::Error> {
    let guard = RegulatoryPiiGuardClient::open("guard.hxpack")?;
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
    for cause in decision.necessary_causes() {
        println!("  {}: {} {}", cause.rule, cause.factor, cause.direction);
    }
    println!("  proof {}", decision.proof_sha256());
    Ok(())
}
