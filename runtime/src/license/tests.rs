use super::issue::{Terms, issue};
use super::*;
use crate::keys::PrivateKey;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use helixor_playbook::canonical::Style;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

const ISSUED: &str = "2026-01-01T00:00:00Z";
const EXPIRES: &str = "2027-01-01T00:00:00Z";
const DURING: &str = "2026-06-01T12:00:00Z";

fn terms() -> Terms {
    Terms {
        license_id: "lic-1".into(),
        tenant_id: "Acme Müller".into(),
        tier: Tier::Studio,
        license_model: LicenseModel::Subscription,
        issued_at: at(ISSUED),
        not_before: None,
        expires_at: Some(at(EXPIRES)),
        licensed_packs: vec!["compliance.*".into()],
        licensed_solvers: vec!["z3".into(), "lp-*".into()],
        features: vec!["other".into()],
        limits: Limits {
            max_decisions: NonZeroU64::new(u64::MAX),
            max_decisions_per_second: None,
            enforcement: Enforcement::Enforce,
        },
    }
}

fn believing(key: &PrivateKey) -> Authorities {
    Authorities::from_pem(&key.public_pem().unwrap(), "the test's authorities").unwrap()
}

pub(crate) fn verified(text: &str, key: &PrivateKey) -> Result<License, Error> {
    UnverifiedLicense::parse(text, "the test's licence")?.verify(&believing(key))
}

/// A verified licence, for the tests of other modules.
pub(crate) fn license(id: &str, packs: &[&str]) -> License {
    let key = PrivateKey::generate().unwrap();
    let terms = Terms {
        license_id: id.into(),
        licensed_packs: packs.iter().map(|pack| (*pack).to_owned()).collect(),
        ..terms()
    };
    verified(&issue(&terms, &key).unwrap(), &key).unwrap()
}

/// A verified licence that allows so many decisions and every pack.
pub(crate) fn limited(id: &str, decisions: u64, key: &PrivateKey) -> License {
    verified(&limited_json(id, decisions, key), key).unwrap()
}

/// The text of such a licence.
pub(crate) fn limited_json(id: &str, decisions: u64, key: &PrivateKey) -> Zeroizing<String> {
    let terms = Terms {
        license_id: id.into(),
        licensed_packs: vec!["*".into()],
        expires_at: Some(at("2099-01-01T00:00:00Z")),
        limits: Limits {
            max_decisions: NonZeroU64::new(decisions),
            max_decisions_per_second: None,
            enforcement: Enforcement::Enforce,
        },
        ..terms()
    };
    issue(&terms, key).unwrap()
}

/// The keys of a document with one field a line.
pub(crate) fn keys_of(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.trim().split('"').nth(1))
        .collect()
}

fn pack(id: &str) -> PackId {
    PackId::new(id).unwrap()
}

/// A fresh folder as home, with nothing named.
fn around(folder: &Path) -> Surroundings {
    fs::create_dir_all(folder.join("home/.helixor")).unwrap();
    fs::create_dir_all(folder.join("here")).unwrap();
    Surroundings {
        license_file: None,
        authority_keys: None,
        home: Some(folder.join("home")),
        current_dir: folder.join("here"),
        now: at(DURING),
    }
}

#[test]
fn an_issued_licence_says_its_terms() {
    let key = PrivateKey::generate().unwrap();
    let text = issue(&terms(), &key).unwrap();
    let license = verified(&text, &key).unwrap();
    assert_eq!(license.license_id().as_str(), "lic-1");
    assert_eq!(license.claims().tenant_id.as_str(), "Acme Müller");
    assert_eq!(license.claims().tier, Tier::Studio);
    assert_eq!(license.claims().model, LicenseModel::Subscription);
    assert_eq!(license.claims().issued_at, at(ISSUED));
    assert_eq!(license.claims().not_before, at(ISSUED));
    assert_eq!(license.expires_at(), Some(at(EXPIRES)));
    assert_eq!(license.claims().licensed_packs, ["compliance.*"]);
    assert_eq!(license.claims().licensed_solvers, ["z3", "lp-*"]);
    assert_eq!(license.claims().features, ["other"]);
    assert_eq!(license.claims().limits, terms().limits);
    assert_eq!(license.claims().key_id, key.key_id());
    assert_eq!(license.source(), "the test's licence");
    assert_eq!(license.believed(), "the test's authorities");

    assert_eq!(
        keys_of(&text),
        [
            "schema",
            "license_id",
            "tenant_id",
            "tier",
            "license_model",
            "issued_at",
            "not_before",
            "expires_at",
            "licensed_packs",
            "licensed_solvers",
            "features",
            "limits",
            "content_key",
            "key_id",
            "signature",
        ]
    );
    // Each licence has its own content key.
    assert_ne!(*text, *issue(&terms(), &key).unwrap());
}

/// A licence made apart from this code, by `runtime/tests/vectors/make.py`.
pub(crate) fn vector() -> License {
    let authority = include_str!("../../tests/vectors/authority.pem");
    UnverifiedLicense::parse(include_str!("../../tests/vectors/license.hxlic"), "vector")
        .unwrap()
        .verify(&Authorities::from_pem(authority, "vector").unwrap())
        .unwrap()
}

#[test]
fn a_licence_made_by_other_means_is_read() {
    let license = vector();
    assert_eq!(
        license.claims().tenant_id.as_str(),
        "Müller \u{1f600} \u{2028}"
    );
    assert_eq!(license.expires_at(), None);
    assert_eq!(
        license.claims().limits.max_decisions,
        NonZeroU64::new(u64::MAX)
    );
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_signed_field_is_protected() {
    let key = PrivateKey::generate().unwrap();
    let other = PrivateKey::generate().unwrap();
    let text = issue(&terms(), &key).unwrap();
    let both = Authorities::from_pem(
        &format!(
            "{}{}",
            key.public_pem().unwrap(),
            other.public_pem().unwrap()
        ),
        "both",
    )
    .unwrap();
    let verify = |text: &str| UnverifiedLicense::parse(text, "x").unwrap().verify(&both);
    verify(&text).unwrap();
    // Layout and the order of keys are not what is signed.
    verify(&canonical::write(&canonical::parse(&text).unwrap(), Style::Compact).unwrap()).unwrap();

    let other_id = other.key_id().to_string();
    let other_key = BASE64.encode([7; 32]);
    let other_signature = BASE64.encode([7; 64]);
    for (field, value) in [
        ("license_id", r#""lic-2""#),
        ("tenant_id", r#""Acme""#),
        ("tier", r#""EXPERT""#),
        ("license_model", r#""PERPETUAL""#),
        ("issued_at", r#""2025-01-01T00:00:00Z""#),
        ("not_before", r#""2025-01-01T00:00:00Z""#),
        ("expires_at", r#""2028-01-01T00:00:00Z""#),
        ("licensed_packs", r#"["*"]"#),
        ("licensed_solvers", r#"["*"]"#),
        ("features", r#"["custom_playbook_compilation"]"#),
        ("limits", "null"),
        ("content_key", &format!("{other_key:?}")),
        ("key_id", &format!("{other_id:?}")),
        ("signature", &format!("{other_signature:?}")),
    ] {
        let changed = with(&text, field, Some(value));
        assert_eq!(
            verify(&changed).unwrap_err().code(),
            Code::LicenseSignature,
            "{field}"
        );
    }
    assert_eq!(
        verify(&with(&text, "not_before", None)).unwrap_err().code(),
        Code::LicenseSignature
    );
}

/// The issued text with another value for a field, or without it.
fn with(text: &str, field: &str, value: Option<&str>) -> String {
    let start = format!("  {field:?}: ");
    assert!(text.lines().any(|line| line.starts_with(&start)), "{field}");
    text.lines()
        .filter_map(|line| match (line.strip_prefix(&start), value) {
            (None, _) => Some(format!("{line}\n")),
            (Some(_), None) => None,
            (Some(rest), Some(value)) => {
                let comma = if rest.ends_with(',') { "," } else { "" };
                Some(format!("{start}{value}{comma}\n"))
            }
        })
        .collect()
}

#[test]
fn an_unknown_authority_is_not_believed() {
    let key = PrivateKey::generate().unwrap();
    let other = PrivateKey::generate().unwrap();
    let error = verified(&issue(&terms(), &key).unwrap(), &other).unwrap_err();
    assert_eq!(error.code(), Code::LicenseUntrusted);
    for text in [
        key.key_id().to_string(),
        other.key_id().to_string(),
        "the test's".into(),
    ] {
        assert!(error.message().contains(&text), "{error}");
    }
}

#[test]
fn every_fault_of_a_licence_is_reported_with_its_place() {
    let key = PrivateKey::generate().unwrap();
    let text = issue(&terms(), &key).unwrap();
    for (field, value, expected) in [
        (
            "schema",
            r#""helixor.license.v2""#,
            "must be \"helixor.license.v1\"",
        ),
        ("license_id", r#""""#, "1 to 200 characters"),
        ("license_id", r#""a\nb""#, "1 to 200 characters"),
        ("tenant_id", "7", "1 to 200 characters"),
        (
            "tier",
            r#""studio""#,
            "COMMUNITY, DEVELOPER, STUDIO or EXPERT",
        ),
        ("license_model", "null", "PERPETUAL or SUBSCRIPTION"),
        ("issued_at", r#""2026-01-01""#, "YYYY-MM-DDTHH:MM:SSZ"),
        (
            "not_before",
            r#""2026-01-01T00:00:00+00:00""#,
            "YYYY-MM-DDTHH:MM:SSZ, or null",
        ),
        ("expires_at", "null", "YYYY-MM-DDTHH:MM:SSZ"),
        ("licensed_packs", r#""*""#, "must be a list"),
        ("licensed_packs", "[1]", "an item of `licensed_packs`"),
        (
            "licensed_solvers",
            r#"[""]"#,
            "an item of `licensed_solvers`",
        ),
        ("features", "{}", "must be a list"),
        ("limits", "[]", "`limits` must be a map"),
        ("limits", "{}", "missing key `enforcement_mode` in `limits`"),
        (
            "limits",
            r#"{"enforcement_mode": "Observe"}"#,
            "observe or enforce",
        ),
        (
            "limits",
            r#"{"enforcement_mode": "observe", "max_decisions": 0}"#,
            "`max_decisions` of `limits` must be an integer above 0, or null",
        ),
        (
            "limits",
            r#"{"enforcement_mode": "observe", "max_decisions_per_second": 1.0}"#,
            "an integer above 0, or null",
        ),
        (
            "limits",
            r#"{"enforcement_mode": "observe", "max_decision": 1}"#,
            "unknown key `max_decision` in `limits` (did you mean `max_decisions`?)",
        ),
        ("content_key", r#""AAAA""#, "the Base64 of 32 bytes"),
        ("key_id", r#""ABC""#, "64 lower-case hex digits"),
        ("signature", r#""AAAA""#, "the Base64 of 64 bytes"),
    ] {
        let error = verified(&with(&text, field, Some(value)), &key).unwrap_err();
        assert_eq!(error.code(), Code::LicenseMalformed, "{field} {value}");
        assert!(error.message().contains(expected), "{error}");
        assert!(error.message().contains("line "), "{error}");
    }
    for field in [
        "schema",
        "license_id",
        "tenant_id",
        "tier",
        "license_model",
        "issued_at",
        "expires_at",
        "licensed_packs",
        "licensed_solvers",
        "features",
        "content_key",
        "key_id",
    ] {
        let error = verified(&with(&text, field, None), &key).unwrap_err();
        assert_eq!(error.code(), Code::LicenseMalformed, "{field}");
        assert!(
            error.message().contains(&format!("missing key `{field}`")),
            "{error}"
        );
    }
    for text in [
        "{",
        "[]",
        "null",
        r#"{"tier": 1, "tier": 1}"#,
        &text.replace("{\n", "{\n\"x\":1,"),
    ] {
        assert_eq!(
            verified(text, &key).unwrap_err().code(),
            Code::LicenseMalformed,
            "{text}"
        );
    }

    let two = with(&with(&text, "tier", Some("1")), "tenant_id", Some("{}"));
    let message = verified(&two, &key).unwrap_err().message().to_owned();
    assert!(
        message.contains("\n  line 4, column 16: `tenant_id`"),
        "{message}"
    );
    assert!(
        message.contains("\n  line 5, column 11: `tier`"),
        "{message}"
    );
}

#[test]
fn base64_is_standard_padded_and_strict() {
    let key = PrivateKey::generate().unwrap();
    let text = issue(&terms(), &key).unwrap();
    let standard = BASE64.encode([0xff; 32]);
    let not_standard = [
        standard.replace('/', "_"),
        standard.trim_end_matches('=').to_owned(),
        format!("{standard}="),
        format!(" {standard}"),
        format!("{}\\n{}", &standard[..20], &standard[20..]),
        // The last digit before the padding has bits that belong to no byte.
        standard.replace("8=", "9="),
        BASE64.encode([0xff; 31]),
        BASE64.encode([0xff; 33]),
    ];
    for value in not_standard {
        let changed = with(&text, "content_key", Some(&format!("\"{value}\"")));
        let error = verified(&changed, &key).unwrap_err();
        assert_eq!(error.code(), Code::LicenseMalformed, "{value}");
        assert!(!error.message().contains(&value), "{error}");
    }
}

#[test]
fn the_window_holds_its_start_and_not_its_end() {
    let key = PrivateKey::generate().unwrap();
    let code = |license: &License, now: &str| license.check_window(at(now)).err().map(|e| e.code());
    let bounded = verified(&issue(&terms(), &key).unwrap(), &key).unwrap();
    assert_eq!(
        code(&bounded, "2025-12-31T23:59:59Z"),
        Some(Code::LicenseNotYetValid)
    );
    assert_eq!(code(&bounded, ISSUED), None);
    assert_eq!(code(&bounded, "2026-12-31T23:59:59Z"), None);
    assert_eq!(code(&bounded, EXPIRES), Some(Code::LicenseExpired));

    let later = Terms {
        license_model: LicenseModel::Perpetual,
        not_before: Some(at("2026-02-01T00:00:00Z")),
        expires_at: None,
        ..terms()
    };
    let endless = verified(&issue(&later, &key).unwrap(), &key).unwrap();
    assert_eq!(
        code(&endless, "2026-01-31T23:59:59Z"),
        Some(Code::LicenseNotYetValid)
    );
    assert_eq!(code(&endless, "2026-02-01T00:00:00Z"), None);
    assert_eq!(code(&endless, "9999-01-01T00:00:00Z"), None);
}

#[test]
fn terms_that_make_no_licence_are_refused() {
    let key = PrivateKey::generate().unwrap();
    for (terms, expected) in [
        (
            Terms {
                expires_at: Some(at(ISSUED)),
                ..terms()
            },
            "never",
        ),
        (
            Terms {
                expires_at: None,
                ..terms()
            },
            "`expires_at`",
        ),
        (
            Terms {
                license_id: String::new(),
                ..terms()
            },
            "`license_id`",
        ),
        (
            Terms {
                licensed_packs: vec!["a\tb".into()],
                ..terms()
            },
            "`licensed_packs`",
        ),
    ] {
        let error = issue(&terms, &key).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains(expected), "{error}");
    }
}

#[test]
fn packs_and_solvers_are_allowed_by_pattern_or_feature() {
    let key = PrivateKey::generate().unwrap();
    let license = verified(&issue(&terms(), &key).unwrap(), &key).unwrap();
    license.check_pack(&pack("compliance.x.v1")).unwrap();
    let error = license.check_pack(&pack("Compliance.x.v1")).unwrap_err();
    assert_eq!(error.code(), Code::PackNotLicensed);
    assert!(error.message().contains("`Compliance.x.v1`"), "{error}");
    license.check_solvers(["z3", "lp-", "lp-fast"]).unwrap();
    license.check_solvers([]).unwrap();
    let error = license.check_solvers(["z3", "Z3", "lp"]).unwrap_err();
    assert_eq!(error.code(), Code::SolverNotLicensed);
    assert!(
        error.message().contains("does not allow `Z3`, `lp`,"),
        "{error}"
    );

    let custom = Terms {
        licensed_packs: Vec::new(),
        licensed_solvers: Vec::new(),
        features: vec![CUSTOM_PLAYBOOK_COMPILATION.into()],
        ..terms()
    };
    let license = verified(&issue(&custom, &key).unwrap(), &key).unwrap();
    license.check_pack(&pack("anything")).unwrap();
    assert!(!license.allows_solver("z3"));
}

#[test]
fn no_debug_output_or_error_shows_the_content_key() {
    let key = PrivateKey::generate().unwrap();
    let text = issue(&terms(), &key).unwrap();
    let node = canonical::parse(&text).unwrap();
    let secret = node
        .get("content_key")
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned();
    let unverified = UnverifiedLicense::parse(&text, "x").unwrap();
    let mut shown = format!("{unverified:#?}{:?}", LicenseSource::Json(text.clone()));
    shown += &format!("{:#?}", unverified.verify(&believing(&key)).unwrap());
    shown += &format!("{key:#?}");
    for changed in [
        text.replace("content_key", "contentkey"),
        text.replace("\"content_key\": ", ""),
        with(&text, "content_key", Some(&format!("[\"{secret}\"]"))),
        with(&text, "tenant_id", Some("\"Acme\"")),
    ] {
        shown += &format!("{:?}", verified(&changed, &key).unwrap_err());
    }
    assert!(!shown.contains(&secret), "{shown}");
    let bytes = BASE64.decode(&secret).unwrap();
    assert!(!shown.contains(&hex(&bytes)) && !shown.contains(&format!("{bytes:?}")));
    assert!(shown.contains("lic-1") && shown.contains("contentkey"));
}

#[test]
fn a_read_document_is_wiped() {
    let mut node = canonical::parse(r#"{"content_key": "c2VjcmV0", "n": 1}"#).unwrap();
    wipe(&mut node);
    assert_eq!(node.get("content_key").unwrap().as_str(), Some(""));
}

#[test]
fn private_keys_are_what_openssl_reads() {
    let key = PrivateKey::generate().unwrap();
    let pem = key.private_pem().unwrap();
    let der = BASE64.decode(pem.lines().nth(1).unwrap()).unwrap();
    // SEQUENCE { INTEGER 0 (PKCS#8 version 1), SEQUENCE { Ed25519 }, OCTET STRING { 32 bytes } }
    assert_eq!(hex(&der[..16]), "302e020100300506032b657004220420");
    assert_eq!(der.len(), 48);
    assert_eq!(
        PrivateKey::from_pem(&pem, "x").unwrap().key_id(),
        key.key_id()
    );

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key.pem");
    fs::write(&path, pem.as_bytes()).unwrap();
    let openssl = |arguments: &[&str]| {
        let output = std::process::Command::new("openssl")
            .args(arguments)
            .output();
        output.ok().map(|output| {
            assert!(output.status.success(), "{output:?}");
            output.stdout
        })
    };
    let path = path.to_str().unwrap();
    if let Some(public) = openssl(&["pkey", "-in", path, "-pubout"]) {
        assert_eq!(
            String::from_utf8(public).unwrap(),
            key.public_pem().unwrap()
        );
        let der = openssl(&["pkey", "-in", path, "-pubout", "-outform", "DER"]).unwrap();
        assert_eq!(Digest::of(&der), key.key_id());
        let theirs = openssl(&["genpkey", "-algorithm", "ed25519"]).unwrap();
        let theirs = PrivateKey::from_pem(&String::from_utf8(theirs).unwrap(), "x").unwrap();
        verified(&issue(&terms(), &theirs).unwrap(), &theirs).unwrap();
    }
}

#[test]
fn a_text_that_is_no_private_key_is_refused() {
    let key = PrivateKey::generate().unwrap();
    for pem in ["", "x", &key.public_pem().unwrap()] {
        let error = PrivateKey::from_pem(pem, "file `a`").unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().starts_with("file `a` is not"), "{error}");
    }
}

#[test]
fn the_first_named_licence_decides_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut around = around(folder.path());
    let key = PrivateKey::generate().unwrap();
    let believed = AuthoritySource::Pem(key.public_pem().unwrap());
    let write = |path: &Path, id: &str| {
        let terms = Terms {
            license_id: id.into(),
            ..terms()
        };
        fs::write(path, issue(&terms, &key).unwrap().as_bytes()).unwrap();
        path.to_owned()
    };
    let found = |source: &LicenseSource, around: &Surroundings| {
        load(source, &believed, around).map(|license| license.license_id().to_string())
    };
    let look_up = LicenseSource::LookUp;
    let home = folder.path().join("home/.helixor");
    let (here, newer, older) = (
        folder.path().join("here/helixor.hxlic"),
        home.join("helixor.hxlic"),
        home.join("helixor.lic"),
    );

    let error = found(&look_up, &around).unwrap_err();
    assert_eq!(error.code(), Code::LicenseNotFound);
    for place in [&here, &newer, &older] {
        assert!(
            error.message().contains(&place.display().to_string()),
            "{error}"
        );
    }
    assert!(error.message().contains("$HELIXOR_LICENSE_FILE"), "{error}");
    assert!(
        error.help().contains("helixor-pack dev-license"),
        "{error:?}"
    );

    write(&older, "older");
    assert_eq!(found(&look_up, &around).unwrap(), "older");
    write(&newer, "newer");
    assert_eq!(found(&look_up, &around).unwrap(), "newer");
    write(&here, "here");
    assert_eq!(found(&look_up, &around).unwrap(), "here");
    around.license_file = Some(OsString::new());
    assert_eq!(found(&look_up, &around).unwrap(), "here");
    around.license_file = Some(write(&folder.path().join("named"), "named").into());
    assert_eq!(found(&look_up, &around).unwrap(), "named");
    let given = write(&folder.path().join("given"), "given");
    assert_eq!(
        found(&LicenseSource::File(given.clone()), &around).unwrap(),
        "given"
    );
    let text = Zeroizing::new(fs::read_to_string(&given).unwrap());
    assert_eq!(found(&LicenseSource::Json(text), &around).unwrap(), "given");

    // An unreadable or empty source is an error that names it, though good ones come after it.
    let missing = folder.path().join("missing");
    let empty = folder.path().join("empty");
    fs::write(&empty, " \n").unwrap();
    for bad in [&missing, &empty, &home] {
        around.license_file = Some(bad.into());
        for source in [LicenseSource::File(bad.clone()), LicenseSource::LookUp] {
            let error = found(&source, &around).unwrap_err();
            assert_eq!(error.code(), Code::LicenseNotFound, "{error}");
            assert!(
                error.message().contains(&bad.display().to_string()),
                "{error}"
            );
        }
    }
    around.license_file = None;
    fs::write(&here, "").unwrap();
    let error = found(&look_up, &around).unwrap_err();
    assert_eq!(error.code(), Code::LicenseNotFound);
    assert!(
        error.message().contains("here/helixor.hxlic` is empty"),
        "{error}"
    );
    fs::write(&here, "{}").unwrap();
    assert_eq!(
        found(&look_up, &around).unwrap_err().code(),
        Code::LicenseMalformed
    );
    fs::write(&here, b"{\"\xff\"}").unwrap();
    assert_eq!(
        found(&look_up, &around).unwrap_err().code(),
        Code::LicenseMalformed
    );
    fs::write(&here, vec![b' '; MAX_LICENSE_BYTES + 1]).unwrap();
    assert_eq!(
        found(&look_up, &around).unwrap_err().code(),
        Code::LicenseMalformed
    );
    #[cfg(unix)]
    {
        fs::remove_file(&here).unwrap();
        std::os::unix::fs::symlink(&missing, &here).unwrap();
        assert_eq!(
            found(&look_up, &around).unwrap_err().code(),
            Code::LicenseNotFound
        );
    }
    let error = found(&LicenseSource::Json(Zeroizing::new(" ".into())), &around).unwrap_err();
    assert_eq!(error.code(), Code::LicenseNotFound);
}

#[test]
fn without_a_home_only_the_other_places_count() {
    let folder = tempfile::tempdir().unwrap();
    let around = Surroundings {
        home: None,
        ..around(folder.path())
    };
    let error = load(&LicenseSource::LookUp, &AuthoritySource::LookUp, &around).unwrap_err();
    assert_eq!(error.code(), Code::LicenseNotFound);
    let error = find_authorities(&AuthoritySource::LookUp, &around).unwrap_err();
    assert_eq!(error.code(), Code::LicenseUntrusted);
}

#[test]
fn the_first_named_authorities_decide_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut around = around(folder.path());
    let keys: Vec<PrivateKey> = (0..4).map(|_| PrivateKey::generate().unwrap()).collect();
    let pem = |i: usize| keys[i].public_pem().unwrap();
    let file = |name: &str, content: &str| -> PathBuf {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    };
    // Which of the four keys are believed, or the code.
    let believed = |source: &AuthoritySource, around: &Surroundings| {
        find_authorities(source, around).map(|found| -> Vec<usize> {
            (0..4)
                .filter(|i| found.key(keys[*i].key_id()).is_some())
                .collect()
        })
    };
    let look_up = AuthoritySource::LookUp;
    let refused = |source: &AuthoritySource, around: &Surroundings, name: &str| {
        let error = believed(source, around).unwrap_err();
        assert_eq!(error.code(), Code::LicenseUntrusted, "{error}");
        assert!(error.message().contains(name), "{error}");
    };

    refused(&look_up, &around, "$HELIXOR_AUTHORITY_KEYS");
    let home = folder.path().join("home/.helixor/authorities");
    fs::create_dir(&home).unwrap();
    refused(
        &look_up,
        &around,
        ".helixor/authorities` holds no authority key",
    );
    file("home/.helixor/authorities/a.txt", &pem(0));
    file("home/.helixor/authorities/.a.pem", &pem(0));
    refused(
        &look_up,
        &around,
        ".helixor/authorities` holds no authority key",
    );
    file("home/.helixor/authorities/a.pem", &pem(0));
    file("home/.helixor/authorities/b.pem", &pem(1));
    assert_eq!(believed(&look_up, &around).unwrap(), [0, 1]);
    around.authority_keys = Some(OsString::new());
    assert_eq!(believed(&look_up, &around).unwrap(), [0, 1]);
    let two = file("two", &format!("first\n{}second\n{}", pem(2), pem(3)));
    around.authority_keys = Some(two.clone().into());
    assert_eq!(believed(&look_up, &around).unwrap(), [2, 3]);
    around.authority_keys = Some(file("crlf", &pem(2).replace('\n', "\r\n")).into());
    assert_eq!(believed(&look_up, &around).unwrap(), [2]);
    around.authority_keys = Some(home.clone().into());
    assert_eq!(believed(&look_up, &around).unwrap(), [0, 1]);
    let given = AuthoritySource::Paths(vec![file("three", &pem(3)), home.clone()]);
    assert_eq!(believed(&given, &around).unwrap(), [0, 1, 3]);
    assert_eq!(
        believed(&AuthoritySource::Pem(pem(2)), &around).unwrap(),
        [2]
    );

    let private = keys[0].private_pem().unwrap();
    // The neutral element as a key: under it one signature would fit any text.
    let mut weak = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\0\x01".to_vec();
    weak.resize(44, 0);
    let weak = BASE64.encode(weak);
    let weak = format!("-----BEGIN PUBLIC KEY-----\n{weak}\n-----END PUBLIC KEY-----\n");
    let error = Authorities::from_pem(&weak, "x").unwrap_err();
    assert!(error.message().contains("weak"), "{error}");
    for (name, content) in [
        ("empty", ""),
        ("weak", &weak),
        ("text", "no key"),
        ("private", private.as_str()),
        ("cut", &pem(0)[..60]),
        (
            "rsa",
            "-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----\n",
        ),
        ("mixed", &format!("{}{}", pem(0), pem(1).replace('M', "?"))),
    ] {
        let bad = file(name, content);
        around.authority_keys = Some(bad.clone().into());
        refused(&look_up, &around, name);
        refused(
            &AuthoritySource::Paths(vec![two.clone(), bad]),
            &around,
            name,
        );
    }
    let missing = folder.path().join("missing");
    around.authority_keys = Some(missing.clone().into());
    refused(&look_up, &around, "missing");
    refused(&AuthoritySource::Paths(vec![missing]), &around, "missing");
    refused(&AuthoritySource::Paths(vec![]), &around, "no authority key");
    refused(
        &AuthoritySource::Pem(String::new()),
        &around,
        "no authority key",
    );
}

#[test]
fn pinned_authorities_are_believed_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut around = around(folder.path());
    let pinned = PrivateKey::generate().unwrap();
    let other = PrivateKey::generate().unwrap();
    let other_pem = other.public_pem().unwrap();
    let file = folder.path().join("other.pem");
    fs::write(&file, &other_pem).unwrap();
    around.authority_keys = Some(file.clone().into());
    let pem = pinned.public_pem().unwrap();
    let find = |source: &AuthoritySource| lookup::find_beside(&pem, source, &around);

    let believed = find(&AuthoritySource::LookUp).unwrap();
    assert_eq!(believed.source(), "the authorities pinned in this build");
    let ours = issue(&terms(), &pinned).unwrap();
    let verify = |text: &str| {
        UnverifiedLicense::parse(text, "x")
            .unwrap()
            .verify(&believed)
    };
    verify(&ours).unwrap();
    let error = verify(&issue(&terms(), &other).unwrap()).unwrap_err();
    assert_eq!(error.code(), Code::LicenseUntrusted);
    assert!(error.message().contains("pinned in this build"), "{error}");
    assert!(error.help().contains("no other"), "{}", error.help());
    // They are not an option's to name, not even the same ones again.
    for source in [
        AuthoritySource::Paths(vec![file]),
        AuthoritySource::Paths(vec![]),
        AuthoritySource::Pem(other_pem),
        AuthoritySource::Pem(pem.clone()),
    ] {
        let error = find(&source).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains("pinned"), "{error}");
    }
}

#[test]
fn load_refuses_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let around = around(folder.path());
    let key = PrivateKey::generate().unwrap();
    let json = |text: &str| LicenseSource::Json(Zeroizing::new(text.to_owned()));
    let text = issue(&terms(), &key).unwrap();
    let changed = with(&text, "tier", Some("\"EXPERT\""));
    let good = AuthoritySource::Pem(key.public_pem().unwrap());
    let none = AuthoritySource::LookUp;
    let late = Surroundings {
        now: at(EXPIRES),
        ..around.clone()
    };
    let early = Surroundings {
        now: at("2000-01-01T00:00:00Z"),
        ..around.clone()
    };
    for (license, authorities, around, code) in [
        (
            &LicenseSource::LookUp,
            &none,
            &late,
            Some(Code::LicenseNotFound),
        ),
        (&json("{}"), &none, &late, Some(Code::LicenseMalformed)),
        (&json(&changed), &none, &late, Some(Code::LicenseUntrusted)),
        (&json(&changed), &good, &late, Some(Code::LicenseSignature)),
        (&json(&text), &good, &early, Some(Code::LicenseNotYetValid)),
        (&json(&text), &good, &late, Some(Code::LicenseExpired)),
        (&json(&text), &good, &around, None),
    ] {
        let found = load(license, authorities, around).err().map(|e| e.code());
        assert_eq!(found, code);
    }
}
