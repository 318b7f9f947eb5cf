//! The real binary, as a user runs it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use helixor_playbook::{Data, Node, builtin, canonical};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const CLEAN: &str = r#"{"has_ssn": false, "has_credit_card": false, "has_health_record": false, "has_email": false, "has_phone": false, "has_ip": false}"#;

/// A folder of its own, with a home in it and nothing in the environment.
struct Place(TempDir);

struct Run {
    exit: i32,
    stdout: String,
    stderr: String,
}

impl Run {
    fn from(output: Output) -> Self {
        Self {
            exit: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    fn done(self) -> String {
        assert_eq!(
            (self.exit, self.stderr.as_str()),
            (0, ""),
            "{}",
            self.stdout
        );
        self.stdout
    }

    /// Asserts a failure and gives its message.
    #[track_caller]
    fn failed(self, exit: i32, code: &str) -> String {
        assert_eq!(
            (self.exit, self.stdout.as_str()),
            (exit, ""),
            "{}",
            self.stderr
        );
        let message = self.stderr.strip_prefix(&format!("{code}: "));
        message
            .unwrap_or_else(|| panic!("{}", self.stderr))
            .to_owned()
    }
}

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.write("playbook.yaml", builtin::EXAMPLE);
        place.write("clean.json", CLEAN);
        place
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.0.path())
            .env("HOME", self.path("home"))
            .env_remove("HELIXOR_LICENSE_FILE")
            .env_remove("HELIXOR_AUTHORITY_KEYS");
        command
    }

    /// Runs a command line (no quoting), with a text on standard input.
    fn run_with(&self, line: &str, input: &str) -> Run {
        let mut child = self
            .command(env!("CARGO_BIN_EXE_helixor-pack"))
            .args(line.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that fails early does not read its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Run::from(child.wait_with_output().unwrap())
    }

    fn run(&self, line: &str) -> Run {
        self.run_with(line, "")
    }

    fn json(&self, line: &str) -> Node {
        canonical::parse(&self.run(&format!("{line} --json")).done()).unwrap()
    }

    /// A development licence in `dev`, and the example pack sealed for it.
    fn sealed() -> Self {
        let place = Self::new();
        place.run("dev-license --out dev").done();
        place
            .run(&format!(
                "compile --playbook playbook.yaml --out a.hxpack {DEV}"
            ))
            .done();
        place
    }
}

const DEV: &str = "--license dev/helixor.hxlic --authorities dev/authority.pem";

fn text<'n>(node: &'n Node, key: &str) -> &'n str {
    node.get(key).unwrap().as_str().unwrap()
}

fn items<'n>(node: &'n Node, key: &str) -> &'n [Node] {
    match &node.get(key).unwrap().data {
        Data::List(items) => items,
        other => panic!("{other:?}"),
    }
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn from_a_development_licence_to_a_decision() {
    let place = Place::new();
    let made = place.json("dev-license --out dev");
    assert_eq!(text(&made, "tier"), "DEVELOPER");
    #[cfg(unix)]
    assert_eq!(mode(&place.path("dev/helixor.hxlic")), 0o600);

    let checked = place.json("check playbook.yaml");
    let digest = builtin::example().digest.to_string();
    assert_eq!(text(&checked, "raw_pack_sha256"), digest);

    let sealed = place.json(&format!(
        "compile --playbook playbook.yaml --out a.hxpack {DEV}"
    ));
    assert_eq!(text(&sealed, "raw_pack_sha256"), digest);
    assert!(text(&sealed, "authorities").contains("dev/authority.pem"));
    assert!(place.read("a.hxpack").starts_with(b"HXPK"));

    let header = place.json("inspect a.hxpack");
    assert_eq!(
        text(&header, "pack_id"),
        "compliance.regulatory_pii_guard.v1"
    );
    assert_eq!(text(&header, "raw_pack_sha256"), digest);
    assert!(header.get("hard_rules").is_none());
    let opened = place.json(&format!("inspect a.hxpack {DEV}"));
    let rules = items(&opened, "hard_rules");
    assert_eq!((rules.len(), items(&opened, "actions").len()), (4, 5));
    assert_eq!(text(&rules[0], "id"), "RULE-GLBA-SSN-BLOCK");
    assert_eq!(text(&rules[3], "verdict"), "redact");

    let decided = place.json(&format!("decide --pack a.hxpack --state clean.json {DEV}"));
    assert_eq!(text(&decided, "verdict"), "approve");
    assert_eq!(text(&decided, "action"), "permit_clean_payload");
    assert_eq!(
        text(&decided, "proof_sha256"),
        "207db3884ec575233b389ecef40fe2cf3dc1b1740946ebc80f6b085bd3169797"
    );
    place.write(
        "ssn.json",
        &CLEAN.replace("\"has_ssn\": false", "\"has_ssn\": true"),
    );
    let decided = place.json(&format!("decide --pack a.hxpack --state ssn.json {DEV}"));
    let causes = items(&decided, "necessary_causes");
    assert_eq!(text(&decided, "verdict"), "refuse");
    assert_eq!(
        items(&decided, "fired_rules"),
        [Node::from("RULE-GLBA-SSN-BLOCK")]
    );
    assert_eq!(text(&causes[0], "factor"), "has_ssn");
    assert_eq!(causes[0].get("observed_value"), Some(&Node::from(true)));
    assert!(causes[0].get("threshold").unwrap().is_null());

    let human = place
        .run(&format!("decide --pack a.hxpack --state ssn.json {DEV}"))
        .done();
    assert!(
        human.starts_with("refuse: block_glba_ssn_leakage\n"),
        "{human}"
    );
    let human = place.run(&format!("inspect a.hxpack {DEV}")).done();
    assert!(
        human.contains("\n  refuse  RULE-PCI-DSS-PAN-BLOCK    block_pci_dss_pan_leakage "),
        "{human}"
    );
}

/// What a command says to run next does run.
#[cfg(unix)]
#[test]
fn the_commands_to_run_next_run() {
    let place = Place::new();
    let next = |said: &str| -> String {
        let commands = said
            .lines()
            .filter(|line| line.starts_with("  export ") || line.starts_with("  helixor-pack "));
        let script: String = commands.map(|line| format!("{}\n", line.trim())).collect();
        assert!(!script.is_empty(), "{said}");
        script
            .replace("PLAYBOOK.yaml", "playbook.yaml")
            .replace("PACK.hxpack", "a.hxpack")
            .replace("STATE.json", "clean.json")
            .replace("NAME", "Acme")
            .replace("PATTERN", "compliance.*")
            .replace("--license FILE", "--license customer.hxlic")
    };
    let run = |script: &str| {
        let bin = Path::new(env!("CARGO_BIN_EXE_helixor-pack"))
            .parent()
            .unwrap();
        let paths = std::env::var("PATH").unwrap_or_default();
        let output = place
            .command("sh")
            .env("PATH", format!("{}:{paths}", bin.display()))
            .args(["-ec", script])
            .output()
            .unwrap();
        Run::from(output).done()
    };
    let dev = next(&place.run("dev-license --out it's/here").done());
    let exports: String = dev
        .lines()
        .filter(|l| l.starts_with("export"))
        .fold(String::new(), |all, l| all + l + "\n");
    let compiled = run(&dev);
    let decided = run(&format!("{exports}{}", next(&compiled)));
    assert!(
        decided.contains("approve: permit_clean_payload"),
        "{decided}"
    );

    let issued = run(&next(&place.run("authority init --out auth").done()));
    let believing = "export HELIXOR_AUTHORITY_KEYS=auth\n";
    let compiled = run(&format!("{believing}{}", next(&issued)));
    run(&format!("{believing}{}", next(&compiled)));
    let checked = next(&place.run("check playbook.yaml").done());
    run(&format!("{believing}{checked}"));
    run(&format!(
        "{believing}{}",
        next(&place.run("inspect a.hxpack").done())
    ));
}

#[test]
fn an_authority_issues_licences_and_packs_open_with_their_own_only() {
    let place = Place::new();
    place.run("authority init --out auth").done();
    #[cfg(unix)]
    assert_eq!(mode(&place.path("auth/authority.key")), 0o600);
    let issue =
        "license issue --authority auth/authority.key --tenant Acme --pack compliance.* --days 10";
    for name in ["one", "two"] {
        place
            .run(&format!(
                "{issue} --tier STUDIO --license-id {name} --out {name}.hxlic"
            ))
            .done();
    }
    #[cfg(unix)]
    assert_eq!(mode(&place.path("one.hxlic")), 0o600);
    // The folder can be believed as it is: the private key in it is no `.pem`.
    let believing = "--authorities auth";
    place
        .run(&format!(
            "compile --playbook playbook.yaml --license one.hxlic --out a.hxpack {believing}"
        ))
        .done();
    let decide = "decide --pack a.hxpack --state clean.json";
    place
        .run(&format!("{decide} --license one.hxlic {believing}"))
        .done();
    let message = place
        .run(&format!("{decide} --license two.hxlic {believing}"))
        .failed(4, "PACK_UNSEAL");
    assert!(
        message.starts_with("Decryption failed: content key mismatch or corrupted pack envelope\n"),
        "{message}"
    );

    place.run("dev-license --out dev").done();
    place
        .run(&format!(
            "{decide} --license one.hxlic --authorities dev/authority.pem"
        ))
        .failed(4, "LICENSE_UNTRUSTED");
    place
        .run(&format!(
            "{decide} --license one.hxlic --authorities dev/authority.pem {believing}"
        ))
        .done();
    place
        .run(&format!(
            "{decide} --license one.hxlic --authorities auth/authority.key"
        ))
        .failed(4, "LICENSE_UNTRUSTED");

    place
        .run(&format!(
            "{issue} --tier EXPERT --solver z3 --expires-at 2000-01-02T00:00:00Z --out no"
        ))
        .failed(2, "INVALID_ARGUMENT");
    let old = issue.replace(
        "--days 10",
        "--not-before 2000-01-01T00:00:00Z --expires-at 2000-01-02T00:00:00Z",
    );
    place
        .run(&format!("{old} --tier EXPERT --out old.hxlic"))
        .done();
    place
        .run(&format!("{decide} --license old.hxlic {believing}"))
        .failed(4, "LICENSE_EXPIRED");
    let future = issue.replace("--days 10", "--not-before 9000-01-01T00:00:00Z --days 1");
    place
        .run(&format!("{future} --tier expert --out future.hxlic"))
        .done();
    place
        .run(&format!("{decide} --license future.hxlic {believing}"))
        .failed(4, "LICENSE_NOT_YET_VALID");
    let endless = issue.replace(
        "--days 10",
        "--model PERPETUAL --max-decisions 5 --enforcement enforce",
    );
    let content = place.run(&format!("{endless} --tier COMMUNITY --out -"));
    assert_eq!(content.exit, 0);
    let license = canonical::parse(&content.stdout).unwrap();
    assert!(license.get("expires_at").unwrap().is_null());
    assert_eq!(
        license.get("limits").unwrap().get("max_decisions"),
        Some(&Node::from(5_u64))
    );
    assert!(!content.stderr.contains(text(&license, "content_key")));
}

#[test]
fn keys_and_licences_are_never_replaced() {
    let place = Place::new();
    place.run("authority init --out auth").done();
    place.run("dev-license --out dev").done();
    let files = [
        "auth/authority.key",
        "auth/authority.pem",
        "dev/helixor.hxlic",
        "dev/authority.pem",
    ];
    let before = files.map(|name| place.read(name));
    place.run("authority init --out auth").failed(3, "IO");
    place.run("dev-license --out dev").failed(3, "IO");
    place
        .run("license issue --authority auth/authority.key --tenant A --tier STUDIO --pack * --days 1 --out dev/helixor.hxlic")
        .failed(3, "IO");
    assert_eq!(files.map(|name| place.read(name)), before);
}

#[test]
fn states_come_as_json_lines_and_the_highest_code_ends_the_run() {
    let place = Place::sealed();
    let decide = format!("decide --pack a.hxpack {DEV}");
    let ssn = CLEAN.replace("\"has_ssn\": false", "\"has_ssn\": true");
    let rows = |run: &Run| -> Vec<Node> {
        run.stdout
            .lines()
            .map(|line| canonical::parse(line).unwrap())
            .collect()
    };
    // No newline at the end, and a blank line between.
    let run = place.run_with(&decide, &format!("{CLEAN}\n\n{ssn}"));
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""));
    let verdicts: Vec<_> = rows(&run)
        .iter()
        .map(|row| text(row, "verdict").to_owned())
        .collect();
    assert_eq!(verdicts, ["approve", "refuse"]);

    let run = place.run_with(&decide, &format!("{{\n{ssn}\n{{}}\n"));
    assert_eq!((run.exit, run.stderr.as_str()), (2, ""));
    let found = rows(&run);
    assert_eq!(text(&found[0], "code"), "STATE_MALFORMED");
    assert!(text(&found[0], "message").contains("line 1, column 2"));
    assert_eq!(text(&found[1], "verdict"), "refuse");
    assert_eq!(text(&found[2], "code"), "STATE_MISSING");

    let long = format!("[{}]\n{CLEAN}\n", " ".repeat(17 << 20));
    let run = place.run_with(&decide, &long);
    let found = rows(&run);
    assert_eq!((run.exit, found.len()), (2, 2));
    assert_eq!(text(&found[0], "code"), "STATE_MALFORMED");
    assert_eq!(text(&found[1], "verdict"), "approve");

    for (fail_on, input, exit) in [
        ("refuse", CLEAN, 0),
        ("refuse", ssn.as_str(), 1),
        ("redact", ssn.as_str(), 1),
        ("redact", CLEAN, 0),
    ] {
        let run = place.run_with(&format!("{decide} --fail-on {fail_on}"), input);
        assert_eq!((run.exit, rows(&run).len()), (exit, 1), "{fail_on} {input}");
        let run = place.run_with(&format!("{decide} --fail-on {fail_on} --state -"), input);
        assert_eq!(run.exit, exit, "{fail_on} {input}");
        assert!(!run.stdout.is_empty());
    }
}

#[test]
fn a_licence_s_limits_hold_row_by_row() {
    let place = Place::new();
    place.run("authority init --out keys").done();
    let sealed = |name: &str, limits: &str| {
        place
            .run(&format!(
                "license issue --authority keys/authority.key --out {name}.hxlic --tenant acme \
                 --tier STUDIO --days 1 --pack * {limits}"
            ))
            .done();
        let options = format!("--license {name}.hxlic --authorities keys/authority.pem");
        place
            .run(&format!(
                "compile --playbook playbook.yaml --out {name}.hxpack {options}"
            ))
            .done();
        format!("decide --pack {name}.hxpack {options}")
    };
    let codes = |run: &Run| -> Vec<String> {
        let rows = run
            .stdout
            .lines()
            .map(|line| canonical::parse(line).unwrap());
        rows.map(|row| match row.get("code") {
            Some(code) => code.as_str().unwrap().to_owned(),
            None => text(&row, "verdict").to_owned(),
        })
        .collect()
    };
    let decide = sealed("enforced", "--max-decisions 2 --enforcement enforce");
    // A row that fails is not counted.
    let run = place.run_with(
        &decide,
        &format!("{CLEAN}\n{{}}\n{CLEAN}\n{CLEAN}\n{CLEAN}"),
    );
    assert_eq!((run.exit, run.stderr.as_str()), (4, ""));
    assert_eq!(
        codes(&run),
        [
            "approve",
            "STATE_MISSING",
            "approve",
            "QUOTA_EXCEEDED",
            "QUOTA_EXCEEDED"
        ]
    );
    let last = canonical::parse(run.stdout.lines().last().unwrap()).unwrap();
    assert!(text(&last, "message").contains("`max_decisions` is 2"));
    assert!(text(&last, "help").contains("max_decisions"));

    let decide = sealed("observed", "--max-decisions 2");
    let run = place.run_with(&decide, &format!("{CLEAN}\n").repeat(4));
    assert_eq!((run.exit, codes(&run)), (0, vec!["approve".to_owned(); 4]));
}

#[test]
fn the_manifest_of_a_sealed_pack_is_tied_to_it() {
    let place = Place::new();
    place.run("dev-license --out dev").done();
    let compile = format!("compile --playbook playbook.yaml {DEV}");
    let said = place
        .run(&format!("{compile} --out a.hxpack --manifest m.json"))
        .done();
    assert!(
        said.contains("helixor-sdk-gen generate --manifest m.json"),
        "{said}"
    );
    let manifest = String::from_utf8(place.read("m.json")).unwrap();
    let manifest = canonical::parse(&manifest).unwrap();
    let pack = &items(&manifest, "packs")[0];
    let digest = builtin::example().digest.to_string();
    assert_eq!(text(pack, "raw_pack_sha256"), digest);
    assert_eq!(pack.get("is_sealed"), Some(&Node::from(true)));
    assert!(text(pack, "sealed_at").ends_with('Z'));

    let run = place.run(&format!("{compile} --out b.hxpack --manifest -"));
    assert_eq!(run.exit, 0, "{}", run.stderr);
    assert_eq!(
        items(&canonical::parse(&run.stdout).unwrap(), "packs").len(),
        1
    );
    for both in ["-", "x"] {
        place
            .run(&format!("{compile} --out {both} --manifest {both}"))
            .failed(2, "INVALID_ARGUMENT");
    }
}

#[test]
fn a_pack_can_go_through_pipes() {
    let place = Place::new();
    place.run("dev-license --out dev").done();
    let output = {
        let mut command = place.command(env!("CARGO_BIN_EXE_helixor-pack"));
        command
            .args(["compile", "--playbook", "-", "--out", "-"])
            .args(DEV.split(' '));
        command.stdin(fs::File::open(place.path("playbook.yaml")).unwrap());
        command.output().unwrap()
    };
    assert_eq!(output.status.code(), Some(0));
    assert!(!output.stderr.is_empty());
    fs::write(place.path("a.hxpack"), output.stdout).unwrap();
    place.run(&format!("inspect a.hxpack {DEV}")).done();
}

#[test]
fn failures_have_their_code_and_exit_code() {
    let place = Place::sealed();
    place.write("cut.hxpack", "HXPK");
    place.write("bad.json", "{");
    place.write("bad.hxlic", "{}");
    place.write("large.yaml", &" ".repeat((4 << 20) + 1));
    fs::write(place.path("latin1.yaml"), b"name: \xfc\n").unwrap();
    fs::write(place.path("latin1.json"), b"{\"\xfc\": true}").unwrap();
    place.write("bad.yaml", "pack_id: [\n");
    place.write(
        "solver.yaml",
        &format!("{}\nsolvers: [z3]\n", builtin::EXAMPLE),
    );
    place.write(
        "rules.yaml",
        &format!("{}\nbuiltin_checks: {{}}\n", builtin::EXAMPLE),
    );
    let mut flipped = place.read("a.hxpack");
    *flipped.last_mut().unwrap() ^= 1;
    fs::write(place.path("flipped.hxpack"), flipped).unwrap();
    let decide = format!("decide --state clean.json {DEV} --pack");
    let compile = format!("compile {DEV} --out x --playbook");
    for (line, exit, code) in [
        ("nonsense".to_owned(), 2, "INVALID_ARGUMENT"),
        ("check".to_owned(), 2, "INVALID_ARGUMENT"),
        (String::new(), 2, "INVALID_ARGUMENT"),
        ("check missing.yaml".to_owned(), 3, "IO"),
        ("check bad.yaml".to_owned(), 2, "PLAYBOOK_INVALID"),
        ("check large.yaml".to_owned(), 2, "PLAYBOOK_INVALID"),
        ("check latin1.yaml".to_owned(), 2, "PLAYBOOK_INVALID"),
        (
            format!("decide --state latin1.json {DEV} --pack a.hxpack"),
            2,
            "STATE_MALFORMED",
        ),
        (format!("{compile} bad.yaml"), 2, "PLAYBOOK_INVALID"),
        (format!("{compile} solver.yaml"), 4, "PACK_UNSUPPORTED"),
        (format!("{compile} rules.yaml"), 4, "PACK_UNSUPPORTED"),
        ("decide --pack a.hxpack".to_owned(), 4, "LICENSE_NOT_FOUND"),
        (
            "decide --pack a.hxpack --license none".to_owned(),
            4,
            "LICENSE_NOT_FOUND",
        ),
        (
            "decide --pack a.hxpack --license bad.hxlic".to_owned(),
            4,
            "LICENSE_MALFORMED",
        ),
        (
            "inspect a.hxpack --license dev/helixor.hxlic".to_owned(),
            4,
            "LICENSE_UNTRUSTED",
        ),
        (format!("{decide} missing"), 4, "PACK_NOT_FOUND"),
        (format!("{decide} cut.hxpack"), 4, "PACK_FORMAT"),
        (format!("{decide} flipped.hxpack"), 4, "PACK_UNSEAL"),
        (format!("{decide} dev"), 3, "IO"),
        (
            format!("{decide} a.hxpack --fail-on approve"),
            2,
            "INVALID_ARGUMENT",
        ),
        (
            format!("decide --state bad.json {DEV} --pack a.hxpack"),
            2,
            "STATE_MALFORMED",
        ),
        (
            format!("decide --state missing {DEV} --pack a.hxpack"),
            3,
            "IO",
        ),
        (
            format!("compile {DEV} --playbook playbook.yaml --out no/x"),
            3,
            "IO",
        ),
    ] {
        place.run(&line).failed(exit, code);
        let run = place.run(&format!("{line} --json"));
        assert_eq!((run.exit, run.stdout.as_str()), (exit, ""), "{line}");
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        let error = canonical::parse(&run.stderr).unwrap();
        assert_eq!(text(&error, "code"), code, "{line}");
        assert!(!text(&error, "message").is_empty() && error.get("help").is_some());
        let Data::Map(entries) = &error.data else {
            panic!()
        };
        assert_eq!(entries.len(), 3);
    }
    // Nothing was written by a command that failed.
    assert!(!place.path("x").exists());
}

#[test]
fn the_licence_is_checked_before_the_playbook_is_sealed() {
    let place = Place::new();
    place.run("authority init --out auth").done();
    place
        .run("license issue --authority auth/authority.key --tenant A --tier STUDIO --pack other.* --days 1 --out other.hxlic")
        .done();
    place.write(
        "solver.yaml",
        &format!("{}\nsolvers: [z3]\n", builtin::EXAMPLE),
    );
    let compile = "compile --license other.hxlic --authorities auth --out x --playbook";
    place
        .run(&format!("{compile} playbook.yaml"))
        .failed(4, "PACK_NOT_LICENSED");
    place
        .run("license issue --authority auth/authority.key --tenant A --tier STUDIO --pack * --days 1 --out all.hxlic")
        .done();
    let compile = compile.replace("other.hxlic", "all.hxlic");
    let message = place
        .run(&format!("{compile} solver.yaml"))
        .failed(4, "SOLVER_NOT_LICENSED");
    assert!(message.contains("`z3`"), "{message}");
    assert!(!place.path("x").exists());
}

#[test]
fn every_fault_of_a_playbook_is_drawn() {
    let place = Place::new();
    let bad = builtin::EXAMPLE
        .replace("default_action:", "default_acton:")
        .replace("state.has_ssn is", "state.has_snn is");
    place.write("bad.yaml", &bad);
    let message = place.run("check bad.yaml").failed(2, "PLAYBOOK_INVALID");
    for part in [
        "playbook bad.yaml has ",
        "did you mean `default_action`?",
        "^^^^^^^^^^^^^",
        "bad.yaml:2",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn nothing_is_written_over_a_file_that_is_read_or_written() {
    let place = Place::sealed();
    let files = ["playbook.yaml", "dev/helixor.hxlic", "dev/authority.pem"];
    let before = files.map(|file| place.read(file));
    let compile = |outputs: &str| {
        place
            .run(&format!("compile --playbook playbook.yaml {DEV} {outputs}"))
            .failed(2, "INVALID_ARGUMENT")
    };
    for file in files {
        for same in [file.to_owned(), format!("./dev/../{file}")] {
            let message = compile(&format!("--out {same}"));
            assert!(message.contains(&same), "{message}");
            compile(&format!("--out new --manifest {same}"));
        }
    }
    // Nor over a licence and keys that were looked up.
    let looked_up = |outputs: &str| {
        let mut command = place.command(env!("CARGO_BIN_EXE_helixor-pack"));
        command.args("compile --playbook playbook.yaml".split(' '));
        command.args(outputs.split(' '));
        command.env("HELIXOR_LICENSE_FILE", "dev/helixor.hxlic");
        command.env("HELIXOR_AUTHORITY_KEYS", "dev/authority.pem");
        Run::from(command.output().unwrap()).failed(2, "INVALID_ARGUMENT")
    };
    for file in files {
        let message = looked_up(&format!("--out {file}"));
        assert!(message.contains(file), "{message}");
        looked_up(&format!("--out new --manifest ./{file}"));
    }
    assert_eq!(files.map(|file| place.read(file)), before);
    let message = compile("--out new --manifest ./new");
    assert!(
        message.contains("the manifest cannot be written to `./new`, the place of the pack"),
        "{message}"
    );
    compile("--out - --manifest -");
    assert!(!place.path("new").exists());
}

#[test]
fn a_publisher_signs_and_whoever_trusts_it_opens_nothing_else() {
    let place = Place::sealed();
    place.run("publisher init --out pub").done();
    place.run("publisher init --out other").done();
    #[cfg(unix)]
    assert_eq!(mode(&place.path("pub/publisher.key")), 0o600);
    let inspect = |more: &str| place.json(&format!("inspect a.hxpack {more}"));
    let told = |node: &Node| text(node, "signature").to_owned();
    let verify = "verify a.hxpack --publisher-keys pub/publisher.pem";

    // Nothing is signed yet.
    assert_eq!(told(&inspect("")), "none");
    let message = place.run(verify).failed(4, "PACK_SIGNATURE");
    assert!(
        message.contains("`a.hxpack.sig` does not exist"),
        "{message}"
    );

    let said = place.run("sign a.hxpack --key pub/publisher.key").done();
    assert!(
        said.contains("helixor-pack verify a.hxpack --publisher-keys"),
        "{said}"
    );
    let signature =
        canonical::parse(&String::from_utf8(place.read("a.hxpack.sig")).unwrap()).unwrap();
    let key_id = place.json("publisher init --out third");
    assert_ne!(text(&key_id, "key_id"), text(&signature, "key_id"));
    assert_eq!(text(&signature, "schema"), "helixor.pack_signature.v1");
    let digest = helixor_playbook::Digest::of(&place.read("a.hxpack")).to_string();
    assert_eq!(text(&signature, "file_sha256"), digest);

    let said = place.run(verify).done();
    assert!(
        said.starts_with("A publisher you trust signed this very file."),
        "{said}"
    );
    assert_eq!(cell(&said, "signed with"), text(&signature, "key_id"));
    assert_eq!(told(&inspect("")), "unverified");
    assert_eq!(told(&inspect(DEV)), "unverified");
    let trusting = "--publisher-keys pub";
    let node = inspect(&format!("{DEV} {trusting}"));
    assert_eq!(told(&node), "verified");
    assert_eq!(text(&node, "publisher_key_id"), text(&signature, "key_id"));
    assert_eq!(told(&inspect(trusting)), "verified");
    let decide = format!("decide --pack a.hxpack --state clean.json {DEV}");
    place.run(&format!("{decide} {trusting}")).done();
    place.run(&decide).done();

    for line in [
        "verify a.hxpack --publisher-keys other".to_owned(),
        "inspect a.hxpack --publisher-keys other".to_owned(),
        format!("{decide} --publisher-keys other"),
    ] {
        let message = place.run(&line).failed(4, "PACK_SIGNATURE");
        assert!(message.contains("none of the publisher keys"), "{message}");
    }
    // Sealed anew: other bytes, which the old signature is not of.
    let compile = format!("compile --playbook playbook.yaml --out a.hxpack {DEV}");
    place.run(&compile).done();
    for line in [verify.to_owned(), format!("{decide} {trusting}")] {
        let message = place.run(&line).failed(4, "PACK_SIGNATURE");
        assert!(message.contains("for other bytes"), "{message}");
    }
    place.run(&decide).done();
    place
        .run("sign a.hxpack --key pub/publisher.key --out new.sig")
        .done();
    place.run(&format!("{verify} --signature new.sig")).done();
    place.run(verify).failed(4, "PACK_SIGNATURE");
    let run = place.run("sign a.hxpack --key pub/publisher.key --out -");
    assert_eq!(run.exit, 0, "{}", run.stderr);
    place.write("a.hxpack.sig", &run.stdout);
    place.run(verify).done();

    for (line, exit, code) in [
        ("sign nowhere --key pub/publisher.key", 4, "PACK_NOT_FOUND"),
        ("sign clean.json --key pub/publisher.key", 4, "PACK_FORMAT"),
        (
            "sign a.hxpack --key pub/publisher.pem",
            2,
            "INVALID_ARGUMENT",
        ),
        ("sign a.hxpack --key nowhere", 3, "IO"),
        (
            "sign a.hxpack --key pub/publisher.key --out a.hxpack",
            2,
            "INVALID_ARGUMENT",
        ),
        ("verify a.hxpack", 2, "INVALID_ARGUMENT"),
        (
            "verify a.hxpack --publisher-keys nowhere",
            4,
            "PACK_SIGNATURE",
        ),
        ("verify clean.json --publisher-keys pub", 4, "PACK_FORMAT"),
        ("publisher init --out pub", 3, "IO"),
    ] {
        place.run(line).failed(exit, code);
    }
}

/// The table's cell after a title.
#[track_caller]
fn cell<'t>(table: &'t str, title: &str) -> &'t str {
    let line = table
        .lines()
        .find_map(|line| line.trim().strip_prefix(title));
    line.unwrap_or_else(|| panic!("{title}: {table}")).trim()
}

#[test]
fn a_licence_says_what_it_is() {
    let place = Place::sealed();
    let said = place.run(&format!("inspect-license {DEV_FILE}")).done();
    let secret = canonical::parse(&String::from_utf8(place.read("dev/helixor.hxlic")).unwrap());
    let secret = text(&secret.unwrap(), "content_key").to_owned();
    assert!(said.starts_with("The licence is valid.\n"), "{said}");
    assert_eq!(cell(&said, "held by"), "development");
    let until = cell(&said, "until").split_once(", ").unwrap().1;
    // Thirty days, of which the first has begun unless the clock's second is still the same.
    assert!(["29 days left", "30 days left"].contains(&until), "{said}");
    assert_eq!(cell(&said, "limits"), "none");
    assert_eq!(cell(&said, "features"), "custom_playbook_compilation");
    assert_eq!(cell(&said, "found as"), "licence file `dev/helixor.hxlic`");
    assert_eq!(
        cell(&said, "believing"),
        "the authorities given (dev/authority.pem)"
    );
    assert_eq!(cell(&said, "signature"), "verified");
    let node = place.json(&format!("inspect-license {DEV_FILE}"));
    assert_eq!(text(&node, "tier"), "DEVELOPER");
    assert_eq!(text(&node, "license_model"), "SUBSCRIPTION");
    assert!(matches!(node.get("valid").unwrap().data, Data::Bool(true)));
    assert!(matches!(node.get("problem").unwrap().data, Data::Null));
    assert!(matches!(
        node.get("days_left").unwrap().data,
        Data::Int(29 | 30)
    ));
    let limits = node.get("limits").unwrap();
    assert_eq!(text(limits, "enforcement_mode"), "observe");
    assert!(!said.contains(&secret));
    assert!(node.get("content_key").is_none() && node.get("warnings").is_none());

    // It is looked for where every command does.
    fs::copy(place.path("dev/helixor.hxlic"), place.path("helixor.hxlic")).unwrap();
    let said = place
        .run("inspect-license --authorities dev/authority.pem")
        .done();
    assert_eq!(cell(&said, "found as"), "licence file `./helixor.hxlic`");
    let message = place
        .run("inspect-license nowhere.hxlic")
        .failed(4, "LICENSE_NOT_FOUND");
    assert!(message.contains("nowhere.hxlic"), "{message}");
    place.write("bad.hxlic", "{}");
    place
        .run("inspect-license bad.hxlic")
        .failed(4, "LICENSE_MALFORMED");
}

const DEV_FILE: &str = "dev/helixor.hxlic --authorities dev/authority.pem";

#[test]
fn a_licence_that_is_not_valid_is_shown_with_what_is_wrong() {
    let place = Place::new();
    place.run("authority init --out keys").done();
    place.run("authority init --out others").done();
    let issue = |name: &str, more: &str| {
        let line = "license issue --authority keys/authority.key --tenant acme --tier STUDIO";
        place
            .run(&format!("{line} --pack a.* --out {name} {more}"))
            .done();
    };
    issue(
        "late",
        "--not-before 2020-01-01T00:00:00Z --expires-at 2021-01-01T00:00:00Z",
    );
    issue(
        "early",
        "--not-before 2090-01-01T00:00:00Z --expires-at 2091-01-01T00:00:00Z",
    );
    issue(
        "good",
        "--model PERPETUAL --solver z3 --max-decisions 9 --max-decisions-per-second 2 --enforcement \
         enforce",
    );
    let changed = String::from_utf8(place.read("late")).unwrap();
    place.write("changed", &changed.replace("acme", "evil"));
    for (file, authorities, code, signature, title, says) in [
        (
            "late",
            "--authorities keys",
            "LICENSE_EXPIRED",
            "verified",
            "until",
            "expired",
        ),
        (
            "early",
            "--authorities keys",
            "LICENSE_NOT_YET_VALID",
            "verified",
            "valid from",
            "to go",
        ),
        (
            "changed",
            "--authorities keys",
            "LICENSE_SIGNATURE",
            "wrong",
            "held by",
            "evil",
        ),
        (
            "good",
            "--authorities others",
            "LICENSE_UNTRUSTED",
            "unknown_key",
            "held by",
            "acme",
        ),
        (
            "late",
            "--authorities others",
            "LICENSE_UNTRUSTED",
            "unknown_key",
            "until",
            "expired",
        ),
        (
            "good",
            "",
            "LICENSE_UNTRUSTED",
            "unchecked",
            "believing",
            "no authority",
        ),
        (
            "good",
            "--authorities nowhere",
            "LICENSE_UNTRUSTED",
            "unchecked",
            "until",
            "without end",
        ),
    ] {
        let line = format!("inspect-license {file} {authorities}");
        let run = place.run(&line);
        assert_eq!(run.exit, 4, "{line}");
        assert!(run.stderr.contains(&format!("{code}: ")), "{}", run.stderr);
        let shown = cell(&run.stdout, title);
        assert!(shown.contains(says), "{line}: {shown}");
        assert_eq!(cell(&run.stdout, "packs"), "a.*");

        let run = place.run(&format!("{line} --json"));
        assert_eq!(run.exit, 4, "{line}");
        let node = canonical::parse(&run.stdout).unwrap();
        assert_eq!(text(&node, "problem"), code);
        assert_eq!(text(&node, "signature"), signature, "{line}");
        assert_eq!(text(&canonical::parse(&run.stderr).unwrap(), "code"), code);
    }
    let said = place.run("inspect-license good --authorities keys").done();
    assert_eq!(
        cell(&said, "limits"),
        "9 decisions a process, 2 decisions a second; enforce"
    );
    assert_eq!(cell(&said, "solvers"), "z3");
}

#[cfg(unix)]
#[test]
fn a_secret_that_others_can_read_is_warned_of() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::sealed();
    let open_up = |name: &str| {
        let mode = fs::Permissions::from_mode(0o640);
        fs::set_permissions(place.path(name), mode).unwrap();
    };
    open_up("dev/helixor.hxlic");
    let expected = "warning: `dev/helixor.hxlic` holds a licence, and so the key of its packs, and \
                    others can get at it (mode 0640): make it its owner's alone with `chmod 600 \
                    dev/helixor.hxlic`\n";
    for line in [
        format!("compile --playbook playbook.yaml --out b.hxpack {DEV}"),
        format!("inspect a.hxpack {DEV}"),
        format!("decide --pack a.hxpack --state clean.json {DEV}"),
        format!("decide --pack a.hxpack {DEV}"),
        format!("inspect-license {DEV_FILE}"),
    ] {
        let run = place.run(&line);
        assert_eq!((run.exit, run.stderr.as_str()), (0, expected), "{line}");
        if !line.starts_with("decide --pack a.hxpack --license") {
            let node = place.json(&line);
            let warnings = items(&node, "warnings");
            assert_eq!(warnings.len(), 1);
            let told = format!("warning: {}\n", warnings[0].as_str().unwrap());
            assert_eq!(told, expected);
        }
    }
    place.run("authority init --out keys").done();
    open_up("keys/authority.key");
    let run = place.run(
        "license issue --authority keys/authority.key --tenant t --tier STUDIO --days 1 --pack * \
         --out c.hxlic",
    );
    assert_eq!(run.exit, 0);
    assert!(
        run.stderr
            .starts_with("warning: `keys/authority.key` holds an authority's private key"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_ledger_is_kept_proven_and_verified() {
    let place = Place::sealed();
    let decide = format!("decide --pack a.hxpack {DEV} --ledger audit.ledger");
    // The last state lacks fields, so it leaves no leaf.
    let rows = format!("{CLEAN}\n").repeat(4) + "{}\n";
    assert_eq!(place.run_with(&decide, &rows).exit, 2);
    let one = format!("{decide} --state clean.json");
    place.run(&one).done();

    let root = |of: &str| text(&place.json(&format!("ledger root {of}")), "root").to_owned();
    let (old, new) = (root("audit.ledger --size 3"), root("audit.ledger"));
    assert_ne!(old, new);
    let inclusion = place.json("ledger inclusion audit.ledger 2");
    assert_eq!(text(&inclusion, "root"), new);
    assert!(text(&inclusion, "leaf").ends_with("\"seq\":2}"));
    let consistency = place.json("ledger consistency audit.ledger 3 5");
    assert_eq!(text(&consistency, "old_root"), old);
    let written = |node: &Node| canonical::write(node, canonical::Style::Compact).unwrap();
    place.write("in.json", &written(&inclusion));
    place.write("grown.json", &written(&consistency));
    place.write(
        "forged.json",
        &written(&inclusion).replace(r#"\"seq\":2"#, r#"\"seq\":3"#),
    );
    for says in ["inclusion audit.ledger 2", "consistency audit.ledger 3"] {
        let said = place.run(&format!("ledger {says}")).done();
        assert!(
            said.contains(&new) && said.contains("verify-proof"),
            "{said}"
        );
    }

    // A proof is checked by who has no ledger.
    let kept = place.read("audit.ledger");
    fs::remove_file(place.path("audit.ledger")).unwrap();
    let check = |proof: &str| place.run(&format!("ledger verify-proof {proof}"));
    let said = check(&format!("in.json --root {new}")).done();
    assert!(said.starts_with("The proof holds: leaf 2 is under the root.\n"));
    let grown = format!("grown.json --root {new}");
    let said = check(&format!("{grown} --old-root {old}")).done();
    assert!(
        said.starts_with("The proof holds: the ledger of the root begins with all of the older.\n")
    );
    let run = check(&grown);
    assert_eq!(run.exit, 0);
    let warned = "the older root is the proof's own word";
    assert!(run.stderr.contains(warned), "{}", run.stderr);
    for (proof, named) in [
        (format!("in.json --root {old}"), "its root is not"),
        (
            format!("in.json --root {new} --old-root {old}"),
            "it names none",
        ),
        (
            format!("forged.json --root {new}"),
            "do not make up the root",
        ),
    ] {
        let run = check(&proof);
        assert_eq!((run.exit, run.stderr.as_str()), (1, ""));
        assert!(run.stdout.contains(named), "{}", run.stdout);
    }
    check("clean.json").failed(2, "INVALID_ARGUMENT");
    place.run("ledger root audit.ledger").failed(3, "IO");
    place.run("ledger verify audit.ledger").failed(3, "IO");

    fs::write(place.path("audit.ledger"), &kept).unwrap();
    let verify = |rest: &str| place.run(&format!("ledger verify audit.ledger {rest}"));
    verify("").done();
    verify(&format!("--root {new}")).done();
    verify(&format!("--root {old} --size 3")).done();
    for rest in ["--root", "--size 4 --root", "--size 6 --root"] {
        let wanted = if rest == "--root" { &old } else { &new };
        let run = verify(&format!("{rest} {wanted}"));
        assert_eq!((run.exit, run.stderr.as_str()), (1, ""), "{}", run.stdout);
        assert!(run.stdout.starts_with("The ledger does not verify: "));
    }
    fs::write(place.path("audit.ledger"), &kept[..kept.len() - 9]).unwrap();
    let run = place.run("ledger root audit.ledger --json");
    assert_eq!(run.exit, 0);
    assert!(
        run.stdout.contains("the last line has no end"),
        "{}",
        run.stdout
    );
    let changed = String::from_utf8(kept).unwrap();
    place.write(
        "audit.ledger",
        &changed.replacen("\"seq\":1", "\"seq\":2", 1),
    );
    let run = verify("--json");
    assert_eq!(run.exit, 1);
    assert!(run.stdout.contains("from line 2 on"), "{}", run.stdout);
    let proof = place.run("ledger inclusion audit.ledger 0");
    proof.failed(2, "INVALID_ARGUMENT");
    place.run(&one).failed(2, "INVALID_ARGUMENT");
    // A file of another kind is never cut, though its only line has no end.
    let foreign = one.replace("audit.ledger", "clean.json");
    place.run(&foreign).failed(2, "INVALID_ARGUMENT");
    assert_eq!(place.read("clean.json"), CLEAN.as_bytes());
}

#[test]
fn two_processes_never_write_one_ledger() {
    let place = Place::sealed();
    let decide = format!("decide --pack a.hxpack {DEV} --ledger audit.ledger");
    let mut first = place
        .command(env!("CARGO_BIN_EXE_helixor-pack"))
        .args(decide.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = first.stdin.take().unwrap();
    writeln!(input, "{CLEAN}").unwrap();
    let mut answers = BufReader::new(first.stdout.take().unwrap()).lines();
    assert!(answers.next().unwrap().unwrap().contains("approve"));
    let second = place.run_with(&decide, &format!("{CLEAN}\n"));
    let message = second.failed(3, "IO");
    assert!(
        message.contains("`audit.ledger` has a writer already"),
        "{message}"
    );
    // The first goes on, and another comes after it.
    writeln!(input, "{CLEAN}").unwrap();
    drop(input);
    assert!(first.wait().unwrap().success());
    place.run_with(&decide, CLEAN).done();
    let verified = place.json("ledger verify audit.ledger");
    assert!(matches!(verified.get("size").unwrap().data, Data::Int(3)));
}

#[cfg(unix)]
#[test]
fn a_decision_whose_leaf_has_no_room_is_an_error_and_not_counted() {
    let place = Place::sealed();
    // A file may have 8 blocks of 512 bytes, and what is beyond is an error, as on a full disk.
    let decide = format!(
        "trap '' XFSZ; ulimit -f 8; exec {} decide --pack a.hxpack {DEV} --ledger audit.ledger",
        env!("CARGO_BIN_EXE_helixor-pack")
    );
    let mut child = place
        .command("sh")
        .args(["-c", &decide])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let rows = format!("{CLEAN}\n").repeat(100);
    child
        .stdin
        .take()
        .unwrap()
        .write_all(rows.as_bytes())
        .unwrap();
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!((run.exit, run.stderr.as_str()), (3, ""), "{}", run.stdout);
    let decided = run
        .stdout
        .lines()
        .filter(|row| row.contains("\"approve\""))
        .count();
    let failed = run
        .stdout
        .lines()
        .filter(|row| row.contains("\"code\":\"IO\""))
        .count();
    assert!(decided > 1 && decided + failed == 100, "{}", run.stdout);
    assert!(
        run.stdout
            .contains("cannot write the ledger `audit.ledger`")
    );
    // Nothing of a leaf that failed is left, and there is room for others again.
    let size = |answer: Node| match answer.get("size").unwrap().data {
        Data::Int(size) => usize::try_from(size).unwrap(),
        _ => panic!("{answer:?}"),
    };
    assert_eq!(size(place.json("ledger verify audit.ledger")), decided);
    let line = format!("decide --pack a.hxpack {DEV} --ledger audit.ledger --state clean.json");
    place.run(&line).done();
    assert_eq!(size(place.json("ledger verify audit.ledger")), decided + 1);
}
