//! States as Python has them: what a generated class or a mapping holds.

use crate::errors::invalid_argument;
use crate::spec::{Model, Spec};
use crate::value::{given_if_any, type_name};
use helixor_runtime::client::{Client, ClientState};
use helixor_runtime::{Error, FieldKind, State};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyMapping, PyString};
use smallvec::SmallVec;

/// The normal state of a Python object, or what is wrong with its values; anything that is no state is
/// an exception.
pub(crate) fn read(
    spec: &Spec,
    client: &Client,
    state: &Bound<'_, PyAny>,
) -> PyResult<Result<State, Error>> {
    let class = state.get_type();
    if class.is(&spec.state) {
        return light(spec, client, state);
    }
    if let Some(model) = &*spec.seen_model(&class) {
        return modelled(spec, model, client, state);
    }
    let py = state.py();
    if state.is_instance(spec.state.bind(py))? {
        return light(spec, client, state);
    }
    let mut values = client.state();
    if let Ok(mapping) = state.cast::<PyDict>() {
        // Taken out before they are looked at: looking can run code that changes the dict.
        let items: Vec<_> = mapping.iter().collect();
        for (name, value) in &items {
            set_named(&mut values, name, value)?;
        }
    } else if let Some(model) = spec.find_model(&class)? {
        return modelled(spec, &model, client, state);
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
    Ok(values.finish())
}

/// Reads an instance of the state's class, by its attributes.
fn light(spec: &Spec, client: &Client, state: &Bound<'_, PyAny>) -> PyResult<Result<State, Error>> {
    fields(spec, client, &spec.attributes, |attribute| {
        state.getattr(attribute).map(Some)
    })
}

/// Reads an instance of a pydantic model, from its dict: a value that lacks is left out.
fn modelled(
    spec: &Spec,
    model: &Model,
    client: &Client,
    state: &Bound<'_, PyAny>,
) -> PyResult<Result<State, Error>> {
    let values = state.getattr(intern!(state.py(), "__dict__"))?;
    let values = values.cast::<PyDict>()?;
    fields(spec, client, &model.attributes, |attribute| {
        values.get_item(attribute)
    })
}

/// The state of the values that `get` finds for the attributes, which are in the interface's order.
fn fields<'py>(
    spec: &Spec,
    client: &Client,
    attributes: &[Py<PyString>],
    get: impl Fn(&Py<PyString>) -> PyResult<Option<Bound<'py, PyAny>>>,
) -> PyResult<Result<State, Error>> {
    if let Some(words) = packed(spec, attributes, &get)? {
        return Ok(client.unpack(&words));
    }
    let mut values = client.state();
    for (field, attribute) in attributes.iter().enumerate() {
        if let Some(value) = get(attribute)?
            && let Some(given) = given_if_any(&value)?
        {
            values.set(field, given);
        }
    }
    Ok(values.finish())
}

/// The packed values of a state (see [`Client::unpack`]); `None` when a value is not just a bool, an int
/// of 64 bits or a float, as its field is.
fn packed<'py>(
    spec: &Spec,
    attributes: &[Py<PyString>],
    get: impl Fn(&Py<PyString>) -> PyResult<Option<Bound<'py, PyAny>>>,
) -> PyResult<Option<SmallVec<[u64; 8]>>> {
    const BITS: usize = u64::BITS as usize;
    let mut words: SmallVec<[u64; 8]> = SmallVec::from_elem(0, spec.bit_words);
    let mut bits = 0;
    for (attribute, field) in attributes.iter().zip(&spec.interface.fields) {
        let Some(value) = get(attribute)? else {
            return Ok(None);
        };
        match field.kind {
            FieldKind::Boolean => {
                let Ok(value) = value.cast_exact::<PyBool>() else {
                    return Ok(None);
                };
                if let Some(word) = words.get_mut(bits / BITS) {
                    *word |= u64::from(value.is_true()) << (bits % BITS);
                }
                bits += 1;
            }
            FieldKind::Integer => {
                let value = value.cast_exact::<PyInt>().ok();
                let Some(value) = value.and_then(|value| value.extract::<i64>().ok()) else {
                    return Ok(None);
                };
                words.push(value.cast_unsigned());
            }
            FieldKind::Number => {
                let Ok(value) = value.cast_exact::<PyFloat>() else {
                    return Ok(None);
                };
                words.push(value.value().to_bits());
            }
            FieldKind::String => return Ok(None),
        }
    }
    Ok(Some(words))
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
