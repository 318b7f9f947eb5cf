//! How the states of a pack lie in memory: small, and ready to be judged without looking at types.
//!
//! A boolean is a bit, an integer or number a word. When the pack has optional fields, each field also has
//! a bit that says whether it is null. Texts stand apart.

use helixor_playbook::{Field, FieldKind, Given, Value, ValueRef};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// A normal state: every field of the pack with its value.
///
/// Made by [`Pack::state`](crate::Pack::state) or a [`StateBuilder`](crate::StateBuilder); it
/// belongs to the pack it was made for.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Bits of booleans, bits of nulls, then the words of numbers. What is null is 0 here.
    words: SmallVec<[u64; 2]>,
    /// None for null.
    texts: Box<[Option<Arc<str>>]>,
}

impl State {
    /// The words, for the tables of a program.
    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    fn set_word(&mut self, word: u32, value: i64) {
        if let Some(slot) = self.words.get_mut(word as usize) {
            *slot = value.cast_unsigned();
        }
    }

    /// `-0.0` is kept as `0.0`.
    fn set_number(&mut self, word: u32, value: f64) {
        self.set_word(word, ordered(value + 0.0));
    }

    fn set_text(&mut self, place: u32, text: Option<Arc<str>>) {
        if let Some(slot) = self.texts.get_mut(place as usize) {
            *slot = text;
        }
    }
}

/// Where a field's value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A boolean: a bit, counted over all words.
    Bit(u32),
    /// An integer: a word.
    Integer(u32),
    /// A number: a word.
    Number(u32),
    /// A string: one of the texts.
    Text(u32),
}

/// Which values of a field's own type it takes; what is not said here is asked of its
/// [`Shape`](helixor_playbook::Shape).
#[derive(Clone, Copy, Debug)]
enum Taken {
    /// Every one.
    All,
    /// The integers from one to another.
    Integers(i64, i64),
    /// The numbers from one to another.
    Numbers(f64, f64),
    /// It depends.
    Unknown,
}

impl Taken {
    fn by(field: &Field) -> Self {
        let (min, max) = (field.min_value.as_ref(), field.max_value.as_ref());
        match field.kind {
            FieldKind::Boolean => Taken::All,
            FieldKind::String if field.allowed_values.is_none() => Taken::All,
            FieldKind::String => Taken::Unknown,
            FieldKind::Integer => {
                let bound = |bound: Option<&Value>, none| match bound {
                    None => Some(none),
                    Some(Value::Integer(bound)) => Some(*bound),
                    Some(_) => None,
                };
                match (bound(min, i64::MIN), bound(max, i64::MAX)) {
                    (Some(min), Some(max)) => Taken::Integers(min, max),
                    _ => Taken::Unknown,
                }
            }
            FieldKind::Number => {
                let bound = |bound: Option<&Value>, none| match bound {
                    None => Some(none),
                    Some(Value::Number(bound)) => Some(*bound),
                    Some(Value::Integer(bound)) => {
                        let float = *bound as f64;
                        (float as i128 == i128::from(*bound)).then_some(float)
                    }
                    Some(_) => None,
                };
                match (bound(min, f64::MIN), bound(max, f64::MAX)) {
                    (Some(min), Some(max)) => Taken::Numbers(min, max),
                    _ => Taken::Unknown,
                }
            }
        }
    }
}

/// Where the values of a pack's fields lie.
#[derive(Debug)]
pub(crate) struct Layout {
    /// For each field.
    places: Box<[Place]>,
    /// For each field.
    taken: Box<[Taken]>,
    /// For each integer and number.
    packed: Box<[Taken]>,
    /// The first bit of nulls; one follows for each field. `None` when no field is optional.
    nulls: Option<usize>,
    booleans: usize,
    words: usize,
    texts: usize,
}

const BITS: usize = u64::BITS as usize;

impl Layout {
    pub(crate) fn new(fields: &[Field]) -> Self {
        let booleans = fields.iter().filter(|f| f.kind == FieldKind::Boolean);
        let booleans = booleans.count();
        let mut words = booleans.div_ceil(BITS);
        let optional = fields.iter().any(|field| !field.required);
        let nulls = optional.then_some(words * BITS);
        if optional {
            words += fields.len().div_ceil(BITS);
        }
        let (mut bits, mut texts) = (0, 0);
        let next = |counter: &mut usize| {
            *counter += 1;
            // A playbook has far fewer fields than numbers fit into 32 bits.
            u32::try_from(*counter - 1).unwrap_or(u32::MAX)
        };
        let places = fields.iter().map(|field| match field.kind {
            FieldKind::Boolean => Place::Bit(next(&mut bits)),
            FieldKind::Integer => Place::Integer(next(&mut words)),
            FieldKind::Number => Place::Number(next(&mut words)),
            FieldKind::String => Place::Text(next(&mut texts)),
        });
        let numeric = |field: &&Field| matches!(field.kind, FieldKind::Integer | FieldKind::Number);
        Self {
            places: places.collect(),
            taken: fields.iter().map(Taken::by).collect(),
            packed: fields.iter().filter(numeric).map(Taken::by).collect(),
            nulls,
            booleans,
            words,
            texts,
        }
    }

    /// Where a field lies; `None` for a number beyond the fields.
    fn place(&self, field: usize) -> Option<Place> {
        self.places.get(field).copied()
    }

    /// How many words its states have.
    pub(crate) const fn words(&self) -> usize {
        self.words
    }

    /// A state to be filled.
    pub(crate) fn unfilled() -> State {
        State {
            words: SmallVec::new(),
            texts: Box::default(),
        }
    }

    /// A state with every boolean false, every number 0 and every text null.
    pub(crate) fn blank(&self) -> State {
        State {
            words: smallvec![0; self.words],
            texts: vec![None; self.texts].into(),
        }
    }

    /// Puts a value into a state; it must be of the field's type, or null.
    pub(crate) fn put(&self, state: &mut State, field: usize, value: Value) {
        self.mark(state, field, value == Value::Null);
        match (self.place(field), value) {
            (Some(Place::Bit(bit)), value) => {
                set_bit(
                    &mut state.words,
                    bit as usize,
                    value == Value::Boolean(true),
                );
            }
            (Some(Place::Integer(word)), Value::Integer(value)) => {
                state.set_word(word, value);
            }
            (Some(Place::Number(word)), Value::Number(value)) => {
                state.set_word(word, ordered(value));
            }
            (Some(Place::Integer(word) | Place::Number(word)), _) => state.set_word(word, 0),
            (Some(Place::Text(place)), Value::String(text)) => state.set_text(place, Some(text)),
            (Some(Place::Text(place)), _) => state.set_text(place, None),
            (None, _) => {}
        }
    }

    /// Puts a value that was given into a state, if it plainly fits; else gives it back.
    #[inline]
    pub(crate) fn take(&self, state: &mut State, field: usize, given: Given) -> Option<Given> {
        let (Some(place), Some(taken)) = (self.place(field), self.taken.get(field)) else {
            return Some(given);
        };
        match (place, given, taken) {
            (Place::Bit(bit), Given::Boolean(value), _) => {
                set_bit(&mut state.words, bit as usize, value);
            }
            (Place::Integer(word), Given::Integer(Some(value)), Taken::Integers(min, max))
                if i128::from(*min) <= value && value <= i128::from(*max) =>
            {
                state.set_word(word, value as i64);
            }
            (Place::Number(word), Given::Number(value), Taken::Numbers(min, max))
                if *min <= value && value <= *max =>
            {
                state.set_number(word, value);
            }
            (Place::Text(place), Given::String(text), Taken::All) => {
                state.set_text(place, Some(text));
            }
            (_, given, _) => return Some(given),
        }
        self.mark(state, field, false);
        None
    }

    /// Fills a state with packed values (see [`Client::unpack`](crate::Client::unpack)), if each plainly
    /// fits; else it is left half filled.
    // In place and word by word: what was just stored is read back at once, and only a load of the same
    // size need not wait for it.
    #[inline(always)]
    pub(crate) fn fill(&self, state: &mut State, packed: &[u64]) -> bool {
        let bits = self.booleans.div_ceil(BITS);
        if self.texts > 0 || packed.len() != bits + self.packed.len() {
            return false;
        }
        let (flags, numbers) = packed.split_at(bits);
        if let Some(last) = flags.last()
            && !self.booleans.is_multiple_of(BITS)
            && *last >> (self.booleans % BITS) != 0
        {
            return false;
        }
        state.words.clear();
        for word in flags {
            state.words.push(*word);
        }
        if self.nulls.is_some() {
            state.words.resize(self.words - numbers.len(), 0);
        }
        for (word, taken) in numbers.iter().zip(&self.packed) {
            let (fits, word) = match taken {
                Taken::Integers(min, max) => {
                    let value = word.cast_signed();
                    (*min <= value && value <= *max, *word)
                }
                Taken::Numbers(min, max) => {
                    let value = f64::from_bits(*word);
                    let fits = *min <= value && value <= *max;
                    (fits, ordered(value + 0.0).cast_unsigned())
                }
                Taken::All | Taken::Unknown => return false,
            };
            if !fits {
                return false;
            }
            state.words.push(word);
        }
        true
    }

    /// Notes whether a field is null.
    fn mark(&self, state: &mut State, field: usize, null: bool) {
        if let Some(nulls) = self.nulls {
            set_bit(&mut state.words, nulls + field, null);
        }
    }

    /// A state with its fields.
    pub(crate) const fn view<'a>(&'a self, state: &'a State) -> View<'a> {
        View {
            layout: self,
            state,
        }
    }
}

/// A state that knows where its fields lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    layout: &'a Layout,
    state: &'a State,
}

impl<'a> View<'a> {
    /// Where a field lies.
    pub(crate) fn place(self, field: usize) -> Option<Place> {
        self.layout.place(field)
    }

    /// The value of a field.
    pub(crate) fn value(self, field: usize) -> ValueRef<'a> {
        let words = self.state.words();
        if let Some(nulls) = self.layout.nulls
            && bit(words, nulls + field)
        {
            return ValueRef::Null;
        }
        let word = |word: u32| {
            let word = words.get(word as usize);
            word.copied().unwrap_or_default().cast_signed()
        };
        match self.layout.place(field) {
            Some(Place::Bit(place)) => ValueRef::Boolean(bit(words, place as usize)),
            Some(Place::Integer(place)) => ValueRef::Integer(word(place)),
            Some(Place::Number(place)) => ValueRef::Number(unordered(word(place))),
            Some(Place::Text(place)) => match self.state.texts.get(place as usize) {
                Some(Some(text)) => ValueRef::String(text),
                _ => ValueRef::Null,
            },
            None => ValueRef::Null,
        }
    }
}

fn bit(words: &[u64], bit: usize) -> bool {
    words
        .get(bit / BITS)
        .is_some_and(|word| word >> (bit % BITS) & 1 == 1)
}

fn set_bit(words: &mut [u64], bit: usize, value: bool) {
    if let Some(word) = words.get_mut(bit / BITS) {
        let mask = 1 << (bit % BITS);
        *word = if value { *word | mask } else { *word & !mask };
    }
}

/// A float as an integer of the same order: floats that are not negative are ordered as their bits are,
/// negative ones the other way round. Neither NaN nor `-0.0` is in a state.
pub(crate) fn ordered(number: f64) -> i64 {
    flipped(number.to_bits().cast_signed())
}

/// The float that [`ordered`] made this integer of.
fn unordered(key: i64) -> f64 {
    f64::from_bits(flipped(key).cast_unsigned())
}

const fn flipped(bits: i64) -> i64 {
    bits ^ ((bits >> 63) & i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_order_and_come_back() {
        let numbers = [
            f64::MIN,
            -1.5,
            -1.0,
            -f64::MIN_POSITIVE,
            -5e-324,
            0.0,
            5e-324,
            0.1,
            1.0,
            9_007_199_254_740_992.0,
            f64::MAX,
        ];
        assert!(numbers.is_sorted_by(|a, b| ordered(*a) < ordered(*b)));
        for number in numbers {
            assert_eq!(unordered(ordered(number)).to_bits(), number.to_bits());
        }
    }

    #[test]
    fn every_field_holds_its_own_value() {
        // Enough of each kind to need several words of bits.
        for required in [true, false] {
            let fields = (0..400).map(|i| {
                let kind = FieldKind::ALL[i % 4];
                let required = required || i % 3 != 0;
                format!(r#""f{i:03}": {{"type": "{kind}", "required": {required}}}"#)
            });
            let source = format!(
                r#"{{"pack_id": "acme.x.v1", "version": "1.0.0", "actions": ["a"], "default_action": "a",
                "state_schema": {{{}}},
                "hard_rules": [{{"id": "R", "condition": "state.f000", "action": "a"}}]}}"#,
                fields.collect::<Vec<_>>().join(",")
            );
            let root = helixor_playbook::read(&source, helixor_playbook::Format::Json).unwrap();
            let fields = helixor_playbook::check(&source, &root).unwrap().fields;
            let value = |i: usize, round: usize| match fields[i].kind {
                _ if !fields[i].required && (i + round).is_multiple_of(2) => Value::Null,
                FieldKind::Boolean => Value::Boolean((i / 4 + round).is_multiple_of(2)),
                FieldKind::Integer => Value::Integer(-(i as i64) + round as i64),
                FieldKind::Number => Value::Number(i as f64 / -7.0 + round as f64),
                FieldKind::String => Value::String(format!("{i} {round}").into()),
            };
            let layout = Layout::new(&fields);
            let mut state = layout.blank();
            for round in 0..3 {
                for i in 0..fields.len() {
                    layout.put(&mut state, i, value(i, round));
                }
                for i in 0..fields.len() {
                    let found = Value::from(layout.view(&state).value(i));
                    assert_eq!(found, value(i, round), "{i} {round}");
                }
            }
        }
    }
}
