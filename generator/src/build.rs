//! The call for a `build.rs`.

use crate::lock::{self, Inputs};
use crate::output::{Action, Plan};
use crate::{Code, Config, Error, model, read_manifest, rust};
use helixor_playbook::PackId;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What a `build.rs` wants generated; made by [`configure`].
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    manifest: Option<PathBuf>,
    config: Option<PathBuf>,
    place: Place,
    check: bool,
    packs: Vec<String>,
    rust: bool,
}

/// Where files go.
#[derive(Clone, Debug, Default)]
enum Place {
    /// Where Cargo says.
    #[default]
    OutDir,
    /// A folder that belongs to the build.
    Folder(PathBuf),
    /// A folder under version control.
    CheckedIn(PathBuf),
}

/// Begins a configuration.
pub fn configure() -> Configuration {
    Configuration::default()
}

impl Configuration {
    /// The manifest, relative to the package that is built.
    #[must_use]
    pub fn manifest(self, path: impl Into<PathBuf>) -> Self {
        Self {
            manifest: Some(path.into()),
            ..self
        }
    }

    /// A `helixor-sdk.toml`, relative to the package that is built; of its keys those of names
    /// count here.
    #[must_use]
    pub fn config(self, path: impl Into<PathBuf>) -> Self {
        Self {
            config: Some(path.into()),
            ..self
        }
    }

    /// Generates Rust: a file `<module>.rs` per pack, to be taken in with `include!`, or as a
    /// module where it is [checked in](Self::checked_in).
    #[must_use]
    pub fn rust(self) -> Self {
        Self { rust: true, ..self }
    }

    /// Generates this pack, and only those named so; without the call all of the manifest.
    #[must_use]
    pub fn pack(mut self, id: impl Into<String>) -> Self {
        self.packs.push(id.into());
        self
    }

    /// Where the files go, a folder that belongs to the build; `$OUT_DIR` without the call.
    #[must_use]
    pub fn out_dir(self, path: impl Into<PathBuf>) -> Self {
        let place = Place::Folder(path.into());
        Self { place, ..self }
    }

    /// Puts the files, with a lock file, into a folder of the sources that is under version
    /// control, for this manifest alone; relative to the package that is built. See [`Plan::write`]
    /// for what is replaced and removed there. A module of it is taken in by
    /// `mod packs { #[rustfmt::skip] pub mod regulatory_pii_guard; }`.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), helixor_sdk_gen::Error> {
    /// let sdk = helixor_sdk_gen::configure()
    ///     .manifest("embedded-pack-manifest.json")
    ///     .rust()
    ///     .checked_in("src/packs");
    /// // Nobody commits what a build server writes: there, what is committed must be current.
    /// let sdk = match std::env::var_os("CI") {
    ///     Some(_) => sdk.check(),
    ///     None => sdk,
    /// };
    /// sdk.generate()
    /// # }
    /// ```
    #[must_use]
    pub fn checked_in(self, path: impl Into<PathBuf>) -> Self {
        let place = Place::CheckedIn(path.into());
        Self { place, ..self }
    }

    /// Writes nothing: [`Self::generate`] fails when the files are not what it would write.
    #[must_use]
    pub fn check(self) -> Self {
        Self {
            check: true,
            ..self
        }
    }

    /// Reads the manifest and writes the files that differ; tells Cargo to run the script again
    /// when the manifest, the configuration or a file that is checked in changes.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the manifest, a language or a place to write to is missing, and when
    /// [checking](Self::check) finds a difference; as [`read_manifest`], [`Config::parse`],
    /// [`crate::plan`] and [`Plan::write`].
    pub fn generate(self) -> Result<(), Error> {
        self.generate_telling(&mut std::io::stdout())
    }

    /// [`Self::generate`], told to whoever stands for Cargo.
    fn generate_telling(self, cargo: &mut impl Write) -> Result<(), Error> {
        let mut rerun_if_changed = |path: &Path| {
            let line = format!("cargo::rerun-if-changed={}", path.display());
            writeln!(cargo, "{line}").map_err(|e| crate::output::io(path, "tell Cargo about", &e))
        };
        let missing = |what: &str, call: &str| {
            Error::new(
                Code::InvalidArgument,
                format!("no {what} was given"),
                format!("call `{call}`"),
            )
        };
        let manifest = self
            .manifest
            .ok_or_else(|| missing("manifest", ".manifest(path)"))?;
        // Said first, so that what is mended is read again.
        rerun_if_changed(&manifest)?;
        let config = match &self.config {
            None => Config::default(),
            Some(path) => {
                rerun_if_changed(path)?;
                Config::read(path)?
            }
        };
        if !self.rust {
            return Err(missing("language", ".rust()"));
        }
        let packs = parse_packs(&self.packs)?;
        let described = read_manifest(&manifest)?;
        let sdk = model::Sdk::new(&described, &packs, &config)?;
        let mut plan = Plan::new(Inputs::new(&described, &packs, &config));
        let folder = match self.place {
            Place::OutDir => std::env::var_os("OUT_DIR")
                .map(PathBuf::from)
                .ok_or_else(|| missing("folder to write to", ".out_dir(path)"))?,
            Place::Folder(folder) => folder,
            Place::CheckedIn(folder) => {
                rerun_if_changed(&folder)?;
                plan.begin("rust-modules");
                folder
            }
        };
        rust::plan_included(&sdk, &mut plan)?;
        if self.check {
            return check(&plan, &folder, &manifest);
        }
        plan.write(&folder).map(drop)
    }
}

/// Fails when a folder is not as planned.
fn check(plan: &Plan, folder: &Path, manifest: &Path) -> Result<(), Error> {
    let changes = plan.compare(folder)?;
    let mut differ: Vec<_> = changes.files.iter().collect();
    differ.retain(|file| file.action != Action::None);
    // The lock file is a consequence of the others.
    differ.sort_by_key(|file| file.path == lock::NAME);
    let Some((first, others)) = differ.split_first() else {
        return Ok(());
    };
    let first = folder.join(&*first.path);
    let more = match others.len() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    Err(Error::new(
        Code::InvalidArgument,
        format!(
            "{}{more} is not what {} gives now",
            first.display(),
            manifest.display()
        ),
        "build once without `.check()`, look at the difference, and commit it",
    ))
}

/// Pack ids as the user wrote them.
fn parse_packs(ids: &[String]) -> Result<Vec<PackId>, Error> {
    ids.iter()
        .map(|id| {
            PackId::new(id.as_str())
                .map_err(|e| Error::new(Code::InvalidArgument, format!("pack id {id:?} {e}"), ""))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use helixor_playbook::builtin;
    use std::fs;

    /// A project with a manifest, `m.json`.
    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let manifest = crate::manifest::write(&[builtin::example()], None);
        fs::write(folder.path().join("m.json"), manifest).unwrap();
        folder
    }

    /// What Cargo is told, with the project's folder as `.`.
    fn told(folder: &Path, configuration: Configuration) -> Result<String, Error> {
        let mut told = Vec::new();
        configuration.generate_telling(&mut told)?;
        let told = String::from_utf8(told).unwrap();
        Ok(told.replace(&folder.display().to_string(), "."))
    }

    #[test]
    fn a_folder_of_the_build_gets_modules_and_nothing_else() {
        let folder = project();
        let out = folder.path().join("out");
        let sdk = configure()
            .manifest(folder.path().join("m.json"))
            .rust()
            .out_dir(&out);
        let lines = told(folder.path(), sdk.clone()).unwrap();
        assert_eq!(lines, "cargo::rerun-if-changed=./m.json\n");
        let names = |out: &Path| -> Vec<String> {
            let entries = fs::read_dir(out).unwrap();
            let mut names: Vec<String> = entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        assert_eq!(names(&out), ["regulatory_pii_guard.rs"]);
        // Several manifests may go into one folder.
        fs::write(out.join("other.rs"), "").unwrap();
        told(folder.path(), sdk.check()).unwrap();
        assert_eq!(names(&out), ["other.rs", "regulatory_pii_guard.rs"]);
    }

    #[test]
    fn what_is_checked_in_is_locked_and_can_be_checked() {
        let folder = project();
        let at = |path: &str| folder.path().join(path);
        fs::write(at("c.toml"), "[rust]\n").unwrap();
        let sdk = configure()
            .manifest(at("m.json"))
            .config(at("c.toml"))
            .rust()
            .checked_in(at("src/packs"));
        let missing = told(folder.path(), sdk.clone().check()).unwrap_err();
        assert_eq!(missing.code(), Code::InvalidArgument);
        assert!(!at("src").exists());
        let lines = told(folder.path(), sdk.clone()).unwrap();
        assert_eq!(
            lines,
            "cargo::rerun-if-changed=./m.json\ncargo::rerun-if-changed=./c.toml\ncargo::rerun-if-changed=./src/packs\n"
        );
        assert!(at("src/packs/helixor-sdk.lock").exists());
        told(folder.path(), sdk.clone().check()).unwrap();

        let module = at("src/packs/regulatory_pii_guard.rs");
        let edited = fs::read_to_string(&module).unwrap() + "// mine\n";
        fs::write(&module, &edited).unwrap();
        let error = told(folder.path(), sdk.clone().check()).unwrap_err();
        let says = "src/packs/regulatory_pii_guard.rs is not what ";
        assert!(error.message().contains(says), "{error}");
        assert_eq!(fs::read_to_string(&module).unwrap(), edited);
        told(folder.path(), sdk.clone()).unwrap();
        told(folder.path(), sdk.clone().check()).unwrap();

        // Another pack: its module comes, that of the former one goes.
        let manifest = fs::read_to_string(at("m.json")).unwrap();
        fs::write(
            at("m.json"),
            manifest.replace("\"RegulatoryPiiGuard\"", "\"Guard\""),
        )
        .unwrap();
        let error = told(folder.path(), sdk.clone().check()).unwrap_err();
        assert!(
            error
                .message()
                .contains("guard.rs (and 2 more) is not what "),
            "{error}"
        );
        told(folder.path(), sdk).unwrap();
        assert!(!module.exists() && at("src/packs/guard.rs").exists());
    }

    #[test]
    fn what_is_missing_or_wrong_is_told_with_the_call_that_gives_it() {
        let folder = project();
        let at = |path: &str| folder.path().join(path);
        fs::write(at("c.toml"), "[rust]\ncrat = 1\n").unwrap();
        let sdk = configure().manifest(at("m.json"));
        for (sdk, message, help) in [
            (
                configure().rust(),
                "no manifest was given",
                "call `.manifest(path)`",
            ),
            (sdk.clone(), "no language was given", "call `.rust()`"),
            (sdk.clone().rust().pack("a b"), "pack id \"a b\" ", ""),
            (
                sdk.clone().rust().config(at("c.toml")),
                &format!("{}: unknown key `crat`", at("c.toml").display()),
                "did you mean `crate`?",
            ),
        ] {
            let error = told(folder.path(), sdk).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument);
            assert!(error.message().starts_with(message), "{error}");
            assert_eq!(error.help(), help);
        }
    }
}
