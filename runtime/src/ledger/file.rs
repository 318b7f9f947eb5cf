//! The file of a ledger: a line for each leaf, one writer, synced a group at a time.

use super::leaf::{Line, MAX_LINE, may_begin};
use super::tree::{Frontier, MAX_LEAVES};
use helixor_playbook::{Code, Digest, Error};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, Write};
use std::path::{Path, PathBuf};

/// A ledger file that this process writes.
#[derive(Debug)]
pub(super) struct LedgerFile {
    path: PathBuf,
    file: File,
}

impl LedgerFile {
    /// Opens or makes a file, takes its lock, reads it and cuts a torn last line. Gives its tree and
    /// its length in bytes too; all of it is durable.
    ///
    /// # Errors
    /// IO, also when it has another writer; INVALID_ARGUMENT when it is not a ledger.
    pub(super) fn open(path: &Path) -> Result<(Self, Frontier, u64), Error> {
        let failed = |e: io::Error| cannot("open the ledger", path, &e);
        // A pipe would wait for its reader.
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(not_a_file(path));
        }
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let file = options.open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(locked(path)),
            Err(TryLockError::Error(e)) => return Err(cannot("lock the ledger", path, &e)),
        }
        let mut frontier = Frontier::default();
        let mut lines = Lines::new(path, &file);
        while let Some(line) = lines.next()? {
            frontier.push(line.hash());
        }
        let length = lines.length;
        if lines.torn {
            file.set_len(length).map_err(failed)?;
        }
        file.sync_all().map_err(failed)?;
        sync_folder(path).map_err(failed)?;
        let path = path.to_owned();
        Ok((Self { path, file }, frontier, length))
    }

    /// Appends a line to a file of that length; on an error it has that length again, or nobody knows.
    pub(super) fn append(&self, line: &str, length: u64) -> Result<(), WriteFault> {
        (&self.file).write_all(line.as_bytes()).map_err(|e| {
            let whole = self.file.set_len(length);
            WriteFault {
                error: cannot("write the ledger", &self.path, &e),
                broken: whole.is_err(),
            }
        })
    }

    /// Makes durable what was written.
    pub(super) fn sync(&self) -> Result<(), Error> {
        let synced = self.file.sync_data();
        synced.map_err(|e| cannot("sync the ledger", &self.path, &e))
    }

    /// Checks that the file is there and has that length: leaves that somebody deleted or cut are not
    /// durable, and none can follow them.
    ///
    /// # Errors
    /// IO.
    pub(super) fn check(&self, length: u64) -> Result<(), Error> {
        let found = self.file.metadata();
        let found = found.map_err(|e| cannot("sync the ledger", &self.path, &e))?;
        #[cfg(unix)]
        let deleted = std::os::unix::fs::MetadataExt::nlink(&found) == 0;
        #[cfg(not(unix))]
        let deleted = false;
        let what = match found.len() {
            _ if deleted => "was deleted".to_owned(),
            found if found == length => return Ok(()),
            found => format!("has {found} bytes, where {length} were written"),
        };
        Err(Error::new(
            Code::Io,
            format!(
                "the ledger `{}` {what}: somebody else changed it",
                self.path.display()
            ),
            "find out what became of its leaves, and begin a new ledger that nothing else writes to",
        ))
    }

    /// Gives the lock back, whoever else has the file open since a fork.
    pub(super) fn unlock(&self) {
        // The lock goes with the last who has the file open in any case.
        let _ = self.file.unlock();
    }
}

/// A line that was not written.
#[derive(Debug)]
pub(super) struct WriteFault {
    pub(super) error: Error,
    /// A part of the line may stand there.
    pub(super) broken: bool,
}

/// A new file is there after a crash only when its folder is synced too.
fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Reads a ledger file line by line, in bounded memory.
#[derive(Debug)]
pub(super) struct Lines<'p, R> {
    path: &'p Path,
    input: BufReader<R>,
    line: Vec<u8>,
    /// The number of the next leaf.
    pub(super) seq: u64,
    /// Bytes of the whole lines so far.
    pub(super) length: u64,
    /// Whether the last line has no end.
    pub(super) torn: bool,
}

impl<'p> Lines<'p, File> {
    /// Opens a file to read it, whoever writes it.
    ///
    /// # Errors
    /// IO.
    pub(super) fn open(path: &'p Path) -> Result<Self, Error> {
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(not_a_file(path));
        }
        match File::open(path) {
            Ok(file) => Ok(Self::new(path, file)),
            Err(e) => Err(cannot_read(path, &e)),
        }
    }

    /// Begins again.
    ///
    /// # Errors
    /// IO.
    pub(super) fn rewind(self) -> Result<Self, Error> {
        let mut file = self.input.into_inner();
        match file.rewind() {
            Ok(()) => Ok(Self::new(self.path, file)),
            Err(e) => Err(cannot_read(self.path, &e)),
        }
    }
}

impl<'p, R: io::Read> Lines<'p, R> {
    pub(super) fn new(path: &'p Path, input: R) -> Self {
        Self {
            path,
            input: BufReader::with_capacity(1 << 16, input),
            line: Vec::new(),
            seq: 0,
            length: 0,
            torn: false,
        }
    }

    /// The next leaf; `None` at the end, and at a last line that is torn.
    ///
    /// # Errors
    /// IO; INVALID_ARGUMENT, naming a line that no ledger has there.
    pub(super) fn next(&mut self) -> Result<Option<Line<'_>>, Error> {
        self.line.clear();
        let most = MAX_LINE as u64;
        let read = io::Read::take(&mut self.input, most).read_until(b'\n', &mut self.line);
        read.map_err(|e| cannot_read(self.path, &e))?;
        let wrong = |seq: u64, what: &str| {
            let line = seq.saturating_add(1);
            Error::new(
                Code::InvalidArgument,
                format!(
                    "`{}` is not a ledger from line {line} on: {what}",
                    self.path.display()
                ),
                "every line is a leaf as it was written, the first with `seq` 0; begin a new ledger \
                 and keep this file as it is",
            )
        };
        let seq = self.seq;
        let Some(line) = self.line.strip_suffix(b"\n") else {
            if self.line.len() >= MAX_LINE {
                return Err(wrong(seq, "the line is longer than any leaf"));
            }
            // Of a file without one whole line it would be all that there is, and cut off.
            if seq == 0 && !may_begin(&self.line) {
                return Err(wrong(seq, "it begins like no leaf"));
            }
            self.torn = !self.line.is_empty();
            return Ok(None);
        };
        if seq >= MAX_LEAVES {
            return Err(wrong(seq, "there are more leaves than a ledger has"));
        }
        let line = Line::read(line, seq).map_err(|what| wrong(seq, &what))?;
        self.seq += 1;
        self.length += self.line.len() as u64;
        Ok(Some(line))
    }

    /// Goes through the first `size` leaves; all of them when it is `None`. Gives their number.
    ///
    /// # Errors
    /// As [`Lines::next`]; INVALID_ARGUMENT when there are fewer.
    pub(super) fn each(
        &mut self,
        size: Option<u64>,
        mut visit: impl FnMut(u64, Digest, &Line<'_>),
    ) -> Result<u64, Error> {
        while size.is_none_or(|size| self.seq < size) {
            let seq = self.seq;
            let Some(line) = self.next()? else { break };
            visit(seq, line.hash(), &line);
        }
        match size {
            Some(size) if self.seq < size => Err(Error::new(
                Code::InvalidArgument,
                format!(
                    "`{}` has {} leaves, fewer than the {size} asked for",
                    self.path.display(),
                    self.seq
                ),
                "name a size that it has or had",
            )),
            _ => Ok(self.seq),
        }
    }
}

fn locked(path: &Path) -> Error {
    Error::new(
        Code::Io,
        format!(
            "the ledger `{}` has a writer already, in this process or another",
            path.display()
        ),
        "give each process a file of its own; clients of one process can share one `Ledger`",
    )
}

fn not_a_file(path: &Path) -> Error {
    Error::new(
        Code::Io,
        format!("the ledger `{}` is not a regular file", path.display()),
        "name a file, or one that is still to be made",
    )
}

pub(super) fn cannot(what: &str, path: &Path, e: &io::Error) -> Error {
    Error::new(
        Code::Io,
        format!("cannot {what} `{}`: {e}", path.display()),
        "check that its folder exists, may be written to and has room",
    )
}

fn cannot_read(path: &Path, e: &io::Error) -> Error {
    Error::new(
        Code::Io,
        format!("cannot read the ledger `{}`: {e}", path.display()),
        "check that the file is there and may be read",
    )
}
