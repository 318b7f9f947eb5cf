//! Moments as licences write them.

use std::fmt;

/// A moment in UTC, in whole seconds; written `YYYY-MM-DDTHH:MM:SSZ`, years 0000 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

impl Timestamp {
    /// Reads exactly `YYYY-MM-DDTHH:MM:SSZ`, a date and time that exist; anything else is `None`.
    ///
    /// ```
    /// # use helixor_runtime::license::Timestamp;
    /// assert_eq!(Timestamp::parse("1970-01-02T00:00:00Z").map(Timestamp::seconds), Some(86_400));
    /// assert_eq!(Timestamp::parse("2026-02-29T00:00:00Z"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        // jiff reads more forms than this one and writes just this one.
        let read: jiff::Timestamp = text.parse().ok()?;
        (text.len() == 20 && read.to_string() == text).then_some(Self(read))
    }

    /// The moment that many seconds after 1970-01-01T00:00:00Z; `None` outside years 0 to 9999.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        let moment = Self(jiff::Timestamp::from_second(seconds).ok()?);
        Self::parse(&moment.to_string())
    }

    /// As [`Timestamp::from_seconds`], with the first or last moment for those outside.
    pub(crate) fn saturating(seconds: i64) -> Self {
        /// 0000-01-01T00:00:00Z.
        const FIRST: i64 = -62_167_219_200;
        let last = jiff::Timestamp::MAX.as_second();
        let moment = jiff::Timestamp::from_second(seconds.clamp(FIRST, last));
        Self(moment.unwrap_or(jiff::Timestamp::MAX))
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    pub fn seconds(self) -> i64 {
        self.0.as_second()
    }

    /// The wall clock's present second.
    pub fn now() -> Self {
        let now = jiff::Timestamp::now();
        Self(jiff::Timestamp::from_second(now.as_second()).unwrap_or(now))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_one_form_is_read() {
        for text in [
            "0000-01-01T00:00:00Z",
            "2024-02-29T23:59:59Z",
            "9999-12-30T21:59:59Z",
        ] {
            let moment = Timestamp::parse(text).unwrap();
            assert_eq!(moment.to_string(), text);
            assert_eq!(Timestamp::from_seconds(moment.seconds()), Some(moment));
        }
        for text in [
            "",
            "2026-01-01",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00+00:00",
            "2026-01-01T00:00:00.0Z",
            "2026-01-01t00:00:00z",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T24:00:00Z",
            "2025-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "+2026-01-01T00:00:00Z",
            "-000001-01-01T00:00:00Z",
            "20260101T000000Z",
            " 2026-01-01T00:00:00Z",
            "2026-01-01T00:00:00Z[UTC]",
            "٢026-01-01T00:00:00Z",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn moments_beyond_the_years_are_their_ends() {
        let text = |seconds| Timestamp::saturating(seconds).to_string();
        assert_eq!(text(0), "1970-01-01T00:00:00Z");
        assert_eq!(text(i64::MIN), "0000-01-01T00:00:00Z");
        assert_eq!(text(i64::MAX), "9999-12-30T22:00:00Z");
    }

    #[test]
    fn the_present_has_whole_seconds() {
        let now = Timestamp::now();
        assert_eq!(Timestamp::parse(&now.to_string()), Some(now));
    }
}
