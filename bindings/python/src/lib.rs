//! The native module of the Python package `helixor_runtime`: it carries values across and holds
//! no rule of its own. Documentation for users stands in `_native.pyi`.
#![forbid(unsafe_code)]
// The docs that count are those of the stub beside the package.
#![allow(missing_docs)]

mod client;
mod decision;
mod errors;
mod spec;
mod value;

use pyo3::prelude::*;

// The runtime relies on the GIL for its Python objects; free-threaded builds must not assume else.
#[pymodule(gil_used = true, name = "_native")]
mod native {
    #[pymodule_export]
    use super::client::{BuiltinClient, Client};
    #[pymodule_export]
    use super::decision::Decision;
    #[pymodule_export]
    use super::spec::Spec;
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
