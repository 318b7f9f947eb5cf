//! What must hold for any bytes at all: the bodies of the fuzz targets in `fuzz/`, which the tests run
//! too, over seeds, their mutations and everything that was ever found.

use crate::applied;
use crate::generated;
use crate::packs::{PACKS, playbook, seal_source};
use helixor_playbook::canonical::{self, Style, write};
use helixor_playbook::{Digest, Format, Interface, check, read};
use helixor_runtime::container::{Envelope, seal};
use helixor_runtime::license::issue::{Terms, issue};
use helixor_runtime::license::{
    Authorities, License, LicenseModel, Limits, Tier, Timestamp, UnverifiedLicense,
};
use helixor_runtime::signature::{PackSignature, PublisherKeys, PublisherSource, sign};
use helixor_runtime::{Code, Error, Given, Pack, PackId, PrivateKey, Verdict};
use helixor_sdk_gen::manifest;
use std::sync::OnceLock;

/// One target: it panics when something does not hold.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// What is tried with some bytes.
    pub run: fn(&[u8]),
    /// Bytes worth beginning with.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Every target but that of the C functions, which needs the C library.
pub const TARGETS: [Target; 11] = [
    Target {
        name: "canonical",
        run: canonical_json,
        seeds: documents,
    },
    Target {
        name: "playbook",
        run: a_playbook,
        seeds: playbooks,
    },
    Target {
        name: "condition",
        run: a_condition,
        seeds: conditions,
    },
    Target {
        name: "license",
        run: a_license,
        seeds: licenses,
    },
    Target {
        name: "container",
        run: a_container,
        seeds: edits,
    },
    Target {
        name: "signature",
        run: a_signature,
        seeds: signatures,
    },
    Target {
        name: "sealed",
        run: a_sealed_playbook,
        seeds: plaintexts,
    },
    Target {
        name: "manifest",
        run: a_manifest,
        seeds: manifests,
    },
    Target {
        name: "generated",
        run: a_generated_sdk,
        seeds: generated::seeds,
    },
    Target {
        name: "interface",
        run: an_interface,
        seeds: interfaces,
    },
    Target {
        name: "state",
        run: a_state,
        seeds: states,
    },
];

/// What is read is written so that it is read as the same, in both styles.
pub fn canonical_json(bytes: &[u8]) {
    let Ok(node) = canonical::parse_bytes(bytes) else {
        return;
    };
    for style in [Style::Compact, Style::Spaced] {
        let Ok(text) = write(&node, style) else {
            unreachable!("what was read has a JSON form")
        };
        let again = canonical::parse(&text);
        assert_eq!(again.as_ref(), Ok(&node));
        assert_eq!(again.map(|again| write(&again, style)), Ok(Ok(text)));
    }
}

/// A playbook that is accepted is the same playbook in its canonical form.
pub fn a_playbook(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let Ok(source) = std::str::from_utf8(rest) else {
        return;
    };
    let format = if first % 2 == 0 {
        Format::Yaml
    } else {
        Format::Json
    };
    let Ok(root) = read(source, format) else {
        return;
    };
    let Ok(json) = write(&root, Style::Compact) else {
        return;
    };
    match check(source, &root) {
        Err(problems) => assert!(!problems.is_empty()),
        Ok(playbook) => {
            assert_eq!(playbook.digest, Digest::of(json.as_bytes()));
            let Ok(again) = read(&json, Format::Json) else {
                // The canonical form may be longer than a playbook may be.
                return;
            };
            let Ok(again) = check(&json, &again) else {
                unreachable!("accepted as written, refused in canonical form: {json}")
            };
            assert_eq!(again.rules, playbook.rules);
            assert_eq!(again.fields, playbook.fields);
            let text = manifest::write(&[again], None);
            assert!(manifest::parse(&text).is_ok(), "{text}");
        }
    }
}

/// A pack of a field of every kind with this one condition; `None` when it is refused.
fn pack_of(condition: &str) -> Option<Pack> {
    const SCHEMA: &str = r#"{"b":{"type":"boolean"},"i":{"type":"integer"},"n":{"type":"number"},
        "o":{"type":"boolean","required":false},"p":{"type":"integer","required":false},
        "q":{"type":"number","required":false},"r":{"type":"string","required":false},
        "s":{"type":"string"}}"#;
    let condition = write(&condition.into(), Style::Compact).ok()?;
    let source = format!(
        r#"{{"pack_id":"acme.fuzz.v1","version":"1.0.0","actions":["a","b"],"default_action":"a",
        "state_schema":{SCHEMA},"hard_rules":[{{"id":"R","action":"b","condition":{condition}}}]}}"#
    );
    let root = read(&source, Format::Json).ok()?;
    Some(Pack::from(check(&source, &root).ok()?))
}

/// A condition that is accepted is judged on any state: what fires is explained, and what its remedy
/// asks for is approved.
pub fn a_condition(bytes: &[u8]) {
    let (choice, text) = bytes.split_at(bytes.len().min(8));
    let Some(pack) = std::str::from_utf8(text).ok().and_then(pack_of) else {
        return;
    };
    let byte = |i: usize| choice.get(i).copied().unwrap_or_default();
    let integers = [0, 1, -1, i64::MAX, i64::MIN, 1 << 53, (1 << 53) + 1, 7];
    let numbers = [
        0.0,
        1.0,
        -0.5,
        1e300,
        -1e300,
        5e-324,
        9_007_199_254_740_992.0,
        0.1,
    ];
    let texts = ["", "a", "ab", "é", "\u{1f600}", "\0", "b", "\u{ffff}"];
    let pick = |i: usize| usize::from(byte(i)) % 8;
    let integer = |i| {
        integers
            .get(pick(i))
            .map(|v| Given::Integer(Some((*v).into())))
    };
    let number = |i| numbers.get(pick(i)).map(|v| Given::Number(*v));
    let text = |i| texts.get(pick(i)).map(|v| Given::String((*v).into()));
    let null = |i: usize, given: Option<Given>| match byte(i) < 64 {
        true => Some(Given::Null),
        false => given,
    };
    let mut state = pack.state();
    let values = [
        Some(Given::Boolean(byte(0) % 2 == 0)),
        integer(1),
        number(2),
        null(3, Some(Given::Boolean(byte(3) % 2 == 0))),
        null(4, integer(4)),
        null(5, number(5)),
        null(6, text(6)),
        text(7),
    ];
    for (field, given) in values.into_iter().enumerate() {
        state.set(field, given.unwrap_or(Given::Null));
    }
    let Ok(state) = state.finish() else {
        unreachable!("every field has a value that it takes")
    };
    match pack.decide(&state) {
        Err(e) => assert_eq!(e.code(), Code::Evaluation),
        Ok(outcome) => {
            let fired = outcome.verdict() != Verdict::Approve;
            assert_eq!(fired, !pack.causes(&state, &outcome).is_empty());
            let Some(found) = pack.counterfactual(&state, &outcome) else {
                return assert!(!fired);
            };
            let approved = applied(&pack, &state, &found).map(|v| v == Verdict::Approve);
            assert_eq!(approved, Ok(!found.changes.is_empty()), "{found:?}");
        }
    }
}

/// An authority, a licence of it and a pack sealed for that, the same in a whole process.
#[derive(Debug)]
pub struct Issued {
    /// The authority's public key (PEM).
    pub pem: String,
    /// The licence as written.
    pub json: String,
    /// The pack.
    pub pack: Vec<u8>,
    /// Its publisher's signature, with the key above.
    pub signature: String,
    publishers: PublisherKeys,
    authorities: Authorities,
    license: License,
}

/// The authority, licence and pack of this process.
pub fn issued() -> &'static Issued {
    static ISSUED: OnceLock<Result<Issued, Error>> = OnceLock::new();
    let make = || {
        let authority = PrivateKey::generate()?;
        let now = Timestamp::now();
        let terms = Terms {
            license_id: "LIC-FUZZ".into(),
            tenant_id: "acme".into(),
            tier: Tier::Developer,
            license_model: LicenseModel::Perpetual,
            issued_at: now,
            not_before: None,
            expires_at: None,
            licensed_packs: vec!["*".into()],
            licensed_solvers: Vec::new(),
            features: Vec::new(),
            limits: Limits::NONE,
        };
        let json = issue(&terms, &authority)?;
        let pem = authority.public_pem()?;
        let authorities = Authorities::from_pem(&pem, "fuzz")?;
        let license = UnverifiedLicense::parse(&json, "fuzz")?.verify(&authorities)?;
        let source = PACKS.last().map_or("", |pack| pack.source);
        let pack = seal_source(source, &license)?;
        Ok(Issued {
            signature: sign(&pack, &authority, now)?,
            publishers: PublisherKeys::read(&PublisherSource::Pem(pem.clone()))?,
            pem,
            json: json.to_string(),
            pack,
            authorities,
            license,
        })
    };
    match ISSUED.get_or_init(make) {
        Ok(issued) => issued,
        Err(e) => unreachable!("a licence can be issued: {e}"),
    }
}

/// Bytes as changes of good ones, so that a key made anew each time does not matter: whole when they
/// begin with an even byte, else place (two bytes), and what is done there, again and again.
pub fn edited(good: &[u8], bytes: &[u8]) -> Vec<u8> {
    let Some((first, rest)) = bytes.split_first() else {
        return good.to_vec();
    };
    if first % 2 == 0 {
        return rest.to_vec();
    }
    let mut edited = good.to_vec();
    for edit in rest.chunks(4) {
        let [high, low, action, value] = edit else {
            break;
        };
        let at = usize::from(*high) << 8 | usize::from(*low);
        let at = at % edited.len().saturating_add(1);
        match action % 4 {
            0 => edited.truncate(at),
            1 => edited.insert(at, *value),
            2 if at < edited.len() => {
                edited.remove(at);
            }
            _ => edited
                .iter_mut()
                .skip(at)
                .take(1)
                .for_each(|byte| *byte ^= value),
        }
    }
    edited
}

/// No licence but the very one that was issued is believed, and no message shows its key.
pub fn a_license(bytes: &[u8]) {
    let Issued {
        json, authorities, ..
    } = issued();
    let edited = edited(json.as_bytes(), bytes);
    let Ok(text) = std::str::from_utf8(&edited) else {
        return;
    };
    match UnverifiedLicense::parse(text, "fuzz").and_then(|license| license.verify(authorities)) {
        // Space between tokens and the order of keys are not signed.
        Ok(license) => assert_eq!(
            canonical::parse(text),
            canonical::parse(json),
            "{license:?}"
        ),
        Err(e) => {
            let secret = canonical::parse(text).ok();
            let secret = secret.as_ref().and_then(|node| node.get("content_key"));
            let secret = secret
                .and_then(|node| node.as_str())
                .filter(|key| key.len() > 40);
            assert!(secret.is_none_or(|key| !e.message().contains(key)), "{e}");
        }
    }
}

/// No pack but the very one that was sealed opens.
pub fn a_container(bytes: &[u8]) {
    let Issued {
        pack: good,
        license,
        ..
    } = issued();
    let edited = edited(good, bytes);
    let _ = Envelope::parse(&edited);
    assert_eq!(Pack::open(&edited, license).is_ok(), edited == *good);
}

/// No signature but the very one that was made says who published a pack.
pub fn a_signature(bytes: &[u8]) {
    let issued = issued();
    let edited = edited(issued.signature.as_bytes(), bytes);
    let verified = PackSignature::parse(&edited, "fuzz").and_then(|signature| {
        let id = Envelope::parse(&issued.pack)?.pack_id().clone();
        signature.verify(&issued.publishers, &issued.pack, &id)
    });
    match verified {
        // Space between tokens and the order of keys are not signed.
        Ok(()) => assert_eq!(
            canonical::parse_bytes(&edited),
            canonical::parse(&issued.signature)
        ),
        Err(e) => assert_eq!(e.code(), Code::PackSignature),
    }
}

/// Whatever is sealed, opening it ends in a pack or an error of the checks after decryption.
pub fn a_sealed_playbook(bytes: &[u8]) {
    let Ok(id) = PackId::new("acme.random.v1") else {
        return;
    };
    let license = &issued().license;
    let Ok(sealed) = seal(&id, bytes, license) else {
        return;
    };
    match Pack::open(&sealed, license) {
        Ok(pack) => assert_eq!(pack.digest(), Digest::of(bytes)),
        Err(e) => assert!(
            matches!(e.code(), Code::SolverNotLicensed | Code::PackUnsupported),
            "{e}"
        ),
    }
}

/// A manifest is read or refused with reasons.
pub fn a_manifest(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match manifest::parse(text) {
        Ok(manifest) => assert!(!manifest.packs.is_empty()),
        Err(problems) => assert!(!problems.is_empty()),
    }
}

/// Whatever a manifest says, what is generated from it is the same code.
pub fn a_generated_sdk(bytes: &[u8]) {
    generated::an_sdk(bytes);
}

/// An interface that is read is written as the same, and differs from itself in nothing.
pub fn an_interface(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(interface) = Interface::parse(text) {
        assert_eq!(
            Interface::parse(&interface.to_json()).as_ref(),
            Ok(&interface)
        );
        assert!(interface.differences(&interface).is_empty());
    }
}

/// A state that is accepted is the same state in its normal form, with the same proof.
pub fn a_state(bytes: &[u8]) {
    static PACK: OnceLock<Option<Pack>> = OnceLock::new();
    let pack = PACK.get_or_init(|| Some(Pack::from(playbook(EVERY_KIND).ok()?)));
    let Some(pack) = pack else {
        unreachable!("the playbook is valid")
    };
    let Ok(state) = pack.state_from_json(bytes) else {
        return;
    };
    let fields = pack.playbook().fields.iter().zip(pack.values(&state));
    let normal = fields.map(|(field, value)| {
        (
            field.name.as_str(),
            (&helixor_playbook::Value::from(value)).into(),
        )
    });
    let Ok(normal) = write(&helixor_playbook::Node::map(normal), Style::Spaced) else {
        unreachable!("a normal state has a JSON form")
    };
    let again = pack.state_from_json(normal.as_bytes());
    assert_eq!(again.as_ref(), Ok(&state), "{normal}");
    if let Ok(outcome) = pack.decide(&state) {
        let (verdict, action) = (outcome.verdict(), pack.action(&outcome));
        let text = format!("acme.every_kind.v1:{action}:{verdict}:{normal}");
        assert_eq!(pack.proof(&state, &outcome), Digest::of(text.as_bytes()));
    }
}

const EVERY_KIND: &str = r#"
pack_id: acme.every_kind.v1
version: 1.0.0
actions: [pass, stop]
default_action: pass
state_schema:
  b: {type: boolean}
  c: {type: string, allowed_values: [eu, us, '', 'é']}
  d: {type: integer, default: 5, min_value: -10, max_value: 10}
  i: {type: integer}
  n: {type: number}
  o: {type: number, required: false, max_value: 1.0e+300}
  p: {type: boolean, required: false, default: true}
  s: {type: string}
hard_rules:
  - {id: A, condition: state.b and state.n / state.i > 1, action: stop}
  - {id: B, condition: "state.c in ['eu', ''] and state.o is not None and state.o > state.n", action: stop}
  - {id: C, condition: len(state.s) > state.d or state.p, action: stop}
"#;

fn bytes(texts: impl IntoIterator<Item = impl Into<String>>) -> Vec<Vec<u8>> {
    texts
        .into_iter()
        .map(|text| text.into().into_bytes())
        .collect()
}

fn documents() -> Vec<Vec<u8>> {
    bytes([
        r#"{"a": [1, -0, 1.5e-7, true, null], "é\u00e9\ud83d\ude00": "\"\\\b\f\n\r\t/"}"#,
        "[18446744073709551615, -9223372036854775808, 2.2250738585072014e-308, 1e16, 9007199254740993]",
        "[[[[[[[[[[]]]]]]]]]]",
        "\"\\u0000\\u001f\u{7f}\u{2028}\"",
    ])
}

fn playbooks() -> Vec<Vec<u8>> {
    let yaml = PACKS.iter().map(|pack| format!(" {}", pack.source));
    let json = PACKS
        .iter()
        .map(|pack| format!("!{}", canonical_form(pack.source)));
    bytes(yaml.chain(json).chain([format!(" {EVERY_KIND}")]))
}

fn canonical_form(source: &str) -> String {
    let root = read(source, Format::Yaml).ok();
    root.and_then(|root| write(&root, Style::Compact).ok())
        .unwrap_or_default()
}

fn conditions() -> Vec<Vec<u8>> {
    bytes(
        [
            "not (state.b and state.o) or state[\"b\"] is not True",
            "1 < state.i <= state.n + 2.5e3 // -state.p % 3",
            "state.s in ['a', \"\\u00e9\"] or 'a' not in state.r",
            "min([state.i, 2]) == max(1, abs(state.n)) or len(state.s) > 3",
            "(state.i > 5) == (state.q is None) and state.o == False",
            "state.i * state.i - 7 > 9223372036854775807 / 3",
        ]
        .map(|text| format!("abcdefgh{text}")),
    )
}

/// Whole documents, and edits of the good one.
fn whole_and_edits(whole: &str) -> Vec<Vec<u8>> {
    let mut seeds = bytes([format!("0{whole}")]);
    seeds.extend([
        b"1".to_vec(),
        b"1\x00\x05\x03\x01".to_vec(),
        b"1\x00\x20\x00\x00".to_vec(),
    ]);
    seeds
}

fn licenses() -> Vec<Vec<u8>> {
    whole_and_edits(&issued().json)
}

fn signatures() -> Vec<Vec<u8>> {
    whole_and_edits(&issued().signature)
}

fn edits() -> Vec<Vec<u8>> {
    whole_and_edits("HXPACK")
}

fn plaintexts() -> Vec<Vec<u8>> {
    let known = PACKS.iter().map(|pack| canonical_form(pack.source));
    bytes(known.chain([canonical_form(EVERY_KIND).replace("every_kind", "random")]))
}

fn manifests() -> Vec<Vec<u8>> {
    bytes(PACKS.map(|pack| pack.manifest()))
}

fn interfaces() -> Vec<Vec<u8>> {
    let of = |source| playbook(source).map(|playbook| Interface::from(&playbook).to_json());
    let packs = PACKS.iter().map(|pack| pack.source).chain([EVERY_KIND]);
    bytes(packs.filter_map(|source| of(source).ok()))
}

fn states() -> Vec<Vec<u8>> {
    bytes([
        r#"{"b": true, "c": "eu", "i": 3, "n": 2.5, "s": "text", "o": 1}"#,
        r#"{"b": false, "c": "\u00e9", "d": -10, "i": 0, "n": -0.0, "s": "\ud83d\ude00", "o": null, "p": null}"#,
    ])
}
