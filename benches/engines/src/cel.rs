//! cel: a program for each rule, and one that makes a list of them all.

use crate::named;
use cel::{Context, Env, Program, Value};
use helixor_bench::workload::{Dialect, Scalar, Workload};
use std::sync::Arc;

const DIALECT: Dialect = Dialect {
    prefix: "",
    and: " && ",
    or: " || ",
    is: [" == false", ""],
    number: |limit| format!("{limit:?}"),
};

/// The programs of a workload.
pub(crate) struct Cel {
    env: Arc<Env>,
    each: Vec<Program>,
    all: Program,
}

impl Cel {
    pub(crate) fn new(workload: &Workload) -> Self {
        let env = Env::stdlib();
        let compile = |text: &str| env.compile(text).expect("a program");
        let conditions: Vec<String> = workload
            .rules
            .iter()
            .map(|rule| workload.condition(rule, &DIALECT))
            .collect();
        Self {
            each: conditions
                .iter()
                .map(|condition| compile(condition))
                .collect(),
            all: compile(&format!("[{}]", conditions.join(", "))),
            env: Arc::new(env),
        }
    }

    pub(crate) fn context(
        &self,
        workload: &Workload,
        values: &[Scalar],
    ) -> Context<'static, 'static> {
        let mut context = Context::with_env(Arc::clone(&self.env));
        for (name, value) in named(workload, values) {
            match value {
                Scalar::Boolean(value) => context.add_variable_from_value(name, value),
                Scalar::Number(value) => context.add_variable_from_value(name, value),
            }
        }
        context
    }

    pub(crate) fn each(&self, context: &Context<'_, '_>) -> Vec<usize> {
        let holds = |program: &Program| program.execute(context) == Ok(Value::Bool(true));
        let fired = self
            .each
            .iter()
            .enumerate()
            .filter(|(_, program)| holds(program));
        fired.map(|(i, _)| i).collect()
    }

    pub(crate) fn all(&self, context: &Context<'_, '_>) -> Value {
        self.all.execute(context).expect("a list")
    }
}

/// The places in a list that are true.
pub(crate) fn true_ones(value: &Value) -> Vec<usize> {
    let Value::List(list) = value else {
        return Vec::new();
    };
    let fired = list
        .iter()
        .enumerate()
        .filter(|(_, said)| **said == Value::Bool(true));
    fired.map(|(i, _)| i).collect()
}
