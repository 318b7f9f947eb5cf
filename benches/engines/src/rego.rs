//! regorus: a set of fired rules, by its interpreter and by its virtual machine.

use crate::named;
use helixor_bench::workload::{Dialect, Scalar, Workload};
use regorus::languages::rego::compiler::Compiler;
use regorus::rvm::vm::RegoVM;
use regorus::{Engine, Value};
use std::cell::RefCell;
use std::fmt::Write;

const DIALECT: Dialect = Dialect {
    prefix: "input.",
    and: "; ",
    // What is joined with `or` are rules of their own.
    or: "\n",
    is: [" == false", " == true"],
    number: |limit| limit.to_string(),
};

const ENTRY: &str = "data.bench.fired";

/// The policy of a workload, ready in both.
pub(crate) struct Rego {
    engine: RefCell<Engine>,
    machine: RefCell<RegoVM>,
}

impl Rego {
    pub(crate) fn new(workload: &Workload) -> Self {
        let mut text = String::from("package bench\nimport rego.v1\n");
        for (i, rule) in workload.rules.iter().enumerate() {
            for body in workload.condition(rule, &DIALECT).lines() {
                let _ = writeln!(text, "fired contains {i} if {{ {body} }}");
            }
        }
        let mut engine = Engine::new();
        engine
            .add_policy("bench.rego".into(), text)
            .expect("a policy");
        let policy = engine
            .clone()
            .compile_with_entrypoint(&ENTRY.into())
            .expect("a compiled policy");
        let program = Compiler::compile_from_policy(&policy, &[ENTRY]).expect("a program");
        let mut machine = RegoVM::new();
        machine.load_program(program);
        machine.set_execution_timer_config(None);
        machine.set_max_instructions(usize::MAX);
        Self {
            engine: engine.into(),
            machine: machine.into(),
        }
    }

    pub(crate) fn interpret(&self, input: &Value) -> Value {
        let mut engine = self.engine.borrow_mut();
        engine.set_input(input.clone());
        engine.eval_rule(ENTRY.into()).expect("a set")
    }

    pub(crate) fn run(&self, input: &Value) -> Value {
        let mut machine = self.machine.borrow_mut();
        machine.set_input(input.clone());
        machine.execute().expect("a set")
    }
}

pub(crate) fn input(workload: &Workload, values: &[Scalar]) -> Value {
    let pairs = named(workload, values).map(|(name, value)| {
        let value = match value {
            Scalar::Boolean(value) => Value::from(value),
            Scalar::Number(value) => Value::from(value),
        };
        (Value::from(name), value)
    });
    Value::from(pairs.collect::<std::collections::BTreeMap<_, _>>())
}

/// The rules that fired.
pub(crate) fn fired(value: &Value) -> Vec<usize> {
    let set = value.as_set().expect("a set");
    set.iter()
        .map(|rule| rule.as_u64().expect("a number") as usize)
        .collect()
}
