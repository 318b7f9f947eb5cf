//! What a ledger file proves, and to whom: the proofs hold for who has the root alone.

use super::file::Lines;
use super::tree::{Frontier, MAX_LEAVES, Nodes};
use crate::document::{self, Reader};
use ct_merkle::RootHash;
use helixor_playbook::canonical;
use helixor_playbook::{Code, Data, Digest, Error, Node, Problem};
use sha2::Sha256;
use std::path::Path;

const INCLUSION: &str = "helixor.ledger_inclusion.v1";
const CONSISTENCY: &str = "helixor.ledger_consistency.v1";

/// The tree of the first leaves of a ledger file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerRoot {
    /// How many leaves.
    pub size: u64,
    /// Their root.
    pub root: Digest,
    /// Whether a last line without an end was left out: its writer was stopped, or is writing it.
    pub torn: bool,
}

/// Proves that a leaf is in a tree (RFC 6962, 2.1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InclusionProof {
    /// The leaf, as it is hashed.
    pub leaf: String,
    /// Its number, from 0.
    pub seq: u64,
    /// How many leaves the tree has. A root does not tell: the same hashes can prove it for other sizes,
    /// so it is only as true as who says it.
    pub size: u64,
    /// The tree's root.
    pub root: Digest,
    /// The roots of the subtrees beside the way from the leaf to the root.
    pub path: Vec<Digest>,
}

/// Proves that a tree begins with all of an older one (RFC 6962, 2.1.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsistencyProof {
    /// How many leaves the older tree has; at least 1. As true as who says it, like `size`; see
    /// [`InclusionProof::size`].
    pub old_size: u64,
    /// Its root.
    pub old_root: Digest,
    /// How many leaves the newer tree has.
    pub size: u64,
    /// Its root.
    pub root: Digest,
    /// The nodes that both roots are made of.
    pub path: Vec<Digest>,
}

/// A proof of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerProof {
    /// That a leaf is in a tree.
    Inclusion(InclusionProof),
    /// That a tree begins with all of an older one.
    Consistency(ConsistencyProof),
}

/// The root of the first `size` leaves of a ledger file, or of all. Every line up to there is checked;
/// the file may be one that is being written.
///
/// # Errors
/// IO; INVALID_ARGUMENT, naming the line, when it is not a ledger, and when it has fewer leaves.
pub fn root(path: &Path, size: Option<u64>) -> Result<LedgerRoot, Error> {
    root_of(&mut Lines::open(path)?, size)
}

fn root_of<R: std::io::Read>(
    lines: &mut Lines<'_, R>,
    size: Option<u64>,
) -> Result<LedgerRoot, Error> {
    let mut tree = Frontier::default();
    let size = lines.each(size, |_, hash, _| tree.push(hash))?;
    Ok(LedgerRoot {
        size,
        root: tree.root(),
        torn: lines.torn,
    })
}

/// Proves that the leaf `seq` is among the first `size` leaves of a ledger file, or among all.
///
/// # Errors
/// As [`root`]; INVALID_ARGUMENT when there is no such leaf.
pub fn prove_inclusion(path: &Path, seq: u64, size: Option<u64>) -> Result<InclusionProof, Error> {
    let mut lines = Lines::open(path)?;
    let LedgerRoot { size, root, .. } = root_of(&mut lines, size)?;
    if seq >= size {
        return Err(Error::new(
            Code::InvalidArgument,
            format!("there is no leaf {seq}: the tree has {size} leaves, numbered from 0"),
            "name a leaf by its `seq`",
        ));
    }
    let mut nodes = Nodes::of_inclusion(seq, size);
    let mut leaf = String::new();
    lines.rewind()?.each(Some(size), |at, hash, line| {
        if at == seq {
            leaf = line.leaf();
        }
        nodes.take(at, hash);
    })?;
    Ok(InclusionProof {
        leaf,
        seq,
        size,
        root,
        path: nodes.hashes(),
    })
}

/// Proves that the first `size` leaves of a ledger file, or all, begin with the first `old_size`.
///
/// # Errors
/// As [`root`]; INVALID_ARGUMENT when `old_size` is 0 or larger than `size`.
pub fn prove_consistency(
    path: &Path,
    old_size: u64,
    size: Option<u64>,
) -> Result<ConsistencyProof, Error> {
    let mut lines = Lines::open(path)?;
    let LedgerRoot { size, root, .. } = root_of(&mut lines, size)?;
    if !(1..=size).contains(&old_size) {
        return Err(Error::new(
            Code::InvalidArgument,
            format!("the older tree must have 1 to {size} leaves, not {old_size}"),
            "name the older size first; of the empty tree, with which all begin, there is nothing to prove",
        ));
    }
    let mut nodes = Nodes::of_consistency(old_size, size);
    let mut old = Frontier::default();
    lines.rewind()?.each(Some(size), |at, hash, _| {
        if at < old_size {
            old.push(hash);
        }
        nodes.take(at, hash);
    })?;
    Ok(ConsistencyProof {
        old_size,
        old_root: old.root(),
        size,
        root,
        path: nodes.hashes(),
    })
}

fn tree(root: &Digest, size: u64) -> RootHash<Sha256> {
    RootHash::new((*root.as_bytes()).into(), size)
}

fn joined(path: &[Digest]) -> Vec<u8> {
    path.iter().flat_map(|hash| *hash.as_bytes()).collect()
}

fn hashes(path: &[Digest]) -> Node {
    Node::list(
        path.iter()
            .map(|hash| Node::from(hash.to_string().as_str())),
    )
}

impl InclusionProof {
    /// Whether it proves that the leaf, with its number, is in a tree with its root. Who trusts a root
    /// compares it with [`InclusionProof::root`].
    pub fn holds(&self) -> bool {
        let path = ct_merkle::InclusionProof::try_from_bytes(joined(&self.path));
        // The root stands for what the leaf says, but for its place only where the size is known.
        let numbered = self.leaf.ends_with(&format!("\"seq\":{}}}", self.seq));
        numbered
            && self.size <= MAX_LEAVES
            && path.is_ok_and(|path| {
                let tree = tree(&self.root, self.size);
                tree.verify_inclusion(&self.leaf, self.seq, &path).is_ok()
            })
    }

    /// As a document that [`LedgerProof::parse`] reads.
    pub fn to_node(&self) -> Node {
        Node::map([
            ("schema", INCLUSION.into()),
            ("leaf", self.leaf.as_str().into()),
            ("seq", self.seq.into()),
            ("size", self.size.into()),
            ("root", self.root.to_string().as_str().into()),
            ("path", hashes(&self.path)),
        ])
    }
}

impl ConsistencyProof {
    /// Whether it proves that a tree with its root begins with all of one with its old root. Who trusts
    /// roots compares them with those it has.
    pub fn holds(&self) -> bool {
        let path = ct_merkle::ConsistencyProof::try_from_bytes(joined(&self.path));
        self.size <= MAX_LEAVES
            && path.is_ok_and(|path| {
                let old = tree(&self.old_root, self.old_size);
                let new = tree(&self.root, self.size);
                new.verify_consistency(&old, &path).is_ok()
            })
    }

    /// As a document that [`LedgerProof::parse`] reads.
    pub fn to_node(&self) -> Node {
        Node::map([
            ("schema", CONSISTENCY.into()),
            ("old_size", self.old_size.into()),
            ("old_root", self.old_root.to_string().as_str().into()),
            ("size", self.size.into()),
            ("root", self.root.to_string().as_str().into()),
            ("path", hashes(&self.path)),
        ])
    }
}

impl LedgerProof {
    /// Reads a proof as `to_node` writes it; `source` names it in messages.
    ///
    /// # Errors
    /// INVALID_ARGUMENT with every fault.
    pub fn parse(json: &[u8], source: &str) -> Result<Self, Error> {
        read(json).map_err(|problems| {
            document::invalid(
                Code::InvalidArgument,
                &String::from_utf8_lossy(json),
                &format!("{source} is not a ledger's proof"),
                &problems,
                "a proof is what `helixor-pack ledger inclusion` and `consistency` print with --json",
            )
        })
    }

    /// Whether it proves what it says.
    pub fn holds(&self) -> bool {
        match self {
            Self::Inclusion(proof) => proof.holds(),
            Self::Consistency(proof) => proof.holds(),
        }
    }

    /// As a document that [`LedgerProof::parse`] reads.
    pub fn to_node(&self) -> Node {
        match self {
            Self::Inclusion(proof) => proof.to_node(),
            Self::Consistency(proof) => proof.to_node(),
        }
    }

    /// The root of the tree it speaks of, the newer one.
    pub const fn root(&self) -> Digest {
        match self {
            Self::Inclusion(proof) => proof.root,
            Self::Consistency(proof) => proof.root,
        }
    }
}

fn read(json: &[u8]) -> Result<LedgerProof, Vec<Problem>> {
    let node = canonical::parse_bytes(json).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    match fill(&node, &mut problems) {
        Some(proof) if problems.is_empty() => Ok(proof),
        _ => Err(problems),
    }
}

fn fill(node: &Node, problems: &mut Vec<Problem>) -> Option<LedgerProof> {
    let mut reader = Reader::new(node, "the proof", problems)?;
    let kinds = format!("\"{INCLUSION}\" or \"{CONSISTENCY}\"");
    let inclusion = reader.value("schema", &kinds, |node| match node.as_str()? {
        INCLUSION => Some(true),
        CONSISTENCY => Some(false),
        _ => None,
    })?;
    let (size, root) = (count(&mut reader, "size"), reader.digest("root"));
    let path = reader.value("path", "a list of 64 lower-case hex digits each", |node| {
        let Data::List(items) = &node.data else {
            return None;
        };
        let hash = |item: &Node| Digest::from_hex(item.as_str()?);
        items.iter().map(hash).collect()
    });
    let proof = if inclusion {
        let leaf = reader.value("leaf", "a text", |node| Some(node.as_str()?.to_owned()));
        let seq = count(&mut reader, "seq");
        (|| {
            Some(LedgerProof::Inclusion(InclusionProof {
                leaf: leaf?,
                seq: seq?,
                size: size?,
                root: root?,
                path: path?,
            }))
        })()
    } else {
        let (old_size, old_root) = (count(&mut reader, "old_size"), reader.digest("old_root"));
        (|| {
            Some(LedgerProof::Consistency(ConsistencyProof {
                old_size: old_size?,
                old_root: old_root?,
                size: size?,
                root: root?,
                path: path?,
            }))
        })()
    };
    reader.finish();
    proof
}

fn count(reader: &mut Reader<'_, '_>, key: &'static str) -> Option<u64> {
    reader.value(key, "an integer that is not negative", |node| {
        match node.data {
            Data::Int(count) => u64::try_from(count).ok(),
            _ => None,
        }
    })
}
