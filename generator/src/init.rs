//! What a project begins with: a `helixor-sdk.toml`, and what its build needs to generate.

use crate::manifest::Manifest;
use crate::model::{Sdk, VERSION};
use crate::{Config, literals};

/// A build that can generate, known by its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// `Cargo.toml`, with a `build.rs`.
    Cargo,
    /// `pom.xml`, with a plugin that runs before the compiler.
    Maven,
    /// `pyproject.toml`, with a build hook of Hatchling.
    Python,
}

/// A part of a build: text for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The file, from the project's folder.
    pub file: &'static str,
    /// The language of the text, as Markdown has it.
    pub language: &'static str,
    /// What to do with the text.
    pub what: &'static str,
    /// The text.
    pub text: String,
}

impl Build {
    /// Every build.
    pub const ALL: [Build; 3] = [Build::Cargo, Build::Maven, Build::Python];

    /// The file that tells that a project is built so.
    pub const fn file(self) -> &'static str {
        match self {
            Build::Cargo => "Cargo.toml",
            Build::Maven => "pom.xml",
            Build::Python => "pyproject.toml",
        }
    }
}

/// The names of the generated packages, as they are without a configuration; without a manifest,
/// examples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    rust_crate: String,
    rust_modules: Vec<String>,
    java_package: String,
    java_group: String,
    python_package: String,
    /// The first pack's id and domain name.
    pack: (String, String),
}

impl Names {
    /// The names for a manifest; examples when there is none, or when names fall together in it,
    /// which is for a configuration to mend.
    pub fn of(manifest: Option<&Manifest>) -> Self {
        let sdk = manifest.and_then(|manifest| Sdk::new(manifest, &[], &Config::default()).ok());
        let Some(sdk) = sdk else {
            return Self {
                rust_crate: "my-pack".into(),
                rust_modules: vec!["my_pack".into()],
                java_package: "ai.helixor.runtime.mypack".into(),
                java_group: "ai.helixor.sdk".into(),
                python_package: "mypack".into(),
                pack: ("acme.my_pack.v1".into(), "MyPack".into()),
            };
        };
        let modules = sdk.packs.iter().map(|pack| pack.module.rust.clone());
        let first = manifest.and_then(|manifest| manifest.packs.first());
        let pack = first.map(|pack| (pack.pack_id.to_string(), pack.domain_name.clone()));
        Self {
            pack: pack.unwrap_or_default(),
            java_package: match sdk.packs.as_slice() {
                [pack] => sdk.java_package(pack),
                _ => "ai.helixor.runtime".into(),
            },
            rust_modules: modules.collect(),
            rust_crate: sdk.crate_name,
            java_group: sdk.java_group,
            python_package: sdk.python_package,
        }
    }
}

/// A `helixor-sdk.toml` with every key, commented out, with its default.
pub fn config(names: &Names) -> String {
    let [
        rust_crate,
        java_package,
        java_group,
        python_package,
        pack,
        domain_name,
    ] = [
        &names.rust_crate,
        &names.java_package,
        &names.java_group,
        &names.python_package,
        &names.pack.0,
        &names.pack.1,
    ]
    .map(|text| literals::toml::string(text));
    format!(
        "\
# Names and places of the generated packages, for `helixor-sdk-gen generate --config helixor-sdk.toml`
# and `.config(\"helixor-sdk.toml\")` in a build.rs. Each key is shown with its default: take its `#` away
# and change it.

[rust]
# The name of the generated crate.
# crate = {rust_crate}
# Where the crate helixor-runtime lies, seen from the generated crate, when both are built in one tree.
# Without the key it is the published version {VERSION}.
# runtime = \"../../runtime\"

[java]
# The Java package; of several packs, the one that theirs stand in.
# package = {java_package}
# The Maven group of the generated project.
# group = {java_group}

[python]
# The name of the Python package.
# package = {python_package}

[publish]
# Under which licence the packages are given away, an SPDX expression, and where their sources are. Without the
# keys they do not say.
# license = \"Apache-2.0\"
# repository = \"https://example.com/clients\"

[rename]
# Other words to build names from, in every language: where two names fall together, or one reads badly. What
# is renamed is a pack, or a pack's field.\"NAME\", action.\"ID\", rule.\"ID\" or value.\"FIELD\".\"VALUE\". States
# and decisions keep the names that they have.
# {pack}.pack = {domain_name}
"
    )
}

/// What a project needs so that each build generates from the manifest at this path, which is
/// relative to the project.
pub fn parts(build: Build, manifest: &str, names: &Names) -> Vec<Part> {
    match build {
        Build::Cargo => cargo(manifest, names),
        Build::Maven => maven(manifest),
        Build::Python => python(manifest, names),
    }
}

fn cargo(manifest: &str, names: &Names) -> Vec<Part> {
    let modules = names.rust_modules.iter().map(|module| {
        format!(
            "mod {module} {{\n    include!(concat!(env!(\"OUT_DIR\"), \"/{module}.rs\"));\n}}\n"
        )
    });
    vec![
        Part {
            file: "Cargo.toml",
            language: "toml",
            what: "add",
            text: format!(
                "[dependencies]\nhelixor-runtime = \"{VERSION}\"\n\n\
                 [build-dependencies]\nhelixor-sdk-gen = {{ version = \"{VERSION}\", default-features = false }}\n"
            ),
        },
        Part {
            file: "build.rs",
            language: "rust",
            what: "make it",
            text: format!(
                "fn main() -> Result<(), helixor_sdk_gen::Error> {{\n    helixor_sdk_gen::configure()\n        \
                 .manifest({manifest})\n        .config(\"helixor-sdk.toml\")\n        .rust()\n        \
                 .generate()\n}}\n",
                manifest = literals::rust::string(manifest)
            ),
        },
        Part {
            file: "src/main.rs",
            language: "rust",
            what: "add, or to `src/lib.rs`",
            text: modules.collect::<Vec<_>>().join("\n"),
        },
    ]
}

fn maven(manifest: &str) -> Vec<Part> {
    let arguments = [
        "generate",
        "--manifest",
        &format!("${{project.basedir}}/{manifest}"),
        "--config",
        "${project.basedir}/helixor-sdk.toml",
        "--lang",
        "java",
        "--out",
        "${project.build.directory}/generated-sources/helixor",
    ];
    let arguments: String = arguments
        .map(literals::xml::text)
        .map(|argument| format!("          <argument>{argument}</argument>\n"))
        .concat();
    vec![
        Part {
            file: "pom.xml",
            language: "xml",
            what: "add to `<dependencies>`",
            text: format!(
                "<dependency>\n  <groupId>ai.helixor</groupId>\n  <artifactId>helixor-runtime</artifactId>\n  \
                 <version>{VERSION}</version>\n</dependency>\n"
            ),
        },
        Part {
            file: "pom.xml",
            language: "xml",
            what: "add to `<build><plugins>`",
            text: format!(
                "\
<plugin>
  <groupId>org.codehaus.mojo</groupId>
  <artifactId>exec-maven-plugin</artifactId>
  <version>3.5.0</version>
  <executions>
    <execution>
      <id>helixor</id>
      <phase>generate-sources</phase>
      <goals>
        <goal>exec</goal>
      </goals>
      <configuration>
        <executable>helixor-sdk-gen</executable>
        <arguments>
{arguments}        </arguments>
        <sourceRoot>${{project.build.directory}}/generated-sources/helixor/java/src/main/java</sourceRoot>
      </configuration>
    </execution>
  </executions>
</plugin>
"
            ),
        },
    ]
}

fn python(manifest: &str, names: &Names) -> Vec<Part> {
    let package = &names.python_package;
    vec![
        Part {
            file: "pyproject.toml",
            language: "toml",
            what: "set these",
            text: format!(
                "\
[build-system]
requires = [\"hatchling\", \"helixor-sdk-gen=={VERSION}\"]
build-backend = \"hatchling.build\"

[project]
dependencies = [\"helixor-runtime=={VERSION}\"]

[tool.hatch.build.targets.wheel.hooks.custom]
"
            ),
        },
        Part {
            file: "hatch_build.py",
            language: "python",
            what: "make it",
            text: format!(
                "\
\"\"\"Generates the typed clients when the wheel is built.\"\"\"

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GENERATE = (
    \"helixor-sdk-gen\",
    \"generate\",
    \"--manifest\",
    {manifest},
    \"--config\",
    \"helixor-sdk.toml\",
    \"--lang\",
    \"python\",
    \"--out\",
    \"build/helixor\",
)


class GenerateHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        subprocess.run(GENERATE, cwd=self.root, check=True)
        package = Path(self.root, \"build/helixor/python/{package}\")
        key = \"force_include_editable\" if version == \"editable\" else \"force_include\"
        build_data[key][str(package)] = \"{package}\"
",
                manifest = literals::python::string(manifest),
            ),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let manifest = crate::manifest::write(&[helixor_playbook::builtin::example()], None);
        let manifest = crate::manifest::parse(&manifest).unwrap();
        assert_ne!(Names::of(None), Names::of(Some(&manifest)));
        Names::of(Some(&manifest))
    }

    #[test]
    fn the_configuration_changes_nothing_until_it_is_edited_and_has_every_key() {
        for names in [names(), Names::of(None)] {
            let text = config(&names);
            assert_eq!(Config::parse(&text, "x").unwrap(), Config::default());
            let set: String = text
                .lines()
                .map(|line| match line.strip_prefix("# ") {
                    Some(key) if key.contains(" = ") => key,
                    _ => line,
                })
                .map(|line| format!("{line}\n"))
                .collect();
            let Config {
                rust_crate,
                rust_runtime,
                java_package,
                java_group,
                python_package,
                license,
                repository,
                rename,
            } = Config::parse(&set, "x").unwrap();
            assert_eq!(rust_crate, Some(names.rust_crate));
            assert_eq!(rust_runtime.as_deref(), Some("../../runtime"));
            assert_eq!(java_package, Some(names.java_package));
            assert_eq!(java_group, Some(names.java_group));
            assert_eq!(python_package, Some(names.python_package));
            assert_eq!(license.as_deref(), Some("Apache-2.0"));
            assert_eq!(repository.as_deref(), Some("https://example.com/clients"));
            assert_eq!(rename.len(), 1);
        }
    }

    #[test]
    fn what_is_to_be_pasted_parses() {
        let manifest = "my \"packs\"/m&m.json";
        for build in Build::ALL {
            for part in parts(build, manifest, &names()) {
                match part.language {
                    "toml" => drop(part.text.parse::<toml::Table>().unwrap()),
                    "rust" => drop(syn::parse_file(&part.text).unwrap()),
                    "python" => assert!(part.text.contains("/m&m.json")),
                    "xml" => {
                        assert!(!part.text.contains("m&m"));
                        assert_eq!(
                            part.text.matches("</").count() * 2,
                            part.text.matches('<').count()
                        );
                    }
                    other => panic!("{other}"),
                }
            }
        }
    }
}
