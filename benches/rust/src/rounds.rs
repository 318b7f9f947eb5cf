//! Interleaved rounds: every contender takes each block of states in turn, so that noise hits all alike.

use crate::workload::{Answer, Scalar, Workload};
use fastrand::Rng;
use std::fmt::Display;
use std::hint::black_box;
use std::time::Instant;

/// Where the random states start; printed, so that a run can be repeated.
pub const SEED: u64 = 0x5eed_0005;

/// Something that answers states. Its inputs are made from a block of states just before it is timed
/// and lie in the cache, as a state does that a program has just made.
pub struct Contender<'a> {
    pub name: &'static str,
    /// The contender it is compared with, and what is to be reached; see [`row`].
    base: &'static str,
    target: &'static str,
    /// Nanoseconds for each state of a block.
    time: Box<Time<'a>>,
    /// What it answers; `None` when it answers nothing that can be compared.
    answer: Box<Answers<'a>>,
}

type Time<'a> = dyn FnMut(&[Vec<Scalar>]) -> f64 + 'a;
type Answers<'a> = dyn FnMut(&[Scalar]) -> Option<Answer> + 'a;

impl<'a> Contender<'a> {
    /// Only `run` is timed; what it returns is dropped within the time.
    pub fn new<I, O>(
        name: &'static str,
        prepare: impl Fn(&[Scalar]) -> I + Clone + 'a,
        run: impl Fn(&mut I) -> O + Clone + 'a,
        answer: impl Fn(O) -> Option<Answer> + 'a,
    ) -> Self {
        let (prepare_one, run_one) = (prepare.clone(), run.clone());
        Self {
            name,
            base: "",
            target: "",
            time: Box::new(move |states| {
                let mut inputs: Vec<I> = states.iter().map(|state| prepare(state)).collect();
                let start = Instant::now();
                for input in &mut inputs {
                    // By reference: handing an answer over by value would copy it once more.
                    black_box(&run(black_box(input)));
                }
                start.elapsed().as_nanos() as f64 / states.len() as f64
            }),
            answer: Box::new(move |state| answer(run_one(&mut prepare_one(state)))),
        }
    }

    /// Compared with another contender of the same run, which stands before it.
    pub fn against(self, base: &'static str, target: &'static str) -> Self {
        Self {
            base,
            target,
            ..self
        }
    }
}

/// Checks every answer on all states, measures on as many others, `passes` times, and prints a row with
/// the median of each contender, which are given back too.
///
/// # Panics
/// When a contender answers otherwise than the plain reading of the rules: its time would mean nothing.
pub fn measure(
    section: impl Display,
    workload: &Workload,
    contenders: &mut [Contender<'_>],
    passes: usize,
    states: usize,
) -> Vec<f64> {
    let mut rng = Rng::with_seed(SEED);
    let priority = workload.priority();
    for _ in 0..states {
        let state = workload.random(&mut rng);
        let expected = workload.expected(&priority, &state);
        for contender in &mut *contenders {
            if let Some(answer) = (contender.answer)(&state) {
                assert_eq!(answer, expected, "{} on {state:?}", contender.name);
            }
        }
    }
    let blocks = (passes * states).div_ceil(workload.block);
    let mut times = vec![Vec::with_capacity(blocks); contenders.len()];
    for _ in 0..blocks {
        let block: Vec<_> = (0..workload.block)
            .map(|_| workload.random(&mut rng))
            .collect();
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            times.push((contender.time)(&block));
        }
    }
    let medians: Vec<f64> = times.into_iter().map(median).collect();
    for (contender, median) in contenders.iter().zip(&medians) {
        row(
            &section,
            contender.name,
            *median,
            "ns",
            contender.base,
            contender.target,
        );
    }
    medians
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Prints a row for `cargo xtask bench`, which judges it: `base` is an earlier row of the section or empty,
/// `target` empty or one of `<=3x`, `>=30x` (times the base), `+10` (over the base), `<=10`
/// (alone), `+` (no target: to be told as what it costs over the base).
pub fn row(section: impl Display, name: &str, value: f64, unit: &str, base: &str, target: &str) {
    println!("row\t{section}\t{name}\t{value:.3}\t{unit}\t{base}\t{target}");
}
