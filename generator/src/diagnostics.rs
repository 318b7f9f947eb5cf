//! Problems drawn with their source, for people: file, line, column, a caret under the text, advice.

use annotate_snippets::{Annotation, AnnotationKind, Level, Origin, Renderer, Snippet};
use helixor_playbook::{Error, Position, Problem, Span, is_hidden};

/// Most problems that are drawn; the rest are counted.
const MAX_DRAWN: usize = 50;

/// Most characters of a line that are shown before a problem, and from it on.
const WINDOW: (usize, usize) = (60, 100);

/// Most characters of a message or an advice that are shown.
const MAX_TEXT: usize = 2_000;

/// Draws the problems of a document as errors; `name` is how the file is called.
///
/// What the document holds is shown escaped where a terminal would act on it, and only near the
/// problem, so that neither hostile nor huge documents do harm.
pub fn render(problems: &[Problem], source: &str, name: &str) -> String {
    draw(&Level::ERROR, problems, source, name)
}

/// Draws the problems of a document as warnings.
pub fn render_warnings(problems: &[Problem], source: &str, name: &str) -> String {
    draw(&Level::WARNING, problems, source, name)
}

/// An error for people, with every fault it has: code, message and advice, shown as harmlessly as
/// problems are.
pub fn render_error(error: &Error) -> String {
    let faults = error.all().into_iter().map(|fault| {
        let message = visible(fault.message());
        match fault.help() {
            "" => format!("{}: {message}\n", fault.code()),
            help => format!("{}: {message}\n  help: {}\n", fault.code(), visible(help)),
        }
    });
    faults.collect::<Vec<_>>().join("\n")
}

fn draw(level: &Level<'static>, problems: &[Problem], source: &str, name: &str) -> String {
    let renderer = Renderer::plain();
    let name = visible(name);
    let mut out = String::new();
    for problem in problems.iter().take(MAX_DRAWN) {
        let title = level.clone().primary_title(visible(&problem.message));
        let (shown, as_is) = snippet(source, problem.span);
        let mut group = if as_is {
            title.element(shown.path(name.as_str()))
        } else {
            let at = Position::of(source, problem.span.start);
            let origin = Origin::path(name.as_str())
                .line(at.line)
                .char_column(at.column);
            title.element(origin).element(shown)
        };
        if let Some((text, span)) = &problem.inner {
            group = group
                .element(Level::NOTE.message("it stands for this text:"))
                .element(snippet(text, *span).0);
        }
        if !problem.help.is_empty() {
            group = group.element(Level::HELP.message(visible(&problem.help)));
        }
        out.push_str(&renderer.render(&[group]));
        out.push_str("\n\n");
    }
    if let Some(more @ 1..) = problems.len().checked_sub(MAX_DRAWN) {
        out.push_str(&format!("and {more} more\n"));
    }
    out
}

/// The line that a span begins in, near the span, with the span marked; and whether the line is
/// shown as it is up to the span, so that columns can be counted in it.
fn snippet(text: &str, span: Span) -> (Snippet<'static, Annotation<'static>>, bool) {
    let floor = |at: usize| {
        (0..=at.min(text.len()))
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0)
    };
    let (start, end) = (floor(span.start), floor(span.end.max(span.start)));
    let (before, rest) = text.split_at(start);
    let before = before.rsplit('\n').next().unwrap_or_default();
    let rest = rest
        .split('\n')
        .next()
        .unwrap_or_default()
        .trim_end_matches('\r');
    let (marked, after) = rest.split_at((end - start).min(rest.len()));

    let mut shown = String::new();
    if let Some((cut, _)) = before.char_indices().rev().nth(WINDOW.0) {
        shown.push_str("...");
        push_visible(
            &mut shown,
            before.get(cut..).unwrap_or_default(),
            usize::MAX,
        );
    } else {
        push_visible(&mut shown, before, usize::MAX);
    }
    let as_is = shown == before;
    let from = shown.len();
    let left = push_visible(&mut shown, marked, WINDOW.1);
    let to = shown.len();
    push_visible(&mut shown, after, left);
    let snippet = Snippet::source(shown)
        .line_start(Position::of(text, start).line)
        .annotation(AnnotationKind::Primary.span(from..to));
    (snippet, as_is)
}

fn visible(text: &str) -> String {
    let mut out = String::new();
    push_visible(&mut out, text, MAX_TEXT);
    out
}

/// Appends at most so many characters, those that would do something to a terminal as escapes;
/// gives back how many more there may be.
fn push_visible(out: &mut String, text: &str, most: usize) -> usize {
    let mut left = most;
    for c in text.chars() {
        if left == 0 {
            out.push_str("...");
            break;
        }
        left -= 1;
        match c {
            '\t' => out.push(' '),
            c if is_hidden(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use helixor_playbook::Code;

    #[test]
    fn a_problem_is_shown_with_its_place_and_advice() {
        let source = "{\n  \"colour\": 1\n}\n";
        let problem = Problem::new(Span::new(4, 12), "unknown key `colour`")
            .with_help("did you mean `color`?");
        let expected = [
            "error: unknown key `colour`",
            " --> m.json:2:3",
            "  |",
            "2 |   \"colour\": 1",
            "  |   ^^^^^^^^",
            "  |",
            "  = help: did you mean `color`?",
        ];
        let drawn = render(&[problem], source, "m.json");
        assert_eq!(drawn.trim_end().lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn an_inner_text_has_its_own_caret() {
        let mut problem = Problem::new(Span::new(6, 14), "unknown field `y`");
        problem.inner = Some(("state.y > 1".into(), Span::new(6, 7)));
        let drawn = render(&[problem], "cond: \"\\x73...\"", "p.yaml");
        assert!(drawn.contains("1 | state.y > 1\n  |       ^\n"), "{drawn}");
    }

    #[test]
    fn hostile_and_huge_sources_are_shown_harmlessly() {
        let (left, right) = ("a".repeat(3_000_000), "b".repeat(3_000_000));
        let line = format!("{left}\u{1b}[31m\u{202e}here\0{right}");
        let at = line.find("here").unwrap();
        let problem = Problem::new(Span::new(at, at + 4), "bad \u{1b}[0m text".repeat(1_000));
        let drawn = render(&[problem], &line, "x\u{7}.json");
        assert!(drawn.len() < 5_000, "{}", drawn.len());
        assert!(
            !drawn.contains(|c: char| c != '\n' && is_hidden(c)),
            "{drawn:?}"
        );
        assert!(drawn.contains("x\\u{7}.json:1:3000007"), "{drawn}");
        assert!(drawn.contains("^^^^"), "{drawn}");
    }

    #[test]
    fn spans_that_do_not_fit_do_no_harm() {
        let cases = [
            ("", 0, 0),
            ("ä", 1, 1),
            ("ab", 1, 900),
            ("a\nb", 0, 4),
            ("a\r\n", 5, 2),
        ];
        for (source, start, end) in cases {
            let drawn = render(&[Problem::new(Span::new(start, end), "x")], source, "f");
            assert!(drawn.starts_with("error: x\n"), "{drawn}");
        }
    }

    #[test]
    fn errors_show_every_fault_harmlessly() {
        let fault = |message: &str, help: &str| Error::new(Code::NameCollision, message, help);
        let faults = vec![fault("one \u{202e}", "do \u{1b}[2J"), fault("two", "")];
        assert_eq!(
            render_error(&Error::first_of(faults).unwrap()),
            "NAME_COLLISION: one \\u{202e}\n  help: do \\u{1b}[2J\n\nNAME_COLLISION: two\n"
        );
    }

    #[test]
    fn many_problems_are_counted() {
        let problems = vec![Problem::new(Span::default(), "x"); MAX_DRAWN + 7];
        assert!(render(&problems, "a", "f").ends_with("and 7 more\n"));
    }
}
