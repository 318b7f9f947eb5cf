//! The packs that every Helixor runtime carries, usable without a licence (COMMUNITY tier).

use crate::check::{Format, check, read};
use crate::ids::PackId;
use crate::model::Playbook;

/// The playbook of the example pack, `compliance.regulatory_pii_guard.v1`, as written (YAML).
pub const EXAMPLE: &str = include_str!("../builtin/regulatory_pii_guard.yaml");

/// The example pack, checked.
#[expect(
    clippy::expect_used,
    reason = "the file is part of the crate and a test checks it"
)]
pub fn example() -> Playbook {
    let root = read(EXAMPLE, Format::Yaml).expect("the built-in playbook can be read");
    check(EXAMPLE, &root).expect("the built-in playbook is valid")
}

/// Whether the runtime carries a pack of this id.
pub fn is_builtin(pack_id: &PackId) -> bool {
    pack_id.as_str() == "compliance.regulatory_pii_guard.v1"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Verdict;

    #[test]
    fn the_example_pack_is_what_it_is_known_as() {
        let playbook = example();
        assert!(is_builtin(&playbook.pack_id));
        assert_eq!(playbook.version, "1.0.0");
        assert_eq!(playbook.domain_name, "RegulatoryPiiGuard");
        assert_eq!(playbook.floor, 0.85);
        let names: Vec<&str> = playbook.fields.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "has_credit_card",
                "has_email",
                "has_health_record",
                "has_ip",
                "has_phone",
                "has_ssn"
            ]
        );
        assert_eq!(playbook.codons.len(), 6);
        let rules: Vec<(&str, Verdict)> = playbook
            .rules
            .iter()
            .map(|r| (r.id.as_str(), r.verdict))
            .collect();
        assert_eq!(
            rules,
            [
                ("RULE-GLBA-SSN-BLOCK", Verdict::Refuse),
                ("RULE-PCI-DSS-PAN-BLOCK", Verdict::Refuse),
                ("RULE-HIPAA-PHI-BLOCK", Verdict::Refuse),
                ("RULE-GDPR-CONTACT-REDACT", Verdict::Redact),
            ]
        );
        assert_eq!(
            playbook.actions[playbook.default_action].as_str(),
            "permit_clean_payload"
        );
    }
}
