//! `generate`: typed clients.

use super::unified::Diffs;
use super::{Failure, Outcome, files, parse_packs, print, read_config, read_manifest, warn, word};
use helixor_sdk_gen::{Action, Changes, Code, Error, Language, current, plan};
use std::path::{Path, PathBuf};

/// Write typed clients, each language in a folder of its name
///
/// Files that have the right content already are not touched. helixor-sdk.lock, written
/// last, lists every file with its digest: what it lists and a later run makes no longer
/// is removed, unless it was edited. A file that is in the way and was not generated is
/// never replaced.
///
/// Exit codes: 0 fine, 1 drift (--check), 2 bad input or usage, 3 input or output failed.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The manifest; `-` is stdin
    #[arg(long, value_name = "FILE")]
    manifest: PathBuf,
    /// Languages, joined by commas: rust, java, python
    #[arg(
        long = "lang",
        required = true,
        value_delimiter = ',',
        value_name = "LANG"
    )]
    languages: Vec<String>,
    /// The folder that everything is written below
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Generate this pack, and only those named so
    #[arg(long = "pack", value_name = "ID")]
    packs: Vec<String>,
    /// Names and places of the generated packages; `init` writes one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write nothing; show what differs, the command that mends it, and exit with 1 if anything does
    #[arg(long)]
    check: bool,
    /// Write nothing; list what would be done with each file
    #[arg(long, conflicts_with = "check")]
    dry_run: bool,
}

pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let languages = args
        .languages
        .iter()
        .map(|name| language(name))
        .collect::<Result<Vec<_>, _>>()?;
    let packs = parse_packs(&args.packs)?;
    let config = read_config(args.config.as_deref())?;
    let manifest = read_manifest(&args.manifest)?;
    if !args.check
        && !args.dry_run
        && let Some(count) = current(&manifest, &languages, &packs, &config, &args.out)
    {
        return Ok(print(&summary(0, count, 0)).map(|()| Outcome::Fine)?);
    }
    let plan = plan(&manifest, &languages, &packs, &config)?;
    if args.check {
        return check(&plan.compare(&args.out)?, args);
    }
    if args.dry_run {
        list(&plan.compare(&args.out)?, &args.out)?;
    } else {
        report(&plan.write(&args.out)?, &args.out)?;
    }
    Ok(Outcome::Fine)
}

/// Says what was done.
fn report(changes: &Changes<'_>, out: &Path) -> Result<(), Error> {
    for file in &changes.files {
        let path = out.join(&*file.path);
        let path = path.display();
        match file.action {
            Action::None => {}
            Action::Create | Action::Update => print(&format!("wrote {path}\n"))?,
            Action::Restore => print(&format!("wrote {path}, which was not as generated\n"))?,
            Action::Remove => print(&format!("removed {path}\n"))?,
            Action::Keep => warn(&format!(
                "warning: {path} is generated no longer, but was changed since: it stays\n  help: remove it, if nothing of yours is in it\n"
            )),
        }
    }
    print(&summary(
        to_write(changes),
        changes.count(Action::None),
        changes.count(Action::Remove),
    ))
}

fn summary(written: usize, unchanged: usize, removed: usize) -> String {
    let removed = match removed {
        0 => String::new(),
        n => format!(", {n} removed"),
    };
    format!(
        "{} written, {unchanged} unchanged{removed}; the README in each folder shows the first call\n",
        files(written)
    )
}

/// Says what would be done.
fn list(changes: &Changes<'_>, out: &Path) -> Result<(), Error> {
    for file in &changes.files {
        let what = match file.action {
            Action::None => "unchanged",
            Action::Create => "create",
            Action::Update => "update",
            Action::Restore => "restore",
            Action::Remove => "remove",
            Action::Keep => "keep",
        };
        print(&format!("{what:<9}  {}\n", out.join(&*file.path).display()))?;
    }
    print(&format!(
        "nothing was written; {} to write, {} to remove, {} unchanged\n",
        files(to_write(changes)),
        changes.count(Action::Remove),
        changes.count(Action::None),
    ))
}

/// Says what differs, and the command that makes it right.
fn check(changes: &Changes<'_>, args: &Args) -> Result<Outcome, Failure> {
    let out = args.out.display();
    if changes.is_empty() {
        let count = files(changes.files.len());
        print(&format!("{out} is current, {count}\n"))?;
        return Ok(Outcome::Fine);
    }
    let mut diffs = Diffs::default();
    // The lock file is a consequence of the others, so it comes last.
    let (lock, others): (Vec<_>, Vec<_>) = changes
        .files
        .iter()
        .partition(|file| !file.path.contains('/'));
    let mut kept = String::new();
    for file in others.into_iter().chain(lock) {
        let path = args.out.join(&*file.path).display().to_string();
        let (old, new) = (Some(file.old.as_slice()), Some(&*file.new));
        match file.action {
            Action::None => {}
            Action::Create => diffs.add(&path, None, new),
            Action::Update | Action::Restore => diffs.add(&path, old, new),
            Action::Remove => diffs.add(&path, old, None),
            Action::Keep => kept.push_str(&format!(
                "{path} is generated no longer, but was changed since: it would stay\n"
            )),
        }
    }
    let mut counts = Vec::new();
    for (action, what) in [
        (Action::Create, "missing"),
        (Action::Update, "out of date"),
        (Action::Restore, "edited"),
        (Action::Remove, "generated no longer"),
    ] {
        match changes.count(action) {
            0 => {}
            n => counts.push(format!("{n} {what}")),
        }
    }
    if !counts.is_empty() {
        counts.insert(0, String::new());
    }
    let manifest = match args.manifest == Path::new("-") {
        true => "the manifest on stdin".to_owned(),
        false => args.manifest.display().to_string(),
    };
    print(&format!(
        "{}{kept}{out} is not what {manifest} gives{}\nmake it current with:\n  {}\n",
        diffs.finish(),
        counts.join(", ").replacen(", ", ": ", 1),
        command(args),
    ))?;
    Ok(Outcome::Differs)
}

/// The command without `--check`, as a shell reads it.
fn command(args: &Args) -> String {
    let mut words = vec![
        "helixor-sdk-gen generate --manifest".to_owned(),
        word(&args.manifest.to_string_lossy()),
        format!("--lang {} --out", args.languages.join(",")),
        word(&args.out.to_string_lossy()),
    ];
    for id in &args.packs {
        words.push(format!("--pack {id}"));
    }
    if let Some(config) = &args.config {
        words.push(format!("--config {}", word(&config.to_string_lossy())));
    }
    words.join(" ")
}

fn to_write(changes: &Changes<'_>) -> usize {
    [Action::Create, Action::Update, Action::Restore]
        .map(|action| changes.count(action))
        .iter()
        .sum()
}

fn language(name: &str) -> Result<Language, Error> {
    let known = Language::ALL.map(Language::as_str);
    Language::parse(name).ok_or_else(|| {
        let mut help = helixor_playbook::suggest(name, known);
        if help.is_empty() {
            help = format!("choose from {}", known.join(", "));
        }
        Error::new(
            Code::InvalidArgument,
            format!("{name:?} is no language of this generator"),
            help,
        )
    })
}
