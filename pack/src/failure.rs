//! What a command says when it fails.

use crate::answer::{line, printable};
use helixor_playbook::{Code, Error, Kind, Node, Positions, Problem};
use helixor_sdk_gen::diagnostics;

/// An error, with the document at fault when there is one.
#[derive(Clone, Debug)]
pub struct Failure {
    error: Error,
    /// The faults drawn under the text, for people.
    drawn: Option<String>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, drawn: None }
    }
}

impl Failure {
    /// A playbook with faults: `PLAYBOOK_INVALID`, or `PACK_UNSUPPORTED` when it is valid but
    /// beyond this engine.
    pub fn of_playbook(name: &str, source: &str, problems: &[Problem]) -> Self {
        let code = if problems.iter().any(|problem| problem.kind == Kind::Invalid) {
            Code::PlaybookInvalid
        } else {
            Code::PackUnsupported
        };
        let positions = Positions::new(source);
        let places: Vec<String> = problems
            .iter()
            .map(|problem| {
                let at = positions.of(problem.span.start);
                format!("{name}, {at}: {}", problem.message)
            })
            .collect();
        let help = match code {
            Code::PlaybookInvalid => "correct the playbook and check it again",
            _ => "remove what is not supported yet from the playbook",
        };
        let faults = match problems.len() {
            1 => "1 fault".to_owned(),
            n => format!("{n} faults"),
        };
        let drawn = diagnostics::render(problems, source, name);
        Self {
            error: Error::new(code, places.join("\n"), help),
            drawn: Some(format!(
                "playbook {} has {faults}\n\n{}\n",
                printable(name),
                drawn.trim_end()
            )),
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
    pub fn human(&self) -> String {
        let code = self.error.code();
        let mut text = match &self.drawn {
            Some(drawn) => format!("{code}: {drawn}"),
            None => format!("{code}: {}\n", printable(self.error.message())),
        };
        if !self.error.help().is_empty() {
            text.push_str(&format!("\n{}\n", printable(self.error.help())));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use helixor_playbook::Span;

    fn failure(source: &str, problems: &[Problem]) -> Failure {
        Failure::of_playbook("a.yaml", source, problems)
    }

    #[test]
    fn faults_are_drawn_under_the_text_and_listed_for_programs() {
        let source = "a: 1\nbß: two\n";
        let problems = vec![
            Problem::new(Span::new(10, 13), "`b` must be a number").with_help("write 2"),
            Problem::new(Span::new(0, 13), "wrong from the start"),
        ];
        let failure = failure(source, &problems);
        let text = failure.human();
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
        let code = |problems: &[Problem]| failure("x", problems).error().code();
        assert_eq!(
            code(std::slice::from_ref(&unsupported)),
            Code::PackUnsupported
        );
        assert_eq!(code(&[unsupported, invalid]), Code::PlaybookInvalid);
    }

    #[test]
    fn a_great_many_faults_on_one_line_are_placed_at_once() {
        // Counted from the start of the line each time, this would take hours.
        let source = "ü ".repeat(500_000);
        let problems: Vec<Problem> = (0..500_000)
            .map(|i| Problem::new(Span::new(3 * i, 3 * i + 2), "wrong"))
            .collect();
        let failure = failure(&source, &problems);
        let last = failure.error().message().lines().last();
        assert_eq!(last, Some("a.yaml, line 1, column 999999: wrong"));
    }
}
