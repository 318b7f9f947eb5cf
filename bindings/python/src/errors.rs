//! Errors of the runtime as the exceptions of `helixor_runtime.errors`.

use helixor_runtime::client::unpanicked;
use helixor_runtime::{Code, Error};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

/// The exception of an error.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    exception(py, error).map_or_else(|failed| failed, PyErr::from_value)
}

/// What the runtime gives; its errors, panics too, are exceptions.
pub(crate) fn run<T>(py: Python<'_>, body: impl FnOnce() -> Result<T, Error>) -> PyResult<T> {
    unpanicked(body).map_err(|error| raise(py, &error))
}

/// An INVALID_ARGUMENT.
pub(crate) fn invalid_argument(py: Python<'_>, message: String) -> PyErr {
    raise(py, &Error::new(Code::InvalidArgument, message, ""))
}

fn exception<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    static BY_CODE: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let by_code = BY_CODE.import(py, "helixor_runtime.errors", "BY_CODE")?;
    let alone = |fault: &Error| {
        let class = by_code.as_any().get_item(fault.code().as_str())?;
        class.call1((fault.message(), fault.help()))
    };
    let all = error.all();
    if all.len() == 1 {
        return alone(error);
    }
    let all = all.into_iter().map(alone).collect::<PyResult<Vec<_>>>()?;
    let class = by_code.as_any().get_item(error.code().as_str())?;
    class.call1((error.message(), error.help(), PyTuple::new(py, all)?))
}
