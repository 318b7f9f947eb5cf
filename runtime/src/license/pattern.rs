//! The patterns of `licensed_packs` and `licensed_solvers`.

/// Whether the whole text fits the pattern: `*` is any run of characters, everything else itself.
/// Takes time linear in both.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut text) = text
        .strip_prefix(first)
        .and_then(|text| text.strip_suffix(last))
    else {
        return false;
    };
    // The earliest place for each piece leaves most room for those after it.
    middle.split('*').all(|piece| match text.split_once(piece) {
        Some((_, after)) => {
            text = after;
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_are_any_run_and_the_rest_is_anchored() {
        for (pattern, text) in [
            ("*", ""),
            ("*", "a.b"),
            ("**", ""),
            ("***", "a"),
            ("a", "a"),
            ("a*", "a"),
            ("*a", "a"),
            ("a*a", "aa"),
            ("a*b*c", "a--b--c"),
            ("a*b*c", "abbbcc"),
            ("*b*b*", "bb"),
            ("compliance.*.v1", "compliance.regulatory_pii_guard.v1"),
            ("compliance.*", "compliance."),
            ("ü*ü", "üxü"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("", "a"),
            ("a", ""),
            ("a", "A"),
            ("a", "ab"),
            ("a*a", "a"),
            ("*b*b*", "b"),
            ("ab*ba", "aba"),
            ("compliance.*", "Compliance.x"),
            ("compliance.*.v1", "compliance.v1"),
            ("a.c", "abc"),
            ("a?c", "abc"),
            ("[ab]", "a"),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn a_hostile_pattern_takes_linear_time() {
        // With backtracking this would not end.
        let text = "a".repeat(100_000);
        assert!(!matches(
            &"*a".repeat(10_000).replace("*a*a", "*a*ab"),
            &text
        ));
        assert!(matches(&"*a".repeat(10_000), &text));
    }
}
