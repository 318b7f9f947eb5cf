//! Files as commands name them: `-` is standard input or output.

use crate::answer::quote;
use helixor_playbook::file::{is_same, read_limited, write_secret};
use helixor_playbook::{Code, Error};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Whether a path stands for standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A text file, or standard input, of at most `max` bytes; `code` is that of one that is larger or
/// no text.
pub(crate) fn read_text(path: &Path, max: usize, code: Code) -> Result<Zeroizing<String>, Error> {
    let name = match is_standard(path) {
        true => "standard input".to_owned(),
        false => format!("`{}`", path.display()),
    };
    let read = || -> io::Result<Option<Vec<u8>>> {
        if !is_standard(path) {
            return read_limited(path, max as u64);
        }
        let mut bytes = Vec::new();
        let input = io::stdin().lock();
        input
            .take(max.saturating_add(1) as u64)
            .read_to_end(&mut bytes)?;
        Ok(Some(bytes).filter(|bytes| bytes.len() <= max))
    };
    let bytes = read().map_err(|e| {
        let help = "check the path, and that it is a file that may be read";
        Error::new(Code::Io, format!("cannot read {name}: {e}"), help)
    })?;
    let bytes = bytes.ok_or_else(|| {
        let message = format!("{name} is larger than the {max} bytes allowed");
        Error::new(code, message, "check that it is the right file")
    })?;
    String::from_utf8(bytes).map(Zeroizing::new).map_err(|e| {
        let message = format!(
            "{name} is not UTF-8 at byte {}",
            e.utf8_error().valid_up_to()
        );
        Error::new(code, message, "save it as UTF-8")
    })
}

/// Makes a folder, with those above it, unless it is there.
pub(crate) fn make_folder(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path).map_err(|e| {
        let message = format!("cannot make the folder `{}`: {e}", path.display());
        Error::new(Code::Io, message, "name a place that may be written to")
    })
}

/// Refuses when a file that is to be made is there already.
pub(crate) fn refuse_existing(paths: &[&Path]) -> Result<(), Error> {
    match paths.iter().find(|path| path.symlink_metadata().is_ok()) {
        None => Ok(()),
        Some(path) => Err(Error::new(
            Code::Io,
            format!("`{}` exists and is not replaced", path.display()),
            "name another place, or move the file away",
        )),
    }
}

/// Refuses to write over a file that the same command reads or writes, each given with what it
/// holds; standard input and output are not one.
pub(crate) fn keep_apart(read: &[(&str, &Path)], written: &[(&str, &Path)]) -> Result<(), Error> {
    for (i, (what, path)) in written.iter().enumerate() {
        let inputs = read.iter().filter(|_| !is_standard(path));
        let others = inputs.chain(written.iter().take(i));
        for (other, other_path) in others {
            if is_same(path, other_path) {
                return Err(Error::new(
                    Code::InvalidArgument,
                    format!(
                        "{what} cannot be written to `{}`, the place of {other}",
                        path.display()
                    ),
                    "name another place for one of them",
                ));
            }
        }
    }
    Ok(())
}

/// Writes a secret to a new file, or gives it back for standard output.
pub(crate) fn put_secret(
    path: &Path,
    content: Zeroizing<Vec<u8>>,
) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
    if is_standard(path) {
        return Ok(Some(content));
    }
    write_secret(path, &content)?;
    Ok(None)
}

/// What to say of a file with a secret that others than its owner can get at; `what` is the secret.
pub(crate) fn warning_of(path: &Path, what: &str) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = path.metadata().ok()?.permissions().mode() & 0o777;
        (mode & 0o077 != 0).then(|| {
            let name = path.display();
            format!(
                "`{name}` holds {what}, and others can get at it (mode {mode:04o}): make it its \
                 owner's alone with `chmod 600 {}`",
                quote(&name.to_string())
            )
        })
    }
    #[cfg(not(unix))]
    {
        let _ = (path, what);
        None
    }
}

/// What to say of a licence file that others can get at.
pub(crate) fn license_warning(file: Option<&Path>) -> Option<String> {
    warning_of(file?, "a licence, and so the key of its packs")
}

/// The absolute form of a path, for commands that outlive the present folder.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
