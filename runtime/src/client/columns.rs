//! Rows that lie in columns.

use super::Client;
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

/// Columns whose rows are packed as [`Client::unpack`] takes them, some rows at a time.
struct Packing<'c> {
    booleans: Vec<&'c [bool]>,
    /// The others.
    numbers: Vec<&'c Column>,
    words: Vec<u64>,
}

impl<'c> Packing<'c> {
    /// How many rows are packed at a time: they stay in the cache.
    const ROWS: usize = 256;

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

    /// The packed rows from one on, a slice each.
    fn rows(&mut self, from: usize, to: usize) -> impl Iterator<Item = &[u64]> {
        fn part<T>(values: &[T], from: usize, to: usize) -> &[T] {
            values.get(from..to).unwrap_or_default()
        }
        let bits = self.booleans.len().div_ceil(BITS);
        // Without fields there are no rows either.
        let width = (bits + self.numbers.len()).max(1);
        self.words.clear();
        self.words.resize(width * (to - from), 0);
        for (i, values) in self.booleans.iter().enumerate() {
            put(
                &mut self.words,
                width,
                i / BITS,
                part(values, from, to),
                |word, value| {
                    *word |= u64::from(*value) << (i % BITS);
                },
            );
        }
        for (i, column) in self.numbers.iter().enumerate() {
            let (words, place) = (&mut self.words, bits + i);
            match column {
                Column::Booleans(_) => {}
                Column::Integers(values) => {
                    put(
                        words,
                        width,
                        place,
                        part(values, from, to),
                        |word, value| {
                            *word = value.cast_unsigned();
                        },
                    );
                }
                Column::Numbers(values) => {
                    put(
                        words,
                        width,
                        place,
                        part(values, from, to),
                        |word, value| {
                            *word = value.to_bits();
                        },
                    );
                }
            }
        }
        self.words.chunks_exact(width)
    }
}

/// Goes through rows of words with the values of a column.
fn put<T>(words: &mut [u64], width: usize, place: usize, values: &[T], set: impl Fn(&mut u64, &T)) {
    for (row, value) in words.chunks_exact_mut(width).zip(values) {
        if let Some(word) = row.get_mut(place) {
            set(word, value);
        }
    }
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

    fn push(&mut self, answer: Result<(Verdict, usize), Error>) {
        let (verdict, action) = match answer {
            Ok((verdict, action)) => (verdict as u8, action),
            Err(error) => {
                self.errors.push((self.verdicts.len(), error));
                (Self::FAILED, usize::MAX)
            }
        };
        self.verdicts.push(verdict);
        self.actions.push(u32::try_from(action).unwrap_or(u32::MAX));
    }
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
        let mut answers = Answers::default();
        match Packing::new(columns, self.field_kinds()) {
            Some(mut packing) => {
                for from in (0..rows).step_by(Packing::ROWS) {
                    for packed in packing.rows(from, rows.min(from + Packing::ROWS)) {
                        answers.push(over.or(|| self.answer_packed(packed)));
                    }
                }
            }
            None => (0..rows).for_each(|row| {
                answers.push(over.or(|| self.answer(&self.row(columns, row)?)));
            }),
        }
        Ok(answers)
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
