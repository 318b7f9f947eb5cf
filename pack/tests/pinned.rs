//! A build with pinned authorities believes them and nobody else.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PLAYBOOK: &str = helixor_playbook::builtin::EXAMPLE;

/// Runs a command line (no quoting) in a folder, with nothing in the environment but `variables`.
fn run(program: &Path, folder: &Path, line: &str, variables: &[(&str, &Path)]) -> Output {
    Command::new(program)
        .args(line.split_whitespace())
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("HELIXOR_LICENSE_FILE")
        .env_remove("HELIXOR_AUTHORITY_KEYS")
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn failed(output: &Output, code: &str) -> String {
    assert!(!output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(said.starts_with(&format!("{code}: ")), "{said}");
    said
}

/// Builds `helixor-pack` with these authorities pinned, apart from every other build.
fn build(pinned: &Path) -> Output {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/pinned");
    Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "-p", "helixor-pack"])
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("HELIXOR_PINNED_AUTHORITIES", pinned)
        .output()
        .unwrap()
}

#[test]
#[ignore = "builds helixor-pack anew, which takes a minute; `cargo xtask test` does it"]
fn a_pinned_build_believes_its_own_authorities_only() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let open = PathBuf::from(env!("CARGO_BIN_EXE_helixor-pack"));
    std::fs::write(folder.join("playbook.yaml"), PLAYBOOK).unwrap();
    for line in [
        "authority init --out ours",
        "authority init --out theirs",
        "license issue --authority ours/authority.key --out ours.hxlic --tenant t --tier STUDIO \
         --days 1 --pack *",
        "license issue --authority theirs/authority.key --out theirs.hxlic --tenant t --tier STUDIO \
         --days 1 --pack *",
        "dev-license --out dev",
    ] {
        done(&run(&open, folder, line, &[]));
    }
    let public = |of: &str| folder.join(of).join("authority.pem");

    // What cannot be pinned does not build.
    std::fs::write(folder.join("empty.pem"), "").unwrap();
    for (bad, says) in [
        (PathBuf::from("ours/authority.pem"), "absolute path"),
        (folder.join("nowhere.pem"), "cannot be read"),
        (folder.join("empty.pem"), "holds no authority key"),
        (
            folder.join("ours/authority.key"),
            "not an Ed25519 public key",
        ),
    ] {
        let output = build(&bad);
        assert!(!output.status.success(), "{says}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.contains(says) && said.contains("HELIXOR_PINNED_AUTHORITIES"),
            "{said}"
        );
    }

    let output = build(&public("ours"));
    assert!(output.status.success(), "{output:?}");
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/pinned");
    let pinned = target.join("debug").join(open.file_name().unwrap());

    // Neither a licence nor a variable nor a default place makes it believe another.
    let theirs = public("theirs");
    let variable = [("HELIXOR_AUTHORITY_KEYS", theirs.as_path())];
    std::fs::create_dir_all(folder.join(".helixor/authorities")).unwrap();
    std::fs::copy(&theirs, folder.join(".helixor/authorities/theirs.pem")).unwrap();
    let compile = "compile --playbook playbook.yaml --out a.hxpack --license";
    let said = done(&run(
        &pinned,
        folder,
        &format!("{compile} ours.hxlic"),
        &variable,
    ));
    assert!(
        said.contains("the authorities pinned in this build"),
        "{said}"
    );
    for license in ["theirs.hxlic", "dev/helixor.hxlic"] {
        for variables in [&variable[..], &[]] {
            let output = run(&pinned, folder, &format!("{compile} {license}"), variables);
            let said = failed(&output, "LICENSE_UNTRUSTED");
            assert!(said.contains("pinned in this build"), "{said}");
        }
    }
    for named in ["theirs", "ours"] {
        let line = format!("{compile} ours.hxlic --authorities {named}/authority.pem");
        let said = failed(&run(&pinned, folder, &line, &[]), "INVALID_ARGUMENT");
        assert!(said.contains("pinned"), "{said}");
    }
    let output = run(&pinned, folder, "dev-license --out refused", &[]);
    done(&output);
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(
        warning.starts_with("warning: this build believes"),
        "{warning}"
    );
    // The same licence and pack open in a build that is not pinned.
    let line = "inspect a.hxpack --license ours.hxlic --authorities ours/authority.pem";
    done(&run(&open, folder, line, &[]));
}
