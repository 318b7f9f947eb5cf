use super::bound::{field_names, names};
use super::*;
use crate::clock::Now;
use crate::container::seal;
use crate::keys::PrivateKey;
use crate::ledger::LedgerChoice;
use crate::license::tests::{license, limited, limited_json, vector, verified};
use helixor_playbook::canonical::{self, Style};
use helixor_playbook::{Format, PackId, ValueRef, builtin, read};

const STATE: &[u8] = br#"{"has_ssn": true, "has_credit_card": false, "has_health_record": false,
    "has_email": false, "has_phone": false, "has_ip": false}"#;

#[test]
fn a_decision_after_the_end_of_the_window_is_refused() {
    let licensed = Licensed::from(license("LIC-1", &["*"]));
    let end = licensed.license().expires_at().unwrap().seconds() * 1_000_000;
    let check = |unix: i64| licensed.0.check(Now(unix));
    assert!(check(end - 1).is_ok());
    for unix in [end, end + 1, i64::MAX] {
        assert_eq!(check(unix).unwrap_err().code(), Code::LicenseExpired);
    }
    let error = check(end + 59_999_999).unwrap_err();
    assert!(error.message().ends_with("it is 2027-01-01T00:00:59Z now"));
    // A licence without an end.
    let perpetual = Licensed::from(vector());
    assert!(perpetual.0.check(Now(i64::MAX)).is_ok());
}

fn limited_client(id: &str, decisions: u64) -> Client {
    let key = PrivateKey::generate().unwrap();
    let licensed = Licensed::from(limited(id, decisions, &key));
    let pack = sealed(builtin::EXAMPLE, licensed.license());
    Client::with_license(&pack, None, &Options::new(), &licensed).unwrap()
}

fn sealed(playbook: &str, license: &License) -> Vec<u8> {
    let playbook = read(playbook, Format::Yaml).unwrap();
    let json = canonical::write(&playbook, Style::Compact).unwrap();
    let id = &Pack::builtin().playbook().pack_id.clone();
    seal(id, json.as_bytes(), license).unwrap()
}

#[test]
fn a_reload_keeps_names_and_ledger_and_on_an_error_everything() {
    let key = PrivateKey::generate().unwrap();
    let authority = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(authority.path(), key.public_pem().unwrap()).unwrap();
    let json = limited_json("lic-reload", 100, &key);
    let issued = verified(&json, &key).unwrap();
    let options = Options::new()
        .license_json(json.as_str())
        .authorities([authority.path()])
        .ledger(LedgerChoice::InMemory)
        .timing(true);
    let first = sealed(builtin::EXAMPLE, &issued);
    let other = builtin::EXAMPLE.replace("RULE-HIPAA", "RULE-OTHER");
    assert_ne!(other, builtin::EXAMPLE);
    let live =
        Live::new(Client::from_bytes(&first, Pack::builtin().interface(), &options).unwrap());
    let decide = |live: &Live| {
        let client = live.client();
        let state = client.pack().state_from_json(STATE).unwrap();
        client.decide(state).unwrap()
    };
    let before = decide(&live);
    let same = live.clone();
    let mismatch = live.reload_bytes(&sealed(&other, &issued), &options);
    assert_eq!(mismatch.unwrap_err().code(), Code::PackMismatch);
    let missing = live.reload(Path::new("none.hxpack"), &options);
    assert_eq!(missing.unwrap_err().code(), Code::PackNotFound);
    decide(&live);
    // Other content of the same names, without a ledger of its own.
    let reworded = builtin::EXAMPLE.replace("severity: warning", "severity: fatal");
    assert_ne!(reworded, builtin::EXAMPLE);
    let accepting = Options {
        ledger: LedgerChoice::Off,
        timing: false,
        ..options.accept_same_interface(true)
    };
    live.reload_bytes(&sealed(&reworded, &issued), &accepting)
        .unwrap();
    let after = decide(&same);
    assert_ne!(after.pack_digest(), before.pack_digest());
    assert_eq!(before.pack_digest(), Pack::builtin().digest());
    assert!(after.latency_us().is_some());
    let report = same.client().audit_report().unwrap();
    assert_eq!(report.total_decisions_executed, 3);
    assert_eq!(report.license_id, "lic-reload");
    assert_eq!(same.client().usage().unwrap().decisions, 3);
}

#[test]
fn limits_alone_make_a_report_without_a_root() {
    let client = limited_client("lic-report", 1);
    let state = client.pack().state_from_json(STATE).unwrap();
    client.decide(state).unwrap();
    let report = client.audit_report().unwrap();
    assert_eq!(report.total_decisions_executed, 1);
    assert_eq!(
        (report.ledger_merkle_root, report.durable_leaves),
        (None, None)
    );
    assert!(report.to_json().contains("\"ledger_merkle_root\":\"\""));
}

#[test]
fn decisions_count_when_they_are_made_and_taken() {
    let client = limited_client("lic-client", 2);
    let again = client.clone();
    let usage = |client: &Client| client.usage().unwrap().decisions;
    let state = || client.pack().state_from_json(STATE).unwrap();
    client.decide(state()).unwrap();
    client.judge(state()).unwrap();
    let refused = client.decide_and(state(), |_| -> Result<(), Error> {
        Err(Error::new(Code::BufferTooSmall, "x", ""))
    });
    assert_eq!(refused.unwrap_err().code(), Code::BufferTooSmall);
    assert_eq!(usage(&again), 1);
    again.decide(state()).unwrap();
    let error = client.decide(state()).unwrap_err();
    assert_eq!(error.code(), Code::QuotaExceeded);
    client.judge(state()).unwrap();
    assert_eq!(usage(&client), 2);
    assert_eq!(
        Client::builtin(Pack::builtin().interface())
            .unwrap()
            .usage(),
        None
    );
}

#[test]
fn a_batch_counts_its_rows_and_ends_at_a_limit() {
    let client = limited_client("lic-batch", 3);
    let state = || client.pack().state_from_json(STATE);
    let fault = || client.pack().state_from_json(b"{}");
    let rows = [
        state(),
        fault(),
        state(),
        state(),
        state(),
        fault(),
        state(),
    ];
    let rows = client.decide_batch(rows).unwrap();
    let codes: Vec<_> = rows
        .iter()
        .map(|row| row.as_ref().err().map(Error::code))
        .collect();
    let (missing, over) = (Some(Code::StateMissing), Some(Code::QuotaExceeded));
    assert_eq!(codes, [None, missing, None, None, over, over, over]);
    assert_eq!(client.usage().unwrap().decisions, 3);
    assert_eq!(client.decide_batch([]).unwrap().len(), 0);
}

#[test]
fn an_answer_is_what_is_decided_and_counts() {
    let client = limited_client("lic-answer", 1);
    let state = client.pack().state_from_json(STATE).unwrap();
    let decision = client.judge(state.clone()).unwrap();
    let expected = (decision.verdict(), decision.action());
    assert_eq!(client.answer(&state).unwrap(), expected);
    let error = client.answer(&state).unwrap_err();
    assert_eq!(error.code(), Code::QuotaExceeded);
    assert_eq!(client.usage().unwrap().decisions, 1);
}

/// A pack with 70 booleans and some bounded numbers, opened in its own order and in reverse.
fn wide_clients() -> [Client; 2] {
    let fields: Vec<String> =
        (0..70)
            .map(|i| format!(r#""b{i:02}": {{"type": "boolean"}}"#))
            .chain((0..4).map(|i| {
                format!(r#""i{i}": {{"type": "integer", "min_value": -5, "max_value": 5}}"#)
            }))
            .chain((0..3).map(|i| format!(r#""n{i}": {{"type": "number", "max_value": 5.5}}"#)))
            .collect();
    let source = format!(
        r#"{{"pack_id": "acme.x.v1", "version": "1.0.0", "actions": ["a"], "default_action": "a",
        "state_schema": {{{}}},
        "hard_rules": [{{"id": "R", "condition": "state.b00", "action": "a"}}]}}"#,
        fields.join(",")
    );
    let root = read(&source, Format::Json).unwrap();
    let pack = Arc::new(Pack::from(helixor_playbook::check(&source, &root).unwrap()));
    let mut reversed = pack.interface().clone();
    reversed.fields.reverse();
    [pack.interface().clone(), reversed].map(|interface| {
        let bound = Bound::new(Arc::clone(&pack), interface, false).unwrap();
        Client::new(bound, None, None, false)
    })
}

#[test]
fn packed_values_are_those_of_the_clients_fields() {
    for client in wide_clients() {
        let mut accepted = 0;
        for round in 0..50_u64 {
            let is = |i: usize| (i as u64 * 7 + round).is_multiple_of(3);
            let integer = |i: usize| (i as i64 + round as i64) % 13 - 6;
            let number = |i: usize| ((i as u64 + round) % 30) as f64 / 5.0;
            let (mut packed, mut numbers) = (vec![0; 2], Vec::new());
            let (mut each, mut bit) = (client.state(), 0);
            for (i, kind) in client.field_kinds().enumerate() {
                match kind {
                    FieldKind::Boolean => {
                        packed[bit / 64] |= u64::from(is(i)) << (bit % 64);
                        bit += 1;
                        each.set(i, Given::Boolean(is(i)));
                    }
                    FieldKind::Integer => {
                        numbers.push(integer(i) as u64);
                        each.set(i, Given::Integer(Some(integer(i).into())));
                    }
                    _ => {
                        numbers.push(number(i).to_bits());
                        each.set(i, Given::Number(number(i)));
                    }
                }
            }
            packed.extend(numbers);
            let answer = client.answer_packed(&packed);
            let (packed, each) = (client.unpack(&packed), each.finish());
            assert_eq!(packed, each);
            assert_eq!(answer, each.clone().and_then(|state| client.answer(&state)));
            accepted += usize::from(each.is_ok());
        }
        assert!((10..40).contains(&accepted), "{accepted}");
    }
}

#[test]
fn rows_in_columns_are_decided_as_states_are() {
    let mut columns: Vec<Vec<Column>> = Vec::new();
    for client in wide_clients() {
        let value = |i: usize, row: usize| (i * 5 + row * 3) % 11;
        let column = |(i, kind)| match kind {
            FieldKind::Boolean => Column::Booleans((0..40).map(|row| value(i, row) > 5).collect()),
            FieldKind::Integer => {
                Column::Integers((0..40).map(|row| value(i, row) as i64 - 5).collect())
            }
            _ => Column::Numbers((0..40).map(|row| value(i, row) as f64 / 2.0).collect()),
        };
        let mut given: Vec<_> = client.field_kinds().enumerate().map(column).collect();
        for integers in [false, true] {
            if integers {
                // A number field takes integers too; then rows are not packed.
                let number = client.field_kinds().position(|k| k == FieldKind::Number);
                given[number.unwrap()] = Column::Integers((0..40).map(|row| row % 7).collect());
            }
            let some: Vec<_> = given.iter().cloned().map(Some).collect();
            let answers = client.answer_columns(&some).unwrap();
            for row in 0..40 {
                let expected = client
                    .row(&some, row)
                    .and_then(|state| client.answer(&state));
                let found = answers.errors.iter().find(|(failed, _)| *failed == row);
                match expected {
                    Ok((verdict, action)) => {
                        assert_eq!(answers.verdicts[row], verdict as u8);
                        assert_eq!(answers.actions[row], action as u32);
                        assert_eq!(found, None);
                    }
                    Err(error) => {
                        assert_eq!(found, Some(&(row, error)));
                        assert_eq!(answers.verdicts[row], Answers::FAILED);
                    }
                }
            }
            assert!((1..40).contains(&answers.errors.len()) == integers);
        }
        columns.push(given);
    }
    let [client, _] = wide_clients();
    let mut given: Vec<_> = columns[0].iter().cloned().map(Some).collect();
    given[3] = None;
    let error = client.answer_columns(&given).unwrap_err();
    assert_eq!(error.code(), Code::StateMissing);
    given[3] = Some(Column::Booleans(vec![true]));
    let error = client.answer_columns(&given).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(client.answer_columns(&given[1..]).is_err());
}

/// The columns of the example's six booleans: rows are all its states in turn.
fn example_columns(rows: usize) -> Vec<Vec<bool>> {
    let column = |field: u32| (0..rows).map(move |row| (row * 7 + row / 64) >> field & 1 == 1);
    (0..6).map(|field| column(field).collect()).collect()
}

fn assert_as_states(client: &Client, given: Vec<Column>, rows: usize) -> Answers {
    let given: Vec<_> = given.into_iter().map(Some).collect();
    let answers = client.answer_columns(&given).unwrap();
    let mut expected = Answers::default();
    for row in 0..rows {
        let state = client.row(&given, row);
        match state.and_then(|state| client.answer(&state)) {
            Ok((verdict, action)) => {
                expected.verdicts.push(verdict as u8);
                expected.actions.push(action as u32);
            }
            Err(error) => {
                expected.errors.push((row, error));
                expected.verdicts.push(Answers::FAILED);
                expected.actions.push(u32::MAX);
            }
        }
    }
    assert_eq!(answers, expected);
    answers
}

/// Rows are decided 256 at a time; the example's states are 64.
const LENGTHS: [usize; 13] = [0, 1, 2, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1_000];

#[test]
fn columns_of_any_length_are_decided_as_states_are() {
    let own = Pack::builtin().interface().clone();
    let mut reversed = own.clone();
    reversed.fields.reverse();
    reversed.actions.reverse();
    for client in [own, reversed].map(|interface| Client::builtin(&interface).unwrap()) {
        for rows in LENGTHS {
            let columns = example_columns(rows).into_iter().map(Column::Booleans);
            let answers = assert_as_states(&client, columns.collect(), rows);
            assert_eq!(answers.errors, []);
        }
    }
    for client in wide_clients() {
        for rows in LENGTHS {
            // Faults on both sides of each border.
            let fault = |row: usize| [0, 255, 256, 511, 512].contains(&row);
            let column = |(i, kind)| {
                let rows = 0..rows;
                let value = move |row: usize| (i * 5 + row * 3) % 11;
                match kind {
                    FieldKind::Boolean => {
                        Column::Booleans(rows.map(|row| value(row) > 5).collect())
                    }
                    FieldKind::Integer => {
                        let values =
                            rows.map(|row| if fault(row) { 6 } else { value(row) as i64 - 5 });
                        Column::Integers(values.collect())
                    }
                    _ => Column::Numbers(rows.map(|row| value(row) as f64 / 2.0).collect()),
                }
            };
            let columns = client.field_kinds().enumerate().map(column).collect();
            let answers = assert_as_states(&client, columns, rows);
            let failed: Vec<_> = answers.errors.iter().map(|(row, _)| *row).collect();
            assert_eq!(
                failed,
                (0..rows).filter(|row| fault(*row)).collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn columns_count_and_end_at_a_limit_across_borders() {
    for limit in [1, 255, 256, 257, 600] {
        let client = limited_client(&format!("lic-columns-{limit}"), limit);
        let columns = example_columns(600).into_iter().map(Column::Booleans);
        let columns: Vec<_> = columns.map(Some).collect();
        let answers = client.answer_columns(&columns).unwrap();
        let failed: Vec<_> = answers.errors.iter().map(|(row, _)| *row).collect();
        assert_eq!(failed, (limit as usize..600).collect::<Vec<_>>());
        let quota = |(_, error): &(usize, Error)| error.code() == Code::QuotaExceeded;
        assert!(answers.errors.iter().all(quota));
        assert_eq!(client.usage().unwrap().decisions, limit);
    }
    let options = Options::new().ledger(LedgerChoice::InMemory);
    let client = Client::builtin_with(Pack::builtin().interface(), &options).unwrap();
    let columns = example_columns(600).into_iter().map(Column::Booleans);
    let columns: Vec<_> = columns.map(Some).collect();
    assert_eq!(client.answer_columns(&columns).unwrap().errors, []);
    assert_eq!(client.audit_report().unwrap().total_decisions_executed, 600);
}

#[test]
fn packed_values_of_another_shape_are_of_another_version() {
    for client in wide_clients() {
        for words in [0, 1, 2, 8, 10] {
            let error = client.unpack(&vec![0; words]).unwrap_err();
            assert_eq!(error.code(), Code::VersionSkew, "{words}");
        }
    }
    let [client, _] = wide_clients();
    let mut packed = vec![0; 9];
    packed[8] = f64::NAN.to_bits();
    assert_eq!(client.unpack(&packed).unwrap_err().code(), Code::StateRange);
    packed[8] = (-0.0_f64).to_bits();
    let state = client.unpack(&packed).unwrap();
    let sign = |value| matches!(value, ValueRef::Number(n) if n.is_sign_negative());
    assert!(!client.pack().values(&state).any(sign));
}

#[test]
fn generated_code_that_does_not_agree_with_itself_is_of_another_version() {
    let interface = Pack::builtin().interface().clone();
    let read = read_interface(&interface.to_json()).unwrap();
    let actions = names(&read.actions);
    let (rules, fields) = (names(&read.rules), field_names(&read));
    check_names(&read, &actions, &rules, &fields).unwrap();
    for error in [
        read_interface("{}").unwrap_err(),
        check_names(&read, &actions[1..], &rules, &fields).unwrap_err(),
        check_names(&read, &actions, &rules[1..], &fields).unwrap_err(),
        check_names(&read, &actions, &rules, &fields[1..]).unwrap_err(),
    ] {
        assert_eq!(error.code(), Code::VersionSkew);
        assert!(!error.help().is_empty());
    }
}

#[test]
fn a_panic_is_an_error() {
    let error = unpanicked::<()>(|| panic!("inside")).unwrap_err();
    assert_eq!(error.code(), Code::Internal);
    assert!(!error.help().is_empty());
    assert_eq!(unpanicked(|| Ok(5)), Ok(5));
}

#[test]
fn the_built_in_pack_is_found_by_its_id_only() {
    let mut interface = Pack::builtin().interface().clone();
    assert!(Client::builtin(&interface).is_ok());
    interface.raw_pack_sha256 = Some(Digest::of(b"another release"));
    assert!(Client::builtin(&interface).is_ok());
    interface.pack_id = PackId::new("acme.loans.v1").unwrap();
    assert_eq!(
        Client::builtin(&interface).unwrap_err().code(),
        Code::PackNotFound
    );
}
