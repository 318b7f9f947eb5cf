//! `Client` and `BuiltinClient`.

#![allow(clippy::too_many_arguments)] // One for each of Python's.

use crate::decision::Decision;
use crate::errors::{invalid_argument, raise};
use crate::spec::Spec;
use crate::value::{given_if_any, type_name};
use helixor_runtime::client::ClientState;
use helixor_runtime::{Error, Options, client};
use pyo3::PyClassInitializer;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString, PyType};
use std::path::PathBuf;

/// A client of one pack; generated clients derive from it.
#[pyclass(frozen, subclass, module = "helixor_runtime._native")]
pub(crate) struct Client {
    inner: client::Client,
    spec: Py<Spec>,
}

/// A client of a pack that the runtime carries.
#[pyclass(frozen, subclass, extends = Client, module = "helixor_runtime._native")]
pub(crate) struct BuiltinClient;

/// Where a pack is opened from.
enum Source<'py> {
    Builtin,
    Path(PathBuf),
    Bytes(Bound<'py, PyBytes>),
}

#[pymethods]
impl Client {
    /// `_data` and `_signature` are how `from_bytes` gets its bytes through the constructor of a subclass.
    #[new]
    #[classmethod]
    #[pyo3(signature = (pack_path=None, license_file=None, license_json=None, *, authorities=None,
        publisher_keys=None, accept_same_interface=false, _data=None, _signature=None))]
    fn new(
        cls: &Bound<'_, PyType>,
        pack_path: Option<PathBuf>,
        license_file: Option<PathBuf>,
        license_json: Option<String>,
        authorities: Option<Vec<PathBuf>>,
        publisher_keys: Option<Vec<PathBuf>>,
        accept_same_interface: bool,
        _data: Option<Bound<'_, PyBytes>>,
        _signature: Option<Vec<u8>>,
    ) -> PyResult<Self> {
        let source = match (pack_path, _data) {
            (Some(path), _) => Source::Path(path),
            (None, Some(data)) => Source::Bytes(data),
            (None, None) => {
                let message = format!("{} needs `pack_path`, the pack to open", cls.name()?);
                return Err(invalid_argument(cls.py(), message));
            }
        };
        let options = options(
            cls.py(),
            license_file,
            license_json,
            authorities,
            publisher_keys,
            accept_same_interface,
            _signature,
        )?;
        Self::open_source(cls, &source, &options)
    }

    #[classmethod]
    #[pyo3(signature = (pack_path, license_file=None, license_json=None, *, authorities=None,
        publisher_keys=None, accept_same_interface=false))]
    fn open<'py>(
        cls: &Bound<'py, PyType>,
        pack_path: Bound<'py, PyAny>,
        license_file: Option<Bound<'py, PyAny>>,
        license_json: Option<Bound<'py, PyAny>>,
        authorities: Option<Bound<'py, PyAny>>,
        publisher_keys: Option<Bound<'py, PyAny>>,
        accept_same_interface: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kwargs = PyDict::new(cls.py());
        kwargs.set_item("authorities", authorities)?;
        kwargs.set_item("publisher_keys", publisher_keys)?;
        kwargs.set_item("accept_same_interface", accept_same_interface)?;
        if pack_path.is_none() {
            return Err(invalid_argument(
                cls.py(),
                "`pack_path` must name a pack file, not None".into(),
            ));
        }
        cls.call((pack_path, license_file, license_json), Some(&kwargs))
    }

    #[classmethod]
    #[pyo3(signature = (data, license_file=None, license_json=None, *, authorities=None,
        publisher_keys=None, signature=None, accept_same_interface=false))]
    fn from_bytes<'py>(
        cls: &Bound<'py, PyType>,
        data: Bound<'py, PyBytes>,
        license_file: Option<Bound<'py, PyAny>>,
        license_json: Option<Bound<'py, PyAny>>,
        authorities: Option<Bound<'py, PyAny>>,
        publisher_keys: Option<Bound<'py, PyAny>>,
        signature: Option<Bound<'py, PyBytes>>,
        accept_same_interface: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kwargs = PyDict::new(cls.py());
        kwargs.set_item("authorities", authorities)?;
        kwargs.set_item("publisher_keys", publisher_keys)?;
        kwargs.set_item("accept_same_interface", accept_same_interface)?;
        kwargs.set_item("_data", data)?;
        kwargs.set_item("_signature", signature)?;
        cls.call((cls.py().None(), license_file, license_json), Some(&kwargs))
    }

    /// `Client[State, Action, Rule, Field]`, for type checkers: the class itself.
    #[classmethod]
    fn __class_getitem__<'py>(
        cls: &Bound<'py, PyType>,
        _types: &Bound<'py, PyAny>,
    ) -> Bound<'py, PyType> {
        cls.clone()
    }

    fn decide(&self, py: Python<'_>, state: &Bound<'_, PyAny>) -> PyResult<Decision> {
        let spec = self.spec.get();
        let mut values = self.inner.state();
        if state.is_instance(spec.state.bind(py))? {
            for (field, attribute) in spec.attributes.iter().enumerate() {
                let value = state.getattr(attribute.bind(py))?;
                if let Some(given) = given_if_any(&value)? {
                    values.set(field, given);
                }
            }
        } else if let Ok(mapping) = state.cast::<PyDict>() {
            // Taken out before they are looked at: looking can run code that changes the dict.
            let items: Vec<_> = mapping.iter().collect();
            for (name, value) in &items {
                set_named(&mut values, name, value)?;
            }
        } else if let Ok(mapping) = state.cast::<PyMapping>() {
            for item in mapping.items()? {
                let (name, value) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
                set_named(&mut values, &name, &value)?;
            }
        } else {
            let wanted = spec.state.bind(py).name()?;
            let found = type_name(state);
            return Err(invalid_argument(
                py,
                format!("`state` must be of type {wanted} or a mapping, not {found}"),
            ));
        }
        let decision = values.finish().and_then(|state| self.inner.decide(state));
        Decision::new(py, &self.spec, decision.map_err(|e| raise(py, &e))?)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let playbook = slf.get().inner.pack().playbook();
        Ok(format!(
            "<{} of {} {}>",
            slf.get_type().name()?,
            playbook.pack_id,
            playbook.version
        ))
    }
}

impl Client {
    fn open_source(
        cls: &Bound<'_, PyType>,
        source: &Source<'_>,
        options: &Options,
    ) -> PyResult<Self> {
        let py = cls.py();
        let spec = cls
            .getattr("spec")
            .ok()
            .and_then(|spec| spec.cast_into::<Spec>().ok());
        let Some(spec) = spec else {
            let message = format!(
                "{} has no `spec`; use a class made by helixor-sdk-gen",
                cls.name()?
            );
            return Err(invalid_argument(py, message));
        };
        let spec = spec.unbind();
        let interface = &spec.get().interface;
        let opened: Result<client::Client, Error> = match source {
            Source::Builtin => client::Client::builtin(interface),
            // Reading and decrypting need no Python object.
            Source::Path(path) => py.detach(|| client::Client::open(path, interface, options)),
            Source::Bytes(data) => client::Client::from_bytes(data.as_bytes(), interface, options),
        };
        Ok(Self {
            inner: opened.map_err(|e| raise(py, &e))?,
            spec,
        })
    }
}

#[pymethods]
impl BuiltinClient {
    #[new]
    #[classmethod]
    #[pyo3(signature = (pack_path=None, license_file=None, license_json=None, *, authorities=None,
        publisher_keys=None, accept_same_interface=false, _data=None, _signature=None))]
    fn new(
        cls: &Bound<'_, PyType>,
        pack_path: Option<PathBuf>,
        license_file: Option<PathBuf>,
        license_json: Option<String>,
        authorities: Option<Vec<PathBuf>>,
        publisher_keys: Option<Vec<PathBuf>>,
        accept_same_interface: bool,
        _data: Option<Bound<'_, PyBytes>>,
        _signature: Option<Vec<u8>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let base = if pack_path.is_none() && _data.is_none() {
            let keys = authorities.is_some() || publisher_keys.is_some();
            if license_file.is_some() || license_json.is_some() || keys {
                let message = "a licence or keys without `pack_path`: the built-in pack needs none"
                    .to_owned();
                return Err(invalid_argument(cls.py(), message));
            }
            Client::open_source(cls, &Source::Builtin, &Options::default())?
        } else {
            Client::new(
                cls,
                pack_path,
                license_file,
                license_json,
                authorities,
                publisher_keys,
                accept_same_interface,
                _data,
                _signature,
            )?
        };
        Ok(PyClassInitializer::from(base).add_subclass(BuiltinClient))
    }

    #[classmethod]
    fn builtin<'py>(cls: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyAny>> {
        cls.call0()
    }
}

fn options(
    py: Python<'_>,
    license_file: Option<PathBuf>,
    license_json: Option<String>,
    authorities: Option<Vec<PathBuf>>,
    publisher_keys: Option<Vec<PathBuf>>,
    accept_same_interface: bool,
    signature: Option<Vec<u8>>,
) -> PyResult<Options> {
    let options = Options::default().accept_same_interface(accept_same_interface);
    let options = match (license_file, license_json) {
        (Some(_), Some(_)) => {
            let message = "give `license_file` or `license_json`, not both".to_owned();
            return Err(invalid_argument(py, message));
        }
        (Some(path), None) => options.license_file(path),
        (None, Some(json)) => options.license_json(json),
        (None, None) => options,
    };
    let options = match authorities {
        Some(paths) => options.authorities(paths),
        None => options,
    };
    let options = match publisher_keys {
        Some(paths) => options.publisher_keys(paths),
        None => options,
    };
    Ok(Options {
        signature,
        ..options
    })
}

fn set_named(
    values: &mut ClientState<'_>,
    name: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let Ok(text) = name.cast::<PyString>() else {
        let message = format!("the names in a state are strings, not {}", type_name(name));
        return Err(invalid_argument(name.py(), message));
    };
    let Ok(text) = text.to_str() else {
        let message = format!(
            "the name {} in a state holds a lone surrogate",
            name.repr()?
        );
        return Err(invalid_argument(name.py(), message));
    };
    match given_if_any(value)? {
        Some(given) => values.set_named(text, given),
        None => values.leave_out(text),
    }
    Ok(())
}

/// The members of `helixor_runtime._types` that the runtime makes.
pub(crate) fn types<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || {
        py.import("helixor_runtime._types").map(Bound::unbind)
    })?;
    module.bind(py).getattr(name)
}
