//! The pages of `docs/` are held to what they say: their commands are run, and print what the
//! pages say they print.
//!
//! A page runs from top to bottom in a folder of its own, which is also its home folder; files,
//! variables and the current folder carry on from block to block. What a block is for, its first
//! line says:
//!
//! - a language and a file's name, as in `yaml loans.yaml`: the block is that file;
//! - `console`: commands for Bash, each on a line after `$ ` (with more lines after `> `), each
//!   followed by exactly what it prints, output and errors as a person sees them, and by `? 2` when
//!   its exit code is 2;
//! - `rust`: an example, which the crate `conformance` runs as a doctest;
//! - `text`: nothing to run, such as a table.
//!
//! Any other block is refused, so that none goes unrun. In what a command prints, `[..]` stands for
//! any text on a line, a line `...` for any lines, and the page's folder is shown as `/home/you`.
//! The tools, `python` with the runtime's wheel, and a JDK are on the PATH; `$HELIXOR` is this
//! checkout.
//!
//! With `HELIXOR_BLESS=1`, pages are corrected to show what was printed:
//! `HELIXOR_BLESS=1 cargo test -p xtask -- --ignored pages`; look at the difference.

use crate::java;
use crate::markdown::{Fence, fences};
use crate::run::{Failure, Result, command, fail, files, read, root, run, target, write};
use crate::tools::Venv;
use std::path::Path;
use std::process::Command;

/// How the page's folder is shown.
const HOME: &str = "/home/you";

/// What Bash prints before and after the exit code of a command: nothing else prints it.
const MARK: char = '\u{1e}';

/// Runs every page of `docs/`. The release tools, the wheel and the Java runtime must be in
/// `target/`.
pub(crate) fn commands() -> Result<String> {
    let docs = root().join("docs");
    let doctests = read(&root().join("tests/src/lib.rs"))?;
    let path = path()?;
    let bless = std::env::var_os("HELIXOR_BLESS").is_some();
    let (mut pages, mut commands, mut faults) = (0, 0, Vec::new());
    for name in files(&docs)? {
        let file = docs.join(&name);
        let name = format!("docs/{}", name.display());
        let text = read(&file)?;
        let page = Page::parse(&name, &text)?;
        if page.has_rust && !doctests.contains(&format!("../../{name}\"")) {
            faults.push(format!(
                "{name} has Rust in it, but tests/src/lib.rs does not make a doctest of it"
            ));
        }
        let printed = page.run(&path)?;
        if bless {
            write(&file, &page.corrected(&printed))?;
        } else {
            faults.extend(page.faults(&printed));
        }
        pages += 1;
        commands += page.commands().count();
    }
    if faults.is_empty() {
        return Ok(format!("{commands} on {pages} pages"));
    }
    fail(faults.join("\n\n"))
}

/// The PATH of the pages.
fn path() -> Result<std::ffi::OsString> {
    let python = Venv::with_tools()?.program("");
    let first = [python, target("release"), java::bin()?];
    let users = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(first.into_iter().chain(std::env::split_paths(&users)))
        .map_err(|e| Failure(e.to_string()))
}

/// A page that can be run.
#[derive(Debug)]
struct Page<'t> {
    name: &'t str,
    lines: Vec<&'t str>,
    steps: Vec<Step>,
    has_rust: bool,
}

#[derive(Debug)]
enum Step {
    File { name: String, text: String },
    Command(Said),
}

/// A command, and what the page says it prints.
#[derive(Debug)]
struct Said {
    command: String,
    /// The line of the command, from 1.
    line: usize,
    /// The number of lines that the command itself takes.
    height: usize,
    prints: Vec<String>,
}

impl<'t> Page<'t> {
    fn parse(name: &'t str, text: &'t str) -> Result<Self> {
        let fault = |line: usize, what: &str| fail(format!("{name}, line {line}: {what}"));
        let mut page = Page {
            name,
            lines: text.lines().collect(),
            steps: Vec::new(),
            has_rust: false,
        };
        for fence in fences(text).map_err(|Failure(why)| Failure(format!("{name}, {why}")))? {
            match fence.info.split(' ').collect::<Vec<_>>()[..] {
                ["text"] => {}
                ["rust"] => page.has_rust = true,
                ["console"] => page.steps.extend(said(&fence).ok_or_else(|| {
                    let line = fence.line;
                    Failure(format!(
                        "{name}, line {line}: the block begins with no `$ `"
                    ))
                })?),
                [_, file] if is_plain(file) => page.steps.push(Step::File {
                    name: file.to_owned(),
                    text: fence.text,
                }),
                _ => {
                    return fault(
                        fence.line,
                        "nothing runs this block: name its file after the language, or make it \
                         `console`, `rust` or `text`",
                    );
                }
            }
        }
        Ok(page)
    }

    fn commands(&self) -> impl Iterator<Item = &Said> {
        self.steps.iter().filter_map(|step| match step {
            Step::Command(said) => Some(said),
            Step::File { .. } => None,
        })
    }

    /// Runs the page in a fresh folder; gives what each command printed, with its exit code.
    fn run(&self, path: &std::ffi::OsStr) -> Result<Vec<Vec<String>>> {
        let folder = tempfile::tempdir()?;
        let home = folder.path().canonicalize()?;
        let said = run(&mut self.bash(&home, path))?;
        let said = said.replace(&*home.to_string_lossy(), HOME);
        let mut parts = said.split(MARK);
        let mut printed = Vec::new();
        for said in self.commands() {
            let (text, code) = (parts.next(), parts.next());
            let (Some(text), Some(code)) = (text, code) else {
                return fail(format!(
                    "{}, line {}: Bash ended in this command: {}",
                    self.name,
                    said.line,
                    text.unwrap_or_default()
                ));
            };
            let mut lines: Vec<String> = text.lines().map(|l| l.trim_end().to_owned()).collect();
            if code != "0" {
                lines.push(format!("? {code}"));
            }
            printed.push(lines);
        }
        Ok(printed)
    }

    /// One Bash for all: what a command sets, the next one sees.
    fn bash(&self, home: &Path, path: &std::ffi::OsStr) -> Command {
        let mut script = String::from("umask 022\n");
        for step in &self.steps {
            match step {
                Step::File { name, text } => {
                    script.push_str(&format!("printf %s {} > {name}\n", quoted(text)));
                }
                Step::Command(said) => {
                    let mark = format!("printf '{MARK}%d{MARK}' $?");
                    script.push_str(&format!("{}\n{mark}\n", said.command));
                }
            }
        }
        let mut bash = command("bash");
        // The toolchain is found where it was, and a build of a page is as small as it can be.
        if let Some(real) = std::env::home_dir() {
            for (variable, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
                let set = std::env::var_os(variable);
                bash.env(variable, set.unwrap_or_else(|| real.join(folder).into()));
            }
        }
        bash.args(["-c", &script])
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("HELIXOR", root())
            .env("HOME", home)
            .env("PATH", path)
            .env("LC_ALL", "C.UTF-8")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .current_dir(home);
        bash
    }

    /// What the page says and is not so.
    fn faults(&self, printed: &[Vec<String>]) -> Vec<String> {
        let differ = self.commands().zip(printed);
        differ
            .filter(|(said, printed)| !matches(&said.prints, printed))
            .map(|(said, printed)| {
                format!(
                    "{}, line {}: $ {}\nthe page says it prints\n\n{}\n\nbut it prints\n\n{}",
                    self.name,
                    said.line,
                    said.command,
                    said.prints.join("\n"),
                    printed.join("\n")
                )
            })
            .collect()
    }

    /// The page, showing what its commands printed where it does not.
    fn corrected(&self, printed: &[Vec<String>]) -> String {
        let mut lines: Vec<&str> = Vec::new();
        let mut old = self.lines.iter().copied();
        let mut done = 0;
        for (said, printed) in self.commands().zip(printed) {
            if !matches(&said.prints, printed) {
                let output = said.line - 1 + said.height;
                lines.extend(old.by_ref().take(output - done));
                lines.extend(printed.iter().map(String::as_str));
                old.by_ref().take(said.prints.len()).for_each(drop);
                done = output + said.prints.len();
            }
        }
        lines.extend(old);
        lines.join("\n") + "\n"
    }
}

/// The commands of a `console` block; `None` when it begins with something else.
fn said(fence: &Fence) -> Option<Vec<Step>> {
    let mut all: Vec<Said> = Vec::new();
    for (i, line) in fence.text.lines().enumerate() {
        let last = all.last_mut();
        match (line.strip_prefix("$ "), line.strip_prefix("> "), last) {
            (Some(command), ..) => all.push(Said {
                command: command.to_owned(),
                line: fence.line + 1 + i,
                height: 1,
                prints: Vec::new(),
            }),
            (_, Some(more), Some(last)) if last.prints.is_empty() => {
                last.command.push('\n');
                last.command.push_str(more);
                last.height += 1;
            }
            (_, _, Some(last)) => last.prints.push(line.to_owned()),
            (_, _, None) => return None,
        }
    }
    Some(all.into_iter().map(Step::Command).collect())
}

/// Whether a name is that of a file in the page's folder, without anything that Bash would read.
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !name.starts_with(['.', '-']) && name.chars().all(plain)
}

/// A text as one word of Bash.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Whether lines are those promised, `...` being any lines and `[..]` any text.
fn matches(promised: &[String], printed: &[String]) -> bool {
    match promised.split_first() {
        None => printed.is_empty(),
        Some((any, rest)) if any == "..." => {
            let mut ends = (0..=printed.len()).filter_map(|skipped| printed.get(skipped..));
            ends.any(|left| matches(rest, left))
        }
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, others)| line_matches(line, first) && matches(rest, others)),
    }
}

fn line_matches(promised: &str, printed: &str) -> bool {
    match promised.split_once("[..]") {
        None => promised == printed,
        Some((start, rest)) => printed.strip_prefix(start).is_some_and(|printed| {
            let ends = printed.char_indices().map(|(at, _)| at);
            ends.chain([printed.len()])
                .any(|at| line_matches(rest, &printed[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use helixor_playbook::Code;

    /// What is wrong with a page, run with the machine's own PATH.
    fn faults(page: &str) -> Vec<String> {
        let page = Page::parse("docs/x.md", page).unwrap();
        page.faults(&page.run(&std::env::var_os("PATH").unwrap()).unwrap())
    }

    #[test]
    #[ignore = "needs the release tools, the wheel and the Java runtime"]
    fn pages() {
        if let Err(Failure(why)) = commands() {
            panic!("{why}");
        }
    }

    #[test]
    fn a_page_that_says_what_is_so_has_no_fault() {
        let page = "\
# Page
```text a.txt
it's \"$HOME\"
```
```console
$ cat a.txt; pwd
it's \"$HOME\"
/home/you
$ export X=1; mkdir d; cd d
```
```console
$ echo $X; basename $PWD; echo wrong >&2; (exit 3)
1
d
wrong
? 3
$ printf 'a\\nb\\nc\\nno end'
a
...
no [..]
$ echo \\
> two lines
two lines
$ true
```
```rust
fn main() {}
```
";
        assert_eq!(faults(page), Vec::<String>::new());
    }

    #[test]
    fn what_is_not_so_is_told_with_its_place() {
        let page = "text\n```console\n$ echo a\na\n$ echo b\nc\n$ false\n$ true\n? 1\n```\n";
        let faults = faults(page);
        assert_eq!(
            faults[0],
            "docs/x.md, line 5: $ echo b\nthe page says it prints\n\nc\n\nbut it prints\n\nb"
        );
        let starts = ["docs/x.md, line 7: $ false", "docs/x.md, line 8: $ true"];
        assert!(faults[1].starts_with(starts[0]) && faults[1].ends_with("? 1"));
        assert!(faults[2].starts_with(starts[1]));
        assert_eq!(faults.len(), 3);
    }

    #[test]
    fn a_page_is_corrected_where_it_is_wrong() {
        let page = "a\n```console\n$ echo a\nb\nc\n$ echo \\\n> d\n$ echo e\n[..]\n```\nend\n";
        let page = Page::parse("x", page).unwrap();
        let printed = page.run(&std::env::var_os("PATH").unwrap()).unwrap();
        assert_eq!(
            page.corrected(&printed),
            "a\n```console\n$ echo a\na\n$ echo \\\n> d\nd\n$ echo e\n[..]\n```\nend\n"
        );
    }

    #[test]
    fn no_block_goes_unrun() {
        for (page, says) in [
            ("```yaml\na: 1\n```\n", "line 1: nothing runs"),
            ("a\n```\nb\n```\n", "line 2: nothing runs"),
            ("```rust,ignore\nb\n```\n", "nothing runs"),
            ("```sh ../a.sh\nb\n```\n", "nothing runs"),
            ("```console\nb\n```\n", "begins with no `$ `"),
            ("```console\n$ b\n", "no end"),
        ] {
            let Failure(why) = Page::parse("docs/x.md", page).unwrap_err();
            assert!(why.contains(says), "{page}: {why}");
        }
    }

    #[test]
    fn a_command_that_bash_cannot_read_is_told() {
        let page = Page::parse("docs/x.md", "```console\n$ echo 'a\n```\n").unwrap();
        assert!(page.run(&std::env::var_os("PATH").unwrap()).is_err());
    }

    #[test]
    fn the_page_on_errors_has_every_code() {
        let page = read(&root().join("docs/errors.md")).unwrap();
        let rows: Vec<Vec<&str>> = page
            .lines()
            .map(|line| line.split('|').map(str::trim).collect())
            .filter(|row: &Vec<&str>| row.get(1).is_some_and(|cell| cell.parse::<u8>().is_ok()))
            .filter(|row| row.len() == 8)
            .collect();
        let shown: Vec<[&str; 3]> = rows.iter().map(|row| [row[1], row[2], row[6]]).collect();
        let wanted: Vec<[String; 3]> = Code::ALL
            .iter()
            .zip(&rows)
            .map(|(code, row)| {
                let exit = match row[5].ends_with('T') {
                    true => code.exit_code().to_string(),
                    false => "–".to_owned(),
                };
                [code.number().to_string(), format!("`{code}`"), exit]
            })
            .collect();
        assert_eq!(shown, wanted);
        assert_eq!(shown.len(), Code::ALL.len());
    }

    #[test]
    fn wildcards_stand_for_any_text_and_any_lines() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        for (promised, printed, same) in [
            ("a[..]c", "abc", true),
            ("a[..]c", "ac", true),
            ("a[..]c", "abd", false),
            ("[..]é[..]", "aéb", true),
            ("...", "", true),
            ("...\nz", "x\ny\nz", true),
            ("...\nz", "x\ny", false),
            ("a\n...", "b", false),
            ("a", "a\nb", false),
            ("", "a", false),
        ] {
            assert_eq!(
                matches(&lines(promised), &lines(printed)),
                same,
                "{promised:?} {printed:?}"
            );
        }
    }
}
