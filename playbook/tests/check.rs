//! Whole playbooks, valid and not: every fault is found, at its place, with its advice.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::indexing_slicing)]

use helixor_playbook::{Format, Kind, Playbook, Problem, Severity, Value, Verdict, check, read};

fn checked(source: &str) -> Result<Playbook, Vec<Problem>> {
    check(source, &read(source, Format::Yaml)?)
}

const HEAD: &str =
    "pack_id: acme.loans.v1\nversion: 1.0.0\nactions: [pass, stop, hide]\ndefault_action: pass\n";

/// The faults of a playbook with the usual head: what they point at, and what they say.
fn faults(rest: &str) -> Vec<(String, String)> {
    let source = format!("{HEAD}{rest}");
    let problems = checked(&source).expect_err(rest);
    problems
        .into_iter()
        .map(|p| (source[p.span.start..p.span.end].to_owned(), p.message))
        .collect()
}

fn rule(condition: &str) -> String {
    format!("hard_rules:\n  - id: R\n    condition: {condition}\n    action: stop\n")
}

#[test]
fn defaults_fill_what_is_left_out_and_never_enter_the_digest() {
    let playbook = checked(&format!("{HEAD}{}", rule("state.amount > 5"))).unwrap();
    assert_eq!(playbook.name, "acme.loans.v1");
    assert_eq!(playbook.domain_name, "Loans");
    assert_eq!(playbook.goal_id, "optimize_decision");
    assert_eq!(
        (playbook.floor, playbook.budget.max_latency_ms),
        (0.85, 1.0)
    );
    let json = r#"{"version":"1.0.0","pack_id":"acme.loans.v1","default_action":"pass","actions":["pass","stop","hide"],
        "hard_rules":[{"action":"stop","id":"R","condition":"state.amount > 5"}]}"#;
    let same = check(json, &read(json, Format::Json).unwrap()).unwrap();
    assert_eq!(playbook.digest, same.digest);
}

#[test]
fn a_given_verdict_wins_else_severity_tells() {
    let mut rules = String::from("hard_rules:\n");
    for (i, keys) in [
        "",
        "severity: fatal",
        "severity: warning",
        "verdict: redact",
        "verdict: redact, severity: fatal",
        "verdict: refuse, severity: warning",
    ]
    .iter()
    .enumerate()
    {
        let keys = if keys.is_empty() {
            String::new()
        } else {
            format!(", {keys}")
        };
        rules += &format!("  - {{id: R{i}, condition: state.x, action: stop{keys}}}\n");
    }
    let playbook = checked(&format!("{HEAD}{rules}")).unwrap();
    let found: Vec<_> = playbook
        .rules
        .iter()
        .map(|r| (r.verdict, r.severity))
        .collect();
    assert_eq!(
        found,
        [
            (Verdict::Refuse, Severity::Fatal),
            (Verdict::Refuse, Severity::Fatal),
            (Verdict::Redact, Severity::Warning),
            (Verdict::Redact, Severity::Warning),
            (Verdict::Redact, Severity::Fatal),
            (Verdict::Refuse, Severity::Warning),
        ]
    );
    assert_eq!(playbook.priority_order(), [0, 1, 5, 2, 3, 4]);
}

#[test]
fn everything_wrong_is_reported_together() {
    let source = "pack_id: acme v1\nversion: one\nactions: [pass, pass, 'a b']\ndefault_action: pas\nflor: 1\n\
        hard_rules:\n  - id: R\n    conditon: state.x\n    action: pass\n  - id: R\n    condition: state.x >\n    action: nope\n    severity: grave\n";
    let problems = checked(source).unwrap_err();
    let found: Vec<(&str, &str, &str)> = problems
        .iter()
        .map(|p| {
            (
                &source[p.span.start..p.span.end],
                p.message.as_str(),
                p.help.as_str(),
            )
        })
        .collect();
    for expected in [
        ("acme v1", "`pack_id` must consist of", ""),
        ("one", "`version` must be a semantic version", ""),
        ("pass", "duplicate action `pass`", ""),
        ("'a b'", "an action must not contain ` `", ""),
        (
            "pas",
            "`default_action` `pas` is not one of `actions`",
            "did you mean `pass`?",
        ),
        (
            "flor",
            "unknown key `flor` in the playbook",
            "did you mean `floor`?",
        ),
        ("", "missing key `condition` in hard rule `R`", ""),
        (
            "conditon",
            "unknown key `conditon` in hard rule `R`",
            "did you mean `condition`?",
        ),
        ("", "the condition ends where a value was expected", ""),
        (
            "nope",
            "`action` of hard rule `R` `nope` is not one of `actions`",
            "",
        ),
        (
            "grave",
            "`severity` of hard rule `R` must be `fatal` or `warning`, not `grave`",
            "",
        ),
    ] {
        let hit = found
            .iter()
            .any(|f| f.0 == expected.0 && f.1.starts_with(expected.1) && f.2 == expected.2);
        assert!(hit, "{expected:?} not in {found:#?}");
    }
    assert!(found.iter().any(|f| f.1 == "duplicate hard rule `R`"));
}

#[test]
fn condition_faults_point_into_the_document_where_the_text_is_the_value() {
    for condition in [
        "state.x and 5 > 4",
        "'state.x and 5 > 4'",
        "\"state.x and 5 > 4\"",
    ] {
        assert_eq!(faults(&rule(condition))[0].0, "5 > 4", "{condition}");
    }
    // Escaped or folded: the scalar is labelled, the condition shown with its own place.
    for condition in [
        "\"state.x\\x20and 5 > 4\"",
        ">\n      state.x\n      and 5 > 4\n",
    ] {
        let source = format!("{HEAD}{}", rule(condition));
        let problem = &checked(&source).unwrap_err()[0];
        let (text, span) = problem.inner.as_ref().unwrap();
        assert_eq!(&text[span.start..span.end], "5 > 4");
    }
}

#[test]
fn types_come_from_use_when_there_is_no_schema() {
    // A name that no schema could give either.
    for (name, message) in [
        ("a".repeat(201), "a field name has 201 characters"),
        ("\\x0a".into(), "a field name must not contain"),
        (String::new(), "a field name must not be empty"),
    ] {
        let found = faults(&rule(&format!("state['{name}']")));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].1.starts_with(message), "{found:?}");
    }
    let found = faults(&rule("state.a == state.b"));
    assert!(
        found[0]
            .1
            .contains("nothing tells the type of field `a`: used at line 7, column 16"),
        "{found:?}"
    );
    let found = faults(&rule("state.a > 1 and state.a"));
    assert!(
        found[0]
            .1
            .contains("different types: number at line 7, column 16; boolean at line 7, column 32")
    );
    let codon = "codons:\n  - {code: C, codon_type: extract_pattern, trigger: on_input, params: {pattern: x}, binds_to: seen}\n";
    let playbook = checked(&format!("{HEAD}{codon}{}", rule("state.n > 1"))).unwrap();
    let names: Vec<_> = playbook
        .fields
        .iter()
        .map(|f| (f.name.as_str(), f.kind.as_str()))
        .collect();
    assert_eq!(names, [("n", "number"), ("seen", "boolean")]);
}

#[test]
fn a_faulty_field_of_known_type_hides_no_fault_of_a_condition() {
    let rest = format!(
        "state_schema:\n  amount: {{type: number, requird: false}}\n{}",
        rule("state.amuont > 5")
    );
    let messages: Vec<String> = faults(&rest).into_iter().map(|(_, says)| says).collect();
    assert_eq!(
        messages,
        [
            "unknown key `requird` in field `amount`",
            "unknown field `amuont`"
        ]
    );
}

#[test]
fn schemas_are_checked() {
    let schema = |fields: &str| format!("state_schema:\n{fields}{}", rule("state.x"));
    let first = |fields: &str| faults(&schema(fields))[0].1.clone();
    assert!(first("  y: {type: boolean}\n").contains("unknown field `x`"));
    assert!(first("  x: {type: bool}\n").contains("must be `boolean` or"));
    assert!(
        first("  x: {type: boolean, min_value: 1}\n")
            .contains("only integers and numbers have bounds")
    );
    assert!(
        first("  x: {type: integer, min_value: 1.5}\n")
            .contains("must be a 64-bit integer, not a number")
    );
    for kind in ["integer", "number"] {
        let fault = first(&format!(
            "  x: {{type: {kind}, max_value: 9223372036854775808}}\n"
        ));
        assert!(
            fault.contains("`max_value` of field `x` is outside the 64-bit integer range"),
            "{fault}"
        );
    }
    assert!(
        first("  x: {type: number, min_value: 2, max_value: 1.5}\n")
            .contains("`min_value` 2 is above `max_value` 1.5")
    );
    assert!(first("  x: {type: boolean, cost: 0}\n").contains("`cost` must be above 0"));
    let default = |field: &str| first(&format!("  x: {{type: {field}}}\n"));
    for (field, fault) in [
        (
            "integer, default: 1.0",
            "`default` of field `x` must be an integer, not number",
        ),
        (
            "integer, default: 5, max_value: 4",
            "`default` of field `x` is 5, above its maximum 4",
        ),
        (
            "number, default: 9007199254740993",
            "is an integer that no 64-bit float holds",
        ),
        (
            "string, default: c, allowed_values: [a, b]",
            "is \"c\", which is none of its allowed values \"a\", \"b\"",
        ),
        (
            "boolean, default: []",
            "`default` of field `x` must be a boolean, not list",
        ),
        ("string, allowed_values: []", "must name at least one value"),
        (
            "string, allowed_values: [a, b, a]",
            "duplicate allowed value `a`",
        ),
        (
            "string, allowed_values: [a, 1]",
            "an item of `allowed_values` of field `x` must be a string",
        ),
        (
            "string, min_value: 1",
            "only integers and numbers have bounds",
        ),
    ] {
        assert!(
            default(field).contains(fault),
            "{field}: {}",
            default(field)
        );
    }
    assert!(first("  x: {type: boolean, allowed_values: [a]}\n").contains("only strings"));
    assert!(first("  x: {type: boolean, typ: 1}\n").contains("unknown key `typ` in field `x`"));
    let codon = |field: &str| {
        format!(
            "  x: {{type: boolean}}\n  n: {{type: number}}\ncodons:\n  - {{code: C, codon_type: extract_pattern, trigger: on_input, params: {{pattern: x}}, binds_to: {field}}}\n"
        )
    };
    assert!(first(&codon("z")).contains("field `z` is not in `state_schema`"));
    assert!(first(&codon("n")).contains("sets a boolean, but field `n` is number"));
}

#[test]
fn defaults_are_kept_as_states_hold_them() {
    let source = format!(
        "state_schema:\n  n: {{type: number, default: 5}}\n  o: {{type: string, required: false, default: null}}\n  \
         s: {{type: string, default: b, allowed_values: [a, b]}}\n  x: {{type: boolean}}\n{}",
        rule("state.x and state.n > 1 and state.o == state.s")
    );
    let playbook = checked(&format!("{HEAD}{source}")).unwrap();
    let defaults: Vec<Option<Value>> = playbook.fields.iter().map(|f| f.default.clone()).collect();
    let text = Value::String("b".into());
    assert_eq!(defaults, [Some(Value::Number(5.0)), None, Some(text), None]);
}

#[test]
fn codons_are_checked_for_their_keys() {
    let found = faults(&format!(
        "codons:\n  - {{code: C, codon_type: luhn, trigger: on_output, checksum: md5, params: {{flags: [X]}}, colour: red}}\n{}",
        rule("state.x")
    ));
    let all: Vec<&str> = found.iter().map(|f| f.1.as_str()).collect();
    for expected in [
        "missing key `binds_to` in codon `C`",
        "`codon_type` of codon `C` must be `extract_pattern`, not `luhn`",
        "`trigger` of codon `C` must be `on_input`, not `on_output`",
        "`checksum` of codon `C` must be `luhn` or `mod97` or `none`, not `md5`",
        "missing key `pattern` in `params` of codon `C`",
        "a flag must be `IGNORECASE` or `MULTILINE` or `DOTALL` or `VERBOSE` or `ASCII`, not `X`",
        "unknown key `colour` in codon `C`",
    ] {
        assert!(all.contains(&expected), "{expected} not in {all:#?}");
    }
}

#[test]
fn what_this_engine_does_not_execute_is_told_apart_from_mistakes() {
    let source = format!(
        "{HEAD}rules: [{{id: A}}]\nbuiltin_checks: \"1.0.0\"\nsuppress_contained: [C]\nfolded_view: true\nsolvers: [simplex]\n{}",
        rule("state.x")
    );
    let problems = checked(&source).unwrap_err();
    assert_eq!(problems.len(), 5);
    assert!(problems.iter().all(|p| p.kind == Kind::Unsupported));
    let harmless = format!(
        "{HEAD}rules: []\nbuiltin_checks: false\nsuppress_contained: []\nfolded_view: false\nsolvers: []\n{}",
        rule("state.x")
    );
    assert!(checked(&harmless).is_ok());
}

#[test]
fn short_pack_ids_need_a_domain_name() {
    let source = format!("{HEAD}{}", rule("state.x")).replace("acme.loans.v1", "acme.loans");
    assert!(
        checked(&source).unwrap_err()[0]
            .message
            .contains("`domain_name` must be given")
    );
    assert!(checked(&format!("domain_name: Loans\n{source}")).is_ok());
    let long =
        format!("{HEAD}{}", rule("state.x")).replace("acme.loans.v1", "acme.home_loans.eu-west.v1");
    assert_eq!(checked(&long).unwrap().domain_name, "HomeLoansEuWest");
}

#[test]
fn size_is_bounded() {
    let huge = format!(
        "{HEAD}description: {}\n{}",
        "x".repeat(4 * 1024 * 1024),
        rule("state.x")
    );
    assert!(
        checked(&huge).unwrap_err()[0]
            .message
            .contains("4194304 bytes")
    );
    let wide = format!("[{}0]", "0,".repeat(200_000));
    assert!(
        read(&wide, Format::Json).unwrap_err()[0]
            .message
            .contains("200000 values")
    );
}

/// Every wrong name compared with every right one, or every place counted from the start, would
/// take minutes.
#[test]
fn documents_with_a_great_many_faults_are_done_at_once() {
    let rules = |condition: &dyn Fn(usize) -> String, action: &str| -> String {
        let rule = |i| {
            format!(
                "  - {{id: R{i}, condition: {}, action: {action}{i}}}\n",
                condition(i)
            )
        };
        (0..6_000).map(rule).collect()
    };
    let names = |name: &str| -> Vec<String> { (0..6_000).map(|i| format!("{name}{i}")).collect() };
    let head = format!(
        "pack_id: a.b.c\nversion: 1.0.0\ndefault_action: act0\nactions: [{}]\n",
        names("act").join(", ")
    );
    let actions = format!("{head}hard_rules:\n{}", rules(&|_| "state.a".into(), "axt"));
    let fields = format!(
        "{head}hard_rules:\n{}state_schema:\n  {}: {{type: boolean}}\n",
        rules(&|i| format!("state.feild{i}"), "act"),
        names("field").join(": {type: boolean}\n  ")
    );
    let untyped = format!(
        "{head}hard_rules:\n{}",
        rules(&|i| format!("state.a{i} == state.b{i}"), "act")
    );
    for (source, faults) in [(actions, 6_000), (fields, 6_000), (untyped, 12_000)] {
        let problems = check(&source, &read(&source, Format::Yaml).unwrap()).unwrap_err();
        assert_eq!(problems.len(), faults);
    }
}
