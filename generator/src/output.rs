//! What is to be written, how a folder differs from it, and the writing of it.

use crate::lock::{self, Inputs, Lock, Section};
use crate::model::VERSION;
use askama::Template;
use helixor_playbook::file::{is_temporary, write_again, write_atomic};
use helixor_playbook::{Code, Digest, Error};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

/// Files to be written below one folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    inputs: Inputs,
    files: BTreeMap<String, Planned>,
    /// The paths where case does not count.
    folded: BTreeSet<String>,
    section: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Planned {
    content: Vec<u8>,
    section: &'static str,
}

/// How a folder differs from a [`Plan`]: what [`Plan::compare`] found, or [`Plan::write`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes<'p> {
    /// Every file by path: those planned, the lock file, and those that are planned no longer.
    pub files: Vec<Change<'p>>,
}

/// One file of [`Changes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<'p> {
    /// Its path below the folder, `/` between its parts.
    pub path: Cow<'p, str>,
    /// What is to be done with it.
    pub action: Action,
    /// What is there, where that differs from what is planned; nothing where no file is.
    pub old: Vec<u8>,
    /// What is planned; nothing for a file that is planned no longer.
    pub new: Cow<'p, [u8]>,
}

/// What is to be done with a file, or was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing: it has the right content, and is not touched.
    None,
    /// It is not there, and is made.
    Create,
    /// It has other content, and is replaced.
    Update,
    /// It was changed after it had been generated, and is replaced all the same: its header says
    /// that it is not to be edited.
    Restore,
    /// It is generated no longer, is still as it was generated, and is removed.
    Remove,
    /// It is generated no longer, but was changed since: it stays, as the user's own from now on.
    Keep,
}

impl Changes<'_> {
    /// Whether the folder is as planned.
    pub fn is_empty(&self) -> bool {
        self.files.iter().all(|file| file.action == Action::None)
    }

    /// The number of files that something is done with.
    pub fn count(&self, action: Action) -> usize {
        let files = self.files.iter();
        files.filter(|file| file.action == action).count()
    }
}

impl Plan {
    /// An empty plan for what is made of these.
    pub(crate) fn new(inputs: Inputs) -> Self {
        Self {
            inputs,
            files: BTreeMap::new(),
            folded: BTreeSet::new(),
            section: "",
        }
    }

    /// What is added from now on stands in this section of the lock file: a run removes only files
    /// of the sections that it writes. What is added before stands in none, and a plan without
    /// sections has no lock file.
    pub(crate) fn begin(&mut self, section: &'static str) {
        self.section = section;
    }

    /// The planned files by path (`/` between its parts), each with its content; the lock file is
    /// not among them.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files
            .iter()
            .map(|(path, file)| (path.as_str(), file.content.as_slice()))
    }

    /// Plans one file.
    ///
    /// # Errors
    /// INTERNAL for a path that could leave the folder, or that is planned already; two paths that
    /// differ in case alone are one file on some systems.
    pub(crate) fn add(&mut self, path: String, content: Vec<u8>) -> Result<(), Error> {
        let internal = |message| Err(Error::new(Code::Internal, message, ""));
        if !lock::is_confined(&path) {
            return internal(format!("{path:?} is no path to write to"));
        }
        if !self.folded.insert(path.to_lowercase()) {
            return internal(format!("`{path}` would be written twice"));
        }
        let section = self.section;
        self.files.insert(path, Planned { content, section });
        Ok(())
    }

    /// Plans the files of each of many items, on as many threads as there are processors.
    ///
    /// # Errors
    /// That of the first item that has one.
    pub(crate) fn add_each<T: Sync>(
        &mut self,
        items: &[T],
        add: impl Fn(&T, &mut Plan) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let (inputs, section) = (self.inputs, self.section);
        let plan = |items: &[T]| {
            let mut plan = Plan::new(inputs);
            plan.begin(section);
            items.iter().try_for_each(|item| add(item, &mut plan))?;
            Ok(plan)
        };
        let plans: Vec<Result<Plan, Error>> = thread::scope(|scope| {
            let plan = &plan;
            let parts = items.chunks(items.len().div_ceil(threads).max(1));
            let running: Vec<_> = parts.map(|part| scope.spawn(move || plan(part))).collect();
            let done = running.into_iter().map(|thread| thread.join());
            done.map(|done| done.unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        });
        for plan in plans {
            for (path, file) in plan?.files {
                self.add(path, file.content)?;
            }
        }
        Ok(())
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

    /// Says how a folder differs from this plan; writes nothing.
    ///
    /// # Errors
    /// As those of [`Plan::write`], but for what only writing meets.
    pub fn compare(&self, folder: &Path) -> Result<Changes<'_>, Error> {
        let _shared = hold(folder, File::lock_shared);
        self.changes(folder)
    }

    /// Makes a folder what is planned, and writes the lock file, `helixor-sdk.lock`, last.
    ///
    /// Files that have the right content are not touched; others are replaced at once, so that a
    /// reader finds the old content or the new. Files that the lock file of the last run names and
    /// that are planned no longer are removed if they bear the generator's header and are as they
    /// were generated; so are folders that this leaves empty. A run that was killed is completed by
    /// the next one; runs into one folder wait for one another.
    ///
    /// # Errors
    /// IO for what cannot be read or written, for a file in the way that was not generated (nothing
    /// is written then) and for symbolic links below `folder`; INVALID_ARGUMENT and VERSION_SKEW
    /// for a lock file that cannot be read. All of them name the file.
    pub fn write(&self, folder: &Path) -> Result<Changes<'_>, Error> {
        check_folder(folder)?;
        fs::create_dir_all(folder).map_err(|e| io(folder, "create", &e))?;
        let _alone = hold(folder, File::lock);
        let changes = self.changes(folder)?;
        self.remove_leftovers(folder);
        let with = |wanted: &'static [Action]| {
            let files = changes.files.iter();
            files.filter(move |file| wanted.contains(&file.action))
        };
        // First, since on some systems a name in another case is the same file.
        for file in with(&[Action::Remove]) {
            remove(folder, &file.path)?;
        }
        let (mut lock, mut made) = (None, BTreeSet::new());
        for file in with(&[Action::Create, Action::Update, Action::Restore]) {
            let target = folder.join(&*file.path);
            if file.path == lock::NAME {
                lock = Some((target, &file.new));
                continue;
            }
            if let Some(parent) = target.parent().filter(|parent| !made.contains(*parent)) {
                fs::create_dir_all(parent).map_err(|e| io(parent, "create", &e))?;
                made.insert(parent.to_owned());
            }
            write_again(&target, &file.new)?;
        }
        if let Some((target, content)) = lock {
            write_atomic(&target, content)?;
        }
        Ok(changes)
    }

    /// How the folder differs, while nobody else writes to it.
    fn changes(&self, folder: &Path) -> Result<Changes<'_>, Error> {
        check_folder(folder)?;
        let (mut files, mut in_the_way) = (Vec::new(), Vec::new());
        let sections = self.sections();
        let old_lock = match sections.is_empty() {
            true => None,
            false => read(folder, lock::NAME)?,
        };
        let last = match &old_lock {
            None => Lock::default(),
            Some(bytes) => {
                let name = folder.join(lock::NAME).display().to_string();
                Lock::parse(&String::from_utf8_lossy(bytes), &name)?
            }
        };
        let locked: BTreeMap<&str, Digest> = last.files().collect();
        let stale: Vec<(&str, Digest)> = last
            .0
            .iter()
            .filter(|(section, _)| sections.contains(section.as_str()))
            .flat_map(|(_, section)| &section.files)
            .filter(|(path, _)| !self.files.contains_key(*path))
            .map(|(path, digest)| (path.as_str(), *digest))
            .collect();
        let going: BTreeSet<String> = stale.iter().map(|(path, _)| path.to_lowercase()).collect();
        for (path, planned) in &self.files {
            let new = planned.content.as_slice();
            let old = read(folder, path)?;
            let action = match &old {
                None => Action::Create,
                // Where case does not count, it may be the very file that is removed.
                Some(old) if old == new && going.contains(&path.to_lowercase()) => Action::Update,
                Some(old) if old == new => Action::None,
                Some(old) => match locked.get(path.as_str()) {
                    Some(digest) if *digest != Digest::of(old) => Action::Restore,
                    Some(_) => Action::Update,
                    None if lock::is_ours(old) => Action::Update,
                    None => {
                        in_the_way.push(not_ours(&folder.join(path)));
                        continue;
                    }
                },
            };
            files.push(Change::new(path, action, old, new));
        }
        for (path, digest) in stale {
            // What is not a regular file any more, or behind a link, is not what was generated.
            let (old, action) = match read(folder, path) {
                Ok(None) => continue,
                Ok(Some(old)) if Digest::of(&old) == digest && lock::is_ours(&old) => {
                    (Some(old), Action::Remove)
                }
                _ => (None, Action::Keep),
            };
            files.push(Change::new(path.to_owned(), action, old, Vec::new()));
        }
        if let Some(error) = Error::first_of(in_the_way) {
            return Err(error);
        }
        if !sections.is_empty() {
            let text = self.lock(sections, last).to_text().into_bytes();
            let action = match &old_lock {
                None => Action::Create,
                Some(old) if *old == text => Action::None,
                Some(_) => Action::Update,
            };
            files.push(Change::new(lock::NAME, action, old_lock, text));
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Changes { files })
    }

    fn sections(&self) -> BTreeSet<&'static str> {
        let sections = self.files.values().map(|file| file.section);
        sections.filter(|section| !section.is_empty()).collect()
    }

    /// The lock file after this plan: sections that it does not write stay.
    fn lock(&self, sections: BTreeSet<&str>, mut last: Lock) -> Lock {
        for name in sections {
            let files = self.files.iter().filter(|(_, file)| file.section == name);
            let section = Section {
                generator: VERSION.to_owned(),
                inputs: self.inputs,
                files: files
                    .map(|(path, file)| (path.clone(), Digest::of(&file.content)))
                    .collect(),
            };
            last.0.insert(name.to_owned(), section);
        }
        last
    }

    /// Removes the temporary files of runs that were killed, as far as that can be done: nobody
    /// else writes here now.
    fn remove_leftovers(&self, folder: &Path) {
        let mut folders: BTreeSet<&Path> = [Path::new("")].into();
        folders.extend(
            self.files
                .keys()
                .filter_map(|path| Path::new(path).parent()),
        );
        for below in folders {
            let entries = fs::read_dir(folder.join(below)).into_iter().flatten();
            for path in entries.flatten().map(|entry| entry.path()) {
                if !is_temporary(&path) || !path.symlink_metadata().is_ok_and(|m| m.is_file()) {
                    continue;
                }
                // In the folder itself other tools may be writing, too.
                let shared = below == Path::new("");
                let ours = fs::read(&path).is_ok_and(|content| {
                    lock::bears_header(&content) || content.is_empty() && !shared
                });
                if ours {
                    let _ = fs::remove_file(&path);
                }
            }
        }
    }
}

impl<'p> Change<'p> {
    fn new(
        path: impl Into<Cow<'p, str>>,
        action: Action,
        old: Option<Vec<u8>>,
        new: impl Into<Cow<'p, [u8]>>,
    ) -> Self {
        let differs = action != Action::None;
        Self {
            path: path.into(),
            action,
            old: old.filter(|_| differs).unwrap_or_default(),
            new: new.into(),
        }
    }
}

/// The number of files that are there, the lock file among them, when they are as the lock file
/// lists them and it says that this generator made these sections of the same inputs; `None` when
/// any of it is not so, or when this program is newer than the lock file: while a generator is
/// developed, its version says nothing.
pub(crate) fn current(folder: &Path, sections: &[&str], inputs: Inputs) -> Option<usize> {
    let _shared = hold(folder, File::lock_shared);
    let path = folder.join(lock::NAME);
    let made = path.symlink_metadata().and_then(|found| found.modified());
    let program = std::env::current_exe().and_then(|path| path.metadata()?.modified());
    if made.ok()? <= program.ok()? {
        return None;
    }
    let text = String::from_utf8(read(folder, lock::NAME).ok()??).ok()?;
    let lock = Lock::parse(&text, "").ok()?;
    let mut count = 1;
    for name in sections {
        let section = lock.0.get(*name)?;
        if section.generator != VERSION || section.inputs != inputs {
            return None;
        }
        for (path, digest) in &section.files {
            let content = read(folder, path).ok()??;
            (Digest::of(&content) == *digest).then_some(())?;
            count += 1;
        }
    }
    Some(count)
}

/// Holds a folder while it is read or written, where the system can: other runs wait. It ends with
/// the process, however that ends.
fn hold(folder: &Path, lock: fn(&File) -> std::io::Result<()>) -> Option<File> {
    let file = File::open(folder).ok()?;
    lock(&file).ok()?;
    Some(file)
}

fn check_folder(folder: &Path) -> Result<(), Error> {
    match folder.metadata() {
        Ok(found) if !found.is_dir() => Err(Error::new(
            Code::Io,
            format!("{} is a file, not a folder", folder.display()),
            "choose another --out, or move it away",
        )),
        Err(e) if e.kind() == ErrorKind::NotADirectory => Err(Error::new(
            Code::Io,
            format!("{} lies below a file, not a folder", folder.display()),
            "choose another --out",
        )),
        _ => Ok(()),
    }
}

/// The content of a file below a folder; `None` when it is not there. Links are not followed.
fn read(folder: &Path, path: &str) -> Result<Option<Vec<u8>>, Error> {
    let mut at = folder.to_owned();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        at.push(part);
        let in_the_way = |what: &str| {
            let message = format!("{} {what}", at.display());
            let help = "remove it, or choose another --out";
            Err(Error::new(Code::Io, message, help))
        };
        match fs::symlink_metadata(&at) {
            Ok(found) if found.file_type().is_symlink() => {
                return in_the_way("is a symbolic link, which could lead elsewhere");
            }
            // To read a pipe would wait for whoever writes to it.
            Ok(found) if parts.peek().is_none() && !found.is_file() => {
                return in_the_way("exists and is not a regular file");
            }
            Ok(found) if parts.peek().is_some() && !found.is_dir() => {
                return in_the_way("exists and is not a folder");
            }
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(io(&at, "read", &e)),
        }
    }
    fs::read(&at).map(Some).map_err(|e| io(&at, "read", &e))
}

/// Removes a file, and the folders that are empty without it.
fn remove(folder: &Path, path: &str) -> Result<(), Error> {
    let file = folder.join(path);
    fs::remove_file(&file).map_err(|e| io(&file, "remove", &e))?;
    for parent in Path::new(path).ancestors().skip(1) {
        // One that is not empty is not removed, and those around it are not empty either.
        if parent == Path::new("") || fs::remove_dir(folder.join(parent)).is_err() {
            break;
        }
    }
    Ok(())
}

fn not_ours(path: &Path) -> Error {
    Error::new(
        Code::Io,
        format!("{} was not generated, and is not replaced", path.display()),
        "move it away, or choose another --out",
    )
}

/// What the system said about a file.
pub(crate) fn io(path: &Path, what: &str, error: &std::io::Error) -> Error {
    let help = match error.kind() {
        ErrorKind::PermissionDenied => "look at its permissions, and at those of its folder",
        ErrorKind::ReadOnlyFilesystem | ErrorKind::StorageFull => "choose another place",
        _ => "",
    };
    Error::new(
        Code::Io,
        format!("cannot {what} {}: {error}", path.display()),
        help,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs() -> Inputs {
        let manifest = crate::manifest::write(&[helixor_playbook::builtin::example()], None);
        let manifest = crate::manifest::parse(&manifest).unwrap();
        Inputs::new(&manifest, &[], &crate::Config::default())
    }

    /// Texts that bear a header, since files without one are not replaced.
    fn plan(files: &[(&str, &str)]) -> Plan {
        let mut plan = Plan::new(inputs());
        for (path, text) in files {
            // Its first part stands for the language.
            plan.begin(match path.split('/').next() {
                Some("a") => "a",
                Some("b") => "b",
                _ => "c",
            });
            plan.add((*path).into(), generated(text).into_bytes())
                .unwrap();
        }
        plan
    }

    fn generated(text: &str) -> String {
        format!("// Generated by helixor-sdk-gen 0.0.0; do not edit.\n{text}")
    }

    /// What a run did, but for files that it did not touch.
    fn done(changes: Changes<'_>) -> Vec<(Action, String)> {
        let files = changes.files.into_iter();
        files
            .filter(|file| file.action != Action::None)
            .map(|file| (file.action, file.path.into_owned()))
            .collect()
    }

    fn write(folder: &Path, files: &[(&str, &str)]) -> Vec<(Action, String)> {
        let plan = plan(files);
        let expected = done(plan.compare(folder).unwrap());
        let done = done(plan.write(folder).unwrap());
        assert_eq!(done, expected, "what is done is what was foretold");
        assert!(plan.compare(folder).unwrap().is_empty());
        done
    }

    /// Pairs of an action and a path, the lock file first when it is told.
    fn told<const N: usize>(files: [(Action, &str); N]) -> Vec<(Action, String)> {
        let mut told: Vec<_> = files.map(|(action, path)| (action, path.to_owned())).into();
        told.sort_by(|a, b| a.1.cmp(&b.1));
        told
    }

    #[test]
    fn unchanged_files_are_not_touched() {
        use Action::{Create, Update};
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            write(folder.path(), &[("a/b.txt", "one\n"), ("c.txt", "two\n")]),
            told([(Create, "a/b.txt"), (Create, "c.txt"), (Create, lock::NAME)])
        );
        let old = ["a/b.txt", lock::NAME].map(|name| folder.path().join(name));
        for path in &old {
            let file = File::open(path).unwrap();
            file.set_modified(std::time::UNIX_EPOCH).unwrap();
        }
        let same = &[("a/b.txt", "one\n"), ("c.txt", "two\n")];
        assert_eq!(write(folder.path(), same), []);
        let modified = |path| fs::metadata(path).unwrap().modified().unwrap();
        for path in &old {
            assert_eq!(modified(path), std::time::UNIX_EPOCH);
        }
        assert_eq!(
            write(folder.path(), &[("a/b.txt", "one\n"), ("c.txt", "new\n")]),
            told([(Update, "c.txt"), (Update, lock::NAME)])
        );
        assert_eq!(modified(&old[0]), std::time::UNIX_EPOCH);
    }

    #[test]
    fn what_is_generated_no_longer_goes_unless_it_was_edited() {
        use Action::{Keep, Remove, Update};
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        let all = &[
            ("a/b/old.txt", ""),
            ("a/c/mine.txt", ""),
            ("a/c/x.txt", ""),
            ("b/y.txt", ""),
        ];
        write(folder.path(), all);
        fs::write(at("a/c/mine.txt"), generated("edited")).unwrap();
        fs::write(at("a/b/stranger.txt"), "not generated").unwrap();
        fs::write(at("a/c/x.txt"), "").unwrap();
        assert_eq!(
            write(folder.path(), &[("a/z.txt", "")]),
            told([
                (Remove, "a/b/old.txt"),
                (Keep, "a/c/mine.txt"),
                (Keep, "a/c/x.txt"),
                (Action::Create, "a/z.txt"),
                (Update, lock::NAME),
            ])
        );
        // What another language generated stays, and what was told once is not told again.
        assert!(at("b/y.txt").exists() && at("a/b/stranger.txt").exists());
        assert_eq!(write(folder.path(), &[("a/z.txt", "")]), []);
        // Folders that are left empty go, others do not.
        fs::remove_file(at("a/c/mine.txt")).unwrap();
        write(folder.path(), &[("a/c/d/e/x.txt", "")]);
        write(folder.path(), &[("a/z.txt", "")]);
        assert!(!at("a/c/d").exists() && at("a/c").exists() && at("a/b").exists());
    }

    #[test]
    fn a_lock_file_alone_removes_nothing_of_the_users() {
        use Action::{Keep, Remove};
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[("a/x.txt", "")]);
        let (mine, marker) = (b"mine".as_slice(), b"".as_slice());
        fs::write(folder.path().join("a/mine.txt"), mine).unwrap();
        fs::write(folder.path().join("a/marker"), marker).unwrap();
        let lock = folder.path().join(lock::NAME);
        let mut text = fs::read_to_string(&lock).unwrap();
        for (name, content) in [("mine.txt", mine), ("marker", marker)] {
            text.push_str(&format!("\"a/{name}\" = \"{}\"\n", Digest::of(content)));
        }
        fs::write(&lock, text).unwrap();
        assert_eq!(
            write(folder.path(), &[("a/x.txt", "")]),
            told([
                (Remove, "a/marker"),
                (Keep, "a/mine.txt"),
                (Action::Update, lock::NAME),
            ])
        );
    }

    #[test]
    fn files_in_the_way_are_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir(at("a")).unwrap();
        fs::write(at("a/mine.txt"), "mine").unwrap();
        fs::write(at("a/too.txt"), "mine too").unwrap();
        fs::write(
            at("a/generated.txt"),
            generated("before there were lock files"),
        )
        .unwrap();
        let plan = plan(&[("a/mine.txt", ""), ("a/too.txt", ""), ("a/new.txt", "")]);
        for error in [
            plan.compare(folder.path()).unwrap_err(),
            plan.write(folder.path()).unwrap_err(),
        ] {
            assert_eq!((error.code(), error.all().len()), (Code::Io, 2));
            assert!(
                error
                    .message()
                    .ends_with("mine.txt was not generated, and is not replaced")
            );
        }
        assert!(!at("a/new.txt").exists() && !at(lock::NAME).exists());
        fs::remove_file(at("a/mine.txt")).unwrap();
        fs::remove_file(at("a/too.txt")).unwrap();
        let done = write(folder.path(), &[("a/generated.txt", "")]);
        assert_eq!(done[0], (Action::Update, "a/generated.txt".into()));
        // What stands in the lock file is the generator's, header or not.
        fs::write(at("a/generated.txt"), "mine").unwrap();
        let done = write(folder.path(), &[("a/generated.txt", "")]);
        assert_eq!(done, told([(Action::Restore, "a/generated.txt")]));
    }

    #[test]
    fn names_in_another_case_are_one_file_on_some_systems() {
        let mut plan = plan(&[("a/Foo", "")]);
        let error = plan.add("a/foo".into(), Vec::new()).unwrap_err();
        assert_eq!(error.code(), Code::Internal);
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[("a/Foo", "")]);
        // There may be a file of the new name that is not the old one; it is written all the same.
        fs::write(folder.path().join("a/foo"), generated("")).unwrap();
        write(folder.path(), &[("a/foo", "")]);
        assert!(folder.path().join("a/foo").exists());
    }

    #[test]
    fn what_a_killed_run_left_is_completed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        write(folder.path(), &[("a/b.txt", "old"), ("a/gone.txt", "old")]);
        // Killed before the lock file: a file is replaced, one is new, one is gone.
        fs::write(at("a/b.txt"), generated("new")).unwrap();
        fs::write(at("a/new.txt"), generated("new")).unwrap();
        fs::remove_file(at("a/gone.txt")).unwrap();
        for left in [".helixor-1.tmp", "a/.helixor-2.tmp"] {
            fs::write(at(left), generated("ne")).unwrap();
        }
        fs::write(at("a/.helixor-3.tmp"), "").unwrap();
        fs::write(at("a/.helixor-4.tmp"), "of a stranger").unwrap();
        fs::write(at(".helixor-5.tmp"), "").unwrap();
        write(folder.path(), &[("a/b.txt", "new"), ("a/new.txt", "new")]);
        let left = |folder: &Path| fs::read_dir(folder).unwrap().count();
        assert_eq!((left(folder.path()), left(&at("a"))), (3, 3));
    }

    #[test]
    fn a_plan_without_sections_has_no_lock_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut plan = Plan::new(inputs());
        plan.add("x.rs".into(), Vec::new()).unwrap();
        plan.write(folder.path()).unwrap();
        assert!(plan.compare(folder.path()).unwrap().is_empty());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        for (out, says) in [
            (file.clone(), "file is a file, not a folder"),
            (file.join("sdk"), "sdk lies below a file, not a folder"),
        ] {
            let plan = plan(&[("a", "")]);
            for error in [
                plan.compare(&out).unwrap_err(),
                plan.write(&out).unwrap_err(),
            ] {
                assert!(error.message().ends_with(says), "{error}");
            }
        }
        let error = plan(&[("file/x", "")]).write(folder.path()).unwrap_err();
        assert!(
            error.message().ends_with("file exists and is not a folder"),
            "{error}"
        );
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
            "a\u{202e}b",
        ] {
            assert!(plan(&[]).add(bad.into(), Vec::new()).is_err(), "{bad}");
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
        for name in ["c.txt", lock::NAME] {
            std::os::unix::fs::symlink(&target, folder.path().join(name)).unwrap();
            plan(&[("c.txt", "x")]).write(folder.path()).unwrap_err();
            fs::remove_file(folder.path().join(name)).unwrap();
        }
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
}
