//! What the engines of the field need for the same decisions, each in the form that serves it best:
//! policies compiled once, inputs in the engine's own values before the clock runs.
#![forbid(unsafe_code)]

mod cedar;
mod cel;
mod rego;
mod zen;

use helixor_bench::packs;
use helixor_bench::rounds::{Contender, SEED, measure, row};
use helixor_bench::workload::{STATES, Scalar, Workload};

fn main() {
    println!(
        "note\tEngines: the same states from seed {SEED:#x}, {STATES} or, of 200 thresholds, {}",
        STATES / 10
    );
    for workload in Workload::all() {
        let engines = Engines {
            pack: packs::pack(&workload),
            cedar: cedar::Cedar::new(&workload),
            cel: cel::Cel::new(&workload),
            rego: rego::Rego::new(&workload),
            zen: zen::Zen::new(&workload),
        };
        engines.measure(&workload);
    }
}

const PURE: &str = "pure decide";

/// Everyone, ready for one workload.
struct Engines {
    pack: helixor_runtime::Pack,
    cedar: cedar::Cedar,
    cel: cel::Cel,
    rego: rego::Rego,
    zen: zen::Zen,
}

impl Engines {
    fn measure(&self, workload: &Workload) {
        let (cedar, cel, rego, zen) = (&self.cedar, &self.cel, &self.rego, &self.zen);
        let priority = &workload.priority();
        let said = |fired: &[usize]| Some(workload.answer(priority, |rule| fired.contains(&rule)));
        let mut contenders = [
            Contender::new(
                PURE,
                |values| packs::state(self.pack.state(), values),
                |state| self.pack.decide(state),
                |decided| Some(packs::answer(&decided.expect("a decision"))),
            ),
            Contender::new(
                "cedar-policy",
                |values| cedar.request(workload, values),
                |request| cedar.decide(request),
                |response| said(&cedar::fired(&response)),
            ),
            Contender::new(
                "regorus, interpreted",
                |values| rego::input(workload, values),
                |input| rego.interpret(input),
                |value| said(&rego::fired(&value)),
            ),
            Contender::new(
                "regorus, compiled for its machine",
                |values| rego::input(workload, values),
                |input| rego.run(input),
                |value| said(&rego::fired(&value)),
            ),
            Contender::new(
                "zen-engine, a decision table",
                |values| zen::input(workload, values),
                |input| zen.decide(input),
                |output| said(&zen::fired(&output)),
            ),
            Contender::new(
                "zen-engine, one expression without its graph",
                |values| zen::input(workload, values),
                |input| zen.evaluate(input),
                |output| said(&zen::true_ones(&output)),
            ),
            Contender::new(
                "cel, a program for each rule",
                |values| cel.context(workload, values),
                |context| cel.each(context),
                |fired| said(&fired),
            ),
            Contender::new(
                "cel, one program",
                |values| cel.context(workload, values),
                |context| cel.all(context),
                |value| said(&cel::true_ones(&value)),
            ),
        ]
        .map(|contender| match contender.name {
            PURE => contender,
            _ => contender.against(PURE, ""),
        });
        let states = if workload.rules.len() > 100 {
            STATES / 10
        } else {
            STATES
        };
        let section = format!("engines, {}", workload.name);
        let medians = measure(&section, workload, &mut contenders, 1, states);
        let fastest = medians
            .iter()
            .skip(1)
            .copied()
            .fold(f64::INFINITY, f64::min);
        row(
            &section,
            "the fastest of them",
            fastest,
            "ns",
            PURE,
            // It is asked for where the rules are all booleans, and all thresholds.
            if workload.fields.len() == 3 { "" } else { ">=30x" },
        );
    }
}

/// The fields of a state with their values.
fn named<'a>(
    workload: &'a Workload,
    values: &'a [Scalar],
) -> impl Iterator<Item = (&'a str, Scalar)> {
    let names = workload.fields.iter().map(|field| field.name.as_str());
    names.zip(values.iter().copied())
}
