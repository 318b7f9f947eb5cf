//! The one writer of literals per language; what it writes is ASCII on one line.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Rust.
pub(crate) mod rust {
    use super::*;

    /// A string literal; raw when that spares escapes.
    pub(crate) fn string(text: &str) -> Literal {
        let plain = text.chars().all(|c| matches!(c, ' '..='~'));
        if plain && text.contains(['"', '\\']) {
            let hashes = "#".repeat(longest_run_of_hashes(text) + 1);
            if let Ok(literal) = format!("r{hashes}\"{text}\"{hashes}").parse() {
                return literal;
            }
        }
        let escaped: String = text
            .chars()
            .map(|c| match c {
                '"' | '\\' => format!("\\{c}"),
                ' '..='~' => c.to_string(),
                _ if c.is_alphanumeric() => c.to_string(),
                _ => format!("\\u{{{:x}}}", u32::from(c)),
            })
            .collect();
        format!("\"{escaped}\"")
            .parse()
            .unwrap_or_else(|_| Literal::string(text))
    }

    /// After a quote, that many hashes could end a raw string.
    fn longest_run_of_hashes(text: &str) -> usize {
        let after_quotes = text.split('"').skip(1);
        after_quotes
            .map(|part| part.len() - part.trim_start_matches('#').len())
            .max()
            .unwrap_or(0)
    }

    /// A finite float.
    pub(crate) fn float(value: f64) -> TokenStream {
        let digits = Literal::f64_unsuffixed(value.abs());
        if value.is_sign_negative() {
            quote!(-#digits)
        } else {
            quote!(#digits)
        }
    }
}

/// Python.
pub(crate) mod python {
    /// A string literal, in the quotes that need fewer escapes, double ones when equal.
    pub(crate) fn string(text: &str) -> String {
        let quote = if text.matches('"').count() > text.matches('\'').count() {
            '\''
        } else {
            '"'
        };
        let mut out = String::from(quote);
        for c in text.chars() {
            escaped(&mut out, c, &[quote]);
        }
        out.push(quote);
        out
    }

    /// One character of a string between such quotes.
    pub(crate) fn escaped(out: &mut String, c: char, quotes: &[char]) {
        match c {
            '\\' => out.push_str("\\\\"),
            _ if quotes.contains(&c) => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if c.is_alphanumeric() => out.push(c),
            _ => {
                let code = u32::from(c);
                out.push_str(&match code {
                    0..=0xff => format!("\\x{code:02x}"),
                    0x100..=0xffff => format!("\\u{code:04x}"),
                    _ => format!("\\U{code:08x}"),
                });
            }
        }
    }

    /// A finite float.
    pub(crate) fn float(value: f64) -> String {
        let mut out = String::new();
        // Only infinities and NaN have no form, and no manifest can hold them.
        let _ = helixor_playbook::canonical::push_float(&mut out, value);
        out.replace("e+", "e")
    }
}

/// Java.
pub(crate) mod java {
    /// Of a constant in a class file, which holds 65,535 bytes, at most three a unit.
    const MAX_UNITS: usize = 20_000;

    /// An expression of a text: a string literal, or several joined when the program runs, since
    /// one constant cannot hold more than 64 KiB.
    pub(crate) fn string(text: &str) -> String {
        let mut parts = vec![String::new()];
        let mut units = 0;
        for c in text.chars() {
            units += c.len_utf16();
            if units > MAX_UNITS {
                units = c.len_utf16();
                parts.push(String::new());
            }
            if let Some(part) = parts.last_mut() {
                escaped(part, c);
            }
        }
        let parts: Vec<String> = parts.iter().map(|part| format!("\"{part}\"")).collect();
        match parts.as_slice() {
            [one] => one.clone(),
            several => format!("String.join(\"\", {})", several.join(", ")),
        }
    }

    /// `\u` is read before anything else is, so that it stands for letters only.
    fn escaped(out: &mut String, c: char) {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{ff}' => out.push_str(&format!("\\{:03o}", u32::from(c))),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }

    /// A finite double.
    pub(crate) fn float(value: f64) -> String {
        let mut out = String::new();
        // Only infinities and NaN have no form, and no manifest can hold them.
        let _ = helixor_playbook::canonical::push_float(&mut out, value);
        out.replace("e+", "e")
    }
}

/// XML.
pub(crate) mod xml {
    /// The text of an element.
    pub(crate) fn text(text: &str) -> String {
        let mut out = String::new();
        for c in text.chars() {
            match c {
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '&' => out.push_str("&amp;"),
                // Nothing else can be said in XML.
                _ if helixor_playbook::is_hidden(c) => out.push('?'),
                _ => out.push(c),
            }
        }
        out
    }
}

/// TOML.
pub(crate) mod toml {
    /// A basic string.
    pub(crate) fn string(text: &str) -> String {
        let mut out = String::from('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => {
                    out.push('\\');
                    out.push(c);
                }
                ' '..='~' => out.push(c),
                _ if c.is_alphanumeric() => out.push(c),
                _ => out.push_str(&format!("\\U{:08X}", u32::from(c))),
            }
        }
        out.push('"');
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const TEXTS: &[&str] = &[
        "",
        "plain",
        "a \"quoted\" 'word'",
        "\"#\"##",
        "\\ \\u000a \\N{BULLET}",
        "*/ \"\"\" '''",
        "line\nbreak\r\n\t\0\u{7}\u{1b}",
        "bidi \u{202e}\u{2066}",
        "größe 是否 😀",
        "{braces} {{}} %s",
        "ends with \\",
    ];

    #[test]
    fn rust_reads_back_what_was_written() {
        for text in TEXTS {
            let literal = rust::string(text).to_string();
            assert_eq!(
                syn::parse_str::<syn::LitStr>(&literal).unwrap().value(),
                *text
            );
            assert!(
                !literal.contains(helixor_playbook::is_hidden),
                "{literal:?}"
            );
        }
        assert_eq!(rust::float(-0.5).to_string(), "- 0.5");
        assert_eq!(rust::float(1.0).to_string(), "1.0");
    }

    #[test]
    fn python_reads_back_what_was_written() {
        let literals: Vec<String> = TEXTS.iter().map(|text| python::string(text)).collect();
        assert!(!literals.concat().contains(helixor_playbook::is_hidden));
        let script = format!("import json; print(json.dumps([{}]))", literals.join(", "));
        let output = Command::new("python3")
            .args(["-c", &script])
            .output()
            .unwrap();
        let read = helixor_playbook::canonical::parse_bytes(output.stdout.trim_ascii()).unwrap();
        assert_eq!(read, helixor_playbook::Node::list(TEXTS.iter().copied()));
        assert_eq!(python::float(1e300), "1e300");
        assert_eq!(python::float(1.0), "1.0");
    }

    /// Runs where a JDK is at hand.
    #[test]
    fn java_reads_back_what_was_written() {
        let long = "ä\"".repeat(30_000);
        let texts = [TEXTS, &["\u{1}2 \u{ff} \u{100} \\uuu0041 \\\\u0041", &long]].concat();
        let literals: Vec<String> = texts.iter().map(|text| java::string(text)).collect();
        assert!(literals.concat().chars().all(|c| matches!(c, ' '..='~')));
        let program = format!(
            "class Back {{ public static void main(String[] a) {{ for (String text : new String[] {{{}}})
                System.out.println(java.util.HexFormat.of().formatHex(
                    text.getBytes(java.nio.charset.StandardCharsets.UTF_8))); }} }}",
            literals.join(", ")
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("Back.java");
        std::fs::write(&file, program).unwrap();
        let Ok(output) = Command::new("java").arg(&file).output() else {
            return;
        };
        assert!(output.status.success(), "{output:?}");
        let hex = |text: &&str| text.bytes().map(|b| format!("{b:02x}")).collect::<String>();
        let expected: Vec<String> = texts.iter().map(hex).collect();
        let read = String::from_utf8(output.stdout).unwrap();
        assert_eq!(read.lines().collect::<Vec<_>>(), expected);
        assert_eq!(java::float(1e300), "1e300");
        assert_eq!(java::float(-1.0), "-1.0");
    }

    #[test]
    fn xml_texts_stay_texts() {
        assert_eq!(xml::text("<a> & \u{0}"), "&lt;a&gt; &amp; ?");
    }

    #[test]
    fn toml_reads_back_what_was_written() {
        for text in TEXTS {
            let document = format!("x = {}", toml::string(text));
            let table: ::toml::Table = document.parse().unwrap();
            assert_eq!(table["x"].as_str(), Some(*text));
        }
    }
}
