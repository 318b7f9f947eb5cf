//! Generates the typed clients under test with the call that users put in their own `build.rs`.

use helixor_playbook::{Format, builtin, check, read};
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let loan_desk = std::fs::read_to_string("packs/loan_desk.yaml")?;
    let reversed_names = std::fs::read_to_string("packs/reversed_names.yaml")?;
    let every_field = std::fs::read_to_string("packs/every_field.yaml")?;
    let obstacle_course = std::fs::read_to_string("packs/obstacle_course.yaml")?;
    println!("cargo::rerun-if-changed=packs");
    for (name, source) in [
        ("example", builtin::EXAMPLE),
        ("loan_desk", &loan_desk),
        ("reversed_names", &reversed_names),
        ("every_field", &every_field),
        ("obstacle_course", &obstacle_course),
    ] {
        let manifest = manifest(source)?;
        generate(&out, name, &manifest)?;
        if name == "reversed_names" {
            generate(&out.join("reversed"), name, &reversed(&manifest))?;
        }
    }
    // The form of release 0.2.1: tied to no playbook, no actions on rules, no default action.
    let old = std::fs::read_to_string(OLD_FORM)?;
    println!("cargo::rerun-if-changed={OLD_FORM}");
    generate(&out.join("old"), "example", &old)?;
    for (name, source) in wide::sources() {
        if ["wide_300", "mixed_300", "many_rules", "many_values"].contains(&name.as_str()) {
            generate(&out.join("wide"), &name, &manifest(&source)?)?;
        }
    }
    println!("cargo::rerun-if-changed={HARD}");
    for name in [
        "digits",
        "empty_state",
        "fields",
        "hostile",
        "keywords",
        "symbols",
        "unicode",
    ] {
        let manifest = std::fs::read_to_string(format!("{HARD}/{name}.json"))?;
        generate(&out.join("hard"), name, &manifest)?;
    }
    Ok(())
}

/// The manifests that the generator is tested with: names, texts and limits that are hard.
const HARD: &str = "../generator/tests/data";

#[path = "src/wide.rs"]
mod wide;

const OLD_FORM: &str = "../generator/tests/data/example.0.2.1.json";

include!("src/reverse.rs");

fn manifest(source: &str) -> Result<String, Box<dyn std::error::Error>> {
    let root = read(source, Format::Yaml).map_err(|problems| format!("{problems:?}"))?;
    let playbook = check(source, &root).map_err(|problems| format!("{problems:?}"))?;
    Ok(helixor_sdk_gen::manifest::write(&[playbook], None))
}

fn generate(folder: &Path, name: &str, manifest: &str) -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join(format!("{name}.json"));
    std::fs::write(&path, manifest)?;
    helixor_sdk_gen::configure()
        .manifest(path)
        .rust()
        .out_dir(folder)
        .generate()?;
    Ok(())
}
