//! Names, bound once: is it the client's pack, and how do its numbers and the client's translate?

use crate::layout::State;
use crate::pack::Pack;
use crate::state::StateBuilder;
use helixor_playbook::{Code, Digest, Error, Given, Interface, Position};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::sync::Arc;

/// A pack, and how its numbers and the client's translate.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) pack: Arc<Pack>,
    /// The client's; what it was compiled with.
    pub(super) interface: Interface,
    /// For each of the client's fields, the pack's.
    pub(super) slots: Vec<usize>,
    /// Whether the client has the fields in the pack's order.
    pub(super) in_order: bool,
    /// For each of the pack's fields, actions and rules, the client's.
    pub(super) fields: Vec<usize>,
    pub(super) actions: Vec<usize>,
    pub(super) rules: Vec<usize>,
}

/// Reads the interface document that a client was compiled with.
///
/// # Errors
/// VERSION_SKEW when this runtime cannot read it.
pub fn read_interface(json: &str) -> Result<Interface, Error> {
    Interface::parse(json).map_err(|problems| {
        let faults: Vec<String> = problems
            .iter()
            .map(|problem| {
                format!(
                    "{}: {}",
                    Position::of(json, problem.span.start),
                    problem.message
                )
            })
            .collect();
        Error::new(
            Code::VersionSkew,
            format!(
                "this runtime cannot read the client's interface: {}",
                faults.join("; ")
            ),
            "generate the client with the helixor-sdk-gen of this runtime's version",
        )
    })
}

/// Checks that the names a generated client has are those of its interface document, in its order.
///
/// # Errors
/// VERSION_SKEW when they are not.
pub fn check_names<S: AsRef<str>>(
    interface: &Interface,
    actions: &[S],
    rules: &[S],
    fields: &[S],
) -> Result<(), Error> {
    let same = |ours: Vec<&str>, theirs: &[S]| ours.into_iter().eq(theirs.iter().map(S::as_ref));
    if same(names(&interface.actions), actions)
        && same(names(&interface.rules), rules)
        && same(field_names(interface), fields)
    {
        return Ok(());
    }
    Err(disagreement(interface))
}

/// The error of a generated client whose parts do not fit each other.
pub fn disagreement(interface: &Interface) -> Error {
    Error::new(
        Code::VersionSkew,
        format!(
            "the generated code of pack `{}` does not agree with itself",
            interface.pack_id
        ),
        "generate it anew and do not edit it",
    )
}

impl Bound {
    pub(super) fn new(
        pack: Arc<Pack>,
        client: Interface,
        accept_same_interface: bool,
    ) -> Result<Self, Error> {
        compare(&client, pack.interface(), accept_same_interface)?;
        let own = pack.interface();
        let (ours, theirs) = (field_names(&client), field_names(own));
        Ok(Self {
            slots: translate(&ours, &theirs),
            in_order: ours == theirs,
            fields: translate(&theirs, &ours),
            actions: translate(&names(&own.actions), &names(&client.actions)),
            rules: translate(&names(&own.rules), &names(&client.rules)),
            interface: client,
            pack,
        })
    }
}

pub(super) fn names<T: Borrow<str>>(ids: &[T]) -> Vec<&str> {
    ids.iter().map(T::borrow).collect()
}

pub(super) fn field_names(interface: &Interface) -> Vec<&str> {
    interface
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .collect()
}

/// For each of `from`, its place in `to`; the two are known to hold the same names.
fn translate(from: &[&str], to: &[&str]) -> Vec<usize> {
    let places: HashMap<&str, usize> = to.iter().enumerate().map(|(i, name)| (*name, i)).collect();
    from.iter()
        .filter_map(|name| places.get(name).copied())
        .collect()
}

/// Is it the client's pack? Interfaces are always compared, then the digest, if the client is tied
/// to one.
fn compare(client: &Interface, pack: &Interface, accept_same_interface: bool) -> Result<(), Error> {
    let differences = client.differences(pack);
    let digest = |interface: &Interface| {
        interface
            .raw_pack_sha256
            .map_or("none".into(), |d: Digest| d.to_string())
    };
    let tied_elsewhere =
        client.raw_pack_sha256.is_some() && client.raw_pack_sha256 != pack.raw_pack_sha256;
    let what = if !differences.is_empty() {
        differences.join("; ")
    } else if tied_elsewhere && !accept_same_interface {
        "same interface, other content".to_owned()
    } else {
        return Ok(());
    };
    let command = client
        .regenerate
        .as_deref()
        .unwrap_or("helixor-sdk-gen generate");
    let accept = if differences.is_empty() {
        "; to take any content of the same interface, open it with accept_same_interface"
    } else {
        ""
    };
    Err(Error::new(
        Code::PackMismatch,
        format!(
            "the pack is not the one this client was generated from: {what} (client: pack `{}` version {}, \
             playbook SHA-256 {}; pack: `{}` version {}, playbook SHA-256 {})",
            client.pack_id,
            client.pack_version.as_deref().unwrap_or("unknown"),
            digest(client),
            pack.pack_id,
            pack.pack_version.as_deref().unwrap_or("unknown"),
            digest(pack),
        ),
        format!("take the pack's manifest and generate the client anew: {command}{accept}"),
    ))
}

/// Collects one state of a [`Client`](super::Client).
#[derive(Debug)]
pub struct ClientState<'c> {
    pub(super) bound: &'c Bound,
    pub(super) builder: StateBuilder<'c>,
}

impl ClientState<'_> {
    /// Sets a field by the client's number for it; a number beyond its fields is ignored.
    pub fn set(&mut self, field: usize, given: Given) {
        if let Some(slot) = self.bound.slots.get(field) {
            self.builder.set(*slot, given);
        }
    }

    /// Sets a field by name.
    pub fn set_named(&mut self, name: &str, given: Given) {
        self.builder.set_named(name, given);
    }

    /// Leaves a field out by name; see [`StateBuilder::leave_out`].
    pub fn leave_out(&mut self, name: &str) {
        self.builder.leave_out(name);
    }

    /// The normal state.
    ///
    /// # Errors
    /// As [`StateBuilder::finish`].
    pub fn finish(self) -> Result<State, Error> {
        self.builder.finish()
    }
}
