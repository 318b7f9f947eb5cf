//! Values across the border, strictly: nothing is coerced.

use crate::client::types;
use helixor_runtime::{Given, Value};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// What Python gave for a field; `None` when it is `LEFT_OUT`.
pub(crate) fn given_if_any(value: &Bound<'_, PyAny>) -> PyResult<Option<Given>> {
    static LEFT_OUT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let left_out = LEFT_OUT.get_or_try_init(value.py(), || {
        types(value.py(), "LEFT_OUT").map(Bound::unbind)
    })?;
    (!value.is(left_out)).then(|| given(value)).transpose()
}

fn given(value: &Bound<'_, PyAny>) -> PyResult<Given> {
    if let Ok(value) = value.cast_exact::<PyBool>() {
        Ok(Given::Boolean(value.is_true()))
    } else if value.is_none() {
        Ok(Given::Null)
    } else if value.is_instance_of::<PyInt>() {
        // Read as these two types, the number is the one that is stored: as i128 it would be asked
        // from methods that a subclass can override.
        let signed = value.extract::<i64>().map(i128::from);
        let integer = signed.or_else(|_| value.extract::<u64>().map(i128::from));
        Ok(Given::Integer(integer.ok()))
    } else if let Ok(value) = value.cast::<PyFloat>() {
        Ok(Given::Number(value.value()))
    } else if let Ok(value) = value.cast::<PyString>() {
        Ok(match value.to_str() {
            Ok(text) => Given::String(text.into()),
            Err(_) => Given::lone_surrogate(),
        })
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        Ok(Given::Other("list".into()))
    } else if value.is_instance_of::<PyDict>() {
        Ok(Given::Other("map".into()))
    } else {
        Ok(Given::Other(type_name(value)))
    }
}

/// What messages call the type of a value; a type may not even tell its own name.
pub(crate) fn type_name(value: &Bound<'_, PyAny>) -> String {
    let name = value.get_type().fully_qualified_name();
    let name = name.and_then(|name| Ok(name.to_str()?.to_owned()));
    name.unwrap_or_else(|_| "object of a type without a name".into())
}

/// A value of the runtime as Python's.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Boolean(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Integer(value) => value.into_pyobject(py)?.into_any(),
        Value::Number(value) => PyFloat::new(py, *value).into_any(),
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::List(items) => {
            let items = items.iter().map(|item| to_python(py, item));
            PyTuple::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
    })
}
