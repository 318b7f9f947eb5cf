//! Rows that lie in columns.

use super::Client;
use super::decision::client_number;
use crate::layout::State;
use helixor_playbook::{Code, Error, FieldKind, Given, Verdict};

/// The values of one field in many rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Of booleans.
    Booleans(Vec<bool>),
    /// Of integers.
    Integers(Vec<i64>),
    /// Of floats.
    Numbers(Vec<f64>),
}

impl Column {
    /// How many rows it has.
    #[allow(
        clippy::len_without_is_empty,
        reason = "a column without rows is one like others"
    )]
    pub fn len(&self) -> usize {
        match self {
            Column::Booleans(values) => values.len(),
            Column::Integers(values) => values.len(),
            Column::Numbers(values) => values.len(),
        }
    }

    fn given(&self, row: usize) -> Option<Given> {
        Some(match self {
            Column::Booleans(values) => Given::Boolean(*values.get(row)?),
            Column::Integers(values) => Given::Integer(Some((*values.get(row)?).into())),
            Column::Numbers(values) => Given::Number(*values.get(row)?),
        })
    }
}

const BITS: usize = u64::BITS as usize;

/// How many rows are packed at a time: they stay in the cache.
const ROWS: usize = 256;

/// How many booleans are few: they make a byte.
const FEW: usize = u8::BITS as usize;

/// What is decided on each byte of a few booleans: verdict and action.
type Known = [(u8, u32); 1 << FEW];

/// Columns whose rows are packed as [`Client::unpack`] takes them, some rows at a time.
struct Packing<'c> {
    booleans: Vec<&'c [bool]>,
    /// The others.
    numbers: Vec<&'c Column>,
    words: Vec<u64>,
}

impl<'c> Packing<'c> {
    /// `None` when a column is not of its field's kind, or is not there.
    fn new(columns: &'c [Option<Column>], kinds: impl Iterator<Item = FieldKind>) -> Option<Self> {
        let (mut booleans, mut numbers) = (Vec::new(), Vec::new());
        for (column, kind) in columns.iter().zip(kinds) {
            match (column.as_ref()?, kind) {
                (Column::Booleans(values), FieldKind::Boolean) => booleans.push(values.as_slice()),
                (column @ Column::Integers(_), FieldKind::Integer)
                | (column @ Column::Numbers(_), FieldKind::Number) => numbers.push(column),
                _ => return None,
            }
        }
        Some(Self {
            booleans,
            numbers,
            words: Vec::new(),
        })
    }

    /// The packed rows from one on, at most [`ROWS`], a slice each.
    fn rows(&mut self, from: usize, to: usize) -> impl Iterator<Item = &[u64]> {
        let bits = self.booleans.len().div_ceil(BITS);
        // Without fields there are no rows either.
        let width = (bits + self.numbers.len()).max(1);
        let words = &mut self.words;
        words.clear();
        words.resize(width * (to - from), 0);
        for (i, columns) in self.booleans.chunks(FEW).enumerate() {
            let (place, shift) = (i * FEW / BITS, i * FEW % BITS);
            let bytes = bytes(columns, from, to);
            put(words, width, place, &bytes, |word, byte| {
                *word |= u64::from(*byte) << shift;
            });
        }
        for (place, column) in (bits..).zip(&self.numbers) {
            match column {
                Column::Booleans(_) => {}
                Column::Integers(values) => {
                    let values = part(values, from, to);
                    put(words, width, place, values, |word, value| {
                        *word = value.cast_unsigned()
                    });
                }
                Column::Numbers(values) => {
                    let values = part(values, from, to);
                    put(words, width, place, values, |word, value| {
                        *word = value.to_bits()
                    });
                }
            }
        }
        self.words.chunks_exact(width)
    }
}

fn part<T>(values: &[T], from: usize, to: usize) -> &[T] {
    values.get(from..to).unwrap_or_default()
}

/// A byte for each of at most [`ROWS`] rows, of columns of at most [`FEW`] booleans: the machine packs
/// many rows at once.
fn bytes(columns: &[&[bool]], from: usize, to: usize) -> [u8; ROWS] {
    let mut bytes = [0; ROWS];
    for (bit, values) in columns.iter().enumerate() {
        for (byte, value) in bytes.iter_mut().zip(part(values, from, to)) {
            *byte |= u8::from(*value) << bit;
        }
    }
    bytes
}

/// Goes through rows of words with the values of a column.
#[inline]
fn put<T>(words: &mut [u64], width: usize, place: usize, values: &[T], set: impl Fn(&mut u64, &T)) {
    let words = words.iter_mut().skip(place).step_by(width);
    words.zip(values).for_each(|(word, value)| set(word, value));
}

/// What was decided on each of many rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// The verdicts: 0 approve, 1 redact, 2 refuse, [`Answers::FAILED`].
    pub verdicts: Vec<u8>,
    /// The actions by the client's numbers; `u32::MAX` for rows that failed.
    pub actions: Vec<u32>,
    /// The rows that failed, in their order, and why.
    pub errors: Vec<(usize, Error)>,
}

impl Answers {
    /// The verdict of a row that failed.
    pub const FAILED: u8 = u8::MAX;

    fn with_capacity(rows: usize) -> Self {
        Self {
            verdicts: Vec::with_capacity(rows),
            actions: Vec::with_capacity(rows),
            errors: Vec::new(),
        }
    }

    fn push(&mut self, answer: Result<(Verdict, usize), Error>) {
        let (verdict, action) = match answer {
            Ok(answer) => numbers(answer),
            Err(error) => {
                self.errors.push((self.verdicts.len(), error));
                (Self::FAILED, u32::MAX)
            }
        };
        self.verdicts.push(verdict);
        self.actions.push(action);
    }

    fn extend(&mut self, rows: &[u8], known: &Known) {
        let failed = (Self::FAILED, u32::MAX);
        let known = |row: &u8| known.get(usize::from(*row)).copied().unwrap_or(failed);
        self.verdicts.extend(rows.iter().map(|row| known(row).0));
        self.actions.extend(rows.iter().map(|row| known(row).1));
    }
}

fn numbers((verdict, action): (Verdict, usize)) -> (u8, u32) {
    (verdict as u8, u32::try_from(action).unwrap_or(u32::MAX))
}

impl Client {
    /// Decides on rows that lie in columns, one for each of the client's fields in its order; `None`
    /// leaves that field out of every row. What fails, fails as in [`Client::decide_batch`].
    ///
    /// # Errors
    /// LICENSE_EXPIRED when the licence's window is over at the start; INVALID_ARGUMENT when the columns
    /// are not as many as the fields, or not equally long; STATE_MISSING when a field that must be given
    /// has none.
    pub fn answer_columns(&self, columns: &[Option<Column>]) -> Result<Answers, Error> {
        let lengths = || columns.iter().flatten().map(Column::len);
        let rows = lengths().next().unwrap_or_default();
        if columns.len() != self.bound.slots.len() || lengths().any(|length| length != rows) {
            let message = "there must be a column for each field, all of one length";
            return Err(Error::new(Code::InvalidArgument, message, ""));
        }
        if rows > 0 && columns.contains(&None) {
            let fault = self.row(columns, 0).err();
            let faults = fault.iter().flat_map(Error::all);
            let missing = faults.filter(|fault| fault.code() == Code::StateMissing);
            if let Some(error) = Error::first_of(missing.cloned().collect()) {
                return Err(error);
            }
        }
        let mut over = self.begin_batch()?;
        let mut answers = Answers::with_capacity(rows);
        let Some(mut packing) = Packing::new(columns, self.field_kinds()) else {
            (0..rows).for_each(|row| {
                answers.push(over.or(|| self.answer(&self.row(columns, row)?)));
            });
            return Ok(answers);
        };
        // Within the moment that some quick rows take, no window ends that the clock would show.
        let quick = self.is_quick();
        let known = quick.then(|| self.known(&packing, rows)).flatten();
        for from in (0..rows).step_by(ROWS) {
            let to = rows.min(from + ROWS);
            if !quick {
                let packed = packing.rows(from, to);
                packed.for_each(|row| answers.push(over.or(|| self.answer_packed(row))));
                continue;
            }
            match (over.or(|| self.check_window()), &known) {
                (Err(error), _) => {
                    (from..to).for_each(|_| answers.push(Err(error.clone())));
                }
                (Ok(()), Some(known)) => {
                    let bytes = bytes(&packing.booleans, from, to);
                    answers.extend(part(&bytes, 0, to - from), known);
                }
                (Ok(()), None) => {
                    let packed = packing.rows(from, to);
                    packed.for_each(|row| answers.push(self.look(row)));
                }
            }
        }
        Ok(answers)
    }

    /// What is decided on every state, if rows are a few booleans and no fewer than there are states.
    fn known(&self, packing: &Packing<'_>, rows: usize) -> Option<Known> {
        let booleans = packing.booleans.len();
        let few = packing.numbers.is_empty() && (1..=FEW).contains(&booleans);
        if !few || rows < 1 << booleans {
            return None;
        }
        let mut known = [(Answers::FAILED, u32::MAX); 1 << FEW];
        for (word, known) in (0..1 << booleans).zip(&mut known) {
            *known = numbers(self.look(&[word]).ok()?);
        }
        Some(known)
    }

    /// Whether nothing is counted and a decision takes no time to speak of: then the licence's window is
    /// looked at once for some rows.
    fn is_quick(&self) -> bool {
        let licensed = self.licensed.as_ref();
        let counts = self.records.is_some() || licensed.is_some_and(|l| l.0.meter.is_some());
        !counts && self.bound.pack.is_quick()
    }

    /// What is decided on packed values, counted nowhere.
    fn look(&self, packed: &[u64]) -> Result<(Verdict, usize), Error> {
        let pack = &self.bound.pack;
        let (verdict, action) = match self.head(packed) {
            Some((verdict, action)) => (verdict, action as usize),
            None => {
                let outcome = pack.decide(&self.unpack(packed)?)?;
                (outcome.verdict(), outcome.action())
            }
        };
        Ok((verdict, client_number(&self.bound.actions, action)))
    }

    /// The state of one row.
    pub(super) fn row(&self, columns: &[Option<Column>], row: usize) -> Result<State, Error> {
        let mut state = self.state();
        for (field, column) in columns.iter().enumerate() {
            if let Some(given) = column.as_ref().and_then(|column| column.given(row)) {
                state.set(field, given);
            }
        }
        state.finish()
    }
}
