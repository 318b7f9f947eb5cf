//! The committed SDKs of the example pack are what the generator makes today.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "tests may panic"
)]

use helixor_playbook::builtin;
use helixor_sdk_gen::{Action, Config, Language, manifest, plan};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const COMMAND: &str = "cargo run -p helixor-sdk-gen -- generate --manifest \
    generator/tests/data/example.next.json --lang rust,java,python --out generated \
    --config generated/helixor-sdk.toml";

fn files_below(folder: &Path, root: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // What building and testing the SDKs leaves behind.
        if name == "target" || name == "Cargo.lock" || name.starts_with(['.', '_']) && path.is_dir()
        {
            continue;
        }
        if path.is_dir() {
            files_below(&path, root, found);
        } else {
            found.insert(
                path.strip_prefix(root)
                    .unwrap()
                    .to_string_lossy()
                    .replace('\\', "/"),
            );
        }
    }
}

#[test]
fn the_committed_sdks_are_up_to_date() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../generated");
    let config = std::fs::read_to_string(root.join("helixor-sdk.toml")).unwrap();
    let config = Config::parse(&config, "helixor-sdk.toml").unwrap();
    let manifest = manifest::parse(&manifest::write(&[builtin::example()], None)).unwrap();
    let plan = plan(&manifest, &Language::ALL, &[], &config).unwrap();
    let changes = plan.compare(&root).unwrap();
    for file in &changes.files {
        assert!(
            file.action == Action::None,
            "generated/{} is out of date; run: {COMMAND}",
            file.path
        );
    }
    let planned: BTreeSet<String> = plan.files().map(|(path, _)| path.to_owned()).collect();
    let mut found = BTreeSet::new();
    for language in Language::ALL.map(Language::as_str) {
        files_below(&root.join(language), &root, &mut found);
    }
    assert_eq!(found, planned);
}
