//! `cargo xtask dist`: what users get, in `target/dist`.

use crate::run::{
    Failure, Result, command, digest, fail, files, fresh, once, read, root, run, step, target,
    write,
};
use crate::tools::{self, Venv, cargo};
use crate::{examples, java, packages};
use helixor_playbook::Digest;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The crates that downstream projects name, in the order of their dependencies.
pub(crate) const CRATES: [&str; 4] = [
    "helixor-playbook",
    "helixor-runtime",
    "helixor-sdk-gen",
    "helixor-pack",
];

/// The folder of all that is made here.
pub(crate) fn folder() -> PathBuf {
    target("dist")
}

/// Makes everything, and builds projects outside this checkout with it.
pub(crate) fn dist(out: &mut dyn Write) -> Result<bool> {
    writeln!(out, "Helixor: what users get, in target/dist\n")?;
    let tools = step(out, "Python tools in target/venv", Venv::with_tools)?;
    step(
        out,
        "helixor-pack, helixor-sdk-gen, the jar (the first time minutes)",
        || tools::publisher_tools().and_then(|()| java::runtime()),
    )?;
    step(out, "wheels", || {
        tools.install(&[&tools::wheel(&tools)?])?;
        tools::generator_wheel(&tools)
    })?;
    let content = step(out, "target/dist", || fill(&tools))?;
    for kind in examples::KINDS {
        let what = format!("examples/build/{} with nothing else", kind.folder());
        step(out, &what, || examples::build(kind))?;
    }
    step(out, "generated packages, as they are published", || {
        packages::packages()
    })?;
    writeln!(
        out,
        "\n{content}; README shows how a project is pointed at it"
    )?;
    Ok(true)
}

/// Fills the folder anew from what is built; says what there is.
pub(crate) fn fill(tools: &Venv) -> Result<String> {
    let folder = folder();
    // Crates stay where they do not change: Cargo looks at the times of their files.
    for part in ["wheels", "maven", "c", "SHA256SUMS"] {
        let part = folder.join(part);
        if part.is_dir() {
            std::fs::remove_dir_all(part)?;
        } else if part.exists() {
            std::fs::remove_file(part)?;
        }
    }
    crates()?;
    for wheel in files(&tools::wheels())? {
        copy(
            &tools::wheels().join(&wheel),
            &folder.join("wheels").join(&wheel),
        )?;
    }
    java::deploy(&folder.join("maven"))?;
    for (from, to) in [
        (
            "bindings/c/include/helixor_runtime.h",
            "c/include/helixor_runtime.h",
        ),
        (
            "target/release/libhelixor_runtime.so",
            "c/lib/libhelixor_runtime.so",
        ),
        ("LICENSE", "LICENSE"),
    ] {
        copy(&root().join(from), &folder.join(to))?;
    }
    no_paths(tools, &folder)?;
    let names = files(&folder)?;
    let mut sums = String::new();
    for name in &names {
        let bytes = std::fs::read(folder.join(name))?;
        sums.push_str(&format!("{}  {}\n", Digest::of(&bytes), name.display()));
    }
    write(&folder.join("SHA256SUMS"), &sums)?;
    Ok(format!("{} files", names.len()))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to.parent().unwrap_or(to))?;
    std::fs::copy(from, to)
        .map(drop)
        .map_err(|e| Failure(format!("{}: {e}", from.display())))
}

/// The crates as Cargo would publish them, unpacked.
fn crates() -> Result<()> {
    // Verified by the projects that are built with them.
    let mut package = cargo("package --quiet --no-verify --allow-dirty");
    run(package.args(CRATES.iter().flat_map(|name| ["-p", name])))?;
    for name in CRATES {
        let version = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
        let packed = target("package").join(format!("{version}.crate"));
        let to = folder().join("crates").join(name);
        once(&target("package").join(name), &digest(&[&packed])?, || {
            fresh(&to)?;
            // With the times of now: Cargo builds anew what is newer.
            let mut tar = command("tar");
            tar.arg("-xzmf").arg(&packed).arg("--strip-components=1");
            run(tar.arg("-C").arg(&to)).map(drop)
        })?;
    }
    Ok(())
}

/// Nothing that users get names a folder of this machine, in archives neither.
fn no_paths(tools: &Venv, folder: &Path) -> Result<()> {
    let unpacked = tempfile::tempdir()?;
    let mut folders = vec![folder.to_owned()];
    for (i, file) in files(folder)?.iter().enumerate() {
        let packed = ["whl", "jar"]
            .iter()
            .any(|kind| file.extension().is_some_and(|k| k == *kind));
        if packed {
            let to = unpacked.path().join(i.to_string());
            let mut zip = command(tools.program("python"));
            zip.args(["-m", "zipfile", "-e"])
                .arg(folder.join(file))
                .arg(&to);
            run(&mut zip)?;
            folders.push(to);
        }
    }
    let secret = [root(), tools::cargo_home()].map(|path| path.display().to_string());
    for folder in folders {
        for file in files(&folder)? {
            let bytes = std::fs::read(folder.join(&file))?;
            for path in &secret {
                if bytes
                    .windows(path.len())
                    .any(|part| part == path.as_bytes())
                {
                    return fail(format!("{} names {path}", file.display()));
                }
            }
        }
    }
    Ok(())
}

/// README's settings that point a project at the folder, by the kinds of their blocks.
pub(crate) fn setting(kind: &str) -> Result<String> {
    let readme = read(&root().join("README.md"))?;
    let blocks = crate::readme::blocks(&readme, kind)?;
    let of_dist = |block: &&String| block.contains("target/dist");
    let Some(block) = blocks.iter().find(of_dist) else {
        return fail(format!("README.md has no `{kind}` block with target/dist"));
    };
    let dist = folder().display().to_string();
    Ok(block.replace("/path/to/helixor/target/dist", &dist))
}
