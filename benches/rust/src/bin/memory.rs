//! What packs and decisions ask of the allocator; apart from the clock, which its counting would disturb.
#![forbid(unsafe_code)]

use allocation_counter::measure;
use fastrand::Rng;
use helixor_bench::packs;
use helixor_bench::rounds::{SEED, row};
use helixor_bench::workload::Workload;
use helixor_runtime::client::{Client, Licensed, Options};
use helixor_runtime::license::Limits;
use helixor_runtime::{Pack, State};
use std::hint::black_box;

/// How many decisions are counted.
const DECISIONS: usize = 1_000;

fn main() {
    let license = packs::license(Limits::NONE).license;
    for size in [10, 100, 1_000, 10_000] {
        let bytes = packs::seal(&Workload::of_size(size), &license);
        let mut pack = None;
        let counted = measure(|| pack = Some(Pack::open(&bytes, &license).expect("an open pack")));
        for (what, bytes) in [
            ("open", counted.bytes_current as f64),
            ("while it is opened, at most", counted.bytes_max as f64),
        ] {
            row(
                "memory of a pack",
                &format!("{size} rules, {what}"),
                bytes,
                "bytes",
                "",
                "",
            );
        }
        black_box(pack);
    }
    for workload in Workload::all() {
        let section = format!("allocations, {}", workload.name);
        let count = |name: &str, target: &str, mut work: Box<dyn FnMut(usize) + '_>| {
            let counted = measure(|| (0..DECISIONS).for_each(&mut *work));
            let each = counted.count_total as f64 / DECISIONS as f64;
            row(&section, name, each, "allocations", "", target);
        };
        let bytes = packs::seal(&workload, &license);
        let licensed = Licensed::from(packs::license(Limits::NONE).license);
        let own = packs::seal(&workload, licensed.license());
        let pack = Pack::open(&bytes, &license).expect("an open pack");
        let client =
            Client::with_license(&own, None, &Options::new(), &licensed).expect("a client");
        let mut rng = Rng::with_seed(SEED);
        let values: Vec<_> = (0..DECISIONS).map(|_| workload.random(&mut rng)).collect();
        let states: Vec<State> = values
            .iter()
            .map(|values| packs::state(pack.state(), values))
            .collect();
        let mut owned: Vec<_> = states.iter().cloned().map(Some).collect();
        count(
            "pure decide",
            "<=0",
            Box::new(|i| drop(black_box(pack.decide(&states[i])))),
        );
        count(
            "state",
            "",
            Box::new(|i| drop(black_box(packs::state(pack.state(), &values[i])))),
        );
        count(
            "client's decide",
            "",
            Box::new(|i| drop(black_box(client.decide(owned[i].take().expect("a state"))))),
        );
    }
}
