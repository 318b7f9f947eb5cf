//! `helixor-pack check`, and how every command reads a playbook.

use crate::answer::quote;
use crate::files::read_text;
use crate::{Answer, Failure};
use helixor_playbook::{
    Code, Format, MAX_BYTES, Node, Playbook, Problem, check as check_tree, read,
};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The playbook (YAML, or JSON when its name ends in `.json`); `-` is standard input.
    #[arg(value_name = "PLAYBOOK")]
    pub playbook: PathBuf,
}

/// A playbook's text and tree, not checked yet.
pub(crate) struct Draft {
    name: String,
    source: Zeroizing<String>,
    pub(crate) root: Node,
}

impl Draft {
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let source = read_text(path, MAX_BYTES, Code::PlaybookInvalid)?;
        let name = path.display().to_string();
        match read(&source, Format::of_path(path)) {
            Ok(root) => Ok(Self { name, source, root }),
            Err(problems) => Err(Failure::of_playbook(&name, &source, &problems)),
        }
    }

    pub(crate) fn check(&self) -> Result<Playbook, Failure> {
        check_tree(&self.source, &self.root).map_err(|problems: Vec<Problem>| {
            Failure::of_playbook(&self.name, &self.source, &problems)
        })
    }
}

/// Checks a playbook and says what is in it.
///
/// # Errors
/// `PLAYBOOK_INVALID` or `PACK_UNSUPPORTED` with every fault; `IO`.
pub fn check(arguments: &Arguments) -> Result<Answer, Failure> {
    let playbook = Draft::read(&arguments.playbook)?.check()?;
    let path = quote(&arguments.playbook.display().to_string());
    Ok(
        describe(Answer::new("The playbook is valid."), &playbook).next(
            "Next, seal it for a licence:",
            &[format!(
                "helixor-pack compile --playbook {path} --license FILE --out PACK.hxpack"
            )],
        ),
    )
}

/// What is in a playbook, in short.
pub(crate) fn describe(answer: Answer, playbook: &Playbook) -> Answer {
    let count = |n: usize| Node::from(n as u64);
    answer
        .value("pack_id", playbook.pack_id.as_str())
        .value("pack_version", playbook.version.as_str())
        .value("raw_pack_sha256", playbook.digest.to_string())
        .value("fields", count(playbook.fields.len()))
        .value("actions", count(playbook.actions.len()))
        .value("hard_rules", count(playbook.rules.len()))
        .value("codons", count(playbook.codons.len()))
        .table(
            "",
            &[
                ["pack".into(), playbook.pack_id.to_string()],
                ["version".into(), playbook.version.clone()],
                ["digest".into(), playbook.digest.to_string()],
                ["state fields".into(), playbook.fields.len().to_string()],
                ["actions".into(), playbook.actions.len().to_string()],
                ["hard rules".into(), playbook.rules.len().to_string()],
                ["codons".into(), playbook.codons.len().to_string()],
            ],
        )
}
