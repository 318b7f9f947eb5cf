//! The projects of `examples/build`, which generate their clients in their own builds: copied out of
//! this checkout into an empty folder, built with what `target/dist` has, and run.

use crate::run::{Failure, Result, command, fail, files, fresh, read, root, run, target, write};
use crate::tools::{DEBUG, Venv, cargo};
use crate::{dist, example, java};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The manifest, the same in each project.
const MANIFEST: &str = "embedded-pack-manifest.json";

/// What each program prints.
const DECISION: &str = "redact: redact_and_permit_contact_pii\n";

/// A project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Rust,
    RustCheckedIn,
    Maven,
    Python,
    Ci,
}

pub(crate) const KINDS: [Kind; 5] = [
    Kind::Rust,
    Kind::RustCheckedIn,
    Kind::Maven,
    Kind::Python,
    Kind::Ci,
];

impl Kind {
    /// Its folder in `examples/build`.
    pub(crate) const fn folder(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::RustCheckedIn => "rust-checked-in",
            Self::Maven => "maven",
            Self::Python => "python",
            Self::Ci => "ci",
        }
    }
}

/// Builds a project and runs it. `target/dist` must be filled.
pub(crate) fn build(kind: Kind) -> Result<()> {
    let away = tempfile::tempdir()?;
    let project = away.path().join("project");
    let from = root().join("examples/build").join(kind.folder());
    for file in tracked(&from)? {
        let to = project.join(&file);
        std::fs::create_dir_all(to.parent().unwrap_or(&project))?;
        std::fs::copy(from.join(&file), to)?;
    }
    match kind {
        Kind::Rust => rust(&project),
        Kind::RustCheckedIn => rust_checked_in(&project),
        Kind::Maven => maven(&project),
        Kind::Python => python(&project),
        Kind::Ci => ci(&project),
    }
}

/// The manifests of the projects are what the generator makes of the example pack's playbook.
pub(crate) fn manifests() -> Result<String> {
    let playbook = "playbook/builtin/regulatory_pii_guard.yaml";
    let made = target("embedded-pack-manifest.json");
    let mut manifest = command(target("release/helixor-sdk-gen"));
    run(manifest.args(["manifest", playbook, "--out"]).arg(&made))?;
    let made = read(&made)?;
    for kind in KINDS {
        let file = format!("examples/build/{}/{MANIFEST}", kind.folder());
        if read(&root().join(&file))? != made {
            return fail(format!(
                "{file} is not that of the playbook; make it anew:\n\
                 target/release/helixor-sdk-gen manifest {playbook} --out {file}"
            ));
        }
    }
    Ok(format!("{} manifests", KINDS.len()))
}

/// The files of a project, without what a build in place left.
fn tracked(folder: &Path) -> Result<Vec<PathBuf>> {
    let made = ["target", "build", "sdk", "Cargo.lock"];
    let mut files = files(folder)?;
    files.retain(|file| !made.iter().any(|name| file.starts_with(name)));
    Ok(files)
}

/// When each file below a folder was last written.
fn times(folder: &Path) -> Result<BTreeMap<PathBuf, SystemTime>> {
    let all = files(folder)?.into_iter();
    all.map(|file| {
        let time = std::fs::metadata(folder.join(&file))?.modified()?;
        Ok((file, time))
    })
    .collect()
}

/// What a program printed, held to what it should.
fn decides(program: &mut Command) -> Result<()> {
    let said = run(program)?;
    match said.ends_with(DECISION) {
        true => Ok(()),
        false => fail(format!(
            "the program does not end with {DECISION:?}:\n{said}"
        )),
    }
}

/// Cargo in a project, with the setting that README shows and the crates that were tested.
fn cargo_in(project: &Path, words: &str) -> Result<Command> {
    write(&project.join(".cargo/config.toml"), &dist::setting("toml")?)?;
    example::lock(project)?;
    let mut cargo = cargo(words);
    // Most dependencies are built in the workspace's target folder already: for build scripts too, when they are
    // built alike.
    cargo
        .current_dir(project)
        .env("CARGO_PROFILE_DEV_BUILD_OVERRIDE_DEBUG", DEBUG)
        .env_remove("CI");
    Ok(cargo)
}

fn rust(project: &Path) -> Result<()> {
    decides(&mut cargo_in(project, "run --quiet")?)?;
    let again = run(&mut cargo_in(project, "build")?)?;
    match again.contains("Compiling") {
        false => Ok(()),
        true => fail(format!("the second build compiled something:\n{again}")),
    }
}

fn rust_checked_in(project: &Path) -> Result<()> {
    let sources = project.join("src");
    if std::env::var_os("HELIXOR_BLESS").is_some() {
        // What is committed is made anew.
        let packs = "examples/build/rust-checked-in/src/packs";
        fresh(&sources.join("packs"))?;
        run(&mut cargo_in(project, "build --quiet")?)?;
        for file in files(&sources.join("packs"))? {
            let text = read(&sources.join("packs").join(&file))?;
            write(&root().join(packs).join(&file), &text)?;
        }
    }
    let before = times(&sources)?;
    decides(cargo_in(project, "run --quiet")?.env("CI", "true")).map_err(|Failure(said)| {
        Failure(format!(
            "{said}\n\nif examples/build/rust-checked-in/src/packs is old, make it anew and look at the difference:\n\
             HELIXOR_BLESS=1 cargo xtask dist"
        ))
    })?;
    if times(&sources)? != before {
        return fail("a build with nothing changed wrote into src");
    }
    // What is committed is old: CI says so, and a build without CI mends it.
    describe(project)?;
    let stale = run(cargo_in(project, "build --quiet")?.env("CI", "true"));
    match stale {
        Err(Failure(said))
            if said.contains("is not what embedded-pack-manifest.json gives now") => {}
        Err(failure) => return Err(failure),
        Ok(_) => return fail("CI built with old files"),
    }
    decides(&mut cargo_in(project, "run --quiet")?)
}

/// Changes what the manifest says of a field.
fn describe(project: &Path) -> Result<()> {
    let file = project.join(MANIFEST);
    let text = read(&file)?;
    let changed = text.replacen("\"description\": \"", "\"description\": \"Now: ", 1);
    if changed == text {
        return fail("the manifest has no description");
    }
    write(&file, &changed)
}

/// The environment of a downstream team: `helixor-sdk-gen` from its wheel, with the setting that
/// README shows.
fn team() -> Result<Venv> {
    let venv = Venv::new(target("dist-venv"))?;
    let mut pip = pip(&venv)?;
    run(pip.args(["--force-reinstall", "helixor-sdk-gen"]))?;
    Ok(venv)
}

fn pip(venv: &Venv) -> Result<Command> {
    let mut pip = command(venv.program("pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check"]);
    pip_settings(&mut pip)?;
    Ok(pip)
}

/// README's setting, in a file. A list in the environment would take its place, so that goes there too.
fn pip_settings(pip: &mut Command) -> Result<()> {
    const USERS: &str = "PIP_FIND_LINKS";
    let file = target("dist-settings/pip.conf");
    let mut text = dist::setting("ini")?;
    let users = std::env::var(USERS).unwrap_or_default();
    for place in users.split_whitespace() {
        text.push_str(&format!("    {place}\n"));
    }
    write(&file, &text)?;
    pip.env("PIP_CONFIG_FILE", file).env_remove(USERS);
    Ok(())
}

/// The search path with the programs of an environment in front.
fn path(venv: &Venv) -> Result<std::ffi::OsString> {
    let own = venv.program("");
    let users = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(own).chain(std::env::split_paths(&users));
    std::env::join_paths(all).map_err(|e| Failure(e.to_string()))
}

fn maven(project: &Path) -> Result<()> {
    let settings = target("dist-settings/settings.xml");
    write(&settings, &dist::setting("xml")?)?;
    let path = path(&team()?)?;
    let repository = java::repository_away()?;
    let package = || {
        run(java::mvn_away(project, &repository, &settings)?
            .arg("package")
            .env("PATH", &path))
    };
    package()?;
    decides(
        java::java()?
            .arg("-jar")
            .arg("target/guard.jar")
            .current_dir(project),
    )?;
    let made = || -> Result<_> {
        let [sources, classes] =
            ["generated-sources", "classes"].map(|name| times(&project.join("target").join(name)));
        Ok((sources?, classes?))
    };
    let before = made()?;
    package()?;
    match made()? == before {
        true => Ok(()),
        false => fail("the second `mvn package` generated or compiled something"),
    }
}

fn python(project: &Path) -> Result<()> {
    let venv = Venv::new(target("dist-venv"))?;
    run(pip(&venv)?.arg("--force-reinstall").arg(project))?;
    decides(&mut command(venv.program("guard")))?;
    // The same wheel brings the publisher's tool.
    run(command(venv.program("helixor-pack")).arg("--version")).map(drop)
}

/// Runs what CI would, step by step, when all is current and when it is not.
fn ci(project: &Path) -> Result<()> {
    let venv = Venv::new(target("dist-venv"))?;
    let sh = |script: &str| {
        let mut sh = command("sh");
        sh.args(["-euc", script]).current_dir(project);
        pip_settings(&mut sh)?;
        run(sh.env("PATH", path(&venv)?))
    };
    let workflow = read(&project.join("workflow.yml"))?;
    let steps = workflow.lines().filter_map(|line| line.split_once("run: "));
    let steps: Vec<&str> = steps.map(|(_, script)| script).collect();
    let ([first @ .., check], true) = (&*steps, workflow.contains("generate.sh --check")) else {
        return fail("workflow.yml does not run generate.sh --check");
    };
    for step in first {
        sh(step)?;
    }
    // As committed.
    sh("./generate.sh")?;
    sh(check)?;
    describe(project)?;
    match sh(check) {
        Err(Failure(said)) if said.contains("Now: ") && said.contains("exit status: 1") => Ok(()),
        Err(failure) => Err(failure),
        Ok(_) => fail("the check passed with an SDK of another manifest"),
    }
}
