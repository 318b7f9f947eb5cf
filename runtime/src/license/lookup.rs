//! Where licences and authority keys are looked for.
//!
//! In both look-ups the first source that is *named* decides alone. An environment variable names
//! a source unless it is unset or empty, a default place when it exists; an unreadable or empty
//! source is an error, never a step to the next.

use super::authority::{Authorities, untrusted};
use super::{License, MAX_LICENSE_BYTES, Timestamp, UnverifiedLicense};
use crate::clock::Now;
use helixor_playbook::file::read_limited;
use helixor_playbook::{Code, Error};
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The environment variable that names the licence file.
pub const LICENSE_FILE_VARIABLE: &str = "HELIXOR_LICENSE_FILE";

/// The environment variable that names a file or folder of authority keys.
pub const AUTHORITY_KEYS_VARIABLE: &str = "HELIXOR_AUTHORITY_KEYS";

/// The keys that this build believes alone, put there by the build script; mostly empty.
const PINNED: &str = include_str!(concat!(env!("OUT_DIR"), "/pinned_authorities.pem"));

/// Which licence to load.
#[derive(Clone, Default)]
pub enum LicenseSource {
    /// The first named of `$HELIXOR_LICENSE_FILE`, `./helixor.hxlic`, `~/.helixor/helixor.hxlic`
    /// and the older `~/.helixor/helixor.lic`.
    #[default]
    LookUp,
    /// This file.
    File(PathBuf),
    /// This licence.
    Json(Zeroizing<String>),
}

impl fmt::Debug for LicenseSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LicenseSource::LookUp => f.write_str("LookUp"),
            LicenseSource::File(path) => f.debug_tuple("File").field(path).finish(),
            LicenseSource::Json(_) => f.write_str("Json(..)"),
        }
    }
}

/// Which authorities to believe. A build with pinned ones takes [`AuthoritySource::LookUp`] only,
/// which then means them.
#[derive(Clone, Debug, Default)]
pub enum AuthoritySource {
    /// The first named of `$HELIXOR_AUTHORITY_KEYS` (file or folder) and
    /// `~/.helixor/authorities`; of a folder, its `*.pem`.
    #[default]
    LookUp,
    /// The keys in all these files, and in the `*.pem` of these folders.
    Paths(Vec<PathBuf>),
    /// These public keys, in PEM.
    Pem(String),
}

/// What a look-up depends on besides its arguments.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The value of `$HELIXOR_LICENSE_FILE`; empty is as unset.
    pub license_file: Option<OsString>,
    /// The value of `$HELIXOR_AUTHORITY_KEYS`; empty is as unset.
    pub authority_keys: Option<OsString>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The folder whose `helixor.hxlic` counts.
    pub current_dir: PathBuf,
    /// The present moment.
    pub now: Timestamp,
}

impl Surroundings {
    /// Those of this process, now: the wall clock's time, but never an earlier one than was seen
    /// before.
    pub fn of_process() -> Self {
        Self {
            license_file: std::env::var_os(LICENSE_FILE_VARIABLE),
            authority_keys: std::env::var_os(AUTHORITY_KEYS_VARIABLE),
            home: std::env::home_dir().filter(|home| !home.as_os_str().is_empty()),
            current_dir: PathBuf::from("."),
            now: Now::look().timestamp(),
        }
    }

    fn in_home(&self, name: &str) -> Option<PathBuf> {
        Some(self.home.as_ref()?.join(".helixor").join(name))
    }
}

/// Finds, reads and verifies a licence and checks its window (load check 1, whole).
///
/// # Errors
/// `LICENSE_NOT_FOUND`, `LICENSE_MALFORMED`, `LICENSE_UNTRUSTED`, `LICENSE_SIGNATURE`,
/// `LICENSE_NOT_YET_VALID` and `LICENSE_EXPIRED`, tried in this order.
pub fn load(
    license: &LicenseSource,
    authorities: &AuthoritySource,
    around: &Surroundings,
) -> Result<License, Error> {
    let license = find(license, around)?;
    let license = license.verify(&find_authorities(authorities, around)?)?;
    license.check_window(around.now)?;
    Ok(license)
}

/// Finds and reads a licence; nobody believes it yet.
///
/// # Errors
/// `LICENSE_NOT_FOUND`, naming the place, or listing the places when none is named;
/// `LICENSE_MALFORMED`.
pub fn find(source: &LicenseSource, around: &Surroundings) -> Result<UnverifiedLicense, Error> {
    let places = match source {
        LicenseSource::File(path) => return read_license(path, ""),
        LicenseSource::Json(json) if json.trim().is_empty() => {
            return Err(not_found("the licence given as text is empty", GIVE));
        }
        LicenseSource::Json(json) => {
            return UnverifiedLicense::parse(json, "the licence given as text");
        }
        LicenseSource::LookUp => {
            if let Some(path) = named(&around.license_file) {
                return read_license(path, &format!(" (named by ${LICENSE_FILE_VARIABLE})"));
            }
            let mut places = vec![around.current_dir.join("helixor.hxlic")];
            places.extend(around.in_home("helixor.hxlic"));
            places.extend(around.in_home("helixor.lic"));
            places
        }
    };
    if let Some(path) = places.iter().find(|path| is_there(path)) {
        return read_license(path, "");
    }
    let tried: Vec<String> = places
        .iter()
        .map(|path| format!("`{}`", path.display()))
        .collect();
    let message = format!(
        "there is no licence: ${LICENSE_FILE_VARIABLE} is not set, and none of {} exists",
        tried.join(", ")
    );
    Err(not_found(
        message,
        "put your licence in one of these places or name it in $HELIXOR_LICENSE_FILE",
    ))
}

fn read_license(path: &Path, how: &str) -> Result<UnverifiedLicense, Error> {
    let source = format!("licence file `{}`{how}", path.display());
    let bytes = match read_limited(path, MAX_LICENSE_BYTES as u64) {
        Ok(Some(bytes)) => Zeroizing::new(bytes),
        Ok(None) => {
            return Err(Error::new(
                Code::LicenseMalformed,
                format!("{source} is larger than the {MAX_LICENSE_BYTES} bytes a licence may have"),
                "check that it is the right file",
            ));
        }
        Err(e) => return Err(not_found(format!("{source} cannot be read: {e}"), GIVE)),
    };
    if bytes.trim_ascii().is_empty() {
        return Err(not_found(format!("{source} is empty"), GIVE));
    }
    match std::str::from_utf8(&bytes) {
        Ok(json) => {
            let mut license = UnverifiedLicense::parse(json, &source)?;
            license.license.file = Some(path.to_owned());
            Ok(license)
        }
        Err(e) => Err(Error::new(
            Code::LicenseMalformed,
            format!(
                "{source} is not a valid licence: not UTF-8 at byte {}",
                e.valid_up_to()
            ),
            "install the licence file again exactly as it was issued",
        )),
    }
}

/// Whether this build believes the authorities pinned in it and no other.
pub const fn is_pinned() -> bool {
    !PINNED.is_empty()
}

/// Finds the authority keys to believe: those pinned in this build, or else those that `source`
/// says.
///
/// # Errors
/// `LICENSE_UNTRUSTED`, naming the source, or listing the places when none is named;
/// `INVALID_ARGUMENT` when `source` names some but others are pinned.
pub fn find_authorities(
    source: &AuthoritySource,
    around: &Surroundings,
) -> Result<Authorities, Error> {
    find_beside(PINNED, source, around)
}

/// As [`find_authorities`], with these keys pinned, unless they are empty.
pub(super) fn find_beside(
    pinned: &str,
    source: &AuthoritySource,
    around: &Surroundings,
) -> Result<Authorities, Error> {
    match source {
        AuthoritySource::LookUp if !pinned.is_empty() => Authorities::pinned(pinned),
        _ if !pinned.is_empty() => Err(Error::new(
            Code::InvalidArgument,
            "authorities are given, but this build believes those pinned in it and no other",
            "leave them out, or use a build without pinned authorities",
        )),
        AuthoritySource::Pem(pem) => Authorities::from_pem(pem, "the authority keys given as text"),
        AuthoritySource::Paths(paths) => Authorities::from_paths(paths),
        AuthoritySource::LookUp => {
            if let Some(path) = named(&around.authority_keys) {
                let name = format!("${AUTHORITY_KEYS_VARIABLE} ({})", path.display());
                return Authorities::from_place(path, name);
            }
            let folder = around.in_home("authorities");
            if let Some(folder) = folder.as_ref().filter(|folder| is_there(folder)) {
                return Authorities::from_place(folder, format!("`{}`", folder.display()));
            }
            let folder = folder.unwrap_or_else(|| "~/.helixor/authorities".into());
            Err(untrusted(format!(
                "no authority is believed: none is given, ${AUTHORITY_KEYS_VARIABLE} is not set, \
                 and there is no `{}`",
                folder.display()
            )))
        }
    }
}

/// The path that a variable names.
fn named(variable: &Option<OsString>) -> Option<&Path> {
    variable
        .as_deref()
        .filter(|value| !value.is_empty())
        .map(Path::new)
}

/// Whether a default place exists. One that cannot be looked at counts as there, so that it is
/// not passed over in silence.
fn is_there(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(_) => true,
        Err(e) => !matches!(
            e.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        ),
    }
}

/// What to do when the licence that was named is none.
const GIVE: &str =
    "name a file that holds your licence; no other place is looked at once one is named";

fn not_found(message: impl Into<String>, advice: &str) -> Error {
    let help =
        format!("{advice}; for development, make one with `helixor-pack dev-license --out DIR`");
    Error::new(Code::LicenseNotFound, message, help)
}
