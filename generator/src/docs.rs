//! The one writer of doc comments per language.
//!
//! Docs are paragraphs of text and code; what stands in them comes from manifests and is data.
//! A paragraph is written as one line: nothing in it can open a list, a heading, a link, a code
//! block or end the comment.

/// A piece of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Prose of ours, or a text from a manifest.
    Text(String),
    /// A name or a value as written.
    Code(String),
}

/// The documentation of one thing: paragraphs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Doc(pub(crate) Vec<Vec<Piece>>);

impl Doc {
    /// One more paragraph.
    #[must_use]
    pub(crate) fn with(mut self, pieces: impl IntoIterator<Item = Piece>) -> Self {
        let pieces: Vec<Piece> = pieces.into_iter().collect();
        let empty = pieces.iter().all(|piece| match piece {
            Piece::Text(text) => text.trim().is_empty(),
            Piece::Code(_) => false,
        });
        if !empty {
            self.0.push(pieces);
        }
        self
    }
}

/// Text on one line, with what cannot be seen made visible.
fn visible(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    visible_code(&words.join(" "))
}

/// The same, with every space kept.
fn visible_code(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if helixor_playbook::is_hidden(c) || (c.is_whitespace() && c != ' ') {
            out.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// Rust: Markdown, one line a paragraph, to be put into one `#[doc]` attribute each.
pub(crate) mod rust {
    use super::{Doc, Piece, visible, visible_code};

    /// The lines, each with its leading space; empty ones between paragraphs.
    pub(crate) fn lines(doc: &Doc) -> Vec<String> {
        let mut lines = Vec::new();
        for paragraph in &doc.0 {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            let mut line = String::from(" ");
            for piece in paragraph {
                match piece {
                    Piece::Text(text) => line.push_str(&escaped(text, line == " ")),
                    Piece::Code(text) => line.push_str(&code(text)),
                }
            }
            lines.push(line);
        }
        lines
    }

    /// Prose with everything that Markdown, HTML or a link would take as its own escaped.
    pub(crate) fn escaped(text: &str, at_line_start: bool) -> String {
        let keep = |space: bool| if space { " " } else { "" };
        let (before, after) = (
            keep(!at_line_start && text.starts_with(char::is_whitespace)),
            keep(text.ends_with(char::is_whitespace)),
        );
        let text = visible(text);
        let digits = text.chars().take_while(char::is_ascii_digit).count();
        let mut out = String::from(before);
        let chars: Vec<char> = text.chars().collect();
        let in_word = |i: usize| chars.get(i).is_some_and(|c| c.is_alphanumeric());
        for (i, c) in chars.iter().copied().enumerate() {
            let special = matches!(c, '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '&' | '~' | '|' | '$')
                // What opens a heading, a list or a quotation.
                || (at_line_start && i == 0 && c.is_ascii_punctuation() && c != '(' && c != '"')
                || (at_line_start && digits > 0 && i == digits && matches!(c, '.' | ')'))
                // Emphasis begins and ends at the edges of words.
                || (c == '_' && !(i > 0 && in_word(i - 1) && in_word(i + 1)))
                // A bare address would become a link.
                || (c == ':' && chars.get(i + 1..i + 3) == Some(&['/', '/']));
            if special {
                out.push('\\');
            }
            out.push(c);
        }
        out + after
    }

    /// Code, in a fence longer than any run of backticks in it.
    pub(crate) fn code(text: &str) -> String {
        let text = visible_code(text);
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest + 1);
        let pad = if text.starts_with('`') || text.ends_with('`') {
            " "
        } else {
            ""
        };
        format!("{fence}{pad}{text}{pad}{fence}")
    }
}

/// Python: plain text inside a docstring.
pub(crate) mod python {
    use super::{Doc, Piece, visible, visible_code};
    use crate::literals;

    /// The docstring, quotes included, its further lines indented by so many spaces; empty when
    /// there is nothing to say.
    pub(crate) fn docstring(doc: &Doc, indent: usize) -> String {
        let paragraphs: Vec<String> = doc
            .0
            .iter()
            .map(|pieces| {
                pieces
                    .iter()
                    .map(|piece| match piece {
                        Piece::Text(text) => spaced(text),
                        Piece::Code(text) => format!("`{}`", visible_code(text)),
                    })
                    .collect()
            })
            .collect();
        let margin = " ".repeat(indent);
        match paragraphs.as_slice() {
            [] => String::new(),
            [one] => format!("\"\"\"{}\"\"\"", escaped(one)),
            [first, rest @ ..] => {
                let mut out = format!("\"\"\"{}\n", escaped(first));
                for paragraph in rest {
                    out.push_str(&format!("\n{margin}{}\n", escaped(paragraph)));
                }
                out + &margin + "\"\"\""
            }
        }
    }

    fn spaced(text: &str) -> String {
        let space = |there: bool| if there { " " } else { "" };
        let (before, after) = (
            text.starts_with(char::is_whitespace),
            text.ends_with(char::is_whitespace),
        );
        format!("{}{}{}", space(before), visible(text), space(after))
    }

    fn escaped(text: &str) -> String {
        let mut out = String::new();
        for c in text.trim().chars() {
            literals::python::escaped(&mut out, c, &['"']);
        }
        out
    }
}

/// Java: HTML inside a Javadoc comment.
pub(crate) mod java {
    use super::{Doc, Piece, visible, visible_code};

    /// The comment, its further lines indented by so many spaces; the tags (`@param x y`) come
    /// last and are written as they are.
    pub(crate) fn comment(doc: &Doc, tags: &[String], indent: usize) -> String {
        let paragraphs: Vec<String> = doc.0.iter().map(|pieces| paragraph(pieces)).collect();
        let margin = " ".repeat(indent);
        if let ([one], []) = (paragraphs.as_slice(), tags) {
            return format!("/** {one} */");
        }
        let mut out = String::from("/**\n");
        for (i, paragraph) in paragraphs.iter().enumerate() {
            let lead = if i == 0 {
                String::new()
            } else {
                format!("{margin} *\n")
            };
            let mark = if i == 0 { "" } else { "<p>" };
            out.push_str(&format!("{lead}{margin} * {mark}{paragraph}\n"));
        }
        if !paragraphs.is_empty() && !tags.is_empty() {
            out.push_str(&format!("{margin} *\n"));
        }
        for tag in tags {
            out.push_str(&format!("{margin} * {tag}\n"));
        }
        out + &margin + " */"
    }

    /// Everything on one line, for a tag.
    pub(crate) fn line(doc: &Doc) -> String {
        let paragraphs: Vec<String> = doc.0.iter().map(|pieces| paragraph(pieces)).collect();
        paragraphs.join(" ")
    }

    fn paragraph(pieces: &[Piece]) -> String {
        let line: String = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => {
                    let space = |there: bool| if there { " " } else { "" };
                    format!(
                        "{}{}{}",
                        space(text.starts_with(char::is_whitespace)),
                        escaped(&visible(text)),
                        space(text.ends_with(char::is_whitespace)),
                    )
                }
                Piece::Code(text) => format!("<code>{}</code>", code(text)),
            })
            .collect();
        line.trim().to_owned()
    }

    fn code(text: &str) -> String {
        let code = escaped(&visible_code(text));
        // `-Xdoclint` takes an element of spaces for an empty one.
        if code.trim().is_empty() {
            code.replace(' ', "&#32;")
        } else {
            code
        }
    }

    /// Text without anything that HTML, Javadoc or Java (`\u`, the comment's end) would take as
    /// its own.
    fn escaped(text: &str) -> String {
        let mut out = String::new();
        for c in text.chars() {
            match c {
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '&' => out.push_str("&amp;"),
                '@' | '{' | '}' | '*' | '/' | '\\' => {
                    out.push_str(&format!("&#{};", u32::from(c)));
                }
                _ => out.push(c),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::Strategy;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    use std::process::Command;

    /// Texts that lean towards what could leave a comment, or become markup in it.
    fn texts() -> Vec<String> {
        const PIECES: &[&str] = &[
            "*/",
            "/*",
            "/**",
            "//",
            "\"\"\"",
            "\"",
            "\\",
            "\\u002a/",
            "\\n",
            "`",
            "``",
            "```",
            "<b>",
            "</code>",
            "&amp;",
            "&#42;",
            "&",
            "{@code",
            "}",
            "@param",
            "[x](y)",
            "[`Self`]",
            "![",
            "](",
            "# ",
            "- ",
            "1. ",
            "1) ",
            "> ",
            "***",
            "___",
            "~~",
            "| a |",
            "$x$",
            "https://x.example",
            "www.x.example",
            "a@b.example",
            "\u{202e}",
            "\u{2066}",
            "\u{2028}",
            "\u{feff}",
            "\0",
            "\n",
            "\r\n",
            "\n\n    ",
            "\t",
            "größe",
            "😀",
            "x",
            "y",
            " ",
            "<!--",
            "-->",
            "%s",
            "{}",
            ":",
            "'",
            "=",
            "+ ",
            "^",
            "_x_",
            "[^1]",
            "[ ]",
        ];
        let piece = proptest::sample::select(PIECES);
        let text = proptest::collection::vec(piece, 1..10).prop_map(|pieces| pieces.concat());
        let mut runner = TestRunner::deterministic();
        let random = (0..300).map(|_| text.new_tree(&mut runner).unwrap().current());
        let single = PIECES.iter().map(|piece| (*piece).to_owned());
        let all = single.chain(random);
        all.filter(|text| !text.trim().is_empty()).collect()
    }

    /// A text as a paragraph of its own, and as code amid others.
    fn doc(text: &str) -> Doc {
        let around = |text: &str| Piece::Text(text.into());
        Doc::default().with([around(text)]).with([
            around("Field "),
            Piece::Code(text.into()),
            around(", "),
            around(text),
        ])
    }

    /// What a reader must see of it: both paragraphs, blanks aside.
    fn seen(text: &str) -> String {
        let (shown, code) = (visible(text), visible_code(text));
        blanks_aside(&format!("{shown}Field{code},{shown}"))
    }

    fn blanks_aside(text: &str) -> String {
        text.chars().filter(|c| !c.is_whitespace()).collect()
    }

    #[test]
    fn markdown_shows_what_was_written() {
        use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
        // As rustdoc reads it, but for quotes, which it makes typographic.
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS;
        for text in texts() {
            let markdown: String = rust::lines(&doc(&text))
                .iter()
                .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
                .collect();
            let mut shown = String::new();
            for event in Parser::new_ext(&markdown, options) {
                match event {
                    Event::Text(text) | Event::Code(text) => shown.push_str(&text),
                    Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => {}
                    other => panic!("{other:?} in {markdown:?}"),
                }
            }
            assert_eq!(blanks_aside(&shown), seen(&text), "{markdown}");
        }
    }

    #[test]
    fn python_shows_what_was_written() {
        let texts = texts();
        let docs: Vec<String> = texts
            .iter()
            .map(|text| python::docstring(&doc(text), 4))
            .collect();
        let classes: Vec<String> = docs
            .iter()
            .map(|doc| format!("class C:\n    {doc}\nall.append(inspect.getdoc(C))\n"))
            .collect();
        let script = format!(
            "import inspect, json\nall = []\n{}print(json.dumps(all))\n",
            classes.concat()
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("docs.py");
        std::fs::write(&file, script).unwrap();
        let output = Command::new("python3")
            .args(["-W", "error"])
            .arg(&file)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let read = helixor_playbook::canonical::parse_bytes(output.stdout.trim_ascii()).unwrap();
        let helixor_playbook::Data::List(read) = read.data else {
            panic!()
        };
        assert_eq!(read.len(), texts.len());
        for (read, text) in read.iter().zip(&texts) {
            // Code stands between backticks.
            let seen = seen(text).replacen("Field", "Field`", 1);
            let read = blanks_aside(read.as_str().unwrap()).replace('`', "");
            assert_eq!(read, seen.replace('`', ""));
        }
    }

    /// Runs where a JDK is at hand.
    #[test]
    fn javadoc_shows_what_was_written() {
        let texts = texts();
        let comment = |(i, text): (usize, &String)| {
            format!(
                "{}\nclass C{i} {{}}\n",
                java::comment(&doc(text), &["@see Object".into()], 0)
            )
        };
        let source: String = texts.iter().enumerate().map(comment).collect();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("Comments.java");
        std::fs::write(&file, source).unwrap();
        let reader = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/Docs.java");
        let Ok(output) = Command::new("java").arg(reader).arg(&file).output() else {
            return;
        };
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let read: Vec<String> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(blanks_aside)
            .collect();
        let expected: Vec<String> = texts.iter().map(|text| seen(text)).collect();
        assert_eq!(read, expected);
    }

    fn rust_line(text: &str) -> String {
        rust::lines(&Doc::default().with([Piece::Text(text.into())])).concat()
    }

    #[test]
    fn nothing_in_a_text_is_markdown() {
        for (text, line) in [
            ("SSN detected (GLBA/FCRA)", " SSN detected (GLBA/FCRA)"),
            ("has_ssn", " has_ssn"),
            ("<b>&amp;", " \\<b\\>\\&amp;"),
            ("[x](y) `z`", " \\[x\\](y) \\`z\\`"),
            ("# heading", " \\# heading"),
            ("12. item", " 12\\. item"),
            ("see https://x.example/", " see https\\://x.example/"),
            ("one\n\n    two\t", " one two "),
            ("bidi \u{202e}", " bidi \\\\u{202e}"),
        ] {
            assert_eq!(rust_line(text), line);
        }
        assert_eq!(rust_line(" \n"), "");
    }

    #[test]
    fn code_keeps_its_text_in_a_fence_that_holds() {
        assert_eq!(rust::code("has_ssn"), "`has_ssn`");
        assert_eq!(rust::code("a`b``c"), "```a`b``c```");
        assert_eq!(rust::code("`"), "`` ` ``");
        assert_eq!(rust::code(" "), "` `");
    }

    #[test]
    fn javadoc_stays_a_comment() {
        let one = Doc::default().with([Piece::Text("x */ {@code \\u000a} <b> a@b &lt;".into())]);
        assert_eq!(
            java::comment(&one, &[], 4),
            "/** x &#42;&#47; &#123;&#64;code &#92;u000a&#125; &lt;b&gt; a&#64;b &amp;lt; */"
        );
        let two = one.with([Piece::Text("Field ".into()), Piece::Code("y".into())]);
        assert!(java::comment(&two, &["@return z".into()], 4).ends_with(
            "\n     *\n     * <p>Field <code>y</code>\n     *\n     * @return z\n     */"
        ));
        assert!(java::line(&two).ends_with("&amp;lt; Field <code>y</code>"));
    }

    #[test]
    fn docstrings_stay_docstrings() {
        let one = Doc::default().with([Piece::Text("x \"\"\" \\".into())]);
        assert_eq!(python::docstring(&one, 4), r#""""x \"\"\" \\""""#);
        let two = one.with([Piece::Code("y".into())]);
        assert!(python::docstring(&two, 4).ends_with("\n\n    `y`\n    \"\"\""));
        assert_eq!(python::docstring(&Doc::default(), 4), "");
    }
}
