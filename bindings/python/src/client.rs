//! `Client` and `BuiltinClient`.

#![allow(clippy::too_many_arguments)] // One for each of Python's.

use crate::block::{self, Rows};
use crate::decision::Decision;
use crate::errors::{invalid_argument, run};
use crate::spec::Spec;
use crate::state;
use helixor_runtime::client::{self, Live};
use helixor_runtime::{Error, LedgerChoice, Options, State};
use pyo3::PyClassInitializer;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyType};
use std::path::PathBuf;

/// A client of one pack; generated clients derive from it.
#[pyclass(frozen, subclass, module = "helixor_runtime._native")]
pub(crate) struct Client {
    inner: Live,
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
        publisher_keys=None, accept_same_interface=false, ledger=None, timing=false, _data=None,
        _signature=None))]
    fn new(
        cls: &Bound<'_, PyType>,
        pack_path: Option<PathBuf>,
        license_file: Option<PathBuf>,
        license_json: Option<String>,
        authorities: Option<Vec<PathBuf>>,
        publisher_keys: Option<Vec<PathBuf>>,
        accept_same_interface: bool,
        ledger: Option<Bound<'_, PyAny>>,
        timing: bool,
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
        let options = options.ledger(ledger_choice(ledger)?).timing(timing);
        Self::open_source(cls, &source, &options)
    }

    #[classmethod]
    #[pyo3(signature = (pack_path, license_file=None, license_json=None, *, authorities=None,
        publisher_keys=None, accept_same_interface=false, ledger=None, timing=false))]
    fn open<'py>(
        cls: &Bound<'py, PyType>,
        pack_path: Bound<'py, PyAny>,
        license_file: Option<Bound<'py, PyAny>>,
        license_json: Option<Bound<'py, PyAny>>,
        authorities: Option<Bound<'py, PyAny>>,
        publisher_keys: Option<Bound<'py, PyAny>>,
        accept_same_interface: bool,
        ledger: Option<Bound<'py, PyAny>>,
        timing: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kwargs = PyDict::new(cls.py());
        kwargs.set_item("authorities", authorities)?;
        kwargs.set_item("publisher_keys", publisher_keys)?;
        kwargs.set_item("accept_same_interface", accept_same_interface)?;
        kwargs.set_item("ledger", ledger)?;
        kwargs.set_item("timing", timing)?;
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
        publisher_keys=None, signature=None, accept_same_interface=false, ledger=None, timing=false))]
    fn from_bytes<'py>(
        cls: &Bound<'py, PyType>,
        data: Bound<'py, PyBytes>,
        license_file: Option<Bound<'py, PyAny>>,
        license_json: Option<Bound<'py, PyAny>>,
        authorities: Option<Bound<'py, PyAny>>,
        publisher_keys: Option<Bound<'py, PyAny>>,
        signature: Option<Bound<'py, PyBytes>>,
        accept_same_interface: bool,
        ledger: Option<Bound<'py, PyAny>>,
        timing: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kwargs = PyDict::new(cls.py());
        kwargs.set_item("authorities", authorities)?;
        kwargs.set_item("publisher_keys", publisher_keys)?;
        kwargs.set_item("accept_same_interface", accept_same_interface)?;
        kwargs.set_item("ledger", ledger)?;
        kwargs.set_item("timing", timing)?;
        kwargs.set_item("_data", data)?;
        kwargs.set_item("_signature", signature)?;
        cls.call((cls.py().None(), license_file, license_json), Some(&kwargs))
    }

    #[pyo3(signature = (pack_path, license_file=None, license_json=None, *, authorities=None,
        publisher_keys=None, accept_same_interface=false))]
    fn reload(
        &self,
        py: Python<'_>,
        pack_path: PathBuf,
        license_file: Option<PathBuf>,
        license_json: Option<String>,
        authorities: Option<Vec<PathBuf>>,
        publisher_keys: Option<Vec<PathBuf>>,
        accept_same_interface: bool,
    ) -> PyResult<()> {
        let options = options(
            py,
            license_file,
            license_json,
            authorities,
            publisher_keys,
            accept_same_interface,
            None,
        )?;
        run(py, || py.detach(|| self.inner.reload(&pack_path, &options)))
    }

    #[pyo3(signature = (data, license_file=None, license_json=None, *, authorities=None,
        publisher_keys=None, signature=None, accept_same_interface=false))]
    fn reload_from_bytes(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyBytes>,
        license_file: Option<PathBuf>,
        license_json: Option<String>,
        authorities: Option<Vec<PathBuf>>,
        publisher_keys: Option<Vec<PathBuf>>,
        signature: Option<Vec<u8>>,
        accept_same_interface: bool,
    ) -> PyResult<()> {
        let options = options(
            py,
            license_file,
            license_json,
            authorities,
            publisher_keys,
            accept_same_interface,
            signature,
        )?;
        run(py, || self.inner.reload_bytes(data.as_bytes(), &options))
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
        let client = self.inner.client();
        let state = state::read(self.spec.get(), &client, state)?;
        let decision = run(py, || client.decide(state?))?;
        Decision::new(py, &self.spec, decision)
    }

    fn decide_batch<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let client = self.inner.client();
        let spec = self.spec.get();
        // All are read before one is decided: what is no state at all ends the call, and nothing counts.
        let states = states.try_iter()?;
        let states = states.map(|state| state::read(spec, &client, &state?));
        let states: Vec<Result<State, Error>> = states.collect::<PyResult<_>>()?;
        let rows = run(py, || client.decide_batch(states))?;
        let rows = Rows::new(rows, self.spec.clone_ref(py));
        types(py, "Batch")?.call1((rows,))
    }

    fn decide_columns<'py>(
        &self,
        py: Python<'py>,
        columns: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let client = self.inner.client();
        let spec = self.spec.get();
        let columns = block::columns(spec, columns)?;
        let answers = run(py, || py.detach(|| client.answer_columns(&columns)))?;
        block::answers(py, spec, &answers)
    }

    fn audit_report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let report = run(py, || self.inner.client().audit_report())?;
        let fields = PyDict::new(py);
        fields.set_item("license_id", report.license_id)?;
        fields.set_item("tenant_id", report.tenant_id)?;
        fields.set_item("tier", report.tier.as_str())?;
        fields.set_item("enforcement_mode", report.enforcement_mode.as_str())?;
        fields.set_item("total_decisions_executed", report.total_decisions_executed)?;
        fields.set_item("decisions_over_quota", report.decisions_over_quota)?;
        fields.set_item(
            "decisions_over_rate_limit",
            report.decisions_over_rate_limit,
        )?;
        let root = report.ledger_merkle_root.map(|root| root.to_string());
        fields.set_item("ledger_merkle_root", root.unwrap_or_default())?;
        let datetime = py.import("datetime")?.getattr("datetime")?;
        let since = datetime.call_method1("fromisoformat", (report.since.to_string(),))?;
        fields.set_item("since", since)?;
        fields.set_item("durable_leaves", report.durable_leaves)?;
        types(py, "AuditReport")?.call((), Some(&fields))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let client = slf.get().inner.client();
        let playbook = client.pack().playbook();
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
        let opened = run(py, || match source {
            Source::Builtin => client::Client::builtin_with(interface, options),
            // Reading and decrypting need no Python object.
            Source::Path(path) => py.detach(|| client::Client::open(path, interface, options)),
            Source::Bytes(data) => client::Client::from_bytes(data.as_bytes(), interface, options),
        })?;
        Ok(Self {
            inner: Live::new(opened),
            spec,
        })
    }
}

#[pymethods]
impl BuiltinClient {
    #[new]
    #[classmethod]
    #[pyo3(signature = (pack_path=None, license_file=None, license_json=None, *, authorities=None,
        publisher_keys=None, accept_same_interface=false, ledger=None, timing=false, _data=None,
        _signature=None))]
    fn new(
        cls: &Bound<'_, PyType>,
        pack_path: Option<PathBuf>,
        license_file: Option<PathBuf>,
        license_json: Option<String>,
        authorities: Option<Vec<PathBuf>>,
        publisher_keys: Option<Vec<PathBuf>>,
        accept_same_interface: bool,
        ledger: Option<Bound<'_, PyAny>>,
        timing: bool,
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
            let options = Options::new().ledger(ledger_choice(ledger)?).timing(timing);
            Client::open_source(cls, &Source::Builtin, &options)?
        } else {
            Client::new(
                cls,
                pack_path,
                license_file,
                license_json,
                authorities,
                publisher_keys,
                accept_same_interface,
                ledger,
                timing,
                _data,
                _signature,
            )?
        };
        Ok(PyClassInitializer::from(base).add_subclass(BuiltinClient))
    }

    #[classmethod]
    #[pyo3(signature = (*, ledger=None, timing=false))]
    fn builtin<'py>(
        cls: &Bound<'py, PyType>,
        ledger: Option<Bound<'py, PyAny>>,
        timing: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kwargs = PyDict::new(cls.py());
        kwargs.set_item("ledger", ledger)?;
        kwargs.set_item("timing", timing)?;
        cls.call((), Some(&kwargs))
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

/// None or False: none; True: in memory; else the path of its file.
fn ledger_choice(ledger: Option<Bound<'_, PyAny>>) -> PyResult<LedgerChoice> {
    let Some(ledger) = ledger else {
        return Ok(LedgerChoice::Off);
    };
    if let Ok(wanted) = ledger.cast_exact::<PyBool>() {
        return Ok(match wanted.is_true() {
            true => LedgerChoice::InMemory,
            false => LedgerChoice::Off,
        });
    }
    ledger.extract().map(LedgerChoice::File)
}

/// The members of `helixor_runtime` that the runtime makes.
pub(crate) fn types<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("helixor_runtime").map(Bound::unbind))?;
    module.bind(py).getattr(name)
}
