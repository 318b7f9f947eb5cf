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

use pyo3::prelude::*;
use pyo3::types::PyDict;

// The runtime relies on the GIL for its Python objects; free-threaded builds must not assume else.
#[pyfunction]
fn forked() {
    helixor_runtime::client::forked();
}

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
