//! A downstream team's projects, one per language, in `target/demo`: the programs of `examples/`
//! over SDKs generated from the manifest of a pack that was just sealed.

use crate::java;
use crate::run::{
    Failure, Result, answer, command, digest, fail, files, fresh, once, read, root, run, step,
    target, write,
};
use crate::tools::{self, Venv, cargo};
use helixor_playbook::canonical;
use helixor_playbook::{Node, builtin};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The languages there are clients for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    Java,
    Python,
}

impl Language {
    pub(crate) const ALL: [Self; 3] = [Self::Rust, Self::Java, Self::Python];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Java => "Java",
            Self::Python => "Python",
        }
    }
}

/// The pack the clients were generated for.
pub(crate) const PACK: &str = "guard.hxpack";
/// A pack of the same id whose rules have other names.
pub(crate) const OTHER_PACK: &str = "other.hxpack";
/// The licence both packs are sealed for.
pub(crate) const LICENSE: &str = "helixor.hxlic";
/// A licence of the same authority for the same packs.
pub(crate) const OTHER_LICENSE: &str = "other.hxlic";
/// The pack with one bit changed.
pub(crate) const FLIPPED_PACK: &str = "flipped.hxpack";
/// Where the licences' authority is.
const AUTHORITY: &str = "authority/authority.pem";

/// The folder of all that is made here.
pub(crate) fn folder() -> PathBuf {
    target("demo")
}

/// What a program said of one state, or why it did not open the pack: one JSON object a line.
pub(crate) type Said = std::result::Result<Vec<Node>, Node>;

/// The projects, built.
#[derive(Debug)]
pub(crate) struct Example {
    python: Venv,
}

impl Example {
    /// Makes everything, telling each step.
    pub(crate) fn make(out: &mut dyn Write) -> Result<Self> {
        step(
            out,
            "helixor-pack and helixor-sdk-gen (the first time a minute or two)",
            tools::publisher_tools,
        )?;
        let tools = step(out, "Python tools in target/venv", Venv::with_tools)?;
        let wheel = step(
            out,
            "wheel of the runtime in target/wheels (the first time a minute)",
            || tools::wheel(&tools),
        )?;
        step(
            out,
            "jar of the runtime in target/m2 (the first time a minute)",
            java::runtime,
        )?;
        step(
            out,
            "a throw-away authority, two licences, the pack and its manifest",
            publish,
        )?;
        step(
            out,
            "SDKs from the manifest: Rust, Java and Python",
            generate,
        )?;
        step(out, "Rust project: cargo build --release", build_rust)?;
        step(
            out,
            "Java project: mvn install of the SDK, mvn package",
            build_java,
        )?;
        step(out, "C programs: cc", build_c)?;
        let python = step(out, "Python project: pip install", || {
            install_python(&wheel)
        })?;
        Ok(Self { python })
    }

    /// Runs the program that README shows and gives what it printed.
    pub(crate) fn first_call(&self, language: Language) -> Result<String> {
        let mut program = match language {
            Language::Rust => command(rust_program("guard")),
            Language::Java => {
                let mut java = java::java()?;
                java.arg("-jar").arg(jar());
                java
            }
            Language::Python => self.script("main.py"),
        };
        // The licence is found in the folder; the authority is never taken from there unasked.
        program.env("HELIXOR_AUTHORITY_KEYS", AUTHORITY);
        run(program.current_dir(folder()))
    }

    /// Opens a pack with a licence and decides on states, one JSON object a line.
    pub(crate) fn decide(
        &self,
        language: Language,
        pack: &str,
        license: &str,
        states: &str,
    ) -> Result<Said> {
        let mut program = match language {
            Language::Rust => command(rust_program("table")),
            Language::Java => {
                let mut java = java::java()?;
                java.arg("-cp").arg(jar()).arg("Table");
                java
            }
            Language::Python => self.script("table.py"),
        };
        program
            .args([pack, license, AUTHORITY])
            .current_dir(folder());
        let output = answer(&mut program, states)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let rows = text
            .lines()
            .map(canonical::parse)
            .collect::<std::result::Result<Vec<_>, _>>();
        match (output.status.code(), rows) {
            (Some(0), Ok(rows)) => Ok(Ok(rows)),
            (Some(1), Ok(rows)) if rows.len() == 1 => {
                Ok(rows.into_iter().next().map_or(Ok(Vec::new()), Err))
            }
            _ => fail(format!(
                "the {} program failed: {}\n{text}{}",
                language.name(),
                output.status,
                String::from_utf8_lossy(&output.stderr)
            )),
        }
    }

    /// Decides on states through the C library, one JSON object a line.
    pub(crate) fn c_decide(&self, states: &str) -> Result<Vec<Node>> {
        let mut program = command(folder().join("c/table"));
        program
            .args([PACK, LICENSE])
            .env("HELIXOR_AUTHORITY_KEYS", AUTHORITY)
            .current_dir(folder());
        let output = answer(&mut program, states)?;
        let text = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            return fail(format!("the C program failed: {}\n{text}", output.status));
        }
        let rows = text.lines().map(canonical::parse);
        rows.collect::<std::result::Result<_, _>>()
            .map_err(|problem| Failure(format!("the C program wrote no JSON: {}", problem.message)))
    }

    fn script(&self, name: &str) -> Command {
        let mut python = command(self.python.program("python"));
        python.arg(folder().join("python").join(name));
        python
    }
}

fn rust_program(name: &str) -> PathBuf {
    target("release").join(name)
}

fn jar() -> PathBuf {
    folder().join("java/target/guard.jar")
}

fn publisher(program: &str, words: &str) -> Result<()> {
    let mut command = command(target("release").join(program));
    command.args(words.split_whitespace()).current_dir(folder());
    run(&mut command).map(drop)
}

/// What the publisher does, once a day: licences end, and what is sealed anew is another pack.
fn publish() -> Result<()> {
    let days = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |time| time.as_secs() / 86_400);
    let made_by = digest(&[&target("release/helixor-pack")])?;
    let folder = folder();
    once(
        &folder.join("published"),
        &format!("{days} {made_by}"),
        || {
            fresh(&folder.join("authority"))?;
            for file in [PACK, OTHER_PACK, LICENSE, OTHER_LICENSE] {
                let path = folder.join(file);
                if path.exists() {
                    std::fs::remove_file(path)?;
                }
            }
            write(&folder.join("guard.yaml"), builtin::EXAMPLE)?;
            let other = builtin::EXAMPLE
                .replace("RULE-HIPAA-PHI-BLOCK", "RULE-HEALTH-BLOCK")
                .replace("version: 1.0.0", "version: 2.0.0");
            write(&folder.join("other.yaml"), &other)?;
            publisher("helixor-pack", "authority init --out authority")?;
            for (tenant, license) in [("acme", LICENSE), ("another", OTHER_LICENSE)] {
                publisher(
                    "helixor-pack",
                    &format!(
                        "license issue --authority authority/authority.key --tenant {tenant} --tier DEVELOPER \
                     --pack compliance.* --days 30 --out {license}"
                    ),
                )?;
            }
            let sealed_for = format!("--license {LICENSE} --authorities {AUTHORITY}");
            publisher(
                "helixor-pack",
                &format!(
                    "compile --playbook guard.yaml --out {PACK} --manifest embedded-pack-manifest.json {sealed_for}"
                ),
            )?;
            publisher(
                "helixor-pack",
                &format!("compile --playbook other.yaml --out {OTHER_PACK} {sealed_for}"),
            )?;
            let mut bytes = std::fs::read(folder.join(PACK))?;
            let middle = bytes.len() / 2;
            if let Some(byte) = bytes.get_mut(middle) {
                *byte ^= 1;
            }
            Ok(std::fs::write(folder.join(FLIPPED_PACK), bytes)?)
        },
    )
}

/// What a downstream team does when it gets a manifest.
fn generate() -> Result<()> {
    write(
        &folder().join("helixor-sdk.toml"),
        "[rust]\nruntime = \"../../../../runtime\"\n",
    )?;
    publisher(
        "helixor-sdk-gen",
        "generate --manifest embedded-pack-manifest.json --lang rust,java,python --config helixor-sdk.toml --out sdk",
    )
}

/// Copies an example project; its files are written only when they differ, for Cargo looks at times.
fn copy(name: &str, change: impl Fn(String) -> String) -> Result<PathBuf> {
    let (from, to) = (root().join("examples").join(name), folder().join(name));
    for file in files(&from)? {
        let known = file.extension().is_some_and(|kind| {
            ["rs", "java", "xml", "py", "toml"]
                .iter()
                .any(|k| kind == *k)
        });
        if known && !file.starts_with("target") {
            write(&to.join(&file), &change(read(&from.join(&file))?))?;
        }
    }
    Ok(to)
}

fn build_rust() -> Result<()> {
    let project = copy("rust", |text| {
        text.replace("../../generated/rust", "../sdk/rust")
            .replace("../../runtime", "../../../runtime")
    })?;
    lock(&project)?;
    // In the workspace's target folder: most of its dependencies are built there.
    run(cargo("build --quiet --release").current_dir(project)).map(drop)
}

/// Begins a project with the dependencies of the workspace: those that were tested, and that Cargo
/// has at hand.
pub(crate) fn lock(project: &Path) -> Result<()> {
    let lock = project.join("Cargo.lock");
    if !lock.exists() {
        std::fs::copy(root().join("Cargo.lock"), lock)?;
    }
    Ok(())
}

/// The SDK goes to `target/m2`, where the project finds it.
/// Compiles the C programs against the library and its header, and runs the one without arguments.
fn build_c() -> Result<()> {
    let (library, out) = (target("release"), folder().join("c"));
    std::fs::create_dir_all(&out)?;
    for program in ["guard", "table"] {
        let source = root().join(format!("examples/c/{program}.c"));
        let mut cc = command("cc");
        cc.args([
            "-std=c11",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pedantic",
        ])
        .arg("-I")
        .arg(root().join("bindings/c/include"))
        .arg("-o")
        .arg(out.join(program))
        .arg(source)
        .arg("-L")
        .arg(&library)
        .arg("-lhelixor_runtime")
        .arg(format!("-Wl,-rpath,{}", library.display()));
        run(&mut cc)?;
    }
    let mut guard = command(out.join("guard"));
    guard.env("HELIXOR_AUTHORITY_KEYS", AUTHORITY);
    let said = run(guard.current_dir(folder()))?;
    match said.contains("\"verdict\":\"invariant_breach\"") {
        true => Ok(()),
        false => fail(format!("the C program said something else: {said}")),
    }
}

fn build_java() -> Result<()> {
    java::install(&folder().join("sdk/java"))?;
    java::package(&copy("java", |text| text)?)
}

fn install_python(wheel: &Path) -> Result<Venv> {
    copy("python", |text| text)?;
    let venv = Venv::new(folder().join("venv"))?;
    venv.install(&[wheel, &folder().join("sdk/python")])?;
    Ok(venv)
}

/// A text of an object that a program said.
pub(crate) fn text<'n>(node: &'n Node, key: &str) -> Result<&'n str> {
    node.get(key)
        .and_then(Node::as_str)
        .ok_or_else(|| Failure(format!("a program left out `{key}`")))
}
