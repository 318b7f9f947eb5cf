//! A licence in use: its window and its limits.

use super::Options;
use crate::clock::{self, Now};
use crate::license::{self, License, Surroundings, Timestamp};
use crate::meter::{Meter, Permit};
use helixor_playbook::Error;
use std::sync::Arc;

/// A licence that passed check 1, how long it holds and how much it allows. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Licensed(pub(super) Arc<Terms>);

#[derive(Debug)]
pub(super) struct Terms {
    pub(super) license: License,
    /// Also in microseconds since 1970-01-01T00:00:00Z; `None`: without end.
    end: Option<(Timestamp, i64)>,
    /// `None`: without limits.
    pub(super) meter: Option<Arc<Meter>>,
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
    pub(super) fn check(&self, now: Now) -> Result<(), Error> {
        match self.end {
            Some((end, unix)) if now.0 >= unix => Err(self.license.expired(end, now.timestamp())),
            _ => Ok(()),
        }
    }

    /// Checks the window, and takes a place within the limits if there are any.
    pub(super) fn admit(&self) -> Result<Option<Permit<'_>>, Error> {
        self.check(Now::read())?;
        match &self.meter {
            Some(meter) => meter.admit(clock::monotonic()).map(Some),
            None => Ok(None),
        }
    }
}
