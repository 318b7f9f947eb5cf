//! The audit ledger: a Merkle tree (RFC 6962) with a leaf for each decision.
//!
//! A leaf says which pack decided under which licence and what the decision's proof is; it holds no
//! state. In memory only the tree's frontier is kept, so there is a count and a root, and no proofs.
//! A ledger file has a line for each leaf; of it everything can be made again: [`root`],
//! [`prove_inclusion`], [`prove_consistency`].

mod file;
mod leaf;
mod proofs;
#[cfg(test)]
mod tests;
mod tree;

use crate::license::Timestamp;
use arc_swap::{ArcSwap, ArcSwapOption, Guard};
use file::LedgerFile;
use helixor_playbook::{Digest, Error};
pub(crate) use leaf::{Origin, Unnumbered};
pub use proofs::{
    ConsistencyProof, InclusionProof, LedgerProof, LedgerRoot, prove_consistency, prove_inclusion,
    root,
};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tree::Frontier;

/// How long a leaf waits for being made durable, at most, while the disk keeps up.
const SYNC_AFTER: Duration = Duration::from_millis(100);

/// So many leaves do not wait any longer.
const SYNC_LEAVES: u64 = 1_024;

/// Whether a client keeps a ledger, and where.
#[derive(Clone, Debug, Default)]
pub enum LedgerChoice {
    /// No ledger.
    #[default]
    Off,
    /// One of the client's own, in memory.
    InMemory,
    /// One in a file, which goes on where it ended; see [`Ledger::open`].
    File(PathBuf),
    /// This one, which other clients may have too.
    Shared(Ledger),
}

impl LedgerChoice {
    pub(crate) fn open(&self) -> Result<Option<Ledger>, Error> {
        Ok(match self {
            Self::Off => None,
            Self::InMemory => Some(Ledger::in_memory()),
            Self::File(path) => Some(Ledger::open(path)?),
            Self::Shared(ledger) => Some(ledger.clone()),
        })
    }
}

impl From<Ledger> for LedgerChoice {
    fn from(ledger: Ledger) -> Self {
        Self::Shared(ledger)
    }
}

/// An audit ledger. Cheap to clone: clones are the same ledger.
///
/// In a forked process that called [`forked`] it is an empty one in memory, whatever it was before.
#[derive(Clone)]
pub struct Ledger(Arc<Handle>);

/// What a ledger says of itself, at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerState {
    /// Leaves since it was opened.
    pub appended: u64,
    /// All leaves, those that its file had before included.
    pub leaves: u64,
    /// The root of the tree of all leaves.
    pub root: Digest,
    /// When it was opened.
    pub since: Timestamp,
    /// Leaves that a loss of power cannot take any more; `None` in memory.
    pub durable: Option<u64>,
}

/// Counts the forks that this process came by.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// To be called first of all in a forked child: the ledgers it was born with are empty ones in memory
/// from now on. The parent's files are not touched. It does nothing but count, so it may be called
/// from where hardly anything else is allowed (a handler of `pthread_atfork`).
pub fn forked() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

/// The book of this process; dropped with the last clone of the ledger.
struct Handle(ArcSwap<Book>);

/// A ledger in one process.
struct Book {
    generation: u64,
    since: Timestamp,
    /// Leaves its file had when it was opened.
    before: u64,
    written: Mutex<Written>,
    /// Wakes up the thread that syncs.
    due: Condvar,
    /// Apart from the lock, which a fork may find in any state: the child can let go of it.
    file: ArcSwapOption<LedgerFile>,
}

/// Under one lock: what was written.
struct Written {
    tree: Frontier,
    /// Of the file, in bytes.
    length: u64,
    /// Leaves known to be durable; `None` in memory.
    durable: Option<u64>,
    /// Why nothing can be written any more.
    broken: Option<Error>,
    closed: bool,
}

impl Ledger {
    /// A ledger that keeps count and root, until the process ends.
    pub fn in_memory() -> Self {
        Self(Arc::new(Handle(ArcSwap::from_pointee(Book::in_memory()))))
    }

    /// A ledger in a file, which is made if it is not there. It goes on where the file ended; a last
    /// line that was not finished is cut off. Each leaf is handed to the system at once, and made durable
    /// (fsync) together with others, at most 100 ms or 1,024 leaves later, by a thread of the
    /// ledger's; and when the last clone is dropped.
    ///
    /// # Errors
    /// IO when the file cannot be read or written, or has another writer; INVALID_ARGUMENT, naming
    /// the line, when it is not a ledger.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let (file, tree, length) = LedgerFile::open(path)?;
        let leaves = tree.leaves();
        let written = Written {
            tree,
            length,
            durable: Some(leaves),
            broken: None,
            closed: false,
        };
        let book = Arc::new(Book::new(written, Some(file)));
        let syncing = Arc::clone(&book);
        std::thread::Builder::new()
            .name("helixor-ledger".to_owned())
            .spawn(move || syncing.sync_groups())
            .map_err(|e| file::cannot("start the thread that syncs the ledger", path, &e))?;
        Ok(Self(Arc::new(Handle(ArcSwap::new(book)))))
    }

    /// What it is now.
    pub fn state(&self) -> LedgerState {
        let book = self.0.book();
        let written = book.written();
        let leaves = written.tree.leaves();
        LedgerState {
            appended: leaves - book.before,
            leaves,
            root: written.tree.root(),
            since: book.since,
            durable: written.durable,
        }
    }

    /// Appends a leaf.
    ///
    /// # Errors
    /// IO; then the ledger is as it was.
    pub(crate) fn append(&self, leaf: Unnumbered<'_>) -> Result<(), Error> {
        self.0.book().append(leaf)
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ledger").field(&self.state()).finish()
    }
}

impl Handle {
    fn book(&self) -> Guard<Arc<Book>> {
        let book = self.0.load();
        if book.generation == generation() {
            return book;
        }
        let found = self.0.compare_and_swap(&*book, Arc::new(Book::in_memory()));
        // Threads that the child does not have may keep the book for ever, so its file is let go of by
        // itself. That closes the child's way to it; the lock on it stays the parent's.
        found.file.store(None);
        self.0.load()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let book = self.0.load();
        match book.generation == generation() {
            true => book.close(),
            false => book.file.store(None),
        }
    }
}

impl Book {
    fn new(written: Written, file: Option<LedgerFile>) -> Self {
        Self {
            generation: generation(),
            since: Timestamp::now(),
            before: written.tree.leaves(),
            written: Mutex::new(written),
            due: Condvar::new(),
            file: ArcSwapOption::from_pointee(file),
        }
    }

    fn in_memory() -> Self {
        let written = Written {
            tree: Frontier::default(),
            length: 0,
            durable: None,
            broken: None,
            closed: false,
        };
        Self::new(written, None)
    }

    /// Nothing under the lock is left half done by a panic.
    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn append(&self, leaf: Unnumbered<'_>) -> Result<(), Error> {
        let file = self.file.load();
        let at = file.as_ref().map(|_| Timestamp::now().to_string());
        let mut written = self.written();
        let seq = written.tree.leaves();
        if let (Some(file), Some(at)) = (file.as_deref(), at) {
            if let Some(broken) = &written.broken {
                return Err(broken.clone());
            }
            let line = leaf.line(&at, seq);
            if let Err(fault) = file.append(&line, written.length) {
                if fault.broken {
                    written.broken = Some(fault.error.clone());
                }
                return Err(fault.error);
            }
            written.length += line.len() as u64;
        }
        let hash = leaf.hash(seq);
        written.tree.push(hash);
        if let 1 | SYNC_LEAVES = written.unsynced() {
            drop(written);
            self.due.notify_one();
        }
        Ok(())
    }

    /// What the ledger's thread does until the ledger is closed.
    fn sync_groups(&self) {
        let mut written = self.written();
        loop {
            while written.unsynced() == 0 && !written.closed {
                written = self.wait(written);
            }
            let group = |written: &mut Written| written.unsynced() < SYNC_LEAVES && !written.closed;
            let waited = self.due.wait_timeout_while(written, SYNC_AFTER, group);
            written = waited.unwrap_or_else(PoisonError::into_inner).0;
            if written.closed || written.broken.is_some() {
                return;
            }
            let leaves = written.tree.leaves();
            drop(written);
            let file = self.file.load();
            let synced = file.as_deref().map_or(Ok(()), LedgerFile::sync);
            written = self.written();
            written.settle(leaves, synced, file.as_deref());
        }
    }

    fn wait<'b>(&self, written: MutexGuard<'b, Written>) -> MutexGuard<'b, Written> {
        self.due
            .wait(written)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes everything durable and lets go of the file.
    fn close(&self) {
        let mut written = self.written();
        let leaves = written.tree.leaves();
        if written.unsynced() > 0 {
            let file = self.file.load();
            let synced = file.as_deref().map_or(Ok(()), LedgerFile::sync);
            written.settle(leaves, synced, file.as_deref());
        }
        written.closed = true;
        drop(written);
        self.due.notify_one();
        if let Some(file) = self.file.swap(None) {
            file.unlock();
        }
    }
}

impl Written {
    /// Leaves that are not known to be durable and can still become so.
    fn unsynced(&self) -> u64 {
        match (self.durable, &self.broken) {
            (Some(durable), None) => self.tree.leaves() - durable,
            _ => 0,
        }
    }

    /// After a sync of so many leaves. One that failed may have lost some for good, so nothing is
    /// written after it; nor after somebody else changed the file.
    fn settle(&mut self, leaves: u64, synced: Result<(), Error>, file: Option<&LedgerFile>) {
        let check = |()| file.map_or(Ok(()), |file| file.check(self.length));
        match synced.and_then(check) {
            Ok(()) => self.durable = self.durable.max(Some(leaves)),
            Err(error) => self.broken = Some(error),
        }
    }
}
