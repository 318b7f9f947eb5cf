//! Text to [`Expr`]: the whole grammar, whether or not the engine executes all of it yet.

use super::Comparison;
use crate::node::Span;
use crate::problem::{Problem, suggest};
use std::borrow::Cow;

/// Longest condition, in bytes.
pub const MAX_BYTES: usize = 64 * 1024;
/// Most operators in one condition.
pub const MAX_OPERATORS: usize = 2_000;
/// Deepest nesting of parentheses, `not` and unary minus.
pub const MAX_LEVELS: usize = 64;

/// A parsed expression and where it stands in the condition's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// What an [`Expr`] can be. Runs of one operator are flat.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `state.name` or `state["name"]`.
    Field(String),
    /// `None`
    Null,
    /// `True` or `False`
    Boolean(bool),
    /// A decimal integer.
    Integer(i64),
    /// A finite decimal float.
    Number(f64),
    /// A quoted text.
    String(String),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `not a`
    Not(Box<Expr>),
    /// `a and b and c`
    And(Vec<Expr>),
    /// `a or b or c`
    Or(Vec<Expr>),
    /// `a < b <= c`: the first side, then each link.
    Compare(Box<Expr>, Vec<(CompareOperator, Expr)>),
    /// `a + b - c` or `a * b // c`: the first operand, then each step.
    Arithmetic(Box<Expr>, Vec<(ArithmeticOperator, Expr)>),
    /// `-a`, where `a` is not a literal.
    Negative(Box<Expr>),
    /// `abs(a)`
    Call(Function, Vec<Expr>),
}

/// An operator between the links of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOperator {
    /// `== != < <= > >=`
    Ordinary(Comparison),
    /// `is`, or `is not` when true.
    Is(bool),
    /// `in`, or `not in` when true.
    In(bool),
}

/// `+ - * / // %`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithmeticOperator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `//`
    FloorDivide,
    /// `%`
    Remainder,
}

/// `abs min max len`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `abs`
    Abs,
    /// `min`
    Min,
    /// `max`
    Max,
    /// `len`
    Len,
}

/// Parses one condition.
///
/// # Errors
/// The first fault, with its place in `text`.
pub fn parse(text: &str) -> Result<Expr, Problem> {
    if text.len() > MAX_BYTES {
        return Err(Problem::new(
            Span::new(0, 0),
            format!(
                "a condition has at most {MAX_BYTES} bytes, this one has {}",
                text.len()
            ),
        ));
    }
    let tokens = Lexer { text, at: 0 }.tokens()?;
    let mut parser = Parser {
        text,
        tokens,
        next: 0,
        levels: 0,
        operators: 0,
    };
    let expr = parser.or()?;
    match parser.peek() {
        None => Ok(expr),
        Some(_) => Err(parser.expected("an operator or the end of the condition")),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token<'t> {
    Word(&'t str),
    Integer(u64),
    Number(f64),
    String(String),
    Symbol(&'static str),
}

/// Longer symbols stand before their beginnings.
const SYMBOLS: [&str; 19] = [
    "==", "!=", "<=", ">=", "//", "**", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", ",",
    ".",
];

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Goes on to the first byte that is not of a kind; the kind is of ASCII.
    fn skip(&mut self, kind: impl Fn(u8) -> bool) {
        let rest = self.rest();
        let end = rest.bytes().position(|byte| !kind(byte));
        self.at += end.unwrap_or(rest.len());
    }

    fn fault(&self, start: usize, message: impl Into<String>) -> Problem {
        let next = self
            .text
            .get(start..)
            .and_then(|t| t.chars().next())
            .map_or(0, char::len_utf8);
        Problem::new(Span::new(start, self.at.max(start + next)), message)
    }

    fn tokens(mut self) -> Result<Vec<(Token<'t>, Span)>, Problem> {
        let mut tokens = Vec::with_capacity(self.text.len() / 4);
        loop {
            self.skip(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
            let start = self.at;
            let Some(c) = self.rest().chars().next() else {
                return Ok(tokens);
            };
            let token = match c {
                'a'..='z' | 'A'..='Z' | '_' => Token::Word(self.word()),
                '0'..='9' => self.number()?,
                '.' if self
                    .rest()
                    .chars()
                    .nth(1)
                    .is_some_and(|c| c.is_ascii_digit()) =>
                {
                    self.number()?
                }
                '"' | '\'' => Token::String(self.string(c)?),
                _ => {
                    let rest = self.rest().as_bytes();
                    let symbol = SYMBOLS.iter().find(|s| rest.starts_with(s.as_bytes()));
                    let symbol = symbol.ok_or_else(|| self.unknown(start, c))?;
                    self.at += symbol.len();
                    Token::Symbol(symbol)
                }
            };
            tokens.push((token, Span::new(start, self.at)));
        }
    }

    fn unknown(&self, start: usize, c: char) -> Problem {
        let help = match c {
            '=' => "compare with `==`",
            '&' => "write `and`",
            '|' => "write `or`",
            '!' => "write `not`",
            c if c.is_alphabetic() => {
                "a field whose name is not plain ASCII is written state[\"name\"]"
            }
            _ => "",
        };
        self.fault(start, format!("unexpected character {c:?}"))
            .with_help(help)
    }

    fn word(&mut self) -> &'t str {
        let start = self.at;
        self.skip(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn number(&mut self) -> Result<Token<'t>, Problem> {
        let start = self.at;
        let digits = |lexer: &mut Self| lexer.skip(|byte| byte.is_ascii_digit() || byte == b'_');
        digits(self);
        let whole = self.text.get(start..self.at).unwrap_or_default();
        let mut float = false;
        if self.rest().starts_with('.') {
            float = true;
            self.at += 1;
            digits(self);
        }
        if self.rest().starts_with(['e', 'E']) {
            float = true;
            self.at += 1;
            if self.rest().starts_with(['+', '-']) {
                self.at += 1;
            }
            digits(self);
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        // Swallow what is glued to the number, so that the fault shows all of it.
        self.word();
        let whole_text = self.text.get(start..self.at).unwrap_or_default();
        let scores = text.bytes().filter(|byte| *byte == b'_').count();
        let scored_badly = scores > 0
            && text.split('_').enumerate().any(|(i, part)| {
                (i > 0 && !part.starts_with(|c: char| c.is_ascii_digit()))
                    || (i < scores && !part.ends_with(|c: char| c.is_ascii_digit()))
            });
        let glued = whole_text.len() != text.len();
        let exponent_missing = text.ends_with(['e', 'E', '+', '-']);
        if scored_badly || glued || exponent_missing {
            return Err(self.fault(start, format!("`{whole_text}` is not a decimal number")));
        }
        if whole.len() > 1 && whole.starts_with('0') {
            return Err(self.fault(start, format!("a number must not begin with 0: `{text}`")));
        }
        let plain = match scores {
            0 => Cow::Borrowed(text),
            _ => Cow::Owned(text.replace('_', "")),
        };
        if float {
            match plain.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Token::Number(value)),
                _ => Err(self.fault(start, format!("`{text}` is too large for a 64-bit float"))),
            }
        } else {
            plain.parse().map(Token::Integer).map_err(|_| {
                self.fault(
                    start,
                    format!("`{text}` is outside the 64-bit integer range"),
                )
            })
        }
    }

    fn string(&mut self, quote: char) -> Result<String, Problem> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let Some(c) = self.rest().chars().next() else {
                return Err(self.fault(start, "a string that does not end"));
            };
            let here = self.at;
            self.at += c.len_utf8();
            match c {
                '\n' | '\r' => return Err(self.fault(start, "a string must end on its line")),
                '\\' => out.push(self.escape(here)?),
                c if c == quote => return Ok(out),
                c => out.push(c),
            }
        }
    }

    fn escape(&mut self, start: usize) -> Result<char, Problem> {
        let letter = self.rest().chars().next();
        self.at += letter.map_or(0, char::len_utf8);
        let digits = match letter {
            Some(c @ ('\\' | '\'' | '"')) => return Ok(c),
            Some('n') => return Ok('\n'),
            Some('r') => return Ok('\r'),
            Some('t') => return Ok('\t'),
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            _ => {
                return Err(self
                    .fault(start, "unknown escape")
                    .with_help(r#"known are \\ \' \" \n \r \t \xHH \uHHHH \UHHHHHHHH"#));
            }
        };
        let hex = self
            .rest()
            .get(..digits)
            .filter(|t| t.bytes().all(|b| b.is_ascii_hexdigit()));
        let c = hex
            .and_then(|t| u32::from_str_radix(t, 16).ok())
            .and_then(char::from_u32);
        let c = c.ok_or_else(|| {
            self.fault(
                start,
                format!("an escape of {digits} hex digits that name a character was expected"),
            )
        })?;
        self.at += digits;
        Ok(c)
    }
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<(Token<'t>, Span)>,
    next: usize,
    levels: usize,
    operators: usize,
}

type Parsed = Result<Expr, Problem>;

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&Token<'t>> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    fn here(&self) -> Span {
        let end = self.text.len();
        self.tokens
            .get(self.next)
            .map_or(Span::new(end, end), |(_, span)| *span)
    }

    fn end_of_last(&self) -> usize {
        self.next
            .checked_sub(1)
            .and_then(|i| self.tokens.get(i))
            .map_or(0, |(_, span)| span.end)
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Some(Token::Symbol(s)) if *s == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(w)) if *w == word)
    }

    fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        self.next += usize::from(found);
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.next += usize::from(found);
        found
    }

    fn expected(&self, what: &str) -> Problem {
        let span = self.here();
        match self
            .text
            .get(span.start..span.end)
            .filter(|t| !t.is_empty())
        {
            Some(found) => Problem::new(span, format!("expected {what}, found `{found}`")),
            None => Problem::new(
                span,
                format!("the condition ends where {what} was expected"),
            ),
        }
    }

    fn operator(&mut self) -> Result<(), Problem> {
        self.operators += 1;
        if self.operators > MAX_OPERATORS {
            return Err(Problem::new(
                self.here(),
                format!("a condition has at most {MAX_OPERATORS} operators"),
            ));
        }
        Ok(())
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.levels == MAX_LEVELS {
            return Err(Problem::new(
                self.here(),
                format!("a condition is nested at most {MAX_LEVELS} levels deep"),
            ));
        }
        self.levels += 1;
        let expr = read(self);
        self.levels -= 1;
        expr
    }

    fn run(
        &mut self,
        word: &str,
        operand: fn(&mut Self) -> Parsed,
        make: fn(Vec<Expr>) -> ExprKind,
    ) -> Parsed {
        let first = operand(self)?;
        if !self.is_word(word) {
            return Ok(first);
        }
        let start = first.span.start;
        let mut parts = Vec::with_capacity(4);
        parts.push(first);
        while self.eat_word(word) {
            self.operator()?;
            parts.push(operand(self)?);
        }
        Ok(Expr {
            span: Span::new(start, self.end_of_last()),
            kind: make(parts),
        })
    }

    fn or(&mut self) -> Parsed {
        self.run("or", Self::and, ExprKind::Or)
    }

    fn and(&mut self) -> Parsed {
        self.run("and", Self::not, ExprKind::And)
    }

    fn not(&mut self) -> Parsed {
        let start = self.here().start;
        if !self.eat_word("not") {
            return self.comparison();
        }
        self.operator()?;
        let inner = self.nested(Self::not)?;
        let span = Span::new(start, inner.span.end);
        Ok(Expr {
            span,
            kind: ExprKind::Not(Box::new(inner)),
        })
    }

    fn compare_operator(&mut self) -> Option<CompareOperator> {
        let ordinary = |c| Some(CompareOperator::Ordinary(c));
        let found = match self.peek()? {
            Token::Symbol("==") => ordinary(Comparison::Equal),
            Token::Symbol("!=") => ordinary(Comparison::NotEqual),
            Token::Symbol("<") => ordinary(Comparison::Less),
            Token::Symbol("<=") => ordinary(Comparison::LessEqual),
            Token::Symbol(">") => ordinary(Comparison::Greater),
            Token::Symbol(">=") => ordinary(Comparison::GreaterEqual),
            Token::Word(word) => match *word {
                "is" => {
                    self.next += 1;
                    return Some(CompareOperator::Is(self.eat_word("not")));
                }
                "in" => Some(CompareOperator::In(false)),
                "not" => match self.tokens.get(self.next + 1) {
                    Some((Token::Word("in"), _)) => {
                        self.next += 1;
                        Some(CompareOperator::In(true))
                    }
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        self.next += usize::from(found.is_some());
        found
    }

    fn comparison(&mut self) -> Parsed {
        let first = self.sum()?;
        let start = first.span.start;
        let mut links = Vec::new();
        while let Some(operator) = self.compare_operator() {
            self.operator()?;
            links.push((operator, self.sum()?));
        }
        if links.is_empty() {
            return Ok(first);
        }
        let span = Span::new(start, self.end_of_last());
        Ok(Expr {
            span,
            kind: ExprKind::Compare(Box::new(first), links),
        })
    }

    fn arithmetic(
        &mut self,
        operators: &[(&str, ArithmeticOperator)],
        operand: fn(&mut Self) -> Parsed,
    ) -> Parsed {
        let first = operand(self)?;
        let start = first.span.start;
        let mut steps = Vec::new();
        while let Some((_, operator)) = operators.iter().find(|(s, _)| self.is_symbol(s)) {
            self.next += 1;
            self.operator()?;
            steps.push((*operator, operand(self)?));
        }
        if steps.is_empty() {
            return Ok(first);
        }
        let span = Span::new(start, self.end_of_last());
        Ok(Expr {
            span,
            kind: ExprKind::Arithmetic(Box::new(first), steps),
        })
    }

    fn sum(&mut self) -> Parsed {
        use ArithmeticOperator::{Add, Subtract};
        self.arithmetic(&[("+", Add), ("-", Subtract)], Self::product)
    }

    fn product(&mut self) -> Parsed {
        use ArithmeticOperator::{Divide, FloorDivide, Multiply, Remainder};
        self.arithmetic(
            &[
                ("*", Multiply),
                ("/", Divide),
                ("//", FloorDivide),
                ("%", Remainder),
            ],
            Self::negative,
        )
    }

    fn negative(&mut self) -> Parsed {
        let start = self.here().start;
        if !self.eat_symbol("-") {
            return self.primary();
        }
        self.operator()?;
        // A sign and its literal are one constant, so that -2^63 can be written.
        if let Some(Token::Integer(magnitude)) = self.peek() {
            let kind = 0i64.checked_sub_unsigned(*magnitude).map(ExprKind::Integer);
            let span = Span::new(start, self.here().end);
            let kind = kind.ok_or_else(|| Problem::new(span, "the integer is below -2^63"))?;
            self.next += 1;
            return Ok(Expr { span, kind });
        }
        let inner = self.nested(Self::negative)?;
        let span = Span::new(start, inner.span.end);
        let kind = match inner.kind {
            ExprKind::Number(value) => ExprKind::Number(-value),
            _ => ExprKind::Negative(Box::new(inner)),
        };
        Ok(Expr { span, kind })
    }

    fn primary(&mut self) -> Parsed {
        let span = self.here();
        let token = self
            .peek()
            .cloned()
            .ok_or_else(|| self.expected("a value"))?;
        let kind = match token {
            Token::Integer(value) => {
                let value = i64::try_from(value);
                ExprKind::Integer(
                    value.map_err(|_| Problem::new(span, "the integer is above 2^63 - 1"))?,
                )
            }
            Token::Number(value) => ExprKind::Number(value),
            Token::String(text) => ExprKind::String(text),
            Token::Word(word) => return self.word(word, span),
            Token::Symbol("(") => {
                self.next += 1;
                let inner = self.nested(Self::or)?;
                if !self.eat_symbol(")") {
                    return Err(self.expected("`)`"));
                }
                return Ok(Expr {
                    span: Span::new(span.start, self.end_of_last()),
                    ..inner
                });
            }
            Token::Symbol("[") => {
                self.next += 1;
                let items = self.items("]")?;
                let span = Span::new(span.start, self.end_of_last());
                return Ok(Expr {
                    span,
                    kind: ExprKind::List(items),
                });
            }
            Token::Symbol(_) => return Err(self.expected("a value")),
        };
        self.next += 1;
        Ok(Expr { span, kind })
    }

    /// Expressions between commas up to a closing symbol, a comma at the end allowed.
    fn items(&mut self, close: &str) -> Result<Vec<Expr>, Problem> {
        let mut items = Vec::new();
        while !self.eat_symbol(close) {
            items.push(self.nested(Self::or)?);
            if !self.eat_symbol(",") && !self.is_symbol(close) {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
        Ok(items)
    }

    fn word(&mut self, word: &str, span: Span) -> Parsed {
        let kind = match word {
            "True" | "true" => ExprKind::Boolean(true),
            "False" | "false" => ExprKind::Boolean(false),
            "None" | "none" | "null" => ExprKind::Null,
            "state" => return self.field(span),
            "abs" | "min" | "max" | "len" => return self.call(word, span),
            "and" | "or" | "not" | "in" | "is" => return Err(self.expected("a value")),
            _ => {
                let known = [
                    "state", "True", "False", "None", "abs", "min", "max", "len", "not",
                ];
                let help = match suggest(word, known) {
                    help if help.is_empty() => format!("a field is written state.{word}"),
                    help => help,
                };
                return Err(Problem::new(span, format!("unknown name `{word}`")).with_help(help));
            }
        };
        self.next += 1;
        Ok(Expr { span, kind })
    }

    fn field(&mut self, span: Span) -> Parsed {
        self.next += 1;
        let name = if self.eat_symbol(".") {
            match self.peek() {
                Some(Token::Word(name)) => (*name).to_owned(),
                _ => {
                    let help = "a name that is not plain ASCII is written state[\"name\"]";
                    return Err(self.expected("a field name").with_help(help));
                }
            }
        } else if self.eat_symbol("[") {
            match self.peek() {
                Some(Token::String(name)) => name.clone(),
                _ => return Err(self.expected("a field name in quotes")),
            }
        } else {
            return Err(self.expected("`.` and a field name"));
        };
        let in_brackets = matches!(self.peek(), Some(Token::String(_)));
        self.next += 1;
        if in_brackets && !self.eat_symbol("]") {
            return Err(self.expected("`]`"));
        }
        let span = Span::new(span.start, self.end_of_last());
        Ok(Expr {
            span,
            kind: ExprKind::Field(name),
        })
    }

    fn call(&mut self, word: &str, span: Span) -> Parsed {
        let function = match word {
            "abs" => Function::Abs,
            "min" => Function::Min,
            "max" => Function::Max,
            _ => Function::Len,
        };
        self.next += 1;
        self.operator()?;
        if !self.eat_symbol("(") {
            return Err(self.expected("`(`"));
        }
        let arguments = self.items(")")?;
        let span = Span::new(span.start, self.end_of_last());
        Ok(Expr {
            span,
            kind: ExprKind::Call(function, arguments),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expression with every operation in parentheses.
    fn show(expr: &Expr) -> String {
        let join = |parts: &[Expr], by: &str| {
            format!("({})", parts.iter().map(show).collect::<Vec<_>>().join(by))
        };
        match &expr.kind {
            ExprKind::Field(name) => name.clone(),
            ExprKind::Null => "None".into(),
            ExprKind::Boolean(b) => b.to_string(),
            ExprKind::Integer(i) => i.to_string(),
            ExprKind::Number(n) => format!("{n:?}"),
            ExprKind::String(s) => format!("{s:?}"),
            ExprKind::List(items) => join(items, ", "),
            ExprKind::Not(e) => format!("(not {})", show(e)),
            ExprKind::And(parts) => join(parts, " and "),
            ExprKind::Or(parts) => join(parts, " or "),
            ExprKind::Compare(first, links) => {
                let links = links.iter().map(|(op, e)| format!(" {op:?} {}", show(e)));
                format!("({}{})", show(first), links.collect::<String>())
            }
            ExprKind::Arithmetic(first, steps) => {
                let steps = steps.iter().map(|(op, e)| format!(" {op:?} {}", show(e)));
                format!("({}{})", show(first), steps.collect::<String>())
            }
            ExprKind::Negative(e) => format!("(- {})", show(e)),
            ExprKind::Call(f, arguments) => format!("{f:?}{}", join(arguments, ", ")),
        }
    }

    #[test]
    fn precedence_is_pythons() {
        for (text, expected) in [
            (
                "state.a or state.b and not state.c",
                "(a or (b and (not c)))",
            ),
            ("not state.a == state.b", "(not (a Ordinary(Equal) b))"),
            (
                "state.a + 2 * -state.b - 1 < 3",
                "((a Add (2 Multiply (- b)) Subtract 1) Ordinary(Less) 3)",
            ),
            (
                "1 < state.a <= 5",
                "(1 Ordinary(Less) a Ordinary(LessEqual) 5)",
            ),
            ("state.a is not True", "(a Is(true) true)"),
            ("state.a not in [1, 2,]", "(a In(true) (1, 2))"),
            (
                "(state.a or state.b) and state[\"any \\u00e9 name\"]",
                "((a or b) and any é name)",
            ),
            (
                "min(state.a, .5, 1e3, 1_000, -0.0) >= -9223372036854775808",
                "(Min(a, 0.5, 1000.0, 1000, -0.0) Ordinary(GreaterEqual) -9223372036854775808)",
            ),
            ("state.and == None", "(and Ordinary(Equal) None)"),
            (
                "5. < state.a // 2 % 3",
                "(5.0 Ordinary(Less) (a FloorDivide 2 Remainder 3))",
            ),
        ] {
            assert_eq!(show(&parse(text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn faults_point_at_their_place() {
        for (text, at, message) in [
            ("", "", "ends where a value"),
            ("state.a =", "=", "unexpected character '='"),
            ("state.a && state.b", "&", "unexpected character '&'"),
            ("foo == 1", "foo", "unknown name `foo`"),
            ("stat.a == 1", "stat", "unknown name `stat`"),
            ("state.a state.b", "state", "expected an operator"),
            ("state", "", "ends where `.`"),
            ("state.é", "é", "unexpected character"),
            ("state[a]", "a", "expected a field name in quotes"),
            ("state.a > 01", "01", "must not begin with 0"),
            ("state.a > 0x10", "0x10", "not a decimal number"),
            ("state.a > 1__0", "1__0", "not a decimal number"),
            ("state.a > 1_", "1_", "not a decimal number"),
            ("state.a > 1e", "1e", "not a decimal number"),
            ("state.a > 1e999", "1e999", "too large"),
            (
                "state.a > 9223372036854775808",
                "9223372036854775808",
                "above 2^63",
            ),
            (
                "state.a > -9223372036854775809",
                "-9223372036854775809",
                "below -2^63",
            ),
            (
                "state.a > 99999999999999999999",
                "99999999999999999999",
                "64-bit",
            ),
            ("state.a == 'x", "'x", "does not end"),
            ("state.a == 'x\ny'", "'x\n", "end on its line"),
            ("state.a == '\\q'", "\\q", "unknown escape"),
            ("state.a == '\\ud800'", "\\u", "hex digits"),
            ("state.a == f'x'", "f", "unknown name"),
            ("state.a == 'x' 'y'", "'y'", "expected an operator"),
            ("state.a ** 2", "**", "expected an operator"),
            ("(state.a", "", "ends where `)`"),
            ("state.a == not state.b", "not", "expected a value"),
            ("(state.a)(1)", "(", "expected an operator"),
        ] {
            let problem = parse(text).unwrap_err();
            assert!(
                problem.message.contains(message),
                "{text}: {}",
                problem.message
            );
            assert_eq!(&text[problem.span.start..problem.span.end], at, "{text}");
        }
    }

    #[test]
    fn size_depth_and_operators_are_bounded() {
        let nested = |n: usize| format!("{}state.a{}", "(".repeat(n), ")".repeat(n));
        assert!(parse(&nested(64)).is_ok());
        assert!(
            parse(&nested(65))
                .unwrap_err()
                .message
                .contains("64 levels")
        );
        assert!(
            parse(&format!("{}state.a", "not ".repeat(65)))
                .unwrap_err()
                .message
                .contains("64")
        );
        assert!(
            parse(&format!("{}state.a < 1", "-".repeat(65)))
                .unwrap_err()
                .message
                .contains("64")
        );
        let run = |n: usize| format!("state.a{}", " or state.a".repeat(n));
        assert!(parse(&run(2_000)).is_ok());
        assert!(
            parse(&run(2_001))
                .unwrap_err()
                .message
                .contains("2000 operators")
        );
        assert!(
            parse(&" ".repeat(MAX_BYTES + 1))
                .unwrap_err()
                .message
                .contains("65536")
        );
    }
}
