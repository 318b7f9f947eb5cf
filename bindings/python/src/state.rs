//! States as Python has them: what a generated class or a mapping holds.

use crate::errors::invalid_argument;
use crate::spec::Spec;
use crate::value::{given_if_any, type_name};
use helixor_runtime::client::{Client, ClientState};
use helixor_runtime::{Error, FieldKind, State};
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
    let py = state.py();
    if state.get_type().is(&spec.state) {
        return match packed(spec, state)? {
            Some(words) => Ok(client.unpack(&words)),
            None => attributes(spec, client, state),
        };
    }
    let mut values = client.state();
    if state.is_instance(spec.state.bind(py))? {
        return attributes(spec, client, state);
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
    Ok(values.finish())
}

/// The packed values of a state (see [`Client::unpack`]); `None` when a value is not just a bool, an int
/// of 64 bits or a float, as its field is.
fn packed(spec: &Spec, state: &Bound<'_, PyAny>) -> PyResult<Option<SmallVec<[u64; 8]>>> {
    const BITS: usize = u64::BITS as usize;
    let py = state.py();
    let mut words: SmallVec<[u64; 8]> = SmallVec::from_elem(0, spec.bit_words);
    let mut bits = 0;
    for (attribute, field) in spec.attributes.iter().zip(&spec.interface.fields) {
        let value = state.getattr(attribute.bind(py))?;
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

fn attributes(
    spec: &Spec,
    client: &Client,
    state: &Bound<'_, PyAny>,
) -> PyResult<Result<State, Error>> {
    let mut values = client.state();
    for (field, attribute) in spec.attributes.iter().enumerate() {
        let value = state.getattr(attribute.bind(state.py()))?;
        if let Some(given) = given_if_any(&value)? {
            values.set(field, given);
        }
    }
    Ok(values.finish())
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
