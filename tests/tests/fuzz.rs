//! The fuzz targets without a fuzzer: seeds, what was found before, and random changes of both.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use conformance::fuzz::TARGETS;
use conformance::seed;
use fastrand::Rng;
use std::path::Path;

/// Every change that a target is tried with, unless `$HELIXOR_MUTATIONS` says otherwise.
const MUTATIONS: usize = 300;

/// What fuzzers found, a folder for each target.
fn findings(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("findings")
        .join(target);
    let files = std::fs::read_dir(folder).into_iter().flatten();
    files
        .map(|file| std::fs::read(file.unwrap().path()).unwrap())
        .collect()
}

fn mutate(input: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Rng) {
    let at = random.usize(..=input.len());
    match random.u32(..6) {
        0 => input.truncate(at),
        1 => input.insert(at, random.u8(..)),
        2 if at < input.len() => input[at] ^= 1 << random.u32(..8),
        3 if at < input.len() => drop(input.drain(at..random.usize(at..input.len()))),
        4 => {
            let other = random.choice(others).unwrap();
            let from = random.usize(..=other.len());
            let piece = other[from..random.usize(from..=other.len())].to_vec();
            input.splice(at..at, piece);
        }
        _ => {
            let token = [
                &b"null"[..],
                b"-1",
                b"1e309",
                b"\"",
                b"[",
                b"{",
                b" not ",
                b"\xed\xa0\x80",
                b"state.s",
            ];
            input.splice(at..at, random.choice(token).unwrap().iter().copied());
        }
    }
}

#[test]
fn every_target_holds_on_seeds_findings_and_their_mutations() {
    let count = std::env::var("HELIXOR_MUTATIONS").ok();
    let count = count.map_or(MUTATIONS, |count| count.parse().unwrap());
    let mut random = Rng::with_seed(seed("mutations"));
    for target in TARGETS {
        let mut inputs = (target.seeds)();
        inputs.extend(findings(target.name));
        assert!(inputs.len() >= 2, "{}", target.name);
        inputs.iter().for_each(|input| (target.run)(input));
        for _ in 0..count {
            let mut input = random.choice(&inputs).unwrap().clone();
            for _ in 0..random.usize(1..6) {
                mutate(&mut input, &inputs, &mut random);
            }
            (target.run)(&input);
        }
    }
}
