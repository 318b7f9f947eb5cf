//! `cargo xtask bench`: what decisions cost, measured by the programs of `benches/` and told in one
//! table. Nothing is asserted: a target that is missed is said to be missed.

use crate::java;
use crate::run::{
    Failure, Result, command, digest, lines, once, read, root, run, step, target, write,
};
use crate::tools::{self, Venv, cargo};
use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

/// What can be measured, in this order: ours first; the engines build for minutes.
pub(crate) const PARTS: [&str; 5] = ["rust", "python", "java", "generator", "engines"];

/// Measures; false when something could not run.
pub(crate) fn bench(out: &mut dyn Write, parts: &[&str]) -> Result<bool> {
    writeln!(out, "{}\n", machine())?;
    let mut table = Table::default();
    let mut failed = Vec::new();
    for part in parts {
        let done = match *part {
            "rust" => rust(out, &mut table),
            "python" => python(out, &mut table),
            "java" => java(out, &mut table),
            "generator" => generator(out, &mut table),
            _ => engines(out, &mut table),
        };
        if let Err(failure) = done {
            writeln!(out, "\n  could not run: {part}\n{failure}\n")?;
            failed.push(*part);
        }
    }
    writeln!(
        out,
        "\n{} targets reached, {} missed",
        table.reached, table.missed
    )?;
    if !failed.is_empty() {
        writeln!(out, "could not run: {}", failed.join(", "))?;
    }
    Ok(failed.is_empty())
}

/// What it is measured on.
fn machine() -> String {
    let file = |path| std::fs::read_to_string(path).unwrap_or_default();
    let processors = file("/proc/cpuinfo");
    let processor = processors
        .lines()
        .find(|line| line.starts_with("model name"))
        .and_then(|line| line.split(": ").nth(1));
    let or_missing = |found: Result<String>, name: &str| found.unwrap_or(format!("no {name}"));
    format!(
        "{}, {} cores, Linux {}\n{}, {}, {}",
        processor.unwrap_or("unknown processor"),
        std::thread::available_parallelism().map_or(0, usize::from),
        file("/proc/sys/kernel/osrelease").trim(),
        or_missing(run(command("rustc").arg("--version")), "rustc").trim(),
        or_missing(java::found(), "JDK with Maven"),
        or_missing(tools::python_version(), "CPython"),
    )
}

/// `cargo build` of a workspace in `benches/`, and a program of it.
fn built(folder: &str, program: &str) -> Result<Command> {
    let mut build = cargo("build --quiet --release --manifest-path");
    build
        .arg(root().join("benches").join(folder).join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", target("bench"));
    run(&mut build)?;
    Ok(command(target("bench/release").join(program)))
}

fn rust(out: &mut dyn Write, table: &mut Table) -> Result<()> {
    let mut times = step(out, "build benches/rust", || built("rust", "helixor-bench"))?;
    lines(&mut times, |line| table.line(out, line))?;
    let mut memory = command(target("bench/release/memory"));
    lines(&mut memory, |line| table.line(out, line))
}

fn engines(out: &mut dyn Write, table: &mut Table) -> Result<()> {
    let mut engines = step(
        out,
        "build benches/engines (the first time minutes)",
        || built("engines", "helixor-bench-engines"),
    )?;
    lines(&mut engines, |line| table.line(out, line))
}

/// The folder of the packs that the other languages open, with the SDKs generated for them.
fn packs(out: &mut dyn Write, language: &str) -> Result<PathBuf> {
    let folder = target("bench/packs");
    step(out, "packs and their SDK", || {
        run(built("rust", "fixtures")?.arg(&folder))?;
        tools::publisher_tools()?;
        let tool = || command(target("release/helixor-sdk-gen"));
        let mut manifest = tool();
        manifest.arg("manifest").args(
            ["regulatory_pii_guard", "payment", "thresholds"]
                .map(|name| folder.join(name).with_extension("yaml")),
        );
        let manifest_file = folder.join("embedded-pack-manifest.json");
        run(manifest.arg("--out").arg(&manifest_file))?;
        let config = folder.join("helixor-sdk.toml");
        write(
            &config,
            "[java]\ngroup = \"ai.helixor.bench\"\npackage = \"ai.helixor.bench\"\n",
        )?;
        let mut generate = tool();
        generate
            .args(["generate", "--lang", language, "--manifest"])
            .arg(manifest_file)
            .arg("--config")
            .arg(config)
            .arg("--out")
            .arg(folder.join("sdk").join(language));
        run(&mut generate).map(drop)
    })?;
    Ok(folder)
}

/// An environment with the runtime's wheel and the requirements of a bench.
fn venv(bench: &str) -> Result<Venv> {
    let wheel = tools::wheel(&Venv::with_tools()?)?;
    let folder = target(&format!("bench/venv-{bench}"));
    let venv = Venv::new(folder.clone())?;
    venv.install(&[&wheel])?;
    let wanted = root().join("benches").join(bench).join("requirements.txt");
    once(&folder.join("tools"), &digest(&[&wanted])?, || {
        venv.pip(&["-r", &wanted.to_string_lossy()])
    })?;
    Ok(venv)
}

fn python(out: &mut dyn Write, table: &mut Table) -> Result<()> {
    let folder = packs(out, "python")?;
    let venv = step(out, "wheel of the runtime, pydantic", || venv("python"))?;
    let mut bench = command(venv.program("python"));
    bench
        .arg(root().join("benches/python/bench.py"))
        .arg(&folder)
        .env("PYTHONPATH", folder.join("sdk/python/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    lines(&mut bench, |line| table.line(out, line))
}

fn java(out: &mut dyn Write, table: &mut Table) -> Result<()> {
    let jdks = java::jdks()?;
    let folder = packs(out, "java")?;
    step(out, "jar of the runtime, SDK, build benches/java", || {
        java::runtime()?;
        java::install(&folder.join("sdk/java/java"))?;
        java::package(&root().join("benches/java"))
    })?;
    for jdk in jdks {
        let mut bench = command(jdk.program("java"));
        bench
            .arg("-jar")
            .arg(target("bench/java/bench.jar"))
            .arg(&folder);
        lines(&mut bench, |line| table.line(out, line))?;
    }
    Ok(())
}

/// The generator beside openapi-generator, and what its output costs.
fn generator(out: &mut dyn Write, table: &mut Table) -> Result<()> {
    let folder = target("bench/generator");
    let venv = step(
        out,
        "generator, jar and wheel of the runtime, tools",
        || {
            tools::publisher_tools()?;
            java::runtime()?;
            let example = root().join("generator/tests/data/example.next.json");
            write(&folder.join("example.json"), &read(&example)?)?;
            venv("generator")
        },
    )?;
    let programs = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(java::bin()?).chain(std::env::split_paths(&programs));
    let path = std::env::join_paths(path).map_err(|e| Failure(e.to_string()))?;
    let mut bench = command(venv.program("python"));
    bench
        .arg(root().join("benches/generator/bench.py"))
        .arg(&folder)
        .env("PATH", path)
        .env("HELIXOR_SDK_GEN", target("release/helixor-sdk-gen"))
        .env("HELIXOR_RUNTIME", root().join("runtime"))
        .env("HELIXOR_JAR", java::runtime_jar());
    lines(&mut bench, |line| table.line(out, line))
}

/// The rows so far.
#[derive(Default)]
struct Table {
    section: String,
    /// The rows of the section and their values.
    rows: Vec<(String, f64)>,
    reached: usize,
    missed: usize,
}

impl Table {
    /// Takes a line of a bench: a row, or a note.
    ///
    /// A row is `row`, section, name, value, unit, base and target, with tabs between them. The base is
    /// an earlier row of the section or empty; the target is that of [`Target`], `+` for a row that is told by
    /// how much it is over its base, or empty.
    fn line(&mut self, out: &mut dyn Write, line: &str) -> Result<()> {
        let words: Vec<&str> = line.split('\t').collect();
        match words[..] {
            ["row", section, name, value, unit, base, target] => {
                let value = number(value)?;
                if section != self.section {
                    section.clone_into(&mut self.section);
                    self.rows.clear();
                    writeln!(out, "\n  {section}")?;
                }
                self.rows.push((name.to_owned(), value));
                let base = self.rows.iter().find(|(row, _)| row == base);
                let base = base.map(|(_, value)| *value);
                let relation = match base {
                    None => String::new(),
                    Some(base) if target.starts_with('+') => {
                        format!("+{}", Quantity(value - base, unit)).replace("+-", "-")
                    }
                    Some(base) => format!("{:.2}x", value / base),
                };
                let target = match target {
                    "" | "+" => None,
                    target => Some(Target::parse(target, base)?),
                };
                let reached = target.as_ref().map(|target| target.reached(value, base));
                let word = match reached {
                    None => "",
                    Some(true) => "reached",
                    Some(false) => "missed",
                };
                self.reached += usize::from(reached == Some(true));
                self.missed += usize::from(reached == Some(false));
                let target = target.map_or(String::new(), |target| target.shown(unit));
                let line = format!(
                    "    {name:<68}{:>12}{relation:>12}  {target:<18}{word}",
                    Quantity(value, unit).to_string()
                );
                writeln!(out, "{}", line.trim_end())?;
            }
            ["note", note] => writeln!(out, "\n  {note}")?,
            _ => return Err(Failure(format!("a bench printed what is no row: {line}"))),
        }
        Ok(out.flush()?)
    }
}

/// What is to be reached: `<=3x` and `>=30x` are times the base, `+10` is over the base, `<=10` stands
/// alone.
struct Target {
    kind: Kind,
    most: bool,
    limit: f64,
}

#[derive(PartialEq)]
enum Kind {
    Times,
    Over,
    Alone,
}

impl Target {
    fn parse(text: &str, base: Option<f64>) -> Result<Self> {
        let most = !text.starts_with(">=");
        let limit = text.trim_start_matches(['<', '>', '=', '+']);
        let (kind, limit) = match limit.strip_suffix('x') {
            Some(limit) => (Kind::Times, limit),
            None if text.starts_with('+') => (Kind::Over, limit),
            None => (Kind::Alone, limit),
        };
        if kind != Kind::Alone && base.is_none() {
            return Err(Failure(format!("the target `{text}` has no base")));
        }
        Ok(Self {
            kind,
            most,
            limit: number(limit)?,
        })
    }

    fn reached(&self, value: f64, base: Option<f64>) -> bool {
        let base = base.unwrap_or_default();
        let value = match self.kind {
            Kind::Times => value / base,
            Kind::Over => value - base,
            Kind::Alone => value,
        };
        if self.most {
            value <= self.limit
        } else {
            value >= self.limit
        }
    }

    fn shown(&self, unit: &str) -> String {
        let word = if self.most { "at most" } else { "at least" };
        match self.kind {
            Kind::Times => format!("{word} {}x", self.limit),
            Kind::Over => format!("{word} +{}", Quantity(self.limit, unit)),
            Kind::Alone => format!("{word} {}", Quantity(self.limit, unit)),
        }
    }
}

/// A number with its unit, in a size that can be read.
struct Quantity<'a>(f64, &'a str);

impl fmt::Display for Quantity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value, unit) = *self;
        let (steps, names) = match unit {
            "ns" => (1_000.0, ["ns", "µs", "ms"]),
            "bytes" => (1_024.0, ["B", "KiB", "MiB"]),
            _ => return write!(f, "{value}"),
        };
        let size = match value.abs() {
            small if small < steps => 0,
            middle if middle < steps * steps => 1,
            _ => 2,
        };
        let name = names.get(size).unwrap_or(&unit);
        let value = value / steps.powi(size as i32);
        let digits = match value.abs() {
            whole if whole == whole.trunc() => 0,
            small if small < 100.0 => 1,
            _ => 0,
        };
        write!(f, "{value:.digits$} {name}")
    }
}

fn number(text: &str) -> Result<f64> {
    text.parse()
        .map_err(|_| Failure(format!("a bench printed what is no number: {text}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(rows: &[&str]) -> (String, usize, usize) {
        let mut table = Table::default();
        let mut out = Vec::new();
        for row in rows {
            table.line(&mut out, &row.replace('|', "\t")).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        (text, table.reached, table.missed)
    }

    #[test]
    fn rows_are_judged_by_their_base() {
        let (text, reached, missed) = told(&[
            "row|s|hand|2.0|ns||",
            "row|s|ours|7.0|ns|hand|<=3x",
            "row|s|ours with a window|16.5|ns|ours|+10",
            "row|s|ours with a proof|17|ns|ours|+",
            "row|s|slow|70000|ns|hand|>=30x",
            "row|t|load|31000000|ns||<=30000000",
        ]);
        let words: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        let expected = [
            "",
            "s",
            "hand 2 ns",
            "ours 7 ns 3.50x at most 3x missed",
            "ours with a window 16.5 ns +9.5 ns at most +10 ns reached",
            "ours with a proof 17 ns +10 ns",
            "slow 70 µs 35000.00x at least 30x reached",
            "",
            "t",
            "load 31 ms at most 30 ms missed",
        ];
        assert_eq!(
            words,
            expected.map(|line| line.split_whitespace().collect::<Vec<_>>())
        );
        assert_eq!((reached, missed), (2, 2));
    }

    #[test]
    fn what_cannot_be_judged_is_a_failure() {
        for line in ["row|s|x|1|ns||<=3x", "row|s|x|y|ns||", "hello"] {
            let mut table = Table::default();
            assert!(
                table
                    .line(&mut Vec::new(), &line.replace('|', "\t"))
                    .is_err(),
                "{line}"
            );
        }
    }
}
