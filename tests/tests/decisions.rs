//! The decision vectors, through the pure pack and through generated clients over sealed packs.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use conformance::{Fixtures, PACKS};
use helixor_playbook::canonical::parse;
use helixor_playbook::{Data, Node};
use helixor_runtime::typed::{Client, Decision, Names, Spec};
use helixor_runtime::{Cause, Error, Interface, Options, Pack, Value};

mod example {
    include!(concat!(env!("OUT_DIR"), "/regulatory_pii_guard.rs"));
}

mod example_0_2_1 {
    include!(concat!(env!("OUT_DIR"), "/old/regulatory_pii_guard.rs"));
}
mod loan_desk {
    include!(concat!(env!("OUT_DIR"), "/loan_desk.rs"));
}

mod every_field {
    include!(concat!(env!("OUT_DIR"), "/every_field.rs"));
}

mod reversed_names {
    include!(concat!(env!("OUT_DIR"), "/reversed_names.rs"));
}

mod reversed_names_reversed {
    include!(concat!(env!("OUT_DIR"), "/reversed/reversed_names.rs"));
}

fn vectors(pack: &str) -> Vec<Node> {
    let node = parse(include_str!("../vectors/decisions.json")).unwrap();
    match &node.get(pack).unwrap().data {
        Data::List(rows) => rows.clone(),
        _ => unreachable!("a pack's vectors are a list"),
    }
}

/// Fixtures, and the options that open the good packs among them.
fn fixtures() -> (tempfile::TempDir, Fixtures, Options) {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = Fixtures::make(folder.path()).unwrap();
    let options = Options::new()
        .license_file(fixtures.path("helixor.hxlic"))
        .authorities([fixtures.path("authority.pem")]);
    (folder, fixtures, options)
}

fn strings(node: &Node) -> Vec<&str> {
    match &node.data {
        Data::List(items) => items.iter().map(|item| item.as_str().unwrap()).collect(),
        _ => unreachable!("a list of strings"),
    }
}

fn told(error: &Error) -> Vec<String> {
    let fault = |fault: &Error| format!("{}: {fault}", fault.code());
    error.all().into_iter().map(fault).collect()
}

fn cause_node(cause: &Cause<&str, &str>) -> Node {
    Node::map([
        ("rule", cause.rule.into()),
        ("rule_verdict", cause.rule_verdict.as_str().into()),
        ("factor", cause.factor.into()),
        ("observed_value", Node::from(&cause.observed_value)),
        ("direction", cause.direction.into()),
        ("threshold", Node::from(&cause.threshold)),
        ("distance_to_boundary", cause.distance_to_boundary.into()),
    ])
}

/// A decision in the form of the vectors.
fn decision_node(
    action: &str,
    verdict: &str,
    rules: &[&str],
    causes: &[Cause<&str, &str>],
    proof: &str,
) -> Node {
    Node::map([
        ("action", action.into()),
        ("verdict", verdict.into()),
        ("fired_rules", Node::list(rules.iter().copied())),
        (
            "necessary_causes",
            Node::list(causes.iter().map(cause_node)),
        ),
        ("proof_sha256", proof.into()),
    ])
}

fn renamed<'a, R, F>(
    cause: Cause<R, F>,
    rule: &'a str,
    factor: &'a str,
) -> Cause<&'a str, &'a str> {
    Cause {
        rule,
        rule_verdict: cause.rule_verdict,
        factor,
        observed_value: cause.observed_value,
        direction: cause.direction,
        threshold: cause.threshold,
        distance_to_boundary: cause.distance_to_boundary,
    }
}

#[test]
fn the_pack_decides_every_vector() {
    for source in PACKS {
        let pack = Pack::from(conformance::playbook(source.source).unwrap());
        let rules: Vec<&str> = pack.rules().map(|rule| rule.id.as_str()).collect();
        for row in vectors(source.name) {
            let state = row.get("state").unwrap();
            let json = helixor_playbook::canonical::write(
                state,
                helixor_playbook::canonical::Style::Compact,
            )
            .unwrap();
            let decided = pack.state_from_json(json.as_bytes()).and_then(|state| {
                let outcome = pack.decide(&state)?;
                Ok((state, outcome))
            });
            if let Some(code) = row.get("error") {
                let error = decided.expect_err(&json);
                let all: Vec<&str> = error
                    .all()
                    .iter()
                    .map(|fault| fault.code().as_str())
                    .collect();
                assert_eq!(error.code().as_str(), code.as_str().unwrap(), "{json}");
                assert_eq!(all, strings(row.get("all").unwrap()), "{json}");
                if let Some(faults) = row.get("faults") {
                    assert_eq!(told(&error), strings(faults), "{json}");
                }
                continue;
            }
            let (state, outcome) = decided.unwrap();
            let found = pack.named_counterfactual(&state, &outcome);
            let found = found.map_or(Data::Null.into(), |found| found.to_node());
            assert_eq!(found, *row.get("counterfactual").unwrap(), "{json}");
            let fields = &pack.playbook().fields;
            let causes: Vec<_> = pack
                .causes(&state, &outcome)
                .into_iter()
                .map(|cause| {
                    let (rule, factor) = (rules[cause.rule], fields[cause.factor].name.as_str());
                    renamed(cause, rule, factor)
                })
                .collect();
            let made = decision_node(
                pack.action(&outcome),
                outcome.verdict().as_str(),
                &pack.fired_rules(&outcome),
                &causes,
                &pack.proof(&state, &outcome).to_string(),
            );
            assert_eq!(&made, row.get("decision").unwrap(), "{json}");
        }
    }
}

fn typed_node<S: Spec>(decision: &Decision<S>) -> Node {
    let rules: Vec<&str> = decision
        .fired_rules()
        .into_iter()
        .map(Names::as_str)
        .collect();
    let causes: Vec<_> = decision
        .necessary_causes()
        .into_iter()
        .map(|cause| {
            let (rule, factor) = (cause.rule.as_str(), cause.factor.as_str());
            renamed(cause, rule, factor)
        })
        .collect();
    assert_eq!(decision.is_approved(), rules.is_empty());
    decision_node(
        decision.action().as_str(),
        decision.verdict().as_str(),
        &rules,
        &causes,
        &decision.proof_sha256(),
    )
}

/// Runs the vectors that a typed state can hold.
fn run<S: Spec>(name: &str, client: &Client<S>, state: impl Fn(&Node) -> S::State) {
    let mut count = 0;
    for row in vectors(name) {
        if let Some(expected) = row.get("decision") {
            let decision = client.decide(&state(row.get("state").unwrap())).unwrap();
            assert_eq!(&typed_node(&decision), expected, "{:?}", row.get("state"));
            let found = decision.counterfactual().and_then(|found| {
                found.renamed(|rule| Some(rule.as_str()), |field| Some(field.as_str()))
            });
            let found = found.map_or(Data::Null.into(), |found| found.to_node());
            assert_eq!(&found, row.get("counterfactual").unwrap());
            count += 1;
        }
    }
    assert!(count >= 8, "{name}: {count}");
}

fn boolean(state: &Node, field: &str) -> bool {
    match state.get(field).unwrap().data {
        Data::Bool(value) => value,
        _ => unreachable!("a boolean"),
    }
}

fn integer(state: &Node, field: &str) -> i64 {
    match state.get(field).unwrap().data {
        Data::Int(value) => i64::try_from(value).unwrap(),
        _ => unreachable!("an integer"),
    }
}

fn number(state: &Node, field: &str) -> f64 {
    match state.get(field).unwrap().data {
        Data::Int(value) => value as f64,
        Data::Float(value) => value,
        _ => unreachable!("a number"),
    }
}

fn example_state(state: &Node) -> example::RegulatoryPiiGuardState {
    example::RegulatoryPiiGuardState {
        has_credit_card: boolean(state, "has_credit_card"),
        has_email: boolean(state, "has_email"),
        has_health_record: boolean(state, "has_health_record"),
        has_ip: boolean(state, "has_ip"),
        has_phone: boolean(state, "has_phone"),
        has_ssn: boolean(state, "has_ssn"),
    }
}

fn loan_state(state: &Node) -> loan_desk::LoanDeskState {
    loan_desk::LoanDeskState::builder()
        .age(integer(state, "age"))
        .amount(number(state, "amount"))
        .limit(number(state, "limit"))
        .manager_approved(boolean(state, "manager_approved"))
        .points(integer(state, "points"))
        .build()
        .unwrap()
}

fn string(state: &Node, field: &str) -> String {
    state.get(field).unwrap().as_str().unwrap().to_owned()
}

/// The value of a field that may be left out and may be null.
fn given<T>(state: &Node, field: &str, read: fn(&Node, &str) -> T) -> Option<Option<T>> {
    let node = state.get(field)?;
    Some((!node.is_null()).then(|| read(state, field)))
}

/// Reads the member of a closed set.
fn member<N: Names>(state: &Node, field: &str) -> N {
    let wire = string(state, field);
    let found = N::ALL.iter().find(|member| member.as_str() == wire);
    *found.unwrap()
}

fn every_state(state: &Node) -> every_field::EveryFieldState {
    every_field::EveryFieldState {
        count: integer(state, "count"),
        count_default: given(state, "count_default", integer).map(Option::unwrap),
        count_optional: given(state, "count_optional", integer).flatten(),
        count_both: given(state, "count_both", integer),
        flag: boolean(state, "flag"),
        flag_default: given(state, "flag_default", boolean).map(Option::unwrap),
        flag_optional: given(state, "flag_optional", boolean).flatten(),
        flag_both: given(state, "flag_both", boolean),
        ratio: number(state, "ratio"),
        ratio_default: given(state, "ratio_default", number).map(Option::unwrap),
        ratio_optional: given(state, "ratio_optional", number).flatten(),
        ratio_both: given(state, "ratio_both", number),
        text: string(state, "text"),
        text_default: given(state, "text_default", string).map(Option::unwrap),
        text_optional: given(state, "text_optional", string).flatten(),
        text_both: given(state, "text_both", string),
        tier: member(state, "tier"),
        tier_default: given(state, "tier_default", member).map(Option::unwrap),
        tier_optional: given(state, "tier_optional", member).flatten(),
        tier_both: given(state, "tier_both", member),
    }
}

#[test]
fn generated_clients_decide_every_vector_over_sealed_packs() {
    let (_folder, fixtures, options) = fixtures();
    let path = |name: &str| fixtures.path(&format!("{name}.hxpack"));

    let client = example::RegulatoryPiiGuardClient::open_with(path("example"), &options).unwrap();
    run("example", &client, example_state);
    run(
        "example",
        &example::RegulatoryPiiGuardClient::builtin().unwrap(),
        example_state,
    );
    let old = |state: &Node| {
        let example::RegulatoryPiiGuardState {
            has_credit_card,
            has_email,
            has_health_record,
            has_ip,
            has_phone,
            has_ssn,
        } = example_state(state);
        example_0_2_1::RegulatoryPiiGuardState {
            has_credit_card,
            has_email,
            has_health_record,
            has_ip,
            has_phone,
            has_ssn,
        }
    };
    let client =
        example_0_2_1::RegulatoryPiiGuardClient::open_with(path("example"), &options).unwrap();
    run("example", &client, old);
    run(
        "example",
        &example_0_2_1::RegulatoryPiiGuardClient::builtin().unwrap(),
        old,
    );
    let client = loan_desk::LoanDeskClient::open_with(path("loan_desk"), &options).unwrap();
    run("loan_desk", &client, loan_state);
    let client = every_field::EveryFieldClient::open_with(path("every_field"), &options).unwrap();
    run("every_field", &client, every_state);
    let bytes = std::fs::read(path("reversed_names")).unwrap();
    let client = reversed_names::ReversedNamesClient::from_bytes(&bytes, &options).unwrap();
    run("reversed_names", &client, |state| {
        reversed_names::ReversedNamesState {
            alpha: boolean(state, "alpha"),
            beta: boolean(state, "beta"),
            gamma: boolean(state, "gamma"),
        }
    });
}

#[test]
fn a_client_that_numbers_everything_the_other_way_round_sees_the_same_causes_and_proofs() {
    use reversed_names_reversed::{Action, Field, ReversedNamesClient, ReversedNamesState, Rule};

    let names = |interface: &Interface| -> Vec<String> {
        interface.actions.iter().map(ToString::to_string).collect()
    };
    let own = Interface::parse(<reversed_names::ReversedNames as Spec>::INTERFACE).unwrap();
    let reversed =
        Interface::parse(<reversed_names_reversed::ReversedNames as Spec>::INTERFACE).unwrap();
    assert!(
        names(&own).iter().rev().eq(&names(&reversed)),
        "the two clients must differ in order"
    );
    assert_eq!(Rule::ALL[0], Rule::RuleGamma);
    assert_eq!(Action::ALL[0], Action::StopGamma);

    let (_folder, fixtures, options) = fixtures();
    let client =
        ReversedNamesClient::open_with(fixtures.path("reversed_names.hxpack"), &options).unwrap();
    run("reversed_names", &client, |state| ReversedNamesState {
        alpha: boolean(state, "alpha"),
        beta: boolean(state, "beta"),
        gamma: boolean(state, "gamma"),
    });
    let decision = client
        .decide(&ReversedNamesState {
            alpha: false,
            beta: false,
            gamma: true,
        })
        .unwrap();
    assert_eq!(decision.action(), Action::StopGamma);
    assert_eq!(decision.necessary_causes()[0].factor, Field::Gamma);
}

#[test]
fn an_interface_whose_fields_stand_in_another_order_binds_by_name() {
    // Generated clients order fields by name; a document made otherwise must bind all the same.
    let pack = Pack::from(conformance::playbook(PACKS[2].source).unwrap());
    let mut interface = pack.interface().clone();
    interface.fields.reverse();
    let (_folder, fixtures, options) = fixtures();
    let client = helixor_runtime::Client::open(
        &fixtures.path("reversed_names.hxpack"),
        &interface,
        &options,
    )
    .unwrap();
    let mut state = client.state();
    // gamma, beta, alpha
    for (field, value) in [true, false, false].into_iter().enumerate() {
        state.set(field, Value::Boolean(value).into());
    }
    let decision = client.decide(state.finish().unwrap()).unwrap();
    assert_eq!(interface.actions[decision.action()].as_str(), "stop_gamma");
    assert_eq!(
        interface.fields[decision.causes()[0].factor].name.as_str(),
        "gamma"
    );
}

#[test]
fn builders_name_what_they_lack_and_bounds_have_the_runtimes_code() {
    let error = example::RegulatoryPiiGuardState::builder()
        .has_ssn(true)
        .has_ip(false)
        .build()
        .unwrap_err();
    let all: Vec<&str> = error.all().iter().map(|fault| fault.message()).collect();
    assert_eq!(
        all,
        [
            "has_credit_card",
            "has_email",
            "has_health_record",
            "has_phone"
        ]
        .map(|field| format!("field `{field}` is required and missing"))
    );
    let (_folder, fixtures, options) = fixtures();
    let client =
        loan_desk::LoanDeskClient::open_with(fixtures.path("loan_desk.hxpack"), &options).unwrap();
    let state = loan_desk::LoanDeskState {
        age: 131,
        amount: f64::NAN,
        limit: 1.0,
        manager_approved: true,
        points: 1,
    };
    let error = client.decide(&state).unwrap_err();
    assert_eq!(
        told(&error),
        [
            "STATE_RANGE: field `age` is 131, above its maximum 130",
            "STATE_RANGE: field `amount` must be finite"
        ]
    );
}

#[test]
fn builders_take_values_and_null_and_leave_out_what_is_not_set() {
    use every_field::{EveryFieldState, Tier, TierBoth};
    let base = || {
        let state = EveryFieldState::builder().count(1).flag(false);
        state.ratio(0.0).text("t").tier(Tier::Gold)
    };
    let plain = EveryFieldState {
        count: 1,
        count_both: None,
        count_default: None,
        count_optional: None,
        flag: false,
        flag_both: None,
        flag_default: None,
        flag_optional: None,
        ratio: 0.0,
        ratio_both: None,
        ratio_default: None,
        ratio_optional: None,
        text: "t".into(),
        text_both: None,
        text_default: None,
        text_optional: None,
        tier: Tier::Gold,
        tier_both: None,
        tier_default: None,
        tier_optional: None,
    };
    assert_eq!(base().build().unwrap(), plain);
    let full = base()
        .count_both(None)
        .count_default(2)
        .count_optional(3)
        .text_both("x".to_owned())
        .text_default("y")
        .text_optional(None)
        .tier_both(TierBoth::Silver)
        .build()
        .unwrap();
    let expected = EveryFieldState {
        count_both: Some(None),
        count_default: Some(2),
        count_optional: Some(3),
        text_both: Some(Some("x".into())),
        text_default: Some("y".into()),
        tier_both: Some(Some(TierBoth::Silver)),
        ..plain.clone()
    };
    assert_eq!(full, expected);
    let error = EveryFieldState::builder().build().unwrap_err();
    assert_eq!(
        told(&error),
        ["count", "flag", "ratio", "text", "tier"]
            .map(|field| format!("STATE_MISSING: field `{field}` is required and missing"))
    );

    let (_folder, fixtures, options) = fixtures();
    let path = fixtures.path("every_field.hxpack");
    let client = every_field::EveryFieldClient::open_with(path, &options).unwrap();
    let odd = EveryFieldState {
        count: 11,
        ratio: 2.0,
        ..plain.clone()
    };
    assert_eq!(
        told(&client.decide(&odd).unwrap_err()),
        [
            "STATE_RANGE: field `count` is 11, above its maximum 10",
            "STATE_RANGE: field `ratio` is 2.0, above its maximum 1.5"
        ]
    );
    // Of a mebibyte, every byte counts.
    let long = |last| EveryFieldState {
        text: "\u{1f600}".repeat(1 << 18) + last,
        ..plain.clone()
    };
    let proofs = ["", "\0"].map(|last| client.decide(&long(last)).unwrap().proof_sha256());
    assert_ne!(proofs[0], proofs[1]);
}

#[test]
fn members_of_closed_sets_are_their_wire_strings() {
    use every_field::{EveryFieldState, Tier, TierOptional};
    let wires = ["gold", "sil\"ver", "\u{1f949}", ""];
    assert_eq!(
        Tier::ALL
            .iter()
            .map(|tier| tier.as_str())
            .collect::<Vec<_>>(),
        wires
    );
    assert_eq!(
        wires.map(Tier::from_wire),
        [Tier::Gold, Tier::SilQuoteVer, Tier::U1f949, Tier::Empty].map(Some)
    );
    assert_eq!(Tier::from_wire("Gold"), None);
    assert_eq!(TierOptional::Silver.to_string(), "silver");

    // One pack decides the same in a thread that has not kept the texts yet.
    let (_folder, fixtures, options) = fixtures();
    let path = fixtures.path("every_field.hxpack");
    let client = every_field::EveryFieldClient::open_with(path, &options).unwrap();
    let state = |tier| {
        EveryFieldState::builder()
            .count(1)
            .flag(false)
            .ratio(0.0)
            .text("t")
            .tier(tier)
            .build()
            .unwrap()
    };
    let decide = || {
        wires.map(|wire| {
            client
                .decide(&state(Tier::from_wire(wire).unwrap()))
                .unwrap()
        })
    };
    let decisions = std::thread::scope(|scope| scope.spawn(decide).join().unwrap());
    assert_eq!(
        decisions.each_ref().map(Decision::proof_sha256),
        decide().map(|decision| decision.proof_sha256())
    );
    let cause = &decisions[2].necessary_causes()[0];
    assert_eq!(cause.observed_value, Value::String("\u{1f949}".into()));
    assert_eq!(
        decisions.map(|decision| decision.is_approved()),
        [false, true, false, true]
    );
}

#[test]
fn decisions_can_be_made_up() {
    use example::{
        Action, Field, RegulatoryPiiGuardCause, RegulatoryPiiGuardChange,
        RegulatoryPiiGuardCounterfactual, RegulatoryPiiGuardDecision, RegulatoryPiiGuardDetails,
        Rule,
    };
    use helixor_runtime::Verdict;
    let cause = RegulatoryPiiGuardCause {
        rule: Rule::RuleGlbaSsnBlock,
        rule_verdict: Verdict::Refuse,
        factor: Field::HasSsn,
        observed_value: Value::Boolean(true),
        direction: "is_true",
        threshold: Value::Null,
        distance_to_boundary: None,
    };
    let decision = RegulatoryPiiGuardDecision::fake(RegulatoryPiiGuardDetails {
        action: Action::BlockGlbaSsnLeakage,
        verdict: Verdict::Refuse,
        fired_rules: vec![Rule::RuleGlbaSsnBlock],
        necessary_causes: vec![cause],
        counterfactual: Some(RegulatoryPiiGuardCounterfactual {
            remedy: "has_ssn == false (rule RULE-GLBA-SSN-BLOCK)".into(),
            target_factor: Some(Field::HasSsn),
            required_value: Value::Boolean(false),
            delta: None,
            changes: Vec::<RegulatoryPiiGuardChange>::new(),
        }),
        proof_sha256: "0".repeat(64),
    });
    assert!(!decision.is_approved());
    assert_eq!(decision.necessary_causes()[0].factor, Field::HasSsn);
    let counterfactual = decision.counterfactual().unwrap();
    assert_eq!(counterfactual.target_factor, Some(Field::HasSsn));
    assert_eq!(decision.confidence(), 1.0);
}
