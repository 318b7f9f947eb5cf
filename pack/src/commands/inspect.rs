//! `helixor-pack inspect`.

use super::publisher::Trusted;
use crate::answer::quote;
use crate::files::license_warning;
use crate::{Answer, Failure};
use helixor_playbook::Node;
use helixor_runtime::container::{Envelope, FORMAT_VERSION, MAX_PACK_BYTES, read_pack};
use helixor_runtime::license::load;
use helixor_runtime::{AuthoritySource, LicenseSource, Pack, Surroundings};
use std::path::PathBuf;

/// Arguments of `inspect`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The pack.
    #[arg(value_name = "PACK")]
    pub pack: PathBuf,
    /// The licence it was sealed for; without it only the header can be read.
    #[arg(long, value_name = "FILE")]
    pub license: Option<PathBuf>,
    /// Who must have signed it.
    #[command(flatten)]
    pub trusted: Trusted,
}

/// Says what a pack is; with its licence, what is in it.
///
/// # Errors
/// Those of the load checks; `IO`.
pub fn inspect(
    arguments: &Arguments,
    authorities: &AuthoritySource,
    around: &Surroundings,
) -> Result<Answer, Failure> {
    let license = match &arguments.license {
        Some(path) => Some(load(
            &LicenseSource::File(path.clone()),
            authorities,
            around,
        )?),
        None => None,
    };
    let bytes = read_pack(&arguments.pack, MAX_PACK_BYTES)?;
    let envelope = Envelope::parse(&bytes)?;
    let signed = arguments.trusted.check(&bytes, &arguments.pack)?;
    let sentence = match &license {
        Some(_) => "The pack opens with this licence.",
        None => "The header reads so; without the licence nothing proves it.",
    };
    let answer = Answer::new(sentence)
        .value("pack_id", envelope.pack_id().as_str())
        .value("format_version", u64::from(FORMAT_VERSION))
        .value("raw_pack_sha256", envelope.digest().to_string())
        .value("bytes", bytes.len() as u64)
        .table(
            "",
            &[
                ["pack".into(), envelope.pack_id().to_string()],
                ["format version".into(), FORMAT_VERSION.to_string()],
                ["digest".into(), envelope.digest().to_string()],
                ["size".into(), format!("{} bytes", bytes.len())],
            ],
        );
    let answer = signed.told(answer);
    let Some(license) = license else {
        return Ok(answer.next(
            "Next, with the licence it was sealed for, see its rules:",
            &[format!(
                "helixor-pack inspect {} --license FILE",
                quote(&arguments.pack.display().to_string())
            )],
        ));
    };
    let pack = Pack::open(&bytes, &license)?;
    let playbook = pack.playbook();
    let action = |i: usize| playbook.actions.get(i).map_or("", |action| action.as_str());
    let rules = pack.rules().map(|rule| {
        Node::map([
            ("id", rule.id.as_str().into()),
            ("verdict", rule.verdict.as_str().into()),
            ("action", action(rule.action).into()),
            ("condition", rule.condition.text.as_str().into()),
        ])
    });
    let fields = playbook.fields.iter().map(|field| {
        Node::map([
            ("name", field.name.as_str().into()),
            ("type", field.kind.as_str().into()),
        ])
    });
    // A pack that declares solvers does not open yet.
    let solvers = Node::list::<Node>([]);
    Ok(answer
        .warn(license_warning(license.file()))
        .value("pack_version", playbook.version.as_str())
        .value("name", playbook.name.as_str())
        .value("license_id", license.license_id().as_str())
        .value("authorities", license.believed())
        .value("fields", Node::list(fields))
        .value("hard_rules", Node::list(rules))
        .value(
            "actions",
            Node::list(playbook.actions.iter().map(|a| a.as_str())),
        )
        .value("default_action", action(playbook.default_action))
        .value("solvers", solvers)
        .table(
            "",
            &[
                ["name".into(), playbook.name.clone()],
                ["version".into(), playbook.version.clone()],
                ["licence".into(), license.license_id().to_string()],
                ["believing".into(), license.believed().to_owned()],
                ["solvers".into(), "none".into()],
            ],
        )
        .table(
            "State",
            &playbook
                .fields
                .iter()
                .map(|f| {
                    [
                        f.name.to_string(),
                        f.kind.to_string(),
                        f.description.clone(),
                    ]
                })
                .collect::<Vec<_>>(),
        )
        .table(
            "Hard rules, in the order that decides",
            &pack
                .rules()
                .map(|rule| {
                    [
                        rule.verdict.to_string(),
                        rule.id.to_string(),
                        action(rule.action).to_owned(),
                        rule.condition.text.clone(),
                    ]
                })
                .collect::<Vec<_>>(),
        )
        .table(
            "Actions",
            &playbook
                .actions
                .iter()
                .enumerate()
                .map(|(i, action)| {
                    let default = i == playbook.default_action;
                    [
                        action.to_string(),
                        if default {
                            "when no rule fires".into()
                        } else {
                            String::new()
                        },
                    ]
                })
                .collect::<Vec<_>>(),
        ))
}
