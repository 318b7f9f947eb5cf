//! The call for a `build.rs`.

use crate::output::Plan;
use crate::{Code, Config, Error, model, read_manifest, rust};
use helixor_playbook::PackId;
use std::io::Write;
use std::path::PathBuf;

/// What a `build.rs` wants generated; made by [`configure`].
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    manifest: Option<PathBuf>,
    out_dir: Option<PathBuf>,
    packs: Vec<String>,
    rust: bool,
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

    /// Generates Rust: a file `<module>.rs` per pack, to be taken in with `include!`.
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

    /// Where the files go; `$OUT_DIR` without the call.
    #[must_use]
    pub fn out_dir(self, path: impl Into<PathBuf>) -> Self {
        Self {
            out_dir: Some(path.into()),
            ..self
        }
    }

    /// Reads the manifest and writes the files that differ; tells Cargo to run the script again
    /// when the manifest changes.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the manifest, a language or a place to write to is missing; as
    /// [`read_manifest`], [`crate::plan`] and [`Plan::write`].
    pub fn generate(self) -> Result<(), Error> {
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
        // Said first, so that a manifest that is mended is read again.
        let line = format!("cargo::rerun-if-changed={}", manifest.display());
        writeln!(std::io::stdout(), "{line}")
            .map_err(|e| crate::output::io(&manifest, "tell Cargo about", &e))?;
        if !self.rust {
            return Err(missing("language", ".rust()"));
        }
        let out_dir = self
            .out_dir
            .or_else(|| std::env::var_os("OUT_DIR").map(PathBuf::from))
            .ok_or_else(|| missing("folder to write to", ".out_dir(path)"))?;
        let packs = parse_packs(&self.packs)?;
        let sdk = model::Sdk::new(&read_manifest(&manifest)?, &packs, &Config::default())?;
        let mut plan = Plan::default();
        rust::plan_included(&sdk, &mut plan)?;
        plan.write(&out_dir)?;
        Ok(())
    }
}

/// Pack ids as the user wrote them.
pub(crate) fn parse_packs(ids: &[String]) -> Result<Vec<PackId>, Error> {
    ids.iter()
        .map(|id| {
            PackId::new(id.as_str())
                .map_err(|e| Error::new(Code::InvalidArgument, format!("pack id {id:?} {e}"), ""))
        })
        .collect()
}
