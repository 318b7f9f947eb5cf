//! One leaf: what is hashed, and the line that a ledger file has for it.
//!
//! A leaf is the compact canonical JSON of `{license_id, pack_id, proof, raw_pack_sha256, seq}`; its
//! line is the same with `at` as the first key. So the leaf is its line without `at`.

use super::tree::leaf_hasher;
use crate::license::Timestamp;
use helixor_playbook::{Digest, PackId, canonical};
use sha2::{Digest as _, Sha256};

/// Longer than any line: ids have at most 200 characters, of twelve bytes when escaped.
pub(super) const MAX_LINE: usize = 8_192;

const AT: &str = r#"{"at":""#;
const LICENSE: &str = r#"","license_id":""#;
const PACK: &str = r#"","pack_id":""#;
const PROOF: &str = r#"","proof":""#;
const DIGEST: &str = r#"","raw_pack_sha256":""#;
const SEQ: &str = r#"","seq":"#;

/// What all leaves of one pack and licence have in common.
#[derive(Debug)]
pub(crate) struct Origin {
    /// The leaf up to the proof, and from the proof to the number.
    before: String,
    after: String,
    /// Has taken what is before the proof.
    hasher: Sha256,
}

impl Origin {
    /// `license_id` is empty for a built-in pack.
    pub(crate) fn new(license_id: &str, pack_id: &PackId, digest: Digest) -> Self {
        let mut id = String::new();
        canonical::push_string(&mut id, license_id);
        let before = format!(r#"{{"license_id":{id},"pack_id":"{pack_id}{PROOF}"#);
        Self {
            hasher: leaf_hasher().chain_update(&before),
            before,
            after: format!("{DIGEST}{digest}{SEQ}"),
        }
    }
}

/// A leaf that has no number yet; all that comes before the number is hashed.
#[derive(Debug)]
pub(crate) struct Unnumbered<'o> {
    origin: &'o Origin,
    proof: Digest,
    hasher: Sha256,
}

impl<'o> Unnumbered<'o> {
    pub(crate) fn new(origin: &'o Origin, proof: Digest) -> Self {
        let mut hasher = origin.hasher.clone();
        hasher.update(proof.hex());
        hasher.update(&origin.after);
        Self {
            origin,
            proof,
            hasher,
        }
    }

    /// The hash of the leaf with this number.
    pub(crate) fn hash(mut self, seq: u64) -> Digest {
        // As many digits as a number has at most.
        let mut digits = [0; 20];
        let mut rest = seq;
        let mut first = digits.len();
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            first -= 1;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.hasher.update(digits.get(first..).unwrap_or_default());
        self.hasher.update(b"}");
        Digest::from_bytes(self.hasher.finalize().into())
    }

    /// Its line in a file, with the line feed.
    pub(crate) fn line(&self, at: &str, seq: u64) -> String {
        let Origin { before, after, .. } = self.origin;
        let before = before.strip_prefix('{').unwrap_or(before);
        format!("{AT}{at}\",{before}{}{after}{seq}}}\n", self.proof)
    }
}

/// Whether a line without an end may be the beginning of one, as far as it goes.
pub(super) fn may_begin(torn: &[u8]) -> bool {
    torn.iter()
        .zip(AT.as_bytes())
        .all(|(found, ours)| found == ours)
}

/// A line of a ledger file, read strictly.
#[derive(Debug)]
pub(super) struct Line<'l> {
    /// Everything from after `at`, without the line feed.
    rest: &'l str,
}

impl<'l> Line<'l> {
    /// Reads the line of the leaf with this number; what is wrong with it otherwise.
    pub(super) fn read(line: &'l [u8], seq: u64) -> Result<Self, String> {
        let line = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
        let missing = |key: &str| format!("`{key}` is not where it must be, or not of its form");
        let (at, after) = line
            .strip_prefix(AT)
            .and_then(|line| line.split_at_checked(20))
            .ok_or_else(|| missing("at"))?;
        Timestamp::parse(at).ok_or_else(|| missing("at"))?;
        let parts = after.strip_prefix(LICENSE);
        // A quotation mark inside a text is escaped, so the first match is the end of the text.
        let (license, pack) = parts
            .and_then(|rest| rest.split_once(PACK))
            .ok_or_else(|| missing("license_id"))?;
        let quoted = format!("\"{license}\"");
        let text = canonical::parse(&quoted).map_err(|_| missing("license_id"))?;
        let mut written = String::new();
        canonical::push_string(&mut written, text.as_str().unwrap_or_default());
        if written != quoted {
            return Err(missing("license_id"));
        }
        let (pack, proof) = pack.split_once(PROOF).ok_or_else(|| missing("pack_id"))?;
        PackId::new(pack).map_err(|_| missing("pack_id"))?;
        let (proof, digest) = proof.split_once(DIGEST).ok_or_else(|| missing("proof"))?;
        Digest::from_hex(proof).ok_or_else(|| missing("proof"))?;
        let (digest, number) = digest
            .split_once(SEQ)
            .ok_or_else(|| missing("raw_pack_sha256"))?;
        Digest::from_hex(digest).ok_or_else(|| missing("raw_pack_sha256"))?;
        if number.strip_suffix('}') != Some(&seq.to_string()) {
            return Err(format!("its `seq` must be {seq}"));
        }
        Ok(Self {
            rest: after.get(2..).unwrap_or_default(),
        })
    }

    /// The leaf.
    pub(super) fn leaf(&self) -> String {
        format!("{{{}", self.rest)
    }

    /// The hash of the leaf.
    pub(super) fn hash(&self) -> Digest {
        let hasher = leaf_hasher().chain_update("{").chain_update(self.rest);
        Digest::from_bytes(hasher.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use helixor_playbook::Node;
    use helixor_playbook::canonical::{Style, write};

    const AT: &str = "2026-11-30T20:44:15Z";

    fn origin(license: &str) -> Origin {
        Origin::new(
            license,
            &PackId::new("acme.loans.v1").unwrap(),
            Digest::of(b"pack"),
        )
    }

    #[test]
    fn a_leaf_is_canonical_json_and_its_line_the_same_with_a_time() {
        for (license, seq) in [("LIC-1", 0), ("", 9), (r#"a","pack_id":"ü\"#, u64::MAX)] {
            let proof = Digest::of(b"proof");
            let node = |at: Option<&str>| {
                let at = at.map(|at| ("at", at.into()));
                let rest = [
                    ("seq", seq.into()),
                    ("proof", proof.to_string().as_str().into()),
                    ("pack_id", "acme.loans.v1".into()),
                    ("license_id", license.into()),
                    (
                        "raw_pack_sha256",
                        Digest::of(b"pack").to_string().as_str().into(),
                    ),
                ];
                let node: Node = Node::map(at.into_iter().chain(rest));
                write(&node, Style::Compact).unwrap()
            };
            let origin = origin(license);
            let leaf = Unnumbered::new(&origin, proof);
            let line = leaf.line(AT, seq);
            assert_eq!(line, format!("{}\n", node(Some(AT))));
            let read = Line::read(line.trim_end().as_bytes(), seq).unwrap();
            assert_eq!(read.leaf(), node(None));
            let hash = leaf_hasher().chain_update(node(None)).finalize();
            assert_eq!(read.hash().as_bytes()[..], hash[..]);
            assert_eq!(leaf.hash(seq), read.hash());
        }
    }

    #[test]
    fn the_longest_line_is_shorter_than_the_limit() {
        let origin = origin(&"𝄞".repeat(200));
        let leaf = Unnumbered::new(&origin, Digest::of(b""));
        assert!(leaf.line(AT, u64::MAX).len() + 200 < MAX_LINE);
    }

    #[test]
    fn a_changed_line_is_told_by_its_key() {
        let origin = origin("LIC-1");
        let line = Unnumbered::new(&origin, Digest::of(b"proof")).line(AT, 7);
        let line = line.trim_end();
        for (from, to, named) in [
            ("2026", "2O26", "`at`"),
            ("{\"at\"", "{ \"at\"", "`at`"),
            ("LIC-1", "LIC\"1", "`license_id`"),
            ("LIC-1", "LIC\\u00411", "`license_id`"),
            ("LIC-1", "LICé", "`license_id`"),
            ("acme.", "acme/", "`pack_id`"),
            ("\"proof\":\"", "\"proof\":\"A", "`proof`"),
            (
                "\"raw_pack_sha256\":\"",
                "\"raw_pack_sha256\":\"f",
                "`raw_pack_sha256`",
            ),
            ("\"seq\":7", "\"seq\":8", "its `seq` must be 7"),
            ("\"seq\":7", "\"seq\":07", "its `seq` must be 7"),
            ("}", "} ", "its `seq` must be 7"),
        ] {
            let changed = line.replacen(from, to, 1);
            assert_ne!(changed, line);
            let fault = Line::read(changed.as_bytes(), 7).unwrap_err();
            assert!(fault.contains(named), "{changed}: {fault}");
        }
        for end in 0..line.len() {
            assert!(Line::read(&line.as_bytes()[..end], 7).is_err());
        }
        assert!(Line::read(b"\xff", 0).is_err());
    }
}
