//! The time that licences are judged by: it never runs backwards while the process lives.
//!
//! It is the monotonic clock plus the largest lead that the wall clock was ever seen to have over
//! it. So setting the wall clock back changes nothing, setting it forward (or a machine that slept)
//! brings the end of a licence nearer within a second. A reading takes no lock.
//!
//! Two clocks are read, of one timeline: the precise one for rates and leads, and, where the system has
//! it, a coarse one for the time itself, which costs a third and lags by some milliseconds.

use crate::license::Timestamp;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// How often the wall clock is looked at, in microseconds of monotonic time.
const LOOK: i64 = 1_000_000;

/// The process's clock; its monotonic time begins with the first reading.
static PROCESS: LazyLock<(Base, Clock)> = LazyLock::new(|| {
    let base = Base::now();
    let lead = lead(&base);
    (base, Clock::new(lead))
});

/// A reading of the time: microseconds since 1970-01-01T00:00:00Z; never less than in an earlier
/// reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Now(pub(crate) i64);

impl Now {
    /// Reads the process's clock.
    pub(crate) fn read() -> Self {
        let (base, clock) = &*PROCESS;
        Self(clock.at(microseconds(base.coarse()), || lead(base)))
    }

    /// Reads the process's clock after a look at the wall clock, for when a licence is loaded.
    pub(crate) fn look() -> Self {
        let (base, clock) = &*PROCESS;
        clock.look(lead(base));
        Self::read()
    }

    /// The whole second.
    pub(crate) fn timestamp(self) -> Timestamp {
        Timestamp::saturating(self.0.div_euclid(1_000_000))
    }
}

/// Monotonic time in nanoseconds, precisely.
pub(crate) fn monotonic() -> u64 {
    PROCESS.0.precise()
}

/// Where monotonic time begins, by the precise clock and by the coarse one.
struct Base {
    precise: Instant,
    #[cfg(target_os = "linux")]
    coarse: u64,
}

impl Base {
    fn now() -> Self {
        Self {
            // First, so that the coarse time since then is not ahead of the precise one by more than
            // what passes between the two.
            #[cfg(target_os = "linux")]
            coarse: coarse(),
            precise: Instant::now(),
        }
    }

    fn precise(&self) -> u64 {
        u64::try_from(self.precise.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    #[cfg(target_os = "linux")]
    fn coarse(&self) -> u64 {
        coarse().saturating_sub(self.coarse)
    }

    #[cfg(not(target_os = "linux"))]
    fn coarse(&self) -> u64 {
        self.precise()
    }
}

/// The coarse clock, in nanoseconds since the system started.
#[cfg(target_os = "linux")]
fn coarse() -> u64 {
    use rustix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::MonotonicCoarse);
    // Neither is ever negative.
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

fn microseconds(monotonic: u64) -> i64 {
    i64::try_from(monotonic / 1_000).unwrap_or(i64::MAX)
}

/// How far the wall clock is ahead of the monotonic one, which is read second: a pause between
/// the two makes the lead smaller, never larger than it is.
fn lead(base: &Base) -> i64 {
    let wall = SystemTime::now();
    let unix = match wall.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_micros()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_micros()).map_or(i64::MIN, |n| -n),
    };
    unix.saturating_sub(microseconds(base.precise()))
}

/// The largest lead so far, and when the wall clock is looked at next; microseconds both.
#[derive(Debug)]
struct Clock {
    lead: AtomicI64,
    next_look: AtomicI64,
}

impl Clock {
    fn new(lead: i64) -> Self {
        Self {
            lead: AtomicI64::new(lead),
            next_look: AtomicI64::new(LOOK),
        }
    }

    /// The time at a monotonic time; `lead` looks at the wall clock.
    fn at(&self, monotonic: i64, lead: impl FnOnce() -> i64) -> i64 {
        let due = self.next_look.load(Ordering::Relaxed);
        // Of several threads one looks; the others go on with what was known.
        if monotonic >= due
            && self
                .next_look
                .compare_exchange(
                    due,
                    monotonic.saturating_add(LOOK),
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                )
                .is_ok()
        {
            self.look(lead());
        }
        monotonic.saturating_add(self.lead.load(Ordering::Relaxed))
    }

    fn look(&self, lead: i64) {
        self.lead.fetch_max(lead, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// 2026-01-01 in microseconds.
    const START: i64 = 1_767_225_600_000_000;
    const SECOND: i64 = 1_000_000;

    fn never() -> i64 {
        panic!("the wall clock was looked at")
    }

    #[test]
    fn the_wall_clock_is_looked_at_once_a_second() {
        let clock = Clock::new(START);
        assert_eq!(clock.at(0, never), START);
        assert_eq!(clock.at(SECOND - 1, never), START + SECOND - 1);
        assert_eq!(clock.at(SECOND, || START), START + SECOND);
        assert_eq!(clock.at(2 * SECOND - 1, never), START + 2 * SECOND - 1);
        assert_eq!(clock.at(9 * SECOND, || START), START + 9 * SECOND);
        assert_eq!(clock.at(10 * SECOND - 1, never), START + 10 * SECOND - 1);
    }

    #[test]
    fn a_wall_clock_set_back_changes_nothing() {
        let clock = Clock::new(START);
        let mut before = i64::MIN;
        for second in 1..100 {
            let now = clock.at(second * SECOND, || START - second * 86_400 * SECOND);
            assert_eq!(now, START + second * SECOND);
            assert!(now > before);
            before = now;
        }
        clock.look(i64::MIN);
        assert_eq!(clock.at(before - START, never), before);
    }

    #[test]
    fn a_wall_clock_set_forward_is_followed_and_kept() {
        let clock = Clock::new(START);
        assert_eq!(
            clock.at(SECOND, || START + 60 * SECOND),
            START + 61 * SECOND
        );
        // Set right again: the lead stays.
        assert_eq!(clock.at(2 * SECOND, || START), START + 62 * SECOND);
        clock.look(START + 90 * SECOND);
        assert_eq!(clock.at(2 * SECOND, never), START + 92 * SECOND);
    }

    #[test]
    fn a_machine_that_slept_wakes_up_later() {
        // The monotonic clock stood still for an hour; half a second after waking it is not due.
        let clock = Clock::new(START);
        let asleep = 3_600 * SECOND;
        assert_eq!(clock.at(SECOND / 2, never), START + SECOND / 2);
        assert_eq!(clock.at(SECOND, || START + asleep), START + asleep + SECOND);
    }

    #[test]
    fn clocks_at_their_ends_do_not_overflow() {
        let clock = Clock::new(i64::MIN);
        assert_eq!(clock.at(i64::MAX, || i64::MAX), i64::MAX);
        assert_eq!(clock.at(i64::MAX, || i64::MIN), i64::MAX);
    }

    #[test]
    fn no_thread_sees_an_earlier_time_than_before() {
        let clock = Clock::new(START);
        let looks = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (clock, looks) = (&clock, &looks);
                scope.spawn(move || {
                    let mut before = i64::MIN;
                    for step in 0..20_000 {
                        // Leads jump about; each thread's monotonic time goes on.
                        let now = clock.at(step * 1_000, || {
                            looks.fetch_add(1, Ordering::Relaxed);
                            START + (step * 7_919 + thread) % 5 * SECOND
                        });
                        assert!(now >= before);
                        before = now;
                    }
                });
            }
        });
        // One look for each of the seconds 1 to 19, whichever thread came first.
        assert_eq!(looks.load(Ordering::Relaxed), 19);
    }

    #[test]
    fn the_process_has_one_clock() {
        let first = Now::look();
        let second = Now::read();
        assert!(second >= first);
        let wall = Timestamp::now().seconds();
        assert!((second.timestamp().seconds() - wall).abs() <= 1);
    }

    #[test]
    fn the_coarse_clock_goes_with_the_precise_one() {
        let base = Base::now();
        let mut before = (0, 0);
        for _ in 0..200 {
            // Read between two readings of the precise one, give or take a tick of the coarse one.
            let earliest = base.precise();
            let coarse = base.coarse();
            let latest = base.precise();
            assert!(coarse >= before.0 && latest >= before.1);
            const TICK: u64 = 20_000_000;
            assert!(coarse + TICK >= earliest && coarse <= latest + TICK);
            before = (coarse, latest);
            std::thread::sleep(std::time::Duration::from_micros(100));
        }
        assert!(before.0 > 0);
    }
}
