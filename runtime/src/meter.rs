//! How much was decided with a licence that sets limits, and whether there is room for more.
//!
//! Counts are per process and licence: clients of one licence share them, and a licence that is
//! loaded again goes on where it was; so does a forked process, apart from its parent. A decision takes its place first and gives it back when it
//! fails; so counts are exact whenever none is in flight, and under [`Enforcement::Enforce`] no
//! number of threads gets past a limit. No lock is taken.

use crate::license::{Enforcement, License, LicenseId, Limits, Timestamp};
use arc_swap::ArcSwapOption;
use helixor_playbook::{Code, Digest, Error};
use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const SECOND: u64 = 1_000_000_000;

/// What was decided with one licence since its first load in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Decisions that gave a verdict.
    pub decisions: u64,
    /// Those of them beyond `max_decisions`; always 0 where limits are enforced.
    pub over_quota: u64,
    /// Those of them beyond `max_decisions_per_second`; always 0 where limits are enforced.
    pub over_rate_limit: u64,
}

/// The id, the authority's key and the limits: a licence that was issued anew with the id of another
/// has counts of its own.
type Key = (LicenseId, Digest, Limits);

/// The counts of one licence.
#[derive(Debug)]
pub(crate) struct Meter {
    license_id: LicenseId,
    limits: Limits,
    since: Timestamp,
    decisions: AtomicU64,
    over_rate_limit: AtomicU64,
    bucket: Option<Bucket>,
}

impl Meter {
    /// The meter of a licence; `None` when it sets no limit.
    pub(crate) fn of(license: &License) -> Option<Arc<Self>> {
        // No lock: a process that is forked while another thread held one would wait for it for ever.
        static METERS: ArcSwapOption<HashMap<Key, Arc<Meter>>> = ArcSwapOption::const_empty();
        let claims = license.claims();
        let limits = claims.limits;
        if limits.max_decisions.is_none() && limits.max_decisions_per_second.is_none() {
            return None;
        }
        let key = (claims.license_id.clone(), claims.key_id, limits);
        let known = || METERS.load().as_ref()?.get(&key).cloned();
        known().or_else(|| {
            let fresh = Arc::new(Self::new(claims.license_id.clone(), limits));
            // Should another thread be first, its meter stays.
            METERS.rcu(|meters| {
                let mut meters = meters.as_deref().cloned().unwrap_or_default();
                meters
                    .entry(key.clone())
                    .or_insert_with(|| Arc::clone(&fresh));
                Some(Arc::new(meters))
            });
            known()
        })
    }

    fn new(license_id: LicenseId, limits: Limits) -> Self {
        Self {
            license_id,
            limits,
            since: Timestamp::now(),
            decisions: AtomicU64::new(0),
            over_rate_limit: AtomicU64::new(0),
            bucket: limits.max_decisions_per_second.map(Bucket::new),
        }
    }

    /// Takes the place of one decision; `now` is the monotonic time in nanoseconds.
    ///
    /// # Errors
    /// QUOTA_EXCEEDED when a limit that is enforced is reached.
    pub(crate) fn admit(&self, now: u64) -> Result<Permit<'_>, Error> {
        let token = self.bucket.as_ref().is_none_or(|bucket| bucket.take(now));
        let enforced = self.limits.enforcement == Enforcement::Enforce;
        if !token && enforced {
            return Err(self.exceeded(
                "max_decisions_per_second",
                self.limits.max_decisions_per_second,
                "decide less often and try again in a moment, or ask for a licence with a higher \
                 `max_decisions_per_second`",
            ));
        }
        // From here on what was taken is given back unless the decision is made.
        let mut permit = Permit {
            meter: self,
            taken: if token { TOKEN } else { 0 },
        };
        let room = |decisions: u64| {
            let max = self.limits.max_decisions.filter(|_| enforced);
            max.is_none_or(|max| decisions < max.get())
        };
        let taken =
            self.decisions
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |decisions| {
                    room(decisions).then(|| decisions.saturating_add(1))
                });
        if taken.is_err() {
            return Err(self.exceeded(
                "max_decisions",
                self.limits.max_decisions,
                "decisions are counted in each process from its start; ask for a licence with a \
                 higher `max_decisions`",
            ));
        }
        permit.taken |= PLACE;
        Ok(permit)
    }

    fn exceeded(&self, limit: &str, max: Option<NonZeroU64>, help: &str) -> Error {
        let max = max.map_or(0, NonZeroU64::get);
        let id = &self.license_id;
        Error::new(
            Code::QuotaExceeded,
            format!("licence `{id}` allows no more decisions now: its `{limit}` is {max}"),
            help,
        )
    }

    /// When counting began.
    pub(crate) const fn since(&self) -> Timestamp {
        self.since
    }

    /// The counts; exact when no decision is in flight.
    pub(crate) fn usage(&self) -> Usage {
        let decisions = self.decisions.load(Ordering::Relaxed);
        let max = self.limits.max_decisions.map_or(u64::MAX, NonZeroU64::get);
        Usage {
            decisions,
            over_quota: decisions.saturating_sub(max),
            over_rate_limit: self.over_rate_limit.load(Ordering::Relaxed),
        }
    }
}

const TOKEN: usize = 1;
const PLACE: usize = 2;

/// The place of one decision. Dropped, it is given back; see [`Permit::keep`].
#[derive(Debug)]
pub(crate) struct Permit<'m> {
    meter: &'m Meter,
    /// [`TOKEN`] when the rate had room for it, [`PLACE`] once it counts. Whole words, so that one that
    /// is not there is copied without waiting for a byte that was just stored.
    taken: usize,
}

impl Permit<'_> {
    /// The decision is made: it counts.
    pub(crate) fn keep(self) {
        if self.taken & TOKEN == 0 {
            self.meter.over_rate_limit.fetch_add(1, Ordering::Relaxed);
        }
        std::mem::forget(self);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if let Some(bucket) = self
            .meter
            .bucket
            .as_ref()
            .filter(|_| self.taken & TOKEN != 0)
        {
            bucket.give_back();
        }
        if self.taken & PLACE != 0 {
            self.meter.decisions.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// A token bucket: full at first, of the size and the refill that the rate says.
///
/// It is kept as one number, the time at which it will be full again; a token puts that time off
/// by its share of a second. Times are counted in ticks of which each token, and so each second, is
/// a whole number.
#[derive(Debug)]
struct Bucket {
    ticks_per_token: u64,
    ticks_per_second: u64,
    full_at: AtomicU64,
}

impl Bucket {
    /// A rate of a thousand million a second or more is never reached and counts as that many.
    fn new(per_second: NonZeroU64) -> Self {
        let per_second = per_second.get().min(SECOND);
        let ticks_per_token = SECOND / per_second;
        Self {
            ticks_per_token,
            ticks_per_second: ticks_per_token.saturating_mul(per_second),
            full_at: AtomicU64::new(0),
        }
    }

    fn ticks(&self, now: u64) -> u64 {
        // At most as many as nanoseconds.
        let ticks = u128::from(now) * u128::from(self.ticks_per_second) / u128::from(SECOND);
        u64::try_from(ticks).unwrap_or(u64::MAX)
    }

    /// Takes a token if there is one.
    fn take(&self, now: u64) -> bool {
        let now = self.ticks(now);
        self.full_at
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |full_at| {
                let put_off = full_at.max(now).saturating_add(self.ticks_per_token);
                (put_off.saturating_sub(now) <= self.ticks_per_second).then_some(put_off)
            })
            .is_ok()
    }

    /// Gives back a token that was taken.
    fn give_back(&self) {
        self.full_at
            .fetch_sub(self.ticks_per_token, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::PrivateKey;
    use crate::license::tests::limited;

    fn meter(decisions: Option<u64>, rate: Option<u64>, enforcement: Enforcement) -> Meter {
        let limits = Limits {
            max_decisions: decisions.and_then(NonZeroU64::new),
            max_decisions_per_second: rate.and_then(NonZeroU64::new),
            enforcement,
        };
        Meter::new(LicenseId::new("lic-1").unwrap(), limits)
    }

    fn decided(meter: &Meter, now: u64) -> bool {
        meter.admit(now).map(Permit::keep).is_ok()
    }

    fn usage(meter: &Meter) -> (u64, u64, u64) {
        let usage = meter.usage();
        (usage.decisions, usage.over_quota, usage.over_rate_limit)
    }

    #[test]
    fn an_enforced_quota_ends() {
        let meter = meter(Some(3), None, Enforcement::Enforce);
        for _ in 0..3 {
            assert!(decided(&meter, 0));
        }
        let error = meter.admit(u64::MAX).unwrap_err();
        assert_eq!(error.code(), Code::QuotaExceeded);
        assert_eq!(
            error.message(),
            "licence `lic-1` allows no more decisions now: its `max_decisions` is 3"
        );
        assert!(error.help().contains("max_decisions"));
        assert_eq!(usage(&meter), (3, 0, 0));
    }

    #[test]
    fn what_fails_is_not_counted() {
        let meter = meter(Some(1), Some(1), Enforcement::Enforce);
        for _ in 0..10 {
            drop(meter.admit(0).unwrap());
        }
        assert_eq!(usage(&meter), (0, 0, 0));
        assert!(decided(&meter, 0));
        assert!(meter.admit(0).is_err());
        // A refusal takes nothing: a second later the rate has room, the quota has not.
        let error = meter.admit(SECOND).unwrap_err();
        assert!(error.message().contains("`max_decisions` is 1"), "{error}");
        assert_eq!(usage(&meter), (1, 0, 0));
    }

    #[test]
    fn what_is_observed_is_counted() {
        let meter = meter(Some(2), Some(4), Enforcement::Observe);
        for _ in 0..7 {
            assert!(decided(&meter, 0));
        }
        drop(meter.admit(0).unwrap());
        assert_eq!(usage(&meter), (7, 5, 3));
    }

    #[test]
    fn a_rate_is_a_bucket_of_its_size() {
        for rate in [1, 3, 7, 1_000, 999_999, 1_000_003] {
            let meter = meter(None, Some(rate), Enforcement::Enforce);
            // An hour passes; the bucket is as full as at first.
            for now in [0, 3_600 * SECOND] {
                for _ in 0..rate.min(10_000) {
                    assert!(decided(&meter, now));
                }
            }
        }
        let meter = meter(None, Some(3), Enforcement::Enforce);
        let start = 5 * SECOND + 1;
        let made = |now: u64| (0..10).filter(|_| decided(&meter, now)).count();
        assert_eq!(made(start), 3);
        assert_eq!(made(start + SECOND / 3 - 1), 0);
        assert_eq!(made(start + SECOND / 3 + 1), 1);
        assert_eq!(made(start + SECOND), 2);
        assert_eq!(made(start + SECOND), 0);
        assert_eq!(made(start + 60 * SECOND), 3);
        let error = meter.admit(start).unwrap_err();
        assert_eq!(
            error.message(),
            "licence `lic-1` allows no more decisions now: its `max_decisions_per_second` is 3"
        );
    }

    #[test]
    fn no_rate_overflows() {
        for rate in [SECOND - 1, SECOND, SECOND + 1, u64::MAX] {
            let meter = meter(None, Some(rate), Enforcement::Enforce);
            for now in [0, 1, SECOND, u64::MAX / 2, u64::MAX] {
                drop(meter.admit(now));
                let _ = decided(&meter, now);
            }
            assert!(meter.usage().decisions >= 4);
        }
    }

    #[test]
    fn threads_share_a_limit_exactly() {
        const MAX: u64 = 10_000;
        for (quota, rate) in [(Some(MAX), None), (None, Some(MAX)), (Some(MAX), Some(MAX))] {
            let meter = meter(quota, rate, Enforcement::Enforce);
            let made: usize = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..8)
                    .map(|thread| {
                        let meter = &meter;
                        scope.spawn(move || {
                            let mut made = 0;
                            for i in 0..5_000 {
                                // Every third decision fails.
                                match meter.admit(1) {
                                    Ok(permit) if (i + thread) % 3 == 0 => drop(permit),
                                    Ok(permit) => {
                                        permit.keep();
                                        made += 1;
                                    }
                                    Err(_) => {}
                                }
                            }
                            made
                        })
                    })
                    .collect();
                threads.into_iter().map(|t| t.join().unwrap()).sum()
            });
            // The last places may have been held by decisions that failed.
            let made = made as u64;
            assert_eq!(usage(&meter), (made, 0, 0));
            let left = (0..2 * MAX).filter(|_| decided(&meter, 1)).count() as u64;
            assert_eq!(made + left, MAX);
        }
        let meter = meter(Some(10), Some(20), Enforcement::Observe);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..5_000).for_each(|_| assert!(decided(&meter, 1))));
            }
        });
        assert_eq!(usage(&meter), (40_000, 39_990, 39_980));
    }

    #[test]
    fn one_licence_has_one_meter() {
        let key = PrivateKey::generate().unwrap();
        let meter_of = |id, decisions| Meter::of(&limited(id, decisions, &key)).unwrap();
        let (one, same) = (meter_of("meter-1", 5), meter_of("meter-1", 5));
        let (other, raised) = (meter_of("meter-2", 5), meter_of("meter-1", 6));
        assert!(decided(&one, 0));
        assert_eq!(usage(&same).0, 1);
        assert_eq!(usage(&other).0, 0);
        assert_eq!(usage(&raised).0, 0);
    }
}
