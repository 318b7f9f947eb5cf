//! `helixor-sdk.toml`: what a user sets about the generated packages.

use crate::names;
use crate::read_text;
use crate::rename::{self, Renames};
use helixor_playbook::{Code, Error, suggest};
use std::path::Path;
use toml::{Table, Value};

/// What `helixor-sdk.toml` says; nothing set is the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// `[rust] crate`: the crate's name.
    pub rust_crate: Option<String>,
    /// `[rust] runtime`: the path of the runtime's crate, for a build in one tree; as Cargo takes
    /// it, from the generated crate's folder.
    pub rust_runtime: Option<String>,
    /// `[java] package`: the Java package; of several packs, the one that theirs stand in.
    pub java_package: Option<String>,
    /// `[java] group`: the Maven group.
    pub java_group: Option<String>,
    /// `[python] package`: the Python package's name.
    pub python_package: Option<String>,
    /// `[publish] license`: under which licence the packages are given away, an SPDX expression.
    pub license: Option<String>,
    /// `[publish] repository`: where their sources are, a URL.
    pub repository: Option<String>,
    /// `[rename]`: other words for names that fall together or do not please.
    pub(crate) rename: Renames,
}

impl Config {
    /// Reads a `helixor-sdk.toml`.
    ///
    /// # Errors
    /// IO for a file that cannot be read; as [`Config::parse`].
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = read_text(path, Code::InvalidArgument)?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Reads the text of a `helixor-sdk.toml`; `name` is how messages call the file.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for text that is not TOML, unknown keys, and names that Cargo, Java, Maven
    /// or Python would not take; all of them in [`Error::all`].
    pub fn parse(text: &str, name: &str) -> Result<Self, Error> {
        let mut root: Table = text.parse().map_err(|e: toml::de::Error| {
            let at = helixor_playbook::Position::of(text, e.span().map_or(0, |span| span.start));
            invalid(name, format!("{at}: {}", e.message()), String::new())
        })?;
        let mut faults = Vec::new();
        let mut rust = section(&mut root, "rust", name, &mut faults);
        let mut java = section(&mut root, "java", name, &mut faults);
        let mut python = section(&mut root, "python", name, &mut faults);
        let mut publish = section(&mut root, "publish", name, &mut faults);
        let rename = section(&mut root, "rename", name, &mut faults);
        let rename = rename::read(rename).unwrap_or_else(|found| {
            let found = found.into_iter();
            faults.extend(found.map(|(message, help)| invalid(name, message, help)));
            Renames::new()
        });
        let config = Self {
            rust_crate: text_of(&mut rust, "rust", "crate", name, &mut faults),
            rust_runtime: text_of(&mut rust, "rust", "runtime", name, &mut faults),
            java_package: text_of(&mut java, "java", "package", name, &mut faults),
            java_group: text_of(&mut java, "java", "group", name, &mut faults),
            python_package: text_of(&mut python, "python", "package", name, &mut faults),
            license: text_of(&mut publish, "publish", "license", name, &mut faults),
            repository: text_of(&mut publish, "publish", "repository", name, &mut faults),
            rename,
        };
        for (key, known) in [
            ("", &["publish", "rename", "rust", "java", "python"][..]),
            ("rust", &["crate", "runtime"]),
            ("java", &["package", "group"]),
            ("python", &["package"]),
            ("publish", &["license", "repository"]),
        ] {
            let rest = match key {
                "rust" => &rust,
                "java" => &java,
                "python" => &python,
                "publish" => &publish,
                _ => &root,
            };
            for unknown in rest.keys() {
                let place = if key.is_empty() {
                    String::new()
                } else {
                    format!(" in `[{key}]`")
                };
                faults.push(invalid(
                    name,
                    format!("unknown key `{unknown}`{place}"),
                    suggest(unknown, known.iter().copied()),
                ));
            }
        }
        config.check(name, &mut faults);
        match Error::first_of(faults) {
            None => Ok(config),
            Some(error) => Err(error),
        }
    }

    fn check(&self, name: &str, faults: &mut Vec<Error>) {
        if let Some(value) = self
            .rust_crate
            .as_ref()
            .filter(|value| !names::is_crate_name(value))
        {
            faults.push(invalid(
                name,
                format!("`crate` in `[rust]` cannot be {value:?}"),
                "use ASCII letters, digits, `-` and `_`, a letter first, and no word that Rust or Cargo keeps".into(),
            ));
        }
        if let Some(value) = self
            .python_package
            .as_ref()
            .filter(|value| !names::is_python_package(value))
        {
            faults.push(invalid(
                name,
                format!("`package` in `[python]` cannot be {value:?}"),
                "use an ASCII identifier that is no keyword and no module of the standard library"
                    .into(),
            ));
        }
        if let Some(value) = self
            .java_package
            .as_ref()
            .filter(|value| !names::is_java_package(value))
        {
            faults.push(invalid(
                name,
                format!("`package` in `[java]` cannot be {value:?}"),
                "use ASCII identifiers that are no keywords, joined by dots; `java` is Java's own"
                    .into(),
            ));
        }
        if let Some(value) = self
            .java_group
            .as_ref()
            .filter(|value| !names::is_maven_group(value))
        {
            faults.push(invalid(
                name,
                format!("`group` in `[java]` cannot be {value:?}"),
                "use ASCII letters, digits, `.`, `-` and `_`".into(),
            ));
        }
        let spdx = |c: char| c.is_ascii_alphanumeric() || " .+-()".contains(c);
        if let Some(value) = self
            .license
            .as_ref()
            .filter(|value| value.trim().is_empty() || !value.chars().all(spdx))
        {
            faults.push(invalid(
                name,
                format!("`license` in `[publish]` cannot be {value:?}"),
                "write an SPDX expression, such as `Apache-2.0` or `LicenseRef-Acme`".into(),
            ));
        }
        let is_url = |url: &str| {
            let rest = url.strip_prefix("https://");
            rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_graphic()))
        };
        if let Some(value) = self.repository.as_ref().filter(|value| !is_url(value)) {
            faults.push(invalid(
                name,
                format!("`repository` in `[publish]` cannot be {value:?}"),
                "write a URL that begins with `https://`, without spaces".into(),
            ));
        }
        if self
            .rust_runtime
            .as_ref()
            .is_some_and(|v| v.is_empty() || v.contains(char::is_control))
        {
            let message = "`runtime` in `[rust]` must be a path".into();
            faults.push(invalid(name, message, String::new()));
        }
    }
}

fn invalid(name: &str, message: String, help: String) -> Error {
    Error::new(Code::InvalidArgument, format!("{name}: {message}"), help)
}

fn section(root: &mut Table, key: &str, name: &str, faults: &mut Vec<Error>) -> Table {
    match root.remove(key) {
        None => Table::new(),
        Some(Value::Table(table)) => table,
        Some(_) => {
            let help = format!("write it as `[{key}]` with its keys below");
            faults.push(invalid(name, format!("`{key}` must be a table"), help));
            Table::new()
        }
    }
}

fn text_of(
    table: &mut Table,
    section: &str,
    key: &str,
    name: &str,
    faults: &mut Vec<Error>,
) -> Option<String> {
    match table.remove(key)? {
        Value::String(text) => Some(text),
        _ => {
            let message = format!("`{key}` in `[{section}]` must be a string");
            faults.push(invalid(name, message, String::new()));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let error = Config::parse(text, "helixor-sdk.toml").unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        error
            .all()
            .iter()
            .map(|e| format!("{} ({})", e.message(), e.help()))
            .collect()
    }

    #[test]
    fn every_key_is_read() {
        let text = "[rust]\ncrate = \"pii-guard\"\nruntime = \"../runtime\"\n[java]\npackage = \"com.acme.guard\"\ngroup = \"com.acme\"\n[python]\npackage = \"pii_guard\"\n[publish]\nlicense = \"MIT OR Apache-2.0\"\nrepository = \"https://acme.com/x\"\n";
        let config = Config::parse(text, "x").unwrap();
        assert_eq!(config.rust_crate.as_deref(), Some("pii-guard"));
        assert_eq!(config.rust_runtime.as_deref(), Some("../runtime"));
        assert_eq!(config.java_package.as_deref(), Some("com.acme.guard"));
        assert_eq!(config.java_group.as_deref(), Some("com.acme"));
        assert_eq!(config.python_package.as_deref(), Some("pii_guard"));
        assert_eq!(config.license.as_deref(), Some("MIT OR Apache-2.0"));
        assert_eq!(config.repository.as_deref(), Some("https://acme.com/x"));
        assert_eq!(Config::parse("", "x").unwrap(), Config::default());
    }

    #[test]
    fn every_fault_is_reported_at_once() {
        assert_eq!(
            messages(
                "colour = 1\n[rust]\ncrat = \"x\"\nruntime = 3\n[python]\npackage = \"json\"\n"
            ),
            [
                "helixor-sdk.toml: `runtime` in `[rust]` must be a string ()",
                "helixor-sdk.toml: unknown key `colour` ()",
                "helixor-sdk.toml: unknown key `crat` in `[rust]` (did you mean `crate`?)",
                "helixor-sdk.toml: `package` in `[python]` cannot be \"json\" (use an ASCII identifier that is no keyword and no module of the standard library)",
            ]
        );
        assert!(messages("[rust\n")[0].starts_with("helixor-sdk.toml: line 1, column "));
        for bad in ["", "a b", "a.class", "a..b", "../x", "java.util", "1a", "ä"] {
            assert_eq!(
                messages(&format!("java.package = {bad:?}")).len(),
                1,
                "{bad}"
            );
        }
        for bad in ["", "a b", "../x", "fn", "std", "1a", "ä"] {
            assert_eq!(messages(&format!("rust.crate = {bad:?}")).len(), 1, "{bad}");
        }
        for bad in ["", " ", "MIT\nx = 1", "\"MIT\"", "https://acme.com"] {
            let found = messages(&format!("publish.license = {bad:?}"));
            assert_eq!(found.len(), 1, "{bad}");
        }
        for bad in [
            "",
            "acme",
            "https://",
            "http://acme.com",
            "https://a b",
            "https://a\n",
        ] {
            let found = messages(&format!("publish.repository = {bad:?}"));
            assert_eq!(found.len(), 1, "{bad}");
        }
    }
}
