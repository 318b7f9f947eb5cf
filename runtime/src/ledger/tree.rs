//! The Merkle tree of RFC 6962 over leaves that are not kept.
//!
//! Of the tree only the frontier stands in memory: the roots of its full subtrees. Which nodes a proof
//! is made of and whether it holds is `ct-merkle`'s; their hashes are made on one pass over the leaves.

use ct_merkle::{indices_for_consistency_proof, indices_for_inclusion_proof};
use helixor_playbook::Digest;
use sha2::{Digest as _, Sha256};

/// More leaves than any ledger has; up to here no number overflows in a tree.
pub(crate) const MAX_LEAVES: u64 = 1 << 62;

/// Begins the hash of a leaf.
pub(crate) fn leaf_hasher() -> Sha256 {
    Sha256::new_with_prefix([0x00])
}

fn parent(left: &Digest, right: &Digest) -> Digest {
    let mut hasher = Sha256::new_with_prefix([0x01]);
    hasher.update(left.as_bytes());
    hasher.update(right.as_bytes());
    Digest::from_bytes(hasher.finalize().into())
}

/// The roots of the full subtrees that leaves make, the largest first: at most 63.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frontier {
    leaves: u64,
    roots: Vec<Digest>,
}

impl Frontier {
    pub(crate) const fn leaves(&self) -> u64 {
        self.leaves
    }

    /// Appends a leaf by its hash.
    pub(crate) fn push(&mut self, leaf: Digest) {
        let mut root = leaf;
        // Each full subtree of the size reached so far becomes the left half of the next size.
        for _ in 0..self.leaves.trailing_ones() {
            if let Some(left) = self.roots.pop() {
                root = parent(&left, &root);
            }
        }
        self.roots.push(root);
        self.leaves += 1;
    }

    /// The root of the whole tree; that of the empty tree is the hash of nothing.
    pub(crate) fn root(&self) -> Digest {
        let smaller_first = self.roots.iter().rev().copied();
        smaller_first
            .reduce(|right, left| parent(&left, &right))
            .unwrap_or_else(|| Digest::of(b""))
    }
}

/// Some nodes of a tree of `size` leaves, filled on one pass over these.
#[derive(Debug)]
pub(crate) struct Nodes {
    /// By first leaf: where the node's leaves end, its place in the proof, and what was seen of it.
    /// The nodes of a proof cover no leaf twice.
    nodes: Vec<Node>,
    /// The node that the next leaf may belong to.
    next: usize,
}

#[derive(Debug)]
struct Node {
    leaves: std::ops::Range<u64>,
    place: usize,
    seen: Frontier,
}

impl Nodes {
    /// The nodes of an inclusion proof; `seq` is less than `size`, which is at most [`MAX_LEAVES`].
    pub(crate) fn of_inclusion(seq: u64, size: u64) -> Self {
        Self::new(indices_for_inclusion_proof(size, seq), size)
    }

    /// The nodes of a consistency proof; `old` is from 1 to `size`, which is at most [`MAX_LEAVES`].
    pub(crate) fn of_consistency(old: u64, size: u64) -> Self {
        Self::new(indices_for_consistency_proof(old, size - old), size)
    }

    /// Nodes by number: leaves have the even ones, and the lowest bits that are set say how high a
    /// node stands.
    fn new(numbers: Vec<u64>, size: u64) -> Self {
        let node = |(place, number): (usize, u64)| {
            let full = 1u64 << number.trailing_ones();
            let first = (number - (full - 1)) / 2;
            Node {
                leaves: first..(first + full).min(size),
                place,
                seen: Frontier::default(),
            }
        };
        let mut nodes: Vec<Node> = numbers.into_iter().enumerate().map(node).collect();
        nodes.sort_unstable_by_key(|node| node.leaves.start);
        Self { nodes, next: 0 }
    }

    /// Takes the next leaf of the tree.
    pub(crate) fn take(&mut self, seq: u64, leaf: Digest) {
        let Some(node) = self.nodes.get_mut(self.next) else {
            return;
        };
        if node.leaves.contains(&seq) {
            node.seen.push(leaf);
        }
        if seq + 1 == node.leaves.end {
            self.next += 1;
        }
    }

    /// The hashes, in the order of the proof.
    pub(crate) fn hashes(mut self) -> Vec<Digest> {
        self.nodes.sort_unstable_by_key(|node| node.place);
        self.nodes.iter().map(|node| node.seen.root()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ct_merkle::mem_backed_tree::MemoryBackedTree;

    fn leaf(seq: u64) -> Vec<u8> {
        format!("leaf {seq}").into_bytes()
    }

    fn hash(seq: u64) -> Digest {
        let hasher = leaf_hasher().chain_update(leaf(seq));
        Digest::from_bytes(hasher.finalize().into())
    }

    fn bytes(hashes: &[Digest]) -> Vec<u8> {
        hashes.iter().flat_map(|hash| *hash.as_bytes()).collect()
    }

    #[test]
    fn roots_are_those_of_the_rfc() {
        // The vectors of the Certificate Transparency project.
        let leaves: [&[u8]; 8] = [
            b"",
            b"\x00",
            b"\x10",
            b"\x20\x21",
            b"\x30\x31",
            b"\x40\x41\x42\x43",
            b"\x50\x51\x52\x53\x54\x55\x56\x57",
            b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
        ];
        let mut tree = Frontier::default();
        let mut roots = vec![tree.root().to_string()];
        for leaf in leaves {
            let hasher = leaf_hasher().chain_update(leaf);
            tree.push(Digest::from_bytes(hasher.finalize().into()));
            roots.push(tree.root().to_string());
        }
        let expected = [
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ];
        assert_eq!(roots, expected);
    }

    #[test]
    fn roots_and_proofs_are_those_of_the_whole_tree() {
        for size in 1..70 {
            let mut whole = MemoryBackedTree::<Sha256, Vec<u8>>::new();
            let mut frontier = Frontier::default();
            for seq in 0..size {
                whole.push(leaf(seq));
                frontier.push(hash(seq));
            }
            assert_eq!(frontier.root().as_bytes()[..], whole.root().as_bytes()[..]);
            let filled = |mut nodes: Nodes| {
                (0..size).for_each(|seq| nodes.take(seq, hash(seq)));
                bytes(&nodes.hashes())
            };
            for seq in 0..size {
                let proof = whole.prove_inclusion(seq as usize);
                let ours = filled(Nodes::of_inclusion(seq, size));
                assert_eq!(ours, proof.as_bytes(), "{seq} of {size}");
            }
            for old in 1..=size {
                let proof = whole.prove_consistency((size - old) as usize);
                let ours = filled(Nodes::of_consistency(old, size));
                assert_eq!(ours, proof.as_bytes(), "{old} to {size}");
            }
        }
    }
}
