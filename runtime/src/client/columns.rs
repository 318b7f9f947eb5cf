//! Rows that lie in columns.

use super::Client;
use crate::layout::State;
use helixor_playbook::{Code, Error, FieldKind, Given};

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

/// The packed values of a row; see [`Client::unpack`].
fn pack(columns: &[Option<Column>], row: usize, words: &mut Vec<u64>) {
    const BITS: usize = u64::BITS as usize;
    words.clear();
    let mut bits = 0;
    for column in columns.iter().flatten() {
        if let Column::Booleans(values) = column {
            if bits % BITS == 0 {
                words.push(0);
            }
            if let (Some(word), Some(value)) = (words.last_mut(), values.get(row)) {
                *word |= u64::from(*value) << (bits % BITS);
            }
            bits += 1;
        }
    }
    for column in columns.iter().flatten() {
        match column {
            Column::Booleans(_) => {}
            Column::Integers(values) => words.extend(values.get(row).map(|v| v.cast_unsigned())),
            Column::Numbers(values) => words.extend(values.get(row).map(|v| v.to_bits())),
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

    fn push(&mut self, verdict: u8, action: usize) {
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
        let packs = |(kind, column): (FieldKind, &Option<Column>)| match column {
            Some(Column::Booleans(_)) => kind == FieldKind::Boolean,
            Some(Column::Integers(_)) => kind == FieldKind::Integer,
            Some(Column::Numbers(_)) => kind == FieldKind::Number,
            None => false,
        };
        let packed = self.field_kinds().zip(columns).all(packs);
        let mut words = Vec::new();
        let states = (0..rows).map(|row| {
            if packed {
                pack(columns, row, &mut words);
                self.unpack(&words)
            } else {
                self.row(columns, row)
            }
        });
        let mut answers = Answers::default();
        for (row, answer) in self.answer_batch(states)?.enumerate() {
            match answer {
                Ok((verdict, action)) => answers.push(verdict as u8, action),
                Err(error) => {
                    answers.push(Answers::FAILED, usize::MAX);
                    answers.errors.push((row, error));
                }
            }
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
