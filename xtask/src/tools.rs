//! Cargo, Python, the tools from PyPI, and the wheels.

use crate::run::{
    Failure, Result, command, digest, fail, files, fresh, once, read, root, run, target, write,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const PYTHON_MISSING: &str = "\
Python is missing: `python3` must be CPython 3.11 or later, with the GIL, and have `venv` and `pip`
  Debian, Ubuntu:  apt-get install python3 python3-venv
  elsewhere:       https://www.python.org/downloads/";

/// Says what a usable interpreter is, and its version; anything else ends in an error.
const PROBE: &str = "\
import sys, sysconfig, venv, ensurepip
assert sys.implementation.name == 'cpython' and sys.version_info >= (3, 11)
assert not sysconfig.get_config_var('Py_GIL_DISABLED')
print(sys.executable, sys.version)";

/// The interpreter to use, and what it says of itself.
fn python() -> Result<&'static (&'static str, String)> {
    static PYTHON: OnceLock<Option<(&str, String)>> = OnceLock::new();
    let names = [
        "python3",
        "python3.14",
        "python3.13",
        "python3.12",
        "python3.11",
    ];
    let usable = |name: &&'static str| {
        let said = run(command(name).args(["-c", PROBE])).ok()?;
        Some((*name, said))
    };
    let found = PYTHON.get_or_init(|| names.iter().find_map(usable));
    found.as_ref().ok_or_else(|| Failure(PYTHON_MISSING.into()))
}

/// The version of the interpreter, for example `CPython 3.11.7`.
pub(crate) fn python_version() -> Result<String> {
    let (_, said) = python()?;
    let version = said.split(' ').nth(1).unwrap_or_default();
    Ok(format!("CPython {version}"))
}

/// How much debug builds tell debuggers.
pub(crate) const DEBUG: &str = "line-tables-only";

/// `cargo` with these words. What is built for release goes to users: it carries no path of this
/// machine.
pub(crate) fn cargo(words: &str) -> Command {
    let mut cargo = command("cargo");
    cargo.args(words.split_whitespace());
    // As this workspace has it, so that projects outside it can share what is built.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", DEBUG);
    // The build of the Python binding asks `python3`; where that is too old, another is named.
    if let Ok((name, _)) = python()
        && *name != "python3"
    {
        cargo.env("PYO3_PYTHON", name);
    }
    if words.contains("--release") || words.starts_with("install") {
        without_paths(&mut cargo);
    }
    cargo
}

/// Where Cargo keeps the sources of crates.
pub(crate) fn cargo_home() -> PathBuf {
    let home = || std::env::home_dir().unwrap_or_default().join(".cargo");
    std::env::var_os("CARGO_HOME").map_or_else(home, PathBuf::from)
}

/// Has rustc write other paths for those of this checkout and of Cargo's sources, which messages of
/// panics name.
fn without_paths(build: &mut Command) {
    let mut flags: Vec<String> = match std::env::var("CARGO_ENCODED_RUSTFLAGS") {
        Ok(flags) => flags.split('\x1f').map(str::to_owned).collect(),
        Err(_) => {
            let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
            flags.split_whitespace().map(str::to_owned).collect()
        }
    };
    for (from, to) in [(root(), "/helixor"), (cargo_home(), "/cargo")] {
        flags.push(format!("--remap-path-prefix={}={to}", from.display()));
    }
    flags.retain(|flag| !flag.is_empty());
    build.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
}

/// A virtual environment.
#[derive(Debug)]
pub(crate) struct Venv {
    folder: PathBuf,
}

impl Venv {
    /// The environment in a folder of the target folder, made anew when it is not there or of
    /// another interpreter.
    pub(crate) fn new(folder: PathBuf) -> Result<Self> {
        let (python, version) = python()?;
        let venv = Self { folder };
        let made = venv.folder.join("made-by");
        once(&made, version, || {
            run(command(python)
                .args(["-m", "venv", "--clear"])
                .arg(&venv.folder))
            .map(drop)
            .map_err(|e| Failure(format!("{e}\n\n{PYTHON_MISSING}")))
        })?;
        Ok(venv)
    }

    /// The environment with the tools of `xtask/requirements.txt`.
    pub(crate) fn with_tools() -> Result<Self> {
        let venv = Self::new(target("venv"))?;
        let wanted = root().join("xtask/requirements.txt");
        once(&venv.folder.join("tools"), &digest(&[&wanted])?, || {
            venv.pip(&["-r", &wanted.to_string_lossy()])
        })?;
        Ok(venv)
    }

    /// A program of the environment.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.folder.join("bin").join(name)
    }

    /// `pip install` with these arguments.
    pub(crate) fn pip(&self, arguments: &[&str]) -> Result<()> {
        let mut pip = command(self.program("python"));
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]);
        run(pip.args(arguments)).map(drop)
    }

    /// Installs what lies at these paths (wheels, or projects to be built) again, when their bytes
    /// are not those of the last time. The runtime's wheel is found in `target/wheels`.
    pub(crate) fn install(&self, paths: &[&Path]) -> Result<()> {
        once(&self.folder.join("installed"), &digest(paths)?, || {
            let wheels = wheels();
            let wheels = wheels.to_string_lossy();
            let paths: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
            let mut arguments = vec!["--force-reinstall", "--find-links", &*wheels];
            arguments.extend(paths.iter().map(|path| &**path));
            self.pip(&arguments)
        })
    }
}

/// Where the wheels are: the runtime's and the generator's.
pub(crate) fn wheels() -> PathBuf {
    target("wheels")
}

/// Builds the runtime's wheel, with `helixor-pack`, and gives its path.
pub(crate) fn wheel(tools: &Venv) -> Result<PathBuf> {
    publisher_tools()?;
    let mut maturin = maturin(tools, "bindings/python");
    maturin
        .arg("--interpreter")
        .arg(tools.program("python"))
        // Apart from Cargo's own: each would rebuild what the other made.
        .env("CARGO_TARGET_DIR", target("maturin"));
    finish(tools, &mut maturin, "helixor_runtime", Some("helixor-pack"))
}

/// Builds the wheel that brings `helixor-sdk-gen`, and gives its path.
pub(crate) fn generator_wheel(tools: &Venv) -> Result<PathBuf> {
    // As Cargo built it already.
    publisher_tools()?;
    finish(
        tools,
        &mut maturin(tools, "generator"),
        "helixor_sdk_gen",
        None,
    )
}

/// The time that archives give: the same bytes from the same source.
const EPOCH: (&str, &str) = ("SOURCE_DATE_EPOCH", "315532800");

fn maturin(tools: &Venv, project: &str) -> Command {
    let mut maturin = command(tools.program("maturin"));
    maturin
        .args(["build", "--release", "--quiet", "--locked"])
        .arg("--manifest-path")
        .arg(format!("{project}/Cargo.toml"))
        .env(EPOCH.0, EPOCH.1);
    without_paths(&mut maturin);
    maturin
}

/// Has maturin build a wheel and finishes it: a program of `target/release` is added, and the
/// list of components loses the paths of this machine.
fn finish(
    tools: &Venv,
    maturin: &mut Command,
    name: &str,
    program: Option<&str>,
) -> Result<PathBuf> {
    let folder = target("wheels-made").join(name);
    fresh(&folder)?;
    run(maturin.arg("--out").arg(&folder))?;
    let made = only(&folder)?;
    let wheel = wheels().join(made.file_name().unwrap_or_default());
    let program = program.map(|name| target("release").join(name));
    let parts: Vec<&Path> = std::iter::once(&*made).chain(program.as_deref()).collect();
    let stamp = folder.with_extension("finished");
    if !wheel.exists() && stamp.exists() {
        std::fs::remove_file(&stamp)?;
    }
    once(&stamp, &digest(&parts)?, || {
        std::fs::create_dir_all(wheels())?;
        for old in std::fs::read_dir(wheels())?.flatten() {
            // An earlier one, of another version or platform.
            if old.file_name().to_string_lossy().starts_with(name) {
                std::fs::remove_file(old.path())?;
            }
        }
        let unpacked = target("wheels-made").join(format!("{name}-unpacked"));
        fresh(&unpacked)?;
        repack(tools, &made, program.as_deref(), &unpacked)
    })?;
    Ok(wheel)
}

fn repack(tools: &Venv, made: &Path, program: Option<&Path>, unpacked: &Path) -> Result<()> {
    let wheel = |verb: &str, what: &Path, to: &Path| {
        let mut wheel = command(tools.program("wheel"));
        wheel.arg(verb).arg(what).arg("--dest").arg(to);
        run(wheel.env(EPOCH.0, EPOCH.1)).map(drop)
    };
    wheel("unpack", made, unpacked)?;
    let content = only(unpacked)?;
    let checkout = format!("path+file://{}/", root().display());
    for file in files(&content)? {
        if file.to_string_lossy().ends_with(".cyclonedx.json") {
            let file = content.join(file);
            write(
                &file,
                &read(&file)?.replace(&checkout, "path+file:///helixor/"),
            )?;
        }
    }
    if let Some(program) = program {
        let name = content.file_name().unwrap_or_default().to_string_lossy();
        let scripts = content.join(format!("{name}.data/scripts"));
        std::fs::create_dir_all(&scripts)?;
        std::fs::copy(
            program,
            scripts.join(program.file_name().unwrap_or_default()),
        )?;
    }
    wheel("pack", &content, &wheels())
}

/// The only entry of a folder.
fn only(folder: &Path) -> Result<PathBuf> {
    let entries: Vec<_> = std::fs::read_dir(folder)?.flatten().collect();
    match entries.as_slice() {
        [entry] => Ok(entry.path()),
        entries => fail(format!(
            "{} has {} entries instead of one",
            folder.display(),
            entries.len()
        )),
    }
}

/// Installs the generator as its users do, and has it say its version.
pub(crate) fn install_generator() -> Result<String> {
    let folder = target("install");
    let mut install = cargo("install --quiet --locked --force --path generator --root");
    run(install.arg(&folder))?;
    let said = run(command(folder.join("bin/helixor-sdk-gen")).arg("--version"))?;
    Ok(said.trim().to_owned())
}

/// The tools of a pack's publisher, `helixor-pack` and `helixor-sdk-gen`, in `target/release`.
pub(crate) fn publisher_tools() -> Result<()> {
    // One by one, as `cargo install` and maturin build them: built together, what both stand on has the
    // features of both.
    for tool in ["helixor-pack", "helixor-sdk-gen"] {
        run(cargo("build --quiet --release -p").arg(tool))?;
    }
    Ok(())
}
