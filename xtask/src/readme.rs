//! README.md is held to what it says: the programs it shows are those of `examples/`, and its shell
//! commands, in a fresh project, print what it says they print.

use crate::markdown::fences;
use crate::run::{Result, command, fail, read, root, run};

/// The programs that README shows whole.
const SHOWN: [&str; 4] = [
    "examples/c/guard.c",
    "examples/rust/src/main.rs",
    "examples/java/src/main/java/Guard.java",
    "examples/python/main.py",
];

/// Checks that README shows the programs as they are.
pub(crate) fn programs() -> Result<String> {
    let readme = read(&root().join("README.md"))?;
    for file in SHOWN {
        let program = read(&root().join(file))?;
        if !readme.contains(program.trim_end()) {
            return fail(format!(
                "README.md does not show {file} as it is; copy the file into its block again"
            ));
        }
    }
    Ok(format!("{} programs", SHOWN.len()))
}

/// Runs README's `sh` blocks, as one script in a fresh folder outside the workspace, which Cargo
/// would take a new project into. The tools and the wheel must be in `target/`.
pub(crate) fn commands() -> Result<String> {
    let readme = read(&root().join("README.md"))?;
    let script = blocks(&readme, "sh")?.join("\n");
    let folder = tempfile::tempdir()?;
    let mut bash = command("bash");
    bash.args(["-euo", "pipefail", "-c", &script])
        .env("HELIXOR", root())
        .current_dir(folder.path());
    let said = run(&mut bash)?;
    let promised = blocks(&readme, "text")?;
    let Some(promised) = promised.iter().find(|text| text.contains("proof")) else {
        return fail("README.md has no `text` block with what its programs print");
    };
    // The C program prints its JSON, with the same proof.
    let proof = promised.split_whitespace().last().unwrap_or_default();
    let typed = said.matches(promised.as_str()).count();
    match said.matches(proof).count() {
        n if n == SHOWN.len() && typed == n - 1 => Ok(format!("{n} projects")),
        _ => fail(format!(
            "README.md says each program prints\n\n{promised}\n\nbut its commands print\n\n{said}"
        )),
    }
}

/// The fenced blocks of a kind.
pub(crate) fn blocks(markdown: &str, kind: &str) -> Result<Vec<String>> {
    let fences = fences(markdown)?.into_iter();
    Ok(fences
        .filter(|fence| fence.info == kind)
        .map(|fence| fence.text)
        .collect())
}
