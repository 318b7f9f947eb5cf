//! A fault in a document, with its place; how it is drawn is the caller's affair.

use crate::node::Span;
use std::sync::Arc;

/// What a [`Problem`] means for the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The document is wrong.
    Invalid,
    /// The document may be right, but this engine does not execute it.
    Unsupported,
}

/// One fault of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, in bytes of the document.
    pub span: Span,
    /// What is wrong, naming the thing and what was expected; no final stop.
    pub message: String,
    /// What to do; empty when there is nothing to add.
    pub help: String,
    /// Whether the document is wrong or merely beyond this engine.
    pub kind: Kind,
    /// For a fault inside a text whose source form differs from its value (escapes, folded
    /// blocks): the value, and where in it.
    pub inner: Option<(Arc<str>, Span)>,
}

impl Problem {
    /// A document that is wrong here.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            help: String::new(),
            kind: Kind::Invalid,
            inner: None,
        }
    }

    /// What this engine does not execute.
    pub fn unsupported(span: Span, message: impl Into<String>) -> Self {
        Self {
            kind: Kind::Unsupported,
            ..Self::new(span, message)
        }
    }

    /// The same with advice.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self {
            help: help.into(),
            ..self
        }
    }
}

/// A place as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Position {
    /// The place of a byte in a text; past its end is the end.
    pub fn of(source: &str, byte: usize) -> Self {
        let mut end = byte.min(source.len());
        while !source.is_char_boundary(end) {
            end -= 1;
        }
        let before = source.get(..end).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        }
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// The places in one text, for asking often: each answer takes time that grows with neither the
/// text nor its lines.
#[derive(Clone, Debug)]
pub struct Positions<'t> {
    text: &'t str,
    /// Where each line starts, in bytes.
    lines: Vec<usize>,
    /// How many characters start before each multiple of [`BLOCK`] bytes.
    blocks: Vec<usize>,
}

/// Bytes between two counts of characters.
const BLOCK: usize = 256;

impl<'t> Positions<'t> {
    /// Reads the text through once.
    pub fn new(text: &'t str) -> Self {
        let newlines = text.match_indices('\n').map(|(at, _)| at + 1);
        let mut count = 0;
        let blocks = text.as_bytes().chunks(BLOCK).map(|block| {
            let before = count;
            count += characters(block);
            before
        });
        Self {
            text,
            blocks: blocks.collect(),
            lines: std::iter::once(0).chain(newlines).collect(),
        }
    }

    /// The place of a byte, as [`Position::of`].
    pub fn of(&self, byte: usize) -> Position {
        let mut end = byte.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let line = self.lines.partition_point(|start| *start <= end);
        let start = line.checked_sub(1).and_then(|i| self.lines.get(i));
        Position {
            line,
            column: self.before(end) - self.before(start.copied().unwrap_or(0)) + 1,
        }
    }

    /// How many characters start before a byte.
    fn before(&self, byte: usize) -> usize {
        // The end of the text may lie where no block begins.
        let block = (byte / BLOCK).min(self.blocks.len().saturating_sub(1));
        let rest = self.text.as_bytes().get(block * BLOCK..byte);
        self.blocks.get(block).copied().unwrap_or(0) + characters(rest.unwrap_or_default())
    }
}

/// How many characters start in a piece of UTF-8.
fn characters(bytes: &[u8]) -> usize {
    // Every byte but those that continue a character (10xxxxxx).
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// Most faults of one document that get a suggestion: to compare every wrong name with every right
/// one could take hours.
const MAX_SUGGESTIONS: usize = 100;

/// [`suggest`] for a document in which so many faults were found before: nothing when there are
/// more than anyone reads.
pub fn suggest_after<'a>(
    found: usize,
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> String {
    if found < MAX_SUGGESTIONS {
        suggest(word, candidates)
    } else {
        String::new()
    }
}

/// `did you mean ...?` for the candidate closest to a word, or nothing when none is close.
pub fn suggest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    if word.len() > 200 {
        return String::new();
    }
    candidates
        .into_iter()
        .map(|candidate| match candidate.eq_ignore_ascii_case(word) {
            true => (1.0, candidate),
            false => (strsim::jaro_winkler(word, candidate), candidate),
        })
        .filter(|(score, _)| *score > 0.85)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| format!("did you mean `{candidate}`?"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_suggested_whatever_its_case() {
        let known = ["has_email", "has_ssn", "Total"];
        assert_eq!(suggest("has_snn", known), "did you mean `has_ssn`?");
        assert_eq!(suggest("HAS_EMAIL", known), "did you mean `has_email`?");
        assert_eq!(suggest("total", known), "did you mean `Total`?");
        assert_eq!(suggest("zip", known), "");
    }

    #[test]
    fn places_come_out_the_same_one_by_one_and_all_at_once() {
        let long = "aü名😀".repeat(BLOCK);
        for text in [
            "",
            "\n",
            "a\nüb\r\n\n",
            &"x".repeat(BLOCK),
            &"x\n".repeat(BLOCK),
            &long,
            &format!("{long}\n{long}"),
        ] {
            let positions = Positions::new(text);
            for byte in 0..text.len() + 2 {
                assert_eq!(positions.of(byte), Position::of(text, byte), "{byte}");
            }
        }
    }

    #[test]
    fn only_the_first_faults_get_a_suggestion() {
        let help = |found| suggest_after(found, "colour", ["color"]);
        assert_eq!(help(MAX_SUGGESTIONS - 1), "did you mean `color`?");
        assert_eq!(help(MAX_SUGGESTIONS), "");
    }
}
