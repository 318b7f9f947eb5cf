//! `cargo xtask soak`: the tests that take a sitting. What cannot run here is a failed stage that says
//! what is missing.

use crate::run::{Failure, Result, command, fail, files, fresh, root, run, target, write};
use crate::stages::Stages;
use crate::tools::{self, Venv, cargo};
use crate::{example, java};
use std::io::Write;
use std::process::Command;
use std::time::UNIX_EPOCH;

/// What the C library's target lacks: `conformance::fuzz` does not know it.
const C_ABI: &str = "c_abi";

/// What the comparison of languages reads and writes JSON with in Java.
const JSON_LIBRARY: &str = "com.google.code.gson:gson:2.14.0";

/// Runs everything; `minutes` is for each fuzz target. False when something failed or could not run.
pub(crate) fn soak(out: &mut dyn Write, minutes: u32) -> Result<bool> {
    let mut stages = Stages::new(out);
    stages.stage("CPython, conditions", &[], || {
        let variable = ("HELIXOR_CONDITIONS", "100000");
        long_test("cpython", &[variable]).map(|()| "100,000 conditions, 4 states each".into())
    })?;
    stages.stage("counterfactuals", &[], || {
        let variable = ("HELIXOR_PACKS", "3000");
        long_test("counterfactuals", &[variable]).map(|()| "3,000 packs, 20 states each".into())
    })?;
    stages.stage("mutations", &[], || {
        let variable = ("HELIXOR_MUTATIONS", "100000");
        long_test("fuzz", &[variable]).map(|()| "100,000 of each target".into())
    })?;
    stages.stage("generated code", &[], || {
        let mut test = cargo("test --quiet --release -p helixor-sdk-gen --test generate");
        test.arg("no_text_becomes_code")
            .env("HELIXOR_CASES", "10000")
            .env("JAVA_HOME", java::home()?);
        run(&mut test).map(|_| "10,000 manifests, parsed back in every language".into())
    })?;
    stages.stage("ledger", &[], || {
        let variable = ("HELIXOR_KILLS", "200");
        long_test("ledger", &[variable]).map(|()| "200 writers killed".into())
    })?;
    stages.stage("memory over decisions", &[], || {
        let variable = ("HELIXOR_DECISIONS", "10000000");
        long_test("flat", &[variable]).map(|()| "10,000,000 in Rust".into())
    })?;
    stages.stage("languages", &[], languages)?;
    stages.stage("200 packs in one SDK", &["languages"], many_packs)?;
    stages.stage("memory of Java decisions", &[], java_memory)?;
    stages.stage("memory in Python and C", &["languages"], flat)?;
    stages.stage("Miri", &[], miri)?;
    stages.stage("ThreadSanitizer", &[], thread_sanitizer)?;
    stages.stage("peak memory", &[], || {
        tools::publisher_tools()?;
        let mut python = command("python3");
        python.arg(root().join("tests/soak/memory.py"));
        let said = run(python.args([target("release"), target("soak/memory")]))?;
        Ok(format!("\n{}", said.trim_end()))
    })?;
    stages.stage("fuzz targets", &[], build_fuzz_targets)?;
    for name in fuzz_targets()? {
        stages.stage(&format!("fuzz {name}"), &["fuzz targets"], || {
            fuzz(&name, minutes)
        })?;
    }
    stages.summary()
}

fn long_test(name: &str, variables: &[(&str, &str)]) -> Result<()> {
    let mut test = cargo("test --quiet --release -p conformance --test");
    test.arg(name).envs(variables.iter().copied());
    run(&mut test).map(drop)
}

/// Random packs in every language, compared.
fn languages() -> Result<String> {
    tools::publisher_tools()?;
    let python = Venv::with_tools()?;
    python.install(&[&tools::wheel(&python)?])?;
    java::runtime()?;
    let jars = target("soak/java");
    java::copy(JSON_LIBRARY, &jars)?;
    let library = target("release/libhelixor_runtime.so");
    let classes = format!("{}:{}/*", java::runtime_jar().display(), jars.display());
    let seed = UNIX_EPOCH
        .elapsed()
        .unwrap_or_default()
        .as_secs()
        .to_string();
    let mut languages = command(python.program("python"));
    languages
        .arg(root().join("tests/soak/languages.py"))
        .args([&seed, "100", "300"])
        .env("HELIXOR_TOOLS", target("release"))
        .env("HELIXOR_C_LIBRARY", &library)
        .env("HELIXOR_JAVA_CLASSPATH", classes);
    run(&mut languages).map(|said| said.trim().to_owned())
}

/// The clients of many packs in one manifest, compiled in every language as users' builds do it.
fn many_packs() -> Result<String> {
    let folder = target("soak/packs");
    fresh(&folder)?;
    let mut fixtures = cargo("run --quiet -p conformance --");
    run(fixtures.arg(folder.join("fixtures")))?;
    let config = folder.join("helixor-sdk.toml");
    let runtime = root().join("runtime");
    write(
        &config,
        &format!("[rust]\nruntime = {:?}\n", runtime.display().to_string()),
    )?;
    let mut generate = command(target("release/helixor-sdk-gen"));
    generate
        .args(["generate", "--lang", "rust,java,python", "--manifest"])
        .arg(folder.join("fixtures/many_packs.json"))
        .arg("--config")
        .arg(config)
        .arg("--out")
        .arg(&folder);
    run(&mut generate)?;

    let project = folder.join("rust");
    example::lock(&project)?;
    let mut check = cargo("check --quiet");
    check.env("RUSTFLAGS", "-D warnings");
    run(check
        .current_dir(project)
        .env("CARGO_TARGET_DIR", target("soak/rust")))?;

    let sources = folder.join("java/src/main/java");
    let mut javac = command(java::bin()?.join("javac"));
    javac
        .args(["-Xlint:all", "-Werror", "-d"])
        .arg(folder.join("classes"))
        .arg("-cp")
        .arg(java::runtime_jar());
    let names = files(&sources)?;
    run(javac.args(names.iter().map(|file| sources.join(file))))?;

    let mut mypy = command(Venv::with_tools()?.program("python"));
    mypy.args(["-m", "mypy", "--strict", "--no-incremental", "--cache-dir"])
        .arg(target("mypy"))
        .arg(folder.join("python"));
    run(&mut mypy).map(|said| said.trim().to_owned())
}

/// Ten million decisions of the committed Java client.
fn java_memory() -> Result<String> {
    let path = java::compile(&root().join("tests/soak/Flat.java"), &target("soak/flat"))?;
    let mut flat = java::java()?;
    // So little heap that it is all in use from the start.
    flat.args(["-Xms32m", "-Xmx32m", "-XX:+AlwaysPreTouch", "-cp"])
        .args([&path, "Flat"]);
    run(&mut flat).map(|said| said.trim().to_owned())
}

/// Ten million decisions in Python and in C; the wheel is installed and the library built.
fn flat() -> Result<String> {
    let python = Venv::with_tools()?;
    let mut flat = command(python.program("python"));
    flat.arg(root().join("tests/soak/flat.py"))
        .arg("10000000")
        .env("PYTHONPATH", root().join("generated/python"))
        .env("HELIXOR_C_LIBRARY", target("release/libhelixor_runtime.so"));
    run(&mut flat).map(|said| format!("\n{}", said.trim_end()))
}

/// What no other test sees: arithmetic that is only exact by chance, races, wrong memory. Of the
/// runtime's tests, those of arithmetic, states and rules: Miri is too slow for the others.
fn miri() -> Result<String> {
    nightly(&["miri"])?;
    let mut miri = nightly_cargo("miri");
    miri.args(["test", "--quiet", "-p", "helixor-runtime", "--lib", "--"])
        .args(["arithmetic", "layout", "program", "booleans", "trees"])
        .env("MIRIFLAGS", "-Zmiri-disable-isolation")
        .env("CARGO_TARGET_DIR", target("miri"));
    run(&mut miri).map(|_| String::new())
}

/// The runtime's tests, threads and all, with every access to memory watched for races.
fn thread_sanitizer() -> Result<String> {
    nightly(&["rust-src"])?;
    let mut test = nightly_cargo("test");
    test.args([
        "--quiet",
        "-Zbuild-std",
        "--target",
        "x86_64-unknown-linux-gnu",
    ])
    .args(["-p", "helixor-runtime", "--lib"])
    .env("RUSTFLAGS", "-Zsanitizer=thread")
    .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
    .env("CARGO_TARGET_DIR", target("tsan"));
    run(&mut test).map(|_| String::new())
}

/// Checks that the nightly toolchain has these components.
fn nightly(components: &[&str]) -> Result<()> {
    let mut list = command("rustup");
    list.args(["component", "list", "--installed", "--toolchain", "nightly"]);
    let installed = run(&mut list).unwrap_or_default();
    let missing = |component: &&&str| !installed.lines().any(|line| line.starts_with(**component));
    match components.iter().find(missing) {
        None => Ok(()),
        Some(component) => fail(format!(
            "could not run: it needs `rustup toolchain install nightly --component {component}`"
        )),
    }
}

fn fuzz_targets() -> Result<Vec<String>> {
    let files = files(&root().join("fuzz/fuzz_targets"))?;
    let names = files.iter().filter_map(|file| file.file_stem());
    Ok(names
        .map(|name| name.to_string_lossy().into_owned())
        .collect())
}

/// `cargo fuzz` of the nightly toolchain.
fn cargo_fuzz(verb: &str) -> Command {
    let mut cargo = nightly_cargo("fuzz");
    cargo.arg(verb);
    cargo
}

fn nightly_cargo(verb: &str) -> Command {
    let mut cargo = command("rustup");
    cargo.args(["run", "nightly", "cargo", verb]);
    // Those of the toolchain that runs this program.
    for variable in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
        cargo.env_remove(variable);
    }
    cargo.current_dir(root());
    cargo
}

fn build_fuzz_targets() -> Result<String> {
    if run(command("rustup").args(["run", "nightly", "cargo", "fuzz", "--version"])).is_err() {
        return fail(
            "could not run: fuzzing needs `rustup toolchain install nightly` and `cargo install cargo-fuzz`",
        );
    }
    let mut build = cargo_fuzz("build");
    run(build
        .args(["--fuzz-dir", "fuzz", "--target-dir"])
        .arg(target("fuzz")))?;
    let mut fixtures = cargo("run --quiet -p conformance --");
    run(fixtures.arg(target("soak/fixtures")))?;
    Ok(String::new())
}

fn fuzz(name: &str, minutes: u32) -> Result<String> {
    let corpus = target("soak/corpus").join(name);
    std::fs::create_dir_all(&corpus).map_err(|e| Failure(e.to_string()))?;
    let mut fuzz = cargo_fuzz("run");
    fuzz.args(["--fuzz-dir", "fuzz", "--target-dir"])
        .arg(target("fuzz"))
        .arg(name)
        .arg(corpus);
    if name != C_ABI {
        fuzz.arg(target("soak/fixtures/seeds").join(name));
    }
    let seconds = minutes.saturating_mul(60);
    fuzz.args([
        "--",
        "-print_final_stats=1",
        "-timeout=20",
        "-rss_limit_mb=1024",
    ])
    .arg(format!("-max_total_time={seconds}"));
    let output = fuzz.output().map_err(|e| Failure(e.to_string()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let number = |name: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(name));
        line.map_or("?", str::trim).to_owned()
    };
    let counts = format!(
        "{} inputs in {minutes} min, {} MiB at most",
        number("stat::number_of_executed_units:"),
        number("stat::peak_rss_mb:")
    );
    if output.status.success() {
        return Ok(counts);
    }
    let last: Vec<&str> = said.lines().rev().take(60).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    fail(format!("{counts}\n{}", last.join("\n")))
}
