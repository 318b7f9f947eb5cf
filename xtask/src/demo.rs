//! `cargo xtask demo`: the main job, from a playbook to decisions in every language.

use crate::example::{
    Example, FLIPPED_PACK, LICENSE, Language, OTHER_LICENSE, OTHER_PACK, PACK, text,
};
use crate::run::{Failure, Result, step};
use helixor_playbook::canonical::{self, Style};
use helixor_playbook::{Data, Node};
use std::io::Write;

/// The facts the example pack decides on.
const FIELDS: [&str; 6] = [
    "has_ssn",
    "has_credit_card",
    "has_health_record",
    "has_email",
    "has_phone",
    "has_ip",
];

/// The states that the table shows, as bits over [`FIELDS`], the lowest first.
const SHOWN: [(&str, u8); 6] = [
    ("clean", 0b00_0000),
    ("SSN", 0b00_0001),
    ("card, e-mail", 0b00_1010),
    ("health record", 0b00_0100),
    ("contact only", 0b11_1000),
    ("everything", 0b11_1111),
];

/// The clients in the order of the decisions: the typed ones, and the C library.
const CLIENTS: [&str; 4] = ["Rust", "Java", "Python", "C"];

/// What must not open: what is wrong, the pack, the licence.
const WRONG: [(&str, &str, &str); 3] = [
    (
        "Another licence: the customer next door has the file",
        PACK,
        OTHER_LICENSE,
    ),
    (
        "A flipped byte: one bit of the pack changed on its way",
        FLIPPED_PACK,
        LICENSE,
    ),
    (
        "A pack that is not the client's: version 2.0.0 has a rule of another name",
        OTHER_PACK,
        LICENSE,
    ),
];

/// A decision as a program said it.
struct Row {
    action: String,
    verdict: String,
    /// The fields of the causes.
    causes: String,
    proof: String,
    nanoseconds: f64,
    /// Everything it said but for the time, in one canonical form; none for C, which says less.
    all: Option<String>,
    /// The part of it that the C library's JSON says too.
    common: String,
}

/// An error as a program said it.
struct Refusal {
    class: String,
    code: String,
    message: String,
    help: String,
}

impl Refusal {
    fn part(&self, name: &str) -> &str {
        match name {
            "code" => &self.code,
            "message" => &self.message,
            _ => &self.help,
        }
    }
}

/// Runs the demo; false when two languages differ.
pub(crate) fn demo(out: &mut dyn Write) -> Result<bool> {
    writeln!(out, "Helixor: one sealed pack, typed clients, one answer\n")?;
    let example = Example::make(out)?;
    let printed = step(out, "the programs that README shows", || {
        each(|language| example.first_call(language))
    })?;
    // The shown states, then all others.
    let shown = SHOWN.map(|(_, bits)| bits);
    let others = (0..1 << FIELDS.len()).filter(|bits| !shown.contains(bits));
    let states: Vec<String> = shown.into_iter().chain(others).map(state).collect();
    let what = format!("{} states decided in each language", states.len());
    let decided = step(out, &what, || {
        let mut decided = each(|language| decisions(&example, language, &states))?;
        decided.push(c_decisions(&example, &states)?);
        Ok(decided)
    })?;
    let refused = step(out, "three packs that must not open", || {
        WRONG
            .iter()
            .map(|(_, pack, license)| each(|language| refusal(&example, language, pack, license)))
            .collect::<Result<Vec<_>>>()
    })?;

    let mut equal = true;
    writeln!(
        out,
        "\nThe first call, as README shows it; it prints in each language\n"
    )?;
    let first = printed.first().map_or("", String::as_str);
    first
        .lines()
        .try_for_each(|line| writeln!(out, "  {line}"))?;
    for (language, text) in Language::ALL.iter().zip(&printed) {
        if text != first {
            equal = false;
            writeln!(out, "\nDIFFERENT in {}:\n{text}", language.name())?;
        }
    }
    writeln!(out, "\nOne pack, decided in each language\n")?;
    table(out, &decided)?;
    equal &= differences(out, &states, &decided)?;
    writeln!(out, "\nThree wrong things, and what the user sees")?;
    for ((what, _, _), refusals) in WRONG.iter().zip(&refused) {
        equal &= wrong(out, what, refusals)?;
    }
    let last = if equal {
        "\nDone. README shows the same steps by hand; everything made here lies in target/demo"
    } else {
        "\nFAILED: the languages differ"
    };
    writeln!(out, "{last}")?;
    Ok(equal)
}

/// Does the same in each language.
fn each<T>(work: impl FnMut(Language) -> Result<T>) -> Result<Vec<T>> {
    Language::ALL.into_iter().map(work).collect()
}

fn state(bits: u8) -> String {
    let fields = FIELDS
        .iter()
        .enumerate()
        .map(|(i, field)| (*field, Node::from(bits & (1 << i) != 0)));
    // Booleans can always be written.
    canonical::write(&Node::map(fields), Style::Compact).unwrap_or_default()
}

fn decisions(example: &Example, language: Language, states: &[String]) -> Result<Vec<Row>> {
    let input = states.join("\n") + "\n";
    let rows = example.decide(language, PACK, LICENSE, &input)?;
    let rows = rows.map_err(|error| {
        Failure(format!(
            "{} did not open the pack: {}",
            language.name(),
            error
                .get("message")
                .and_then(Node::as_str)
                .unwrap_or_default()
        ))
    })?;
    if rows.len() != states.len() {
        let name = language.name();
        return Err(Failure(format!(
            "{name} decided {} of {} states",
            rows.len(),
            states.len()
        )));
    }
    rows.into_iter().map(row).collect()
}

/// The decisions of the C library, whose JSON tells the verdict otherwise and less of a cause.
fn c_decisions(example: &Example, states: &[String]) -> Result<Vec<Row>> {
    let said = example.c_decide(&(states.join("\n") + "\n"))?;
    if said.len() != states.len() {
        let (rows, states) = (said.len(), states.len());
        return Err(Failure(format!("C decided {rows} of {states} states")));
    }
    let rows = said.into_iter().map(|said| {
        let of = |node: &Node, key: &str| node.get(key).cloned().unwrap_or(Data::Null.into());
        let decision = of(&said, "decision");
        let renamed = Node::map([
            ("action", of(&decision, "action")),
            ("verdict", of(&decision, "rule_verdict")),
            ("fired_rules", of(&decision, "fired_rules")),
            ("necessary_causes", of(&decision, "necessary_causes")),
            ("proof_sha256", of(&decision, "proof_sha256")),
            ("nanoseconds", of(&said, "nanoseconds")),
        ]);
        Ok(Row {
            all: None,
            ..row(renamed)?
        })
    });
    rows.collect()
}

/// What every language says of a decision, the C library included.
fn common(said: &Node, causes: &[Node]) -> Result<String> {
    let causes = causes
        .iter()
        .map(|cause| {
            let parts = ["rule", "factor", "direction"].map(|key| text(cause, key));
            Ok(Node::list(parts.into_iter().collect::<Result<Vec<_>>>()?))
        })
        .collect::<Result<Vec<_>>>()?;
    let node = Node::list([
        text(said, "action")?.into(),
        text(said, "verdict")?.into(),
        said.get("fired_rules")
            .cloned()
            .unwrap_or(Data::Null.into()),
        Node::list(causes),
        text(said, "proof_sha256")?.into(),
    ]);
    canonical::write(&node, Style::Compact).map_err(|e| Failure(e.to_string()))
}

fn row(said: Node) -> Result<Row> {
    let Data::Map(mut entries) = said.data else {
        return Err(Failure(
            "a program said something else than an object".into(),
        ));
    };
    let time = entries
        .iter()
        .position(|entry| entry.key == "nanoseconds")
        .map(|at| entries.remove(at).value.data);
    let Some(Data::Float(nanoseconds)) = time else {
        return Err(Failure("a program left out `nanoseconds`".into()));
    };
    let said = Node::from(Data::Map(entries));
    let Some(Data::List(causes)) = said.get("necessary_causes").map(|causes| &causes.data) else {
        return Err(Failure("a program left out `necessary_causes`".into()));
    };
    let common = common(&said, causes)?;
    let causes = causes
        .iter()
        .map(|cause| text(cause, "factor"))
        .collect::<Result<Vec<_>>>()?;
    let causes = if causes.is_empty() {
        "none".to_owned()
    } else {
        causes.join(" ")
    };
    Ok(Row {
        action: text(&said, "action")?.to_owned(),
        verdict: text(&said, "verdict")?.to_owned(),
        causes,
        proof: text(&said, "proof_sha256")?.to_owned(),
        nanoseconds,
        all: Some(canonical::write(&said, Style::Compact).map_err(|e| Failure(e.to_string()))?),
        common,
    })
}

fn refusal(example: &Example, language: Language, pack: &str, license: &str) -> Result<Refusal> {
    match example.decide(language, pack, license, "")? {
        Ok(_) => Err(Failure(format!(
            "{} opened {pack} with {license}",
            language.name()
        ))),
        Err(said) => Ok(Refusal {
            class: text(&said, "class")?.to_owned(),
            code: text(&said, "code")?.to_owned(),
            message: text(&said, "message")?.to_owned(),
            help: text(&said, "help")?.to_owned(),
        }),
    }
}

/// The shown states down the side. The languages stand one above the other, where an eye finds a
/// difference at once; beside each other three of them would fit no screen.
fn table(out: &mut dyn Write, decided: &[Vec<Row>]) -> Result<()> {
    let line = |cells: [&str; 7]| {
        let [state, client, action, verdict, causes, proof, micros] = cells;
        format!(
            "  {state:<13}  {client:<6}  {action:<29}  {verdict:<7}  {causes:<69}  {proof:<12}  {micros:>5}"
        )
    };
    let head = line([
        "state", "client", "action", "verdict", "causes", "proof", "µs",
    ]);
    writeln!(out, "{head}\n  {}", "-".repeat(head.chars().count() - 2))?;
    for (i, (name, _)) in SHOWN.iter().enumerate() {
        let mut name = *name;
        for (client, rows) in CLIENTS.iter().zip(decided) {
            let Some(row) = rows.get(i) else { continue };
            let proof = row.proof.get(..12).unwrap_or(&row.proof);
            let micros = format!("{:.2}", row.nanoseconds / 1_000.0);
            let cells = [
                name,
                client,
                &row.action,
                &row.verdict,
                &row.causes,
                proof,
                &micros,
            ];
            writeln!(out, "{}", line(cells))?;
            name = "";
        }
        writeln!(out)?;
    }
    writeln!(
        out,
        "  causes: the fields that made a rule fire; proof: its first digits; µs: one decide(state), median of many\n  \
         (causes and proof are computed when asked for; C reads and writes all of it as JSON)\n"
    )?;
    Ok(())
}

/// Compares all that was said of all states; tells every state that differs.
fn differences(out: &mut dyn Write, states: &[String], decided: &[Vec<Row>]) -> Result<bool> {
    let mut equal = true;
    for (i, state) in states.iter().enumerate() {
        let rows: Vec<&Row> = decided.iter().filter_map(|rows| rows.get(i)).collect();
        let Some(first) = rows.first() else { continue };
        let same =
            |row: &&Row| row.common == first.common && (row.all.is_none() || row.all == first.all);
        if !rows.iter().all(same) {
            equal = false;
            writeln!(out, "\n  DIFFERENT: {state}")?;
            for (client, row) in CLIENTS.iter().zip(rows) {
                let said = row.all.as_ref().unwrap_or(&row.common);
                writeln!(out, "    {client:<8}{said}")?;
            }
        }
    }
    if equal {
        writeln!(
            out,
            "  equal everywhere: {} states, {} languages; action, verdict, fired rules, all of every cause \
             (in C: rule, factor, direction), the whole proof",
            states.len(),
            decided.len()
        )?;
    }
    Ok(equal)
}

/// Shows one error once, with the name each language has for it; false when code or message
/// differ. The advice may: it can name the language to generate.
fn wrong(out: &mut dyn Write, what: &str, refusals: &[Refusal]) -> Result<bool> {
    writeln!(out, "\n  {what}")?;
    let mut equal = true;
    for what in ["code", "message", "help"] {
        let said: Vec<&str> = refusals.iter().map(|refusal| refusal.part(what)).collect();
        if said.iter().all(|text| Some(text) == said.first()) {
            paragraph(out, what, said.first().unwrap_or(&""))?;
        } else {
            equal &= what == "help";
            for (language, text) in Language::ALL.iter().zip(said) {
                paragraph(out, what, &format!("{}: {text}", language.name()))?;
            }
        }
    }
    let classes = Language::ALL
        .iter()
        .zip(refusals)
        .map(|(language, refusal)| format!("{}: {}", language.name(), refusal.class));
    paragraph(out, "type", &classes.collect::<Vec<_>>().join("   "))?;
    if !equal {
        writeln!(out, "    DIFFERENT")?;
    }
    Ok(equal)
}

/// A labelled text, broken between words.
fn paragraph(out: &mut dyn Write, label: &str, text: &str) -> Result<()> {
    const WIDTH: usize = 120;
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    for (i, line) in lines.iter().enumerate() {
        let label = if i == 0 { label } else { "" };
        writeln!(out, "    {label:<7}  {line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(nanoseconds: &str, threshold: &str) -> Vec<Row> {
        let said = format!(
            r#"{{"action": "a", "verdict": "refuse", "proof_sha256": "00", "nanoseconds": {nanoseconds},
                "fired_rules": [], "necessary_causes": [{{"rule": "R", "factor": "has_ssn", "direction": "is_true",
                "threshold": {threshold}}}]}}"#
        );
        vec![row(canonical::parse(&said).unwrap()).unwrap()]
    }

    fn told(left: Vec<Row>, right: Vec<Row>) -> (bool, String) {
        let mut out = Vec::new();
        let equal = differences(&mut out, &[state(1)], &[left, right]).unwrap();
        (equal, String::from_utf8(out).unwrap())
    }

    #[test]
    fn only_the_time_may_differ() {
        let (equal, text) = told(decided("1.5", "null"), decided("900.0", "null"));
        assert!(
            equal && text.contains("equal everywhere: 1 states, 2 languages"),
            "{text}"
        );
        let (equal, text) = told(decided("1.5", "null"), decided("1.5", "false"));
        assert!(
            !equal && text.contains(&format!("DIFFERENT: {}", state(1))),
            "{text}"
        );
    }

    #[test]
    fn a_program_that_leaves_something_out_is_told() {
        let said = canonical::parse(r#"{"action": "a", "nanoseconds": 1.0}"#).unwrap();
        let failure = row(said).err().unwrap();
        assert!(failure.0.contains("necessary_causes"), "{failure}");
    }

    #[test]
    fn errors_may_differ_in_advice_only() {
        let refusal = |message: &str, help: &str| Refusal {
            class: "E".into(),
            code: "PACK_UNSEAL".into(),
            message: message.into(),
            help: help.into(),
        };
        let same = [refusal("m", "rust"), refusal("m", "python")];
        assert!(wrong(&mut Vec::new(), "", &same).unwrap());
        let other = [refusal("m", ""), refusal("n", "")];
        assert!(!wrong(&mut Vec::new(), "", &other).unwrap());
    }

    #[test]
    fn long_texts_break_between_words() {
        let mut out = Vec::new();
        paragraph(&mut out, "help", &"word ".repeat(50)).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.lines().count() == 3 && text.lines().all(|line| line.len() <= 133),
            "{text}"
        );
    }
}
