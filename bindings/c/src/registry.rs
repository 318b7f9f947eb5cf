//! The state behind the C functions: one licence, and the packs by id.

use super::{answer, fork};
use arc_swap::ArcSwapOption;
use helixor_runtime::client::Licensed;
use helixor_runtime::container::Envelope;
use helixor_runtime::{
    AuditReport, Client, Code, Error, Ledger, Options, Pack, PackId, PublisherSource, shown,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// The one registry of the process.
pub(crate) static REGISTRY: Registry = Registry(ArcSwapOption::const_empty());

/// Empty until the first use; see [`State::Shut`] for the time after a shutdown. There is no lock: a
/// process that is forked while another thread held one would wait for it for ever.
pub(crate) struct Registry(ArcSwapOption<State>);

#[derive(Clone)]
enum State {
    Open {
        licensed: Option<Licensed>,
        packs: HashMap<PackId, Arc<Client>>,
        /// Of all of them.
        ledger: Ledger,
    },
    Shut,
}

impl State {
    /// Without a licence: only the built-in pack is there.
    fn new() -> Result<Self, Error> {
        fork::watch();
        let ledger = Ledger::in_memory();
        let builtin = Pack::builtin();
        let options = Options::new().ledger(ledger.clone());
        let client = Client::builtin_with(builtin.interface(), &options)?;
        let packs = HashMap::from([(builtin.playbook().pack_id.clone(), Arc::new(client))]);
        Ok(State::Open {
            licensed: None,
            packs,
            ledger,
        })
    }
}

impl Registry {
    /// Verifies a licence and keeps it for later loads.
    pub(crate) fn license(&self, json: &str) -> Result<(), Error> {
        let loaded = Licensed::load(&Options::new().license_json(json))?;
        let fresh = State::new()?;
        self.0.rcu(|state| {
            let mut state = match state.as_deref() {
                Some(open @ State::Open { .. }) => open.clone(),
                _ => fresh.clone(),
            };
            if let State::Open { licensed, .. } = &mut state {
                *licensed = Some(loaded.clone());
            }
            Some(Arc::new(state))
        });
        Ok(())
    }

    /// Opens a pack and puts it in the place of one with the same id. Publishers are trusted as the
    /// environment says.
    pub(crate) fn load(
        &self,
        bytes: &[u8],
        pack_id: Option<&str>,
        signature: Option<&[u8]>,
    ) -> Result<(), Error> {
        let (licensed, ledger) = match self.0.load().as_deref() {
            Some(State::Open {
                licensed: Some(licensed),
                ledger,
                ..
            }) => (licensed.clone(), ledger.clone()),
            _ => return Err(not_initialized()),
        };
        if let Some(wanted) = pack_id {
            let found = Envelope::parse(bytes)?;
            if found.pack_id().as_str() != wanted {
                return Err(Error::new(
                    Code::InvalidArgument,
                    format!(
                        "`pack_id` is {}, but the pack is `{}`",
                        shown(wanted),
                        found.pack_id()
                    ),
                    "give the pack's own id, or NULL to take whatever it is",
                ));
            }
        }
        let options = match signature {
            None => Options {
                publisher_keys: PublisherSource::of_environment(),
                ..Options::new()
            },
            Some(signature) => Options {
                publisher_keys: Some(PublisherSource::required_of_environment()?),
                ..Options::new().signature(signature)
            },
        };
        let options = options.ledger(ledger);
        let client = Arc::new(Client::with_license(bytes, None, &options, &licensed)?);
        let id = &client.pack().playbook().pack_id;
        let before = self.0.rcu(|state| {
            let mut state = state.as_deref()?.clone();
            if let State::Open { packs, .. } = &mut state {
                packs.insert(id.clone(), Arc::clone(&client));
            }
            Some(Arc::new(state))
        });
        match before.as_deref() {
            Some(State::Open { .. }) => Ok(()),
            _ => Err(not_initialized()),
        }
    }

    /// Decides and hands the decision over as JSON; it counts, and leaves a leaf, only when it was
    /// taken.
    pub(crate) fn decide(
        &self,
        pack_id: &str,
        state: &str,
        take: impl FnOnce(&str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let client = self.client(pack_id)?;
        let started = Instant::now();
        let state = client.pack().state_from_json(state.as_bytes())?;
        client.decide_and(state, |decision| take(&answer::json(&decision, started)))
    }

    /// The state; it begins with the first use.
    fn state(&self) -> Result<Option<Arc<State>>, Error> {
        if self.0.load().is_none() {
            let fresh = Arc::new(State::new()?);
            self.0
                .rcu(|state| Some(state.as_ref().unwrap_or(&fresh).clone()));
        }
        Ok(self.0.load_full())
    }

    fn client(&self, pack_id: &str) -> Result<Arc<Client>, Error> {
        match self.state()?.as_deref() {
            Some(State::Open { packs, .. }) => packs.get(pack_id).cloned().ok_or_else(|| {
                let mut known: Vec<&str> = packs.keys().map(PackId::as_str).collect();
                known.sort_unstable();
                Error::new(
                    Code::PackNotLoaded,
                    format!(
                        "no pack {} is loaded; loaded are {}",
                        shown(pack_id),
                        known.join(", ")
                    ),
                    "load it with helixor_pack_load_sealed",
                )
            }),
            _ => Err(not_initialized()),
        }
    }

    /// What was counted, as JSON.
    pub(crate) fn audit_report(&self) -> Result<String, Error> {
        match self.state()?.as_deref() {
            Some(State::Open {
                licensed, ledger, ..
            }) => Ok(AuditReport::of(licensed.as_ref(), Some(ledger))?.to_json()),
            _ => Err(not_initialized()),
        }
    }

    /// Drops everything.
    pub(crate) fn shutdown(&self) {
        self.0.store(Some(Arc::new(State::Shut)));
    }
}

fn not_initialized() -> Error {
    Error::new(
        Code::NotInitialized,
        "the runtime has no licence",
        "call helixor_license_init with the text of a licence first",
    )
}
