//! What a generated client tells the runtime about itself.

use crate::errors::raise;
use helixor_runtime::{FieldKind, Interface, client};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

/// The interface of a client, and the Python objects that stand for its names.
#[pyclass(frozen, module = "helixor_runtime._native")]
pub(crate) struct Spec {
    pub(crate) interface: Interface,
    pub(crate) state: Py<PyType>,
    /// How many words the bits of its booleans take; see `Client::unpack`.
    pub(crate) bit_words: usize,
    pub(crate) attributes: Vec<Py<PyString>>,
    pub(crate) actions: Vec<Py<PyAny>>,
    pub(crate) rules: Vec<Py<PyAny>>,
    pub(crate) fields: Vec<Py<PyAny>>,
}

#[pymethods]
impl Spec {
    #[new]
    #[pyo3(signature = (*, interface, state, attributes, actions, rules, fields))]
    fn new(
        py: Python<'_>,
        interface: &str,
        state: Py<PyType>,
        attributes: Vec<Bound<'_, PyString>>,
        actions: Vec<Py<PyAny>>,
        rules: Vec<Py<PyAny>>,
        fields: Vec<Py<PyAny>>,
    ) -> PyResult<Self> {
        let interface = client::read_interface(interface).map_err(|e| raise(py, &e))?;
        if attributes.len() != interface.fields.len() {
            return Err(raise(py, &client::disagreement(&interface)));
        }
        client::check_names(
            &interface,
            &names(py, &actions)?,
            &names(py, &rules)?,
            &names(py, &fields)?,
        )
        .map_err(|e| raise(py, &e))?;
        let attributes = attributes
            .into_iter()
            .map(|name| Ok(PyString::intern(py, name.to_str()?).unbind()))
            .collect::<PyResult<_>>()?;
        let booleans = interface.fields.iter();
        let booleans = booleans.filter(|field| field.kind == FieldKind::Boolean);
        Ok(Self {
            bit_words: booleans.count().div_ceil(u64::BITS as usize),
            interface,
            state,
            attributes,
            actions,
            rules,
            fields,
        })
    }
}

/// The wire names that members of string enums are.
fn names(py: Python<'_>, members: &[Py<PyAny>]) -> PyResult<Vec<String>> {
    members
        .iter()
        .map(|member| member.bind(py).extract())
        .collect()
}
