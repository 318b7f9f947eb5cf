//! `helixor-pack license` and `helixor-pack dev-license`.

use crate::Answer;
use crate::answer::quote;
use crate::files::{
    absolute, is_standard, make_folder, put_secret, read_text, refuse_existing, warning_of,
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use helixor_playbook::file::write_pair;
use helixor_playbook::{Code, Error};
use helixor_runtime::PrivateKey;
use helixor_runtime::Surroundings;
use helixor_runtime::license::issue::{Terms, issue as sign, new_license_id};
use helixor_runtime::license::{
    AUTHORITY_KEYS_VARIABLE, CUSTOM_PLAYBOOK_COMPILATION, Enforcement, LICENSE_FILE_VARIABLE,
    LicenseModel, Limits, Tier, Timestamp, is_pinned,
};
use std::num::NonZeroU64;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// How long a development licence is valid.
const DEV_DAYS: u32 = 30;

macro_rules! words {
    ($type:ident) => {
        PossibleValuesParser::new($type::ALL.iter().map(|value| value.as_str()))
            // The parser has let only words of the type through.
            .try_map(|word| {
                let values = $type::ALL.iter().copied();
                let mut found = values.filter(|v| v.as_str().eq_ignore_ascii_case(&word));
                found.next().ok_or("not one of the words")
            })
    };
}

fn time(text: &str) -> Result<Timestamp, &'static str> {
    Timestamp::parse(text).ok_or("expected a time that exists, as YYYY-MM-DDTHH:MM:SSZ")
}

/// Arguments of `license issue`.
#[derive(Debug, clap::Args)]
pub struct IssueArguments {
    /// The authority's private key (PEM, from `authority init`).
    #[arg(long, value_name = "KEY")]
    pub authority: PathBuf,
    /// Where to write the licence; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Who gets the licence.
    #[arg(long, value_name = "NAME")]
    pub tenant: String,
    /// The licence's id; never reuse one [default: a random one].
    #[arg(long, value_name = "ID")]
    pub license_id: Option<String>,
    /// What is sold.
    #[arg(long, value_parser = words!(Tier), ignore_case = true)]
    pub tier: Tier,
    /// How it is sold; only a perpetual licence may be without an end.
    #[arg(long, value_parser = words!(LicenseModel), ignore_case = true, default_value = "SUBSCRIPTION")]
    pub model: LicenseModel,
    /// First moment of validity, as YYYY-MM-DDTHH:MM:SSZ [default: now].
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub not_before: Option<Timestamp>,
    /// First moment after its validity, as YYYY-MM-DDTHH:MM:SSZ.
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "days")]
    pub expires_at: Option<Timestamp>,
    /// Valid for so many days.
    #[arg(long, value_name = "N")]
    pub days: Option<u32>,
    /// A pack it allows, `*` standing for any run of characters; may be repeated.
    #[arg(
        long = "pack",
        value_name = "PATTERN",
        required_unless_present = "features"
    )]
    pub packs: Vec<String>,
    /// A solver it allows, `*` standing for any run of characters; may be repeated.
    #[arg(long = "solver", value_name = "PATTERN")]
    pub solvers: Vec<String>,
    /// A feature, for example custom_playbook_compilation (any pack); may be repeated.
    #[arg(long = "feature", value_name = "NAME")]
    pub features: Vec<String>,
    /// Decisions per process.
    #[arg(long, value_name = "N")]
    pub max_decisions: Option<NonZeroU64>,
    /// Decisions per second.
    #[arg(long, value_name = "N")]
    pub max_decisions_per_second: Option<NonZeroU64>,
    /// What happens beyond these limits.
    #[arg(long, value_parser = words!(Enforcement), default_value = "observe")]
    pub enforcement: Enforcement,
}

/// Arguments of `dev-license`.
#[derive(Debug, clap::Args)]
pub struct DevArguments {
    /// Folder for `helixor.hxlic` and `authority.pem`; made when missing.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Signs a new licence.
///
/// # Errors
/// `INVALID_ARGUMENT` for a key or terms that make no licence; `IO`.
pub fn issue(arguments: &IssueArguments, around: &Surroundings) -> Result<Answer, Error> {
    let start = arguments.not_before.unwrap_or(around.now);
    let expires_at = match (arguments.expires_at, arguments.days) {
        (None, Some(days)) => Some(after(start, days)?),
        (None, None) if arguments.model == LicenseModel::Subscription => {
            return Err(Error::new(
                Code::InvalidArgument,
                "a SUBSCRIPTION licence needs an end",
                "give `--days N` or `--expires-at TIME`, or sell it with `--model PERPETUAL`",
            ));
        }
        (end, _) => end,
    };
    let terms = Terms {
        license_id: match &arguments.license_id {
            Some(id) => id.clone(),
            None => new_license_id()?,
        },
        tenant_id: arguments.tenant.clone(),
        tier: arguments.tier,
        license_model: arguments.model,
        issued_at: around.now,
        not_before: arguments.not_before,
        expires_at,
        licensed_packs: arguments.packs.clone(),
        licensed_solvers: arguments.solvers.clone(),
        features: arguments.features.clone(),
        limits: Limits {
            max_decisions: arguments.max_decisions,
            max_decisions_per_second: arguments.max_decisions_per_second,
            enforcement: arguments.enforcement,
        },
    };
    let name = format!("`{}`", arguments.authority.display());
    let key = PrivateKey::from_pem(
        &read_text(&arguments.authority, 1 << 16, Code::InvalidArgument)?,
        &name,
    )?;
    let text = sign(&terms, &key)?;
    let content = put_secret(&arguments.out, Zeroizing::new(text.as_bytes().to_vec()))?;
    let out = arguments.out.display().to_string();
    let answer =
        Answer::new("Issued a licence; it holds the key of its packs, so hand it over safely.");
    let answer = describe(answer, &terms, &key, &out)
        .with_content(content)
        .warn(warning_of(
            &arguments.authority,
            "an authority's private key",
        ));
    if is_standard(&arguments.out) {
        return Ok(answer);
    }
    Ok(answer.next(
        "Next, seal a pack for it:",
        &[format!(
            "helixor-pack compile --playbook PLAYBOOK.yaml --license {} --out PACK.hxpack",
            quote(&out)
        )],
    ))
}

/// Makes a licence for development: every pack and solver, 30 days, signed by a new authority
/// whose private key is thrown away.
///
/// # Errors
/// `IO` when the folder cannot be written to or has such files already.
pub fn dev(arguments: &DevArguments, around: &Surroundings) -> Result<Answer, Error> {
    let license = arguments.out.join("helixor.hxlic");
    let public = arguments.out.join("authority.pem");
    make_folder(&arguments.out)?;
    refuse_existing(&[&license, &public])?;
    let key = PrivateKey::generate()?;
    let terms = Terms {
        license_id: new_license_id()?,
        tenant_id: "development".into(),
        tier: Tier::Developer,
        license_model: LicenseModel::Subscription,
        issued_at: around.now,
        not_before: None,
        expires_at: Some(after(around.now, DEV_DAYS)?),
        licensed_packs: vec!["*".into()],
        licensed_solvers: vec!["*".into()],
        features: vec![CUSTOM_PLAYBOOK_COMPILATION.into()],
        limits: Limits::NONE,
    };
    let (signed, pem) = (sign(&terms, &key)?, key.public_pem()?);
    write_pair((&public, pem.as_bytes()), (&license, signed.as_bytes()))?;
    let export = |variable: &str, path: &PathBuf| {
        format!(
            "export {variable}={}",
            quote(&absolute(path).display().to_string())
        )
    };
    let answer =
        Answer::new("Made a licence for development; only you should believe its authority.");
    let answer = describe(answer, &terms, &key, &license.display().to_string())
        .value("authority", public.display().to_string())
        .warn(is_pinned().then(|| {
            "this build believes the authorities pinned in it and no other, so it refuses this \
             licence"
                .to_owned()
        }));
    Ok(answer.next(
        "Next, in this shell:",
        &[
            export(LICENSE_FILE_VARIABLE, &license),
            export(AUTHORITY_KEYS_VARIABLE, &public),
            "helixor-pack compile --playbook PLAYBOOK.yaml --out PACK.hxpack".into(),
        ],
    ))
}

fn after(start: Timestamp, days: u32) -> Result<Timestamp, Error> {
    Timestamp::from_seconds(start.seconds().saturating_add(i64::from(days) * 86_400)).ok_or_else(
        || {
            let message = format!("{days} days after {start} is beyond the year 9999");
            Error::new(Code::InvalidArgument, message, "give fewer `--days`")
        },
    )
}

fn describe(answer: Answer, terms: &Terms, key: &PrivateKey, path: &str) -> Answer {
    let start = terms.not_before.unwrap_or(terms.issued_at);
    let end = terms.expires_at.map(|end| end.to_string());
    answer
        .value("license", path)
        .value("license_id", terms.license_id.as_str())
        .value("tenant_id", terms.tenant_id.as_str())
        .value("tier", terms.tier.as_str())
        .value("not_before", start.to_string())
        .value("expires_at", end.clone())
        .value("key_id", key.key_id().to_string())
        .table(
            "",
            &[
                ["licence".into(), path.to_owned()],
                ["id".into(), terms.license_id.clone()],
                ["tenant".into(), terms.tenant_id.clone()],
                ["tier".into(), terms.tier.to_string()],
                ["valid from".into(), start.to_string()],
                ["until".into(), end.unwrap_or_else(|| "without end".into())],
                ["packs".into(), list(&terms.licensed_packs)],
                ["solvers".into(), list(&terms.licensed_solvers)],
                ["features".into(), list(&terms.features)],
                ["signed with".into(), key.key_id().to_string()],
            ],
        )
}

pub(super) fn list(items: &[String]) -> String {
    if items.is_empty() {
        "none".into()
    } else {
        items.join(", ")
    }
}
