//! Collecting a normal state: what a decision is made on, with one value for every field of the pack.

use crate::layout::{Layout, State};
use helixor_playbook::{
    Code, Error, Field, FieldKind, Given, Misfit, Shape, Value, shown, suggest_after,
};
use smallvec::{SmallVec, smallvec};

/// Collects the values of one state and finds every fault in them.
#[derive(Debug)]
pub struct StateBuilder<'p> {
    fields: &'p [Field],
    layout: &'p Layout,
    state: State,
    /// For each field whether it was given.
    given: SmallVec<[bool; 16]>,
    /// Faults, each with the name of its field.
    faults: Vec<(String, Error)>,
}

impl<'p> StateBuilder<'p> {
    pub(crate) fn new(fields: &'p [Field], layout: &'p Layout) -> Self {
        Self {
            fields,
            layout,
            state: layout.blank(),
            given: smallvec![false; fields.len()],
            faults: Vec::new(),
        }
    }

    /// Sets a field by its index in the pack's fields; an index beyond them is ignored.
    pub fn set(&mut self, field: usize, given: Given) {
        let (Some(known), Some(seen)) = (self.fields.get(field), self.given.get_mut(field)) else {
            return;
        };
        // One with a fault is there too, so that it is not reported as missing.
        *seen = true;
        let Some(given) = self.layout.take(&mut self.state, field, given) else {
            return;
        };
        match accept(known, given) {
            Ok(value) => self.layout.put(&mut self.state, field, value),
            Err(fault) => self.faults.push((known.name.to_string(), fault)),
        }
    }

    /// Sets a field by its name.
    pub fn set_named(&mut self, name: &str, given: Given) {
        if let Some(field) = self.named(name) {
            self.set(field, given);
        }
    }

    /// Leaves a field out by its name, which says only that there is such a field.
    pub fn leave_out(&mut self, name: &str) {
        self.named(name);
    }

    /// The field of a name; that there is none is a fault.
    fn named(&mut self, name: &str) -> Option<usize> {
        match self
            .fields
            .binary_search_by(|field| field.name.as_str().cmp(name))
        {
            Ok(field) => Some(field),
            Err(_) => {
                let known = self.fields.iter().map(|field| field.name.as_str());
                let help = match suggest_after(self.faults.len(), name, known) {
                    none if none.is_empty() => ONLY_ITS_OWN.to_owned(),
                    suggestion => suggestion,
                };
                let fault = Error::new(
                    Code::StateUnknownField,
                    format!("the pack has no field {}", shown(name)),
                    help,
                );
                self.faults.push((name.to_owned(), fault));
                None
            }
        }
    }

    /// The normal state.
    ///
    /// # Errors
    /// The first fault by field name: STATE_MISSING, STATE_UNKNOWN_FIELD, STATE_TYPE or
    /// STATE_RANGE; [`Error::all`] has every fault.
    pub fn finish(self) -> Result<State, Error> {
        let Self {
            fields,
            layout,
            mut state,
            given,
            mut faults,
        } = self;
        let given = given.into_iter().zip(fields).enumerate();
        for (i, (_, field)) in given.filter(|(_, (given, _))| !given) {
            match &field.default {
                Some(default) => layout.put(&mut state, i, default.clone()),
                None if !field.required => layout.put(&mut state, i, Value::Null),
                None => faults.push((field.name.to_string(), missing(field.name.as_str()))),
            }
        }
        faults.sort_by(|a, b| a.0.cmp(&b.0));
        match Error::first_of(faults.into_iter().map(|(_, fault)| fault).collect()) {
            Some(error) => Err(error),
            None => Ok(state),
        }
    }
}

const ONLY_ITS_OWN: &str = "a state has the pack's own fields only, each spelt as the pack has it";

/// The fault of a required field that was not given.
pub fn missing(field: &str) -> Error {
    Error::new(
        Code::StateMissing,
        format!("field `{field}` is required and missing"),
        "give every required field; nothing is assumed for one that is left out",
    )
}

/// The value of a field in the normal state.
fn accept(field: &Field, given: Given) -> Result<Value, Error> {
    Shape::from(field).accept(given).map_err(|misfit| {
        let code = match misfit {
            Misfit::Null(_) => Code::StateMissing,
            Misfit::Type(_) => Code::StateType,
            Misfit::Range(_) => Code::StateRange,
        };
        let message = format!("field `{}` {}", field.name, misfit.text());
        Error::new(code, message, advice(field, &misfit))
    })
}

fn advice(field: &Field, misfit: &Misfit) -> String {
    match misfit {
        Misfit::Null(_) => "give it a value; only fields with `required: false` may be null".into(),
        Misfit::Type(_) => "types are strict: nothing is converted, and true is not 1".into(),
        Misfit::Range(_) => match (&field.min_value, &field.max_value) {
            (Some(min), Some(max)) => format!("give a value from {min} to {max}"),
            (Some(min), None) => format!("give a value of at least {min}"),
            (None, Some(max)) => format!("give a value of at most {max}"),
            (None, None) if field.kind == FieldKind::String => {
                "give one of the allowed values, exactly as written".into()
            }
            (None, None) => "give a value that the field can hold".into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::{Code, Given, Pack};

    #[test]
    fn the_name_of_an_unknown_field_is_shown_as_far_as_names_go() {
        let json = format!("{{\"{}\": true}}", "ü".repeat(100_000));
        let error = Pack::builtin()
            .state_from_json(json.as_bytes())
            .unwrap_err();
        let told = error.all().iter().map(|fault| fault.message().len()).max();
        assert!(told.is_some_and(|longest| longest < 500), "{told:?}");
    }

    #[test]
    fn an_unknown_field_is_told_with_what_to_do() {
        let told = |name: &str| {
            let pack = Pack::builtin();
            let mut state = pack.state();
            state.leave_out(name);
            let error = state.finish().unwrap_err();
            let unknown = error
                .all()
                .iter()
                .find(|fault| fault.code() == Code::StateUnknownField)
                .map(|fault| (fault.message().to_owned(), fault.help().to_owned()));
            unknown.unwrap_or_default()
        };
        let (message, help) = told("HAS_SSN");
        assert_eq!(message, "the pack has no field `HAS_SSN`");
        assert_eq!(help, "did you mean `has_ssn`?");
        let (message, help) = told("zip\n\u{1b}[2J");
        assert_eq!(message, r"the pack has no field `zip\u{a}\u{1b}[2J`");
        assert_eq!(help, super::ONLY_ITS_OWN);
        assert_eq!(told("has_ssn"), Default::default());
    }

    #[test]
    fn an_integer_outside_64_bits_is_told_as_such_for_integers_and_numbers() {
        let source = "{\"pack_id\": \"acme.x.v1\", \"version\": \"1.0.0\", \"actions\": [\"a\"], \
            \"default_action\": \"a\", \"state_schema\": {\"i\": {\"type\": \"integer\"}, \"n\": {\"type\": \"number\"}}, \
            \"hard_rules\": [{\"id\": \"R\", \"condition\": \"state.i > state.n\", \"action\": \"a\"}]}";
        let root = helixor_playbook::read(source, helixor_playbook::Format::Json).unwrap();
        let pack = Pack::from(helixor_playbook::check(source, &root).unwrap());
        let mut state = pack.state();
        state.set_named("i", Given::Integer(None));
        state.set_named("n", Given::Integer(None));
        let error = state.finish().unwrap_err();
        let told: Vec<&str> = error.all().iter().map(|fault| fault.message()).collect();
        assert_eq!(
            told,
            [
                "field `i` is outside the 64-bit integer range",
                "field `n` is outside the 64-bit integer range",
            ]
        );
    }
}
