//! What a generated client tells the runtime about itself.

use crate::errors::raise;
use arc_swap::{ArcSwapOption, Guard};
use helixor_runtime::{FieldKind, Interface, client};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use std::sync::Arc;

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
    /// The pydantic model of the state, from when the first is seen.
    model: ArcSwapOption<Model>,
}

/// A pydantic model of a state.
pub(crate) struct Model {
    class: Py<PyType>,
    /// Its attributes, in the order of the interface.
    pub(crate) attributes: Vec<Py<PyString>>,
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
            model: ArcSwapOption::empty(),
        })
    }
}

impl Spec {
    /// The model that was seen, when this is its very class.
    pub(crate) fn seen_model(&self, class: &Bound<'_, PyType>) -> Guard<Option<Arc<Model>>> {
        let seen = self.model.load();
        match &*seen {
            Some(model) if class.is(&model.class) => seen,
            _ => Guard::from_inner(None),
        }
    }

    /// The model that a class is or derives from: that whose `helixor_state` is the state. It is
    /// remembered.
    pub(crate) fn find_model(&self, class: &Bound<'_, PyType>) -> PyResult<Option<Arc<Model>>> {
        let bases = class.mro();
        if let Some(seen) = &*self.model.load()
            && bases.iter().any(|base| base.is(&seen.class))
        {
            return Ok(Some(Arc::clone(seen)));
        }
        let is_model = |class: &Bound<'_, PyAny>| -> PyResult<bool> {
            let state = class.getattr_opt(intern!(class.py(), "helixor_state"))?;
            Ok(state.is_some_and(|state| state.is(&self.state)))
        };
        if !is_model(class)? {
            return Ok(None);
        }
        // The last is the generated one: all that derive from it share what is remembered.
        let mut model = class.clone();
        for base in bases {
            if is_model(&base)? {
                model = base.cast_into()?;
            }
        }
        let attributes = self.model_attributes(&model)?;
        let class = model.unbind();
        let model = Arc::new(Model { class, attributes });
        self.model.store(Some(Arc::clone(&model)));
        Ok(Some(model))
    }

    /// The attributes of a model; those that pydantic needs for itself have the state's as their alias.
    fn model_attributes(&self, model: &Bound<'_, PyType>) -> PyResult<Vec<Py<PyString>>> {
        let py = model.py();
        let by_alias = PyDict::new(py);
        let fields = model.getattr(intern!(py, "model_fields"))?;
        for (name, field) in fields.cast::<PyDict>()? {
            let alias = field.getattr(intern!(py, "alias"))?;
            if !alias.is_none() {
                by_alias.set_item(alias, name)?;
            }
        }
        let attributes = self.attributes.iter().map(|attribute| {
            Ok(match by_alias.get_item(attribute)? {
                Some(name) => PyString::intern(py, name.cast::<PyString>()?.to_str()?).unbind(),
                None => attribute.clone_ref(py),
            })
        });
        attributes.collect()
    }
}

/// The wire names that members of string enums are.
fn names(py: Python<'_>, members: &[Py<PyAny>]) -> PyResult<Vec<String>> {
    members
        .iter()
        .map(|member| member.bind(py).extract())
        .collect()
}
