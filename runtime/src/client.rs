//! What a client adds to a pack: the licence with its window and limits, and names bound once, at
//! open.
//!
//! A client hands over the [`Interface`] it was compiled with. Its numbers for fields, actions and
//! rules are that document's list positions; nothing else is agreed by position.

use crate::clock::Now;
use crate::container::{Envelope, MAX_PACK_BYTES, read_pack};
use crate::counterfactual::Counterfactual;
use crate::explain::Cause;
use crate::license::{self, AuthoritySource, License, LicenseSource, Surroundings, Timestamp};
use crate::meter::Meter;
use crate::pack::Pack;
use crate::program::Outcome;
use crate::signature::{self, PackSignature, PublisherKeys, PublisherSource};
use crate::state::{State, StateBuilder};
use helixor_playbook::{
    Code, Digest, Error, FieldKind, Given, Interface, PackId, Position, Verdict,
};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zeroize::Zeroizing;

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
}

/// A pack, and how its numbers and the client's translate.
#[derive(Debug)]
struct Bound {
    pack: Arc<Pack>,
    /// For each of the client's fields, the pack's.
    slots: Vec<usize>,
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
        let pack = Pack::builtin();
        if interface.pack_id != pack.playbook().pack_id {
            return Err(Error::new(
                Code::PackNotFound,
                format!("there is no built-in pack `{}`", interface.pack_id),
                "open the pack's .hxpack file",
            ));
        }
        // The runtime's own version of the pack counts, whatever digest the manifest had.
        Ok(Self {
            bound: Arc::new(Bound::new(pack, interface, true)?),
            licensed: None,
        })
    }

    /// Opens a pack file: the load checks, then the comparison of interfaces. A signature that is
    /// asked for is checked once the file was read and has a pack's form, before it is unsealed.
    ///
    /// # Errors
    /// The first failed check, in order: LICENSE_*, PACK_NOT_FOUND, PACK_TOO_LARGE, IO,
    /// PACK_FORMAT, PACK_SIGNATURE, PACK_NOT_LICENSED, PACK_UNSEAL, PACK_INTEGRITY,
    /// SOLVER_NOT_LICENSED, PACK_UNSUPPORTED, PACK_MISMATCH.
    pub fn open(path: &Path, interface: &Interface, options: &Options) -> Result<Self, Error> {
        let licensed = Licensed::load(options)?;
        let bytes = read_pack(path, options.max_pack_bytes)?;
        Self::checked(&bytes, Some(path), Some(interface), options, &licensed)
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
        Self::checked(bytes, None, interface, options, licensed)
    }

    fn checked(
        bytes: &[u8],
        path: Option<&Path>,
        interface: Option<&Interface>,
        options: &Options,
        licensed: &Licensed,
    ) -> Result<Self, Error> {
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
        let own = Arc::clone(&pack);
        let interface = interface.unwrap_or_else(|| own.interface());
        let bound = Bound::new(pack, interface, options.accept_same_interface)?;
        Ok(Self {
            bound: Arc::new(bound),
            licensed: Some(licensed.clone()),
        })
    }

    /// The pack.
    pub fn pack(&self) -> &Arc<Pack> {
        &self.bound.pack
    }

    /// The licence; `None` for the built-in pack.
    pub fn license(&self) -> Option<&License> {
        self.licensed.as_ref().map(Licensed::license)
    }

    /// Collects a state by the client's field numbers or by name.
    pub fn state(&self) -> ClientState<'_> {
        ClientState {
            bound: &self.bound,
            builder: self.bound.pack.state(),
        }
    }

    /// Decides on a state made by [`Client::state`].
    ///
    /// # Errors
    /// LICENSE_EXPIRED once the licence's window is over; QUOTA_EXCEEDED when a limit that it
    /// enforces is reached; EVALUATION when a rule cannot be judged.
    pub fn decide(&self, state: State) -> Result<Decision, Error> {
        self.decide_and(state, Ok)
    }

    /// Decides and hands the decision over; it counts towards the licence's limits only when it
    /// was taken.
    ///
    /// # Errors
    /// As [`Client::decide`], and those of `take`.
    pub fn decide_and<T>(
        &self,
        state: State,
        take: impl FnOnce(Decision) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(Licensed(terms)) = &self.licensed else {
            return take(self.judge(state)?);
        };
        let now = terms.check(Now::read())?;
        let permit = match &terms.meter {
            Some(meter) => Some(meter.admit(now.monotonic)?),
            None => None,
        };
        let taken = take(self.judge(state)?)?;
        if let Some(permit) = permit {
            permit.keep();
        }
        Ok(taken)
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
    fn check(&self, now: Now) -> Result<Now, Error> {
        match self.end {
            Some((end, unix)) if now.unix >= unix => {
                Err(self.license.expired(end, now.timestamp()))
            }
            _ => Ok(now),
        }
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
    fn new(
        pack: Arc<Pack>,
        client: &Interface,
        accept_same_interface: bool,
    ) -> Result<Self, Error> {
        compare(client, pack.interface(), accept_same_interface)?;
        let own = pack.interface();
        let (ours, theirs) = (field_names(client), field_names(own));
        Ok(Self {
            slots: translate(&ours, &theirs),
            fields: translate(&theirs, &ours),
            actions: translate(&names(&own.actions), &names(&client.actions)),
            rules: translate(&names(&own.rules), &names(&client.rules)),
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

    /// The proof.
    pub fn proof(&self) -> Digest {
        self.bound.pack.proof(&self.state, &self.outcome)
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

/// The client's number for one of the pack's; binding gave every one of them a partner.
fn client_number(table: &[usize], pack_number: usize) -> usize {
    table.get(pack_number).copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::seal;
    use crate::keys::PrivateKey;
    use crate::license::tests::{license, limited, vector};
    use helixor_playbook::canonical::{self, Style};
    use helixor_playbook::{Format, builtin, read};

    const STATE: &[u8] =
        br#"{"has_ssn": true, "has_credit_card": false, "has_health_record": false,
        "has_email": false, "has_phone": false, "has_ip": false}"#;

    #[test]
    fn a_decision_after_the_end_of_the_window_is_refused() {
        let licensed = Licensed::from(license("LIC-1", &["*"]));
        let end = licensed.license().expires_at().unwrap().seconds() * 1_000_000;
        let check = |unix: i64| licensed.0.check(Now { monotonic: 0, unix });
        assert!(check(end - 1).is_ok());
        for unix in [end, end + 1, i64::MAX] {
            assert_eq!(check(unix).unwrap_err().code(), Code::LicenseExpired);
        }
        let error = check(end + 59_999_999).unwrap_err();
        assert!(error.message().ends_with("it is 2027-01-01T00:00:59Z now"));
        // A licence without an end.
        let perpetual = Licensed::from(vector());
        let now = Now {
            monotonic: 0,
            unix: i64::MAX,
        };
        assert!(perpetual.0.check(now).is_ok());
    }

    fn limited_client(id: &str, decisions: u64) -> Client {
        let key = PrivateKey::generate().unwrap();
        let licensed = Licensed::from(limited(id, decisions, &key));
        let playbook = read(builtin::EXAMPLE, Format::Yaml).unwrap();
        let json = canonical::write(&playbook, Style::Compact).unwrap();
        let id = &Pack::builtin().playbook().pack_id.clone();
        let pack = seal(id, json.as_bytes(), licensed.license()).unwrap();
        Client::with_license(&pack, None, &Options::new(), &licensed).unwrap()
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
