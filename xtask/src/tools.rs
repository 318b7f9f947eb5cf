//! Python, the tools from PyPI, and the wheel of the runtime.

use crate::run::{Failure, Result, command, digest, fail, fresh, once, root, run, target};
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

/// `cargo` with these words.
pub(crate) fn cargo(words: &str) -> Command {
    let mut cargo = command("cargo");
    cargo.args(words.split_whitespace());
    // The build of the Python binding asks `python3`; where that is too old, another is named.
    if let Ok((name, _)) = python()
        && *name != "python3"
    {
        cargo.env("PYO3_PYTHON", name);
    }
    cargo
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

fn wheels() -> PathBuf {
    target("wheels")
}

/// Builds the runtime's wheel and gives its path.
pub(crate) fn wheel(tools: &Venv) -> Result<PathBuf> {
    let folder = wheels();
    let mut maturin = command(tools.program("maturin"));
    maturin
        .args(["build", "--release", "--quiet", "--locked"])
        .args([
            "--manifest-path",
            "bindings/python/Cargo.toml",
            "--interpreter",
        ])
        .arg(tools.program("python"))
        .arg("--out")
        .arg(&folder)
        // The same bytes from the same source: the list of components in the wheel has a time.
        .env("SOURCE_DATE_EPOCH", "315532800")
        // Apart from Cargo's own: each would rebuild what the other made.
        .env("CARGO_TARGET_DIR", target("maturin"));
    fresh(&folder)?;
    run(&mut maturin)?;
    let mut wheels = std::fs::read_dir(&folder)?
        .flatten()
        .map(|entry| entry.path());
    match wheels.next() {
        Some(wheel) => Ok(wheel),
        None => fail(format!("maturin made no wheel in {}", folder.display())),
    }
}

/// The tools of a pack's publisher, `helixor-pack` and `helixor-sdk-gen`, in `target/release`.
pub(crate) fn publisher_tools() -> Result<()> {
    run(&mut cargo(
        "build --quiet --release -p helixor-pack -p helixor-sdk-gen",
    ))
    .map(drop)
}
