//! `cargo xtask test`: everything that must hold, stage by stage.

use crate::run::{Failure, Result, command, fail, files, fresh, root, run, target, write};
use crate::stages::Stages;
use crate::tools::{self, Venv, cargo};
use crate::{demo, dist, docs, example, examples, java, packages, readme};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Python of this repository, by whose hands it may be.
const PYTHON: [&str; 7] = [
    "bindings/python/python",
    "examples/build/python",
    "examples/python",
    "generated/python",
    "tests/fault",
    "tests/python",
    "tests/soak",
];

/// The SDKs that the Python tests use: their folder, and the manifest among the fixtures.
const FIXTURE_SDKS: [(&str, &str); 3] = [
    ("packs", "packs.json"),
    ("reversed", "reversed_names-reversed.json"),
    ("old", "example-0.2.1.json"),
];

/// The SDKs that the Java tests use, in packages and groups of `conformance.` and their folder.
const JAVA_SDKS: [(&str, &str); 4] = [
    ("packs", "packs.json"),
    ("reversed", "reversed_names-reversed.json"),
    ("old", "example-0.2.1.json"),
    ("wide", "wide.json"),
];

/// The C library, as the linker names it.
const C_LIBRARY: &str = "libhelixor_runtime.so";

/// What the generator writes beside the SDKs.
const LOCK: &str = "helixor-sdk.lock";

const GENERATE: &str = "\
helixor-sdk-gen manifest playbook/builtin/regulatory_pii_guard.yaml --out target/embedded-pack-manifest.json
helixor-sdk-gen generate --manifest target/embedded-pack-manifest.json --lang rust,java,python --config generated/helixor-sdk.toml --out";

/// Runs every stage that can run; false when one failed.
pub(crate) fn test(out: &mut dyn Write) -> Result<bool> {
    let mut stages = Stages::new(out);
    stages.stage("rustfmt", &[], rustfmt)?;
    stages.stage("clippy", &[], || {
        run(&mut cargo(
            "clippy --quiet --workspace --all-targets -- -D warnings",
        ))
        .map(|_| String::new())
    })?;
    stages.stage("rustdoc", &[], || {
        let mut doc = cargo("doc --quiet --workspace --no-deps");
        run(doc.env("RUSTDOCFLAGS", "-D warnings")).map(|_| String::new())
    })?;
    stages.stage("cargo test", &[], cargo_test)?;
    stages.stage("pinned build", &["cargo test"], || {
        run(&mut cargo(
            "test --quiet --workspace --test pinned -- --ignored",
        ))
        .map(|_| String::new())
    })?;
    stages.stage("release tools", &[], || {
        tools::publisher_tools().map(|()| String::new())
    })?;
    stages.stage("generated/ is current", &["release tools"], generated)?;

    stages.stage("Python tools", &[], || {
        Venv::with_tools().map(|_| String::new())
    })?;
    stages.stage("wheels", &["Python tools", "release tools"], || {
        let tools = Venv::with_tools()?;
        tools.install(&[&tools::wheel(&tools)?])?;
        tools::generator_wheel(&tools)?;
        let names = files(&tools::wheels())?;
        let names = names.iter().map(|name| name.to_string_lossy());
        Ok(names.collect::<Vec<_>>().join(", "))
    })?;
    stages.stage("C library", &[], || {
        run(&mut cargo("build --quiet --release -p helixor-runtime-c"))
            .map(|_| C_LIBRARY.to_owned())
    })?;
    stages.stage("JDKs and Maven", &[], java::found)?;
    stages.stage("Java runtime", &["C library", "JDKs and Maven"], || {
        java::runtime().map(|()| String::new())
    })?;
    let generated = ["generated/ is current", "Java runtime"];
    stages.stage("generated/java", &generated, || {
        // The copy that was found to be the same.
        java::install(&target("generated/java")).map(|()| String::new())
    })?;
    stages.stage("javadoc", &["generated/java"], || {
        let runtime = java::runtime_jar();
        for project in ["bindings/java", "generated/java"] {
            let name = project.replace('/', "-");
            java::javadoc(&root().join(project), &runtime, &name)?;
        }
        Ok(String::new())
    })?;
    stages.stage("fixtures", &["release tools"], fixtures)?;
    for jdk in java::jdks().unwrap_or_default() {
        let name = format!("JUnit (JDK {})", jdk.feature);
        stages.stage(&name, &["Java runtime", "fixtures"], || {
            java::junit(jdk, &conformance(), &java_sdks()?)
        })?;
    }
    stages.stage(
        "pytest",
        &["wheels", "C library", "release tools", "fixtures"],
        pytest,
    )?;
    stages.stage("panics", &["wheels", "Java runtime"], panics)?;
    stages.stage("ruff", &["Python tools"], ruff)?;
    stages.stage("mypy --strict", &["wheels", "fixtures"], mypy)?;
    stages.stage("stubtest", &["wheels"], || {
        let mut stubtest = python("mypy.stubtest")?;
        run(stubtest.arg("helixor_runtime._native")).map(|_| String::new())
    })?;

    stages.stage("demo", &["wheels", "Java runtime", "release tools"], || {
        let mut said = Vec::new();
        let done = demo::demo(&mut said);
        let said = String::from_utf8_lossy(&said);
        match done {
            Ok(true) => {
                let line = said.lines().find(|line| line.contains("equal everywhere"));
                Ok(line
                    .and_then(|line| line.split(';').next())
                    .unwrap_or_default()
                    .trim()
                    .to_owned())
            }
            Ok(false) => fail(said),
            Err(failure) => fail(format!("{said}\n{failure}")),
        }
    })?;
    stages.stage("clippy, downstream", &["demo"], clippy_downstream)?;
    stages.stage("dist", &["wheels", "Java runtime"], || {
        dist::fill(&Venv::with_tools()?)
    })?;
    stages.stage(
        "examples' manifests",
        &["release tools"],
        examples::manifests,
    )?;
    for kind in examples::KINDS {
        let name = format!("examples/build/{}", kind.folder());
        stages.stage(&name, &["dist"], || {
            examples::build(kind).map(|()| String::new())
        })?;
    }
    stages.stage("generated packages", &["dist"], packages::packages)?;
    stages.stage(
        "cargo install",
        &["release tools"],
        tools::install_generator,
    )?;
    stages.stage("README's programs", &[], readme::programs)?;
    stages.stage(
        "README's commands",
        &["wheels", "Java runtime", "release tools"],
        readme::commands,
    )?;
    stages.stage(
        "docs' commands",
        &["wheels", "Java runtime", "release tools"],
        docs::commands,
    )?;
    stages.summary()
}

fn rustfmt() -> Result<String> {
    run(&mut cargo("fmt --all --check"))?;
    // Those that are no members of the workspace.
    let mut rustfmt = command("rustfmt");
    rustfmt.args(["--check", "--edition", "2024"]);
    for folder in [
        "examples/build/rust",
        "examples/build/rust-checked-in",
        "examples/rust/src",
        "generated/rust/src",
    ] {
        for file in files(&root().join(folder))? {
            // Modules are followed from the root, which tells to leave generated ones alone.
            let roots = ["main.rs", "lib.rs", "build.rs"];
            if roots.iter().any(|name| file.ends_with(name)) || file.starts_with("bin") {
                rustfmt.arg(Path::new(folder).join(file));
            }
        }
    }
    run(&mut rustfmt).map(|_| String::new())
}

/// The generated crate and the program that uses it; Clippy looks at one workspace only.
fn clippy_downstream() -> Result<String> {
    for project in ["sdk/rust", "rust"].map(|name| example::folder().join(name)) {
        example::lock(&project)?;
        let mut clippy = cargo("clippy --quiet --all-targets -- -D warnings");
        run(clippy.current_dir(project))?;
    }
    Ok(String::new())
}

fn cargo_test() -> Result<String> {
    let mut test = cargo("test --workspace --no-fail-fast");
    if let Ok(home) = java::home() {
        test.env("JAVA_HOME", home);
    }
    let said = run(&mut test).map_err(|Failure(said)| {
        // What passed is not worth a line when something failed.
        const PASSED: [&str; 8] = [
            "   Compiling ",
            "    Finished ",
            "     Running ",
            "   Doc-tests ",
            "all doctests ran",
            "cargo::",
            "running ",
            "test result: ok",
        ];
        let worth = |line: &&str| {
            let one = line.starts_with("test ")
                && [" ok", " ignored"].iter().any(|end| line.ends_with(end));
            !one && !line.is_empty() && !PASSED.iter().any(|start| line.starts_with(start))
        };
        Failure(said.lines().filter(worth).collect::<Vec<_>>().join("\n"))
    })?;
    match tests_passed(&said) {
        0 => fail("cargo test ran no test"),
        n => Ok(format!("{n} tests")),
    }
}

/// The sum of lines as `test result: ok. 12 passed; 0 failed; ...`.
fn tests_passed(said: &str) -> usize {
    let counts = said.lines().filter_map(|line| {
        let rest = line.strip_prefix("test result: ok. ")?;
        rest.split(' ').next()?.parse::<usize>().ok()
    });
    counts.sum()
}

/// The committed SDKs are what the generator makes of the example pack.
fn generated() -> Result<String> {
    let fresh_out = target("generated");
    fresh(&fresh_out)?;
    for line in GENERATE.lines() {
        let mut words = line.split(' ');
        let mut command = command(target("release").join(words.next().unwrap_or_default()));
        command.args(words);
        if line.ends_with("--out") {
            command.arg(&fresh_out);
        }
        run(&mut command)?;
    }
    let committed = root().join("generated");
    let anew = |stale: &[PathBuf]| {
        let list: Vec<String> = stale
            .iter()
            .map(|name| format!("  generated/{}", name.display()))
            .collect();
        fail(format!(
            "not what the generator makes now:\n{}\nmake them anew (the tools are in target/release) and look at the difference:\n{GENERATE} generated",
            list.join("\n")
        ))
    };
    let mut count = 0;
    for language in ["java", "python", "rust"] {
        let (made, kept) = (fresh_out.join(language), committed.join(language));
        let names = files(&made)?;
        let mut stale: Vec<PathBuf> = names
            .iter()
            .filter(|name| {
                std::fs::read(made.join(name)).ok() != std::fs::read(kept.join(name)).ok()
            })
            .cloned()
            .collect();
        // A build in place leaves these behind; Git ignores them.
        let by_builds = |name: &PathBuf| name.starts_with("target") || name.ends_with("Cargo.lock");
        stale.extend(
            files(&kept)?
                .into_iter()
                .filter(|name| !names.contains(name) && !by_builds(name)),
        );
        if !stale.is_empty() {
            let stale: Vec<PathBuf> = stale.iter().map(|n| Path::new(language).join(n)).collect();
            return anew(&stale);
        }
        count += names.len();
    }
    let [made, kept] = [&fresh_out, &committed].map(|out| out.join(LOCK));
    if std::fs::read(&made)? != std::fs::read(&kept).unwrap_or_default() {
        return anew(&[LOCK.into()]);
    }
    Ok(format!("{count} files and {LOCK}"))
}

fn conformance() -> PathBuf {
    target("conformance")
}

fn fixtures() -> Result<String> {
    fresh(&conformance())?;
    run(&mut cargo("build --quiet --workspace --bin conformance"))?;
    run(command(target("debug/conformance")).arg(conformance()))?;
    let generate = |language, name: &str, manifest: &Path| {
        let mut generate = command(target("release/helixor-sdk-gen"));
        generate
            .args(["generate", "--lang", language, "--manifest"])
            .arg(conformance().join(manifest))
            .arg("--config")
            .arg(conformance().join(format!("{name}.toml")))
            .arg("--out")
            .arg(conformance().join("sdk").join(name));
        run(&mut generate)
    };
    let hard = hard_manifests()?;
    let manifests = JAVA_SDKS.iter().map(|(_, manifest)| Path::new(manifest));
    let manifests = manifests.chain(hard.iter().map(PathBuf::as_path));
    for (name, manifest) in java_sdks()?.iter().zip(manifests) {
        let mut config = format!("[java]\ngroup = \"conformance.{name}\"\n");
        if !name.starts_with("hard-") {
            config.push_str(&format!("package = \"conformance.{name}\"\n"));
        }
        write(&conformance().join(format!("{name}.toml")), &config)?;
        generate("java", name, manifest)?;
    }
    for (name, manifest) in FIXTURE_SDKS {
        generate("python", name, Path::new(manifest))?;
    }
    Ok(String::new())
}

/// The manifests that the generator is tested with: names, texts and limits that are hard.
fn hard_manifests() -> Result<Vec<PathBuf>> {
    let folder = root().join("generator/tests/data");
    let names = files(&folder)?.into_iter();
    Ok(names.map(|name| folder.join(name)).collect())
}

/// The Java SDKs to be compiled: those under test, and those of the hard manifests.
fn java_sdks() -> Result<Vec<String>> {
    let mut names: Vec<String> = JAVA_SDKS.map(|(name, _)| name.to_owned()).into();
    for manifest in hard_manifests()? {
        let stem = manifest.file_stem().unwrap_or_default();
        names.push(format!("hard-{}", stem.to_string_lossy()));
    }
    Ok(names)
}

/// The folders that the fixtures' Python packages are found in.
fn fixture_sdks() -> [PathBuf; 3] {
    FIXTURE_SDKS.map(|(name, _)| conformance().join("sdk").join(name).join("python"))
}

/// A module of the tools' environment, to be run.
fn python(module: &str) -> Result<Command> {
    let mut python = command(Venv::with_tools()?.program("python"));
    python
        .args(["-m", module])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("MYPY_CACHE_DIR", target("mypy"));
    Ok(python)
}

fn pytest() -> Result<String> {
    let mut pytest = python("pytest")?;
    pytest
        .args(["tests/python", "--quiet", "-p", "no:cacheprovider"])
        .env("HELIXOR_FIXTURES", conformance())
        .env("HELIXOR_CONFORMANCE", target("debug/conformance"))
        .env("HELIXOR_PACK", target("release/helixor-pack"))
        .env("HELIXOR_SDK_GEN", target("release/helixor-sdk-gen"))
        .env("HELIXOR_C_LIBRARY", target("release").join(C_LIBRARY));
    let said = run(&mut pytest)?;
    // `12 passed in 0.31s`
    let last = said.trim_end().lines().last().unwrap_or_default();
    let counts = last.split(" in ").next().unwrap_or_default();
    Ok(counts.replace("passed", "tests"))
}

/// What the bindings make of a panic, with runtimes that are built to panic at first.
fn panics() -> Result<String> {
    let bindings = ["helixor-runtime-c", "helixor-runtime-python"];
    let mut build = cargo("build --quiet --features fault");
    run(build.args(bindings.iter().flat_map(|name| ["-p", name])))?;
    let folder = target("fault");
    fresh(&folder)?;
    let copy = |from: &Path, to: &str| -> Result<()> {
        let to = folder.join(to);
        std::fs::create_dir_all(to.parent().unwrap_or(&folder))?;
        std::fs::copy(from, to).map(drop).map_err(Failure::from)
    };
    // Cargo's next build puts the usual ones there.
    copy(&target("debug").join(C_LIBRARY), C_LIBRARY)?;
    let package = root().join("bindings/python/python/helixor_runtime");
    for file in files(&package)? {
        let to = Path::new("python/helixor_runtime").join(&file);
        copy(&package.join(file), &to.to_string_lossy())?;
    }
    copy(
        &target("debug/libhelixor_runtime_python.so"),
        "python/helixor_runtime/_native.abi3.so",
    )?;

    let path = [folder.join("python"), root().join("generated/python")];
    let path = std::env::join_paths(path).map_err(|e| Failure(e.to_string()))?;
    for language in ["python", "c"] {
        let mut python = command(Venv::with_tools()?.program("python"));
        python
            .arg(root().join("tests/fault/fault.py"))
            .arg(language)
            .env("HELIXOR_FAULTS", "3")
            .env("HELIXOR_C_LIBRARY", folder.join(C_LIBRARY))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("PYTHONPATH", &path);
        run(&mut python)?;
    }
    let path = java::compile(&root().join("tests/fault/Fault.java"), &folder.join("java"))?;
    let mut java = java::java()?;
    java.arg(format!(
        "-Dhelixor.runtime.path={}",
        folder.join(C_LIBRARY).display()
    ))
    .args(["-cp", &path, "Fault"])
    .env("HELIXOR_FAULTS", "2");
    run(&mut java)?;
    Ok("INTERNAL in Python, C and Java".to_owned())
}

fn ruff() -> Result<String> {
    for words in ["check --quiet", "format --check --quiet"] {
        let mut ruff = python("ruff")?;
        ruff.args(words.split(' ')).arg("--no-cache").args(PYTHON);
        run(&mut ruff)?;
    }
    Ok(String::new())
}

/// Strict typing, package by package where two have one name.
fn mypy() -> Result<String> {
    let check = |seen: &[PathBuf], files: &[PathBuf]| -> Result<usize> {
        let mut mypy = python("mypy")?;
        let path = std::env::join_paths(seen).map_err(|e| Failure(e.to_string()))?;
        mypy.arg("--strict").args(files).env("MYPYPATH", path);
        // `Success: no issues found in 12 source files`
        let said = run(&mut mypy)?;
        let counts = said.split(' ').find_map(|word| word.parse::<usize>().ok());
        counts.ok_or_else(|| Failure(format!("mypy checked nothing: {said}")))
    };
    let [runtime, build, examples, generated, fault, tests, soak] =
        PYTHON.map(|folder| root().join(folder));
    let mut count = check(
        std::slice::from_ref(&runtime),
        &[runtime.join("helixor_runtime")],
    )?;
    count += check(
        std::slice::from_ref(&generated),
        &[generated.join("regulatorypiiguard"), examples, build],
    )?;
    count += check(&[runtime, generated], &[soak, fault])?;
    let sdks = fixture_sdks();
    count += check(&sdks, &[&sdks[..], &[tests]].concat())?;
    Ok(format!("{count} files"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted_over_all_crates() {
        let said =
            "test result: ok. 12 passed; 0 failed;\nx\ntest result: ok. 3 passed; 0 failed;\n";
        assert_eq!(tests_passed(said), 15);
    }
}
