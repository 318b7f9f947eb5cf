//! What a decision costs in Rust: against the same rules written by hand, layer by layer, and what
//! opening a pack takes.
#![forbid(unsafe_code)]

mod by_hand;

use by_hand::{Payment, Six, Thresholds, Wide};
use helixor_bench::packs;
use helixor_bench::rounds::{Contender, SEED, measure, median, row};
use helixor_bench::workload::{Answer, STATES, Scalar, Workload};
use helixor_runtime::client::{Client, Licensed, Options};
use helixor_runtime::license::Limits;
use helixor_runtime::{LedgerChoice, Pack, State};
use regulatory_pii_guard::{RegulatoryPiiGuardClient, RegulatoryPiiGuardState};
use std::hint::black_box;
use std::time::Instant;

const BY_HAND: &str = "ifs by hand";
const PURE: &str = "pure decide";

fn main() {
    println!(
        "note\tRust: {STATES} states from seed {SEED:#x}; medians of blocks that every row takes in turn"
    );
    against_hand();
    layers();
    building();
    loading();
}

fn pure(pack: &Pack) -> Contender<'_> {
    Contender::new(
        PURE,
        |values| packs::state(pack.state(), values),
        |state| pack.decide(state),
        |decided| Some(packs::answer(&decided.expect("a decision"))),
    )
}

/// Ours against hand-written rules.
fn against_hand() {
    let [six, amount, wide] = Workload::all();

    let pack = packs::pack(&six);
    let hand = Contender::new(
        BY_HAND,
        Six::new,
        |state| state.decide(),
        |answer| Some(answer.into()),
    );
    measure(
        six.name,
        &six,
        &mut [hand, pure(&pack).against(BY_HAND, "<=3x")],
        5,
        STATES,
    );

    let pack = packs::pack(&amount);
    let hand = Contender::new(
        BY_HAND,
        Payment::new,
        |state| state.decide(),
        |answer| Some(answer.into()),
    );
    measure(
        amount.name,
        &amount,
        &mut [hand, pure(&pack).against(BY_HAND, "")],
        5,
        STATES,
    );

    let pack = packs::pack(&wide);
    let priority = wide.priority();
    let thresholds = Thresholds::new(&wide, &priority);
    let hand = Contender::new(
        BY_HAND,
        |values: &[Scalar]| Wide::new(values, &priority),
        |state| thresholds.decide(state),
        Some,
    );
    measure(
        wide.name,
        &wide,
        &mut [hand, pure(&pack).against(BY_HAND, "<=3x")],
        2,
        STATES,
    );
}

/// What each layer adds to a decision on six booleans.
fn layers() {
    let six = Workload::six();
    let pack = packs::pack(&six);
    let builtin = Client::builtin(pack.interface()).expect("the built-in pack");
    let licensed = |limits: Limits, options: Options| {
        let license = packs::license(limits).license;
        let bytes = packs::seal(&six, &license);
        Client::with_license(&bytes, None, &options, &Licensed::from(license))
            .expect("an open pack")
    };
    let file = std::env::temp_dir().join(format!("helixor-bench-{}.ledger", std::process::id()));
    let builtin = &builtin;
    let window = &licensed(Limits::NONE, Options::new());
    let limits = &licensed(packs::HIGH, Options::new());
    let ledger = &licensed(Limits::NONE, Options::new().ledger(LedgerChoice::InMemory));
    let ledger_file = &licensed(Limits::NONE, Options::new().ledger_file(&file));
    let of_pack = |values: &[Scalar]| Some(packs::state(pack.state(), values));
    let decide = |client: &Client, state: &mut Option<State>| {
        client
            .decide(state.take().expect("a state"))
            .expect("a decision")
    };
    let answer = |client: &Client, state: &Option<State>| {
        client
            .answer(state.as_ref().expect("a state"))
            .expect("an answer")
    };
    let mut contenders = [
        pure(&pack),
        Contender::new(
            "client, no licence",
            of_pack,
            |state| decide(builtin, state),
            |decision| Some(packs::answer(decision.outcome())),
        )
        .against(PURE, "+"),
        Contender::new(
            "client + window",
            of_pack,
            |state| decide(window, state),
            |decision| Some(packs::answer(decision.outcome())),
        )
        .against("client, no licence", "+10"),
        Contender::new(
            "client, no licence: verdict and action only",
            of_pack,
            |state| answer(builtin, state),
            |_| None,
        )
        .against(PURE, "+"),
        Contender::new(
            "client + window: verdict and action only",
            of_pack,
            |state| answer(window, state),
            |_| None,
        )
        .against("client, no licence: verdict and action only", "+10"),
        Contender::new(
            "client + window + limits",
            of_pack,
            |state| decide(limits, state),
            |decision| Some(packs::answer(decision.outcome())),
        )
        .against("client + window", "+"),
        Contender::new(
            "client + window + ledger in memory, proof in it",
            of_pack,
            |state| decide(ledger, state),
            |decision| Some(packs::answer(decision.outcome())),
        )
        .against("client + window", "+1000"),
        Contender::new(
            "client + window + ledger in a file, proof in it",
            of_pack,
            |state| decide(ledger_file, state),
            |decision| Some(packs::answer(decision.outcome())),
        )
        .against("client + window", "+1000"),
        Contender::new(
            "client + window + proof",
            of_pack,
            |state| decide(window, state).proof(),
            |_| None,
        )
        .against("client + window", "+1000"),
        Contender::new(
            "client + window + causes",
            of_pack,
            |state| decide(window, state).causes(),
            |_| None,
        )
        .against("client + window", "+"),
        Contender::new(
            "client + window + counterfactual",
            of_pack,
            |state| decide(window, state).counterfactual(),
            |_| None,
        )
        .against("client + window", "+"),
    ];
    measure("layers, six booleans", &six, &mut contenders, 1, STATES);
    // One that is left behind in a folder for such files does no harm.
    let _ = std::fs::remove_file(file);

    let wide = Workload::wide();
    let pack = packs::pack(&wide);
    let state = |values: &[Scalar]| packs::state(pack.state(), values);
    let decide = |state: &State| pack.decide(state).expect("a decision");
    let mut contenders = [
        pure(&pack),
        Contender::new(
            "pure decide + proof",
            state,
            |state| pack.proof(state, &decide(state)),
            |_| None,
        )
        .against(PURE, "+"),
        Contender::new(
            "pure decide + causes",
            state,
            |state| pack.causes(state, &decide(state)),
            |_| None,
        )
        .against(PURE, "+"),
    ];
    measure(
        "layers, 200 thresholds",
        &wide,
        &mut contenders,
        1,
        STATES / 10,
    );
}

/// What making a state costs, and a typed client that makes it from the user's struct.
fn building() {
    let six = Workload::six();
    let pack = packs::pack(&six);
    let typed = RegulatoryPiiGuardClient::builtin().expect("the built-in pack");
    let mut contenders = [
        pure(&pack),
        Contender::new(
            "state",
            |values: &[Scalar]| values.to_vec(),
            |values| packs::state(pack.state(), values),
            |_| None,
        ),
        Contender::new(
            "state + pure decide",
            |values: &[Scalar]| values.to_vec(),
            |values| {
                pack.decide(&packs::state(pack.state(), values))
                    .expect("a decision")
            },
            |outcome| Some(packs::answer(&outcome)),
        )
        .against(PURE, ""),
        Contender::new(
            "generated client, from its struct to action and verdict",
            |values: &[Scalar]| {
                let is = |field: usize| values[field] == Scalar::Boolean(true);
                RegulatoryPiiGuardState {
                    has_credit_card: is(0),
                    has_email: is(1),
                    has_health_record: is(2),
                    has_ip: is(3),
                    has_phone: is(4),
                    has_ssn: is(5),
                }
            },
            |state| {
                let decision = typed.decide(state).expect("a decision");
                (decision.action(), decision.verdict())
            },
            |_| None,
        )
        .against(PURE, ""),
    ];
    measure("states, six booleans", &six, &mut contenders, 5, STATES);

    let wide = Workload::wide();
    let pack = packs::pack(&wide);
    let mut contenders = [
        pure(&pack),
        Contender::new(
            "state",
            |values: &[Scalar]| values.to_vec(),
            |values| packs::state(pack.state(), values),
            |_| None,
        ),
    ];
    measure(
        "states, 200 thresholds",
        &wide,
        &mut contenders,
        1,
        STATES / 4,
    );
}

/// Sealed packs of growing size: opening, and a decision.
fn loading() {
    let license = packs::license(Limits::NONE).license;
    let sizes = [10, 100, 1_000, 10_000];
    let sealed: Vec<_> = sizes
        .iter()
        .map(|size| {
            let workload = Workload::of_size(*size);
            let bytes = packs::seal(&workload, &license);
            (workload, bytes)
        })
        .collect();
    let mut times = vec![Vec::new(); sizes.len()];
    for _ in 0..15 {
        for ((_, bytes), times) in sealed.iter().zip(&mut times) {
            let start = Instant::now();
            let pack = black_box(Pack::open(black_box(bytes), &license).expect("an open pack"));
            times.push(start.elapsed().as_nanos() as f64);
            drop(pack);
        }
    }
    for (size, times) in sizes.iter().zip(times) {
        let target = if *size == 10_000 { "<=30000000" } else { "" };
        row(
            "sealed pack, opened",
            &format!("{size} rules"),
            median(times),
            "ns",
            "",
            target,
        );
    }
    let names = ["10 rules", "100 rules", "1000 rules", "10000 rules"];
    for ((workload, bytes), name) in sealed.iter().zip(names) {
        let pack = Pack::open(bytes, &license).expect("an open pack");
        let contender = Contender::new(
            name,
            |values| packs::state(pack.state(), values),
            |state| pack.decide(state).expect("a decision"),
            |outcome| {
                black_box(outcome);
                None::<Answer>
            },
        );
        let states = 20_000_000 / (workload.rules.len() * 100).max(10_000);
        measure(
            "pure decide, by size",
            workload,
            &mut [contender],
            1,
            states,
        );
    }
}
