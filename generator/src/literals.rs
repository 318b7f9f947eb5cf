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
