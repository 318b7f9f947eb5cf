//! What a command says when it succeeds.

use crate::Failure;
use helixor_playbook::canonical::{self, Style};
use helixor_playbook::{Entry, Node, is_hidden};
use std::fmt::Write;
use zeroize::Zeroizing;

/// The outcome of a command: for people, for programs, and the file asked for as `-`.
#[derive(Clone)]
pub struct Answer {
    human: String,
    /// The same for programs; a map.
    json: Node,
    /// The file that is to go to standard output; it may hold a secret.
    pub content: Option<Zeroizing<Vec<u8>>>,
    /// What is not wrong but should be seen to, a sentence each.
    pub warnings: Vec<String>,
    /// What is wrong with the thing that the answer describes.
    pub problem: Option<Failure>,
    /// The exit code: 0, or what an answer that is not the wanted one gives.
    pub exit: u8,
    silent: bool,
}

impl Answer {
    /// An answer of which everything was said already.
    pub fn silent() -> Self {
        Self {
            silent: true,
            ..Self::new("")
        }
    }

    /// An answer that begins with a sentence.
    pub fn new(sentence: &str) -> Self {
        Self {
            human: format!("{}\n", printable(sentence)),
            json: Node::map::<String>([]),
            content: None,
            warnings: Vec::new(),
            problem: None,
            exit: 0,
            silent: false,
        }
    }

    /// Adds a value for programs.
    #[must_use]
    pub fn value(mut self, key: &str, value: impl Into<Node>) -> Self {
        if let helixor_playbook::Data::Map(entries) = &mut self.json.data {
            entries.push(Entry {
                key: key.into(),
                key_span: Default::default(),
                value: value.into(),
            });
        }
        self
    }

    /// Adds a table for people: cells aligned, the last of a row free; nothing when it is empty.
    #[must_use]
    pub fn table<const N: usize>(mut self, title: &str, rows: &[[String; N]]) -> Self {
        if rows.is_empty() {
            return self;
        }
        if !title.is_empty() {
            let _ = write!(self.human, "\n{}\n", printable(title));
        }
        self.human.push('\n');
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row.iter().map(|cell| printable(cell)).collect())
            .collect();
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..N).map(width).collect();
        for row in &rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                let _ = write!(line, "  {cell:width$}");
            }
            self.human.push_str(line.trim_end());
            self.human.push('\n');
        }
        self
    }

    /// Adds the commands to run next, after a sentence that says why.
    #[must_use]
    pub fn next(mut self, why: &str, commands: &[String]) -> Self {
        let _ = write!(self.human, "\n{why}\n\n");
        for command in commands {
            let _ = writeln!(self.human, "  {}", printable(command));
        }
        self
    }

    /// With a file that is to go to standard output.
    #[must_use]
    pub fn with_content(mut self, content: Option<Zeroizing<Vec<u8>>>) -> Self {
        self.content = content;
        self
    }

    /// With something to be seen to.
    #[must_use]
    pub fn warn(mut self, warning: Option<String>) -> Self {
        self.warnings.extend(warning);
        self
    }

    /// Of something that is wrong: the exit code is that of the problem.
    #[must_use]
    pub fn with_problem(mut self, problem: Option<Failure>) -> Self {
        if let Some(problem) = &problem {
            self.exit = problem.error().code().exit_code();
        }
        self.problem = problem;
        self
    }

    /// With another exit code than 0.
    #[must_use]
    pub fn with_exit(mut self, exit: u8) -> Self {
        self.exit = exit;
        self
    }

    /// The warnings, for people.
    pub fn warning_text(&self) -> String {
        let line = |warning: &String| format!("warning: {}\n", printable(warning));
        self.warnings.iter().map(line).collect()
    }

    /// The map for programs, with the warnings if there are any.
    fn complete(&self) -> Node {
        if self.warnings.is_empty() {
            return self.json.clone();
        }
        let warnings = Node::list(self.warnings.iter().map(String::as_str));
        self.clone().value("warnings", warnings).json
    }

    /// The text to print, for people or for programs (one line).
    pub fn text(&self, json: bool) -> String {
        match json {
            _ if self.silent => String::new(),
            true => line(&self.complete()),
            false => self.human.clone(),
        }
    }
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer")
            .field("human", &self.human)
            .finish_non_exhaustive()
    }
}

/// One line of JSON.
pub(crate) fn line(node: &Node) -> String {
    // What commands say holds no NaN and no infinity, so there is always a JSON form.
    format!(
        "{}\n",
        canonical::write(node, Style::Compact).unwrap_or_default()
    )
}

/// The text with everything escaped that could move the cursor or turn the direction of writing:
/// files of strangers are shown with it.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push(c),
            c if is_hidden(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// The text as one word of a POSIX shell.
pub(crate) fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_aligned_and_programs_get_one_line() {
        let answer = Answer::new("Done")
            .value("b", "ü")
            .value("a", true)
            .table(
                "Things",
                &[["a", "one"], ["long", "two"]].map(|r| r.map(String::from)),
            )
            .table("Nothing", &[] as &[[String; 1]])
            .next("Next:", &["do it".into()]);
        assert_eq!(
            answer.text(false),
            "Done\n\nThings\n\n  a     one\n  long  two\n\nNext:\n\n  do it\n"
        );
        assert_eq!(answer.text(true), "{\"a\":true,\"b\":\"\\u00fc\"}\n");
    }

    #[test]
    fn nothing_a_file_says_moves_the_cursor() {
        assert_eq!(
            printable("a\u{1b}[2Jb\r\u{202e}ü\n"),
            "a\\u{1b}[2Jb\\u{d}\\u{202e}ü\n"
        );
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quote("a/b-c.hxlic"), "a/b-c.hxlic");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("$HOME"), "'$HOME'");
    }
}
