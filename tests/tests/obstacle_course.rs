//! Names and texts that are hard to carry into Rust: compiled, decided on and given back.
#![deny(warnings)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use conformance::{Fixtures, OBSTACLE_COURSE};
use course::{Action, BoxClient, BoxState, Field, Rule};
use helixor_runtime::typed::Names;
use helixor_runtime::{Interface, Options, Value};

mod course {
    include!(concat!(env!("OUT_DIR"), "/box_.rs"));
}

/// What else is hard only has to compile.
#[allow(dead_code)]
mod hard {
    mod n3d_secure {
        include!(concat!(env!("OUT_DIR"), "/hard/n3d_secure.rs"));
    }
    mod option {
        include!(concat!(env!("OUT_DIR"), "/hard/option.rs"));
    }
    mod fields {
        include!(concat!(env!("OUT_DIR"), "/hard/fields.rs"));
    }
    mod optional {
        include!(concat!(env!("OUT_DIR"), "/hard/optional.rs"));
    }
    mod hostile {
        include!(concat!(env!("OUT_DIR"), "/hard/hostile.rs"));
    }
    mod type_ {
        include!(concat!(env!("OUT_DIR"), "/hard/type_.rs"));
    }
    mod symbols {
        include!(concat!(env!("OUT_DIR"), "/hard/symbols.rs"));
    }
    mod gr_uf6_udf_e {
        include!(concat!(env!("OUT_DIR"), "/hard/gr_uf6_udf_e.rs"));
    }
}

/// A state for each boolean field, by the name of its member, in which it is true.
macro_rules! states {
    ($($field:ident,)*) => {
        vec![$(BoxState { $field: Some(true), ..BoxState::default() }),*]
    };
}

/// A state for each member of the closed sets of these fields.
macro_rules! set_states {
    ($($field:ident: $set:ident,)*) => {
        vec![$((
            course::$set::ALL.iter().map(|member| member.as_str()).collect::<Vec<_>>(),
            course::$set::ALL.iter().map(|member| {
                assert_eq!(course::$set::from_wire(member.as_str()), Some(*member));
                BoxState::builder().$field(*member).build().unwrap()
            }).collect::<Vec<_>>(),
        )),*]
    };
}

#[rustfmt::skip]
fn states() -> Vec<BoxState> {
    states! {
        quote_quote_quote, hash_heading, dollar, dollar_open_brace_x_close_brace_hash_open_brace_y_close_brace_open_brace_open_brace_z_close_brace_close_brace, percent,
        and_amp_semicolon_slash_slash, tick_close_semicolon_drop, star_slash_evil_slash_star, n007,
        n1st, n2_nd, n3d, lt_slash_code_gt_lt_b_gt, lt_eq, gt, at_param_x, c_plus_plus, none, self_,
        backslash_u000a, underscore, init, slots, backtick_tick_backtick, a_plus_b, a_backslash,
        a_l_l, r#abstract, and, r#as, as_str, assert, r#async, r#await, bool, boolean, borrow_,
        borrow_mut_, r#box, r#break, build_, byte, case, catch, char, class, clone_, clone_from_,
        clone_into_, cls, compare_to, r#const, construct, r#continue, copy, crate_, def, default_,
        del, dict, double, r#dyn, elif, r#else, equals, err, except, extends, r#extern, r#false,
        faults, finalize, finally, float, fmt_, r#for, from_, from_wire, r#gen, get_class, global,
        größe, hash_code, r#if, r#impl, implements, import, r#in, instanceof, int, interface, into_,
        is, json, lambda, lambda_x, left_out, r#let, long, r#loop, r#macro, r#match, r#mod,
        model_config, model_dump, model_fields, module, r#move, mro, r#mut, name, new, nonlocal,
        not, notify, notify_all, null, open, or, ordinal, r#override, package, pass, permits,
        private, protected, r#pub, public, raise, r#ref, register, r#return, schema, sealed, short,
        soft_uad_hyphen, state, r#static, str, r#struct, super_, switch, this, throw, to, to_owned_,
        to_string, r#trait, r#true, r#try, try_from_, try_into_, r#type, type_id_, r#unsafe, r#use,
        validate, value_of, var, void, wait, when, r#where, r#while, wire, with, x2, r#yield,
        section_5, élan_vital, ñandú, i_stanbul, ω, u202e_trojan, viii, 名前, 是否, fine, u1f600,
    }
}

#[rustfmt::skip]
fn set_states() -> Vec<(Vec<&'static str>, Vec<BoxState>)> {
    set_states! {
        base_model: BaseModel, builder: Builder, r#enum: Enum, exception: Exception, r#final: Final,
        given: Given, list: List, object: Object, option: Option_, record: Record, some: Some_,
        str_enum: StrEnum, string: String_, values: Values, vec: Vec_, 等级: 等级,
    }
}

/// The action and the rule of a field.
fn slug(field: &str) -> String {
    field.replace(' ', "_").replace(':', ";")
}

fn wires<N: Names>() -> Vec<&'static str> {
    N::ALL.iter().map(|name| name.as_str()).collect()
}

#[test]
fn every_name_is_decided_on_and_given_back() {
    let playbook = conformance::playbook(OBSTACLE_COURSE.source).unwrap();
    let interface = Interface::from(&playbook);
    let fields: Vec<&str> = interface
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    assert_eq!(wires::<Field>(), fields);
    let rules: Vec<String> = interface.rules.iter().map(ToString::to_string).collect();
    assert_eq!(wires::<Rule>(), rules);
    let actions: Vec<String> = interface.actions.iter().map(ToString::to_string).collect();
    assert_eq!(wires::<Action>(), actions);
    assert!(
        Field::ALL
            .iter()
            .all(|field| Field::from_wire(field.as_str()) == Some(*field))
    );

    let folder = tempfile::tempdir().unwrap();
    let fixtures = Fixtures::make(folder.path()).unwrap();
    let options = Options::new()
        .license_file(fixtures.path("helixor.hxlic"))
        .authorities([fixtures.path("authority.pem")]);
    let client = BoxClient::open_with(fixtures.path("obstacle_course.hxpack"), &options).unwrap();
    assert!(client.decide(&BoxState::default()).unwrap().is_approved());
    let fires = |field: Field, state: &BoxState, observed: Value| {
        let slug = slug(field.as_str());
        let decision = client.decide(state).unwrap();
        assert_eq!(decision.action().as_str(), slug);
        assert_eq!(decision.fired_rules(), [Rule::from_wire(&slug).unwrap()]);
        let causes = decision.necessary_causes();
        assert_eq!(causes[0].factor, field);
        assert_eq!(causes[0].observed_value, observed);
    };
    let (sets, booleans): (Vec<_>, Vec<_>) = std::iter::zip(Field::ALL, &interface.fields)
        .partition(|(_, field)| field.allowed_values.is_some());
    let states = states();
    assert_eq!(states.len(), booleans.len());
    for ((field, _), state) in booleans.into_iter().zip(&states) {
        fires(*field, state, Value::Boolean(true));
    }
    let set_states = set_states();
    assert_eq!(set_states.len(), sets.len());
    for ((field, declared), (wires, states)) in sets.into_iter().zip(&set_states) {
        assert_eq!(*wires, *declared.allowed_values.as_ref().unwrap());
        for (wire, state) in wires.iter().zip(states) {
            fires(*field, state, Value::String((*wire).into()));
        }
    }
}
