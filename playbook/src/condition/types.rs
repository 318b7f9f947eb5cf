//! [`Expr`] to [`Condition`]: names to fields, types, negation pushed down.

use super::parser::{CompareOperator, Expr, ExprKind, Function};
use super::{Atom, Comparison, Condition, Operand, Tree};
use crate::model::{Field, FieldKind};
use crate::node::Span;
use crate::problem::{Problem, suggest_after};
use crate::value::Value;

/// Checks a parsed condition against the fields, which must be ordered by name; `found` is how many
/// faults its document has already.
///
/// # Errors
/// Every fault found, each with its place in the condition's text.
pub fn check(
    text: &str,
    expr: &Expr,
    fields: &[Field],
    found: usize,
) -> Result<Condition, Vec<Problem>> {
    let mut checker = Checker {
        fields,
        found,
        mentioned: Vec::new(),
        problems: Vec::new(),
    };
    match checker.truth(expr, false) {
        Some(tree) if checker.problems.is_empty() => Ok(Condition {
            text: text.to_owned(),
            fields: checker.mentioned,
            tree,
        }),
        _ => Err(checker.problems),
    }
}

struct Checker<'f> {
    fields: &'f [Field],
    found: usize,
    mentioned: Vec<usize>,
    problems: Vec<Problem>,
}

/// The kinds that meet in comparisons.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Boolean,
    Numeric,
    String,
    Null,
    List,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Kind::Boolean => "a boolean",
            Kind::Numeric => "a number",
            Kind::String => "a string",
            Kind::Null => "None",
            Kind::List => "a list",
        }
    }
}

impl<'f> Checker<'f> {
    fn fault<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.problems.push(Problem::new(span, message));
        None
    }

    fn field(&mut self, span: Span, name: &str) -> Option<(usize, Kind)> {
        let Some((index, field)) = self.find(name) else {
            let known = self.fields.iter().map(|field| field.name.as_str());
            let help = suggest_after(self.found + self.problems.len(), name, known);
            self.problems
                .push(Problem::new(span, format!("unknown field `{name}`")).with_help(help));
            return None;
        };
        if !self.mentioned.contains(&index) {
            self.mentioned.push(index);
        }
        let kind = match field.kind {
            FieldKind::Boolean => Kind::Boolean,
            FieldKind::Integer | FieldKind::Number => Kind::Numeric,
            FieldKind::String => Kind::String,
        };
        Some((index, kind))
    }

    fn nullable(&self, field: usize) -> bool {
        self.fields.get(field).is_some_and(|field| !field.required)
    }

    fn is_nullable(&self, name: &str) -> bool {
        let found = self.find(name);
        found.is_some_and(|(_, field)| !field.required && field.kind == FieldKind::Boolean)
    }

    fn find(&self, name: &str) -> Option<(usize, &'f Field)> {
        let fields = self.fields;
        let place = |field: &Field| field.name.as_str().cmp(name);
        let index = fields.binary_search_by(place).ok()?;
        Some((index, fields.get(index)?))
    }

    /// An expression where a boolean must stand; `negated`: the tree of its opposite.
    fn truth(&mut self, expr: &Expr, negated: bool) -> Option<Tree> {
        match &expr.kind {
            ExprKind::Not(inner) => self.truth(inner, !negated),
            ExprKind::And(parts) => self.parts(parts, negated, negated),
            ExprKind::Or(parts) => self.parts(parts, !negated, negated),
            ExprKind::Compare(first, links) => match links.as_slice() {
                [(operator, second)] => {
                    self.comparison(expr.span, first, *operator, second, negated)
                }
                links => self.chain(first, links, negated),
            },
            ExprKind::Field(name) => match self.field(expr.span, name)? {
                (field, Kind::Boolean) => Some(Tree::Atom(Atom {
                    left: match self.nullable(field) {
                        true => Operand::Fact(field),
                        false => Operand::Field(field),
                    },
                    comparison: Comparison::Equal,
                    right: Operand::Constant(Value::Boolean(!negated)),
                })),
                (_, kind) => self.fault(
                    expr.span,
                    format!("a boolean is expected here, `{name}` is {}", kind.name()),
                ),
            },
            ExprKind::Boolean(_) => self.constant(expr.span),
            _ => {
                let (_, kind) = self.operand(expr)?;
                self.fault(
                    expr.span,
                    format!("a boolean is expected here, this is {}", kind.name()),
                )
            }
        }
    }

    fn parts(&mut self, parts: &[Expr], any: bool, negated: bool) -> Option<Tree> {
        // Every part is checked, so that all faults are found.
        let trees: Vec<Option<Tree>> = parts.iter().map(|part| self.truth(part, negated)).collect();
        let trees = trees.into_iter().collect::<Option<Vec<Tree>>>()?;
        Some(if any {
            Tree::Any(trees)
        } else {
            Tree::All(trees)
        })
    }

    /// `a < b <= c`: every link holds, judged left to right.
    fn chain(
        &mut self,
        first: &Expr,
        links: &[(CompareOperator, Expr)],
        negated: bool,
    ) -> Option<Tree> {
        let mut left = first;
        let mut trees = Vec::new();
        for (operator, right) in links {
            let span = Span::new(left.span.start, right.span.end);
            trees.push(self.comparison(span, left, *operator, right, negated));
            left = right;
        }
        let trees = trees.into_iter().collect::<Option<Vec<Tree>>>()?;
        Some(if negated {
            Tree::Any(trees)
        } else {
            Tree::All(trees)
        })
    }

    fn comparison(
        &mut self,
        span: Span,
        left: &Expr,
        operator: CompareOperator,
        right: &Expr,
        negated: bool,
    ) -> Option<Tree> {
        let comparison = match operator {
            CompareOperator::Ordinary(comparison) => comparison,
            CompareOperator::In(not) => return self.membership(span, left, not, right, negated),
            CompareOperator::Is(_)
                if !matches!(right.kind, ExprKind::Boolean(_) | ExprKind::Null) =>
            {
                let message = "the right side of `is` must be True, False or None";
                self.problems
                    .push(Problem::new(right.span, message).with_help("compare with `==`"));
                return None;
            }
            CompareOperator::Is(true) => Comparison::NotEqual,
            CompareOperator::Is(false) => Comparison::Equal,
        };
        let equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        if equality && let Some((constant, other)) = boolean_constant(left, right) {
            // `x == False` and the like: the opposite of x.
            match &other.kind {
                ExprKind::Boolean(_) | ExprKind::Null => return self.constant(span),
                // One that can be null is compared: neither True nor False is what null is.
                ExprKind::Field(name) if self.is_nullable(name) => {}
                _ => {
                    let opposite = constant == (comparison == Comparison::NotEqual);
                    return self.truth(other, negated ^ opposite);
                }
            }
        }
        let (left, right) = (self.operand(left), self.operand(right));
        let ((left, left_kind), (right, right_kind)) = (left?, right?);
        let kinds = [left_kind, right_kind];
        if kinds.contains(&Kind::List) {
            return self.fault(span, "a list stands right of `in` only");
        }
        let null = equality && kinds.contains(&Kind::Null);
        if left_kind != right_kind && !null {
            let (left, right) = (left_kind.name(), right_kind.name());
            return self.fault(span, format!("{left} cannot be compared with {right}"));
        }
        if !equality && matches!(left_kind, Kind::Boolean | Kind::Null) {
            let what = match left_kind {
                Kind::Boolean => "booleans have",
                _ => "None has",
            };
            return self.fault(span, format!("{what} no order: `{}`", comparison.as_str()));
        }
        self.atom(span, left, comparison, right, negated)
    }

    /// `a in [1, 2]` and `"x" in b`.
    fn membership(
        &mut self,
        span: Span,
        left: &Expr,
        not: bool,
        right: &Expr,
        negated: bool,
    ) -> Option<Tree> {
        let comparison = if not {
            Comparison::NotIn
        } else {
            Comparison::In
        };
        let ExprKind::List(items) = &right.kind else {
            let (part, text) = (self.operand(left), self.operand(right));
            let ((part, part_kind), (text, text_kind)) = (part?, text?);
            if [part_kind, text_kind] != [Kind::String; 2] {
                let (left, right) = (part_kind.name(), text_kind.name());
                let message = format!("{left} cannot be in {right}");
                let help = "`in` looks a value up in a list, as in `state.x in [1, 2]`, or a string \
                            in a string";
                self.problems
                    .push(Problem::new(span, message).with_help(help));
                return None;
            }
            return self.atom(span, part, comparison, text, negated);
        };
        let left = self.operand(left);
        let items: Vec<_> = items.iter().map(|item| self.member(item)).collect();
        let ((left, kind), items) = (left?, items.into_iter().collect::<Option<Vec<_>>>()?);
        let mut members = Vec::new();
        for (span, member, member_kind) in items {
            if member_kind != kind {
                let (left, member) = (kind.name(), member_kind.name());
                return self.fault(span, format!("{left} cannot be compared with {member}"));
            }
            members.push(member);
        }
        let list = Operand::Constant(Value::List(members.into()));
        self.atom(span, left, comparison, list, negated)
    }

    /// An item of the list right of `in`.
    fn member(&mut self, item: &Expr) -> Option<(Span, Value, Kind)> {
        match self.operand(item)? {
            (Operand::Constant(value), kind) if !matches!(kind, Kind::Null | Kind::List) => {
                Some((item.span, value, kind))
            }
            _ => {
                let message = "the list right of `in` holds constants only";
                let help = "compare with `==` and join with `or`";
                self.problems
                    .push(Problem::new(item.span, message).with_help(help));
                None
            }
        }
    }

    fn atom(
        &mut self,
        span: Span,
        left: Operand,
        comparison: Comparison,
        right: Operand,
        negated: bool,
    ) -> Option<Tree> {
        if !left.reads_any() && !right.reads_any() {
            return self.constant(span);
        }
        let comparison = if negated {
            comparison.negated()
        } else {
            comparison
        };
        Some(Tree::Atom(Atom {
            left,
            comparison,
            right,
        }))
    }

    fn constant<T>(&mut self, span: Span) -> Option<T> {
        self.fault(span, "this reads no field: it never changes")
    }

    /// One side of a comparison.
    fn operand(&mut self, expr: &Expr) -> Option<(Operand, Kind)> {
        match &expr.kind {
            ExprKind::Field(name) => {
                let (field, kind) = self.field(expr.span, name)?;
                Some((Operand::Field(field), kind))
            }
            ExprKind::Integer(value) => numeric(Operand::Constant(Value::Integer(*value))),
            ExprKind::Number(value) => numeric(Operand::Constant(Value::Number(*value))),
            ExprKind::Boolean(value) => {
                Some((Operand::Constant(Value::Boolean(*value)), Kind::Boolean))
            }
            ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Compare(..) => {
                let tree = self.truth(expr, false)?;
                Some((Operand::Truth(Box::new(tree)), Kind::Boolean))
            }
            ExprKind::Null => Some((Operand::Constant(Value::Null), Kind::Null)),
            ExprKind::String(text) => {
                let text = Value::String(text.as_str().into());
                Some((Operand::Constant(text), Kind::String))
            }
            ExprKind::List(items) => {
                let items: Vec<_> = items.iter().map(|item| self.operand(item)).collect();
                let items = items.into_iter().collect::<Option<Vec<_>>>()?;
                let items = items.into_iter().map(|(item, _)| item).collect();
                Some((Operand::List(items), Kind::List))
            }
            ExprKind::Arithmetic(first, steps) => {
                let first = self.number(first);
                let steps: Vec<_> = steps
                    .iter()
                    .map(|(operator, operand)| Some((*operator, self.number(operand)?)))
                    .collect();
                let steps = steps.into_iter().collect::<Option<Vec<_>>>()?;
                numeric(Operand::Arithmetic(Box::new(first?), steps))
            }
            ExprKind::Negative(inner) => {
                let inner = self.number(inner)?;
                numeric(Operand::Negative(Box::new(inner)))
            }
            ExprKind::Call(function, arguments) => {
                let arguments = self.arguments(expr.span, *function, arguments)?;
                numeric(Operand::Call(*function, arguments))
            }
        }
    }

    /// An expression where a number must stand.
    fn number(&mut self, expr: &Expr) -> Option<Operand> {
        match self.operand(expr)? {
            (operand, Kind::Numeric) => Some(operand),
            (_, kind) => self.fault(
                expr.span,
                format!("a number is expected here, this is {}", kind.name()),
            ),
        }
    }

    fn arguments(
        &mut self,
        span: Span,
        function: Function,
        given: &[Expr],
    ) -> Option<Vec<Operand>> {
        let given = match (function, given) {
            (Function::Len, [one]) => {
                return match self.operand(one)? {
                    (operand, Kind::String | Kind::List) => Some(vec![operand]),
                    (_, kind) => {
                        let found = kind.name();
                        let message =
                            format!("a string or a list is expected here, this is {found}");
                        self.fault(one.span, message)
                    }
                };
            }
            (Function::Len, _) => return self.fault(span, "`len` takes one string or list"),
            (Function::Abs, [_]) => given,
            (Function::Abs, _) => return self.fault(span, "`abs` takes one number"),
            // As in Python, one argument must be the list of those to choose from.
            (Function::Min | Function::Max, [one]) => match &one.kind {
                ExprKind::List(items) if !items.is_empty() => items,
                _ => return self.fault(span, "one argument alone must be a list of numbers"),
            },
            (Function::Min | Function::Max, []) => {
                return self.fault(span, "there must be numbers to choose from");
            }
            (Function::Min | Function::Max, _) => given,
        };
        let operands: Vec<Option<Operand>> = given.iter().map(|e| self.number(e)).collect();
        operands.into_iter().collect()
    }
}

fn numeric(operand: Operand) -> Option<(Operand, Kind)> {
    Some((operand, Kind::Numeric))
}

/// The side that is a boolean constant, and the other side.
fn boolean_constant<'e>(left: &'e Expr, right: &'e Expr) -> Option<(bool, &'e Expr)> {
    match (&left.kind, &right.kind) {
        (_, ExprKind::Boolean(value)) => Some((*value, left)),
        (ExprKind::Boolean(value), _) => Some((*value, right)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Reading, parse};
    use super::*;
    use crate::ids::FieldName;

    fn field(name: &str, kind: FieldKind) -> Field {
        Field::plain(FieldName::new(name).unwrap(), kind)
    }

    fn fields() -> Vec<Field> {
        vec![
            field("a", FieldKind::Boolean),
            field("b", FieldKind::Boolean),
            field("i", FieldKind::Integer),
            field("n", FieldKind::Number),
            Field {
                required: false,
                ..field("o", FieldKind::Boolean)
            },
            field("s", FieldKind::String),
        ]
    }

    fn checked(text: &str) -> Result<Condition, Vec<Problem>> {
        check(text, &parse(text).unwrap(), &fields(), 0)
    }

    fn show(tree: &Tree) -> String {
        let join = |parts: &[Tree], by: &str| {
            format!("({})", parts.iter().map(show).collect::<Vec<_>>().join(by))
        };
        match tree {
            Tree::All(parts) => join(parts, " and "),
            Tree::Any(parts) => join(parts, " or "),
            Tree::Atom(atom) => {
                format!(
                    "{}{}{}",
                    operand(&atom.left),
                    atom.comparison.as_str(),
                    operand(&atom.right)
                )
            }
        }
    }

    fn operand(side: &Operand) -> String {
        match side {
            Operand::Field(i) => fields()[*i].name.to_string(),
            Operand::Fact(i) => format!("{}!", fields()[*i].name),
            Operand::Constant(value) => value.to_string(),
            Operand::Truth(tree) => show(tree),
            Operand::Arithmetic(first, steps) => {
                let steps = steps
                    .iter()
                    .map(|(by, step)| format!(" {by:?} {}", operand(step)));
                format!("({}{})", operand(first), steps.collect::<String>())
            }
            Operand::Negative(inner) => format!("-{}", operand(inner)),
            Operand::Call(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(operand).collect();
                format!("{function:?}({})", arguments.join(", "))
            }
            Operand::List(items) => {
                let items: Vec<String> = items.iter().map(operand).collect();
                format!("[{}]", items.join(", "))
            }
        }
    }

    #[test]
    fn negation_is_pushed_down_and_boolean_spellings_are_one() {
        for (text, expected) in [
            ("state.a", "a==true"),
            ("not state.a", "a==false"),
            ("state.a is True", "a==true"),
            ("state.a is not True", "a==false"),
            ("state.a != False", "a==true"),
            ("false == state.a", "a==false"),
            ("not (state.a and not state.b)", "(a==false or b==true)"),
            ("not (state.a or state.i > 5)", "(a==false and i<=5)"),
            ("(state.a or state.b) == False", "(a==false and b==false)"),
            ("not (state.i < state.n)", "i>=n"),
            ("(state.i > 5) is not True", "i<=5"),
            ("state.a == (state.i == -1)", "a==i==-1"),
            ("not state.a == state.b", "a!=b"),
            ("5 < state.i", "5<i"),
            ("1 < state.i <= state.n", "(1<i and i<=n)"),
            ("not 1 < state.i <= 5", "(1>=i or i>5)"),
            ("state.a == state.b == True", "(a==b and b==true)"),
            ("state.i + 2 * -state.n < 3", "(i Add (2 Multiply -n))<3"),
            ("abs(state.i) > min([state.n, 2])", "Abs(i)>Min(n, 2)"),
            ("max(state.i, 2, state.n) == 1", "Max(i, 2, n)==1"),
            ("state[\"i\"] == 2.5", "i==2.5"),
            ("not state.s < 'b'", "s>=\"b\""),
            ("state.i is not None", "i!=null"),
            ("not None == state.s", "null!=s"),
            ("state.o", "o!==true"),
            ("not state.o", "o!==false"),
            ("state.o == True", "o==true"),
            ("not state.o is True", "o!=true"),
            ("(state.o or state.a) == False", "(o!==false and a==false)"),
            ("state.i not in [1, 2.5]", "inot_in[1, 2.5]"),
            ("not 'x' in state.s", "\"x\"not_ins"),
            ("state.a in [True]", "ain[true]"),
            ("len(state.s) > len([1, state.n])", "Len(s)>Len([1, n])"),
            ("(state.i is None) == state.a", "i==null==a"),
        ] {
            assert_eq!(show(&checked(text).unwrap().tree), expected, "{text}");
        }
    }

    #[test]
    fn atoms_are_told_from_their_factor() {
        let reading = |text: &str| -> (String, &'static str, bool) {
            let condition = checked(text).unwrap();
            let fields = fields();
            let Reading {
                factor,
                direction,
                threshold,
            } = condition.single_atom().unwrap().reading(&fields).unwrap();
            (
                fields[factor].name.to_string(),
                direction,
                threshold.is_some(),
            )
        };
        assert_eq!(reading("state.a"), ("a".into(), "is_true", false));
        assert_eq!(reading("state.a == False"), ("a".into(), "is_false", false));
        assert_eq!(reading("5 < state.i"), ("i".into(), ">", true));
        assert_eq!(reading("state.n <= state.i"), ("n".into(), "<=", true));
        assert_eq!(reading("state.b != state.a"), ("b".into(), "!=", false));
        assert_eq!(
            reading("(state.i > 1) == state.a"),
            ("a".into(), "==", false)
        );
        assert_eq!(reading("state.i < state.n + 1"), ("i".into(), "<", true));
        assert_eq!(reading("2 * state.n >= state.i"), ("i".into(), "<=", true));
        assert_eq!(
            reading("state.n % 2 == state.i + 1"),
            ("n".into(), "==", false)
        );
        assert_eq!(
            reading("(state.i > 1) == (state.n > 1)"),
            ("i".into(), "==", false)
        );
    }

    #[test]
    fn fields_are_listed_by_first_mention() {
        let condition = checked("state.n > 1 or state.a or state.n < 0 or state.b").unwrap();
        assert_eq!(condition.fields, [3, 0, 1]);
    }

    #[test]
    fn every_fault_is_found_and_points_at_its_place() {
        let faults = |text: &str| -> Vec<(String, String)> {
            let problems = checked(text).unwrap_err();
            let at = |p: &Problem| text[p.span.start..p.span.end].to_owned();
            problems
                .iter()
                .map(|p| (at(p), p.message.clone()))
                .collect()
        };
        let found = faults("state.x and state.i and not 5 and state.a > 1 and state.a < state.b");
        let places: Vec<&str> = found.iter().map(|(at, _)| at.as_str()).collect();
        assert_eq!(
            places,
            [
                "state.x",
                "state.i",
                "5",
                "state.a > 1",
                "state.a < state.b"
            ]
        );
        for (text, message) in [
            ("True", "reads no field"),
            ("1 < 2", "reads no field"),
            ("True == False", "reads no field"),
            ("state.a or (1 == 1) == False", "reads no field"),
            ("state.a is state.b", "right side of `is`"),
            (
                "state.i == True",
                "a boolean is expected here, `i` is a number",
            ),
            (
                "state.a == 'x'",
                "a boolean cannot be compared with a string",
            ),
            (
                "state.s == state.i",
                "a string cannot be compared with a number",
            ),
            ("state.s < None", "a string cannot be compared with None"),
            ("None < None", "None has no order"),
            ("None is None", "reads no field"),
            ("True == None", "reads no field"),
            ("'a' in 'abc'", "reads no field"),
            ("state.i in 'abc'", "a number cannot be in a string"),
            ("'a' in state.i", "a string cannot be in a number"),
            ("state.s in None", "a string cannot be in None"),
            (
                "state.s in ['a', 1]",
                "a string cannot be compared with a number",
            ),
            (
                "state.i in [True]",
                "a number cannot be compared with a boolean",
            ),
            ("state.s in ['a', None]", "constants only"),
            ("state.i in [state.n]", "constants only"),
            ("state.s in [['a']]", "constants only"),
            ("state.s is 'a'", "right side of `is`"),
            (
                "state.s is True",
                "a boolean is expected here, `s` is a string",
            ),
            ("state.s", "a boolean is expected here, `s` is a string"),
            ("state.s + 'a' == 'b'", "a number is expected here"),
            ("min(state.s, 'a') == 'a'", "a number is expected here"),
            ("len(state.i) > 1", "a string or a list is expected here"),
            ("len() > state.i", "`len` takes one"),
            (
                "None + state.i > 1",
                "a number is expected here, this is None",
            ),
            (
                "None and state.a",
                "a boolean is expected here, this is None",
            ),
            ("state.i == [1]", "a list stands right of `in` only"),
            ("1 + 1 > 2", "reads no field"),
            ("abs(-1) < max(1, 2)", "reads no field"),
            ("1 < 2 < state.i", "reads no field"),
            (
                "state.a + 1 > 2",
                "a number is expected here, this is a boolean",
            ),
            ("-state.a > 2", "a number is expected here"),
            ("abs(state.i, 1) > 2", "`abs` takes one number"),
            ("min(state.i) > 2", "one argument alone must be a list"),
            ("max() > 2", "there must be numbers"),
            ("min([]) > state.i", "one argument alone must be a list"),
            (
                "state.i + 1",
                "a boolean is expected here, this is a number",
            ),
        ] {
            assert!(
                faults(text)[0].1.contains(message),
                "{text}: {:?}",
                faults(text)
            );
        }
    }
}
