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

    /// The words, to be filled.
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
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

/// A word that holds an integer or a number as other languages have it, and its place in the order of the
/// values that are taken: without branches or floats, which 200 of them would wait for.
#[derive(Clone, Copy, Debug)]
struct Packed {
    /// The bits to turn round in the words of negative numbers; 0 for integers.
    turned: u64,
    /// The least word of a state, and how far it is to the greatest.
    low: i64,
    span: u64,
}

impl Packed {
    fn of(taken: Taken) -> Option<Self> {
        let (turned, low, high) = match taken {
            Taken::Integers(min, max) => (0, min, max),
            Taken::Numbers(min, max) => (NUMBER, ordered(min + 0.0), ordered(max + 0.0)),
            Taken::All | Taken::Unknown => return None,
        };
        (low <= high).then_some(Self {
            turned,
            low,
            span: high.wrapping_sub(low).cast_unsigned(),
        })
    }

    /// The word of a state, and whether its value is taken; NaN lies beyond every number.
    #[inline]
    fn word(self, packed: u64) -> (u64, bool) {
        let sign = (packed.cast_signed() >> 63).cast_unsigned();
        let word = packed ^ (sign & self.turned);
        // -0.0, the number below 0.0, is kept as 0.0.
        let zero = self.turned != 0 && word == u64::MAX;
        let word = if zero { 0 } else { word };
        let above = word.wrapping_sub(self.low.cast_unsigned());
        (word, above <= self.span)
    }
}

/// Where the values of a pack's fields lie.
#[derive(Debug)]
pub(crate) struct Layout {
    /// For each field.
    places: Box<[Place]>,
    /// For each field.
    taken: Box<[Taken]>,
    /// For each integer and number, what a word that is packed may be; `None` when that is not plain for all
    /// fields.
    packed: Option<Box<[Packed]>>,
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
        let places = places.collect();
        let numeric = |field: &&Field| matches!(field.kind, FieldKind::Integer | FieldKind::Number);
        Self {
            places,
            taken: fields.iter().map(Taken::by).collect(),
            packed: match texts {
                0 => fields
                    .iter()
                    .filter(numeric)
                    .map(|field| Packed::of(Taken::by(field)))
                    .collect(),
                _ => None,
            },
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

    /// Fills the words of a state, all 0 before, with packed values (see
    /// [`Client::unpack`](crate::Client::unpack)), if each plainly fits; else they are left half filled.
    // Word by word: what was just stored is read back at once, and only a load of the same size need not
    // wait for it.
    #[inline]
    pub(crate) fn fill(&self, words: &mut [u64], packed: &[u64]) -> bool {
        let bits = self.booleans.div_ceil(BITS);
        let (Some((flags, numbers)), Some(taken)) = (packed.split_at_checked(bits), &self.packed)
        else {
            return false;
        };
        if numbers.len() != taken.len() || words.len() != self.words {
            return false;
        }
        if let Some(last) = flags.last()
            && !self.booleans.is_multiple_of(BITS)
            && *last >> (self.booleans % BITS) != 0
        {
            return false;
        }
        for (word, flags) in words.iter_mut().zip(flags) {
            *word = *flags;
        }
        let mut all = true;
        let words = words.iter_mut().skip(self.words - numbers.len());
        for (word, (number, taken)) in words.zip(numbers.iter().zip(taken)) {
            let (number, fits) = taken.word(*number);
            *word = number;
            all &= fits;
        }
        all
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
    bits ^ ((bits >> 63) & NUMBER.cast_signed())
}

/// All bits but the sign's.
const NUMBER: u64 = u64::MAX >> 1;

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
    fn packed_words_are_taken_as_values_are() {
        let bounds = |min: &str, max: &str| format!(r#", "min_value": {min}, "max_value": {max}"#);
        let shapes = [
            ("integer", String::new()),
            ("integer", bounds("-7", "-7")),
            ("integer", bounds("-9223372036854775808", "0")),
            ("integer", bounds("-1", "9223372036854775807")),
            ("number", String::new()),
            ("number", bounds("-0.0", "2.5")),
            ("number", bounds("-2.5", "-0.0")),
            ("number", bounds("-1", "1")),
            ("number", bounds("1e300", "1.7976931348623157e308")),
        ];
        for (kind, bounds) in shapes {
            let source = format!(
                r#"{{"pack_id": "acme.x.v1", "version": "1.0.0", "actions": ["a"], "default_action": "a",
                "state_schema": {{"f": {{"type": "{kind}"{bounds}}}}},
                "hard_rules": [{{"id": "R", "condition": "state.f > 0", "action": "a"}}]}}"#
            );
            let root = helixor_playbook::read(&source, helixor_playbook::Format::Json).unwrap();
            let fields = helixor_playbook::check(&source, &root).unwrap().fields;
            let layout = Layout::new(&fields);
            let numbers = [
                0.0,
                5e-324,
                1.0,
                2.5,
                2.6,
                1e300,
                f64::MAX,
                f64::INFINITY,
                f64::NAN,
            ];
            let words = numbers.iter().flat_map(|n| [n.to_bits(), (-n).to_bits()]);
            let integers = [-8, -7, -6, -1, 1, 2, i64::MIN, i64::MAX];
            let mut taken = 0;
            for word in words.chain(integers.map(i64::cast_unsigned)) {
                let given = match kind {
                    "integer" => Given::Integer(Some(word.cast_signed().into())),
                    _ => Given::Number(f64::from_bits(word)),
                };
                let (mut each, mut packed) = (layout.blank(), layout.blank());
                let fits = layout.take(&mut each, 0, given).is_none();
                assert_eq!(
                    layout.fill(packed.words_mut(), &[word]),
                    fits,
                    "{word:#x} {bounds}"
                );
                assert!(!fits || packed == each, "{word:#x} {bounds}");
                taken += usize::from(fits);
            }
            assert!(taken > 0, "{bounds}");
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
