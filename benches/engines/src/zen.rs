//! zen-engine: a decision table that collects its rows, and its expressions alone.

use crate::named;
use helixor_bench::workload::{Dialect, Scalar, Workload};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use zen_engine::model::GraphContent;
use zen_engine::{Decision, Variable};
use zen_expression::expression::Standard;
use zen_expression::vm::VM;
use zen_expression::{Expression, compile_expression};

const DIALECT: Dialect = Dialect {
    prefix: "",
    and: " and ",
    or: " or ",
    is: [" == false", ""],
    number: |limit| limit.to_string(),
};

/// The table and the expression of a workload.
pub(crate) struct Zen {
    decision: Decision,
    expression: Expression<Standard>,
    machine: RefCell<VM>,
}

impl Zen {
    pub(crate) fn new(workload: &Workload) -> Self {
        let conditions: Vec<String> = workload
            .rules
            .iter()
            .map(|rule| workload.condition(rule, &DIALECT))
            .collect();
        let rows: Vec<Value> = conditions
            .iter()
            .enumerate()
            .map(|(i, condition)| json!({"_id": format!("r{i}"), "when": condition, "rule": i.to_string()}))
            .collect();
        let graph = json!({
            "nodes": [
                {"id": "in", "name": "in", "type": "inputNode"},
                {"id": "table", "name": "table", "type": "decisionTableNode", "content": {
                    "hitPolicy": "collect",
                    "inputs": [{"id": "when", "name": "when"}],
                    "outputs": [{"id": "rule", "name": "rule", "field": "rule"}],
                    "rules": rows,
                }},
                {"id": "out", "name": "out", "type": "outputNode"},
            ],
            "edges": [
                {"id": "a", "sourceId": "in", "targetId": "table", "type": "edge"},
                {"id": "b", "sourceId": "table", "targetId": "out", "type": "edge"},
            ],
        });
        let graph: GraphContent = serde_json::from_value(graph).expect("a graph");
        let mut decision = Decision::from(graph);
        decision.compile();
        let list = format!("[{}]", conditions.join(", "));
        Self {
            decision,
            expression: compile_expression(&list).expect("an expression"),
            machine: VM::new().into(),
        }
    }

    pub(crate) fn decide(&self, input: &Variable) -> Variable {
        let response = pollster::block_on(self.decision.evaluate(input.clone()));
        response.expect("a decision").result
    }

    pub(crate) fn evaluate(&self, input: &Variable) -> Variable {
        let mut machine = self.machine.borrow_mut();
        self.expression
            .evaluate_with(input.clone(), &mut machine)
            .expect("a list")
    }
}

pub(crate) fn input(workload: &Workload, values: &[Scalar]) -> Variable {
    let pairs = named(workload, values).map(|(name, value)| {
        let value = match value {
            Scalar::Boolean(value) => json!(value),
            Scalar::Number(value) => json!(value),
        };
        (name.to_owned(), value)
    });
    Value::Object(pairs.collect::<Map<_, _>>()).into()
}

/// The rules in the rows of a table.
pub(crate) fn fired(output: &Variable) -> Vec<usize> {
    let rows = output.to_value();
    let rows = rows.as_array().expect("rows");
    rows.iter()
        .map(|row| row["rule"].as_u64().expect("a rule") as usize)
        .collect()
}

/// The places in a list that are true.
pub(crate) fn true_ones(output: &Variable) -> Vec<usize> {
    let list = output.to_value();
    let list = list.as_array().expect("a list").iter();
    list.enumerate()
        .filter(|(_, said)| **said == json!(true))
        .map(|(i, _)| i)
        .collect()
}
