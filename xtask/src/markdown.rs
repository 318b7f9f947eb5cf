//! The fenced blocks of the pages of this repository.

use crate::run::{Result, fail};

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// What follows the opening backticks: the language, then perhaps a file's name.
    pub(crate) info: String,
    /// The line of the opening backticks, from 1.
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// Every fenced block of a page, in order.
pub(crate) fn fences(markdown: &str) -> Result<Vec<Fence>> {
    let mut fences = Vec::new();
    // The backticks of the block that is open, and the block.
    let mut open: Option<(&str, Fence)> = None;
    for (number, line) in markdown.lines().enumerate() {
        let info = line.trim_start_matches('`');
        let ticks = &line[..line.len() - info.len()];
        match &mut open {
            None if ticks.len() >= 3 => {
                let fence = Fence {
                    info: info.trim().to_owned(),
                    line: number + 1,
                    text: String::new(),
                };
                open = Some((ticks, fence));
            }
            None => {}
            Some((opened, _)) if *opened == line => fences.extend(open.take().map(|(_, f)| f)),
            Some((_, fence)) => {
                fence.text.push_str(line);
                fence.text.push('\n');
            }
        }
    }
    match open {
        Some((_, fence)) => fail(format!("line {}: this block has no end", fence.line)),
        None => Ok(fences),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_with_their_kind_and_line() {
        let text =
            "a\n```sh\none\n\ntwo\n```\n````text x.md\n```sh\n```\n````\n```sh\nthree\n```\n";
        let fence = |info: &str, line, text: &str| Fence {
            info: info.into(),
            line,
            text: text.into(),
        };
        assert_eq!(
            fences(text).unwrap(),
            [
                fence("sh", 2, "one\n\ntwo\n"),
                fence("text x.md", 7, "```sh\n```\n"),
                fence("sh", 11, "three\n"),
            ]
        );
    }

    #[test]
    fn a_block_without_an_end_is_an_error() {
        assert!(fences("a\n```sh\nb\n").unwrap_err().0.contains("line 2"));
    }
}
