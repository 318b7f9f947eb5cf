//! What a client adds to a pack: the licence with its window and limits, and names bound once, at
//! open.
//!
//! A client hands over the [`Interface`] it was compiled with. Its numbers for fields, actions and
//! rules are that document's list positions; nothing else is agreed by position.

mod bound;
mod columns;
mod decision;
mod licensed;
mod options;
mod report;

pub use crate::ledger::forked;
pub use crate::meter::Usage;
pub use bound::{ClientState, check_names, disagreement, read_interface};
pub use columns::{Answers, Column};
pub use decision::Decision;
pub use licensed::Licensed;
pub use options::Options;
pub use report::AuditReport;

use crate::container::read_pack;
use crate::layout::State;
use crate::ledger::{Ledger, Origin, Unnumbered};
use crate::license::License;
use crate::meter::Permit;
use crate::pack::Pack;
use arc_swap::{ArcSwap, Guard};
use bound::Bound;
use decision::client_number;
use helixor_playbook::{Code, Digest, Error, FieldKind, Given, Interface, Verdict};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

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
        Ok(Self::new(
            bound,
            None,
            options.ledger.open()?,
            options.timing,
        ))
    }

    fn new(bound: Bound, licensed: Option<Licensed>, ledger: Option<Ledger>, timing: bool) -> Self {
        let license_id = licensed
            .as_ref()
            .map_or("", |licensed| licensed.license().license_id().as_str());
        let playbook = bound.pack.playbook();
        let records = ledger.map(|ledger| {
            let origin = Origin::new(license_id, &playbook.pack_id, playbook.digest);
            Arc::new(Records { ledger, origin })
        });
        Self {
            bound: Arc::new(bound),
            licensed,
            records,
            timing,
        }
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
        Ok(Self::new(
            bound,
            Some(licensed),
            options.ledger.open()?,
            options.timing,
        ))
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
        Ok(Self::new(
            bound,
            licensed,
            options.ledger.open()?,
            options.timing,
        ))
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
        Ok(Self::new(
            bound,
            Some(licensed),
            self.ledger().cloned(),
            self.timing,
        ))
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
    pub fn unpack(&self, packed: &[u64]) -> Result<State, Error> {
        let mut state = self.bound.pack.layout().blank();
        match self.fill(state.words_mut(), packed) {
            true => Ok(state),
            false => self.unpack_each(packed),
        }
    }

    fn fill(&self, words: &mut [u64], packed: &[u64]) -> bool {
        self.bound.in_order && self.bound.pack.layout().fill(words, packed)
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

    /// [`Client::answer`] on packed values, as [`Client::unpack`] takes them.
    ///
    /// # Errors
    /// Those of both.
    #[inline(never)]
    pub fn answer_packed(&self, packed: &[u64]) -> Result<(Verdict, usize), Error> {
        if self.records.is_none()
            && let Some((verdict, action)) = self.head(packed)
        {
            // Rows cannot fail, so that judging before the licence is asked shows nothing.
            let permit = self.admit()?;
            self.count(permit, None)?;
            return Ok((verdict, client_number(&self.bound.actions, action as usize)));
        }
        self.answer(&self.unpack(packed)?)
    }

    /// What is decided on packed values, counted nowhere. No state is made where the words say all; `None` when they
    /// do not, or do not fit.
    #[inline]
    fn head(&self, packed: &[u64]) -> Option<(Verdict, u32)> {
        match packed.len() {
            0..=4 => self.head_within::<4>(packed),
            _ => self.head_within::<256>(packed),
        }
    }

    /// [`Client::head`] with room for so many words.
    #[inline]
    fn head_within<const ROOM: usize>(&self, packed: &[u64]) -> Option<(Verdict, u32)> {
        let pack = &self.bound.pack;
        let mut words = [0; ROOM];
        let words = words.get_mut(..pack.layout().words())?;
        let fits = self.fill(words, packed);
        fits.then(|| pack.head_on(words)).flatten()
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
        let mut over = self.begin_batch()?;
        Ok(states
            .into_iter()
            .map(move |state| over.or(|| decide(state?))))
    }

    /// A batch is begun only within the licence's window.
    fn begin_batch(&self) -> Result<Over, Error> {
        self.check_window().map(|()| Over::default())
    }

    fn check_window(&self) -> Result<(), Error> {
        self.licensed.as_ref().map_or(Ok(()), Licensed::check)
    }

    /// Whether decisions are measured; see [`Options::timing`].
    pub fn timing(&self) -> bool {
        self.timing
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

/// What ends a batch: a limit that is reached, or the licence's window that is over.
#[derive(Debug, Default)]
struct Over(Option<Error>);

impl Over {
    /// What ended it, or what is decided.
    #[inline]
    fn or<T>(&mut self, decide: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        if let Some(error) = &self.0 {
            return Err(error.clone());
        }
        decide().inspect_err(|error| {
            if matches!(error.code(), Code::QuotaExceeded | Code::LicenseExpired) {
                self.0 = Some(error.clone());
            }
        })
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
        self.0.store(Arc::new(self.client().reopen(path, options)?));
        Ok(())
    }

    /// [`Live::reload`] with a pack that was read already.
    ///
    /// # Errors
    /// As [`Client::from_bytes`].
    pub fn reload_bytes(&self, bytes: &[u8], options: &Options) -> Result<(), Error> {
        let client = self.client().reopen_bytes(bytes, options)?;
        self.0.store(Arc::new(client));
        Ok(())
    }
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

#[cfg(test)]
mod tests;
