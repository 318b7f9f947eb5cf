//! `Decision`: what was decided, and why, computed when asked for.

use crate::client::types;
use crate::errors::invalid_argument;
use crate::spec::Spec;
use crate::value::to_python;
use helixor_runtime::{Verdict, client};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

/// A decision.
#[pyclass(frozen, module = "helixor_runtime._native")]
pub(crate) struct Decision {
    action: Py<PyAny>,
    verdict: Py<PyAny>,
    made: Made,
}

enum Made {
    ByPack {
        decision: client::Decision,
        spec: Py<Spec>,
    },
    Up {
        fired_rules: Py<PyTuple>,
        necessary_causes: Py<PyTuple>,
        counterfactual: Py<PyAny>,
        proof_sha256: String,
        /// The digest of the playbook that decided; `None` when none did.
        playbook: Option<String>,
    },
}

/// All that a decision says, in the order that `_unpickled` takes it.
type Parts<'py> = (
    Py<PyAny>,
    Py<PyAny>,
    Bound<'py, PyTuple>,
    Bound<'py, PyTuple>,
    Bound<'py, PyAny>,
    String,
    Option<String>,
);

impl Decision {
    /// The digest of the playbook that decided.
    fn playbook(&self) -> Option<String> {
        match &self.made {
            Made::ByPack { decision, .. } => Some(decision.pack_digest().to_string()),
            Made::Up { playbook, .. } => playbook.clone(),
        }
    }

    pub(crate) fn new(
        py: Python<'_>,
        spec: &Py<Spec>,
        decision: client::Decision,
    ) -> PyResult<Self> {
        Ok(Self {
            action: named(py, &spec.get().actions, decision.action())?,
            verdict: verdict(py, decision.verdict())?,
            made: Made::ByPack {
                decision,
                spec: spec.clone_ref(py),
            },
        })
    }
}

#[pymethods]
impl Decision {
    #[classmethod]
    #[pyo3(signature = (*, action, verdict, fired_rules=None, necessary_causes=None, counterfactual=None,
        proof_sha256=None))]
    fn fake(
        cls: &Bound<'_, PyType>,
        action: Py<PyAny>,
        verdict: &Bound<'_, PyAny>,
        fired_rules: Option<Vec<Py<PyAny>>>,
        necessary_causes: Option<Vec<Py<PyAny>>>,
        counterfactual: Option<Py<PyAny>>,
        proof_sha256: Option<String>,
    ) -> PyResult<Self> {
        let py = cls.py();
        let verdict = types(py, "Verdict")?.call1((verdict,)).map_err(|_| {
            invalid_argument(py, format!("`verdict` must be a Verdict, not {verdict}"))
        })?;
        Ok(Self {
            action,
            verdict: verdict.unbind(),
            made: Made::Up {
                fired_rules: PyTuple::new(py, fired_rules.unwrap_or_default())?.unbind(),
                necessary_causes: PyTuple::new(py, necessary_causes.unwrap_or_default())?.unbind(),
                counterfactual: counterfactual.unwrap_or_else(|| py.None()),
                proof_sha256: proof_sha256.unwrap_or_else(|| "0".repeat(64)),
                playbook: None,
            },
        })
    }

    /// What a pickle calls.
    #[staticmethod]
    fn _unpickled(
        action: Py<PyAny>,
        verdict: Py<PyAny>,
        fired_rules: Py<PyTuple>,
        necessary_causes: Py<PyTuple>,
        counterfactual: Py<PyAny>,
        proof_sha256: String,
        playbook: Option<String>,
    ) -> Self {
        Self {
            action,
            verdict,
            made: Made::Up {
                fired_rules,
                necessary_causes,
                counterfactual,
                proof_sha256,
                playbook,
            },
        }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        let py = slf.py();
        let this = slf.get();
        let parts = (
            this.action(py),
            this.verdict(py),
            this.fired_rules(py)?,
            this.necessary_causes(py)?,
            this.counterfactual(py)?,
            this.proof_sha256(),
            this.playbook(),
        );
        Ok((slf.get_type().getattr("_unpickled")?, parts))
    }

    /// The proof stands for the state: it is a digest of it.
    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, Self>) -> PyResult<bool> {
        let other = other.get();
        let same = self.playbook() == other.playbook()
            && self.proof_sha256() == other.proof_sha256()
            && self.action.bind(py).eq(&other.action)?
            && self.verdict.bind(py).eq(&other.verdict)?;
        if !same || self.playbook().is_some() {
            return Ok(same);
        }
        // Both are made up, so that their details may be anything.
        Ok(self.fired_rules(py)?.eq(other.fired_rules(py)?)?
            && self.necessary_causes(py)?.eq(other.necessary_causes(py)?)?
            && self.counterfactual(py)?.eq(other.counterfactual(py)?)?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        let key = (self.proof_sha256(), &self.action, &self.verdict);
        key.into_pyobject(py)?.hash()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.action)?;
        visit.call(&self.verdict)?;
        match &self.made {
            Made::ByPack { spec, .. } => visit.call(spec),
            Made::Up {
                fired_rules,
                necessary_causes,
                counterfactual,
                ..
            } => {
                visit.call(fired_rules)?;
                visit.call(necessary_causes)?;
                visit.call(counterfactual)
            }
        }
    }

    /// `Decision[Action, Rule, Field]`, for type checkers: the class itself.
    #[classmethod]
    fn __class_getitem__<'py>(
        cls: &Bound<'py, PyType>,
        _types: &Bound<'py, PyAny>,
    ) -> Bound<'py, PyType> {
        cls.clone()
    }

    #[getter]
    fn action(&self, py: Python<'_>) -> Py<PyAny> {
        self.action.clone_ref(py)
    }

    #[getter]
    fn verdict(&self, py: Python<'_>) -> Py<PyAny> {
        self.verdict.clone_ref(py)
    }

    #[getter]
    fn is_approved(&self, py: Python<'_>) -> PyResult<bool> {
        self.verdict.bind(py).eq("approve")
    }

    #[getter]
    fn fired_rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match &self.made {
            Made::ByPack { decision, spec } => {
                let rules = decision.fired_rules().into_iter();
                let rules = rules.map(|rule| named(py, &spec.get().rules, rule));
                PyTuple::new(py, rules.collect::<PyResult<Vec<_>>>()?)
            }
            Made::Up { fired_rules, .. } => Ok(fired_rules.bind(py).clone()),
        }
    }

    #[getter]
    fn necessary_causes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (decision, spec) = match &self.made {
            Made::ByPack { decision, spec } => (decision, spec.get()),
            Made::Up {
                necessary_causes, ..
            } => return Ok(necessary_causes.bind(py).clone()),
        };
        let class = types(py, "Cause")?;
        let mut causes = Vec::new();
        for cause in decision.causes() {
            let fields = PyDict::new(py);
            fields.set_item("rule", named(py, &spec.rules, cause.rule)?)?;
            fields.set_item("rule_verdict", verdict(py, cause.rule_verdict)?)?;
            fields.set_item("factor", named(py, &spec.fields, cause.factor)?)?;
            fields.set_item("observed_value", to_python(py, &cause.observed_value)?)?;
            fields.set_item("direction", cause.direction)?;
            fields.set_item("threshold", to_python(py, &cause.threshold)?)?;
            fields.set_item("distance_to_boundary", cause.distance_to_boundary)?;
            causes.push(class.call((), Some(&fields))?);
        }
        PyTuple::new(py, causes)
    }

    #[getter]
    fn counterfactual<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (decision, spec) = match &self.made {
            Made::ByPack { decision, spec } => (decision, spec.get()),
            Made::Up { counterfactual, .. } => return Ok(counterfactual.bind(py).clone()),
        };
        let Some(found) = decision.counterfactual() else {
            return Ok(py.None().into_bound(py));
        };
        let class = types(py, "Change")?;
        let mut changes = Vec::new();
        for change in &found.changes {
            let fields = PyDict::new(py);
            fields.set_item("rule", named(py, &spec.rules, change.rule)?)?;
            fields.set_item("factor", named(py, &spec.fields, change.factor)?)?;
            fields.set_item("relation", change.relation)?;
            fields.set_item("required_value", to_python(py, &change.required_value)?)?;
            fields.set_item("observed_value", to_python(py, &change.observed_value)?)?;
            fields.set_item("delta", change.delta)?;
            changes.push(class.call((), Some(&fields))?);
        }
        let target = found
            .target_factor
            .map(|field| named(py, &spec.fields, field));
        let fields = PyDict::new(py);
        fields.set_item("remedy", &found.remedy)?;
        fields.set_item("target_factor", target.transpose()?)?;
        fields.set_item("required_value", to_python(py, &found.required_value)?)?;
        fields.set_item("delta", found.delta)?;
        fields.set_item("changes", PyTuple::new(py, changes)?)?;
        types(py, "Counterfactual")?.call((), Some(&fields))
    }

    #[getter]
    fn latency_us(&self) -> Option<f64> {
        match &self.made {
            Made::ByPack { decision, .. } => decision.latency_us(),
            Made::Up { .. } => None,
        }
    }

    #[getter]
    const fn confidence(&self) -> f64 {
        1.0
    }

    #[getter]
    fn proof_sha256(&self) -> String {
        match &self.made {
            Made::ByPack { decision, .. } => decision.proof().to_string(),
            Made::Up { proof_sha256, .. } => proof_sha256.clone(),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let rules = self.fired_rules(py)?;
        let rules: Vec<String> = rules.iter().map(|rule| rule.to_string()).collect();
        Ok(format!(
            "Decision(action={}, verdict={}, fired_rules=[{}])",
            self.action.bind(py),
            self.verdict.bind(py),
            rules.join(", ")
        ))
    }
}

/// The member of `Verdict` that stands for a verdict.
fn verdict(py: Python<'_>, verdict: Verdict) -> PyResult<Py<PyAny>> {
    static MEMBERS: PyOnceLock<Vec<Py<PyAny>>> = PyOnceLock::new();
    let members = MEMBERS.get_or_try_init(py, || {
        let class = types(py, "Verdict")?;
        let members = Verdict::ALL
            .into_iter()
            .map(|v| Ok(class.call1((v.as_str(),))?.unbind()));
        members.collect::<PyResult<_>>()
    })?;
    named(py, members, verdict as usize)
}

/// The Python object that stands for the client's number of an action, rule or field.
fn named(py: Python<'_>, members: &[Py<PyAny>], number: usize) -> PyResult<Py<PyAny>> {
    let member = members.get(number).map(|member| member.clone_ref(py));
    member.ok_or_else(|| {
        invalid_argument(py, "the generated client does not fit its interface".into())
    })
}
