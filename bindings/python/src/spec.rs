//! What a generated client tells the runtime about itself.

use crate::errors::raise;
use helixor_runtime::{Code, Error, Interface, client};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

/// The interface of a client, and the Python objects that stand for its names.
#[pyclass(frozen, module = "helixor_runtime._native")]
pub(crate) struct Spec {
    pub(crate) interface: Interface,
    pub(crate) state: Py<PyType>,
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
        let ids = |ids: Vec<&str>| ids.into_iter().map(str::to_owned).collect::<Vec<_>>();
        let agrees = names(py, &actions)?
            == ids(interface.actions.iter().map(|a| a.as_str()).collect())
            && names(py, &rules)? == ids(interface.rules.iter().map(|r| r.as_str()).collect())
            && names(py, &fields)?
                == ids(interface.fields.iter().map(|f| f.name.as_str()).collect())
            && attributes.len() == interface.fields.len();
        if !agrees {
            let error = Error::new(
                Code::VersionSkew,
                format!(
                    "the generated code of pack `{}` does not agree with itself",
                    interface.pack_id
                ),
                "generate it anew and do not edit it",
            );
            return Err(raise(py, &error));
        }
        let attributes = attributes
            .into_iter()
            .map(|name| Ok(PyString::intern(py, name.to_str()?).unbind()))
            .collect::<PyResult<_>>()?;
        Ok(Self {
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
