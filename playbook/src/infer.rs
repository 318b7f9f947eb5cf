//! The fields of a playbook without a schema: found in its codons and conditions, typed by use.

use crate::condition::{CompareOperator, Comparison, Expr, ExprKind, Function};
use crate::model::FieldKind;
use crate::node::Span;
use std::collections::BTreeMap;

/// Where a field is used, and what that use tells.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    /// Which text it is in: an index given by the caller.
    pub source: usize,
    /// Where in that text.
    pub span: Span,
    /// What it must be; `None`: the use does not tell.
    pub kind: Option<FieldKind>,
}

/// The fields that texts mention, each with its uses in order.
#[derive(Debug, Default)]
pub(crate) struct Inference {
    uses: BTreeMap<String, Vec<Use>>,
    /// Pairs compared with each other: what one is, the other is.
    pairs: Vec<(String, String)>,
}

/// What a field was found to be.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// One kind; with the uses.
    Is(FieldKind, Vec<Use>),
    /// Nothing tells.
    Unknown(Vec<Use>),
    /// Two uses that exclude each other.
    Contradiction(Vec<Use>),
}

impl Inference {
    /// Notes a use.
    pub(crate) fn note(&mut self, name: &str, source: usize, span: Span, kind: Option<FieldKind>) {
        self.uses
            .entry(name.to_owned())
            .or_default()
            .push(Use { source, span, kind });
    }

    /// Notes every use in a condition.
    pub(crate) fn read(&mut self, source: usize, expr: &Expr) {
        self.expr(source, expr, Some(FieldKind::Boolean));
    }

    fn expr(&mut self, source: usize, expr: &Expr, kind: Option<FieldKind>) {
        match &expr.kind {
            ExprKind::Field(name) => self.note(name, source, expr.span, kind),
            ExprKind::Not(inner) => self.expr(source, inner, Some(FieldKind::Boolean)),
            ExprKind::And(parts) | ExprKind::Or(parts) => {
                parts
                    .iter()
                    .for_each(|part| self.expr(source, part, Some(FieldKind::Boolean)));
            }
            ExprKind::Compare(first, links) => {
                let mut left: &Expr = first;
                for (operator, right) in links {
                    self.link(source, left, *operator, right);
                    left = right;
                }
            }
            ExprKind::Arithmetic(first, steps) => {
                self.expr(source, first, Some(FieldKind::Number));
                for (_, operand) in steps {
                    self.expr(source, operand, Some(FieldKind::Number));
                }
            }
            ExprKind::Negative(inner) => self.expr(source, inner, Some(FieldKind::Number)),
            ExprKind::List(items) => self.all(source, items, None),
            ExprKind::Call(Function::Len, items) => {
                self.all(source, items, Some(FieldKind::String));
            }
            ExprKind::Call(_, items) => match items.as_slice() {
                [
                    Expr {
                        kind: ExprKind::List(items),
                        ..
                    },
                ] => {
                    self.all(source, items, Some(FieldKind::Number));
                }
                _ => self.all(source, items, Some(FieldKind::Number)),
            },
            ExprKind::Null
            | ExprKind::Boolean(_)
            | ExprKind::Integer(_)
            | ExprKind::Number(_)
            | ExprKind::String(_) => {}
        }
    }

    fn all(&mut self, source: usize, items: &[Expr], kind: Option<FieldKind>) {
        items.iter().for_each(|item| self.expr(source, item, kind));
    }

    fn link(&mut self, source: usize, left: &Expr, operator: CompareOperator, right: &Expr) {
        if let CompareOperator::In(_) = operator {
            let (left_kind, right_kind) = match &right.kind {
                ExprKind::List(items) => (items.first().and_then(kind_of), None),
                _ => (Some(FieldKind::String), Some(FieldKind::String)),
            };
            self.expr(source, left, left_kind);
            return self.expr(source, right, right_kind);
        }
        let ordered = matches!(
            operator,
            CompareOperator::Ordinary(c) if !matches!(c, Comparison::Equal | Comparison::NotEqual)
        );
        let (left_kind, right_kind) = (kind_of(left), kind_of(right));
        let both_fields = left_kind.is_none() && right_kind.is_none();
        let otherwise = (ordered && both_fields).then_some(FieldKind::Number);
        self.expr(source, left, right_kind.or(otherwise));
        self.expr(source, right, left_kind.or(otherwise));
        if let (ExprKind::Field(a), ExprKind::Field(b)) = (&left.kind, &right.kind) {
            self.pairs.push((a.clone(), b.clone()));
        }
    }

    /// What each field is, by name.
    pub(crate) fn finish(self) -> Vec<(String, Verdict)> {
        let mut kinds: BTreeMap<&str, FieldKind> = BTreeMap::new();
        for (name, uses) in &self.uses {
            if let Some(kind) = uses.iter().find_map(|u| u.kind) {
                kinds.insert(name, kind);
            }
        }
        // What is known of one of a pair spreads to the other.
        let mut partners: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (a, b) in &self.pairs {
            partners.entry(a).or_default().push(b);
            partners.entry(b).or_default().push(a);
        }
        let mut known: Vec<(&str, FieldKind)> = kinds.iter().map(|(n, k)| (*n, *k)).collect();
        while let Some((name, kind)) = known.pop() {
            for partner in partners.get(name).into_iter().flatten() {
                if !kinds.contains_key(partner) {
                    kinds.insert(partner, kind);
                    known.push((partner, kind));
                }
            }
        }
        let verdicts = self.uses.iter().map(|(name, uses)| {
            let verdict = match kinds.get(name.as_str()) {
                None => Verdict::Unknown(uses.clone()),
                Some(kind) if uses.iter().any(|u| u.kind.is_some_and(|k| k != *kind)) => {
                    Verdict::Contradiction(uses.clone())
                }
                Some(kind) => Verdict::Is(*kind, uses.clone()),
            };
            (name.clone(), verdict)
        });
        verdicts.collect()
    }
}

/// What an expression tells of the other side of its comparison.
fn kind_of(expr: &Expr) -> Option<FieldKind> {
    match &expr.kind {
        ExprKind::Boolean(_)
        | ExprKind::Not(_)
        | ExprKind::And(_)
        | ExprKind::Or(_)
        | ExprKind::Compare(..) => Some(FieldKind::Boolean),
        ExprKind::Integer(_)
        | ExprKind::Number(_)
        | ExprKind::Arithmetic(..)
        | ExprKind::Negative(_)
        | ExprKind::Call(..) => Some(FieldKind::Number),
        ExprKind::String(_) => Some(FieldKind::String),
        ExprKind::Field(_) | ExprKind::Null | ExprKind::List(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::parse;

    fn infer(conditions: &[&str]) -> String {
        let mut inference = Inference::default();
        for (i, text) in conditions.iter().enumerate() {
            inference.read(i, &parse(text).unwrap());
        }
        let show = |(name, verdict): (String, Verdict)| match verdict {
            Verdict::Is(kind, _) => format!("{name}:{kind}"),
            Verdict::Unknown(_) => format!("{name}:?"),
            Verdict::Contradiction(uses) => format!("{name}:!{}", uses.len()),
        };
        inference
            .finish()
            .into_iter()
            .map(show)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn use_tells_the_type() {
        assert_eq!(
            infer(&["state.b or state.a is True"]),
            "a:boolean b:boolean"
        );
        assert_eq!(infer(&["state.a > 5", "state.b == 2"]), "a:number b:number");
        assert_eq!(infer(&["state.a < state.b"]), "a:number b:number");
        assert_eq!(
            infer(&["state.a == state.b", "state.b == state.c", "not state.c"]),
            "a:boolean b:boolean c:boolean"
        );
        assert_eq!(infer(&["state.a == 'x'"]), "a:string");
        assert_eq!(
            infer(&[
                "state.a in [1, 2] or state.b not in ['x']",
                "'x' in state.c or state.d in state.e",
                "len(state.f) > min(state.g, state.h)"
            ]),
            "a:number b:string c:string d:string e:string f:string g:number h:number"
        );
        assert_eq!(infer(&["state.a in []"]), "a:?");
        assert_eq!(infer(&["state.a < 'm'", "state.a is None"]), "a:string");
        assert_eq!(
            infer(&["state.a + state.b > state.c"]),
            "a:number b:number c:number"
        );
        assert_eq!(infer(&["(state.a > 1) == state.b"]), "a:number b:boolean");
        assert_eq!(infer(&["state.a == state.b"]), "a:? b:?");
        assert_eq!(infer(&["state.a is None"]), "a:?");
        assert_eq!(infer(&["state.a > 5", "state.a"]), "a:!2");
        assert_eq!(
            infer(&["state.a == state.b", "state.a", "state.b > 1"]),
            "a:boolean b:number"
        );
    }
}
