//! Canonical JSON: the one writer behind every digest, signature and proof, and the one JSON
//! reader.
//!
//! [`Style::Compact`] gives exactly the bytes of Python's
//! `json.dumps(value, sort_keys=True, separators=(",", ":"))`, [`Style::Spaced`] those of
//! `json.dumps(value, sort_keys=True)`.

use crate::hidden::shown;
use crate::node::{Data, Entry, Node, Span};
use crate::problem::Problem;
use std::collections::HashSet;
use std::fmt;

/// How much space stands between the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `","` and `":"`: packs, licences, receipts, interfaces.
    Compact,
    /// `", "` and `": "`: the decision proof.
    Spaced,
}

/// NaN or an infinity: it has no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFinite;

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NaN and infinities have no JSON form")
    }
}

impl std::error::Error for NotFinite {}

/// Writes a tree: keys sorted by code point, everything outside U+0020..U+007E escaped.
///
/// ```
/// use helixor_playbook::{canonical, canonical::Style, Node};
///
/// let node = Node::map([("b", 1e16.into()), ("a", Node::list(["ü"]))]);
/// assert_eq!(canonical::write(&node, Style::Compact).unwrap(), r#"{"a":["\u00fc"],"b":1e+16}"#);
/// ```
///
/// # Errors
/// [`NotFinite`] when the tree, built and not read, holds NaN or an infinity.
pub fn write(node: &Node, style: Style) -> Result<String, NotFinite> {
    let mut out = String::new();
    write_node(&mut out, node, style)?;
    Ok(out)
}

fn write_node(out: &mut String, node: &Node, style: Style) -> Result<(), NotFinite> {
    let (comma, colon) = match style {
        Style::Compact => (",", ":"),
        Style::Spaced => (", ", ": "),
    };
    match &node.data {
        Data::Null => out.push_str("null"),
        Data::Bool(true) => out.push_str("true"),
        Data::Bool(false) => out.push_str("false"),
        Data::Int(value) => out.push_str(&value.to_string()),
        Data::Float(value) => push_float(out, *value)?,
        Data::String(text) => push_string(out, text),
        Data::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { comma });
                write_node(out, item, style)?;
            }
            out.push(']');
        }
        Data::Map(entries) => {
            let mut sorted: Vec<&Entry> = entries.iter().collect();
            // The order of UTF-8 bytes is that of code points.
            sorted.sort_by(|a, b| a.key.cmp(&b.key));
            out.push('{');
            for (i, entry) in sorted.into_iter().enumerate() {
                out.push_str(if i == 0 { "" } else { comma });
                push_string(out, &entry.key);
                out.push_str(colon);
                write_node(out, &entry.value, style)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

/// Appends a JSON string, quotes included.
pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    let plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
    // Nearly every text is plain to its end.
    let end = text.bytes().position(|byte| !plain(byte));
    let (start, rest) = text.split_at(end.unwrap_or(text.len()));
    out.push_str(start);
    for c in rest.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push('"');
}

/// Appends a float as Python's `repr` writes it.
///
/// # Errors
/// [`NotFinite`] for NaN and infinities.
pub fn push_float(out: &mut String, value: f64) -> Result<(), NotFinite> {
    if !value.is_finite() {
        return Err(NotFinite);
    }
    // Writing to a String cannot fail.
    let _ = write_float(out, value);
    Ok(())
}

/// Python's `repr` of a float: the shortest digits that read back the same, in plain form for
/// decimal exponents -4..16. Values without a JSON form are written as Rust writes them.
pub(crate) fn write_float(out: &mut impl fmt::Write, value: f64) -> fmt::Result {
    if !value.is_finite() {
        return write!(out, "{value}");
    }
    let mut buffer = zmij::Buffer::new();
    let shortest = buffer.format_finite(value.abs());
    let (mantissa, exponent) = match shortest.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse().unwrap_or(0)),
        None => (shortest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let leading_zeros = all.len() - all.trim_start_matches('0').len();
    let digits = all.trim_matches('0');
    // The value is 0.DIGITS * 10^point.
    let point = whole.len() as i32 - leading_zeros as i32 + exponent;
    if value.is_sign_negative() {
        out.write_char('-')?;
    }
    if digits.is_empty() {
        return out.write_str("0.0");
    }
    let count = digits.len() as i32;
    match point {
        -3..=0 => write!(
            out,
            "0.{}{digits}",
            "0".repeat(point.unsigned_abs() as usize)
        ),
        1..=16 if point >= count => {
            write!(out, "{digits}{}.0", "0".repeat((point - count) as usize))
        }
        1..=16 => {
            let (before, after) = digits.split_at(point as usize);
            write!(out, "{before}.{after}")
        }
        _ => {
            let (first, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            let sign = if point > 0 { '+' } else { '-' };
            write!(
                out,
                "{first}{dot}{rest}e{sign}{:02}",
                (point - 1).unsigned_abs()
            )
        }
    }
}

/// Deepest nesting of lists and maps that is read.
pub const MAX_DEPTH: usize = 64;

/// Reads one JSON document.
///
/// Stricter than most: duplicate keys, integers outside i64 and u64, numbers that overflow to
/// infinity, lone surrogate escapes and more than [`MAX_DEPTH`] levels are errors. `-0` is the
/// integer 0; floats are read correctly rounded.
///
/// # Errors
/// The first fault, with its place.
pub fn parse(text: &str) -> Result<Node, Problem> {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        depth: 0,
    };
    reader.skip_space();
    let node = reader.value()?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.problem("unexpected text after the document")),
    }
}

/// Reads one JSON document from bytes, which must be UTF-8.
///
/// # Errors
/// As [`parse`], and for bytes that are not UTF-8.
pub fn parse_bytes(bytes: &[u8]) -> Result<Node, Problem> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(e) => {
            let at = e.valid_up_to();
            Err(Problem::new(
                Span::new(at, at),
                format!("not UTF-8 at byte {at}"),
            ))
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn problem(&self, message: impl Into<String>) -> Problem {
        let end = self.at + usize::from(self.at < self.bytes.len());
        Problem::new(Span::new(self.at, end), message)
    }

    fn expected(&self, what: &str) -> Problem {
        let found = self
            .text
            .get(self.at..)
            .and_then(|rest| rest.chars().next());
        self.problem(match found {
            None => format!("the document ends where {what} was expected"),
            Some(c) => format!("expected {what}, found {c:?}"),
        })
    }

    fn value(&mut self) -> Result<Node, Problem> {
        let start = self.at;
        let data = match self.peek() {
            Some(b'{') => self.nested(Self::map)?,
            Some(b'[') => self.nested(Self::list)?,
            Some(b'"') => Data::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => {
                let word = [
                    ("null", Data::Null),
                    ("true", Data::Bool(true)),
                    ("false", Data::Bool(false)),
                ]
                .into_iter()
                .find(|(word, _)| {
                    self.bytes
                        .get(start..)
                        .is_some_and(|b| b.starts_with(word.as_bytes()))
                });
                let (word, data) = word.ok_or_else(|| self.expected("a value"))?;
                self.at += word.len();
                data
            }
        };
        Ok(Node::new(data, Span::new(start, self.at)))
    }

    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Data, Problem>,
    ) -> Result<Data, Problem> {
        if self.depth == MAX_DEPTH {
            return Err(self.problem(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        self.at += 1;
        self.skip_space();
        let data = read(self)?;
        self.depth -= 1;
        Ok(data)
    }

    fn list(&mut self) -> Result<Data, Problem> {
        let mut items = Vec::new();
        if self.eat(b']') {
            return Ok(Data::List(items));
        }
        loop {
            self.skip_space();
            items.push(self.value()?);
            self.skip_space();
            if self.eat(b']') {
                return Ok(Data::List(items));
            }
            if !self.eat(b',') {
                return Err(self.expected("`,` or `]`"));
            }
        }
    }

    fn map(&mut self) -> Result<Data, Problem> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen = HashSet::new();
        if self.eat(b'}') {
            return Ok(Data::Map(entries));
        }
        loop {
            self.skip_space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.expected("a key in double quotes"));
            }
            let key = self.string()?;
            let key_span = Span::new(start, self.at);
            // Each after the last, as canonical ones are: then none is there twice.
            let ordered = |last: &Entry| last.key < key;
            if !seen.is_empty() || !entries.last().is_none_or(ordered) {
                if seen.is_empty() {
                    seen.extend(entries.iter().map(|entry| entry.key.clone()));
                }
                if !seen.insert(key.clone()) {
                    let message = format!("duplicate key {}", shown(&key));
                    return Err(Problem::new(key_span, message));
                }
            }
            self.skip_space();
            if !self.eat(b':') {
                return Err(self.expected("`:`"));
            }
            self.skip_space();
            let value = self.value()?;
            entries.push(Entry {
                key,
                key_span,
                value,
            });
            self.skip_space();
            if self.eat(b'}') {
                return Ok(Data::Map(entries));
            }
            if !self.eat(b',') {
                return Err(self.expected("`,` or `}`"));
            }
        }
    }

    /// Goes on to the first character that is not simply part of a string, and gives what stands before it.
    fn plain(&mut self) -> &'t str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let special = |byte| matches!(byte, b'"' | b'\\' | 0..=0x1f);
        let end = rest.bytes().position(special).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn string(&mut self) -> Result<String, Problem> {
        self.at += 1;
        let mut out = self.plain().to_owned();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    out.push(self.escape()?);
                    out.push_str(self.plain());
                }
                Some(_) => {
                    return Err(self.problem("a control character in a string must be escaped"));
                }
                None => return Err(self.expected("the end of a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Problem> {
        let start = self.at;
        self.at += 1;
        let c = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape(start);
            }
            _ => return Err(self.expected("an escape letter")),
        };
        self.at += 1;
        Ok(c)
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, Problem> {
        let first = self.four_hex_digits()?;
        let code = match first {
            0xd800..=0xdbff if self.eat(b'\\') && self.eat(b'u') => {
                match self.four_hex_digits()? {
                    second @ 0xdc00..=0xdfff => 0x10000 + ((first & 0x3ff) << 10 | second & 0x3ff),
                    _ => first,
                }
            }
            _ => first,
        };
        // What is still a surrogate here stands alone.
        char::from_u32(code).ok_or_else(|| {
            Problem::new(
                Span::new(start, self.at),
                format!("lone surrogate escape \\u{first:04x}"),
            )
        })
    }

    fn four_hex_digits(&mut self) -> Result<u32, Problem> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|b| char::from(b).to_digit(16));
            code = code << 4 | digit.ok_or_else(|| self.expected("a hex digit"))?;
            self.at += 1;
        }
        Ok(code)
    }

    fn digits(&mut self) -> Result<(), Problem> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.expected("a digit"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Data, Problem> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        } else if matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.problem("a number must not begin with 0"));
        }
        let mut integer = true;
        if self.eat(b'.') {
            integer = false;
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            integer = false;
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        let fault = |message: &str| Problem::new(Span::new(start, self.at), message);
        if integer {
            let value: Option<i128> = text.parse().ok();
            value
                .filter(|v| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(v))
                .map(Data::Int)
                .ok_or_else(|| fault("integer outside the 64-bit range"))
        } else {
            match text.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Data::Float(value)),
                _ => Err(fault("number too large for a 64-bit float")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repr(value: f64) -> String {
        let mut out = String::new();
        write_float(&mut out, value).unwrap();
        out
    }

    fn compact(text: &str) -> String {
        write(&parse(text).unwrap(), Style::Compact).unwrap()
    }

    #[test]
    fn floats_are_written_as_python_writes_them() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.85, "0.85"),
            (100.0, "100.0"),
            (123456.789, "123456.789"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (0.000012, "1.2e-05"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e16, "1.5e+16"),
            (9999999999999998.0, "9999999999999998.0"),
            (2.980_232_238_769_531_2e-8, "2.9802322387695312e-08"),
            (1043953963362149.2, "1043953963362149.2"),
            (1e100, "1e+100"),
            (-2.5e-300, "-2.5e-300"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
        ] {
            assert_eq!(repr(value), expected);
        }
        assert_eq!(write(&f64::NAN.into(), Style::Compact), Err(NotFinite));
        assert_eq!(write(&f64::INFINITY.into(), Style::Compact), Err(NotFinite));
    }

    #[test]
    fn documents_are_written_with_sorted_keys_and_ascii_escapes() {
        assert_eq!(
            compact(
                " { \"é\" : [ 1 , -0 , 2.50 ] , \"\\ud83d\\ude00\" : null, \"a\": \"\\u007f\\/\" } "
            ),
            "{\"a\":\"\\u007f/\",\"\\u00e9\":[1,0,2.5],\"\\ud83d\\ude00\":null}"
        );
        assert_eq!(
            write(
                &parse("{\"b\":[true,false],\"a\":{}}").unwrap(),
                Style::Spaced
            )
            .unwrap(),
            "{\"a\": {}, \"b\": [true, false]}"
        );
        assert_eq!(compact("18446744073709551615"), "18446744073709551615");
        assert_eq!(compact("-9223372036854775808"), "-9223372036854775808");
    }

    #[test]
    fn what_other_readers_let_pass_is_refused_with_its_place() {
        for (text, at, message) in [
            ("{\"a\":1,\"a\":2}", 7, "duplicate key `a`"),
            (r#"{"a":1,"b":2,"a":3}"#, 13, "duplicate key `a`"),
            (r#"{"b":1,"a":2,"c":3,"b":4}"#, 19, "duplicate key `b`"),
            (r#"{"b":1,"a":2,"c":3,"c":4}"#, 19, "duplicate key `c`"),
            (
                "18446744073709551616",
                0,
                "integer outside the 64-bit range",
            ),
            (
                "-9223372036854775809",
                0,
                "integer outside the 64-bit range",
            ),
            ("1e999", 0, "number too large for a 64-bit float"),
            ("\"\\ud800\"", 1, "lone surrogate escape \\ud800"),
            ("\"\\ud800\\u0041\"", 1, "lone surrogate escape \\ud800"),
            ("\"\\udc00\"", 1, "lone surrogate escape \\udc00"),
            ("01", 1, "a number must not begin with 0"),
            ("1.", 2, "the document ends where a digit was expected"),
            ("[1,]", 3, "expected a value, found ']'"),
            ("{a:1}", 1, "expected a key in double quotes, found 'a'"),
            ("nul", 0, "expected a value, found 'n'"),
            (
                "\"\n\"",
                1,
                "a control character in a string must be escaped",
            ),
            ("1 2", 2, "unexpected text after the document"),
            ("", 0, "the document ends where a value was expected"),
            ("\u{feff}1", 0, "expected a value, found '\\u{feff}'"),
        ] {
            let problem = parse(text).unwrap_err();
            assert_eq!(
                (problem.span.start, problem.message.as_str()),
                (at, message),
                "{text}"
            );
        }
        assert!(
            parse(&"[".repeat(65))
                .unwrap_err()
                .message
                .contains("64 levels")
        );
        assert!(parse(&format!("{}{}", "[".repeat(64), "]".repeat(64))).is_ok());
        assert!(
            parse_bytes(b"\"\xff\"")
                .unwrap_err()
                .message
                .contains("byte 1")
        );
    }

    #[test]
    fn spans_name_the_source() {
        let text = "{\"a\": [10, \"x\"]}";
        let node = parse(text).unwrap();
        let list = node.get("a").unwrap();
        assert_eq!(&text[list.span.start..list.span.end], "[10, \"x\"]");
        let Data::List(items) = &list.data else {
            panic!()
        };
        assert_eq!(&text[items[1].span.start..items[1].span.end], "\"x\"");
    }
}
