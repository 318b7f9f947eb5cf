//! The command line, as a user runs it.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "tests may panic"
)]

use std::path::Path;
use std::process::Command;

struct Ran {
    code: i32,
    out: String,
    err: String,
}

fn run(folder: &Path, args: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_helixor-sdk-gen"))
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A folder with a playbook, `loans.yaml`, and its manifest, `m.json`.
fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("loans.yaml"), PLAYBOOK).unwrap();
    let made = run(
        folder.path(),
        &["manifest", "loans.yaml", "--out", "m.json"],
    );
    assert_eq!(made.code, 0, "{}", made.err);
    folder
}

const PLAYBOOK: &str = "\
pack_id: acme.loans.v1
version: 1.2.0
actions: [approve_loan, deny_loan]
default_action: approve_loan
state_schema:
  amount: {type: number, min_value: 0}
  manager_approved: {type: boolean}
hard_rules:
  - id: TOO-LARGE
    condition: state.amount > 5000
    action: deny_loan
  - id: NOT-APPROVED
    condition: state.amount > 100 and state.manager_approved is False
    action: deny_loan
    severity: warning
";

#[test]
fn from_a_playbook_to_clients() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("loans.yaml"), PLAYBOOK).unwrap();
    let made = run(
        folder.path(),
        &["manifest", "loans.yaml", "--out", "m.json"],
    );
    assert_eq!(made.code, 0, "{}", made.err);
    assert!(
        made.out
            .contains("next: helixor-sdk-gen generate --manifest m.json"),
        "{}",
        made.out
    );
    let printed = run(folder.path(), &["manifest", "loans.yaml"]);
    assert_eq!(
        printed.out,
        std::fs::read_to_string(folder.path().join("m.json")).unwrap()
    );
    assert!(printed.out.contains("\"operator\": \">\""));
    assert!(printed.out.contains("\"threshold\": 5000"));

    let valid = run(folder.path(), &["validate", "m.json"]);
    assert_eq!(valid.code, 0, "{}", valid.err);
    assert!(valid.out.ends_with("m.json is valid\n"), "{}", valid.out);

    let generate = [
        "generate",
        "--manifest",
        "m.json",
        "--lang",
        "rust,python",
        "--out",
        "sdk",
    ];
    let first = run(folder.path(), &generate);
    assert_eq!(first.code, 0, "{}", first.err);
    assert!(folder.path().join("sdk/rust/src/loans.rs").exists());
    assert!(folder.path().join("sdk/python/loans/models.py").exists());
    let second = run(folder.path(), &generate);
    assert!(
        second.out.starts_with("0 files written, 12 unchanged"),
        "{}",
        second.out
    );
}

#[test]
fn faults_are_drawn_and_end_with_their_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.json"), "{\n  \"packs\": 3\n}\n").unwrap();
    let invalid = run(folder.path(), &["validate", "m.json"]);
    assert_eq!((invalid.code, invalid.out.as_str()), (2, ""));
    assert!(
        invalid
            .err
            .starts_with("MANIFEST_INVALID: m.json is not valid, 1 fault\n")
    );
    assert!(
        invalid.err.contains(" --> m.json:2:12\n"),
        "{}",
        invalid.err
    );
    assert!(
        invalid
            .err
            .contains("2 |   \"packs\": 3\n  |            ^\n"),
        "{}",
        invalid.err
    );

    let playbook = PLAYBOOK.replace("deny_loan\n  -", "deny_lone\n  -");
    std::fs::write(folder.path().join("loans.yaml"), playbook).unwrap();
    let invalid = run(folder.path(), &["manifest", "loans.yaml"]);
    assert_eq!(invalid.code, 2);
    assert!(
        invalid.err.starts_with("PLAYBOOK_INVALID: loans.yaml"),
        "{}",
        invalid.err
    );
    assert!(
        invalid.err.contains("did you mean `deny_loan`?"),
        "{}",
        invalid.err
    );

    let missing = run(folder.path(), &["validate", "none.json"]);
    assert_eq!(missing.code, 3);
    assert!(
        missing.err.starts_with("IO: cannot read none.json: "),
        "{}",
        missing.err
    );

    let usage = run(folder.path(), &["generate", "--lang", "rust"]);
    assert_eq!(usage.code, 2);

    std::fs::write(folder.path().join("ok.yaml"), PLAYBOOK).unwrap();
    run(folder.path(), &["manifest", "ok.yaml", "--out", "ok.json"]);
    for (language, said) in [
        ("jawa", "\"jawa\" is no language of this generator"),
        ("pyton", "did you mean `python`?"),
    ] {
        let args = [
            "generate",
            "--manifest",
            "ok.json",
            "--lang",
            language,
            "--out",
            "sdk",
        ];
        let refused = run(folder.path(), &args);
        assert_eq!(refused.code, 2);
        assert!(
            refused.err.starts_with("INVALID_ARGUMENT: "),
            "{}",
            refused.err
        );
        assert!(refused.err.contains(said), "{}", refused.err);
        assert!(!folder.path().join("sdk").exists());
    }
}

#[test]
fn a_manifest_is_never_written_over_its_playbook() {
    let folder = prepared();
    for out in ["loans.yaml", "./loans.yaml"] {
        let ran = run(folder.path(), &["manifest", "loans.yaml", "--out", out]);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(
            ran.err.contains("is a playbook that is read"),
            "{}",
            ran.err
        );
    }
    let kept = std::fs::read_to_string(folder.path().join("loans.yaml")).unwrap();
    assert_eq!(kept, PLAYBOOK);
}

#[test]
fn documents_that_are_too_large_or_no_text_have_the_code_of_their_kind() {
    let folder = prepared();
    let huge = std::fs::File::create(folder.path().join("huge")).unwrap();
    huge.set_len((64 << 20) + 1).unwrap();
    std::fs::write(folder.path().join("bytes"), b"\xff").unwrap();
    for file in ["huge", "bytes"] {
        for (args, code) in [
            (&["validate", file][..], "MANIFEST_INVALID"),
            (&["manifest", file], "PLAYBOOK_INVALID"),
        ] {
            let ran = run(folder.path(), args);
            assert_eq!(ran.code, 2, "{}", ran.err);
            assert!(ran.err.starts_with(code), "{}", ran.err);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_nobody_takes_is_no_crash() {
    let folder = prepared();
    let with = |args: &[&str], out: &str, err: &str| {
        let open = |path: &str| std::fs::File::options().write(true).open(path).unwrap();
        Command::new(env!("CARGO_BIN_EXE_helixor-sdk-gen"))
            .args(args)
            .current_dir(folder.path())
            .stdout(open(out))
            .stderr(open(err))
            .status()
            .unwrap()
            .code()
            .unwrap()
    };
    let (null, full) = ("/dev/null", "/dev/full");
    assert_eq!(with(&["validate", "m.json"], null, full), 0);
    assert_eq!(with(&["validate", "m.json"], full, null), 3);
    assert_eq!(with(&["validate", "none"], null, full), 3);
    assert_eq!(with(&["validate", "loans.yaml"], null, full), 2);
    // A reader that has seen enough, such as `head`.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = Command::new(env!("CARGO_BIN_EXE_helixor-sdk-gen"))
        .args(["manifest", "loans.yaml"])
        .current_dir(folder.path())
        .stdout(writer)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(0));
}
