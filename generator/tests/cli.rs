//! The command line, as a user runs it.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "tests may panic"
)]

use helixor_playbook::{Data, Digest, Node, canonical};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

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
    // A reader that has seen enough, such as `head`, changes nothing.
    let generate = [
        "generate",
        "--manifest",
        "m.json",
        "--lang",
        "rust",
        "--out",
        "sdk",
    ];
    let check = [&generate[..], &["--check"]].concat();
    for (args, code) in [
        (&["manifest", "loans.yaml"][..], 0),
        (&check, 1),
        (&generate, 0),
        (&check, 0),
        (&["completions", "bash"], 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = Command::new(env!("CARGO_BIN_EXE_helixor-sdk-gen"))
            .args(args)
            .current_dir(folder.path())
            .stdout(writer)
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(code), "{args:?}");
    }
}

/// A folder with a manifest of two packs, `m.json`, and one of its first alone, `one.json`.
fn two_packs() -> tempfile::TempDir {
    let folder = prepared();
    let other = PLAYBOOK.replace("acme.loans.v1", "acme.claims.v1");
    std::fs::write(folder.path().join("claims.yaml"), other).unwrap();
    for args in [
        &["manifest", "loans.yaml", "--out", "one.json"][..],
        &["manifest", "loans.yaml", "claims.yaml", "--out", "m.json"],
    ] {
        let made = run(folder.path(), args);
        assert_eq!(made.code, 0, "{}", made.err);
    }
    folder
}

fn generate(folder: &Path, manifest: &str, languages: &str, more: &[&str]) -> Ran {
    let mut args = vec!["generate", "--manifest", manifest, "--lang", languages];
    args.extend(["--out", "sdk"]);
    args.extend(more);
    run(folder, &args)
}

/// Every file below a folder, with its content and the time of its last change.
fn snapshot(folder: &Path) -> Vec<(PathBuf, Vec<u8>, SystemTime)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(snapshot(&path));
        } else {
            let modified = path.metadata().unwrap().modified().unwrap();
            found.push((path.clone(), std::fs::read(&path).unwrap(), modified));
        }
    }
    found.sort();
    found
}

#[test]
fn what_is_generated_no_longer_is_removed() {
    let folder = two_packs();
    let at = |path: &str| folder.path().join("sdk").join(path);
    generate(folder.path(), "m.json", "rust,python", &[]);
    generate(folder.path(), "m.json", "java", &[]);
    std::fs::write(at("python/notes.txt"), "mine").unwrap();
    let mut edited = std::fs::read_to_string(at("rust/src/claims.rs")).unwrap();
    edited.push_str("// mine\n");
    std::fs::write(at("rust/src/claims.rs"), edited).unwrap();

    let check = generate(folder.path(), "one.json", "rust,python", &["--check"]);
    assert_eq!(check.code, 1, "{}", check.err);
    let says = [
        "+++ /dev/null\n",
        "sdk/rust/src/claims.rs is generated no longer, but was changed since: it would stay\n",
    ];
    assert!(says.iter().all(|s| check.out.contains(s)), "{}", check.out);

    let dry = generate(folder.path(), "one.json", "rust,python", &["--dry-run"]);
    for line in [
        "remove     sdk/python/helixor_sdk/claims/client.py\n",
        "create     sdk/python/loans/client.py\n",
        "keep       sdk/rust/src/claims.rs\n",
        "update     sdk/rust/src/lib.rs\n",
        "nothing was written; ",
    ] {
        assert!(dry.out.contains(line), "{line}{}", dry.out);
    }
    assert!(at("python/helixor_sdk/claims/client.py").exists());

    let ran = generate(folder.path(), "one.json", "rust,python", &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out
            .contains("removed sdk/python/helixor_sdk/claims/client.py\n")
    );
    assert!(
        ran.err.starts_with(
            "warning: sdk/rust/src/claims.rs is generated no longer, but was changed since: it stays\n"
        ),
        "{}",
        ran.err
    );
    assert!(at("rust/src/claims.rs").exists() && at("python/notes.txt").exists());
    assert!(!at("python/helixor_sdk").exists() && at("python/loans").exists());
    // The other language is as it was, and still checked against its own manifest.
    let check = generate(folder.path(), "m.json", "java", &["--check"]);
    assert_eq!((check.code, check.err.as_str()), (0, ""), "{}", check.out);
    let check = generate(folder.path(), "one.json", "rust,python", &["--check"]);
    assert_eq!((check.code, check.err.as_str()), (0, ""), "{}", check.out);
}

#[test]
fn a_check_writes_nothing_and_prints_the_command_that_mends() {
    let folder = two_packs();
    let sdk = folder.path().join("sdk");
    let never = generate(folder.path(), "one.json", "python", &["--check"]);
    assert_eq!(never.code, 1);
    assert!(
        never
            .out
            .contains("--- /dev/null\n+++ sdk/python/README.md\n")
    );
    assert!(never.out.contains(": 8 missing\n"), "{}", never.out);
    assert!(!sdk.exists());

    std::fs::rename(
        folder.path().join("one.json"),
        folder.path().join("the one.json"),
    )
    .unwrap();
    let manifest = "the one.json";
    std::fs::write(
        folder.path().join("c.toml"),
        "python.package = \"lending\"\n",
    )
    .unwrap();
    let more = ["--pack", "acme.loans.v1", "--config", "c.toml"];
    generate(folder.path(), manifest, "rust,python", &more);
    std::fs::remove_file(sdk.join("python/README.md")).unwrap();
    let lib = sdk.join("rust/src/lib.rs");
    let edited = std::fs::read_to_string(&lib).unwrap() + "pub fn mine() {}\n";
    std::fs::write(&lib, edited).unwrap();

    let before = snapshot(folder.path());
    let check = [&more[..], &["--check"]].concat();
    let ran = generate(folder.path(), manifest, "rust,python", &check);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    assert!(ran.out.contains("\n-pub fn mine() {}\n"), "{}", ran.out);
    assert!(
        ran.out
            .contains("sdk is not what the one.json gives: 1 missing, 1 edited\n"),
        "{}",
        ran.out
    );
    assert_eq!(snapshot(folder.path()), before);

    let command = ran.out.lines().last().unwrap().trim();
    assert_eq!(
        command,
        "helixor-sdk-gen generate --manifest 'the one.json' --lang rust,python --out sdk --pack acme.loans.v1 --config c.toml"
    );
    let tool = Path::new(env!("CARGO_BIN_EXE_helixor-sdk-gen"));
    let status = Command::new("/bin/sh")
        .args(["-c", command])
        .env("PATH", tool.parent().unwrap())
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .status();
    assert!(status.unwrap().success());
    let ran = generate(folder.path(), manifest, "rust,python", &check);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "sdk is current, 12 files\n")
    );

    // A lock file that is lost, or says something else, is drift too.
    std::fs::remove_file(sdk.join("helixor-sdk.lock")).unwrap();
    let ran = generate(folder.path(), manifest, "rust,python", &check);
    assert_eq!(ran.code, 1);
    assert!(
        ran.out.contains("+++ sdk/helixor-sdk.lock\n"),
        "{}",
        ran.out
    );
}

#[test]
fn a_run_believes_the_lock_file_of_its_own_and_a_check_believes_nothing() {
    let folder = prepared();
    let at = |path: &str| folder.path().join("sdk").join(path);
    generate(folder.path(), "m.json", "rust,java", &[]);
    // A file and what the lock file says of it are changed as one.
    let lock = std::fs::read_to_string(at("helixor-sdk.lock")).unwrap();
    let lib = std::fs::read_to_string(at("rust/src/lib.rs")).unwrap();
    let edited = lib.clone() + "// mine\n";
    let digest = |text: &str| Digest::of(text.as_bytes()).to_string();
    let edited_lock = lock.replace(&digest(&lib), &digest(&edited));
    assert_ne!(edited_lock, lock);
    let edit = |lock: &str| {
        std::fs::write(at("rust/src/lib.rs"), &edited).unwrap();
        std::fs::write(at("helixor-sdk.lock"), lock).unwrap();
    };
    edit(&edited_lock);
    let ran = generate(folder.path(), "m.json", "rust", &[]);
    assert!(
        ran.out.starts_with("0 files written, 5 unchanged; "),
        "{}",
        ran.out
    );
    let check = generate(folder.path(), "m.json", "rust", &["--check"]);
    assert_eq!(check.code, 1);

    std::fs::write(folder.path().join("c.toml"), "rust.runtime = \"../rt\"").unwrap();
    let other = std::fs::read_to_string(folder.path().join("m.json")).unwrap();
    let other = other.replace("\"goal_id\": \"", "\"goal_id\": \"other_");
    std::fs::write(folder.path().join("other.json"), other).unwrap();
    let written = |manifest: &str, more: &[&str]| {
        let ran = generate(folder.path(), manifest, "rust", more);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(!ran.out.starts_with('0'), "{}", ran.out);
        assert_eq!(
            std::fs::read_to_string(at("rust/src/lib.rs"))
                .unwrap()
                .matches("mine")
                .count(),
            0
        );
    };
    // Another manifest, other options, another generator: nothing is believed.
    written("other.json", &[]);
    for more in [&["--config", "c.toml"][..], &["--pack", "acme.loans.v1"]] {
        edit(&edited_lock);
        written("m.json", more);
    }
    edit(&edited_lock.replace("generator = \"", "generator = \"0."));
    written("m.json", &[]);
    // Nor is a lock file that is older than the generator.
    edit(&edited_lock);
    let file = std::fs::File::options()
        .write(true)
        .open(at("helixor-sdk.lock"));
    file.unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    written("m.json", &[]);
}

#[test]
fn a_check_takes_its_manifest_from_stdin_too() {
    let folder = prepared();
    generate(folder.path(), "m.json", "java", &[]);
    let check = |manifest: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_helixor-sdk-gen"))
            .args(["generate", "--manifest", "-", "--lang", "java"])
            .args(["--out", "sdk", "--check"])
            .current_dir(folder.path())
            .stdin(std::fs::File::open(folder.path().join(manifest)).unwrap())
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    assert_eq!(
        check("m.json"),
        (Some(0), "sdk is current, 8 files\n".into())
    );
    let other = std::fs::read_to_string(folder.path().join("m.json")).unwrap();
    let other = other.replace("acme.loans.v1", "acme.loans.v2");
    std::fs::write(folder.path().join("other.json"), other).unwrap();
    let (code, out) = check("other.json");
    assert_eq!(code, Some(1));
    assert!(
        out.contains("sdk is not what the manifest on stdin gives: "),
        "{out}"
    );
    assert!(
        out.ends_with("--manifest - --lang java --out sdk\n"),
        "{out}"
    );
}

#[test]
fn warnings_are_errors_when_validation_is_strict() {
    let folder = prepared();
    let strict = run(folder.path(), &["validate", "--strict", "m.json"]);
    assert_eq!((strict.code, strict.err.as_str()), (0, ""));
    let text = std::fs::read_to_string(folder.path().join("m.json")).unwrap();
    let text = text.replacen("\"goal_id\"", "\"colour\": 1, \"goal_id\"", 1);
    std::fs::write(folder.path().join("m.json"), text).unwrap();
    let lax = run(folder.path(), &["validate", "m.json"]);
    assert_eq!(lax.code, 0, "{}", lax.err);
    assert!(lax.err.starts_with("warning: "), "{}", lax.err);
    assert!(
        lax.out.ends_with("m.json is valid (1 warning)\n"),
        "{}",
        lax.out
    );
    let strict = run(folder.path(), &["validate", "m.json", "--strict"]);
    assert_eq!((strict.code, strict.out.as_str()), (2, ""));
    assert!(
        strict
            .err
            .starts_with("MANIFEST_INVALID: m.json is not valid, 1 fault\n\nerror: "),
        "{}",
        strict.err
    );
}

#[test]
fn what_is_in_the_way_is_told_and_kept() {
    let folder = prepared();
    let at = |path: &str| folder.path().join(path);
    std::fs::create_dir_all(at("sdk/java")).unwrap();
    std::fs::write(at("sdk/java/pom.xml"), "<project/>").unwrap();
    for more in [&[][..], &["--check"], &["--dry-run"]] {
        let ran = generate(folder.path(), "m.json", "java", more);
        assert_eq!((ran.code, ran.out.as_str()), (3, ""));
        assert_eq!(
            ran.err,
            "IO: sdk/java/pom.xml was not generated, and is not replaced\n  help: move it away, or choose another --out\n"
        );
    }
    assert_eq!(snapshot(&at("sdk")).len(), 1);

    for (out, says) in [
        (
            "m.json",
            "IO: m.json is a file, not a folder\n  help: choose another --out",
        ),
        (
            "m.json/sdk",
            "IO: m.json/sdk lies below a file, not a folder\n  help: ",
        ),
        ("/proc/sdk", "IO: cannot create /proc/sdk: "),
    ] {
        let args = [
            "generate",
            "--manifest",
            "m.json",
            "--lang",
            "rust",
            "--out",
            out,
        ];
        let ran = run(folder.path(), &args);
        assert_eq!((ran.code, ran.out.as_str()), (3, ""));
        assert!(ran.err.starts_with(says), "{}", ran.err);
    }

    std::fs::remove_file(at("sdk/java/pom.xml")).unwrap();
    generate(folder.path(), "m.json", "java", &[]);
    for (lock, code, says) in [
        (
            "<<<<<<< HEAD\n",
            2,
            "INVALID_ARGUMENT: sdk/helixor-sdk.lock: line 1, column ",
        ),
        (
            "version = 2\n",
            2,
            "VERSION_SKEW: sdk/helixor-sdk.lock has the format 2",
        ),
    ] {
        std::fs::write(at("sdk/helixor-sdk.lock"), lock).unwrap();
        for more in [&[][..], &["--check"]] {
            let ran = generate(folder.path(), "m.json", "java", more);
            assert_eq!((ran.code, ran.out.as_str()), (code, ""));
            assert!(ran.err.starts_with(says), "{}", ran.err);
            assert!(ran.err.contains("\n  help: "), "{}", ran.err);
        }
    }
    std::fs::remove_file(at("sdk/helixor-sdk.lock")).unwrap();
    let ran = generate(folder.path(), "m.json", "java", &[]);
    assert!(
        ran.out
            .starts_with("wrote sdk/helixor-sdk.lock\n1 file written, ")
    );
}

#[cfg(unix)]
#[test]
fn files_that_may_not_be_written_are_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let folder = two_packs();
    generate(folder.path(), "m.json", "rust", &[]);
    for (path, ..) in snapshot(&folder.path().join("sdk")) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o444)).unwrap();
    }
    let ran = generate(folder.path(), "one.json", "rust", &[]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    let check = generate(folder.path(), "one.json", "rust", &["--check"]);
    assert_eq!(check.code, 0, "{}", check.out);
}

#[test]
fn runs_at_once_wait_for_one_another() {
    let folder = two_packs();
    let spawn = |manifest: &str, language: &str| {
        Command::new(env!("CARGO_BIN_EXE_helixor-sdk-gen"))
            .args(["generate", "--manifest", manifest, "--lang", language])
            .args(["--out", "sdk"])
            .current_dir(folder.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    for _ in 0..5 {
        let runs: Vec<_> = [("m.json", "rust"), ("one.json", "rust"), ("m.json", "java")]
            .into_iter()
            .chain([
                ("m.json", "python"),
                ("one.json", "rust"),
                ("m.json", "rust"),
            ])
            .map(|(manifest, language)| spawn(manifest, language))
            .collect();
        for mut run in runs {
            assert!(run.wait().unwrap().success());
        }
        let current = |manifest: &str, languages: &str| {
            generate(folder.path(), manifest, languages, &["--check"]).code == 0
        };
        assert!(current("m.json", "java,python"));
        // Whichever came last has written all of it.
        assert_ne!(current("m.json", "rust"), current("one.json", "rust"));
    }
}

#[cfg(unix)]
#[test]
fn a_run_that_was_killed_is_completed_by_the_next() {
    let folder = two_packs();
    let playbook = |i: usize| PLAYBOOK.replace("acme.loans.v1", &format!("acme.pack{i}.v1"));
    let mut args = vec!["manifest".to_owned()];
    for i in 0..20 {
        let name = format!("{i}.yaml");
        std::fs::write(folder.path().join(&name), playbook(i)).unwrap();
        args.push(name);
    }
    args.extend(["--out", "many.json"].map(str::to_owned));
    let made = run(
        folder.path(),
        &args.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    assert_eq!(made.code, 0, "{}", made.err);
    let all = "java,python";
    let mut halfway = 0;
    for i in 0..5 {
        let sdk = folder.path().join("sdk");
        let _ = std::fs::remove_dir_all(&sdk);
        generate(folder.path(), "m.json", all, &[]);
        let mut child = Command::new(env!("CARGO_BIN_EXE_helixor-sdk-gen"))
            .args([
                "generate",
                "--manifest",
                "many.json",
                "--lang",
                all,
                "--out",
                "sdk",
            ])
            .current_dir(folder.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // Once it has begun to write, at one point or another.
        let begun = || snapshot_names(&sdk) > 25 + 25 * i;
        while !begun() && child.try_wait().unwrap().is_none() {}
        child.kill().unwrap();
        child.wait().unwrap();
        let check = generate(folder.path(), "many.json", all, &["--check"]);
        assert!(matches!(check.code, 0 | 1), "{}", check.err);
        halfway += check.code;
        let next = generate(folder.path(), "many.json", all, &[]);
        assert_eq!((next.code, next.err.as_str()), (0, ""), "{}", next.out);
        let check = generate(folder.path(), "many.json", all, &["--check"]);
        assert_eq!(check.code, 0, "{}", check.out);
        let left = snapshot(&sdk);
        let temporary = |path: &Path| path.extension().is_some_and(|end| end == "tmp");
        let left: Vec<_> = left.iter().filter(|(path, ..)| temporary(path)).collect();
        assert!(left.is_empty(), "{left:?}");
        assert!(!sdk.join("python/helixor_sdk/claims").exists());
    }
    assert!(halfway > 0, "no run was killed while it wrote");
}

/// The number of files below a folder that changes meanwhile.
#[cfg(unix)]
fn snapshot_names(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => snapshot_names(&entry.path()),
            _ => 1,
        })
        .sum()
}

#[test]
fn names_that_differ_in_case_alone_are_no_two_files() {
    let folder = two_packs();
    let text = std::fs::read_to_string(folder.path().join("m.json")).unwrap();
    let text = text.replace("\"domain_name\": \"Claims\"", "\"domain_name\": \"LOANS\"");
    std::fs::write(folder.path().join("m.json"), text).unwrap();
    let ran = generate(folder.path(), "m.json", "rust", &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.starts_with("NAME_COLLISION: "), "{}", ran.err);
    assert!(!folder.path().join("sdk").exists());
}

#[test]
fn init_writes_a_configuration_and_prints_what_the_build_needs() {
    let folder = prepared();
    let none = run(folder.path(), &["init", "--manifest", "m.json"]);
    assert_eq!((none.code, none.err.as_str()), (0, ""));
    assert!(
        none.out.ends_with(
            "helixor-sdk-gen generate --manifest m.json --config helixor-sdk.toml --lang rust,java,python --out sdk\n"
        ),
        "{}",
        none.out
    );
    let config = std::fs::read_to_string(folder.path().join("helixor-sdk.toml")).unwrap();
    assert!(
        config.contains("\n# package = \"ai.helixor.runtime.loans\"\n"),
        "{config}"
    );
    // It changes nothing until it is edited.
    generate(folder.path(), "m.json", "rust,java,python", &[]);
    let more = ["--config", "helixor-sdk.toml", "--check"];
    let check = generate(folder.path(), "m.json", "rust,java,python", &more);
    assert_eq!(check.code, 0, "{}", check.out);

    let again = run(folder.path(), &["init"]);
    assert_eq!(again.code, 3);
    assert!(
        again
            .err
            .starts_with("IO: helixor-sdk.toml exists and is not replaced\n")
    );
    std::fs::remove_file(folder.path().join("helixor-sdk.toml")).unwrap();
    for file in ["Cargo.toml", "pom.xml", "pyproject.toml"] {
        std::fs::write(folder.path().join(file), "").unwrap();
    }
    let ran = run(folder.path(), &["init"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    for said in [
        "\n`build.rs`, make it:\n\n```rust\nfn main() ",
        "\n`hatch_build.py`, make it:\n\n```python\n",
        "<phase>generate-sources</phase>",
        ".manifest(\"embedded-pack-manifest.json\")",
    ] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
}

#[test]
fn the_model_is_told_as_json() {
    let folder = two_packs();
    let playbook = PLAYBOOK.replace(
        "boolean}",
        "boolean}\n  country: {type: string, allowed_values: [de, at]}",
    );
    std::fs::write(folder.path().join("loans.yaml"), playbook).unwrap();
    let playbooks = ["manifest", "loans.yaml", "claims.yaml", "--out", "m.json"];
    assert_eq!(run(folder.path(), &playbooks).code, 0);
    let ran = run(folder.path(), &["inspect", "m.json"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let model = canonical::parse(&ran.out).unwrap();
    let at = |node: &Node, path: &[&str]| {
        let found = path.iter().fold(node.clone(), |node, key| match node.data {
            Data::List(mut items) => items.remove(key.parse().unwrap()),
            _ => node.get(key).unwrap().clone(),
        });
        found.as_str().map(str::to_owned)
    };
    for (path, value) in [
        (&["schema"][..], "helixor.sdk_model.v1"),
        (&["packages", "java", "artifact"], "helixor-sdk"),
        (&["packs", "0", "modules", "python"], "helixor_sdk.loans"),
        (&["packs", "1", "clients", "rust"], "ClaimsClient"),
        (
            &["packs", "0", "fields", "2", "members", "java"],
            "managerApproved",
        ),
        (
            &["packs", "0", "fields", "1", "values", "types", "java"],
            "Country",
        ),
        (
            &["packs", "0", "fields", "1", "values", "members", "1", "id"],
            "at",
        ),
        (&["packs", "0", "fields", "0", "type"], "number"),
        (&["packs", "0", "rules", "0", "id"], "TOO-LARGE"),
        (
            &["packs", "0", "actions", "0", "constants", "rust"],
            "ApproveLoan",
        ),
    ] {
        assert_eq!(at(&model, path).as_deref(), Some(value), "{path:?}");
    }
    let one = run(
        folder.path(),
        &["inspect", "m.json", "--pack", "acme.claims.v1"],
    );
    assert!(!one.out.contains("acme.loans.v1") && one.out.contains("acme.claims.v1"));
    let none = run(
        folder.path(),
        &["inspect", "m.json", "--pack", "acme.claim.v1"],
    );
    assert_eq!(none.code, 2);
    assert!(
        none.err.contains("did you mean `acme.claims.v1`?"),
        "{}",
        none.err
    );
}

#[test]
fn every_command_has_a_help_that_fits_and_completions() {
    let folder = tempfile::tempdir().unwrap();
    let bash = run(folder.path(), &["completions", "bash"]);
    assert_eq!(bash.code, 0);
    for command in [
        "init",
        "manifest",
        "validate",
        "generate",
        "diff",
        "inspect",
        "schema",
        "completions",
    ] {
        let help = run(folder.path(), &[command, "--help"]);
        assert_eq!((help.code, help.err.as_str()), (0, ""));
        let widest = help.out.lines().map(|line| line.chars().count()).max();
        assert!(widest.unwrap() <= 110, "{}", help.out);
        assert!(
            bash.out
                .contains(&format!("helixor__sdk__gen__subcmd__{command}")),
            "{}",
            bash.out
        );
    }
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let made = run(folder.path(), &["completions", shell]);
        assert!(made.code == 0 && made.out.contains("dry-run"), "{shell}");
    }
}
