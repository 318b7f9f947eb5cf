//! `helixor-pack decide`.

use super::publisher::Trusted;
use crate::answer::line;
use crate::cli::license_source;
use crate::files::{license_warning, read_text};
use crate::{Answer, Failure};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use helixor_playbook::{Code, Error, Node};
use helixor_runtime::client::Licensed;
use helixor_runtime::container::{MAX_PACK_BYTES, read_pack};
use helixor_runtime::license::load;
use helixor_runtime::{
    AuthoritySource, Change, Client, Counterfactual, Options, Surroundings, Verdict,
};
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::time::Instant;

/// The largest state that is read, in bytes.
const MAX_STATE_BYTES: usize = 16 << 20;

/// Arguments of `decide`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The pack.
    #[arg(long, value_name = "FILE")]
    pub pack: PathBuf,
    /// The licence it was sealed for [default: $HELIXOR_LICENSE_FILE, ./helixor.hxlic,
    /// ~/.helixor/helixor.hxlic].
    #[arg(long, value_name = "FILE")]
    pub license: Option<PathBuf>,
    /// Who must have signed it.
    #[command(flatten)]
    pub trusted: Trusted,
    /// One state, a JSON object; `-` is standard input [default: standard input as JSON Lines,
    /// one state a line, answered by one JSON object a line].
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// End with exit code 1 on this verdict or a stronger one.
    #[arg(long, value_name = "VERDICT", value_parser = fail_on())]
    pub fail_on: Option<Verdict>,
    /// Keep an audit ledger in this file, which is made if it is not there.
    #[arg(long, value_name = "FILE")]
    pub ledger: Option<PathBuf>,
    /// Say of every line what would have to change for an approval; of one state it is always said.
    #[arg(long)]
    pub counterfactual: bool,
}

fn fail_on() -> impl TypedValueParser<Value = Verdict> {
    PossibleValuesParser::new(["redact", "refuse"])
        .try_map(|word| Verdict::parse(&word).ok_or("not a verdict"))
}

/// Decides on one state, or on one after the other.
///
/// # Errors
/// Those of the load checks and of the state; `IO`. When states come as JSON Lines, one that
/// fails is answered by its error and the highest exit code ends the run.
pub fn decide(
    arguments: &Arguments,
    authorities: &AuthoritySource,
    around: &Surroundings,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    errors: &mut dyn Write,
) -> Result<Answer, Failure> {
    let license = load(&license_source(&arguments.license), authorities, around)?;
    let warning = license_warning(license.file());
    let believed = license.believed().to_owned();
    let bytes = read_pack(&arguments.pack, MAX_PACK_BYTES)?;
    arguments.trusted.check(&bytes, &arguments.pack)?;
    let options = match &arguments.ledger {
        Some(path) => Options::new().ledger_file(path),
        None => Options::new(),
    };
    let client = Client::with_license(&bytes, None, &options, &Licensed::from(license))?;
    if let Some(path) = &arguments.state {
        let state = read_text(path, MAX_STATE_BYTES, Code::StateMalformed)?;
        let decision = Decision::by(&client, state.as_bytes(), true)?;
        return Ok(decision
            .answer()
            .value("authorities", believed.as_str())
            .table("", &[["believing".into(), believed]])
            .warn(warning)
            .with_exit(decision.exit(arguments.fail_on)));
    }
    // Rows are answered one by one, so there is no answer that a warning could be part of.
    let _ = errors.write_all(Answer::silent().warn(warning).warning_text().as_bytes());
    let exit = decide_lines(&client, arguments, input, output).map_err(|e| {
        Error::new(
            Code::Io,
            format!("cannot read or write the JSON Lines: {e}"),
            "",
        )
    })?;
    Ok(Answer::silent().with_exit(exit))
}

fn decide_lines(
    client: &Client,
    arguments: &Arguments,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> io::Result<u8> {
    let mut exit = 0;
    let mut row = Vec::new();
    loop {
        row.clear();
        let limit = MAX_STATE_BYTES.saturating_add(1);
        if (&mut *input)
            .take(limit as u64)
            .read_until(b'\n', &mut row)?
            == 0
        {
            return Ok(exit);
        }
        let decision = if row.len() >= limit && !row.ends_with(b"\n") {
            skip_line(input)?;
            let message = format!("the state is larger than the {MAX_STATE_BYTES} bytes allowed");
            Err(Error::new(
                Code::StateMalformed,
                message,
                "leave out of the state what the pack does not ask for",
            ))
        } else if row.trim_ascii().is_empty() {
            continue;
        } else {
            Decision::by(client, row.trim_ascii_end(), arguments.counterfactual)
        };
        let (node, code) = match decision {
            Ok(decision) => (decision.node(), decision.exit(arguments.fail_on)),
            Err(e) => {
                let code = e.code().exit_code();
                (Failure::from(e).node(), code)
            }
        };
        exit = exit.max(code);
        output.write_all(line(&node).as_bytes())?;
        output.flush()?;
    }
}

fn skip_line(input: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (used, found) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at.saturating_add(1), true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if found {
            return Ok(());
        }
    }
}

/// A decision in words.
struct Decision {
    verdict: Verdict,
    action: String,
    fired_rules: Vec<String>,
    causes: Vec<Cause>,
    /// What would have to change, as a document and as a table; not looked for: `None`.
    counterfactual: Option<(Node, Vec<[String; 4]>)>,
    proof: String,
    latency_us: f64,
}

struct Cause {
    rule: String,
    factor: String,
    node: Node,
    observed: String,
    direction: &'static str,
    threshold: String,
}

/// A row for each change that would be approved.
fn changes(found: Option<Counterfactual<&str, &str>>) -> Vec<[String; 4]> {
    let Some(found) = found else {
        return Vec::new();
    };
    if found.changes.is_empty() {
        return vec![[found.remedy, String::new(), String::new(), String::new()]];
    }
    let row = |change: &Change<&str, &str>| {
        [
            change.rule.to_owned(),
            change.factor.to_owned(),
            change.observed_value.to_string(),
            format!("{} {}", change.relation, change.required_value),
        ]
    };
    found.changes.iter().map(row).collect()
}

impl Decision {
    fn by(client: &Client, state: &[u8], remedy: bool) -> Result<Self, Error> {
        let pack = client.pack();
        let state = pack.state_from_json(state)?;
        let start = Instant::now();
        let decision = client.decide(state)?;
        let latency_us = start.elapsed().as_nanos() as f64 / 1e3;
        let causes = decision.named_causes().into_iter().map(|cause| Cause {
            rule: cause.rule.to_owned(),
            factor: cause.factor.to_owned(),
            node: cause.to_node(),
            observed: cause.observed_value.to_string(),
            direction: cause.direction,
            threshold: cause.threshold.to_string(),
        });
        let names = decision.fired_rule_names().into_iter();
        Ok(Self {
            verdict: decision.verdict(),
            action: decision.action_name().to_owned(),
            fired_rules: names.map(Into::into).collect(),
            causes: causes.collect(),
            counterfactual: remedy
                .then(|| decision.named_counterfactual())
                .map(|found| (found.as_ref().map(|f| f.to_node()).into(), changes(found))),
            proof: decision.proof().to_string(),
            latency_us,
        })
    }

    fn exit(&self, fail_on: Option<Verdict>) -> u8 {
        u8::from(fail_on.is_some_and(|verdict| self.verdict >= verdict))
    }

    fn entries(&self) -> Vec<(&'static str, Node)> {
        let counterfactual = self.counterfactual.as_ref();
        let counterfactual = counterfactual.map(|(node, _)| ("counterfactual", node.clone()));
        [
            ("verdict", self.verdict.as_str().into()),
            ("action", self.action.as_str().into()),
            (
                "fired_rules",
                Node::list(self.fired_rules.iter().map(String::as_str)),
            ),
            (
                "necessary_causes",
                Node::list(self.causes.iter().map(|cause| cause.node.clone())),
            ),
            ("confidence", 1.0.into()),
            ("proof_sha256", self.proof.as_str().into()),
            ("latency_us", self.latency_us.into()),
        ]
        .into_iter()
        .chain(counterfactual)
        .collect()
    }

    fn node(&self) -> Node {
        Node::map(self.entries())
    }

    fn answer(&self) -> Answer {
        let mut answer = Answer::new(&format!("{}: {}", self.verdict, self.action));
        for (key, value) in self.entries() {
            answer = answer.value(key, value);
        }
        let changes = self.counterfactual.iter().flat_map(|(_, changes)| changes);
        answer
            .table(
                "Because",
                &self
                    .causes
                    .iter()
                    .map(|cause| {
                        let threshold = match cause.threshold.as_str() {
                            "null" => String::new(),
                            threshold => format!(" {threshold}"),
                        };
                        [
                            cause.rule.clone(),
                            cause.factor.clone(),
                            cause.observed.clone(),
                            format!("{}{threshold}", cause.direction),
                        ]
                    })
                    .collect::<Vec<_>>(),
            )
            .table("To be approved", &changes.cloned().collect::<Vec<_>>())
            .table(
                "",
                &[
                    ["proof".into(), self.proof.clone()],
                    ["decided in".into(), format!("{:.3} µs", self.latency_us)],
                ],
            )
    }
}
