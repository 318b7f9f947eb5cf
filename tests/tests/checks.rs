//! The load checks and the interface table, in Rust.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use conformance::{Fixtures, PACKS, rows};
use helixor_runtime::{Client, Interface, Options, Pack};

fn fixtures() -> (tempfile::TempDir, Fixtures) {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = Fixtures::make(folder.path()).unwrap();
    (folder, fixtures)
}

#[test]
fn each_check_fails_alone_and_in_order() {
    let (_folder, fixtures) = fixtures();
    let interface = Interface::from(&conformance::playbook(PACKS[0].source).unwrap());
    for check in &fixtures.checks {
        let options = Options::new()
            .license_file(fixtures.path(&check.license))
            .authorities([fixtures.path(&check.authorities)]);
        let options = match check.publisher_keys {
            "" => options,
            keys => options.publisher_keys([fixtures.path(keys)]),
        };
        match Client::open(&fixtures.path(&check.pack), &interface, &options) {
            Ok(_) => assert_eq!(check.code, "", "{}", check.name),
            Err(e) => {
                assert_eq!(e.code().as_str(), check.code, "{}: {e}", check.name);
                assert!(e.message().contains(check.says), "{}: {e}", check.name);
                assert!(!e.help().is_empty(), "{}: {e}", check.name);
            }
        }
        if let Some(told) = &check.told_of_bytes {
            let fails = !told.message.is_empty();
            assert_eq!(fails, !check.code.is_empty(), "{}", check.name);
            assert_eq!(fails, !told.help.is_empty(), "{}", check.name);
        }
    }
}

#[test]
fn a_client_takes_its_own_pack_and_no_other() {
    let (_folder, fixtures) = fixtures();
    for row in rows() {
        let options = Options::new()
            .license_file(fixtures.path("helixor.hxlic"))
            .authorities([fixtures.path("authority.pem")])
            .accept_same_interface(row.accept_same_interface);
        let pack = fixtures.path(&format!("{}.hxpack", row.pack));
        match Client::open(&pack, &row.client, &options) {
            Ok(_) => assert_eq!(row.says, "", "{}", row.name),
            Err(e) => {
                assert_eq!(e.code().as_str(), "PACK_MISMATCH", "{}", row.name);
                assert!(
                    !row.says.is_empty() && e.message().contains(row.says),
                    "{}: {e}",
                    row.name
                );
                assert!(
                    e.message().contains("playbook SHA-256"),
                    "both digests are told: {e}"
                );
                let command = row
                    .client
                    .regenerate
                    .as_deref()
                    .unwrap_or("helixor-sdk-gen generate");
                assert!(e.help().contains(command), "{}", e.help());
            }
        }
    }
}

#[test]
fn interface_documents_round_trip() {
    for row in rows() {
        assert_eq!(
            Interface::parse(&row.client.to_json()).unwrap(),
            row.client,
            "{}",
            row.name
        );
    }
    for bad in [
        "",
        "[]",
        "{}",
        r#"{"schema":"helixor.interface.v2","pack_id":"a","raw_pack_sha256":"","fields":[],"actions":[],"rules":[]}"#,
        r#"{"schema":"helixor.interface.v1","pack_id":"a b","raw_pack_sha256":"","fields":[],"actions":[],"rules":[]}"#,
        r#"{"schema":"helixor.interface.v1","pack_id":"a","raw_pack_sha256":"x","fields":[],"actions":[],"rules":[]}"#,
        r#"{"schema":"helixor.interface.v1","pack_id":"a","raw_pack_sha256":"","fields":[],"actions":["x","x"],"rules":[]}"#,
        r#"{"schema":"helixor.interface.v1","pack_id":"a","raw_pack_sha256":"","fields":[{"name":"f"}],"actions":[],"rules":[]}"#,
        r#"{"schema":"helixor.interface.v1","pack_id":"a","raw_pack_sha256":"","fields":[],"actions":[],"rules":[],"more":1}"#,
    ] {
        assert!(Interface::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn no_truncation_and_no_flip_of_any_byte_opens() {
    let (_folder, fixtures) = fixtures();
    let good = std::fs::read(fixtures.path("reversed_names.hxpack")).unwrap();
    let pack = Pack::from(conformance::playbook(PACKS[2].source).unwrap());
    let options = Options::new()
        .license_file(fixtures.path("helixor.hxlic"))
        .authorities([fixtures.path("authority.pem")]);
    let open = |bytes: &[u8]| Client::from_bytes(bytes, pack.interface(), &options);
    assert!(open(&good).is_ok());
    for length in 0..good.len() {
        assert!(open(&good[..length]).is_err(), "{length}");
    }
    let mut longer = good.clone();
    longer.push(0);
    assert!(open(&longer).is_err());
    for at in 0..good.len() {
        for bit in [0, 7] {
            let mut bytes = good.clone();
            bytes[at] ^= 1 << bit;
            assert!(open(&bytes).is_err(), "{at}");
        }
    }
}
