//! Characters that a text of strangers must not bring to a terminal or a log.

/// Whether a character controls the terminal, or reorders or hides text.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c), 0xad | 0x61c | 0x200b..=0x200f | 0x2028..=0x202e
            | 0x2060..=0x206f | 0xfeff | 0xfff9..=0xfffb | 0xe0000..=0xe007f)
}

/// A name that nobody checked, as messages show it: on one line, with escapes for what
/// [is hidden](is_hidden), and no more than the 200 characters that names have at most.
pub fn shown(name: &str) -> String {
    const MOST: usize = 200;
    let mut out = String::from("`");
    for c in name.chars().take(MOST) {
        match is_hidden(c) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    out.push('`');
    if name.chars().nth(MOST).is_some() {
        out.push_str(" (and so on)");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_on_one_line_and_only_so_far() {
        assert_eq!(shown("größe of a \"b\""), "`größe of a \"b\"`");
        assert_eq!(
            shown("a\n\u{1b}[2J\0\u{202e}"),
            r"`a\u{a}\u{1b}[2J\u{0}\u{202e}`"
        );
        assert_eq!(shown(&"ü".repeat(200)), format!("`{}`", "ü".repeat(200)));
        assert_eq!(
            shown(&"ü".repeat(201)),
            format!("`{}` (and so on)", "ü".repeat(200))
        );
    }
}
