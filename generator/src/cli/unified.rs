//! Differences of files as unified diffs, for people: cut where they get long, and harmless to a
//! terminal.

use helixor_playbook::is_hidden;
use similar::{ChangeTag, TextDiff};
use std::borrow::Cow;

/// Most lines that are shown of one file, and of all.
const MOST_LINES: (usize, usize) = (60, 400);

/// Most characters that are shown of one line.
const MOST_CHARS: usize = 300;

/// Files of together more bytes are not compared line by line.
const MOST_BYTES: usize = 16 << 20;

/// A list of diffs.
#[derive(Debug, Default)]
pub(super) struct Diffs {
    text: String,
    lines: usize,
    left_out: usize,
}

impl Diffs {
    /// Adds the diff of a file, between what is there and what is generated; each is nothing where
    /// there is no such file.
    pub(super) fn add(&mut self, path: &str, old: Option<&[u8]>, new: Option<&[u8]>) {
        let most = MOST_LINES.0.min(MOST_LINES.1.saturating_sub(self.lines));
        if most == 0 {
            self.left_out += 1;
            return;
        }
        let name = |content: Option<&[u8]>| content.map_or("/dev/null", |_| path).to_owned();
        let (from, to) = (name(old), name(new));
        self.text
            .push_str(&format!("--- {}\n+++ {}\n", visible(&from), visible(&to)));
        let [old, new] = [old, new].map(|bytes| bytes.unwrap_or_default());
        if old.len().saturating_add(new.len()) > MOST_BYTES {
            self.text.push_str("(too large to be shown)\n");
            self.lines += 1;
            return;
        }
        let [old, new] = [old, new].map(String::from_utf8_lossy);
        let lines = lines(&old, &new);
        for line in lines.iter().take(most) {
            self.text.push_str(line);
            self.text.push('\n');
        }
        self.lines += lines.len().min(most);
        match lines.len().saturating_sub(most) {
            0 => {}
            1 => self.text.push_str("(1 more line)\n"),
            n => self.text.push_str(&format!("({n} more lines)\n")),
        }
    }

    /// All of them.
    pub(super) fn finish(mut self) -> String {
        match self.left_out {
            0 => {}
            1 => self.text.push_str("(1 more file)\n"),
            n => self.text.push_str(&format!("({n} more files)\n")),
        }
        self.text
    }
}

fn lines(old: &str, new: &str) -> Vec<String> {
    let diff = TextDiff::from_lines(old, new);
    let mut lines = Vec::new();
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        lines.push(hunk.header().to_string());
        for change in hunk.iter_changes() {
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let text = change.value();
            lines.push(format!(
                "{mark}{}",
                visible(text.strip_suffix('\n').unwrap_or(text))
            ));
            if change.missing_newline() {
                lines.push("\\ No newline at end of file".to_owned());
            }
        }
    }
    lines
}

/// A line with escapes for what would do something to a terminal, and no longer than lines are
/// shown.
fn visible(line: &str) -> Cow<'_, str> {
    let hidden = |c: char| c != '\t' && is_hidden(c);
    if line.len() <= MOST_CHARS && !line.contains(hidden) {
        return line.into();
    }
    let mut shown = String::new();
    for c in line.chars().take(MOST_CHARS) {
        match hidden(c) {
            true => shown.extend(c.escape_unicode()),
            false => shown.push(c),
        }
    }
    if line.chars().nth(MOST_CHARS).is_some() {
        shown.push_str("...");
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: Option<&str>, new: Option<&str>) -> String {
        let mut diffs = Diffs::default();
        diffs.add("a/b", old.map(str::as_bytes), new.map(str::as_bytes));
        diffs.finish()
    }

    #[test]
    fn a_diff_is_what_patch_reads() {
        assert_eq!(
            diff(Some("1\n2\n3\n4\n5\n"), Some("1\n2\n3\n4\nfive")),
            "--- a/b\n+++ a/b\n@@ -2,4 +2,4 @@\n 2\n 3\n 4\n-5\n+five\n\\ No newline at end of file\n"
        );
        assert_eq!(
            diff(None, Some("1\n")),
            "--- /dev/null\n+++ a/b\n@@ -0,0 +1 @@\n+1\n"
        );
        assert_eq!(
            diff(Some("1\n"), None),
            "--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"
        );
        assert_eq!(diff(None, Some("")), "--- /dev/null\n+++ a/b\n");
    }

    #[test]
    fn long_and_hostile_texts_are_shown_harmlessly() {
        let shown = diff(Some("a\u{1b}[31m\tb\u{202e}\r\n"), Some(""));
        assert!(
            shown.contains("-a\\u{1b}[31m\tb\\u{202e}\\u{d}\n"),
            "{shown}"
        );
        let long = diff(None, Some(&"ü".repeat(301)));
        assert!(
            long.contains(&format!("+{}...\n", "ü".repeat(300))),
            "{long}"
        );
        let many: String = (0..10_000).map(|i| format!("{i}\n")).collect();
        let shown = diff(Some(&many), None);
        assert_eq!(shown.lines().count(), 63);
        assert!(shown.ends_with("-58\n(9941 more lines)\n"), "{shown}");
        let mut diffs = Diffs::default();
        for i in 0..20 {
            diffs.add(&i.to_string(), Some(many.as_bytes()), None);
        }
        let shown = diffs.finish();
        assert!(shown.ends_with("(13 more files)\n"), "{shown}");
        assert_eq!(shown.lines().count(), 6 * 63 + 43 + 1);
    }

    #[test]
    fn bytes_that_are_no_text_are_compared_too() {
        let mut diffs = Diffs::default();
        diffs.add("a", Some(b"\xff\n"), Some(b"b\n"));
        assert!(diffs.finish().ends_with("-\u{fffd}\n+b\n"));
    }
}
