//! What would have to change for an approval: the cheapest change of the state that was found, and
//! checked by deciding it.

use crate::explain::difference;
use crate::judge::operand;
use crate::layout::{State, View};
use crate::program::{Outcome, Program};
use helixor_playbook::condition::{ArithmeticOperator, Atom, Comparison, Operand};
use helixor_playbook::{Field, FieldKind, Given, Node, Shape, Value};
use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub};
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet};

/// How many changed states are decided at most for one counterfactual.
pub(crate) const MAX_DECISIONS: usize = 4_096;

/// What would have to change for an approval. `R` and `F` are how rules and fields are named, as in
/// [`Cause`](crate::Cause).
#[derive(Clone, Debug, PartialEq)]
pub struct Counterfactual<R, F> {
    /// The changes as a text: `has_ssn == false (rule NO-SSN); amount <= 5000.0 (rule LIMIT)`, or
    /// `no change found within the search bound`.
    pub remedy: String,
    /// The field of the first change.
    pub target_factor: Option<F>,
    /// The value that the first change asks for; null when there is no change too.
    pub required_value: Value,
    /// The first change's difference.
    pub delta: Option<f64>,
    /// Every change, by rule in priority order, then by field. The state with all of them is
    /// approved; empty when no such state was found.
    pub changes: Vec<Change<R, F>>,
}

/// One change that a [`Counterfactual`] asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Change<R, F> {
    /// The rule that asked for it: the first that still fired without it.
    pub rule: R,
    /// The field to change.
    pub factor: F,
    /// How the new value stands to those that would do for the rule: `==`; `<=` or `>=` where it is
    /// the nearest of a range.
    pub relation: &'static str,
    /// The new value; it can be assigned as it is.
    pub required_value: Value,
    /// The value in the state.
    pub observed_value: Value,
    /// New value less present one; `None` unless both are numbers and it is finite.
    pub delta: Option<f64>,
}

impl<R, F> Counterfactual<R, F> {
    /// The same in other names; `None` when one has none.
    pub fn renamed<S, G>(
        self,
        rule: impl Fn(R) -> Option<S>,
        factor: impl Fn(F) -> Option<G>,
    ) -> Option<Counterfactual<S, G>> {
        let change = |change: Change<R, F>| {
            Some(Change {
                rule: rule(change.rule)?,
                factor: factor(change.factor)?,
                relation: change.relation,
                required_value: change.required_value,
                observed_value: change.observed_value,
                delta: change.delta,
            })
        };
        let changes = self
            .changes
            .into_iter()
            .map(change)
            .collect::<Option<_>>()?;
        Some(Counterfactual {
            remedy: self.remedy,
            target_factor: match self.target_factor {
                Some(target) => Some(factor(target)?),
                None => None,
            },
            required_value: self.required_value,
            delta: self.delta,
            changes,
        })
    }
}

impl Counterfactual<&str, &str> {
    /// It as a document.
    pub fn to_node(&self) -> Node {
        let change = |change: &Change<&str, &str>| {
            Node::map([
                ("rule", change.rule.into()),
                ("factor", change.factor.into()),
                ("relation", change.relation.into()),
                ("required_value", Node::from(&change.required_value)),
                ("observed_value", Node::from(&change.observed_value)),
                ("delta", change.delta.into()),
            ])
        };
        Node::map([
            ("remedy", self.remedy.as_str().into()),
            ("target_factor", self.target_factor.into()),
            ("required_value", Node::from(&self.required_value)),
            ("delta", self.delta.into()),
            ("changes", Node::list(self.changes.iter().map(change))),
        ])
    }
}

/// The counterfactual of an outcome; `None` when no rule fired.
pub(crate) fn counterfactual(
    program: &Program,
    state: &State,
    outcome: &Outcome,
) -> Option<Counterfactual<usize, usize>> {
    let first = outcome.fired_rules().next()?;
    let mut search = Search::new(program, state);
    search.extend(&Set::default(), state, first, MAX_DECISIONS);
    for left in (0..MAX_DECISIONS).rev() {
        let Some(set) = search.queue.pop_first() else {
            break;
        };
        let changed = set.apply(program, state);
        // A state that cannot be decided is no approval, and tells no rule to go on from.
        let Ok(outcome) = program.decide(&changed) else {
            continue;
        };
        match outcome.fired_rules().next() {
            None => return Some(found(program, state, set)),
            Some(rule) => search.extend(&set, &changed, rule, left),
        }
    }
    Some(found(program, state, Set::default()))
}

fn found(program: &Program, state: &State, set: Set) -> Counterfactual<usize, usize> {
    let state = program.view(state);
    let mut steps = set.steps;
    // Steps stand by field, and the sort is stable.
    steps.sort_by_key(|step| step.rule);
    let remedy = |step: &Step| {
        let field = program.playbook().fields.get(step.field);
        format!(
            "{} {} {} (rule {})",
            field.map_or("", |field| field.name.as_str()),
            step.relation,
            step.value,
            program.rule(step.rule).map_or("", |rule| rule.id.as_str()),
        )
    };
    let remedy = match steps.as_slice() {
        [] => "no change found within the search bound".to_owned(),
        steps => steps.iter().map(remedy).collect::<Vec<_>>().join("; "),
    };
    let change = |step: Step| {
        let observed_value = Value::from(state.value(step.field));
        Change {
            rule: step.rule,
            factor: step.field,
            relation: step.relation,
            delta: difference(&step.value, &observed_value),
            observed_value,
            required_value: step.value,
        }
    };
    let changes: Vec<Change<usize, usize>> = steps.into_iter().map(change).collect();
    let first = changes.first();
    Counterfactual {
        remedy,
        target_factor: first.map(|change| change.factor),
        required_value: first.map_or(Value::Null, |change| change.required_value.clone()),
        delta: first.and_then(|change| change.delta),
        changes,
    }
}

/// One change under consideration.
#[derive(Clone, Debug)]
struct Step {
    field: usize,
    value: Value,
    relation: &'static str,
    rule: usize,
    distance: Distance,
    /// Which of the field's candidates it is.
    candidate: usize,
}

/// How far a change goes: |delta|, and what rounding took from it, so that of two values the nearer one
/// is known however far both are. Without a delta it is infinite.
#[derive(Clone, Copy, Debug)]
struct Distance {
    rounded: f64,
    rest: f64,
}

impl Distance {
    fn between(a: &Value, b: &Value) -> Self {
        let (difference, rest) = match (a, b, difference(a, b)) {
            (Value::Integer(a), Value::Integer(b), Some(rounded)) => {
                let exact = i128::from(*a) - i128::from(*b);
                (rounded, (exact - rounded as i128) as f64)
            }
            // Knuth's two-sum: the rounding error of a difference is itself a float.
            (Value::Number(a), Value::Number(b), Some(rounded)) => {
                let taken = a - rounded;
                (rounded, (a - (rounded + taken)) + (taken - b))
            }
            _ => (f64::INFINITY, 0.0),
        };
        Self {
            rounded: difference.abs(),
            rest: rest * difference.signum(),
        }
    }

    fn compare(self, other: Self) -> Ordering {
        self.rounded
            .total_cmp(&other.rounded)
            .then_with(|| (self.rest + 0.0).total_cmp(&(other.rest + 0.0)))
    }
}

/// Changes under consideration, by field.
#[derive(Clone, Debug, Default)]
struct Set {
    cost: f64,
    steps: Vec<Step>,
    /// How many sets were queued before: no two sets compare as equal.
    number: usize,
}

impl Set {
    fn apply(&self, program: &Program, state: &State) -> State {
        let mut changed = state.clone();
        for step in &self.steps {
            let layout = program.layout();
            layout.put(&mut changed, step.field, step.value.clone());
        }
        changed
    }

    fn with(&self, step: Step, fields: &[Field], number: usize) -> Self {
        let mut steps = self.steps.clone();
        let place = steps.partition_point(|other| other.field < step.field);
        steps.insert(place, step);
        // Summed anew in the order of the fields, so that the order of the search cannot show.
        let costs = steps.iter().filter_map(|step| fields.get(step.field));
        Self {
            cost: costs.map(|field| field.cost).sum(),
            steps,
            number,
        }
    }

    /// What the set is, whichever way it was reached.
    fn identity(&self) -> Vec<(usize, Identity)> {
        let steps = self.steps.iter();
        steps
            .map(|step| (step.field, Identity::of(&step.value)))
            .collect()
    }
}

/// Cheaper sets go first; then those of fewer changes, by field, of smaller differences, and in the
/// order of the candidates.
impl Ord for Set {
    fn cmp(&self, other: &Self) -> Ordering {
        let (ours, theirs) = (|| self.steps.iter(), || other.steps.iter());
        let fields = || ours().map(|s| s.field).cmp(theirs().map(|s| s.field));
        let distances = || {
            let mut orders = ours()
                .zip(theirs())
                .map(|(a, b)| a.distance.compare(b.distance));
            orders
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        };
        let candidates = || {
            ours()
                .map(|s| s.candidate)
                .cmp(theirs().map(|s| s.candidate))
        };
        self.cost
            .total_cmp(&other.cost)
            .then_with(|| self.steps.len().cmp(&other.steps.len()))
            .then_with(fields)
            .then_with(distances)
            .then_with(candidates)
            .then_with(|| self.number.cmp(&other.number))
    }
}

impl PartialOrd for Set {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Set {}

/// A value as something to look up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Identity {
    Plain(Option<bool>),
    Integer(i64),
    Number(u64),
    Text(std::sync::Arc<str>),
}

impl Identity {
    fn of(value: &Value) -> Self {
        match value {
            Value::Null | Value::List(_) => Identity::Plain(None),
            Value::Boolean(value) => Identity::Plain(Some(*value)),
            Value::Integer(value) => Identity::Integer(*value),
            Value::Number(value) => Identity::Number(value.to_bits()),
            Value::String(text) => Identity::Text(text.clone()),
        }
    }
}

struct Search<'p> {
    program: &'p Program,
    start: View<'p>,
    /// For each field, the atoms that read it, by rule in priority order.
    atoms: Vec<Vec<&'p Atom>>,
    queue: BTreeSet<Set>,
    seen: HashSet<Vec<(usize, Identity)>>,
    queued: usize,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program, start: &'p State) -> Self {
        let fields = program.playbook().fields.len();
        let mut atoms: Vec<Vec<&Atom>> = vec![Vec::new(); fields];
        for rule in program.rules() {
            rule.condition.tree.atoms(&mut |atom| {
                let mut read: Vec<usize> = Vec::new();
                atom.fields(&mut |field| read.push(field));
                read.sort_unstable();
                read.dedup();
                for field in read {
                    atoms
                        .get_mut(field)
                        .into_iter()
                        .for_each(|list| list.push(atom));
                }
            });
        }
        Self {
            program,
            start: program.view(start),
            atoms,
            queue: BTreeSet::new(),
            seen: HashSet::new(),
            queued: 0,
        }
    }

    /// Queues a set with each candidate of each unchanged field that a rule reads; `state` is the
    /// state with the set, `left` how many more sets can be decided.
    fn extend(&mut self, set: &Set, state: &State, rule: usize, left: usize) {
        let Some(hard_rule) = self.program.rule(rule) else {
            return;
        };
        let fields = &self.program.playbook().fields;
        for index in &hard_rule.condition.fields {
            let changed = set.steps.iter().any(|step| step.field == *index);
            let Some(field) = fields
                .get(*index)
                .filter(|field| field.actionable && !changed)
            else {
                continue;
            };
            // Whatever the value, it would stand behind all that can still be decided.
            let full = self.queue.last().filter(|_| self.queue.len() >= left);
            if full.is_some_and(|last| {
                let cost = set.cost + field.cost;
                cost > last.cost || (cost == last.cost && set.steps.len() + 1 > last.steps.len())
            }) {
                continue;
            }
            for (candidate, (value, relation)) in self
                .candidates(*index, field, state)
                .into_iter()
                .enumerate()
            {
                let step = Step {
                    field: *index,
                    distance: Distance::between(&value, &self.start.value(*index).into()),
                    value,
                    relation,
                    rule,
                    candidate,
                };
                self.queued += 1;
                let extended = set.with(step, fields, self.queued);
                if self.seen.insert(extended.identity()) {
                    self.queue.insert(extended);
                    // What cannot be decided any more need not be kept.
                    if self.queue.len() > left
                        && let Some(last) = self.queue.pop_last()
                    {
                        self.seen.remove(&last.identity());
                    }
                }
            }
        }
    }

    /// The values worth trying for a field in a state, each once, with its relation.
    fn candidates(&self, index: usize, field: &Field, state: &State) -> Vec<(Value, &'static str)> {
        let state = self.program.view(state);
        let present = Value::from(state.value(index));
        let mut list = Candidates {
            shape: Shape::from(field),
            seen: HashSet::from([Identity::of(&present)]),
            present,
            list: Vec::new(),
        };
        if field.kind == FieldKind::Boolean {
            list.push(Value::Boolean(false), false);
            list.push(Value::Boolean(true), false);
        }
        for value in field.allowed_values.iter().flatten() {
            list.push(Value::String(value.as_str().into()), false);
        }
        list.push(Value::Null, false);
        for atom in self.atoms.get(index).into_iter().flatten() {
            match field.kind {
                FieldKind::Boolean => {}
                FieldKind::String => texts(atom, index, state, &mut list),
                FieldKind::Integer | FieldKind::Number => {
                    numbers(atom, index, field.kind, state, &mut list);
                }
            }
        }
        list.list
    }
}

/// Collects the values worth trying for one field.
struct Candidates<'a> {
    shape: Shape<'a>,
    present: Value,
    seen: HashSet<Identity>,
    list: Vec<(Value, &'static str)>,
}

impl Candidates<'_> {
    /// Adds a value that the field can hold; `range`: it is the nearest of several that would do.
    fn push(&mut self, value: Value, range: bool) {
        let Ok(value) = self.shape.accept(Given::from(value)) else {
            return;
        };
        if self.seen.insert(Identity::of(&value)) {
            let relation = match value.compare(&self.present) {
                Some(Ordering::Less) if range => "<=",
                Some(Ordering::Greater) if range => ">=",
                _ => "==",
            };
            self.list.push((value, relation));
        }
    }
}

/// What a text field is compared with, as the other fields stand.
fn texts(atom: &Atom, field: usize, state: View<'_>, list: &mut Candidates<'_>) {
    let membership = matches!(atom.comparison, Comparison::In | Comparison::NotIn);
    let other = match (&atom.left, &atom.right) {
        (Operand::Field(left), other) if *left == field => other,
        (other, Operand::Field(right)) if *right == field && !membership => other,
        _ => return,
    };
    if other.reads(field) {
        return;
    }
    match operand(other, state).map(Value::from) {
        Ok(Value::List(members)) => members.iter().for_each(|m| list.push(m.clone(), false)),
        Ok(text @ Value::String(_)) if !membership => list.push(text, false),
        _ => {}
    }
}

/// The values on both sides of the places where an atom that is linear in a field turns.
fn numbers(atom: &Atom, field: usize, kind: FieldKind, state: View<'_>, list: &mut Candidates<'_>) {
    let range = !matches!(
        atom.comparison,
        Comparison::Equal | Comparison::NotEqual | Comparison::In | Comparison::NotIn
    );
    let Some(left) = Linear::of(&atom.left, field, state) else {
        return;
    };
    let mut turn = |right: Linear| {
        if let Some(place) = left.meets(right) {
            place
                .around(kind)
                .into_iter()
                .for_each(|value| list.push(value, range));
        }
    };
    match &atom.right {
        Operand::Constant(Value::List(members)) => {
            let members = members.iter().filter_map(Linear::constant);
            members.for_each(turn);
        }
        right => {
            if let Some(right) = Linear::of(right, field, state) {
                turn(right);
            }
        }
    }
}

/// `slope * field + offset`.
#[derive(Clone, Copy, Debug)]
struct Linear {
    slope: Exact,
    offset: Exact,
}

/// A number, exact as long as it is made of integers and fits.
#[derive(Clone, Copy, Debug)]
enum Exact {
    Ratio(Ratio<i128>),
    Float(f64),
}

impl Exact {
    fn integer(value: i64) -> Self {
        Exact::Ratio(Ratio::from_integer(value.into()))
    }

    fn float(self) -> f64 {
        match self {
            // An integer is rounded once.
            Exact::Ratio(ratio) if ratio.is_integer() => ratio.to_integer() as f64,
            Exact::Ratio(ratio) => *ratio.numer() as f64 / *ratio.denom() as f64,
            Exact::Float(value) => value,
        }
    }

    fn apply(self, operator: ArithmeticOperator, other: Self) -> Option<Self> {
        use ArithmeticOperator::{Add, Divide, Multiply, Subtract};
        if let (Exact::Ratio(a), Exact::Ratio(b)) = (self, other) {
            let exact = match operator {
                Add => a.checked_add(&b),
                Subtract => a.checked_sub(&b),
                Multiply => a.checked_mul(&b),
                Divide => a.checked_div(&b),
                _ => None,
            };
            if let Some(exact) = exact {
                return Some(Exact::Ratio(exact));
            }
        }
        let (a, b) = (self.float(), other.float());
        Some(Exact::Float(match operator {
            Add => a + b,
            Subtract => a - b,
            Multiply => a * b,
            Divide => a / b,
            _ => return None,
        }))
    }
}

impl Linear {
    /// A number that does not depend on the field.
    fn constant(value: &Value) -> Option<Self> {
        let offset = match value {
            Value::Integer(value) => Exact::integer(*value),
            Value::Number(value) => Exact::Float(*value),
            _ => return None,
        };
        let slope = Exact::integer(0);
        Some(Self { slope, offset })
    }

    /// An operand as it depends on a field, the other fields as they stand; `None` when it is no
    /// number there, or not linear: in a product with another field, under `//`, `%` or a function.
    fn of(side: &Operand, field: usize, state: View<'_>) -> Option<Self> {
        if !side.reads(field) {
            let value = operand(side, state).ok().map(Value::from)?;
            return Self::constant(&value);
        }
        match side {
            Operand::Field(_) => Some(Self {
                slope: Exact::integer(1),
                offset: Exact::integer(0),
            }),
            Operand::Negative(inner) => {
                let minus = Self::constant(&Value::Integer(-1))?;
                minus.apply(ArithmeticOperator::Multiply, Self::of(inner, field, state)?)
            }
            Operand::Arithmetic(first, steps) => {
                let mut sum = Self::of(first, field, state)?;
                let mut reads_one = first.reads_any();
                for (operator, step) in steps {
                    let scales = !matches!(
                        operator,
                        ArithmeticOperator::Add | ArithmeticOperator::Subtract
                    );
                    if scales && reads_one && step.reads_any() {
                        return None;
                    }
                    sum = sum.apply(*operator, Self::of(step, field, state)?)?;
                    reads_one |= step.reads_any();
                }
                Some(sum)
            }
            _ => None,
        }
    }

    fn depends(self) -> bool {
        self.slope.float() != 0.0
    }

    fn apply(self, operator: ArithmeticOperator, other: Self) -> Option<Self> {
        use ArithmeticOperator::{Add, Divide, Multiply, Subtract};
        let (slope, offset) = match operator {
            Add | Subtract => (
                self.slope.apply(operator, other.slope)?,
                self.offset.apply(operator, other.offset)?,
            ),
            Multiply | Divide if !other.depends() => (
                self.slope.apply(operator, other.offset)?,
                self.offset.apply(operator, other.offset)?,
            ),
            Multiply if !self.depends() => return other.apply(operator, self),
            _ => return None,
        };
        Some(Self { slope, offset })
    }

    /// Where two of them are equal.
    fn meets(self, other: Self) -> Option<Place> {
        let slope = self
            .slope
            .apply(ArithmeticOperator::Subtract, other.slope)?;
        let offset = other
            .offset
            .apply(ArithmeticOperator::Subtract, self.offset)?;
        match offset.apply(ArithmeticOperator::Divide, slope)? {
            place @ Exact::Ratio(ratio) => Some(Place {
                below: ratio.numer().checked_div_euclid(*ratio.denom())?,
                exact: ratio.is_integer(),
                float: place.float(),
            }),
            Exact::Float(float) => Place::of_float(float),
        }
    }
}

/// A place on the number line.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The integer at or next below it.
    below: i128,
    /// Whether it is that integer, as far as is known.
    exact: bool,
    float: f64,
}

impl Place {
    fn of_float(float: f64) -> Option<Self> {
        let nearest = float.round();
        // It was computed with rounding, so that an integer this near is as good as met.
        let exact = (float - nearest).abs() <= nearest.abs().max(1.0) * 1e-12;
        float.is_finite().then_some(Self {
            below: if exact { nearest } else { float.floor() } as i128,
            exact,
            float,
        })
    }

    /// The values of that kind at it and next to it.
    fn around(self, kind: FieldKind) -> Vec<Value> {
        if kind == FieldKind::Number {
            let float = self.float;
            return [float.next_down(), float, float.next_up()]
                .map(Value::Number)
                .to_vec();
        }
        let first = if self.exact { -1 } else { 0 };
        (first..=1)
            .filter_map(|by| i64::try_from(self.below.checked_add(by)?).ok())
            .map(Value::Integer)
            .collect()
    }
}
