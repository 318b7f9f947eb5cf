//! What generated Rust clients are made of: a [`Spec`] per pack, and a [`Client`] and
//! [`Decision`] that speak its types.

use crate::client::{self, AuditReport, Live, Options};
use crate::{State, counterfactual, explain};
use helixor_playbook::Given;
use helixor_playbook::{Code, Digest, Error, Value, Verdict};
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;
use std::thread::LocalKey;

/// A closed set of names: the actions, rules or fields of one pack.
pub trait Names: Copy + Eq + Hash + fmt::Debug + 'static {
    /// Every name, in the order of the interface document.
    const ALL: &'static [Self];

    /// The name as documents and other languages know it.
    fn as_str(self) -> &'static str;
}

/// The typed interface of one pack, as generated.
pub trait Spec: 'static {
    /// Its states.
    type State;
    /// Its actions.
    type Action: Names;
    /// Its hard rules.
    type Rule: Names;
    /// Its state fields.
    type Field: Names;
    /// The values of one state: an array with one place for each field.
    type Values: IntoIterator<Item = Option<Value>>;

    /// The interface document (`helixor.interface.v1`) it was generated with.
    const INTERFACE: &'static str;

    /// The values of a state in the order of [`Spec::INTERFACE`]; `None`: left out.
    fn values(state: &Self::State) -> Self::Values;
}

/// A [`Spec`] of a pack that the runtime carries.
pub trait Builtin: Spec {}

/// A client of one pack. Cheap to clone, safe to share between threads; clones are the same client.
pub struct Client<S: Spec> {
    inner: Live,
    spec: PhantomData<fn() -> S>,
}

/// Why a decision came out as it did.
pub type Cause<S> = explain::Cause<<S as Spec>::Rule, <S as Spec>::Field>;

/// What would have to change for an approval.
pub type Counterfactual<S> = counterfactual::Counterfactual<<S as Spec>::Rule, <S as Spec>::Field>;

/// One change that a [`Counterfactual`] asks for.
pub type Change<S> = counterfactual::Change<<S as Spec>::Rule, <S as Spec>::Field>;

impl<S: Spec> Client<S> {
    /// Opens a pack file with the default [`Options`]: the licence and the authorities are looked
    /// up.
    ///
    /// # Errors
    /// As [`crate::Client::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(path, &Options::default())
    }

    /// Opens a pack file.
    ///
    /// # Errors
    /// As [`crate::Client::open`].
    pub fn open_with(path: impl AsRef<Path>, options: &Options) -> Result<Self, Error> {
        Self::new(|interface| client::Client::open(path.as_ref(), interface, options))
    }

    /// Opens a pack that was read already.
    ///
    /// # Errors
    /// As [`crate::Client::open`], but for those of reading the file.
    pub fn from_bytes(bytes: &[u8], options: &Options) -> Result<Self, Error> {
        Self::new(|interface| client::Client::from_bytes(bytes, interface, options))
    }

    fn new(
        open: impl FnOnce(&crate::Interface) -> Result<client::Client, Error>,
    ) -> Result<Self, Error> {
        let interface = client::read_interface(S::INTERFACE)?;
        client::check_names(
            &interface,
            &wire_names::<S::Action>(),
            &wire_names::<S::Rule>(),
            &wire_names::<S::Field>(),
        )?;
        Ok(Self {
            inner: Live::new(open(&interface)?),
            spec: PhantomData,
        })
    }

    /// Decides.
    ///
    /// # Errors
    /// STATE_RANGE when a value is outside its field's bounds or closed set; LICENSE_EXPIRED once
    /// the licence's window is over; QUOTA_EXCEEDED when a limit that it enforces is reached;
    /// EVALUATION when a rule cannot be judged; IO when the ledger cannot take its leaf.
    pub fn decide(&self, state: &S::State) -> Result<Decision<S>, Error> {
        let client = self.inner.client();
        Decision::of_pack(client.decide(normal::<S>(&client, state)?)?)
    }

    /// Decides on several states in their order, all with the same pack: for each a decision, or why
    /// there is none. Once a limit that the licence enforces is reached, all rows from there on are
    /// QUOTA_EXCEEDED.
    ///
    /// # Errors
    /// LICENSE_EXPIRED when the licence's window is over at the start.
    pub fn decide_batch<'s>(
        &self,
        states: impl IntoIterator<Item = &'s S::State>,
    ) -> Result<Vec<Result<Decision<S>, Error>>, Error> {
        let client = self.inner.client();
        let states = states.into_iter().map(|state| normal::<S>(&client, state));
        let rows = client.decide_batch(states)?.into_iter();
        Ok(rows.map(|row| Decision::of_pack(row?)).collect())
    }

    /// Opens a pack file anew, with all checks, and puts it in the place of the old pack, which stays on
    /// any error. Decisions made before keep the pack that made them; the ledger and the timing are
    /// those of the first opening, whatever `options` say.
    ///
    /// # Errors
    /// As [`crate::Client::open`].
    pub fn reload(&self, path: impl AsRef<Path>, options: &Options) -> Result<(), Error> {
        self.inner.reload(path.as_ref(), options)
    }

    /// [`Client::reload`] with a pack that was read already.
    ///
    /// # Errors
    /// As [`crate::Client::from_bytes`].
    pub fn reload_bytes(&self, bytes: &[u8], options: &Options) -> Result<(), Error> {
        self.inner.reload_bytes(bytes, options)
    }

    /// What was counted so far.
    ///
    /// # Errors
    /// LEDGER_OFF when the client was opened without a ledger and its licence sets no limit.
    pub fn audit_report(&self) -> Result<AuditReport, Error> {
        self.inner.client().audit_report()
    }

    /// The client below as it is now, which speaks numbers and knows the pack and the licence.
    pub fn inner(&self) -> Arc<client::Client> {
        Arc::clone(&self.inner.client())
    }
}

fn normal<S: Spec>(client: &client::Client, state: &S::State) -> Result<State, Error> {
    let mut values = client.state();
    for (field, value) in S::values(state).into_iter().enumerate() {
        if let Some(value) = value {
            values.set(field, Given::from(value));
        }
    }
    values.finish()
}

impl<S: Builtin> Client<S> {
    /// Opens the pack that the runtime carries; no licence is needed.
    ///
    /// # Errors
    /// PACK_MISMATCH when this runtime carries another interface of the pack.
    pub fn builtin() -> Result<Self, Error> {
        Self::builtin_with(&Options::default())
    }

    /// As [`Client::builtin`]; of the options only ledger and timing say anything.
    ///
    /// # Errors
    /// As [`Client::builtin`], then those of [`crate::Ledger::open`].
    pub fn builtin_with(options: &Options) -> Result<Self, Error> {
        Self::new(|interface| client::Client::builtin_with(interface, options))
    }
}

impl<S: Spec> Clone for Client<S> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            spec: PhantomData,
        }
    }
}

impl<S: Spec> fmt::Debug for Client<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("pack_id", &self.inner.client().pack().playbook().pack_id)
            .finish_non_exhaustive()
    }
}

fn wire_names<N: Names>() -> Vec<&'static str> {
    N::ALL.iter().map(|name| name.as_str()).collect()
}

/// What [`closed_set!`](crate::closed_set) keeps of a set: its names as values, in their order.
pub fn values<N: Names>() -> Vec<Value> {
    let texts = N::ALL.iter().map(|name| name.as_str());
    texts.map(|text| Value::String(text.into())).collect()
}

/// One of the values that are kept: that of a name, which has this number. Nothing is allocated, but
/// at the end of a thread, when nothing is kept any more.
pub fn value<N: Names>(name: N, number: usize, kept: &'static LocalKey<Vec<Value>>) -> Value {
    let found = kept.try_with(|values| values.get(number).cloned());
    let found = found.ok().flatten();
    found.unwrap_or_else(|| Value::String(name.as_str().into()))
}

/// Gives the enum of a field's closed set its way to the runtime. Generated code calls it.
///
/// Texts are kept by each thread: to allocate one for every decision takes longer, and to count the
/// users of one that all threads have makes them wait for one another.
#[macro_export]
macro_rules! closed_set {
    ($set:ident) => {
        impl $set {
            fn helixor_value(self) -> $crate::Value {
                ::std::thread_local! {
                    static VALUES: ::std::vec::Vec<$crate::Value> =
                        $crate::typed::values::<$set>();
                }
                $crate::typed::value(self, self as usize, &VALUES)
            }
        }
    };
}

fn named<N: Names>(number: usize) -> Option<N> {
    N::ALL.get(number).copied()
}

/// A decision. It keeps what made it, explains itself when asked, and can be made up for tests.
pub struct Decision<S: Spec> {
    action: S::Action,
    verdict: Verdict,
    made: Made<S>,
}

enum Made<S: Spec> {
    ByPack(client::Decision),
    Up(Details<S>),
}

/// Everything a [`Decision`] says, as plain data.
pub struct Details<S: Spec> {
    /// What to do.
    pub action: S::Action,
    /// What the rules say of the payload.
    pub verdict: Verdict,
    /// The rules that fired, in priority order.
    pub fired_rules: Vec<S::Rule>,
    /// Why, by fired rule, then by place in its condition.
    pub necessary_causes: Vec<Cause<S>>,
    /// What would have to change for an approval; `None` when no rule fired.
    pub counterfactual: Option<Counterfactual<S>>,
    /// The proof: 64 lower-case hex digits.
    pub proof_sha256: String,
}

impl<S: Spec> Decision<S> {
    fn of_pack(decision: client::Decision) -> Result<Self, Error> {
        let action = named(decision.action()).ok_or_else(|| {
            Error::new(Code::Internal, "an action without a name was decided", "")
        })?;
        Ok(Self {
            action,
            verdict: decision.verdict(),
            made: Made::ByPack(decision),
        })
    }

    /// A made-up decision, for testing code that takes decisions.
    pub const fn fake(details: Details<S>) -> Self {
        Self {
            action: details.action,
            verdict: details.verdict,
            made: Made::Up(details),
        }
    }

    /// What to do.
    pub const fn action(&self) -> S::Action {
        self.action
    }

    /// What the rules say of the payload.
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Whether no hard rule fired.
    pub fn is_approved(&self) -> bool {
        self.verdict == Verdict::Approve
    }

    /// The rules that fired, in priority order.
    pub fn fired_rules(&self) -> Vec<S::Rule> {
        match &self.made {
            Made::ByPack(decision) => decision
                .fired_rules()
                .into_iter()
                .filter_map(named)
                .collect(),
            Made::Up(details) => details.fired_rules.clone(),
        }
    }

    /// Why, by fired rule in priority order, then by place in its condition.
    pub fn necessary_causes(&self) -> Vec<Cause<S>> {
        match &self.made {
            Made::ByPack(decision) => decision
                .causes()
                .into_iter()
                .filter_map(cause::<S>)
                .collect(),
            Made::Up(details) => details.necessary_causes.clone(),
        }
    }

    /// What would have to change for an approval; `None` when no rule fired. Every change that it
    /// asks for was checked; searching takes up to some thousand decisions.
    pub fn counterfactual(&self) -> Option<Counterfactual<S>> {
        match &self.made {
            Made::ByPack(decision) => decision.counterfactual()?.renamed(named, named),
            Made::Up(details) => details.counterfactual.clone(),
        }
    }

    /// How sure the decision is, from 0 to 1: rules over typed facts are always sure.
    pub const fn confidence(&self) -> f64 {
        1.0
    }

    /// The proof, 64 lower-case hex digits: the SHA-256 of
    /// `<pack_id>:<action>:<verdict>:<state>`, the same in every language.
    pub fn proof_sha256(&self) -> String {
        match &self.made {
            Made::ByPack(decision) => Digest::to_string(&decision.proof()),
            Made::Up(details) => details.proof_sha256.clone(),
        }
    }

    /// How long deciding took, in microseconds; `None` unless the client was opened with
    /// [`Options::timing`].
    pub const fn latency_us(&self) -> Option<f64> {
        match &self.made {
            Made::ByPack(decision) => decision.latency_us(),
            Made::Up(_) => None,
        }
    }

    /// Everything it says, as plain data.
    pub fn details(&self) -> Details<S> {
        Details {
            action: self.action,
            verdict: self.verdict,
            fired_rules: self.fired_rules(),
            necessary_causes: self.necessary_causes(),
            counterfactual: self.counterfactual(),
            proof_sha256: self.proof_sha256(),
        }
    }
}

impl<S: Spec> fmt::Debug for Decision<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decision")
            .field("action", &self.action)
            .field("verdict", &self.verdict)
            .field("fired_rules", &self.fired_rules())
            .finish_non_exhaustive()
    }
}

impl<S: Spec> fmt::Debug for Details<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Details")
            .field("action", &self.action)
            .field("verdict", &self.verdict)
            .field("fired_rules", &self.fired_rules)
            .field("necessary_causes", &self.necessary_causes)
            .field("counterfactual", &self.counterfactual)
            .field("proof_sha256", &self.proof_sha256)
            .finish()
    }
}

fn cause<S: Spec>(cause: explain::Cause<usize, usize>) -> Option<Cause<S>> {
    Some(explain::Cause {
        rule: named(cause.rule)?,
        rule_verdict: cause.rule_verdict,
        factor: named(cause.factor)?,
        observed_value: cause.observed_value,
        direction: cause.direction,
        threshold: cause.threshold,
        distance_to_boundary: cause.distance_to_boundary,
    })
}
