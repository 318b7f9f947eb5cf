//! The generated packages as their languages' own tools build them to be published, and what they say
//! of themselves.

use crate::run::{Failure, Result, command, fail, files, fresh, read, run, target, write};
use crate::tools::{Venv, cargo};
use crate::{dist, example, java};
use std::path::{Path, PathBuf};

const CONFIG: &str = "\
[publish]
license = \"Apache-2.0\"
repository = \"https://example.com/clients\"
";

/// What each package says, in the words of its language.
const DESCRIPTION: &str = "Typed client of the Helixor pack compliance.regulatory_pii_guard.v1";
const LICENSE: &str = "Apache-2.0";
const REPOSITORY: &str = "https://example.com/clients";

/// Generates the SDKs of the example pack to be published, and builds them. `target/dist` must be
/// filled.
pub(crate) fn packages() -> Result<String> {
    let folder = target("packages");
    fresh(&folder.join("sdk"))?;
    let config = folder.join("helixor-sdk.toml");
    write(&config, CONFIG)?;
    let mut generate = command(target("release/helixor-sdk-gen"));
    generate
        .args(["generate", "--lang", "rust,java,python", "--manifest"])
        .arg("examples/build/ci/embedded-pack-manifest.json")
        .arg("--config")
        .arg(&config)
        .arg("--out")
        .arg(folder.join("sdk"));
    run(&mut generate)?;
    rust(&folder.join("sdk/rust"))?;
    java(&folder.join("sdk/java"))?;
    python(&folder.join("sdk/python"))?;
    Ok("cargo package, mvn package, python -m build".to_owned())
}

/// Fails when a text lacks what it must say.
fn says(what: &str, text: &str, wanted: &[&str]) -> Result<()> {
    match wanted.iter().find(|wanted| !text.contains(*wanted)) {
        None => Ok(()),
        Some(missing) => fail(format!("{what} does not say {missing:?}:\n{text}")),
    }
}

fn rust(project: &Path) -> Result<()> {
    write(&project.join(".cargo/config.toml"), &dist::setting("toml")?)?;
    example::lock(project)?;
    let in_project = |words: &str| {
        let mut cargo = cargo(words);
        cargo
            .current_dir(project)
            .env("RUSTDOCFLAGS", "-D warnings");
        cargo
    };
    let said = run(&mut in_project("package --allow-dirty"))?;
    // Crates that are patched in and not used are no fault of the package.
    let warnings = said.lines().filter(|line| line.starts_with("warning: "));
    let warnings: Vec<&str> = warnings
        .filter(|line| !line.contains("atch `helixor-"))
        .collect();
    if !warnings.is_empty() {
        return fail(said);
    }
    says("cargo package", &said, &["Packaged", "Verifying"])?;
    let listed = run(&mut in_project("package --quiet --allow-dirty --list"))?;
    says(
        "cargo package --list",
        &listed,
        &["README.md", "src/lib.rs"],
    )?;
    let toml = read(&project.join("Cargo.toml"))?;
    says(
        "Cargo.toml",
        &toml,
        &[
            DESCRIPTION,
            LICENSE,
            REPOSITORY,
            "README.md",
            "rust-version",
        ],
    )?;
    run(&mut in_project("doc --quiet --no-deps")).map(drop)
}

fn java(project: &Path) -> Result<()> {
    java::package(project)?;
    let pom = read(&project.join("pom.xml"))?;
    says(
        "pom.xml",
        &pom,
        &[DESCRIPTION, LICENSE, REPOSITORY, "<name>"],
    )?;
    java::javadoc(project, &java::runtime_jar(), "packages")
}

fn python(project: &Path) -> Result<()> {
    let tools = Venv::with_tools()?;
    let python = |words: &str| {
        let mut python = command(tools.program("python"));
        python.args(words.split(' ')).current_dir(project);
        python
    };
    // With the tools at hand; that the build backend can be fetched is another test's to show.
    run(&mut python("-m build --no-isolation --outdir dist ."))?;
    let made: Vec<PathBuf> = files(&project.join("dist"))?;
    if made.len() != 2 {
        return fail(format!("`python -m build` made {made:?}"));
    }
    let mut check = python("-m twine check --strict");
    for file in &made {
        check.arg(project.join("dist").join(file));
    }
    run(&mut check)?;
    let wheel = made
        .iter()
        .find(|file| file.extension().is_some_and(|kind| kind == "whl"));
    let wheel = wheel.ok_or_else(|| Failure("`python -m build` made no wheel".into()))?;
    run(python("-m zipfile -e")
        .arg(project.join("dist").join(wheel))
        .arg("unpacked"))?;
    let unpacked = project.join("unpacked");
    let metadata = files(&unpacked)?
        .into_iter()
        .find(|file| file.ends_with("METADATA"));
    let metadata = read(&unpacked.join(metadata.unwrap_or_default()))?;
    let wanted = [
        format!("Summary: {DESCRIPTION}"),
        format!("License-Expression: {LICENSE}"),
        format!("Project-URL: Repository, {REPOSITORY}"),
        "Requires-Python: >=3.11".into(),
        "Classifier: Typing :: Typed".into(),
        "Description-Content-Type: text/markdown".into(),
        "# regulatorypiiguard".into(),
    ];
    says(
        "METADATA",
        &metadata,
        &wanted.each_ref().map(String::as_str),
    )?;
    // Its documentation, as Python prints it.
    let said = run(&mut python("-m pydoc regulatorypiiguard.client"))?;
    says("pydoc", &said, &["class RegulatoryPiiGuardClient"])
}
