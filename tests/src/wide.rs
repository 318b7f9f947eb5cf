//! Packs with as many fields or rules as languages have trouble with.

use std::fmt::Write;

/// How many fields the wide packs have: few that pack into one to four words, a machine word's bits and
/// one more, as many as a Java record takes, and far more than that.
const WIDTHS: [usize; 8] = [1, 2, 3, 5, 64, 65, 120, 300];

/// How many packs the manifest of many packs has.
const PACKS: usize = 200;

/// How many rules the pack of many rules has, and how many values the field of many values: more than
/// a Java enum takes.
const MANY: usize = 3_000;

/// Each pack's name and playbook.
pub(crate) fn sources() -> Vec<(String, String)> {
    let wide = |width| (format!("wide_{width}"), wide(width));
    let mut sources: Vec<_> = WIDTHS.into_iter().map(wide).collect();
    sources.push(("mixed_300".into(), mixed(300)));
    sources.push(("many_rules".into(), many_rules()));
    sources.push(("many_values".into(), many_values()));
    sources
}

/// The playbooks of many small packs: of each a field of every kind, and a closed set.
#[allow(dead_code, reason = "the build script does without")]
pub(crate) fn packs() -> Vec<String> {
    let pack = |number| {
        let head = head(&format!("many_packs_{number}"), "OneOfMany", 1);
        format!(
            "{head}state_schema:\n  flag: {{type: boolean}}\n  count: {{type: integer, default: 0}}\n  \
             ratio: {{type: number, required: false}}\n  text: {{type: string, required: false, default: ''}}\n  \
             size: {{type: string, allowed_values: [small, large]}}\nhard_rules:\n  \
             - {{id: RULE, condition: state.flag, action: act_0}}\n"
        )
    };
    (0..PACKS).map(pack).collect()
}

/// Booleans, integers and numbers by turns, each with a rule and an action of its own that fires
/// when it is not false or zero.
fn wide(width: usize) -> String {
    let mut text = head(&format!("wide_{width}"), "Wide", width);
    text.push_str("state_schema:\n");
    for i in 0..width {
        let kind = ["boolean", "integer", "number"].into_iter().cycle().nth(i);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  field_{i}: {{type: {}}}", kind.unwrap_or_default());
    }
    text.push_str("hard_rules:\n");
    for i in 0..width {
        let fires = if i % 3 == 0 { "== True" } else { "!= 0" };
        let _ = writeln!(
            text,
            "  - {{id: RULE-{i}, condition: state.field_{i} {fires}, action: act_{i}}}"
        );
    }
    text
}

/// Fields of every kind by turns: each type required, with a default, optional, and both, each with a
/// rule and an action of its own that fires on one value.
fn mixed(width: usize) -> String {
    const KINDS: [(&str, &str, &str); 4] = [
        ("boolean", "false", "True"),
        ("integer", "0", "7"),
        ("number", "0", "7.5"),
        ("string", "''", "'seven'"),
    ];
    let mut schema = String::new();
    let mut rules = String::new();
    for i in 0..width {
        let (kind, default, fires) = KINDS.get(i % KINDS.len()).copied().unwrap_or_default();
        let presence = match i / KINDS.len() % 4 {
            0 => String::new(),
            1 => format!(", default: {default}"),
            2 => ", required: false".to_owned(),
            _ => format!(", required: false, default: {default}"),
        };
        let _ = writeln!(schema, "  field_{i}: {{type: {kind}{presence}}}");
        let _ = writeln!(
            rules,
            "  - {{id: RULE-{i}, condition: state.field_{i} == {fires}, action: act_{i}}}"
        );
    }
    let head = head(&format!("mixed_{width}"), "Mixed", width);
    format!("{head}state_schema:\n{schema}hard_rules:\n{rules}")
}

/// One integer, and a rule and an action for each of its values.
fn many_rules() -> String {
    let mut text = head("many_rules", "Many", MANY);
    text.push_str("state_schema:\n  x: {type: integer}\nhard_rules:\n");
    for i in 0..MANY {
        let _ = writeln!(
            text,
            "  - {{id: RULE-{i}, condition: state.x == {i}, action: act_{i}}}"
        );
    }
    text
}

/// One string of very many allowed values; the last of them is refused.
fn many_values() -> String {
    let head = head("many_values", "Choices", 1);
    let values: Vec<String> = (0..MANY).map(|i| format!("value_{i}")).collect();
    format!(
        "{head}state_schema:\n  choice: {{type: string, allowed_values: [{}]}}\nhard_rules:\n  \
         - {{id: RULE-LAST, condition: state.choice == 'value_{}', action: act_0}}\n",
        values.join(", "),
        MANY - 1
    )
}

fn head(name: &str, domain: &str, actions: usize) -> String {
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    let actions: Vec<String> = (0..actions).map(|i| format!("act_{i}")).collect();
    format!(
        "pack_id: acme.{name}.v1\nversion: 1.0.0\ndomain_name: {domain}{digits}\n\
         actions: [nothing, {}]\ndefault_action: nothing\n",
        actions.join(", ")
    )
}
