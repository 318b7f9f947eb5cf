//! The packs that the vectors are of.

use helixor_playbook::canonical::{self, Style};
use helixor_playbook::{Code, Error, Format, Node, Playbook, builtin, check, read};
use helixor_runtime::container::seal;
use helixor_runtime::license::License;
use helixor_sdk_gen::manifest;

/// A pack under test.
#[derive(Clone, Copy, Debug)]
pub struct Pack {
    /// What its fixtures and vectors are called.
    pub name: &'static str,
    /// Its playbook, YAML.
    pub source: &'static str,
}

/// Every pack under test.
pub const PACKS: [Pack; 4] = [
    Pack {
        name: "example",
        source: builtin::EXAMPLE,
    },
    Pack {
        name: "loan_desk",
        source: include_str!("../packs/loan_desk.yaml"),
    },
    Pack {
        name: "reversed_names",
        source: include_str!("../packs/reversed_names.yaml"),
    },
    Pack {
        name: "every_field",
        source: include_str!("../packs/every_field.yaml"),
    },
];

/// Names and texts that are hard to carry into some language. It has no vectors: what each of its rules
/// does is plain from its name.
pub const OBSTACLE_COURSE: Pack = Pack {
    name: "obstacle_course",
    source: include_str!("../packs/obstacle_course.yaml"),
};

impl Pack {
    /// Seals it for a licence.
    ///
    /// # Errors
    /// Those of reading, checking and sealing.
    pub fn seal(&self, license: &License) -> Result<Vec<u8>, Error> {
        seal_source(self.source, license)
    }

    /// Its manifest.
    pub fn manifest(&self) -> String {
        playbook(self.source)
            .map(|playbook| manifest::write(&[playbook], None))
            .unwrap_or_default()
    }
}

/// Seals a playbook as written, valid or not, for a licence.
pub(crate) fn seal_source(source: &str, license: &License) -> Result<Vec<u8>, Error> {
    let root = tree(source)?;
    let id = root
        .get("pack_id")
        .and_then(Node::as_str)
        .unwrap_or_default();
    let id = helixor_playbook::PackId::new(id).map_err(|e| invalid(&e.to_string()))?;
    let plaintext = canonical::write(&root, Style::Compact).map_err(|e| invalid(&e.to_string()))?;
    seal(&id, plaintext.as_bytes(), license)
}

/// A checked playbook.
///
/// # Errors
/// PLAYBOOK_INVALID with the first fault.
pub fn playbook(source: &str) -> Result<Playbook, Error> {
    check(source, &tree(source)?).map_err(|problems| invalid(&format!("{problems:?}")))
}

fn tree(source: &str) -> Result<Node, Error> {
    read(source, Format::Yaml).map_err(|problems| invalid(&format!("{problems:?}")))
}

fn invalid(message: &str) -> Error {
    Error::new(Code::PlaybookInvalid, message, "")
}

pub(crate) fn manifest_of(name: &str) -> String {
    PACKS
        .iter()
        .find(|pack| pack.name == name)
        .map(Pack::manifest)
        .unwrap_or_default()
}
