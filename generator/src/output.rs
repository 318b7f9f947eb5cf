//! What is to be written, and the writing of it.

use askama::Template;
use helixor_playbook::file::write_atomic;
use helixor_playbook::{Code, Error};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Files to be written below one folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    files: BTreeMap<String, Vec<u8>>,
}

/// What [`Plan::write`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files that were made or changed, as paths below the folder.
    pub written: Vec<String>,
    /// Files that had the right content already and were not touched.
    pub unchanged: Vec<String>,
}

impl Plan {
    /// The planned files by path (`/` between its parts), each with its content.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files
            .iter()
            .map(|(path, content)| (path.as_str(), content.as_slice()))
    }

    /// Plans one file.
    ///
    /// # Errors
    /// INTERNAL for a path that could leave the folder, or that is planned already.
    pub(crate) fn add(&mut self, path: String, content: Vec<u8>) -> Result<(), Error> {
        let confined = path.split('/').all(|part| {
            !matches!(part, "" | "." | "..")
                && !part.contains(['\\', ':'])
                && !part.contains(char::is_control)
        });
        if !confined {
            return Err(Error::new(
                Code::Internal,
                format!("{path:?} is no path to write to"),
                "",
            ));
        }
        match self.files.insert(path.clone(), content) {
            None => Ok(()),
            Some(_) => Err(Error::new(
                Code::Internal,
                format!("`{path}` would be written twice"),
                "",
            )),
        }
    }

    /// Plans one file made from a template.
    pub(crate) fn template(&mut self, path: String, template: &impl Template) -> Result<(), Error> {
        let text = template.render().map_err(|e| {
            Error::new(
                Code::Internal,
                format!("`{path}` cannot be rendered: {e}"),
                "",
            )
        })?;
        // A template's last line break is not part of it.
        self.add(path, (text + "\n").into_bytes())
    }

    /// Writes what differs from what is there, each file at once. Nothing is written outside `folder`, symbolic links
    /// inside it included.
    ///
    /// # Errors
    /// IO, naming the file.
    pub fn write(&self, folder: &Path) -> Result<Written, Error> {
        fs::create_dir_all(folder).map_err(|e| io(folder, "create", &e))?;
        let mut done = Written::default();
        for (path, content) in &self.files {
            let target = prepare(folder, path)?;
            match fs::read(&target) {
                Ok(old) if old == *content => {
                    done.unchanged.push(path.clone());
                    continue;
                }
                Ok(_) => {}
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => return Err(io(&target, "read", &e)),
            }
            write_atomic(&target, content)?;
            done.written.push(path.clone());
        }
        Ok(done)
    }
}

/// Makes the folders that lead to a file, and refuses links on the way.
fn prepare(folder: &Path, path: &str) -> Result<PathBuf, Error> {
    let mut at = folder.to_owned();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        at.push(part);
        match fs::symlink_metadata(&at) {
            Ok(found) if found.file_type().is_symlink() => {
                let message = format!(
                    "{} is a symbolic link, which could lead elsewhere",
                    at.display()
                );
                return Err(Error::new(
                    Code::Io,
                    message,
                    "remove it, or choose another --out",
                ));
            }
            // To read a pipe would wait for whoever writes to it.
            Ok(found) if parts.peek().is_none() && !found.is_file() => {
                let message = format!("{} exists and is not a regular file", at.display());
                return Err(Error::new(
                    Code::Io,
                    message,
                    "remove it, or choose another --out",
                ));
            }
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::NotFound => {
                if parts.peek().is_some() {
                    fs::create_dir(&at).map_err(|e| io(&at, "create", &e))?;
                }
            }
            Err(e) => return Err(io(&at, "read", &e)),
        }
    }
    Ok(at)
}

/// What the system said about a file.
pub(crate) fn io(path: &Path, what: &str, error: &std::io::Error) -> Error {
    Error::new(
        Code::Io,
        format!("cannot {what} {}: {error}", path.display()),
        "",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(files: &[(&str, &str)]) -> Plan {
        let mut plan = Plan::default();
        for (path, content) in files {
            plan.add((*path).into(), (*content).into()).unwrap();
        }
        plan
    }

    #[test]
    fn unchanged_files_are_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let first = plan(&[("a/b.txt", "one\n"), ("c.txt", "two\n")])
            .write(folder.path())
            .unwrap();
        assert_eq!(first.written, ["a/b.txt", "c.txt"]);
        let file = fs::File::open(folder.path().join("a/b.txt")).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
        let second = plan(&[("a/b.txt", "one\n"), ("c.txt", "new\n")])
            .write(folder.path())
            .unwrap();
        assert_eq!(
            (second.written, second.unchanged),
            (vec!["c.txt".into()], vec!["a/b.txt".into()])
        );
        let time = fs::metadata(folder.path().join("a/b.txt"))
            .unwrap()
            .modified()
            .unwrap();
        assert_eq!(time, std::time::UNIX_EPOCH);
    }

    #[test]
    fn paths_that_could_leave_the_folder_are_refused() {
        for bad in [
            "../x",
            "/x",
            "a/../../x",
            "",
            "a//b",
            "C:x",
            "a\\b",
            "a/.",
            "a\nb",
        ] {
            assert!(
                Plan::default().add(bad.into(), Vec::new()).is_err(),
                "{bad}"
            );
        }
        let mut twice = plan(&[("a", "")]);
        assert!(twice.add("a".into(), Vec::new()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(outside.path(), folder.path().join("a")).unwrap();
        let error = plan(&[("a/b.txt", "x")]).write(folder.path()).unwrap_err();
        assert_eq!(error.code(), Code::Io);
        assert!(error.message().contains("symbolic link"), "{error}");
        let target = outside.path().join("kept");
        fs::write(&target, "kept").unwrap();
        std::os::unix::fs::symlink(&target, folder.path().join("c.txt")).unwrap();
        plan(&[("c.txt", "x")]).write(folder.path()).unwrap_err();
        assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_not_read_or_replaced() {
        let folder = tempfile::tempdir().unwrap();
        // A socket stands for all that is neither file nor folder: a pipe would be waited for.
        let _listener = std::os::unix::net::UnixListener::bind(folder.path().join("a")).unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        for path in ["a", "b"] {
            let error = plan(&[(path, "x")]).write(folder.path()).unwrap_err();
            assert!(error.message().contains("not a regular file"), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        let mut reader = fs::File::open(&path).unwrap();
        plan(&[("a", "new")]).write(folder.path()).unwrap();
        // Whoever reads the old file reads all of it.
        let mut text = String::new();
        std::io::Read::read_to_string(&mut reader, &mut text).unwrap();
        assert_eq!(
            (text.as_str(), fs::read(&path).unwrap().as_slice()),
            ("old", b"new".as_slice())
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
