//! `helixor-pack compile`.

use super::check::{Draft, describe};
use crate::answer::quote;
use crate::cli::license_source;
use crate::files::{is_standard, keep_apart, license_warning};
use crate::{Answer, Failure};
use helixor_playbook::file::write_atomic;
use helixor_playbook::{Data, Error, Node, PackId, canonical, canonical::Style, declared_solvers};
use helixor_runtime::container::{MAX_PACK_BYTES, read_pack, seal};
use helixor_runtime::license::load;
use helixor_runtime::{AuthoritySource, Code, Pack, Surroundings};
use helixor_sdk_gen::manifest::{self, Sealed};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Arguments of `compile`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The playbook (YAML, or JSON when its name ends in `.json`); `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub playbook: PathBuf,
    /// The licence to seal for [default: $HELIXOR_LICENSE_FILE, ./helixor.hxlic,
    /// ~/.helixor/helixor.hxlic].
    #[arg(long, value_name = "FILE")]
    pub license: Option<PathBuf>,
    /// Where to write the pack; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Where to write the manifest that typed clients are generated from; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
}

/// Checks a playbook, seals it for a licence, and opens the pack once to see that it opens.
///
/// # Errors
/// Those of load checks 1, 3, 6 and 7, which come first; `PLAYBOOK_INVALID`; `IO`.
pub fn compile(
    arguments: &Arguments,
    authorities: &AuthoritySource,
    around: &Surroundings,
) -> Result<Answer, Failure> {
    let license = load(&license_source(&arguments.license), authorities, around)?;
    let manifest_to = arguments.manifest.as_deref();
    // The licence too that was looked up: nobody could issue it again with the same key.
    let mut read: Vec<(&str, &Path)> = vec![("the playbook", &arguments.playbook)];
    read.extend(license.file().map(|path| ("the licence", path)));
    match authorities {
        AuthoritySource::Paths(paths) => {
            read.extend(paths.iter().map(|p| ("an authority key", p.as_path())));
        }
        _ => read.extend(
            around
                .authority_keys
                .iter()
                .map(|p| ("an authority key", Path::new(p))),
        ),
    }
    let mut written: Vec<(&str, &Path)> = vec![("the pack", &arguments.out)];
    written.extend(manifest_to.map(|path| ("the manifest", path)));
    keep_apart(&read, &written)?;
    let draft = Draft::read(&arguments.playbook)?;
    if let Some(pack_id) = pack_id(&draft.root) {
        license.check_pack(&pack_id)?;
    }
    license.check_solvers(declared_solvers(&draft.root))?;
    let playbook = draft.check()?;

    // What was read holds finite numbers only, so there is always a JSON form.
    let json = canonical::write(&draft.root, Style::Compact).unwrap_or_default();
    let sealed = seal(&playbook.pack_id, Zeroizing::new(json).as_bytes(), &license)?;
    if sealed.len() as u64 > MAX_PACK_BYTES {
        let message = format!(
            "the pack would have {} bytes, at most {MAX_PACK_BYTES} are opened",
            sealed.len()
        );
        return Err(Error::new(Code::PackTooLarge, message, "split the playbook").into());
    }
    let standard = is_standard(&arguments.out);
    let written = if standard {
        sealed
    } else {
        write_atomic(&arguments.out, &sealed)?;
        read_pack(&arguments.out, MAX_PACK_BYTES)?
    };
    Pack::open(&written, &license)?;

    let out = arguments.out.display().to_string();
    let answer = Answer::new("Sealed the playbook; the pack opens with this licence only.")
        .value("pack", out.as_str())
        .value("bytes", written.len() as u64)
        .value("license_id", license.license_id().as_str())
        .value("authorities", license.believed());
    let mut answer = describe(answer, &playbook).table(
        "",
        &[
            ["pack file".into(), out.clone()],
            ["size".into(), format!("{} bytes", written.len())],
            ["licence".into(), license.license_id().to_string()],
            ["held by".into(), license.claims().tenant_id.to_string()],
            [
                "valid until".into(),
                license
                    .expires_at()
                    .map_or("without end".into(), |end| end.to_string()),
            ],
            ["believing".into(), license.believed().to_owned()],
        ],
    );
    answer = answer.warn(license_warning(license.file()));
    let mut content = standard.then(|| Zeroizing::new(written));
    let mut next = Vec::new();
    if let Some(path) = manifest_to {
        let sealed = Sealed {
            sealed_at: around.now.to_string(),
        };
        let text = manifest::write(&[playbook], Some(&sealed));
        let name = path.display().to_string();
        answer = answer.value("manifest", name.as_str());
        if is_standard(path) {
            content = Some(Zeroizing::new(text.into_bytes()));
        } else {
            write_atomic(path, text.as_bytes())?;
            next.push(format!(
                "helixor-sdk-gen generate --manifest {} --lang rust,java,python --out sdk",
                quote(&name)
            ));
        }
    }
    if content.is_some() {
        return Ok(answer.with_content(content));
    }
    let mut options = String::new();
    if let Some(path) = &arguments.license {
        options += &format!(" --license {}", quote(&path.display().to_string()));
    }
    if let AuthoritySource::Paths(paths) = authorities {
        for path in paths {
            options += &format!(" --authorities {}", quote(&path.display().to_string()));
        }
    }
    let pack = quote(&out);
    next.push(format!("helixor-pack inspect {pack}{options}"));
    next.push(format!(
        "helixor-pack decide --pack {pack}{options} --state STATE.json"
    ));
    Ok(answer.next("Next:", &next))
}

/// The pack id, when the playbook has a valid one; else the playbook's check says what is wrong.
fn pack_id(root: &Node) -> Option<PackId> {
    match &root.get("pack_id")?.data {
        Data::String(id) => PackId::new(id.as_str()).ok(),
        _ => None,
    }
}
