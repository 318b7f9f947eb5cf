//! Reading with a limit and writing at once: what every format's files share.

use crate::code::{Code, Error};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Reads a file of at most `max` bytes; `None` when it is larger, which is known before it is
/// read wherever the system tells its size.
///
/// # Errors
/// What the system says.
pub fn read_limited(path: &Path, max: u64) -> io::Result<Option<Vec<u8>>> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    if size > max {
        return Ok(None);
    }
    // One byte more shows that a file grew, or never told its size. Room for the whole file means
    // that no copy of a secret is left behind by growing.
    let room = usize::try_from(size).unwrap_or(0).saturating_add(64);
    let mut bytes = Vec::with_capacity(room);
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    let whole = u64::try_from(bytes.len()).is_ok_and(|n| n <= max);
    Ok(whole.then_some(bytes))
}

/// Writes a file so that a reader finds the old content or the new, never a part: a temporary
/// file in the same folder, synced, then renamed. An existing file is replaced; a symbolic link
/// stays, and the file it leads to is replaced.
///
/// # Errors
/// `IO`, naming the file.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let write = || {
        let target = match path.symlink_metadata() {
            Ok(found) if found.is_symlink() => path.canonicalize()?,
            _ => path.to_owned(),
        };
        let file = temporary(&target, MODE, bytes)?;
        file.as_file().sync_all()?;
        file.persist(&target).map_err(|e| e.error)
    };
    write().map(drop).map_err(|e| cannot_write(path, &e))
}

/// Writes a file at once like [`write_atomic`], but waits for no disk: for what can be made again,
/// and is looked at before it is believed. A symbolic link is itself replaced.
///
/// # Errors
/// `IO`, naming the file.
pub fn write_again(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let write = || {
        temporary(path, MODE, bytes)?
            .persist(path)
            .map_err(|e| e.error)
    };
    write().map(drop).map_err(|e| cannot_write(path, &e))
}

/// Whether a path has the name of a temporary file of these functions: a process that was killed
/// leaves one behind.
pub fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1))
}

/// How names of temporary files begin and end.
const TEMPORARY: (&str, &str) = (".helixor-", ".tmp");

/// The permissions of a file that anyone may read: the umask takes its share, as for any new file.
const MODE: u32 = 0o666;

/// Whether two paths lead to one file, there or still to be made, however they are spelled.
pub fn is_same(a: &Path, b: &Path) -> bool {
    a == b || whole(a) == whole(b)
}

/// The path with its links followed, as far as there is anything.
fn whole(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = match path.parent()? {
            folder if folder.as_os_str().is_empty() => Path::new("."),
            folder => folder,
        };
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize()
        .ok()
        .or_else(in_folder)
        .unwrap_or_else(|| path.to_owned())
}

/// Writes a new file that only its owner can read (mode 0600), at once like [`write_atomic`]. A
/// file that exists is never replaced: a lost key cannot be made again.
///
/// # Errors
/// `IO`, naming the file.
pub fn write_secret(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_new(path, 0o600, bytes)
}

/// Writes what belongs to a secret and may be known, then the secret: both new files, as
/// [`write_secret`] makes them. Where the secret is, the other is; when the secret cannot be
/// written, neither is.
///
/// # Errors
/// `IO`, naming the file.
pub fn write_pair(public: (&Path, &[u8]), secret: (&Path, &[u8])) -> Result<(), Error> {
    write_new(public.0, MODE, public.1)?;
    write_secret(secret.0, secret.1).inspect_err(|_| {
        // It is this call's own; the error that matters is the one there is.
        let _ = std::fs::remove_file(public.0);
    })
}

fn write_new(path: &Path, mode: u32, bytes: &[u8]) -> Result<(), Error> {
    let write = || {
        let file = temporary(path, mode, bytes)?;
        file.as_file().sync_all()?;
        file.persist_noclobber(path).map_err(|e| e.error)
    };
    write().map(drop).map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => Error::new(
            Code::Io,
            format!("`{}` exists and is not replaced", path.display()),
            "keys and licences are never overwritten; name another place, or move the file away",
        ),
        _ => cannot_write(path, &e),
    })
}

/// A temporary file, in the folder of `path`; `mode` are its permissions on Unix.
fn temporary(path: &Path, mode: u32, bytes: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    // A rename would put a file in the place of a device or a pipe.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        let what = "it exists and is not a regular file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    Ok(file)
}

fn cannot_write(path: &Path, e: &io::Error) -> Error {
    Error::new(
        Code::Io,
        format!("cannot write `{}`: {e}", path.display()),
        "check that its folder exists and may be written to",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    fn mode(path: &Path) -> u32 {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn writing_replaces_the_file_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.hxpack");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        #[cfg(unix)]
        assert_eq!(mode(&path) & 0o400, 0o400);
    }

    #[test]
    fn what_can_be_made_again_is_replaced_whole_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_again(&path, b"one").unwrap();
        let mut reader = File::open(&path).unwrap();
        write_again(&path, b"two").unwrap();
        // Whoever reads the old file reads all of it.
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(
            (text.as_str(), &*std::fs::read(&path).unwrap()),
            ("one", &b"two"[..])
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let left = temporary(&path, MODE, b"").unwrap();
        assert!(is_temporary(left.path()));
        assert!(!is_temporary(&path));
    }

    #[test]
    fn secrets_are_for_their_owner_and_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.pem");
        write_secret(&path, b"one").unwrap();
        #[cfg(unix)]
        assert_eq!(mode(&path), 0o600);
        let error = write_secret(&path, b"two").unwrap_err();
        assert_eq!(error.code(), Code::Io);
        assert!(error.message().contains("key.pem"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_secret_and_what_belongs_to_it_come_together() {
        let folder = tempfile::tempdir().unwrap();
        let [public, secret] = ["public", "secret"].map(|name| folder.path().join(name));
        let there = || (public.exists(), secret.exists());
        let pair = || write_pair((&public, b"public"), (&secret, b"secret"));
        std::fs::write(&secret, "other").unwrap();
        pair().unwrap_err();
        assert_eq!(there(), (false, true));
        std::fs::rename(&secret, &public).unwrap();
        pair().unwrap_err();
        assert_eq!(there(), (true, false));
        std::fs::remove_file(&public).unwrap();
        pair().unwrap();
        assert_eq!(there(), (true, true));
        #[cfg(unix)]
        assert_eq!((mode(&public) & 0o400, mode(&secret)), (0o400, 0o600));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("deep")).unwrap();
        std::fs::write(at("deep/real"), "old").unwrap();
        std::os::unix::fs::symlink("deep/real", at("link")).unwrap();
        std::os::unix::fs::symlink("nowhere", at("broken")).unwrap();
        write_atomic(&at("link"), b"new").unwrap();
        assert!(at("link").is_symlink());
        assert_eq!(std::fs::read(at("deep/real")).unwrap(), b"new");
        let error = write_atomic(&at("broken"), b"new").unwrap_err();
        assert!(error.message().contains("broken"), "{error}");
        assert!(at("broken").is_symlink());
        write_secret(&at("broken"), b"new").unwrap_err();
    }

    #[cfg(unix)]
    #[test]
    fn one_file_is_one_however_it_is_spelled() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("deep")).unwrap();
        std::fs::write(at("real"), "").unwrap();
        std::os::unix::fs::symlink("real", at("link")).unwrap();
        for (a, b, same) in [
            ("real", "deep/../real", true),
            ("real", "link", true),
            ("new", "./new", true),
            ("new", "deep/../new", true),
            ("real", "new", false),
            ("new", "deep/new", false),
            ("none/new", "none/new", true),
            ("none/new", "none/other", false),
        ] {
            assert_eq!(is_same(&at(a), &at(b)), same, "{a} {b}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_not_replaced() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        for error in [
            write_atomic(&path, b"x").unwrap_err(),
            write_secret(&path, b"x").unwrap_err(),
        ] {
            assert!(error.message().contains("not a regular file"), "{error}");
        }
        assert!(path.metadata().unwrap().file_type().is_socket());
    }

    #[test]
    fn a_write_that_fails_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().join("missing/a"), folder.path().into()] {
            let error = write_atomic(&path, b"x").unwrap_err();
            assert_eq!(error.code(), Code::Io);
            assert!(
                error.message().contains(&path.display().to_string()),
                "{error}"
            );
        }
    }

    #[test]
    fn reading_stops_at_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read_limited(&path, 5).unwrap().unwrap(), b"12345");
        assert_eq!(read_limited(&path, 4).unwrap(), None);
        #[cfg(target_os = "linux")]
        assert_eq!(read_limited(Path::new("/dev/zero"), 1000).unwrap(), None);
    }
}
