//! What a command says when it fails.

use crate::answer::{line, printable};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use helixor_playbook::{Code, Error, Kind, Node, Position, Problem, Span};

/// How many faults of a document are drawn; the rest is counted.
const MOST_DRAWN: usize = 20;

/// An error, with the document at fault when there is one.
#[derive(Clone, Debug)]
pub struct Failure {
    error: Error,
    document: Option<Document>,
}

#[derive(Clone, Debug)]
struct Document {
    name: String,
    source: String,
    problems: Vec<Problem>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            error,
            document: None,
        }
    }
}

impl Failure {
    /// A playbook with faults: `PLAYBOOK_INVALID`, or `PACK_UNSUPPORTED` when it is valid but
    /// beyond this engine.
    pub fn of_playbook(name: &str, source: String, problems: Vec<Problem>) -> Self {
        let code = if problems.iter().any(|problem| problem.kind == Kind::Invalid) {
            Code::PlaybookInvalid
        } else {
            Code::PackUnsupported
        };
        let places: Vec<String> = problems
            .iter()
            .map(|problem| {
                let at = Position::of(&source, problem.span.start);
                format!("{name}, {at}: {}", problem.message)
            })
            .collect();
        let help = match code {
            Code::PlaybookInvalid => "correct the playbook and check it again",
            _ => "remove what is not supported yet from the playbook",
        };
        Self {
            error: Error::new(code, places.join("\n"), help),
            document: Some(Document {
                name: name.to_owned(),
                source,
                problems,
            }),
        }
    }

    /// The error itself; its message has every fault with its place.
    pub const fn error(&self) -> &Error {
        &self.error
    }

    /// For programs: one line, `{code, message, help}`.
    pub fn json(&self) -> String {
        line(&self.node())
    }

    /// For programs, as a tree.
    pub fn node(&self) -> Node {
        Node::map([
            ("code", self.error.code().as_str().into()),
            ("message", self.error.message().into()),
            ("help", self.error.help().into()),
        ])
    }

    /// For people: the code and the message, the faults drawn under the text, and what to do.
    pub fn human(&self, styled: bool) -> String {
        let code = self.error.code();
        let mut text = match &self.document {
            Some(document) => format!("{code}: {}", document.draw(styled)),
            None => format!("{code}: {}\n", printable(self.error.message())),
        };
        if !self.error.help().is_empty() {
            text.push_str(&format!("\n{}\n", printable(self.error.help())));
        }
        text
    }
}

impl Document {
    fn draw(&self, styled: bool) -> String {
        let renderer = if styled {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let name = printable(&self.name);
        let faults = match self.problems.len() {
            1 => "1 fault".to_owned(),
            n => format!("{n} faults"),
        };
        let mut text = format!("playbook {name} has {faults}\n");
        for problem in self.problems.iter().take(MOST_DRAWN) {
            let message = printable(&problem.message);
            let (line, start, span) = first_line(&self.source, problem.span);
            let snippet = Snippet::source(line)
                .line_start(start)
                .path(&name)
                .annotation(AnnotationKind::Primary.span(span));
            let mut group = Level::ERROR.primary_title(&message).element(snippet);
            if let Some((value, span)) = &problem.inner {
                let (line, _, span) = first_line(value, *span);
                let snippet = Snippet::source(line)
                    .line_numbering(false)
                    .annotation(AnnotationKind::Primary.span(span));
                group = group.element(Level::NOTE.message("in the value of this text"));
                group = group.element(snippet);
            }
            let help = printable(&problem.help);
            if !help.is_empty() {
                group = group.element(Level::HELP.message(&help));
            }
            text.push_str(&format!("\n{}\n", renderer.render(&[group])));
        }
        if let Some(more) = self
            .problems
            .len()
            .checked_sub(MOST_DRAWN)
            .filter(|n| *n > 0)
        {
            text.push_str(&format!("\nand {more} more (all of them with --json)\n"));
        }
        text
    }
}

/// The line on which a span begins, its number, and the part of the span that is on it: the
/// drawing needs no more of a long document.
fn first_line(source: &str, span: Span) -> (&str, usize, std::ops::Range<usize>) {
    let number = Position::of(source, span.start).line;
    let mut at = span.start.min(source.len());
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    let (before, after) = source.split_at(at);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = after.find('\n').map_or(source.len(), |n| at + n);
    let line = source.get(start..end).unwrap_or_default();
    let mut last = span.end.clamp(at, end);
    while !source.is_char_boundary(last) {
        last -= 1;
    }
    (line, number, at - start..last - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(source: &str, problems: Vec<Problem>) -> Failure {
        Failure::of_playbook("a.yaml", source.to_owned(), problems)
    }

    #[test]
    fn faults_are_drawn_under_the_text_and_listed_for_programs() {
        let source = "a: 1\nbß: two\n";
        let problems = vec![
            Problem::new(Span::new(10, 13), "`b` must be a number").with_help("write 2"),
            Problem::new(Span::new(0, 13), "wrong from the start"),
        ];
        let failure = failure(source, problems);
        let text = failure.human(false);
        assert!(
            text.starts_with("PLAYBOOK_INVALID: playbook a.yaml has 2 faults\n"),
            "{text}"
        );
        for part in [
            "a.yaml:2:5",
            "2 | bß: two",
            "^^^",
            "help: write 2",
            "1 | a: 1",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(
            failure.json(),
            "{\"code\":\"PLAYBOOK_INVALID\",\"help\":\"correct the playbook and check it again\",\
             \"message\":\"a.yaml, line 2, column 5: `b` must be a number\\na.yaml, line 1, column \
             1: wrong from the start\"}\n"
        );
    }

    #[test]
    fn what_is_valid_but_not_executed_has_its_own_code() {
        let unsupported = Problem::unsupported(Span::new(0, 1), "`rules` is not supported yet");
        let invalid = Problem::new(Span::new(0, 1), "wrong");
        let code = |problems| failure("x", problems).error().code();
        assert_eq!(code(vec![unsupported.clone()]), Code::PackUnsupported);
        assert_eq!(code(vec![unsupported, invalid]), Code::PlaybookInvalid);
    }

    #[test]
    fn any_span_can_be_drawn() {
        for source in ["", "\n", "ü", "a\nü\n", "\u{1b}[2J"] {
            for start in 0..8 {
                for end in start..8 {
                    let text = failure(source, vec![Problem::new(Span::new(start, end), "x")])
                        .human(false);
                    assert!(text.contains("a.yaml"), "{text}");
                    assert!(!text.contains('\u{1b}'), "{text}");
                }
            }
        }
    }

    #[test]
    fn a_fault_inside_a_value_is_drawn_there_too() {
        let mut problem = Problem::new(Span::new(3, 20), "expected a comparison");
        problem.inner = Some(("state.a ==".to_owned(), Span::new(8, 10)));
        let text = failure("a: \"state.a \\u003d=\"", vec![problem]).human(false);
        assert!(text.contains("state.a ==\n"), "{text}");
    }

    #[test]
    fn many_faults_are_counted() {
        let problems = vec![Problem::new(Span::new(0, 1), "wrong"); 25];
        let text = failure("x", problems).human(false);
        assert_eq!(text.matches("error: wrong").count(), MOST_DRAWN);
        assert!(text.contains("and 5 more"), "{text}");
    }
}
