//! YAML 1.2 (core schema) into the spanned tree, restricted to what every YAML tool reads alike.
//!
//! Refused are tags, anchors, aliases, merge keys, directives, further documents, keys that are
//! not strings, duplicate keys, raw line separators of YAML 1.1, a block scalar that ends the
//! file without a newline, and every plain scalar that YAML 1.1 and 1.2 read differently.

use crate::check::{MAX_DEPTH, MAX_NODES};
use crate::hidden::shown;
use crate::node::{Data, Entry, Node, Span};
use crate::problem::Problem;
use granit_parser::{Event, Parser, ScalarStyle};
use regex_lite::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Reads one YAML document.
///
/// # Errors
/// Every fault found, each with its place; a syntax error ends the search.
pub fn parse(text: &str) -> Result<Node, Vec<Problem>> {
    let mut loader = Loader {
        text,
        problems: Vec::new(),
        open: Vec::new(),
        root: None,
        nodes: 0,
    };
    for (at, c) in text.char_indices() {
        if matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}') {
            loader.problems.push(
                Problem::new(
                    Span::new(at, at + c.len_utf8()),
                    format!(
                        "U+{:04X} is a line break to some YAML tools and a character to others",
                        c as u32
                    ),
                )
                .with_help(format!(
                    "write it as \\u{:04x} in a double-quoted scalar",
                    c as u32
                )),
            );
        }
    }
    let options = granit_parser::options! { disallow_directives: true, strict_indentation: true };
    for event in Parser::new_from_str_with_options(text, options) {
        let stop = match event {
            Ok((event, span)) => {
                let range = span.byte_range().unwrap_or_default();
                loader
                    .take(event, Span::new(range.start, range.end))
                    .is_break()
            }
            Err(e) => {
                let at = e.marker().byte_offset().unwrap_or_default().min(text.len());
                loader.problems.push(Problem::new(
                    Span::new(at, at),
                    format!("YAML: {}", e.info()),
                ));
                true
            }
        };
        if stop {
            break;
        }
    }
    match loader.root {
        _ if !loader.problems.is_empty() => Err(loader.problems),
        Some(root) => Ok(root),
        None => Err(vec![Problem::new(Span::default(), "the document is empty")]),
    }
}

/// A list or map that is still being read.
enum Open {
    List {
        start: usize,
        items: Vec<Node>,
    },
    Map {
        start: usize,
        entries: Vec<Entry>,
        keys: HashSet<String>,
        key: Option<(String, Span)>,
    },
}

struct Loader<'t> {
    text: &'t str,
    problems: Vec<Problem>,
    open: Vec<Open>,
    root: Option<Node>,
    nodes: usize,
}

type Flow = std::ops::ControlFlow<()>;

impl Loader<'_> {
    fn refuse(&mut self, span: Span, message: &str) {
        self.problems.push(Problem::new(span, message));
    }

    fn take(&mut self, event: Event<'_>, span: Span) -> Flow {
        if event.is_node() {
            self.nodes += 1;
            if self.nodes > MAX_NODES {
                self.refuse(span, &format!("more than {MAX_NODES} nodes"));
                return Flow::Break(());
            }
            if event.anchor_id().is_some() {
                self.refuse(span, "anchors are not allowed: write the value out");
            }
            if event.tag().is_some() {
                self.refuse(span, "tags are not allowed");
            }
        }
        match event {
            Event::DocumentStart(..) if self.root.is_some() => {
                self.refuse(span, "one document is expected, here a second one begins");
                return Flow::Break(());
            }
            Event::Scalar(value, style, ..) => {
                let node = self.scalar(&value, style, span);
                self.add(node);
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.refuse(span, "aliases are not allowed: write the value out");
                self.add(Node::new(Data::Null, span));
            }
            Event::SequenceStart(..) => {
                return self.push(
                    Open::List {
                        start: span.start,
                        items: Vec::new(),
                    },
                    span,
                );
            }
            Event::MappingStart(..) => {
                let (entries, keys) = (Vec::new(), HashSet::new());
                return self.push(
                    Open::Map {
                        start: span.start,
                        entries,
                        keys,
                        key: None,
                    },
                    span,
                );
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let node = match self.open.pop() {
                    Some(Open::List { start, items }) => {
                        Node::new(Data::List(items), Span::new(start, span.end))
                    }
                    Some(Open::Map { start, entries, .. }) => {
                        Node::new(Data::Map(entries), Span::new(start, span.end))
                    }
                    None => return Flow::Break(()),
                };
                self.add(node);
            }
            _ => {}
        }
        Flow::Continue(())
    }

    fn push(&mut self, open: Open, span: Span) -> Flow {
        if self.open.len() == MAX_DEPTH {
            self.refuse(span, &format!("nested deeper than {MAX_DEPTH} levels"));
            return Flow::Break(());
        }
        self.open.push(open);
        Flow::Continue(())
    }

    /// Puts a finished node where it belongs: into the open list or map, or at the root.
    fn add(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map {
                entries, keys, key, ..
            }) => match key.take() {
                Some((key, key_span)) => entries.push(Entry {
                    key,
                    key_span,
                    value: node,
                }),
                None => {
                    let text = match node.data {
                        Data::String(text) => text,
                        _ => {
                            self.problems.push(
                                Problem::new(
                                    node.span,
                                    format!("a key must be a string, not a {}", node.type_name()),
                                )
                                .with_help("quote it"),
                            );
                            String::new()
                        }
                    };
                    if !text.is_empty() && !keys.insert(text.clone()) {
                        self.problems.push(Problem::new(
                            node.span,
                            format!("duplicate key {}", shown(&text)),
                        ));
                    }
                    *key = Some((text, node.span));
                }
            },
        }
    }

    fn scalar(&mut self, value: &str, style: ScalarStyle, span: Span) -> Node {
        match style {
            ScalarStyle::Plain => {}
            ScalarStyle::Literal | ScalarStyle::Folded
                if span.end >= self.text.len() && !self.text.ends_with('\n') =>
            {
                self.refuse(
                    span,
                    "a block scalar that ends the file must end with a newline",
                );
                return Node::new(Data::String(value.into()), span);
            }
            _ => return Node::new(Data::String(value.into()), span),
        }
        let (now, before) = (core_schema(value), yaml_1_1(value));
        let help = match &now {
            Plain::Int(Some(i)) => format!("write it as {i}, or quote it"),
            Plain::Float(f) if f.is_finite() => {
                let mut text = String::new();
                // Writing to a String cannot fail.
                let _ = crate::canonical::write_float(&mut text, *f);
                format!("write it as {text}, or quote it")
            }
            _ => "quote it".to_owned(),
        };
        let data = match now {
            _ if value == "<<" => Err("merge keys are not allowed: write the keys out".to_owned()),
            _ if now != before => Err(format!("YAML 1.1 and 1.2 read `{value}` differently")),
            Plain::Null => Ok(Data::Null),
            Plain::Bool(b) => Ok(Data::Bool(b)),
            Plain::Int(Some(i)) => Ok(Data::Int(i)),
            Plain::Int(None) => Err("integer outside the 64-bit range".to_owned()),
            Plain::Float(f) if f.is_finite() => Ok(Data::Float(f)),
            Plain::Float(_) => Err("a number must be finite".to_owned()),
            Plain::Text | Plain::Other => Ok(Data::String(value.into())),
        };
        let data = data.unwrap_or_else(|message| {
            self.problems
                .push(Problem::new(span, message).with_help(help));
            Data::String(value.into())
        });
        Node::new(data, span)
    }
}

/// What a plain scalar stands for.
#[derive(Debug)]
enum Plain {
    Null,
    Bool(bool),
    /// `None`: outside i64 and u64.
    Int(Option<i128>),
    Float(f64),
    Text,
    /// Something the other version does not have: a date, base 60, underscores.
    Other,
}

impl PartialEq for Plain {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Plain::Null, Plain::Null) | (Plain::Text, Plain::Text) => true,
            (Plain::Bool(a), Plain::Bool(b)) => a == b,
            (Plain::Int(a), Plain::Int(b)) => a == b,
            // By bits: all spellings of NaN are one value here.
            (Plain::Float(a), Plain::Float(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }
}

/// Null, booleans (but those of 1.1 only), infinities and NaN: the same in both versions.
fn word(text: &str) -> Option<Plain> {
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Plain::Null,
        "true" | "True" | "TRUE" => Plain::Bool(true),
        "false" | "False" | "FALSE" => Plain::Bool(false),
        ".nan" | ".NaN" | ".NAN" => Plain::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Plain::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Plain::Float(f64::NEG_INFINITY),
        _ => return None,
    })
}

fn integer(text: &str, radix: u32) -> Plain {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = match radix {
        16 => digits.get(2..).unwrap_or_default(),
        _ => digits.strip_prefix("0o").unwrap_or(digits),
    };
    let value = i128::from_str_radix(digits, radix)
        .ok()
        .map(|v| if negative { -v } else { v });
    Plain::Int(value.filter(|v| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(v)))
}

fn float(text: &str) -> Plain {
    text.parse().map_or(Plain::Other, Plain::Float)
}

macro_rules! pattern {
    ($name:ident, $pattern:literal) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("pattern"));
    };
}

pattern!(DECIMAL, "^[-+]?[0-9]+$");
pattern!(OCTAL, "^0o[0-7]+$");
pattern!(HEX, "^0x[0-9a-fA-F]+$");
pattern!(
    FLOAT,
    r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"
);

/// The YAML 1.2 core schema (YAML 1.2.2, section 10.3.2).
fn core_schema(text: &str) -> Plain {
    match word(text) {
        Some(plain) => plain,
        None if DECIMAL.is_match(text) => integer(text, 10),
        None if OCTAL.is_match(text) => integer(text, 8),
        None if HEX.is_match(text) => integer(text, 16),
        None if FLOAT.is_match(text) => float(text),
        None => Plain::Text,
    }
}

pattern!(DECIMAL_1_1, "^[-+]?(0|[1-9][0-9]*)$");
pattern!(OCTAL_1_1, "^[-+]?0[0-7]+$");
pattern!(HEX_1_1, "^[-+]?0x[0-9a-fA-F]+$");
pattern!(
    FLOAT_1_1,
    r"^([-+]?[0-9]+\.[0-9]*|\.[0-9]+)([eE][-+][0-9]+)?$"
);
// What 1.2 has no number for: base 2, base 60, underscores; dates; the merge and value keys.
pattern!(
    OTHER_1_1,
    r"(?x)^(
        [-+]?0b[01_]+ | [-+]?0[0-7_]+ | [-+]?[1-9][0-9_]* | [-+]?0x[0-9a-fA-F_]+
        | [-+]?[1-9][0-9_]*(:[0-5]?[0-9])+ | [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*
        | ([-+]?[0-9][0-9_]*\.[0-9_]* | \.[0-9][0-9_]*)([eE][-+][0-9]+)?
        | [0-9]{4}-[0-9]{2}-[0-9]{2}
        | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2} ([Tt]|[\ \t]+) [0-9]{1,2}:[0-9]{2}:[0-9]{2} (\.[0-9]*)?
            ([\ \t]*(Z|[-+][0-9]{1,2}(:[0-9]{2})?))?
        | = | <<
    )$"
);

/// YAML 1.1 (<https://yaml.org/type/>) as its most used reader, PyYAML, resolves it.
fn yaml_1_1(text: &str) -> Plain {
    match text {
        "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Plain::Bool(true),
        "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Plain::Bool(false),
        _ => {}
    }
    match word(text) {
        Some(plain) => plain,
        None if DECIMAL_1_1.is_match(text) => integer(text, 10),
        None if OCTAL_1_1.is_match(text) => integer(text, 8),
        None if HEX_1_1.is_match(text) => integer(text, 16),
        None if FLOAT_1_1.is_match(text) => float(text),
        None if OTHER_1_1.is_match(text) => Plain::Other,
        None => Plain::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::{Style, write};

    fn json(text: &str) -> String {
        write(&parse(text).unwrap(), Style::Compact).unwrap()
    }

    fn messages(text: &str) -> Vec<String> {
        parse(text)
            .unwrap_err()
            .into_iter()
            .map(|p| p.message)
            .collect()
    }

    #[test]
    fn scalars_read_alike_by_both_versions_are_taken() {
        for (text, expected) in [
            ("true", "true"),
            ("False", "false"),
            ("null", "null"),
            ("~", "null"),
            ("0", "0"),
            ("-17", "-17"),
            ("+5", "5"),
            ("-0", "0"),
            ("0x1F", "31"),
            ("1.5", "1.5"),
            ("1.", "1.0"),
            (".5", "0.5"),
            ("-2.5e+3", "-2500.0"),
            ("0.85", "0.85"),
            ("18446744073709551615", "18446744073709551615"),
            ("00", "0"),
            ("07", "7"),
            ("plain text", "\"plain text\""),
            ("1.0.0", "\"1.0.0\""),
            ("v1", "\"v1\""),
            ("yes sir", "\"yes sir\""),
            ("yEs", "\"yEs\""),
            ("2024-1", "\"2024-1\""),
            ("0b2", "\"0b2\""),
            ("1:2:3:x", "\"1:2:3:x\""),
            ("0x", "\"0x\""),
            ("e1", "\"e1\""),
            ("'010'", "\"010\""),
            ("\"yes\"", "\"yes\""),
            ("|\n  a\n  b\n", "\"a\\nb\\n\""),
        ] {
            assert_eq!(
                json(&format!("k: {text}\n")),
                format!("{{\"k\":{expected}}}"),
                "{text}"
            );
        }
    }

    #[test]
    fn scalars_the_versions_read_differently_are_refused() {
        for text in [
            "yes",
            "Yes",
            "YES",
            "no",
            "on",
            "Off",
            "010",
            "-010",
            "08",
            "09.5e1",
            "0o10",
            "1e3",
            "1E-3",
            "1.5e3",
            "1_000",
            "1_000.5",
            "0b101",
            "0x_1",
            "+0x1",
            "12:30",
            "1:2.5",
            "-190:20:30",
            "-.5",
            "+.5",
            "._1e1_",
            "2001-12-14",
            "2001-12-14t21:59:43.10-05:00",
            "2001-12-14 21:59:43.10 -5",
            "2001-1-1 1:02:03Z",
            "=",
            "0_",
            "1._",
        ] {
            let verdict = parse(&format!("k: {text}\n"));
            match text {
                // Text in both versions: not every odd spelling is a difference.
                "._1e1_" => assert!(verdict.is_ok()),
                _ => {
                    let problems = verdict.expect_err(text);
                    assert_eq!(
                        problems[0].message,
                        format!("YAML 1.1 and 1.2 read `{text}` differently")
                    );
                    assert!(problems[0].help.contains("quote it"), "{text}");
                }
            }
        }
        assert!(messages("yes: 1\n")[0].contains("differently"));
    }

    #[test]
    fn what_hides_or_repeats_structure_is_refused() {
        assert!(messages("a: &x 1\nb: *x\n")[0].contains("anchors"));
        assert!(messages("a: !!str 1\n")[0].contains("tags"));
        assert!(messages("<<: {a: 1}\n")[0].contains("merge keys"));
        assert_eq!(messages("a: 1\nb: 2\na: 3\n"), ["duplicate key `a`"]);
        assert!(messages("1: x\n")[0].contains("a key must be a string"));
        assert!(messages("--- {a: 1}\n--- {b: 1}\n")[0].contains("second"));
        assert!(!messages("%YAML 1.2\n---\na: 1\n").is_empty());
        assert!(messages("a: |\n  text")[0].contains("newline"));
        assert!(messages("a: \"x\u{2028}y\"\n")[0].contains("U+2028"));
        assert!(messages("a: x\u{85}y\n")[0].contains("U+0085"));
        assert!(messages("a: .inf\n")[0].contains("finite"));
        assert!(messages("a: 18446744073709551616\n")[0].contains("64-bit"));
        assert_eq!(messages(""), ["the document is empty"]);
        assert!(!messages("a: [1,\n").is_empty());
        let deep = format!("{}1{}", "[".repeat(65), "]".repeat(65));
        assert!(messages(&deep)[0].contains("64 levels"));
        assert!(messages(&"- 1\n".repeat(MAX_NODES + 1))[0].contains("nodes"));
    }

    #[test]
    fn all_faults_are_found_at_once_with_exact_places() {
        let text = "a: yes\nb: 010\nü: [1e3]\n";
        let found: Vec<&str> = parse(text)
            .unwrap_err()
            .iter()
            .map(|p| &text[p.span.start..p.span.end])
            .collect();
        assert_eq!(found, ["yes", "010", "1e3"]);
    }
}
