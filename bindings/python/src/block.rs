//! Many rows at once: what `decide_batch` and `decide_columns` give.

use crate::client::types;
use crate::decision::Decision;
use crate::errors::{invalid_argument, raise};
use crate::spec::Spec;
use crate::value::type_name;
use helixor_runtime::client::{self, Answers, Column};
use helixor_runtime::{Error, FieldKind};
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyIndexError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyMapping, PyMemoryView, PyString, PyTuple, PyType};
use std::sync::Arc;

/// The rows of a batch; `helixor_runtime.Batch` makes a sequence of it.
#[pyclass(frozen, module = "helixor_runtime._native")]
pub(crate) struct Rows {
    rows: Arc<[Result<client::Decision, Error>]>,
    spec: Py<Spec>,
}

impl Rows {
    pub(crate) fn new(rows: Vec<Result<client::Decision, Error>>, spec: Py<Spec>) -> Self {
        Self {
            rows: rows.into(),
            spec,
        }
    }
}

#[pymethods]
impl Rows {
    /// `Rows[Action, Rule, Field]`, for type checkers: the class itself.
    #[classmethod]
    fn __class_getitem__<'py>(
        cls: &Bound<'py, PyType>,
        _types: &Bound<'py, PyAny>,
    ) -> Bound<'py, PyType> {
        cls.clone()
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    fn get(&self, py: Python<'_>, row: usize) -> PyResult<Decision> {
        match self.rows.get(row) {
            Some(Ok(decision)) => Decision::new(py, &self.spec, decision.clone()),
            Some(Err(error)) => Err(raise(py, error)),
            None => Err(PyIndexError::new_err("there is no such row")),
        }
    }

    fn errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = self.rows.iter().enumerate();
        errors(
            py,
            rows.filter_map(|(row, decided)| Some((row, decided.as_ref().err()?))),
        )
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.spec)
    }
}

/// Pairs of a row and its exception.
fn errors<'e, 'py>(
    py: Python<'py>,
    failed: impl Iterator<Item = (usize, &'e Error)>,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for (row, error) in failed {
        list.append((row, raise(py, error)))?;
    }
    Ok(list)
}

/// The columns of a mapping from fields' names to buffers, in the order of the client's fields.
pub(crate) fn columns(spec: &Spec, given: &Bound<'_, PyAny>) -> PyResult<Vec<Option<Column>>> {
    let py = given.py();
    let Ok(given) = given.cast::<PyMapping>() else {
        let message = format!("`columns` must be a mapping, not {}", type_name(given));
        return Err(invalid_argument(py, message));
    };
    let fields = &spec.interface.fields;
    let mut columns = vec![None; fields.len()];
    for item in given.items()? {
        let (name, values) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        let text = name
            .cast::<PyString>()
            .ok()
            .and_then(|name| name.to_str().ok());
        let field = text.and_then(|name| fields.iter().position(|f| f.name.as_str() == name));
        let Some((field, slot)) = field.and_then(|i| Some((fields.get(i)?, columns.get_mut(i)?)))
        else {
            let message = format!("`columns` names no field of the pack with {}", name.repr()?);
            return Err(invalid_argument(py, message));
        };
        *slot = Some(column(field.name.as_str(), field.kind, &values)?);
    }
    let lengths = || columns.iter().flatten().map(Column::len);
    match (lengths().min(), lengths().max()) {
        (min, max) if min == max => Ok(columns),
        (min, max) => {
            let (min, max) = (min.unwrap_or_default(), max.unwrap_or_default());
            let message = format!("columns of {min} and of {max} rows do not belong together");
            Err(invalid_argument(py, message))
        }
    }
}

/// Copied, so that no other thread can change it while rows are decided without the GIL.
fn column(name: &str, kind: FieldKind, values: &Bound<'_, PyAny>) -> PyResult<Column> {
    let py = values.py();
    let unfit = |found: &str| {
        let wanted = match kind {
            FieldKind::Boolean => "bools (format ?)",
            FieldKind::Integer => "integers of at most 64 bits, signed",
            FieldKind::Number => "floats or signed integers",
            FieldKind::String => {
                let message =
                    format!("field `{name}` holds texts, which no column can; use decide_batch");
                return invalid_argument(py, message);
            }
        };
        let message =
            format!("the column of field `{name}` must be a buffer of {wanted}, not {found}");
        invalid_argument(py, message)
    };
    // A memoryview fills in what some exporters leave out, and copies whatever steps and places the
    // values have.
    let Ok(view) = PyMemoryView::from(values) else {
        return Err(unfit(&type_name(values)));
    };
    let dimensions: usize = view.getattr(intern!(py, "ndim"))?.extract()?;
    if dimensions != 1 {
        return Err(unfit(&format!("one of {dimensions} dimensions")));
    }
    let format: String = view.getattr(intern!(py, "format"))?.extract()?;
    // Which numbers they are is said by the letter; how long, by the buffer, since letters do not say
    // it alike everywhere.
    let size: usize = view.getattr(intern!(py, "itemsize"))?.extract()?;
    let (order, letter) = match format.as_bytes() {
        [letter] => (b'@', *letter),
        [order, letter] => (*order, *letter),
        _ => (b'@', 0),
    };
    let turned = match order {
        b'<' => cfg!(target_endian = "big"),
        b'>' | b'!' => cfg!(target_endian = "little"),
        _ => false,
    };
    if kind == FieldKind::Number
        && !turned
        && let Ok(numbers) = PyBuffer::<f64>::get(&view)
    {
        return Ok(Column::Numbers(numbers.to_vec(py)?));
    }
    // Bytes that lie together are copied only once.
    let bytes = view.call_method1(intern!(py, "cast"), ("B",));
    let bytes = bytes.or_else(|_| view.call_method0(intern!(py, "tobytes")))?;
    let mut bytes = PyBuffer::<u8>::get(&bytes)?.to_vec(py)?;
    if turned && size > 1 {
        let values = bytes.chunks_exact_mut(size);
        values.for_each(<[u8]>::reverse);
    }
    let integers = matches!(kind, FieldKind::Integer | FieldKind::Number);
    Ok(match (letter, size) {
        // A bool may be any byte in a buffer of someone else's.
        (b'?', 1) if kind == FieldKind::Boolean => {
            Column::Booleans(bytes.into_iter().map(|byte| byte != 0).collect())
        }
        (b'd', 8) if kind == FieldKind::Number => Column::Numbers(each(&bytes, f64::from_ne_bytes)),
        (b'f', 4) if kind == FieldKind::Number => {
            Column::Numbers(each(&bytes, |value| f32::from_ne_bytes(value).into()))
        }
        (b'b' | b'h' | b'i' | b'l' | b'q' | b'n', 1 | 2 | 4 | 8) if integers => {
            Column::Integers(match size {
                1 => each(&bytes, |value| i8::from_ne_bytes(value).into()),
                2 => each(&bytes, |value| i16::from_ne_bytes(value).into()),
                4 => each(&bytes, |value| i32::from_ne_bytes(value).into()),
                _ => each(&bytes, i64::from_ne_bytes),
            })
        }
        (b'B' | b'H' | b'I' | b'L' | b'Q' | b'N', 1 | 2 | 4) if integers => {
            Column::Integers(match size {
                1 => each(&bytes, |value| u8::from_ne_bytes(value).into()),
                2 => each(&bytes, |value| u16::from_ne_bytes(value).into()),
                _ => each(&bytes, |value| u32::from_ne_bytes(value).into()),
            })
        }
        _ => return Err(unfit(&format!("of format {format}"))),
    })
}

/// Values of `N` bytes each.
fn each<const N: usize, T>(bytes: &[u8], read: impl Fn([u8; N]) -> T) -> Vec<T> {
    let (values, _) = bytes.as_chunks();
    values.iter().map(|value| read(*value)).collect()
}

/// `helixor_runtime.Columns` of what was decided.
pub(crate) fn answers<'py>(
    py: Python<'py>,
    spec: &Spec,
    answers: &Answers,
) -> PyResult<Bound<'py, PyAny>> {
    let verdicts = array(py, "B", &answers.verdicts)?;
    let actions = array(py, "I", &answers.actions)?;
    let failed = answers.errors.iter().map(|(row, error)| (*row, error));
    let members = PyTuple::new(py, &spec.actions)?;
    types(py, "Columns")?.call1((verdicts, actions, errors(py, failed)?, members))
}

/// `array.array` of these values, copied once.
fn array<'py, T: Element>(
    py: Python<'py>,
    kind: &str,
    values: &[T],
) -> PyResult<Bound<'py, PyAny>> {
    static ARRAY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let one = ARRAY.import(py, "array", "array")?.call1((kind, (0,)))?;
    let array = one.mul(values.len())?;
    // An empty one may lie anywhere.
    if !values.is_empty() {
        PyBuffer::get(&array)?.copy_from_slice(py, values)?;
    }
    Ok(array)
}
