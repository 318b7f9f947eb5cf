//! `helixor-pack inspect-license`.

use super::license::list;
use crate::cli::license_source;
use crate::files::license_warning;
use crate::{Answer, Failure};
use helixor_playbook::{Code, Error, Node};
use helixor_runtime::license::{Authorities, Claims, Limits, Timestamp, find, find_authorities};
use helixor_runtime::{AuthoritySource, Surroundings};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Arguments of `inspect-license`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The licence [default: $HELIXOR_LICENSE_FILE, ./helixor.hxlic, ~/.helixor/helixor.hxlic].
    #[arg(value_name = "FILE")]
    pub license: Option<PathBuf>,
}

/// Says what a licence is and whether it is valid; of one that is not, also what is wrong with it.
/// Its content key is never shown.
///
/// # Errors
/// `LICENSE_NOT_FOUND` and `LICENSE_MALFORMED`; other faults are the answer's problem.
pub fn inspect_license(
    arguments: &Arguments,
    authorities: &AuthoritySource,
    around: &Surroundings,
) -> Result<Answer, Failure> {
    let found = find(&license_source(&arguments.license), around)?;
    let claims = found.claims().clone();
    let source = found.source().to_owned();
    let warning = license_warning(found.file());

    let authorities = find_authorities(authorities, around);
    let believed = authorities.as_ref().ok().map(Authorities::source);
    let verified = match &authorities {
        Ok(authorities) => found.verify(authorities),
        Err(e) => Err(e.clone()),
    };
    let signature = signature(&verified.as_ref().map(drop).map_err(Error::code), believed);
    let checked = verified.and_then(|license| license.check_window(around.now));
    let problem = checked.err();
    let sentence = match (&problem, signature) {
        (None, _) => "The licence is valid.",
        (Some(_), Signature::Verified) => "The licence is genuine, but not valid now.",
        (Some(_), _) => "The licence says so; whether it is genuine is not proven.",
    };
    let answer = describe(Answer::new(sentence), &claims, around.now)
        .value("valid", problem.is_none())
        .value(
            "problem",
            problem.as_ref().map(|e| e.code().as_str().to_owned()),
        )
        .value("source", source.as_str())
        .value("authorities", believed.map(str::to_owned))
        .value("signature", signature.word())
        .table(
            "",
            &[
                ["found as".into(), source],
                [
                    "believing".into(),
                    believed.unwrap_or("no authority").to_owned(),
                ],
                ["signature".into(), signature.sentence().into()],
            ],
        );
    Ok(answer
        .warn(warning)
        .with_problem(problem.map(Failure::from)))
}

/// What became of the signature.
#[derive(Clone, Copy)]
enum Signature {
    Verified,
    Wrong,
    UnknownKey,
    Unchecked,
}

fn signature(verified: &Result<(), Code>, believed: Option<&str>) -> Signature {
    match (verified, believed) {
        (_, None) => Signature::Unchecked,
        (Ok(()), _) => Signature::Verified,
        (Err(Code::LicenseUntrusted), _) => Signature::UnknownKey,
        (Err(_), _) => Signature::Wrong,
    }
}

impl Signature {
    const fn word(self) -> &'static str {
        match self {
            Signature::Verified => "verified",
            Signature::Wrong => "wrong",
            Signature::UnknownKey => "unknown_key",
            Signature::Unchecked => "unchecked",
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Signature::Verified => "verified",
            Signature::Wrong => "wrong: it is not over what the licence says",
            Signature::UnknownKey => "not verified: its key is none of those believed",
            Signature::Unchecked => "not verified: there is no key to do it with",
        }
    }
}

fn describe(answer: Answer, claims: &Claims, now: Timestamp) -> Answer {
    let end = claims.expires_at;
    answer
        .value("license_id", claims.license_id.as_str())
        .value("tenant_id", claims.tenant_id.as_str())
        .value("tier", claims.tier.as_str())
        .value("license_model", claims.model.as_str())
        .value("issued_at", claims.issued_at.to_string())
        .value("not_before", claims.not_before.to_string())
        .value("expires_at", end.map(|end| end.to_string()))
        .value("days_left", end.map(|end| days(now, end)))
        .value("licensed_packs", strings(&claims.licensed_packs))
        .value("licensed_solvers", strings(&claims.licensed_solvers))
        .value("features", strings(&claims.features))
        .value("limits", limits(&claims.limits))
        .value("key_id", claims.key_id.to_string())
        .table(
            "",
            &[
                ["id".into(), claims.license_id.to_string()],
                ["held by".into(), claims.tenant_id.to_string()],
                ["tier".into(), claims.tier.to_string()],
                ["model".into(), claims.model.to_string()],
                ["issued".into(), claims.issued_at.to_string()],
                ["valid from".into(), start(claims.not_before, now)],
                ["until".into(), until(end, now)],
                ["packs".into(), list(&claims.licensed_packs)],
                ["solvers".into(), list(&claims.licensed_solvers)],
                ["features".into(), list(&claims.features)],
                ["limits".into(), limits_text(&claims.limits)],
                ["signed with".into(), claims.key_id.to_string()],
            ],
        )
}

/// Whole days from one moment to another, rounded down: below 0 once it is over.
fn days(from: Timestamp, to: Timestamp) -> i64 {
    to.seconds()
        .saturating_sub(from.seconds())
        .div_euclid(86_400)
}

fn start(start: Timestamp, now: Timestamp) -> String {
    if start <= now {
        start.to_string()
    } else {
        format!("{start}, not yet: {} to go", span(days(now, start)))
    }
}

fn until(end: Option<Timestamp>, now: Timestamp) -> String {
    match end {
        None => "without end".into(),
        Some(end) if end > now => format!("{end}, {} left", span(days(now, end))),
        Some(end) => format!("{end}, expired {} ago", span(days(end, now))),
    }
}

fn span(days: i64) -> String {
    match days {
        0 => "less than a day".into(),
        1 => "1 day".into(),
        days => format!("{days} days"),
    }
}

fn strings(items: &[String]) -> Node {
    Node::list(items.iter().map(String::as_str))
}

fn limits(limits: &Limits) -> Node {
    let number = |n: Option<NonZeroU64>| Node::from(n.map(NonZeroU64::get));
    Node::map([
        ("max_decisions", number(limits.max_decisions)),
        (
            "max_decisions_per_second",
            number(limits.max_decisions_per_second),
        ),
        ("enforcement_mode", limits.enforcement.as_str().into()),
    ])
}

fn limits_text(limits: &Limits) -> String {
    let each = [
        (limits.max_decisions, "decisions a process"),
        (limits.max_decisions_per_second, "decisions a second"),
    ];
    let set: Vec<String> = each
        .iter()
        .filter_map(|(limit, what)| Some(format!("{} {what}", (*limit)?)))
        .collect();
    if set.is_empty() {
        return "none".into();
    }
    format!("{}; {}", set.join(", "), limits.enforcement)
}
