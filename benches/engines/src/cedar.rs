//! cedar-policy: a `forbid` for each rule; those that fired are the reasons of a denial. It has no floats,
//! so amounts are whole hundredths.

use crate::named;
use cedar_policy::{
    Authorizer, Context, Entities, Policy, PolicyId, PolicySet, Request, Response,
    RestrictedExpression,
};
use helixor_bench::workload::{Dialect, Scalar, Workload};

const DIALECT: Dialect = Dialect {
    prefix: "context.",
    and: " && ",
    or: " || ",
    is: [" == false", ""],
    number: |limit| hundredths(limit).to_string(),
};

/// The policies of a workload.
pub(crate) struct Cedar {
    authorizer: Authorizer,
    policies: PolicySet,
    entities: Entities,
}

impl Cedar {
    pub(crate) fn new(workload: &Workload) -> Self {
        let mut policies = PolicySet::new();
        let mut add = |id: &str, text: &str| {
            let policy = Policy::parse(Some(PolicyId::new(id)), text).expect("a policy");
            policies.add(policy).expect("a new policy");
        };
        add("permit", "permit(principal, action, resource);");
        for (i, rule) in workload.rules.iter().enumerate() {
            let condition = workload.condition(rule, &DIALECT);
            let text = format!("forbid(principal, action, resource) when {{ {condition} }};");
            add(&i.to_string(), &text);
        }
        Self {
            authorizer: Authorizer::new(),
            policies,
            entities: Entities::empty(),
        }
    }

    pub(crate) fn request(&self, workload: &Workload, values: &[Scalar]) -> Request {
        let pairs = named(workload, values).map(|(name, value)| {
            let value = match value {
                Scalar::Boolean(value) => RestrictedExpression::new_bool(value),
                Scalar::Number(value) => RestrictedExpression::new_long(hundredths(value)),
            };
            (name.to_owned(), value)
        });
        let context = Context::from_pairs(pairs).expect("a context");
        let entity = |text: &str| text.parse().expect("an entity");
        let (who, what, on) = (
            entity("User::\"u\""),
            entity("Action::\"decide\""),
            entity("Thing::\"t\""),
        );
        Request::new(who, what, on, context, None).expect("a request")
    }

    pub(crate) fn decide(&self, request: &Request) -> Response {
        self.authorizer
            .is_authorized(request, &self.policies, &self.entities)
    }
}

/// The rules that fired.
pub(crate) fn fired(response: &Response) -> Vec<usize> {
    assert_eq!(response.diagnostics().errors().count(), 0);
    let reasons = response.diagnostics().reason();
    reasons
        .filter_map(|id| id.to_string().parse().ok())
        .collect()
}

fn hundredths(number: f64) -> i64 {
    (number * 100.0).round() as i64
}
