//! The load checks: each fails alone, and of two that fail the earlier one is told.

use crate::packs::{playbook, seal_source};
use crate::{Fixtures, PACKS, shifted};
use helixor_playbook::{Error, Node};
use helixor_runtime::container::{MAX_PACK_BYTES, seal};
use helixor_runtime::license::{License, Timestamp};
use helixor_runtime::signature::{PackSignature, sign};
use helixor_runtime::{Client, Interface, Options, PrivateKey};
use std::fs::{File, create_dir_all, read, read_to_string};

/// One attempt to open a pack with the example pack's client.
#[derive(Clone, Debug)]
pub struct Check {
    /// What is wrong.
    pub name: &'static str,
    /// The licence file.
    pub license: String,
    /// The file of authority keys.
    pub authorities: String,
    /// The pack file; when it is signed, its signature is the file beside it, `<pack>.sig`.
    pub pack: String,
    /// The file of publisher keys to trust; empty: none are.
    pub publisher_keys: &'static str,
    /// The code it must fail with; empty: it must open.
    pub code: &'static str,
    /// What the message must contain.
    pub says: &'static str,
    /// What Rust says; every other language must say the same.
    pub told: Told,
    /// The same with pack, licence and signature given as bytes; `None` when there are none.
    pub told_of_bytes: Option<Told>,
}

/// An error's message and advice; empty when there is none.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// The message.
    pub message: String,
    /// The advice.
    pub help: String,
}

impl Told {
    fn of(opened: Result<Client, Error>) -> Self {
        opened.err().map_or_else(Self::default, |e| Self {
            message: e.message().to_owned(),
            help: e.help().to_owned(),
        })
    }

    fn to_node(&self) -> Node {
        Node::map([
            ("message", self.message.as_str().into()),
            ("help", self.help.as_str().into()),
        ])
    }
}

impl Check {
    pub(crate) fn to_node(&self) -> Node {
        Node::map([
            ("name", self.name.into()),
            ("license", self.license.as_str().into()),
            ("authorities", self.authorities.as_str().into()),
            ("pack", self.pack.as_str().into()),
            ("publisher_keys", self.publisher_keys.into()),
            ("code", self.code.into()),
            ("says", self.says.into()),
            ("told", self.told.to_node()),
            (
                "told_of_bytes",
                self.told_of_bytes.as_ref().map(Told::to_node).into(),
            ),
        ])
    }

    /// Fills in what Rust says.
    fn attempted(self, fixtures: &Fixtures, interface: &Interface) -> Self {
        let options = Options::new().authorities([fixtures.path(&self.authorities)]);
        let options = match self.publisher_keys {
            "" => options,
            keys => options.publisher_keys([fixtures.path(keys)]),
        };
        let (license, pack) = (fixtures.path(&self.license), fixtures.path(&self.pack));
        let as_file = options.clone().license_file(&license);
        let of_bytes = || {
            let options = options.license_json(read_to_string(&license).ok()?);
            let options = match read(PackSignature::beside(&pack)) {
                Ok(signature) => options.signature(signature),
                Err(_) => options,
            };
            let bytes = read(&pack).ok()?;
            Some(Told::of(Client::from_bytes(&bytes, interface, &options)))
        };
        Self {
            told: Told::of(Client::open(&pack, interface, &as_file)),
            told_of_bytes: of_bytes(),
            ..self
        }
    }
}

/// The playbook of the example pack with something added.
fn with(addition: &str) -> String {
    format!("{}{addition}", PACKS[0].source)
}

/// Writes `publisher.pem` and packs with good and bad signatures beside them.
fn signatures(fixtures: &Fixtures, good: &[u8], license: &License) -> Result<(), Error> {
    let (publisher, stranger) = (PrivateKey::generate()?, PrivateKey::generate()?);
    fixtures.write("publisher.pem", publisher.public_pem()?.as_bytes())?;
    let at = Timestamp::now();
    let signature = sign(good, &publisher, at)?;
    let [_, loan_desk, ..] = PACKS;
    let mut flipped = good.to_vec();
    if let Some(byte) = flipped.last_mut() {
        *byte ^= 1;
    }
    for (name, pack, signature) in [
        ("signed", good, signature.clone()),
        ("badly_signed", good, "signed by me".into()),
        ("stranger_signed", good, sign(good, &stranger, at)?),
        (
            "signature_changed",
            good,
            signature.replace("compliance.", "acme."),
        ),
        (
            "signed_as_another",
            good,
            sign(&loan_desk.seal(license)?, &publisher, at)?,
        ),
        ("signed_and_flipped", &flipped, signature),
    ] {
        fixtures.write(&format!("{name}.hxpack"), pack)?;
        fixtures.write(&format!("{name}.hxpack.sig"), signature.as_bytes())?;
    }
    Ok(())
}

/// Writes what the rows need and gives the rows, in the order of the checks.
///
/// # Errors
/// Those of sealing and writing.
pub(crate) fn checks(fixtures: &Fixtures, license: &License) -> Result<Vec<Check>, Error> {
    let [example, ..] = PACKS;
    let json = std::fs::read_to_string(fixtures.path("helixor.hxlic")).unwrap_or_default();
    fixtures.write(
        "malformed.hxlic",
        json.replace("tenant_id", "tenant").as_bytes(),
    )?;
    fixtures.write("tampered.hxlic", json.replace("acme", "evil").as_bytes())?;
    fixtures.write(
        "stranger.pem",
        PrivateKey::generate()?.public_pem()?.as_bytes(),
    )?;
    fixtures.license("early.hxlic", |terms| terms.not_before = Some(shifted(7)))?;
    fixtures.license("expired.hxlic", |terms| {
        terms.expires_at = Some(shifted(-7))
    })?;
    fixtures.license("another.hxlic", |_| {})?;
    let narrow = fixtures.license("narrow.hxlic", |terms| {
        terms.licensed_packs = vec!["acme.*".into()]
    })?;

    let good = example.seal(license)?;
    fixtures.write("example.hxpack", &good)?;
    let digest_at = 20 + "compliance.regulatory_pii_guard.v1".len();
    let changed = |at: usize, value: u8| {
        let mut bytes = good.clone();
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= value;
        }
        bytes
    };
    fixtures.write("magic.hxpack", &changed(0, 1))?;
    fixtures.write("version.hxpack", &changed(5, 2))?;
    fixtures.write("short.hxpack", good.get(..55).unwrap_or_default())?;
    fixtures.write(
        "untagged.hxpack",
        good.get(..digest_at + 32 + 15).unwrap_or_default(),
    )?;
    fixtures.write("flipped.hxpack", &changed(good.len() - 1, 1))?;
    fixtures.write("digest.hxpack", &changed(digest_at, 1))?;
    let folder = create_dir_all(fixtures.path("folder.hxpack"));
    debug_assert!(folder.is_ok());
    let huge = File::create(fixtures.path("huge.hxpack"))
        .and_then(|file| file.set_len(MAX_PACK_BYTES + 1));
    debug_assert!(huge.is_ok());
    let solver = with("solvers: [simplex]\n");
    fixtures.write("solver.hxpack", &seal_source(&solver, license)?)?;
    fixtures.write(
        "unknown_key.hxpack",
        &seal_source(&with("colour: red\n"), license)?,
    )?;
    fixtures.write(
        "short_rules.hxpack",
        &seal_source(
            &with("rules: [{id: A, type: regex, pattern: x, action: block}]\n"),
            license,
        )?,
    )?;
    let able = fixtures.license("solvers.hxlic", |terms| {
        terms.licensed_solvers = vec!["simp*".into()]
    })?;
    fixtures.write("able_solver.hxpack", &seal_source(&solver, &able)?)?;
    let alien = seal(
        &playbook(example.source)?.pack_id,
        b"{\"pack_id\": \"x\"}",
        license,
    )?;
    fixtures.write("not_a_playbook.hxpack", &alien)?;
    let both = format!("{solver}colour: red\n");
    fixtures.write("solver_and_key.hxpack", &seal_source(&both, license)?)?;
    let mut integrity_and_solver = seal_source(&solver, license)?;
    if let Some(byte) = integrity_and_solver.get_mut(digest_at) {
        *byte ^= 1;
    }
    fixtures.write("integrity_and_solver.hxpack", &integrity_and_solver)?;
    let narrow_pack = example.seal(&narrow)?;
    fixtures.write("narrow.hxpack", &narrow_pack)?;
    let other = example.source.replace(
        "action: block_hipaa_phi_leakage",
        "action: permit_clean_payload",
    );
    fixtures.write("other_content.hxpack", &seal_source(&other, license)?)?;
    fixtures.write(
        "other_interface.hxpack",
        &seal_source(
            &example.source.replace("RULE-HIPAA-PHI-BLOCK", "RULE-HIPAA"),
            license,
        )?,
    )?;

    signatures(fixtures, &good, license)?;

    let row = |name, license: &str, pack: &str, code, says| Check {
        name,
        license: license.into(),
        authorities: "authority.pem".into(),
        pack: pack.into(),
        publisher_keys: "",
        code,
        says,
        told: Told::default(),
        told_of_bytes: None,
    };
    let signed = |name, pack: &str, code, says| Check {
        publisher_keys: "publisher.pem",
        ..row(name, "helixor.hxlic", pack, code, says)
    };
    let ours = "helixor.hxlic";
    let rows = vec![
        row("all is well", ours, "example.hxpack", "", ""),
        row(
            "1: no licence",
            "nowhere.hxlic",
            "example.hxpack",
            "LICENSE_NOT_FOUND",
            "nowhere.hxlic",
        ),
        row(
            "1: not a licence",
            "malformed.hxlic",
            "example.hxpack",
            "LICENSE_MALFORMED",
            "tenant_id",
        ),
        Check {
            authorities: "stranger.pem".into(),
            ..row(
                "1: a stranger's licence",
                ours,
                "example.hxpack",
                "LICENSE_UNTRUSTED",
                "none of the authority keys",
            )
        },
        row(
            "1: a changed licence",
            "tampered.hxlic",
            "example.hxpack",
            "LICENSE_SIGNATURE",
            "tampered.hxlic",
        ),
        row(
            "1: too early",
            "early.hxlic",
            "example.hxpack",
            "LICENSE_NOT_YET_VALID",
            "is valid from",
        ),
        row(
            "1: too late",
            "expired.hxlic",
            "example.hxpack",
            "LICENSE_EXPIRED",
            "expired at",
        ),
        row(
            "2: no file",
            ours,
            "nowhere.hxpack",
            "PACK_NOT_FOUND",
            "nowhere.hxpack",
        ),
        row(
            "2: too large",
            ours,
            "huge.hxpack",
            "PACK_TOO_LARGE",
            "67108864",
        ),
        row(
            "2: a folder",
            ours,
            "folder.hxpack",
            "IO",
            "cannot read pack file",
        ),
        row("2: not a pack", ours, "magic.hxpack", "PACK_FORMAT", "HXPK"),
        row(
            "2: another format",
            ours,
            "version.hxpack",
            "PACK_FORMAT",
            "version 3",
        ),
        row(
            "2: too short",
            ours,
            "short.hxpack",
            "PACK_FORMAT",
            "55 bytes",
        ),
        row(
            "2: no room for the tag",
            ours,
            "untagged.hxpack",
            "PACK_FORMAT",
            "authentication tag",
        ),
        row(
            "3: not licensed",
            "narrow.hxlic",
            "narrow.hxpack",
            "PACK_NOT_LICENSED",
            "acme.*",
        ),
        row(
            "4: another licence's pack",
            "another.hxlic",
            "example.hxpack",
            "PACK_UNSEAL",
            "Decryption failed: content key mismatch or corrupted pack envelope",
        ),
        row(
            "4: a changed pack",
            ours,
            "flipped.hxpack",
            "PACK_UNSEAL",
            "corrupted pack envelope",
        ),
        row(
            "5: another digest",
            ours,
            "digest.hxpack",
            "PACK_INTEGRITY",
            "SHA-256",
        ),
        row(
            "6: solver not licensed",
            ours,
            "solver.hxpack",
            "SOLVER_NOT_LICENSED",
            "simplex",
        ),
        row(
            "7: a solver",
            "solvers.hxlic",
            "able_solver.hxpack",
            "PACK_UNSUPPORTED",
            "simplex",
        ),
        row(
            "7: an unknown key",
            ours,
            "unknown_key.hxpack",
            "PACK_UNSUPPORTED",
            "unknown key `colour`",
        ),
        row(
            "7: short rules",
            ours,
            "short_rules.hxpack",
            "PACK_UNSUPPORTED",
            "`rules` is not yet supported",
        ),
        row(
            "7: not a playbook",
            ours,
            "not_a_playbook.hxpack",
            "PACK_UNSUPPORTED",
            "missing key `version`",
        ),
        row(
            "1 before 2",
            "expired.hxlic",
            "magic.hxpack",
            "LICENSE_EXPIRED",
            "expired at",
        ),
        row(
            "2 before 3",
            "narrow.hxlic",
            "short.hxpack",
            "PACK_FORMAT",
            "55 bytes",
        ),
        row(
            "3 before 4",
            "narrow.hxlic",
            "example.hxpack",
            "PACK_NOT_LICENSED",
            "acme.*",
        ),
        row(
            "4 before 5",
            "another.hxlic",
            "digest.hxpack",
            "PACK_UNSEAL",
            "corrupted pack envelope",
        ),
        row(
            "5 before 6",
            ours,
            "integrity_and_solver.hxpack",
            "PACK_INTEGRITY",
            "SHA-256",
        ),
        row(
            "6 before 7",
            ours,
            "solver_and_key.hxpack",
            "SOLVER_NOT_LICENSED",
            "simplex",
        ),
        row(
            "then: other content",
            ours,
            "other_content.hxpack",
            "PACK_MISMATCH",
            "same interface, other content",
        ),
        row(
            "then: another interface",
            ours,
            "other_interface.hxpack",
            "PACK_MISMATCH",
            "hard rule `RULE-HIPAA`",
        ),
        signed("signed by a publisher", "signed.hxpack", "", ""),
        row(
            "a signature nobody asked for",
            ours,
            "badly_signed.hxpack",
            "",
            "",
        ),
        signed(
            "signature: none",
            "example.hxpack",
            "PACK_SIGNATURE",
            "comes without a signature",
        ),
        signed(
            "signature: no JSON",
            "badly_signed.hxpack",
            "PACK_SIGNATURE",
            "is not a valid pack signature: line 1",
        ),
        signed(
            "signature: of a stranger",
            "stranger_signed.hxpack",
            "PACK_SIGNATURE",
            "none of the publisher keys trusted",
        ),
        signed(
            "signature: changed",
            "signature_changed.hxpack",
            "PACK_SIGNATURE",
            "does not fit what it says",
        ),
        signed(
            "signature: of another pack",
            "signed_as_another.hxpack",
            "PACK_SIGNATURE",
            "is for pack `acme.loan_desk.v1`, but the pack is `compliance.regulatory_pii_guard.v1`",
        ),
        signed(
            "signature: of other bytes, before 4",
            "signed_and_flipped.hxpack",
            "PACK_SIGNATURE",
            "is for other bytes",
        ),
        Check {
            publisher_keys: "nowhere.pem",
            ..signed(
                "signature: no keys",
                "signed.hxpack",
                "PACK_SIGNATURE",
                "nowhere.pem` cannot be read",
            )
        },
        signed(
            "2 before the signature",
            "magic.hxpack",
            "PACK_FORMAT",
            "HXPK",
        ),
        Check {
            license: "narrow.hxlic".into(),
            ..signed(
                "the signature before 3",
                "example.hxpack",
                "PACK_SIGNATURE",
                "comes without a signature",
            )
        },
        Check {
            license: "expired.hxlic".into(),
            ..signed(
                "1 before the signature",
                "example.hxpack",
                "LICENSE_EXPIRED",
                "expired at",
            )
        },
    ];
    let interface = Interface::from(&playbook(example.source)?);
    let attempted = |row: Check| row.attempted(fixtures, &interface);
    Ok(rows.into_iter().map(attempted).collect())
}
