//! The fuzz target of the generator: whatever a manifest says, what is generated from it is the same code as
//! is generated from a plain one.

use helixor_playbook::canonical::{self, Style};
use helixor_playbook::{ActionId, FieldName, Node, RuleId};
use helixor_sdk_gen::{Code, Config, Language, manifest, plan};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Reads modules, each after a line with its length, and answers each with a line: what stands in it,
/// without docstrings.
const PYTHON_READER: &str = r#"
import ast, sys
read = sys.stdin.buffer
def shape(body):
    kinds = []
    for node in body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        kinds.append(type(node).__name__)
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            kinds.append(shape(node.body))
    return kinds
while line := read.readline():
    print(shape(ast.parse(read.read(int(line))).body), flush=True)
"#;

/// One pack: what a text can be in it, it is.
pub(crate) fn an_sdk(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut texts: Vec<&str> = text.split('\0').take(12).collect();
    // Equal names are refused, which is not what is tried here.
    let mut seen = BTreeSet::new();
    texts.retain(|text| seen.insert(*text));
    let plain: Vec<String> = (0..texts.len()).map(|i| format!("text {i}")).collect();
    let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
    if let Some(found) = shapes(&texts, &texts) {
        assert_eq!(shapes(&texts, &plain), Some(found), "{texts:?}");
    }
}

/// What stands in each generated file of Rust and Python; `None` when the names cannot be told apart or
/// cannot be used. `like` is what names must be usable by.
fn shapes(like: &[&str], texts: &[&str]) -> Option<BTreeMap<String, String>> {
    let text = manifest_of(like, texts);
    let read = manifest::parse(&text);
    let manifest = read.unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    let plan = match plan(&manifest, &Language::ALL, &[], &Config::default()) {
        Ok(plan) => plan,
        Err(error) => {
            let refused = [Code::NameCollision, Code::ManifestInvalid];
            assert!(refused.contains(&error.code()), "{error:?}");
            return None;
        }
    };
    let mut shapes = BTreeMap::new();
    for (path, content) in plan.files() {
        let code = std::str::from_utf8(content).unwrap_or_else(|e| panic!("{path}: {e}"));
        let shape = match path.rsplit_once('.') {
            Some((_, "rs")) => rust_shape(code),
            Some((_, "py")) => python_shape(code),
            _ => continue,
        };
        shapes.insert(path.to_owned(), shape);
    }
    Some(shapes)
}

/// A field, an action and a rule for each text, named by it where that can be.
fn manifest_of(like: &[&str], texts: &[&str]) -> String {
    let named = |i: usize, text: &&str, usable: bool, prefix: &str| match usable {
        true => (*text).to_owned(),
        false => format!("{prefix}{i}"),
    };
    let each = || like.iter().zip(texts).enumerate();
    let kinds = ["boolean", "string", "number", "string", "integer"];
    let fields = each().zip(kinds.into_iter().cycle());
    let fields = fields.map(|((i, (like, text)), kind)| {
        let mut field = vec![
            ("property_type", kind.into()),
            ("description", (*text).into()),
            ("required", (i % 3 != 0).into()),
        ];
        if kind == "string" {
            field.push(("default", (*text).into()));
        }
        if i % kinds.len() == 3 {
            field.push(("allowed_values", Node::list([*text, "another"])));
        }
        let usable = FieldName::new(*like).is_ok() && FieldName::new(*text).is_ok();
        (named(i, text, usable, "f"), Node::map(field))
    });
    let actions = each().map(|(i, (like, text))| {
        let usable = ActionId::new(*like).is_ok() && ActionId::new(*text).is_ok();
        Node::from(named(i, text, usable, "a"))
    });
    let rules = each().map(|(i, (like, text))| {
        let usable = RuleId::new(*like).is_ok() && RuleId::new(*text).is_ok();
        Node::map([
            ("id", named(i, text, usable, "r").into()),
            ("condition", (*text).into()),
            ("verdict", "refuse".into()),
            ("description", (*text).into()),
        ])
    });
    let pack = Node::map([
        ("pack_id", "test.pack.v1".into()),
        ("schema_version", manifest::SCHEMA_VERSION.into()),
        ("domain_name", "Pack".into()),
        ("goal_id", texts.concat().into()),
        ("floor", 0.5.into()),
        ("budget_max_latency_ms", 1.0.into()),
        ("actions", Node::list(actions)),
        ("state_schema", Node::map(fields)),
        ("hard_rules", Node::list(rules)),
    ]);
    let manifest = Node::map([("packs", Node::list([pack]))]);
    canonical::write(&manifest, Style::Compact).unwrap_or_default()
}

fn rust_shape(code: &str) -> String {
    let file = syn::parse_file(code).unwrap_or_else(|e| panic!("{e}\n{code}"));
    let kinds = file.items.iter().map(|item| match item {
        syn::Item::Const(_) => "const".to_owned(),
        syn::Item::Enum(item) => format!("enum {}", item.variants.len()),
        syn::Item::Fn(_) => "fn".to_owned(),
        syn::Item::Impl(item) => format!("impl {}", item.items.len()),
        syn::Item::Macro(item) => {
            let tokens = item.mac.tokens.clone().into_iter();
            format!("macro {}", tokens.count())
        }
        syn::Item::Mod(_) => "mod".to_owned(),
        syn::Item::Struct(item) => format!("struct {}", item.fields.len()),
        syn::Item::Type(_) => "type".to_owned(),
        syn::Item::Use(_) => "use".to_owned(),
        _ => panic!("an item that is never generated\n{code}"),
    });
    kinds.collect::<Vec<_>>().join(", ")
}

struct Python {
    _child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

fn python_shape(code: &str) -> String {
    static PYTHON: LazyLock<Mutex<Python>> = LazyLock::new(|| {
        let mut command = Command::new("python3");
        command.args(["-c", PYTHON_READER]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|e| panic!("python3: {e}"));
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both were asked for")
        };
        Mutex::new(Python {
            _child: child,
            input,
            output: BufReader::new(output),
        })
    });
    let mut python = PYTHON.lock().unwrap_or_else(PoisonError::into_inner);
    let mut shape = String::new();
    let asked = write!(python.input, "{}\n{code}", code.len());
    let told = asked.and_then(|()| python.output.read_line(&mut shape));
    // The interpreter says on stderr what is wrong, and is gone.
    assert!(told.is_ok_and(|length| length > 0), "not Python:\n{code}");
    shape
}

/// Texts that could break out of a literal, a comment or a name.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let words = [
        "class\0self\0None\0type\0enum",
        "a*/b\0\"\"\"\0'''\0\\\0\\u000a",
        "größe\0\u{202e}x\0e\u{301}\0zwölf 1st\0>",
        "{{x}}\0{%y%}\0${z}\0`code`\0# Heading\n\ntext",
        "\"#\0r#\"\0//\0/*\0<b>&amp;",
        "Option\0Some\0toString\0hashCode\0__init__",
        "mro\0name\0values\0valueOf\0getClass",
        "\n\0\r\n\0\t\0 \0",
    ];
    words.map(|text| text.as_bytes().to_vec()).into()
}
