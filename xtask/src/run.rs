//! Child processes, files, and what goes wrong with them.

use helixor_playbook::Digest;
use std::ffi::OsStr;
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

/// Why a step failed, for people.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim_end())
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// A failure with a message.
pub(crate) fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(Failure(message.into()))
}

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let own = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    own.parent().map_or_else(|| own.clone(), Path::to_owned)
}

/// A place in the target folder.
pub(crate) fn target(path: &str) -> PathBuf {
    root().join("target").join(path)
}

/// A command in the workspace's folder. It sees no setting of Helixor or Python that the user's
/// shell happens to have, and no terminal.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"HELIXOR_") {
            command.env_remove(name);
        }
    }
    for name in ["PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV"] {
        command.env_remove(name);
    }
    // Cargo puts its own folders before those of the user; nobody is to find a library there.
    if let Some(paths) = std::env::var_os("LD_LIBRARY_PATH") {
        let users = std::env::split_paths(&paths).filter(|path| !path.starts_with(target("")));
        match std::env::join_paths(users) {
            Ok(users) if !users.is_empty() => command.env("LD_LIBRARY_PATH", users),
            _ => command.env_remove("LD_LIBRARY_PATH"),
        };
    }
    command
        .current_dir(root())
        .env("CARGO_TARGET_DIR", target(""))
        .env("CARGO_TERM_COLOR", "never")
        .env("INSTA_UPDATE", "no")
        .stdin(Stdio::null());
    command
}

/// Runs a command to its end and gives what it printed, output and errors as they came.
pub(crate) fn run(command: &mut Command) -> Result<String> {
    let (mut reader, writer) = std::io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let child = command.spawn();
    // The pipe ends when nobody but the child can write to it.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.map_err(|e| cannot_start(command, &e))?;
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    let status = child.wait()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if status.success() {
        return Ok(text);
    }
    fail(format!(
        "$ {}\n{}\n({status})",
        shown(command),
        text.trim_end()
    ))
}

/// Runs a command to its end and hands over each line it prints as it comes; its errors go where ours go.
pub(crate) fn lines(command: &mut Command, mut take: impl FnMut(&str) -> Result<()>) -> Result<()> {
    command.stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|e| cannot_start(command, &e))?;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            take(&line?)?;
        }
    }
    let status = child.wait()?;
    if status.success() {
        return Ok(());
    }
    fail(format!("$ {}\n({status})", shown(command)))
}

/// Runs a command on an input and gives its output and errors apart, whatever its exit code.
pub(crate) fn answer(command: &mut Command, input: &str) -> Result<Output> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| cannot_start(command, &e))?;
    let stdin = child.stdin.take();
    let input = input.to_owned();
    // Written beside, so that neither side waits for the other with a full pipe. A child that
    // stops reading says why itself.
    let writer = std::thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(input.as_bytes())));
    let output = child.wait_with_output()?;
    drop(writer.join());
    Ok(output)
}

fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    Failure(format!("cannot start `{}`: {error}", shown(command)))
}

/// The command as one would type it.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

/// Does something and says so in one line, with its seconds.
pub(crate) fn step<T>(
    out: &mut dyn Write,
    what: &str,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    write!(out, "  {what:<72}")?;
    out.flush()?;
    let start = Instant::now();
    let done = work();
    let seconds = start.elapsed().as_secs_f64();
    let failed = if done.is_err() { "  failed" } else { "" };
    writeln!(out, "{seconds:>7.1} s{failed}")?;
    done
}

/// Does something unless it was done with the same key before.
pub(crate) fn once(stamp: &Path, key: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    if std::fs::read_to_string(stamp).is_ok_and(|done| done == key) {
        return Ok(());
    }
    if stamp.exists() {
        std::fs::remove_file(stamp)?;
    }
    work()?;
    write(stamp, key)
}

/// Writes a file, unless it has that content already.
pub(crate) fn write(path: &Path, content: &str) -> Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|text| text == content) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, content).map_err(|e| Failure(format!("{}: {e}", path.display())))
}

pub(crate) fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|e| Failure(format!("{}: {e}", path.display())))
}

/// An empty folder, whatever was there.
pub(crate) fn fresh(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    Ok(std::fs::create_dir_all(folder)?)
}

/// Every file below a folder that is not made by Python, by its path from there, in order.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next)? {
            let path = entry?.path();
            if !path.is_dir() {
                found.extend(path.strip_prefix(folder).map(Path::to_owned));
            } else if !path.ends_with("__pycache__") {
                folders.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The digest of files and folders: of their names and bytes.
pub(crate) fn digest(paths: &[&Path]) -> Result<String> {
    let mut all = Vec::new();
    for path in paths {
        let files = if path.is_dir() {
            files(path)?.iter().map(|file| path.join(file)).collect()
        } else {
            vec![path.to_path_buf()]
        };
        for file in files {
            let bytes =
                std::fs::read(&file).map_err(|e| Failure(format!("{}: {e}", file.display())))?;
            all.extend(format!("{} {}\n", file.display(), Digest::of(&bytes)).into_bytes());
        }
    }
    Ok(Digest::of(&all).to_string())
}
