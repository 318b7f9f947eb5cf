//! What a client adds to a pack: the licence with its window and limits, and names bound once, at
//! open.
//!
//! A client hands over the [`Interface`] it was compiled with. Its numbers for fields, actions and
//! rules are that document's list positions; nothing else is agreed by position.

use crate::clock::{self, Now};
use crate::container::{Envelope, MAX_PACK_BYTES, read_pack};
use crate::counterfactual::Counterfactual;
use crate::explain::Cause;
use crate::layout::State;
use crate::ledger::{Ledger, LedgerChoice, Origin, Unnumbered};
use crate::license::{
    self, AuthoritySource, Enforcement, License, LicenseSource, Surroundings, Tier, Timestamp,
};
use crate::meter::{Meter, Permit};
use crate::pack::Pack;
use crate::program::Outcome;
use crate::signature::{self, PackSignature, PublisherKeys, PublisherSource};
use crate::state::StateBuilder;
use arc_swap::{ArcSwap, Guard};
use helixor_playbook::canonical::{self, Style};
use helixor_playbook::{
    Code, Data, Digest, Error, FieldKind, Given, Interface, Node, PackId, Position, Verdict,
};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use zeroize::Zeroizing;

pub use crate::ledger::forked;
pub use crate::meter::Usage;

/// How a pack is opened. The default looks the licence and the authorities up.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which licence.
    pub license: LicenseSource,
    /// Which authorities are believed.
    pub authorities: AuthoritySource,
    /// Whether a pack of the same interface but other content is taken.
    pub accept_same_interface: bool,
    /// Which publishers are trusted: then a pack needs a signature by one of them. `None`: none is
    /// asked for.
    pub publisher_keys: Option<PublisherSource>,
    /// The pack's signature; `None`: that of a pack file is the file beside it, `<file>.sig`.
    pub signature: Option<Vec<u8>>,
    /// Largest pack file, in bytes.
    pub max_pack_bytes: u64,
    /// Whether the client keeps an audit ledger, and where.
    pub ledger: LedgerChoice,
    /// Whether decisions say how long they took; see [`Decision::latency_us`].
    pub timing: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            license: LicenseSource::LookUp,
            authorities: AuthoritySource::LookUp,
            accept_same_interface: false,
            publisher_keys: None,
            signature: None,
            max_pack_bytes: MAX_PACK_BYTES,
            ledger: LedgerChoice::Off,
            timing: false,
        }
    }
}

impl Options {
    /// The default: everything is looked up.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the licence from this file.
    #[must_use]
    pub fn license_file(self, path: impl Into<PathBuf>) -> Self {
        Self {
            license: LicenseSource::File(path.into()),
            ..self
        }
    }

    /// Takes this licence.
    #[must_use]
    pub fn license_json(self, json: impl Into<String>) -> Self {
        Self {
            license: LicenseSource::Json(Zeroizing::new(json.into())),
            ..self
        }
    }

    /// Believes the authority keys in these files, and in the `*.pem` of these folders.
    #[must_use]
    pub fn authorities<P: Into<PathBuf>>(self, paths: impl IntoIterator<Item = P>) -> Self {
        let paths = paths.into_iter().map(Into::into).collect();
        Self {
            authorities: AuthoritySource::Paths(paths),
            ..self
        }
    }

    /// Takes only packs with a signature by one of the publisher keys in these files, and in the
    /// `*.pem` of these folders.
    #[must_use]
    pub fn publisher_keys<P: Into<PathBuf>>(self, paths: impl IntoIterator<Item = P>) -> Self {
        let paths = paths.into_iter().map(Into::into).collect();
        Self {
            publisher_keys: Some(PublisherSource::Paths(paths)),
            ..self
        }
    }

    /// The pack's signature, the content of its `.hxpack.sig`. It is looked at only when publisher
    /// keys are given.
    #[must_use]
    pub fn signature(self, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            signature: Some(bytes.into()),
            ..self
        }
    }

    /// Takes a pack of the same interface even when its content is not what the client was
    /// generated from.
    #[must_use]
    pub fn accept_same_interface(self, accept: bool) -> Self {
        Self {
            accept_same_interface: accept,
            ..self
        }
    }

    /// Keeps an audit ledger: a [`LedgerChoice`] or a [`Ledger`] that other clients have too.
    #[must_use]
    pub fn ledger(self, ledger: impl Into<LedgerChoice>) -> Self {
        Self {
            ledger: ledger.into(),
            ..self
        }
    }

    /// Keeps an audit ledger in this file; see [`Ledger::open`].
    #[must_use]
    pub fn ledger_file(self, path: impl Into<PathBuf>) -> Self {
        self.ledger(LedgerChoice::File(path.into()))
    }

    /// Measures each decision.
    #[must_use]
    pub fn timing(self, timing: bool) -> Self {
        Self { timing, ..self }
    }

    /// Checks, when publishers are trusted, that one of them signed these very bytes, which were
    /// read from `path` unless they were given; gives the signature.
    ///
    /// # Errors
    /// PACK_FORMAT when they are not a pack; PACK_SIGNATURE; IO.
    pub fn check_signature(
        &self,
        pack: &[u8],
        path: Option<&Path>,
    ) -> Result<Option<PackSignature>, Error> {
        let Some(trusted) = &self.publisher_keys else {
            return Ok(None);
        };
        let envelope = Envelope::parse(pack)?;
        let trusted = PublisherKeys::read(trusted)?;
        let signature = match (&self.signature, path) {
            (Some(bytes), _) => PackSignature::parse(bytes, "the signature given")?,
            (None, Some(path)) => PackSignature::read(&PackSignature::beside(path))?,
            (None, None) => return Err(signature::missing("none is given")),
        };
        signature.verify(&trusted, pack, envelope.pack_id())?;
        Ok(Some(signature))
    }
}

/// An open pack, bound to the names of one client. Cheap to share between threads.
#[derive(Clone, Debug)]
pub struct Client {
    bound: Arc<Bound>,
    licensed: Option<Licensed>,
    records: Option<Arc<Records>>,
    timing: bool,
}

/// A ledger, and what the leaves of one pack and licence have in common.
#[derive(Debug)]
struct Records {
    ledger: Ledger,
    origin: Origin,
}

/// A pack, and how its numbers and the client's translate.
#[derive(Debug)]
struct Bound {
    pack: Arc<Pack>,
    /// The client's; what it was compiled with.
    interface: Interface,
    /// For each of the client's fields, the pack's.
    slots: Vec<usize>,
    /// Whether the client has the fields in the pack's order.
    in_order: bool,
    /// For each of the pack's fields, actions and rules, the client's.
    fields: Vec<usize>,
    actions: Vec<usize>,
    rules: Vec<usize>,
}

/// A licence that passed check 1, how long it holds and how much it allows. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Licensed(Arc<Terms>);

#[derive(Debug)]
struct Terms {
    license: License,
    /// Also in microseconds since 1970-01-01T00:00:00Z; `None`: without end.
    end: Option<(Timestamp, i64)>,
    /// `None`: without limits.
    meter: Option<Arc<Meter>>,
}

impl Client {
    /// Opens the built-in pack of the interface's pack id; no licence is needed.
    ///
    /// # Errors
    /// PACK_NOT_FOUND when there is none of that id; PACK_MISMATCH when the interfaces differ.
    pub fn builtin(interface: &Interface) -> Result<Self, Error> {
        Self::builtin_with(interface, &Options::default())
    }

    /// As [`Client::builtin`]; of the options only ledger and timing say anything.
    ///
    /// # Errors
    /// As [`Client::builtin`], then those of [`Ledger::open`].
    pub fn builtin_with(interface: &Interface, options: &Options) -> Result<Self, Error> {
        let pack = Pack::builtin();
        if interface.pack_id != pack.playbook().pack_id {
            return Err(Error::new(
                Code::PackNotFound,
                format!("there is no built-in pack `{}`", interface.pack_id),
                "open the pack's .hxpack file",
            ));
        }
        // The runtime's own version of the pack counts, whatever digest the manifest had.
        let bound = Bound::new(pack, interface.clone(), true)?;
        Self::new(bound, None, options.ledger.open()?, options.timing)
    }

    fn new(
        bound: Bound,
        licensed: Option<Licensed>,
        ledger: Option<Ledger>,
        timing: bool,
    ) -> Result<Self, Error> {
        let license_id = licensed
            .as_ref()
            .map_or("", |licensed| licensed.license().license_id().as_str());
        let playbook = bound.pack.playbook();
        let records = ledger.map(|ledger| {
            let origin = Origin::new(license_id, &playbook.pack_id, playbook.digest);
            Arc::new(Records { ledger, origin })
        });
        Ok(Self {
            bound: Arc::new(bound),
            licensed,
            records,
            timing,
        })
    }

    /// Opens a pack file: the load checks, then the comparison of interfaces. A signature that is
    /// asked for is checked once the file was read and has a pack's form, before it is unsealed.
    ///
    /// # Errors
    /// The first failed check, in order: LICENSE_*, PACK_NOT_FOUND, PACK_TOO_LARGE, IO,
    /// PACK_FORMAT, PACK_SIGNATURE, PACK_NOT_LICENSED, PACK_UNSEAL, PACK_INTEGRITY,
    /// SOLVER_NOT_LICENSED, PACK_UNSUPPORTED, PACK_MISMATCH; then those of [`Ledger::open`].
    pub fn open(path: &Path, interface: &Interface, options: &Options) -> Result<Self, Error> {
        let licensed = Licensed::load(options)?;
        let bytes = read_pack(path, options.max_pack_bytes)?;
        let bound = checked(&bytes, Some(path), Some(interface), options, &licensed)?;
        Self::new(
            bound,
            Some(licensed),
            options.ledger.open()?,
            options.timing,
        )
    }

    /// Opens a pack that was read already, as [`Client::open`] does.
    ///
    /// # Errors
    /// As [`Client::open`], but for those of reading the file.
    pub fn from_bytes(
        bytes: &[u8],
        interface: &Interface,
        options: &Options,
    ) -> Result<Self, Error> {
        let licensed = Licensed::load(options)?;
        Self::with_license(bytes, Some(interface), options, &licensed)
    }

    /// Opens a pack that was read already and takes its own interface, tied to no content.
    ///
    /// # Errors
    /// As [`Client::from_bytes`].
    pub fn from_bytes_untied(bytes: &[u8], options: &Options) -> Result<Self, Error> {
        let licensed = Licensed::load(options)?;
        Self::with_license(bytes, None, options, &licensed)
    }

    /// Opens a pack with a licence that was loaded before, whatever `options` say of licences;
    /// without an interface it takes the pack's own.
    ///
    /// # Errors
    /// LICENSE_EXPIRED when the licence's window is over by now; else as [`Client::from_bytes`]
    /// from PACK_TOO_LARGE on.
    pub fn with_license(
        bytes: &[u8],
        interface: Option<&Interface>,
        options: &Options,
        licensed: &Licensed,
    ) -> Result<Self, Error> {
        let bound = checked(bytes, None, interface, options, licensed)?;
        let licensed = Some(licensed.clone());
        Self::new(bound, licensed, options.ledger.open()?, options.timing)
    }

    /// Opens another pack, or the same anew, for the same names, ledger and timing; whatever `options`
    /// say of those two. This client stays as it is.
    ///
    /// # Errors
    /// As [`Client::open`].
    pub fn reopen(&self, path: &Path, options: &Options) -> Result<Self, Error> {
        let licensed = Licensed::load(options)?;
        let bytes = read_pack(path, options.max_pack_bytes)?;
        self.again(&bytes, Some(path), options, licensed)
    }

    /// [`Client::reopen`] with a pack that was read already.
    ///
    /// # Errors
    /// As [`Client::from_bytes`].
    pub fn reopen_bytes(&self, bytes: &[u8], options: &Options) -> Result<Self, Error> {
        let licensed = Licensed::load(options)?;
        self.again(bytes, None, options, licensed)
    }

    fn again(
        &self,
        bytes: &[u8],
        path: Option<&Path>,
        options: &Options,
        licensed: Licensed,
    ) -> Result<Self, Error> {
        let interface = Some(&self.bound.interface);
        let bound = checked(bytes, path, interface, options, &licensed)?;
        Self::new(bound, Some(licensed), self.ledger().cloned(), self.timing)
    }

    /// The pack.
    pub fn pack(&self) -> &Arc<Pack> {
        &self.bound.pack
    }

    /// The licence; `None` for the built-in pack.
    pub fn license(&self) -> Option<&License> {
        self.licensed.as_ref().map(Licensed::license)
    }

    /// The interface that the client's numbers come from.
    pub fn interface(&self) -> &Interface {
        &self.bound.interface
    }

    /// Collects a state by the client's field numbers or by name.
    pub fn state(&self) -> ClientState<'_> {
        ClientState {
            bound: &self.bound,
            builder: self.bound.pack.state(),
        }
    }

    /// The state of packed values: a bit for each of the client's boolean fields in its order, 64 to a
    /// word, the lowest first; then a word for each of its integer fields (as `i64`) and number fields
    /// (the bits of an `f64`) in its order. Every field has a value.
    ///
    /// # Errors
    /// STATE_RANGE; VERSION_SKEW when there are more or fewer words, or the client has string fields.
    // So that a caller that knows how many words there are copies them without a call.
    #[inline(always)]
    pub fn unpack(&self, packed: &[u64]) -> Result<State, Error> {
        let layout = self.bound.pack.layout();
        let plain = self.bound.in_order.then(|| layout.unpack(packed)).flatten();
        plain.map_or_else(|| self.unpack_each(packed), Ok)
    }

    /// [`Client::unpack`] where fields change places or a fault is to be told.
    fn unpack_each(&self, packed: &[u64]) -> Result<State, Error> {
        const BITS: usize = u64::BITS as usize;
        let kinds = || self.field_kinds().enumerate();
        let booleans = || kinds().filter(|(_, kind)| *kind == FieldKind::Boolean);
        let others = || kinds().filter(|(_, kind)| *kind != FieldKind::Boolean);
        let (bits, words) = packed
            .split_at_checked(booleans().count().div_ceil(BITS))
            .unwrap_or_default();
        let strings = kinds().any(|(_, kind)| kind == FieldKind::String);
        if strings || words.len() != others().count() || (bits.is_empty() && booleans().count() > 0)
        {
            let message = "the packed state does not have the client's fields";
            return Err(Error::new(
                Code::VersionSkew,
                message,
                "generate the client anew",
            ));
        }
        let mut state = self.state();
        for (i, (field, _)) in booleans().enumerate() {
            let word = bits.get(i / BITS).copied().unwrap_or_default();
            state.set(field, Given::Boolean(word >> (i % BITS) & 1 == 1));
        }
        for ((field, kind), word) in others().zip(words) {
            let given = match kind {
                FieldKind::Integer => Given::Integer(Some(word.cast_signed().into())),
                _ => Given::Number(f64::from_bits(*word)),
            };
            state.set(field, given);
        }
        state.finish()
    }

    /// Decides on a state made by [`Client::state`].
    ///
    /// # Errors
    /// LICENSE_EXPIRED once the licence's window is over; QUOTA_EXCEEDED when a limit that it
    /// enforces is reached; EVALUATION when a rule cannot be judged; IO when the ledger cannot take
    /// its leaf. What fails is not counted.
    pub fn decide(&self, state: State) -> Result<Decision, Error> {
        self.decide_and(state, Ok)
    }

    /// Decides and hands the decision over; it counts towards the licence's limits only when it
    /// was taken.
    ///
    /// # Errors
    /// As [`Client::decide`], and those of `take`. A leaf that cannot be written (IO) is found out after
    /// `take`.
    pub fn decide_and<T>(
        &self,
        state: State,
        take: impl FnOnce(Decision) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let started = self.timing.then(Instant::now);
        let permit = self.admit()?;
        let mut decision = self.judge(state)?;
        decision.latency_us = started.map(|at| at.elapsed().as_nanos() as f64 / 1_000.0);
        let leaf = self.leaf(|| decision.proof());
        let taken = take(decision)?;
        self.count(permit, leaf)?;
        Ok(taken)
    }

    /// Decides as [`Client::decide`] does, and counts it, but gives only the verdict and the action, by
    /// the client's number.
    ///
    /// # Errors
    /// As [`Client::decide`].
    pub fn answer(&self, state: &State) -> Result<(Verdict, usize), Error> {
        let permit = self.admit()?;
        let outcome = self.bound.pack.decide(state)?;
        let leaf = self.leaf(|| self.bound.pack.proof(state, &outcome));
        self.count(permit, leaf)?;
        let action = client_number(&self.bound.actions, outcome.action());
        Ok((outcome.verdict(), action))
    }

    /// Decides on several states in their order: for each a decision, or why there is none. One that
    /// fails does not keep the others from being decided; but once a limit that the licence enforces is
    /// reached, it and all after it are QUOTA_EXCEEDED, and once the licence's window is over meanwhile,
    /// LICENSE_EXPIRED.
    ///
    /// # Errors
    /// LICENSE_EXPIRED when the licence's window is over at the start.
    pub fn decide_batch(
        &self,
        states: impl IntoIterator<Item = Result<State, Error>>,
    ) -> Result<Vec<Result<Decision, Error>>, Error> {
        Ok(self.batch(states, |state| self.decide(state))?.collect())
    }

    /// [`Client::decide_batch`], but gives only what [`Client::answer`] does; each state is decided on when
    /// its answer is asked for.
    ///
    /// # Errors
    /// As [`Client::decide_batch`].
    pub fn answer_batch(
        &self,
        states: impl IntoIterator<Item = Result<State, Error>>,
    ) -> Result<impl Iterator<Item = Result<(Verdict, usize), Error>>, Error> {
        self.batch(states, |state| self.answer(&state))
    }

    fn batch<T>(
        &self,
        states: impl IntoIterator<Item = Result<State, Error>>,
        decide: impl Fn(State) -> Result<T, Error>,
    ) -> Result<impl Iterator<Item = Result<T, Error>>, Error> {
        if let Some(licensed) = &self.licensed {
            licensed.check()?;
        }
        let mut over = None;
        Ok(states.into_iter().map(move |state| {
            if let Some(error) = &over {
                return Err(Error::clone(error));
            }
            state.and_then(&decide).inspect_err(|error| {
                if matches!(error.code(), Code::QuotaExceeded | Code::LicenseExpired) {
                    over = Some(error.clone());
                }
            })
        }))
    }

    /// Whether decisions are measured; see [`Options::timing`].
    pub fn timing(&self) -> bool {
        self.timing
    }

    /// Decides on rows that lie in columns, one for each of the client's fields in its order; `None`
    /// leaves that field out of every row. What fails, fails as in [`Client::decide_batch`].
    ///
    /// # Errors
    /// LICENSE_EXPIRED when the licence's window is over at the start; INVALID_ARGUMENT when the columns
    /// are not as many as the fields, or not equally long; STATE_MISSING when a field that must be given
    /// has none.
    pub fn answer_columns(&self, columns: &[Option<Column>]) -> Result<Answers, Error> {
        let lengths = || columns.iter().flatten().map(Column::len);
        let rows = lengths().next().unwrap_or_default();
        if columns.len() != self.bound.slots.len() || lengths().any(|length| length != rows) {
            let message = "there must be a column for each field, all of one length";
            return Err(Error::new(Code::InvalidArgument, message, ""));
        }
        if let Some(licensed) = &self.licensed {
            licensed.check()?;
        }
        if rows > 0 && columns.contains(&None) {
            let fault = self.row(columns, 0).err();
            let faults = fault.iter().flat_map(Error::all);
            let missing = faults.filter(|fault| fault.code() == Code::StateMissing);
            if let Some(error) = Error::first_of(missing.cloned().collect()) {
                return Err(error);
            }
        }
        let packs = |(kind, column): (FieldKind, &Option<Column>)| match column {
            Some(Column::Booleans(_)) => kind == FieldKind::Boolean,
            Some(Column::Integers(_)) => kind == FieldKind::Integer,
            Some(Column::Numbers(_)) => kind == FieldKind::Number,
            None => false,
        };
        let packed = self.field_kinds().zip(columns).all(packs);
        let mut answers = Answers::default();
        let mut words = Vec::new();
        let mut over = None;
        for row in 0..rows {
            let state = if packed {
                pack(columns, row, &mut words);
                self.unpack(&words)
            } else {
                self.row(columns, row)
            };
            let answer = match &over {
                Some(error) => Err(Error::clone(error)),
                None => state.and_then(|state| self.answer(&state)),
            };
            match answer {
                Ok((verdict, action)) => answers.push(verdict as u8, action),
                Err(error) => {
                    if matches!(error.code(), Code::QuotaExceeded | Code::LicenseExpired) {
                        over = Some(error.clone());
                    }
                    answers.push(Answers::FAILED, usize::MAX);
                    answers.errors.push((row, error));
                }
            }
        }
        Ok(answers)
    }

    /// The state of one row.
    fn row(&self, columns: &[Option<Column>], row: usize) -> Result<State, Error> {
        let mut state = self.state();
        for (field, column) in columns.iter().enumerate() {
            if let Some(given) = column.as_ref().and_then(|column| column.given(row)) {
                state.set(field, given);
            }
        }
        state.finish()
    }

    /// Checks the window, and takes a place within the limits if there are any.
    fn admit(&self) -> Result<Option<Permit<'_>>, Error> {
        match &self.licensed {
            Some(Licensed(terms)) => terms.admit(),
            None => Ok(None),
        }
    }

    /// What the ledger is to keep of a decision, if there is one.
    fn leaf(&self, proof: impl FnOnce() -> Digest) -> Option<(&Records, Unnumbered<'_>)> {
        let records = self.records.as_deref()?;
        Some((records, Unnumbered::new(&records.origin, proof())))
    }

    /// The decision is made: it counts.
    fn count(
        &self,
        permit: Option<Permit<'_>>,
        leaf: Option<(&Records, Unnumbered)>,
    ) -> Result<(), Error> {
        if let Some((records, leaf)) = leaf {
            records.ledger.append(leaf)?;
        }
        if let Some(permit) = permit {
            permit.keep();
        }
        Ok(())
    }

    /// The ledger it keeps, if it does.
    pub fn ledger(&self) -> Option<&Ledger> {
        Some(&self.records.as_ref()?.ledger)
    }

    /// What was counted so far; see [`AuditReport`].
    ///
    /// # Errors
    /// LEDGER_OFF when the client keeps no ledger and its licence sets no limit.
    pub fn audit_report(&self) -> Result<AuditReport, Error> {
        AuditReport::of(self.licensed.as_ref(), self.ledger())
    }

    /// What was decided with the client's licence in this process; `None` when it sets no limit,
    /// since then nothing is counted.
    pub fn usage(&self) -> Option<Usage> {
        Some(self.licensed.as_ref()?.0.meter.as_ref()?.usage())
    }

    /// Judges without looking at the licence's window and limits: to explain a decision that was
    /// made within them.
    ///
    /// # Errors
    /// EVALUATION when a rule cannot be judged.
    pub fn judge(&self, state: State) -> Result<Decision, Error> {
        let outcome = self.bound.pack.decide(&state)?;
        Ok(Decision {
            bound: Arc::clone(&self.bound),
            state,
            outcome,
            proof: OnceLock::new(),
            latency_us: None,
        })
    }

    /// The types of the client's fields, in the client's order.
    pub fn field_kinds(&self) -> impl ExactSizeIterator<Item = FieldKind> {
        let fields = &self.bound.pack.playbook().fields;
        let slots = self.bound.slots.iter();
        slots.map(|slot| {
            fields
                .get(*slot)
                .map_or(FieldKind::Boolean, |field| field.kind)
        })
    }
}

/// The values of one field in many rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Of booleans.
    Booleans(Vec<bool>),
    /// Of integers.
    Integers(Vec<i64>),
    /// Of floats.
    Numbers(Vec<f64>),
}

impl Column {
    /// How many rows it has.
    #[allow(
        clippy::len_without_is_empty,
        reason = "a column without rows is one like others"
    )]
    pub fn len(&self) -> usize {
        match self {
            Column::Booleans(values) => values.len(),
            Column::Integers(values) => values.len(),
            Column::Numbers(values) => values.len(),
        }
    }

    fn given(&self, row: usize) -> Option<Given> {
        Some(match self {
            Column::Booleans(values) => Given::Boolean(*values.get(row)?),
            Column::Integers(values) => Given::Integer(Some((*values.get(row)?).into())),
            Column::Numbers(values) => Given::Number(*values.get(row)?),
        })
    }
}

/// The packed values of a row; see [`Client::unpack`].
fn pack(columns: &[Option<Column>], row: usize, words: &mut Vec<u64>) {
    const BITS: usize = u64::BITS as usize;
    words.clear();
    let mut bits = 0;
    for column in columns.iter().flatten() {
        if let Column::Booleans(values) = column {
            if bits % BITS == 0 {
                words.push(0);
            }
            if let (Some(word), Some(value)) = (words.last_mut(), values.get(row)) {
                *word |= u64::from(*value) << (bits % BITS);
            }
            bits += 1;
        }
    }
    for column in columns.iter().flatten() {
        match column {
            Column::Booleans(_) => {}
            Column::Integers(values) => words.extend(values.get(row).map(|v| v.cast_unsigned())),
            Column::Numbers(values) => words.extend(values.get(row).map(|v| v.to_bits())),
        }
    }
}

/// What was decided on each of many rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// The verdicts: 0 approve, 1 redact, 2 refuse, [`Answers::FAILED`].
    pub verdicts: Vec<u8>,
    /// The actions by the client's numbers; `u32::MAX` for rows that failed.
    pub actions: Vec<u32>,
    /// The rows that failed, in their order, and why.
    pub errors: Vec<(usize, Error)>,
}

impl Answers {
    /// The verdict of a row that failed.
    pub const FAILED: u8 = u8::MAX;

    fn push(&mut self, verdict: u8, action: usize) {
        self.verdicts.push(verdict);
        self.actions.push(u32::try_from(action).unwrap_or(u32::MAX));
    }
}

/// The checks of an opening, once the licence was loaded and the pack read.
fn checked(
    bytes: &[u8],
    path: Option<&Path>,
    interface: Option<&Interface>,
    options: &Options,
    licensed: &Licensed,
) -> Result<Bound, Error> {
    licensed.check()?;
    if bytes.len() as u64 > options.max_pack_bytes {
        return Err(Error::new(
            Code::PackTooLarge,
            format!(
                "the pack has {} bytes, at most {} are allowed",
                bytes.len(),
                options.max_pack_bytes
            ),
            "raise the limit if the pack is yours",
        ));
    }
    options.check_signature(bytes, path)?;
    let pack = Arc::new(Pack::open(bytes, licensed.license())?);
    let interface = interface.cloned().unwrap_or_else(|| Interface {
        // Who takes the names as they are takes any content that has the same.
        raw_pack_sha256: None,
        ..pack.interface().clone()
    });
    Bound::new(pack, interface, options.accept_same_interface)
}

impl Licensed {
    /// Finds and verifies a licence (load check 1).
    ///
    /// # Errors
    /// LICENSE_*.
    pub fn load(options: &Options) -> Result<Self, Error> {
        let around = Surroundings::of_process();
        license::load(&options.license, &options.authorities, &around).map(Self::from)
    }

    /// The licence.
    pub fn license(&self) -> &License {
        &self.0.license
    }

    /// Checks that its window is not over yet.
    ///
    /// # Errors
    /// LICENSE_EXPIRED.
    pub fn check(&self) -> Result<(), Error> {
        self.0.check(Now::read()).map(drop)
    }
}

impl From<License> for Licensed {
    fn from(license: License) -> Self {
        let end = license.expires_at();
        Self(Arc::new(Terms {
            end: end.map(|end| (end, end.seconds().saturating_mul(1_000_000))),
            meter: Meter::of(&license),
            license,
        }))
    }
}

impl Terms {
    fn check(&self, now: Now) -> Result<(), Error> {
        match self.end {
            Some((end, unix)) if now.0 >= unix => Err(self.license.expired(end, now.timestamp())),
            _ => Ok(()),
        }
    }

    /// Checks the window, and takes a place within the limits if there are any.
    fn admit(&self) -> Result<Option<Permit<'_>>, Error> {
        self.check(Now::read())?;
        match &self.meter {
            Some(meter) => meter.admit(clock::monotonic()).map(Some),
            None => Ok(None),
        }
    }
}

/// A client whose pack can be exchanged while others decide with it. Clones of it are the same client.
#[derive(Clone, Debug)]
pub struct Live(Arc<ArcSwap<Client>>);

impl Live {
    /// Begins with this pack.
    pub fn new(client: Client) -> Self {
        Self(Arc::new(ArcSwap::from_pointee(client)))
    }

    /// The client of now. States and decisions are of one pack, so they are made with one such client;
    /// decisions keep the pack that made them.
    pub fn client(&self) -> Guard<Arc<Client>> {
        self.0.load()
    }

    /// Opens a pack anew, with all checks, and puts it in the place of the old one, which stays on
    /// any error. The ledger and the timing are kept, whatever `options` say of them.
    ///
    /// # Errors
    /// As [`Client::open`].
    pub fn reload(&self, path: &Path, options: &Options) -> Result<(), Error> {
        self.put(self.client().reopen(path, options)?)
    }

    /// [`Live::reload`] with a pack that was read already.
    ///
    /// # Errors
    /// As [`Client::from_bytes`].
    pub fn reload_bytes(&self, bytes: &[u8], options: &Options) -> Result<(), Error> {
        self.put(self.client().reopen_bytes(bytes, options)?)
    }

    fn put(&self, client: Client) -> Result<(), Error> {
        self.0.store(Arc::new(client));
        Ok(())
    }
}

/// What was counted with a licence's limits and a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditReport {
    /// The licence's id; empty for a built-in pack, as is the tenant's.
    pub license_id: String,
    /// Who holds the licence.
    pub tenant_id: String,
    /// What was bought; [`Tier::Community`] for a built-in pack.
    pub tier: Tier,
    /// What happens beyond a limit; [`Enforcement::Observe`] without limits.
    pub enforcement_mode: Enforcement,
    /// The ledger's leaves since it was opened; without a ledger the decisions that count towards the
    /// licence's limits.
    pub total_decisions_executed: u64,
    /// Decisions in this process beyond the licence's `max_decisions`, 0 without limits.
    pub decisions_over_quota: u64,
    /// Decisions in this process beyond its `max_decisions_per_second`, 0 without limits.
    pub decisions_over_rate_limit: u64,
    /// The root of all the ledger's leaves; `None` without a ledger.
    pub ledger_merkle_root: Option<Digest>,
    /// When counting began.
    pub since: Timestamp,
    /// Leaves that a loss of power cannot take any more, those that the ledger's file had before
    /// included; `None` without a file.
    pub durable_leaves: Option<u64>,
}

impl AuditReport {
    /// The report of a licence and a ledger.
    ///
    /// # Errors
    /// LEDGER_OFF when there is no ledger and the licence sets no limit.
    pub fn of(licensed: Option<&Licensed>, ledger: Option<&Ledger>) -> Result<Self, Error> {
        let meter = licensed.and_then(|licensed| licensed.0.meter.as_deref());
        let ledger = ledger.map(Ledger::state);
        let (total, since) = match (&ledger, meter) {
            (Some(state), _) => (state.appended, state.since),
            (None, Some(meter)) => (meter.usage().decisions, meter.since()),
            (None, None) => {
                return Err(Error::new(
                    Code::LedgerOff,
                    "nothing is counted: there is no audit ledger, and the licence sets no limit",
                    "open the client with a ledger",
                ));
            }
        };
        let claims = licensed.map(|licensed| licensed.license().claims());
        let usage = meter.map(Meter::usage);
        Ok(Self {
            license_id: claims.map_or(String::new(), |claims| claims.license_id.to_string()),
            tenant_id: claims.map_or(String::new(), |claims| claims.tenant_id.to_string()),
            tier: claims.map_or(Tier::Community, |claims| claims.tier),
            enforcement_mode: claims
                .map_or(Enforcement::Observe, |claims| claims.limits.enforcement),
            total_decisions_executed: total,
            decisions_over_quota: usage.map_or(0, |usage| usage.over_quota),
            decisions_over_rate_limit: usage.map_or(0, |usage| usage.over_rate_limit),
            ledger_merkle_root: ledger.map(|state| state.root),
            since,
            durable_leaves: ledger.and_then(|state| state.durable),
        })
    }

    /// As compact canonical JSON; a root that is not there is the empty text.
    pub fn to_json(&self) -> String {
        let root = self.ledger_merkle_root.map(|root| root.to_string());
        let node = Node::map([
            ("license_id", self.license_id.as_str().into()),
            ("tenant_id", self.tenant_id.as_str().into()),
            ("tier", self.tier.as_str().into()),
            ("enforcement_mode", self.enforcement_mode.as_str().into()),
            (
                "total_decisions_executed",
                self.total_decisions_executed.into(),
            ),
            ("decisions_over_quota", self.decisions_over_quota.into()),
            (
                "decisions_over_rate_limit",
                self.decisions_over_rate_limit.into(),
            ),
            (
                "ledger_merkle_root",
                root.unwrap_or_default().as_str().into(),
            ),
            ("since", self.since.to_string().as_str().into()),
            (
                "durable_leaves",
                self.durable_leaves.map_or(Data::Null.into(), Node::from),
            ),
        ]);
        // It holds no floats, so there is always a JSON form.
        canonical::write(&node, Style::Compact).unwrap_or_default()
    }
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

/// Runs what another language calls, so that no panic crosses into it.
///
/// # Errors
/// INTERNAL for a panic; else those of `body`.
pub fn unpanicked<T>(body: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        Err(Error::new(
            Code::Internal,
            "the runtime failed inside",
            "please report how it came to this",
        ))
    })
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
    fn new(pack: Arc<Pack>, client: Interface, accept_same_interface: bool) -> Result<Self, Error> {
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

fn names<T: Borrow<str>>(ids: &[T]) -> Vec<&str> {
    ids.iter().map(T::borrow).collect()
}

fn field_names(interface: &Interface) -> Vec<&str> {
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

/// Collects one state of a [`Client`].
#[derive(Debug)]
pub struct ClientState<'c> {
    bound: &'c Bound,
    builder: StateBuilder<'c>,
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

/// A decision in the client's numbers. It keeps the pack that made it and explains itself when
/// asked.
#[derive(Clone, Debug)]
pub struct Decision {
    bound: Arc<Bound>,
    state: State,
    outcome: Outcome,
    /// Made at most once.
    proof: OnceLock<Digest>,
    latency_us: Option<f64>,
}

impl Decision {
    /// The verdict.
    pub const fn verdict(&self) -> Verdict {
        self.outcome.verdict()
    }

    /// The action, by the client's number.
    pub fn action(&self) -> usize {
        client_number(&self.bound.actions, self.outcome.action())
    }

    /// The fired rules in priority order, by the client's numbers.
    pub fn fired_rules(&self) -> Vec<usize> {
        self.outcome
            .fired_rules()
            .map(|rule| client_number(&self.bound.rules, rule))
            .collect()
    }

    /// Why it came out so, in the client's numbers for rules and fields.
    pub fn causes(&self) -> Vec<Cause<usize, usize>> {
        let mut causes = self.bound.pack.causes(&self.state, &self.outcome);
        for cause in &mut causes {
            cause.rule = client_number(&self.bound.rules, cause.rule);
            cause.factor = client_number(&self.bound.fields, cause.factor);
        }
        causes
    }

    /// What would have to change for an approval, in the client's numbers for rules and fields;
    /// `None` when no rule fired.
    pub fn counterfactual(&self) -> Option<Counterfactual<usize, usize>> {
        let found = self.bound.pack.counterfactual(&self.state, &self.outcome)?;
        let (rules, fields) = (&self.bound.rules, &self.bound.fields);
        found.renamed(
            |rule| Some(client_number(rules, rule)),
            |field| Some(client_number(fields, field)),
        )
    }

    /// The action by its name.
    pub fn action_name(&self) -> &str {
        self.bound.pack.action(&self.outcome)
    }

    /// The fired rules by their names, in priority order.
    pub fn fired_rule_names(&self) -> Vec<&str> {
        self.bound.pack.fired_rules(&self.outcome)
    }

    /// Why it came out so, in the names of rules and fields.
    pub fn named_causes(&self) -> Vec<Cause<&str, &str>> {
        let pack = &self.bound.pack;
        let rules: Vec<&str> = pack.rules().map(|rule| rule.id.as_str()).collect();
        let fields = &pack.playbook().fields;
        let named = |cause: Cause<usize, usize>| {
            Some(Cause {
                rule: rules.get(cause.rule).copied()?,
                rule_verdict: cause.rule_verdict,
                factor: fields.get(cause.factor)?.name.as_str(),
                observed_value: cause.observed_value,
                direction: cause.direction,
                threshold: cause.threshold,
                distance_to_boundary: cause.distance_to_boundary,
            })
        };
        let causes = pack.causes(&self.state, &self.outcome);
        causes.into_iter().filter_map(named).collect()
    }

    /// What would have to change for an approval, in the names of rules and fields; `None` when no rule
    /// fired.
    pub fn named_counterfactual(&self) -> Option<Counterfactual<&str, &str>> {
        self.bound
            .pack
            .named_counterfactual(&self.state, &self.outcome)
    }

    /// The proof.
    pub fn proof(&self) -> Digest {
        let proof = || self.bound.pack.proof(&self.state, &self.outcome);
        *self.proof.get_or_init(proof)
    }

    /// How long deciding took, the licence's window and limits included, in microseconds; `None` unless
    /// the client was opened with [`Options::timing`].
    pub const fn latency_us(&self) -> Option<f64> {
        self.latency_us
    }

    /// The pack that made it.
    pub fn pack_id(&self) -> &PackId {
        &self.bound.pack.playbook().pack_id
    }

    /// The normal state it was made on, ordered by field name.
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// The same in the pack's numbers.
    pub const fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The digest of the playbook that made it.
    pub fn pack_digest(&self) -> Digest {
        self.bound.pack.digest()
    }
}

impl Cause<&str, &str> {
    /// As documents say it.
    pub fn to_node(&self) -> Node {
        Node::map([
            ("rule", self.rule.into()),
            ("rule_verdict", self.rule_verdict.as_str().into()),
            ("factor", self.factor.into()),
            ("observed_value", Some(&self.observed_value).into()),
            ("direction", self.direction.into()),
            ("threshold", Some(&self.threshold).into()),
            ("distance_to_boundary", self.distance_to_boundary.into()),
        ])
    }
}

/// The client's number for one of the pack's; binding gave every one of them a partner.
fn client_number(table: &[usize], pack_number: usize) -> usize {
    table.get(pack_number).copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::seal;
    use crate::keys::PrivateKey;
    use crate::license::tests::{license, limited, limited_json, vector, verified};
    use helixor_playbook::{Format, ValueRef, builtin, read};

    const STATE: &[u8] =
        br#"{"has_ssn": true, "has_credit_card": false, "has_health_record": false,
        "has_email": false, "has_phone": false, "has_ip": false}"#;

    #[test]
    fn a_decision_after_the_end_of_the_window_is_refused() {
        let licensed = Licensed::from(license("LIC-1", &["*"]));
        let end = licensed.license().expires_at().unwrap().seconds() * 1_000_000;
        let check = |unix: i64| licensed.0.check(Now(unix));
        assert!(check(end - 1).is_ok());
        for unix in [end, end + 1, i64::MAX] {
            assert_eq!(check(unix).unwrap_err().code(), Code::LicenseExpired);
        }
        let error = check(end + 59_999_999).unwrap_err();
        assert!(error.message().ends_with("it is 2027-01-01T00:00:59Z now"));
        // A licence without an end.
        let perpetual = Licensed::from(vector());
        assert!(perpetual.0.check(Now(i64::MAX)).is_ok());
    }

    fn limited_client(id: &str, decisions: u64) -> Client {
        let key = PrivateKey::generate().unwrap();
        let licensed = Licensed::from(limited(id, decisions, &key));
        let pack = sealed(builtin::EXAMPLE, licensed.license());
        Client::with_license(&pack, None, &Options::new(), &licensed).unwrap()
    }

    fn sealed(playbook: &str, license: &License) -> Vec<u8> {
        let playbook = read(playbook, Format::Yaml).unwrap();
        let json = canonical::write(&playbook, Style::Compact).unwrap();
        let id = &Pack::builtin().playbook().pack_id.clone();
        seal(id, json.as_bytes(), license).unwrap()
    }

    #[test]
    fn a_reload_keeps_names_and_ledger_and_on_an_error_everything() {
        let key = PrivateKey::generate().unwrap();
        let authority = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(authority.path(), key.public_pem().unwrap()).unwrap();
        let json = limited_json("lic-reload", 100, &key);
        let issued = verified(&json, &key).unwrap();
        let options = Options::new()
            .license_json(json.as_str())
            .authorities([authority.path()])
            .ledger(LedgerChoice::InMemory)
            .timing(true);
        let first = sealed(builtin::EXAMPLE, &issued);
        let other = builtin::EXAMPLE.replace("RULE-HIPAA", "RULE-OTHER");
        assert_ne!(other, builtin::EXAMPLE);
        let live =
            Live::new(Client::from_bytes(&first, Pack::builtin().interface(), &options).unwrap());
        let decide = |live: &Live| {
            let client = live.client();
            let state = client.pack().state_from_json(STATE).unwrap();
            client.decide(state).unwrap()
        };
        let before = decide(&live);
        let same = live.clone();
        let mismatch = live.reload_bytes(&sealed(&other, &issued), &options);
        assert_eq!(mismatch.unwrap_err().code(), Code::PackMismatch);
        let missing = live.reload(Path::new("none.hxpack"), &options);
        assert_eq!(missing.unwrap_err().code(), Code::PackNotFound);
        decide(&live);
        // Other content of the same names, without a ledger of its own.
        let reworded = builtin::EXAMPLE.replace("severity: warning", "severity: fatal");
        assert_ne!(reworded, builtin::EXAMPLE);
        let accepting = Options {
            ledger: LedgerChoice::Off,
            timing: false,
            ..options.accept_same_interface(true)
        };
        live.reload_bytes(&sealed(&reworded, &issued), &accepting)
            .unwrap();
        let after = decide(&same);
        assert_ne!(after.pack_digest(), before.pack_digest());
        assert_eq!(before.pack_digest(), Pack::builtin().digest());
        assert!(after.latency_us().is_some());
        let report = same.client().audit_report().unwrap();
        assert_eq!(report.total_decisions_executed, 3);
        assert_eq!(report.license_id, "lic-reload");
        assert_eq!(same.client().usage().unwrap().decisions, 3);
    }

    #[test]
    fn limits_alone_make_a_report_without_a_root() {
        let client = limited_client("lic-report", 1);
        let state = client.pack().state_from_json(STATE).unwrap();
        client.decide(state).unwrap();
        let report = client.audit_report().unwrap();
        assert_eq!(report.total_decisions_executed, 1);
        assert_eq!(
            (report.ledger_merkle_root, report.durable_leaves),
            (None, None)
        );
        assert!(report.to_json().contains("\"ledger_merkle_root\":\"\""));
    }

    #[test]
    fn decisions_count_when_they_are_made_and_taken() {
        let client = limited_client("lic-client", 2);
        let again = client.clone();
        let usage = |client: &Client| client.usage().unwrap().decisions;
        let state = || client.pack().state_from_json(STATE).unwrap();
        client.decide(state()).unwrap();
        client.judge(state()).unwrap();
        let refused = client.decide_and(state(), |_| -> Result<(), Error> {
            Err(Error::new(Code::BufferTooSmall, "x", ""))
        });
        assert_eq!(refused.unwrap_err().code(), Code::BufferTooSmall);
        assert_eq!(usage(&again), 1);
        again.decide(state()).unwrap();
        let error = client.decide(state()).unwrap_err();
        assert_eq!(error.code(), Code::QuotaExceeded);
        client.judge(state()).unwrap();
        assert_eq!(usage(&client), 2);
        assert_eq!(
            Client::builtin(Pack::builtin().interface())
                .unwrap()
                .usage(),
            None
        );
    }

    #[test]
    fn a_batch_counts_its_rows_and_ends_at_a_limit() {
        let client = limited_client("lic-batch", 3);
        let state = || client.pack().state_from_json(STATE);
        let fault = || client.pack().state_from_json(b"{}");
        let rows = [
            state(),
            fault(),
            state(),
            state(),
            state(),
            fault(),
            state(),
        ];
        let rows = client.decide_batch(rows).unwrap();
        let codes: Vec<_> = rows
            .iter()
            .map(|row| row.as_ref().err().map(Error::code))
            .collect();
        let (missing, over) = (Some(Code::StateMissing), Some(Code::QuotaExceeded));
        assert_eq!(codes, [None, missing, None, None, over, over, over]);
        assert_eq!(client.usage().unwrap().decisions, 3);
        assert_eq!(client.decide_batch([]).unwrap().len(), 0);
    }

    #[test]
    fn an_answer_is_what_is_decided_and_counts() {
        let client = limited_client("lic-answer", 1);
        let state = client.pack().state_from_json(STATE).unwrap();
        let decision = client.judge(state.clone()).unwrap();
        let expected = (decision.verdict(), decision.action());
        assert_eq!(client.answer(&state).unwrap(), expected);
        let error = client.answer(&state).unwrap_err();
        assert_eq!(error.code(), Code::QuotaExceeded);
        assert_eq!(client.usage().unwrap().decisions, 1);
    }

    /// A pack with 70 booleans and some bounded numbers, opened in its own order and in reverse.
    fn wide_clients() -> [Client; 2] {
        let fields: Vec<String> = (0..70)
            .map(|i| format!(r#""b{i:02}": {{"type": "boolean"}}"#))
            .chain((0..4).map(|i| {
                format!(r#""i{i}": {{"type": "integer", "min_value": -5, "max_value": 5}}"#)
            }))
            .chain((0..3).map(|i| format!(r#""n{i}": {{"type": "number", "max_value": 5.5}}"#)))
            .collect();
        let source = format!(
            r#"{{"pack_id": "acme.x.v1", "version": "1.0.0", "actions": ["a"], "default_action": "a",
            "state_schema": {{{}}},
            "hard_rules": [{{"id": "R", "condition": "state.b00", "action": "a"}}]}}"#,
            fields.join(",")
        );
        let root = read(&source, Format::Json).unwrap();
        let pack = Arc::new(Pack::from(helixor_playbook::check(&source, &root).unwrap()));
        let mut reversed = pack.interface().clone();
        reversed.fields.reverse();
        [pack.interface().clone(), reversed].map(|interface| {
            let bound = Bound::new(Arc::clone(&pack), interface, false).unwrap();
            Client::new(bound, None, None, false).unwrap()
        })
    }

    #[test]
    fn packed_values_are_those_of_the_clients_fields() {
        for client in wide_clients() {
            let mut accepted = 0;
            for round in 0..50_u64 {
                let is = |i: usize| (i as u64 * 7 + round).is_multiple_of(3);
                let integer = |i: usize| (i as i64 + round as i64) % 13 - 6;
                let number = |i: usize| ((i as u64 + round) % 30) as f64 / 5.0;
                let (mut packed, mut numbers) = (vec![0; 2], Vec::new());
                let (mut each, mut bit) = (client.state(), 0);
                for (i, kind) in client.field_kinds().enumerate() {
                    match kind {
                        FieldKind::Boolean => {
                            packed[bit / 64] |= u64::from(is(i)) << (bit % 64);
                            bit += 1;
                            each.set(i, Given::Boolean(is(i)));
                        }
                        FieldKind::Integer => {
                            numbers.push(integer(i) as u64);
                            each.set(i, Given::Integer(Some(integer(i).into())));
                        }
                        _ => {
                            numbers.push(number(i).to_bits());
                            each.set(i, Given::Number(number(i)));
                        }
                    }
                }
                packed.extend(numbers);
                let (packed, each) = (client.unpack(&packed), each.finish());
                assert_eq!(packed, each);
                accepted += usize::from(each.is_ok());
            }
            assert!((10..40).contains(&accepted), "{accepted}");
        }
    }

    #[test]
    fn rows_in_columns_are_decided_as_states_are() {
        let mut columns: Vec<Vec<Column>> = Vec::new();
        for client in wide_clients() {
            let value = |i: usize, row: usize| (i * 5 + row * 3) % 11;
            let column = |(i, kind)| match kind {
                FieldKind::Boolean => {
                    Column::Booleans((0..40).map(|row| value(i, row) > 5).collect())
                }
                FieldKind::Integer => {
                    Column::Integers((0..40).map(|row| value(i, row) as i64 - 5).collect())
                }
                _ => Column::Numbers((0..40).map(|row| value(i, row) as f64 / 2.0).collect()),
            };
            let mut given: Vec<_> = client.field_kinds().enumerate().map(column).collect();
            for integers in [false, true] {
                if integers {
                    // A number field takes integers too; then rows are not packed.
                    let number = client.field_kinds().position(|k| k == FieldKind::Number);
                    given[number.unwrap()] = Column::Integers((0..40).map(|row| row % 7).collect());
                }
                let some: Vec<_> = given.iter().cloned().map(Some).collect();
                let answers = client.answer_columns(&some).unwrap();
                for row in 0..40 {
                    let expected = client
                        .row(&some, row)
                        .and_then(|state| client.answer(&state));
                    let found = answers.errors.iter().find(|(failed, _)| *failed == row);
                    match expected {
                        Ok((verdict, action)) => {
                            assert_eq!(answers.verdicts[row], verdict as u8);
                            assert_eq!(answers.actions[row], action as u32);
                            assert_eq!(found, None);
                        }
                        Err(error) => {
                            assert_eq!(found, Some(&(row, error)));
                            assert_eq!(answers.verdicts[row], Answers::FAILED);
                        }
                    }
                }
                assert!((1..40).contains(&answers.errors.len()) == integers);
            }
            columns.push(given);
        }
        let [client, _] = wide_clients();
        let mut given: Vec<_> = columns[0].iter().cloned().map(Some).collect();
        given[3] = None;
        let error = client.answer_columns(&given).unwrap_err();
        assert_eq!(error.code(), Code::StateMissing);
        given[3] = Some(Column::Booleans(vec![true]));
        let error = client.answer_columns(&given).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(client.answer_columns(&given[1..]).is_err());
    }

    #[test]
    fn packed_values_of_another_shape_are_of_another_version() {
        for client in wide_clients() {
            for words in [0, 1, 2, 8, 10] {
                let error = client.unpack(&vec![0; words]).unwrap_err();
                assert_eq!(error.code(), Code::VersionSkew, "{words}");
            }
        }
        let [client, _] = wide_clients();
        let mut packed = vec![0; 9];
        packed[8] = f64::NAN.to_bits();
        assert_eq!(client.unpack(&packed).unwrap_err().code(), Code::StateRange);
        packed[8] = (-0.0_f64).to_bits();
        let state = client.unpack(&packed).unwrap();
        let sign = |value| matches!(value, ValueRef::Number(n) if n.is_sign_negative());
        assert!(!client.pack().values(&state).any(sign));
    }

    #[test]
    fn generated_code_that_does_not_agree_with_itself_is_of_another_version() {
        let interface = Pack::builtin().interface().clone();
        let read = read_interface(&interface.to_json()).unwrap();
        let actions = names(&read.actions);
        let (rules, fields) = (names(&read.rules), field_names(&read));
        check_names(&read, &actions, &rules, &fields).unwrap();
        for error in [
            read_interface("{}").unwrap_err(),
            check_names(&read, &actions[1..], &rules, &fields).unwrap_err(),
            check_names(&read, &actions, &rules[1..], &fields).unwrap_err(),
            check_names(&read, &actions, &rules, &fields[1..]).unwrap_err(),
        ] {
            assert_eq!(error.code(), Code::VersionSkew);
            assert!(!error.help().is_empty());
        }
    }

    #[test]
    fn a_panic_is_an_error() {
        let error = unpanicked::<()>(|| panic!("inside")).unwrap_err();
        assert_eq!(error.code(), Code::Internal);
        assert!(!error.help().is_empty());
        assert_eq!(unpanicked(|| Ok(5)), Ok(5));
    }

    #[test]
    fn the_built_in_pack_is_found_by_its_id_only() {
        let mut interface = Pack::builtin().interface().clone();
        assert!(Client::builtin(&interface).is_ok());
        interface.raw_pack_sha256 = Some(Digest::of(b"another release"));
        assert!(Client::builtin(&interface).is_ok());
        interface.pack_id = PackId::new("acme.loans.v1").unwrap();
        assert_eq!(
            Client::builtin(&interface).unwrap_err().code(),
            Code::PackNotFound
        );
    }
}
