//! The native module of the Python package `helixor_runtime`: it carries values across and holds
//! no rule of its own. Documentation for users stands in `_native.pyi`.
#![forbid(unsafe_code)]
// The docs that count are those of the stub beside the package.
#![allow(missing_docs)]

mod block;
mod client;
mod decision;
mod errors;
mod spec;
mod state;
mod value;

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

#[pyfunction]
fn forked() {
    helixor_runtime::client::forked();
}

/// Refuses to be imported by a second interpreter of the process: exceptions and enums are looked up once
/// for all, and those of one interpreter are strangers in another.
fn only_here(py: Python<'_>) -> PyResult<()> {
    // Each interpreter has its own; kept, no other can take its place in memory.
    static SYS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let sys = py.import("sys")?;
    if SYS.get_or_init(py, || sys.clone().unbind()).is(&sys) {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "helixor_runtime works in one interpreter of a process, and another has imported it already \
         (for mod_wsgi: WSGIApplicationGroup %{GLOBAL})",
    ))
}

// The runtime relies on the GIL for its Python objects; free-threaded builds must not assume else.
#[pymodule(gil_used = true, name = "_native")]
mod native {
    #[pymodule_export]
    use super::block::Rows;
    #[pymodule_export]
    use super::client::{BuiltinClient, Client};
    #[pymodule_export]
    use super::decision::Decision;
    #[pymodule_export]
    use super::spec::Spec;
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        only_here(module.py())?;
        // A child of os.fork has ledgers of its own.
        let fork = PyDict::new(module.py());
        fork.set_item("after_in_child", wrap_pyfunction!(forked, module)?)?;
        let os = module.py().import("os")?;
        if let Ok(register) = os.getattr("register_at_fork") {
            register.call((), Some(&fork))?;
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
