//! What licences and pack signatures share: a JSON document of which every key is known, signed
//! over `<schema>`, a newline, and the compact canonical JSON of everything but the signature.

use crate::license::Timestamp;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::Signature;
use helixor_playbook::canonical::{self, Style};
use helixor_playbook::{Code, Data, Digest, Error, Node, Object, Position, Problem, Span};
use zeroize::Zeroizing;

const TIME: &str = "a time as YYYY-MM-DDTHH:MM:SSZ";

/// Decodes Base64: the standard alphabet, padded, nothing between and nothing left over.
pub(crate) fn from_base64(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    STANDARD.decode(text).ok().map(Zeroizing::new)
}

/// Reads the keys of one map; a value is never repeated in a message, since it may be secret.
pub(crate) struct Reader<'n, 'p> {
    object: Object<'n>,
    problems: &'p mut Vec<Problem>,
}

impl<'n, 'p> Reader<'n, 'p> {
    /// Takes a map; `what` names it in messages.
    pub(crate) fn new(node: &'n Node, what: &str, problems: &'p mut Vec<Problem>) -> Option<Self> {
        Some(Self {
            object: Object::new(node, what, problems)?,
            problems,
        })
    }

    /// The value of a key that must be there.
    pub(crate) fn value<T>(
        &mut self,
        key: &'static str,
        wanted: &str,
        read: impl FnOnce(&'n Node) -> Option<T>,
    ) -> Option<T> {
        let node = self.object.require(key, self.problems)?;
        let found = read(node);
        if found.is_none() {
            self.fault(node.span, &self.object.name_of(key).to_string(), wanted);
        }
        found
    }

    /// The value of a key that may be left out or null; both give `None`, as a fault does.
    pub(crate) fn nullable<T>(
        &mut self,
        key: &'static str,
        wanted: &str,
        read: impl FnOnce(&'n Node) -> Option<T>,
    ) -> Option<T> {
        let node = self.object.get_non_null(key)?;
        let found = read(node);
        if found.is_none() {
            let wanted = format!("{wanted}, or null");
            self.fault(node.span, &self.object.name_of(key).to_string(), &wanted);
        }
        found
    }

    /// A map that may be left out or null, for a reader of its own.
    pub(crate) fn map(&mut self, key: &'static str) -> Option<(&'n Node, &mut Vec<Problem>)> {
        let node = self.object.get_non_null(key)?;
        Some((node, self.problems))
    }

    pub(crate) fn schema(&mut self, schema: &str) {
        let _ = self.value("schema", &format!("\"{schema}\""), |node| {
            (node.as_str()? == schema).then_some(())
        });
    }

    pub(crate) fn time(&mut self, key: &'static str) -> Option<Timestamp> {
        self.value(key, TIME, moment)
    }

    pub(crate) fn nullable_time(&mut self, key: &'static str) -> Option<Timestamp> {
        self.nullable(key, TIME, moment)
    }

    pub(crate) fn digest(&mut self, key: &'static str) -> Option<Digest> {
        self.value(key, "64 lower-case hex digits", |node| {
            Digest::from_hex(node.as_str()?)
        })
    }

    pub(crate) fn signature(&mut self) -> Option<Signature> {
        self.value("signature", "the Base64 of 64 bytes", |node| {
            Signature::from_slice(&from_base64(node.as_str()?)?).ok()
        })
    }

    pub(crate) fn fault(&mut self, span: Span, name: &str, wanted: &str) {
        self.problems
            .push(Problem::new(span, format!("{name} must be {wanted}")));
    }

    /// Reports the keys that nobody asked for.
    pub(crate) fn finish(self) {
        self.object.finish(self.problems);
    }
}

fn moment(node: &Node) -> Option<Timestamp> {
    Timestamp::parse(node.as_str()?)
}

/// What the signature covers; the document is left without its signature.
pub(crate) fn signed_text(schema: &str, document: &mut Node) -> Zeroizing<String> {
    if let Data::Map(entries) = &mut document.data {
        entries.retain(|entry| entry.key != "signature");
    }
    // What was read holds finite numbers only, so there is always a JSON form.
    let rest = Zeroizing::new(canonical::write(document, Style::Compact).unwrap_or_default());
    Zeroizing::new(format!("{schema}\n{}", *rest))
}

/// The error of a document with faults; `what` says of which it is what not, for example
/// "licence file `x` is not a valid licence".
pub(crate) fn invalid(
    code: Code,
    json: &str,
    what: &str,
    problems: &[Problem],
    help: &str,
) -> Error {
    let faults: Vec<String> = problems
        .iter()
        .map(|problem| {
            let at = Position::of(json, problem.span.start);
            let help = match problem.help.as_str() {
                "" => String::new(),
                help => format!(" ({help})"),
            };
            format!("{at}: {}{help}", problem.message)
        })
        .collect();
    let message = match faults.as_slice() {
        [fault] => format!("{what}: {fault}"),
        faults => format!("{what}:\n  {}", faults.join("\n  ")),
    };
    Error::new(code, message, help)
}

/// Signs a document and gives its text, one field a line, in the order given.
#[cfg(any(test, feature = "issue"))]
pub(crate) fn sign(
    schema: &str,
    document: &mut Node,
    key: &crate::keys::PrivateKey,
) -> Zeroizing<String> {
    let signature = key.sign(signed_text(schema, document).as_bytes());
    let mut text = Zeroizing::new(String::with_capacity(4096));
    let Data::Map(entries) = &mut document.data else {
        return text;
    };
    entries.push(helixor_playbook::Entry {
        key: "signature".into(),
        key_span: Span::default(),
        value: STANDARD.encode(signature.to_bytes()).into(),
    });
    for (i, entry) in entries.iter().enumerate() {
        text.push_str(if i == 0 { "{\n  " } else { ",\n  " });
        canonical::push_string(&mut text, &entry.key);
        text.push_str(": ");
        // These documents hold no floats, so every value has a JSON form.
        let value = canonical::write(&entry.value, Style::Spaced);
        text.push_str(&Zeroizing::new(value.unwrap_or_default()));
    }
    text.push_str("\n}\n");
    text
}
