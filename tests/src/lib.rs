//! What every language is tested with: packs, licences, and the tables of what must be accepted
//! and refused, made fresh for each run.
#![forbid(unsafe_code)]

mod checks;
pub mod fuzz;
mod generated;
mod interfaces;
mod limits;
mod packs;
mod reverse;
mod wide;

pub use checks::{Check, Told};
pub use interfaces::{Row, rows};
pub use packs::{OBSTACLE_COURSE, PACKS, Pack, playbook};

use helixor_playbook::canonical::{Style, write};
use helixor_playbook::file::write_atomic;
use helixor_playbook::{Error, Node};
use helixor_runtime::license::issue::{Terms, issue};
use helixor_runtime::license::{
    self, Authorities, License, LicenseModel, Limits, Tier, Timestamp, UnverifiedLicense,
};
use helixor_runtime::{Counterfactual, Given, PrivateKey, State, Value, Verdict};
use helixor_sdk_gen::manifest;
use std::path::{Path, PathBuf};

/// The example pack's manifest as release 0.2.1 wrote it: tied to no playbook, no actions on
/// rules, no default action.
const EXAMPLE_0_2_1: &str = include_str!("../../generator/tests/data/example.0.2.1.json");

/// A folder of fixtures, with the keys to make more.
#[derive(Debug)]
pub struct Fixtures {
    folder: PathBuf,
    authority: PrivateKey,
    /// Attempts to open a pack, in the order of the load checks.
    pub checks: Vec<Check>,
}

impl Fixtures {
    /// Makes the fixtures in a folder: `authority.pem`, a `helixor.hxlic` for it, every pack of
    /// [`PACKS`] and [`OBSTACLE_COURSE`] sealed for it with its manifest, one manifest of them all (`packs.json`),
    /// the example's in its older form (`example-0.2.1.json`), and the tables `checks.json` and
    /// `interfaces.json`; the packs of very many fields or rules, and one manifest of them
    /// (`wide.json`); the manifest of 200 packs (`many_packs.json`); licences with limits, each with its pack.
    ///
    /// # Errors
    /// Those of sealing and writing.
    pub fn make(folder: &Path) -> Result<Self, Error> {
        let mut fixtures = Self {
            folder: folder.to_owned(),
            authority: PrivateKey::generate()?,
            checks: Vec::new(),
        };
        fixtures.write("authority.pem", fixtures.authority.public_pem()?.as_bytes())?;
        let license = fixtures.license("helixor.hxlic", |_| {})?;
        let packs = || PACKS.into_iter().chain([OBSTACLE_COURSE]);
        for pack in packs() {
            fixtures.write(&format!("{}.hxpack", pack.name), &pack.seal(&license)?)?;
            fixtures.write(&format!("{}.json", pack.name), pack.manifest().as_bytes())?;
        }
        let playbooks = packs()
            .map(|pack| playbook(pack.source))
            .collect::<Result<Vec<_>, _>>()?;
        fixtures.write("packs.json", manifest::write(&playbooks, None).as_bytes())?;
        fixtures.write("example-0.2.1.json", EXAMPLE_0_2_1.as_bytes())?;
        let reversed = reverse::reversed(&packs::manifest_of("reversed_names"));
        fixtures.write("reversed_names-reversed.json", reversed.as_bytes())?;
        for (name, source) in wide::sources() {
            fixtures.write(
                &format!("{name}.hxpack"),
                &packs::seal_source(&source, &license)?,
            )?;
        }
        let wide = wide::sources();
        let wide = wide.iter().map(|(_, source)| playbook(source));
        let wide = manifest::write(&wide.collect::<Result<Vec<_>, _>>()?, None);
        fixtures.write("wide.json", wide.as_bytes())?;
        let packs = wide::packs();
        let packs = packs.iter().map(|source| playbook(source));
        let packs = manifest::write(&packs.collect::<Result<Vec<_>, _>>()?, None);
        fixtures.write("many_packs.json", packs.as_bytes())?;
        limits::limits(&fixtures)?;
        fixtures.checks = checks::checks(&fixtures, &license)?;
        fixtures.table("checks.json", fixtures.checks.iter().map(Check::to_node))?;
        fixtures.table("interfaces.json", rows().iter().map(Row::to_node))?;
        Ok(fixtures)
    }

    /// Makes the example pack as `expiring.hxpack`, sealed for a licence `expiring.hxlic` of the
    /// authority `expiring.pem` that is valid for so many seconds from now.
    ///
    /// # Errors
    /// Those of sealing and writing.
    pub fn expiring(folder: &Path, seconds: i64) -> Result<(), Error> {
        let fixtures = Self {
            folder: folder.to_owned(),
            authority: PrivateKey::generate()?,
            checks: Vec::new(),
        };
        fixtures.write("expiring.pem", fixtures.authority.public_pem()?.as_bytes())?;
        let license = fixtures.license("expiring.hxlic", |terms| {
            let end = Timestamp::now().seconds().saturating_add(seconds);
            terms.expires_at = Timestamp::from_seconds(end);
        })?;
        let [example, ..] = PACKS;
        fixtures.write("expiring.hxpack", &example.seal(&license)?)
    }

    /// The path of a fixture.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        write_atomic(&self.path(name), bytes)
    }

    fn table(&self, name: &str, rows: impl Iterator<Item = Node>) -> Result<(), Error> {
        // Tables hold no floats.
        self.write(
            name,
            write(&Node::list(rows), Style::Compact)
                .unwrap_or_default()
                .as_bytes(),
        )
    }

    /// Issues a licence that allows everything from 2020 to 2099, changed as wanted, writes it and
    /// gives it verified.
    fn license(&self, name: &str, change: impl FnOnce(&mut Terms)) -> Result<License, Error> {
        let time = |text: &str| Timestamp::parse(text).unwrap_or_else(Timestamp::now);
        let mut terms = Terms {
            license_id: format!("LIC-{name}"),
            tenant_id: "acme".into(),
            tier: Tier::Developer,
            license_model: LicenseModel::Subscription,
            issued_at: time("2020-01-01T00:00:00Z"),
            not_before: None,
            expires_at: Some(time("2099-01-01T00:00:00Z")),
            licensed_packs: vec!["*".into()],
            licensed_solvers: Vec::new(),
            features: Vec::new(),
            limits: Limits::NONE,
        };
        change(&mut terms);
        let json = issue(&terms, &self.authority)?;
        self.write(name, json.as_bytes())?;
        let authorities = Authorities::from_pem(&self.authority.public_pem()?, "fixtures")?;
        UnverifiedLicense::parse(&json, name)?.verify(&authorities)
    }
}

/// What a pack decides on a state with the changes that a counterfactual asks for.
///
/// # Errors
/// Those of the state and the decision.
pub fn applied(
    pack: &helixor_runtime::Pack,
    state: &State,
    found: &Counterfactual<usize, usize>,
) -> Result<Verdict, Error> {
    let mut changed = pack.state();
    for (field, value) in pack.values(state).enumerate() {
        let change = found.changes.iter().find(|change| change.factor == field);
        let value = change.map_or(value, |change| (&change.required_value).into());
        changed.set(field, Given::from(Value::from(value)));
    }
    Ok(pack.decide(&changed.finish()?)?.verdict())
}

/// `$HELIXOR_SEED`, or another number each time; printed, so that a failed test can be run again.
#[allow(clippy::print_stdout, reason = "tests print what they were run with")]
pub fn seed(what: &str) -> u64 {
    let given = std::env::var("HELIXOR_SEED").ok();
    let seed = given.and_then(|seed| seed.parse().ok()).unwrap_or_else(|| {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        now.as_nanos() as u64
    });
    println!("HELIXOR_SEED={seed} for {what}");
    seed
}

/// The seconds from now to a moment that has not come or is over, for licences.
fn shifted(days: i64) -> Timestamp {
    let now = license::Timestamp::now();
    Timestamp::from_seconds(now.seconds() + days * 86_400).unwrap_or(now)
}

/// The Rust on the pages of `docs/`.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../docs/errors.md")]
    mod errors {}
}
