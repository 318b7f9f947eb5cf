//! `helixor-pack ledger`: what an audit ledger's file says and proves.

use crate::files::read_text;
use crate::{Answer, Failure};
use helixor_playbook::{Code, Data, Digest, Error};
use helixor_runtime::ledger::{LedgerProof, LedgerRoot, prove_consistency, prove_inclusion, root};
use std::path::{Path, PathBuf};

/// Larger than any proof, in bytes.
const MAX_PROOF_BYTES: usize = 1 << 20;

/// What to do with a ledger.
#[derive(Debug, clap::Subcommand)]
pub enum LedgerCommand {
    /// Say the root and the number of leaves.
    Root(RootArguments),
    /// Prove that a decision's leaf is in the ledger.
    Inclusion(InclusionArguments),
    /// Prove that the ledger begins with all that it had before.
    Consistency(ConsistencyArguments),
    /// Check every line of a ledger, and its root against one noted before.
    Verify(VerifyArguments),
    /// Check a proof, without the ledger.
    VerifyProof(VerifyProofArguments),
}

/// Arguments of `ledger root`.
#[derive(Debug, clap::Args)]
pub struct RootArguments {
    /// The ledger.
    #[arg(value_name = "FILE")]
    pub ledger: PathBuf,
    /// Only of its first leaves [default: all].
    #[arg(long, value_name = "LEAVES")]
    pub size: Option<u64>,
}

/// Arguments of `ledger inclusion`.
#[derive(Debug, clap::Args)]
pub struct InclusionArguments {
    /// The ledger.
    #[arg(value_name = "FILE")]
    pub ledger: PathBuf,
    /// The leaf, by its `seq`.
    #[arg(value_name = "SEQ")]
    pub seq: u64,
    /// In the tree of the first leaves only [default: all].
    #[arg(long, value_name = "LEAVES")]
    pub size: Option<u64>,
}

/// Arguments of `ledger consistency`.
#[derive(Debug, clap::Args)]
pub struct ConsistencyArguments {
    /// The ledger.
    #[arg(value_name = "FILE")]
    pub ledger: PathBuf,
    /// How many leaves it had before.
    #[arg(value_name = "OLD")]
    pub old: u64,
    /// How many it has now [default: all].
    #[arg(value_name = "NEW")]
    pub new: Option<u64>,
}

/// Arguments of `ledger verify`.
#[derive(Debug, clap::Args)]
pub struct VerifyArguments {
    /// The ledger.
    #[arg(value_name = "FILE")]
    pub ledger: PathBuf,
    /// The root it must have.
    #[arg(long, value_name = "HEX", value_parser = hex)]
    pub root: Option<Digest>,
    /// That root is of its first leaves only [default: all].
    #[arg(long, value_name = "LEAVES", requires = "root")]
    pub size: Option<u64>,
}

/// Arguments of `ledger verify-proof`.
#[derive(Debug, clap::Args)]
pub struct VerifyProofArguments {
    /// The proof, as `inclusion` and `consistency` print it with --json; `-` is standard input.
    #[arg(value_name = "PROOF")]
    pub proof: PathBuf,
    /// The root that you trust: that of the tree the proof speaks of.
    #[arg(long, value_name = "HEX", value_parser = hex)]
    pub root: Option<Digest>,
    /// The root that you trust of the older tree.
    #[arg(long, value_name = "HEX", value_parser = hex)]
    pub old_root: Option<Digest>,
}

fn hex(text: &str) -> Result<Digest, &'static str> {
    Digest::from_hex(text).ok_or("a root has 64 lower-case hex digits")
}

/// Does what is asked of a ledger.
///
/// # Errors
/// `IO`; `INVALID_ARGUMENT` when the file is not a ledger or has not what is asked for.
pub fn ledger(command: &LedgerCommand) -> Result<Answer, Failure> {
    Ok(match command {
        LedgerCommand::Root(arguments) => {
            let found = root(&arguments.ledger, arguments.size)?;
            described(Answer::new("Every line is a leaf, in its place."), &found)
        }
        LedgerCommand::Inclusion(arguments) => {
            let proof = prove_inclusion(&arguments.ledger, arguments.seq, arguments.size)?;
            proven(&LedgerProof::Inclusion(proof))
        }
        LedgerCommand::Consistency(arguments) => {
            let proof = prove_consistency(&arguments.ledger, arguments.old, arguments.new)?;
            proven(&LedgerProof::Consistency(proof))
        }
        LedgerCommand::Verify(arguments) => verify(arguments)?,
        LedgerCommand::VerifyProof(arguments) => verify_proof(arguments)?,
    })
}

/// Checks a whole ledger; what is wrong with it is the answer.
fn verify(arguments: &VerifyArguments) -> Result<Answer, Error> {
    let path = arguments.ledger.as_path();
    // All of it is checked, however many leaves the root is of.
    let checked = root(path, None).and_then(|all| match arguments.size {
        Some(size) => Ok((all, root(path, Some(size))?)),
        None => Ok((all, all)),
    });
    let (all, asked) = match checked {
        Ok(found) => found,
        Err(error) if error.code() == Code::InvalidArgument => {
            return Ok(no("The ledger does not verify", error.message()));
        }
        Err(error) => return Err(error),
    };
    let LedgerRoot { size, root, .. } = asked;
    if let Some(wanted) = arguments.root.filter(|wanted| *wanted != root) {
        let what = format!("the root of its first {size} leaves is {root}, not {wanted}");
        return Ok(no("The ledger does not verify", &what));
    }
    let sentence = match arguments.root {
        Some(_) => format!("The ledger verifies: its first {size} leaves have the root given."),
        None => "Every line is a leaf, in its place; no root was given to compare.".to_owned(),
    };
    Ok(described(Answer::new(&sentence).value("valid", true), &all))
}

/// Checks a proof; what is wrong with it is the answer.
fn verify_proof(arguments: &VerifyProofArguments) -> Result<Answer, Error> {
    let text = read_text(&arguments.proof, MAX_PROOF_BYTES, Code::InvalidArgument)?;
    let proof = LedgerProof::parse(text.as_bytes(), &named(&arguments.proof))?;
    const NO: &str = "The proof does not hold";
    if !proof.holds() {
        return Ok(no(
            NO,
            "its leaf, number and hashes do not make up the root it names",
        ));
    }
    let old_root = match &proof {
        LedgerProof::Consistency(proof) => Some(proof.old_root),
        LedgerProof::Inclusion(_) => None,
    };
    let roots = [
        ("root", arguments.root, Some(proof.root())),
        ("older root", arguments.old_root, old_root),
    ];
    for (what, trusted, found) in roots {
        let Some(trusted) = trusted.filter(|trusted| Some(*trusted) != found) else {
            continue;
        };
        let found = found.map_or("it names none".to_owned(), |root| {
            format!("it names {root}")
        });
        return Ok(no(NO, &format!("its {what} is not {trusted}: {found}")));
    }
    let untrusted = roots
        .into_iter()
        .filter(|(_, trusted, found)| trusted.is_none() && found.is_some());
    let untrusted: Vec<&str> = untrusted.map(|(what, ..)| what).collect();
    let warning = (!untrusted.is_empty()).then(|| {
        format!(
            "the {} is the proof's own word: name the one that you trust",
            untrusted.join(" and the ")
        )
    });
    let sentence = match &proof {
        LedgerProof::Inclusion(proof) => {
            format!("The proof holds: leaf {} is under the root.", proof.seq)
        }
        LedgerProof::Consistency(_) => {
            "The proof holds: the ledger of the root begins with all of the older.".to_owned()
        }
    };
    // How many leaves there are is no part of what was proven.
    let rows: Vec<_> = rows(&proof)
        .into_iter()
        .filter(|[name, _]| !name.starts_with("leaves"))
        .collect();
    Ok(Answer::new(&sentence)
        .value("valid", true)
        .table("", &rows)
        .warn(warning))
}

fn named(path: &Path) -> String {
    match crate::files::is_standard(path) {
        true => "standard input".to_owned(),
        false => format!("`{}`", path.display()),
    }
}

/// An answer that is not the wanted one.
fn no(sentence: &str, what: &str) -> Answer {
    Answer::new(&format!("{sentence}: {what}."))
        .value("valid", false)
        .value("problem", what)
        .with_exit(1)
}

fn described(answer: Answer, found: &LedgerRoot) -> Answer {
    let torn =
        "the last line has no end, and was left out: its writer was stopped, or is writing it";
    answer
        .value("size", found.size)
        .value("root", found.root.to_string())
        .table(
            "",
            &[
                ["leaves".into(), found.size.to_string()],
                ["root".into(), found.root.to_string()],
            ],
        )
        .warn(found.torn.then(|| torn.to_owned()))
}

/// A proof: for programs the document that `verify-proof` reads.
fn proven(proof: &LedgerProof) -> Answer {
    let sentence = match proof {
        LedgerProof::Inclusion(_) => "The leaf is in the ledger.",
        LedgerProof::Consistency(_) => "The ledger begins with all that it had before.",
    };
    let mut answer = Answer::new(sentence).table("", &rows(proof));
    if let Data::Map(entries) = proof.to_node().data {
        for entry in entries {
            answer = answer.value(&entry.key, entry.value);
        }
    }
    answer.next(
        "To hand the proof over, print it with --json; whoever has the root checks it with:",
        &["helixor-pack ledger verify-proof PROOF --root ROOT".into()],
    )
}

fn rows(proof: &LedgerProof) -> Vec<[String; 2]> {
    let row = |name: &str, value: String| [name.to_owned(), value];
    match proof {
        LedgerProof::Inclusion(proof) => vec![
            row("leaf", proof.leaf.clone()),
            row("leaves", proof.size.to_string()),
            row("root", proof.root.to_string()),
        ],
        LedgerProof::Consistency(proof) => vec![
            row("leaves before", proof.old_size.to_string()),
            row("root before", proof.old_root.to_string()),
            row("leaves", proof.size.to_string()),
            row("root", proof.root.to_string()),
        ],
    }
}
