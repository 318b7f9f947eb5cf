//! A fault in a document, with its place; how it is drawn is the caller's affair.

use crate::node::Span;

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
    pub inner: Option<(String, Span)>,
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

/// `did you mean ...?` for the candidate closest to a word, or nothing when none is close.
pub fn suggest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    if word.len() > 200 {
        return String::new();
    }
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(score, _)| *score > 0.85)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| format!("did you mean `{candidate}`?"))
        .unwrap_or_default()
}
