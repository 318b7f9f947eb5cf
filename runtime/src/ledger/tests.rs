use super::*;
use crate::{Client, Options, Pack};
use helixor_playbook::{Code, PackId};
use std::fs;
use tempfile::TempDir;

const STATE: &[u8] = br#"{"has_ssn": true, "has_credit_card": false, "has_health_record": false,
    "has_email": false, "has_phone": false, "has_ip": false}"#;

fn origin() -> Origin {
    let id = PackId::new("acme.loans.v1").unwrap();
    Origin::new("LIC-1", &id, Digest::of(b"pack"))
}

fn append(ledger: &Ledger, count: u64) {
    let origin = origin();
    for i in 0..count {
        let leaf = Unnumbered::new(&origin, Digest::of(&i.to_be_bytes()));
        ledger.append(leaf).unwrap();
    }
}

fn file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.ledger");
    (folder, path)
}

#[test]
fn memory_and_file_keep_the_same_tree() {
    let (_folder, path) = file();
    let memory = Ledger::in_memory();
    let empty = memory.state();
    assert_eq!((empty.leaves, empty.durable), (0, None));
    assert_eq!(empty.root, Digest::of(b""));
    for round in 0..3 {
        let filed = Ledger::open(&path).unwrap();
        assert_eq!(filed.state().durable, Some(round * 1_500));
        append(&memory, 1_500);
        append(&filed, 1_500);
        let (memory, filed) = (memory.state(), filed.clone().state());
        assert_eq!((filed.root, filed.leaves), (memory.root, memory.leaves));
        assert_eq!((filed.appended, memory.appended), (1_500, memory.leaves));
    }
    let found = root(&path, None).unwrap();
    let expected = LedgerRoot {
        size: 4_500,
        root: memory.state().root,
        torn: false,
    };
    assert_eq!(found, expected);
}

#[test]
fn leaves_become_durable_without_further_ones() {
    let (_folder, path) = file();
    let ledger = Ledger::open(&path).unwrap();
    for leaves in [1, 2, 2_000] {
        append(&ledger, leaves - ledger.state().leaves);
        while ledger.state().durable != Some(leaves) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn a_torn_last_line_is_cut_and_counting_goes_on() {
    let (_folder, path) = file();
    append(&Ledger::open(&path).unwrap(), 3);
    let whole = fs::read(&path).unwrap();
    let third = whole.len() - whole.len() / 3;
    for end in [third + 1, whole.len() - 1] {
        fs::write(&path, &whole[..end]).unwrap();
        let torn = root(&path, None).unwrap();
        assert!(torn.torn && torn.size == 2);
        let ledger = Ledger::open(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole[..third]);
        assert_eq!(ledger.state().leaves, 2);
        append(&ledger, 1);
        drop(ledger);
        assert_eq!(root(&path, None).unwrap().size, 3);
    }
    for end in 0..third / 2 {
        fs::write(&path, &whole[..end]).unwrap();
        assert_eq!(Ledger::open(&path).unwrap().state().leaves, 0);
        assert_eq!(fs::read(&path).unwrap(), b"");
    }
}

#[test]
fn a_line_that_is_wrong_is_named_and_nothing_is_changed() {
    let (_folder, path) = file();
    append(&Ledger::open(&path).unwrap(), 3);
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let zeros = format!("{}\0\0\0\n", lines[..2].join("\n") + "\n");
    let long = format!("{whole}{}", "x".repeat(100_000));
    for (text, line) in [
        (whole.replacen("LIC-1", "LIC\u{e9}", 1), 1),
        ([lines[0], lines[2]].join("\n") + "\n", 2),
        ([lines[0], "", lines[1]].join("\n") + "\n", 2),
        (zeros, 3),
        (long, 4),
        ("{\"license_id\": \"somebody else's file\"}".to_owned(), 1),
    ] {
        fs::write(&path, &text).unwrap();
        for error in [
            Ledger::open(&path).unwrap_err(),
            root(&path, None).unwrap_err(),
        ] {
            assert_eq!(error.code(), Code::InvalidArgument, "{error}");
            let named = format!("`{}` is not a ledger from line {line} on", path.display());
            assert!(error.message().starts_with(&named), "{error}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn a_file_has_one_writer() {
    let (_folder, path) = file();
    let ledger = Ledger::open(&path).unwrap();
    let again = ledger.clone();
    drop(ledger);
    let error = Ledger::open(&path).unwrap_err();
    assert_eq!(error.code(), Code::Io);
    assert!(error.message().contains("has a writer already"), "{error}");
    // Readers are never in the way.
    append(&again, 1);
    assert_eq!(root(&path, None).unwrap().size, 1);
    drop(again);
    Ledger::open(&path).unwrap();
}

#[test]
fn nothing_is_durable_in_a_file_that_somebody_else_changed() {
    type Change = fn(&Path);
    let changes: [(Change, &str); 4] = [
        (|path| fs::remove_file(path).unwrap(), "was deleted"),
        (
            |path| fs::rename(path.with_extension("other"), path).unwrap(),
            "was deleted",
        ),
        (
            |path| {
                let file = fs::OpenOptions::new().write(true).open(path);
                file.unwrap().set_len(10).unwrap();
            },
            "bytes, where",
        ),
        (
            |path| {
                let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
                std::io::Write::write_all(&mut file, b"x").unwrap();
            },
            "bytes, where",
        ),
    ];
    for (change, what) in changes {
        let (_folder, path) = file();
        fs::write(path.with_extension("other"), "").unwrap();
        let ledger = Ledger::open(&path).unwrap();
        append(&ledger, 3);
        while ledger.state().durable != Some(3) {
            std::thread::sleep(Duration::from_millis(5));
        }
        change(&path);
        let origin = origin();
        let error = loop {
            match ledger.append(Unnumbered::new(&origin, Digest::of(b"x"))) {
                Ok(()) => std::thread::sleep(Duration::from_millis(5)),
                Err(error) => break error,
            }
        };
        assert_eq!(error.code(), Code::Io);
        assert!(error.message().contains(what), "{error}");
        assert_eq!(ledger.state().durable, Some(3));
    }
}

#[test]
fn what_is_not_a_file_that_can_be_written_is_an_io_error() {
    let (folder, path) = file();
    let missing = folder.path().join("none/a");
    for path in [folder.path(), Path::new("/dev/null"), &missing] {
        let error = Ledger::open(path).unwrap_err();
        assert_eq!(error.code(), Code::Io);
        assert!(error.message().contains(&path.display().to_string()));
        assert_eq!(root(path, None).unwrap_err().code(), Code::Io);
    }
    assert_eq!(root(&path, None).unwrap_err().code(), Code::Io);
}

#[test]
fn proofs_of_a_file_hold_and_changed_ones_do_not() {
    let (_folder, path) = file();
    append(&Ledger::open(&path).unwrap(), 13);
    for size in [1, 2, 7, 8, 13] {
        for seq in 0..size {
            let proof = prove_inclusion(&path, seq, Some(size)).unwrap();
            assert_eq!(proof.root, root(&path, Some(size)).unwrap().root);
            assert!(proof.holds());
            for changed in [
                InclusionProof {
                    seq: seq + 1,
                    ..proof.clone()
                },
                InclusionProof {
                    size: size + 16,
                    ..proof.clone()
                },
                InclusionProof {
                    size: u64::MAX,
                    ..proof.clone()
                },
                InclusionProof {
                    size: 0,
                    ..proof.clone()
                },
                InclusionProof {
                    root: Digest::of(b"x"),
                    ..proof.clone()
                },
                InclusionProof {
                    leaf: proof.leaf.replace("LIC-1", "LIC-2"),
                    ..proof.clone()
                },
                InclusionProof {
                    path: vec![Digest::of(b"x"); proof.path.len()],
                    leaf: "x".into(),
                    ..proof.clone()
                },
            ] {
                assert!(!changed.holds(), "{changed:?}");
            }
            let proof = LedgerProof::Inclusion(proof);
            assert_eq!(reread(&proof), proof);
        }
        for old_size in 1..=size {
            let proof = prove_consistency(&path, old_size, Some(size)).unwrap();
            assert_eq!(proof.root, root(&path, Some(size)).unwrap().root);
            assert_eq!(proof.old_root, root(&path, Some(old_size)).unwrap().root);
            assert!(proof.holds());
            for changed in [
                ConsistencyProof {
                    old_size: 0,
                    ..proof.clone()
                },
                ConsistencyProof {
                    old_size: size + 1,
                    ..proof.clone()
                },
                ConsistencyProof {
                    size: u64::MAX,
                    ..proof.clone()
                },
                ConsistencyProof {
                    root: Digest::of(b"x"),
                    ..proof.clone()
                },
                ConsistencyProof {
                    old_root: Digest::of(b"x"),
                    ..proof.clone()
                },
            ] {
                assert!(!changed.holds(), "{changed:?}");
            }
            let proof = LedgerProof::Consistency(proof);
            assert_eq!(reread(&proof), proof);
        }
    }
    let code = |error: Error| error.code();
    assert_eq!(
        prove_inclusion(&path, 13, None).map_err(code).unwrap_err(),
        Code::InvalidArgument
    );
    for (old, size) in [(0, None), (14, None), (1, Some(14))] {
        let error = prove_consistency(&path, old, size).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
    }
}

#[test]
fn a_leaf_is_proven_by_its_own_number_alone() {
    let (_folder, path) = file();
    append(&Ledger::open(&path).unwrap(), 6);
    // In a tree of four the last leaf has as many nodes beside its way, and on the same sides.
    let last = prove_inclusion(&path, 5, None).unwrap();
    assert!(last.holds());
    let other = InclusionProof {
        seq: 3,
        size: 4,
        ..last
    };
    assert!(!other.holds());
}

fn reread(proof: &LedgerProof) -> LedgerProof {
    use helixor_playbook::canonical::{Style, write};
    let json = write(&proof.to_node(), Style::Compact).unwrap();
    LedgerProof::parse(json.as_bytes(), "proof").unwrap()
}

#[test]
fn what_is_not_a_proof_is_told_with_its_faults() {
    for (json, named) in [
        ("", "line 1, column 1"),
        ("[]", "the proof must be a map"),
        ("{}", "missing key `schema`"),
        (
            r#"{"schema": "x"}"#,
            "must be \"helixor.ledger_inclusion.v1\" or",
        ),
        (
            r#"{"schema": "helixor.ledger_inclusion.v1", "size": -1}"#,
            "`size` of the proof",
        ),
        (
            r#"{"schema": "helixor.ledger_consistency.v1", "path": ["x"]}"#,
            "`path` of the proof must be a list of 64 lower-case hex digits each",
        ),
        (
            r#"{"schema": "helixor.ledger_consistency.v1", "leaf": ""}"#,
            "unknown key `leaf`",
        ),
    ] {
        let error = LedgerProof::parse(json.as_bytes(), "`p.json`").unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        let message = error.message();
        assert!(
            message.starts_with("`p.json` is not a ledger's proof"),
            "{message}"
        );
        assert!(message.contains(named), "{json}: {message}");
    }
}

fn client(options: &Options) -> Client {
    Client::builtin_with(Pack::builtin().interface(), options).unwrap()
}

#[test]
fn decisions_of_eight_threads_are_counted_exactly() {
    let (_folder, path) = file();
    for choice in [LedgerChoice::InMemory, LedgerChoice::File(path.clone())] {
        let client = client(&Options::new().ledger(choice));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        let state = client.pack().state_from_json(STATE).unwrap();
                        client.decide(state).unwrap();
                    }
                });
            }
        });
        let report = client.audit_report().unwrap();
        assert_eq!(report.total_decisions_executed, 8_000);
    }
    assert_eq!(root(&path, None).unwrap().size, 8_000);
}

#[test]
fn a_leaf_is_that_of_the_decision_and_nothing_else_leaves_one() {
    let (_folder, path) = file();
    let client = client(&Options::new().ledger_file(&path).timing(true));
    let state = || client.pack().state_from_json(STATE).unwrap();
    let decision = client.decide(state()).unwrap();
    assert!(decision.latency_us().is_some_and(|us| us >= 0.0));
    assert_eq!(client.judge(state()).unwrap().latency_us(), None);
    let refused = client.decide_and(state(), |_| -> Result<(), Error> {
        Err(Error::new(Code::BufferTooSmall, "x", ""))
    });
    assert!(refused.is_err());
    let pack = Pack::builtin();
    let leaf = format!(
        "{{\"license_id\":\"\",\"pack_id\":\"{}\",\"proof\":\"{}\",\"raw_pack_sha256\":\"{}\",\"seq\":0}}",
        pack.playbook().pack_id,
        decision.proof(),
        pack.digest()
    );
    let proof = prove_inclusion(&path, 0, None).unwrap();
    assert_eq!((proof.leaf, proof.size), (leaf, 1));
    let report = client.audit_report().unwrap();
    assert_eq!(report.ledger_merkle_root, Some(proof.root));
    assert_eq!(report.total_decisions_executed, 1);
}

#[test]
fn a_report_has_the_first_eight_always() {
    let report = client(&Options::new().ledger(LedgerChoice::InMemory))
        .audit_report()
        .unwrap();
    assert_eq!(
        report.to_json(),
        format!(
            "{{\"decisions_over_quota\":0,\"decisions_over_rate_limit\":0,\"durable_leaves\":null,\
             \"enforcement_mode\":\"observe\",\"ledger_merkle_root\":\"{}\",\"license_id\":\"\",\
             \"since\":\"{}\",\"tenant_id\":\"\",\"tier\":\"COMMUNITY\",\
             \"total_decisions_executed\":0}}",
            Digest::of(b""),
            report.since
        )
    );
    let off = client(&Options::new()).audit_report().unwrap_err();
    assert_eq!(off.code(), Code::LedgerOff);
}

#[test]
fn clients_can_share_a_ledger() {
    let ledger = Ledger::in_memory();
    let clients = [(); 2].map(|()| client(&Options::new().ledger(ledger.clone())));
    for client in &clients {
        let state = client.pack().state_from_json(STATE).unwrap();
        client.decide(state).unwrap();
        assert_eq!(client.ledger().unwrap().state(), ledger.state());
    }
    assert_eq!(ledger.state().appended, 2);
}
