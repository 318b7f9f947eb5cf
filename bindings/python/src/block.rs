//! Many rows at once: what `decide_batch` and `decide_columns` give.

use crate::client::types;
use crate::decision::Decision;
use crate::errors::{invalid_argument, raise};
use crate::spec::Spec;
use crate::value::type_name;
use helixor_runtime::client::{self, Answers, Column};
use helixor_runtime::{Error, FieldKind};
use pyo3::buffer::{Element, ElementType, PyUntypedBuffer};
use pyo3::exceptions::PyIndexError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyMapping, PyMemoryView, PyString, PyTuple, PyType};
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
    // By way of a memoryview, which fills in what some exporters leave out.
    let Ok(view) = PyMemoryView::from(values) else {
        return Err(unfit(&type_name(values)));
    };
    let buffer = PyUntypedBuffer::get(view.as_any())?;
    if buffer.dimensions() != 1 {
        return Err(unfit(&format!("one of {} dimensions", buffer.dimensions())));
    }
    let element = ElementType::from_format(buffer.format());
    match (kind, element) {
        (FieldKind::Boolean, ElementType::Bool) => {
            // A bool may be any byte in a buffer of someone else's.
            let bytes = view.call_method0("tobytes")?;
            let bytes = bytes.cast_into::<PyBytes>()?;
            Ok(Column::Booleans(
                bytes.as_bytes().iter().map(|b| *b != 0).collect(),
            ))
        }
        (FieldKind::Number, ElementType::Float { bytes: 8 }) => {
            Ok(Column::Numbers(buffer.into_typed::<f64>()?.to_vec(py)?))
        }
        (FieldKind::Number, ElementType::Float { bytes: 4 }) => {
            Ok(Column::Numbers(widened::<f32, _>(py, buffer)?))
        }
        (FieldKind::Integer | FieldKind::Number, element) => match element {
            ElementType::SignedInteger { bytes: 1 } => {
                Ok(Column::Integers(widened::<i8, _>(py, buffer)?))
            }
            ElementType::SignedInteger { bytes: 2 } => {
                Ok(Column::Integers(widened::<i16, _>(py, buffer)?))
            }
            ElementType::SignedInteger { bytes: 4 } => {
                Ok(Column::Integers(widened::<i32, _>(py, buffer)?))
            }
            ElementType::SignedInteger { bytes: 8 } => {
                Ok(Column::Integers(widened::<i64, _>(py, buffer)?))
            }
            ElementType::UnsignedInteger { bytes: 1 } => {
                Ok(Column::Integers(widened::<u8, _>(py, buffer)?))
            }
            ElementType::UnsignedInteger { bytes: 2 } => {
                Ok(Column::Integers(widened::<u16, _>(py, buffer)?))
            }
            ElementType::UnsignedInteger { bytes: 4 } => {
                Ok(Column::Integers(widened::<u32, _>(py, buffer)?))
            }
            _ => Err(unfit(&format!(
                "of format {}",
                buffer.format().to_string_lossy()
            ))),
        },
        _ => Err(unfit(&format!(
            "of format {}",
            buffer.format().to_string_lossy()
        ))),
    }
}

fn widened<T: Element + Into<U>, U>(py: Python<'_>, buffer: PyUntypedBuffer) -> PyResult<Vec<U>> {
    let values = buffer.into_typed::<T>()?.to_vec(py)?;
    Ok(values.into_iter().map(Into::into).collect())
}

/// `helixor_runtime.Columns` of what was decided.
pub(crate) fn answers<'py>(
    py: Python<'py>,
    spec: &Spec,
    answers: &Answers,
) -> PyResult<Bound<'py, PyAny>> {
    let array = py.import("array")?.getattr("array")?;
    let verdicts = array.call1(("B", PyBytes::new(py, &answers.verdicts)))?;
    let actions: Vec<u8> = answers
        .actions
        .iter()
        .flat_map(|n| n.to_ne_bytes())
        .collect();
    let actions = array.call1(("I", PyBytes::new(py, &actions)))?;
    let failed = answers.errors.iter().map(|(row, error)| (*row, error));
    let members = PyTuple::new(py, &spec.actions)?;
    types(py, "Columns")?.call1((verdicts, actions, errors(py, failed)?, members))
}
