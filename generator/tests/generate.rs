//! What is generated from small manifests, read back with the languages' own parsers.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "tests may panic"
)]

use helixor_playbook::{Data, Node, builtin, canonical};
use helixor_sdk_gen::{Code, Config, Language, Manifest, Plan, manifest, plan};
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const MANIFESTS: &[&str] = &[
    "example.0.2.1",
    "example.next",
    "keywords",
    "unicode",
    "digits",
    "symbols",
    "hostile",
    "several",
    "empty_state",
    "fields",
];

fn text(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/{name}.json"));
    fs::read_to_string(path).unwrap()
}

fn parsed(text: &str) -> Manifest {
    manifest::parse(text).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn generated(text: &str) -> Plan {
    plan(&parsed(text), &Language::ALL, &[], &Config::default())
        .unwrap_or_else(|e| panic!("{e:#?}"))
}

fn files(plan: &Plan) -> BTreeMap<String, String> {
    plan.files()
        .map(|(path, content)| {
            (
                path.to_owned(),
                String::from_utf8(content.to_vec()).unwrap(),
            )
        })
        .collect()
}

/// The wire strings of one pack: fields by name, actions, rules, and the sorted values of all its
/// closed sets.
type Wires = [Vec<String>; 4];

/// What a manifest says of each pack.
fn wires(text: &str) -> Vec<Wires> {
    let manifest = parsed(text);
    let pack = |pack: &manifest::Pack| {
        let sets = pack
            .fields
            .iter()
            .filter_map(|field| field.interface.allowed_values.as_ref());
        let mut values: Vec<String> = sets.flatten().cloned().collect();
        values.sort();
        [
            pack.fields
                .iter()
                .map(|field| field.interface.name.to_string())
                .collect(),
            pack.actions.iter().map(ToString::to_string).collect(),
            pack.rules.iter().map(|rule| rule.id.to_string()).collect(),
            values,
        ]
    };
    manifest.packs.iter().map(pack).collect()
}

/// A manifest with many fields, each of its own wire name.
fn wide(fields: usize) -> String {
    let schema: Vec<String> = (0..fields)
        .map(|i| format!(r#""field_{i}":{{"property_type":"boolean"}}"#))
        .collect();
    one_pack(&schema.join(","), r#"["go"]"#)
}

fn one_pack(schema: &str, actions: &str) -> String {
    format!(
        r#"{{"packs":[{{"pack_id":"test.pack.v1","schema_version":"helixor.pack_manifest.v1",
        "domain_name":"Pack","goal_id":"g","actions":{actions},"floor":0.5,
        "budget_max_latency_ms":1,"state_schema":{{{schema}}},"hard_rules":[]}}]}}"#
    )
}

#[test]
fn rust_parses_and_holds_the_wire_strings() {
    for name in MANIFESTS {
        let text = text(name);
        let modules: Vec<syn::File> = files(&generated(&text))
            .into_iter()
            .filter(|(path, _)| path.ends_with(".rs"))
            .map(|(path, code)| (path, syn::parse_file(&code).unwrap()))
            .filter(|(path, _)| !path.ends_with("/lib.rs"))
            .map(|(_, file)| file)
            .collect();
        let mut expected = wires(&text);
        assert_eq!(modules.len(), expected.len(), "{name}");
        expected.sort();
        let mut found: Vec<Wires> = modules
            .iter()
            .map(|file| {
                assert!(
                    file.attrs.is_empty(),
                    "{name}: `include!` takes no inner attributes"
                );
                rust_wires(file)
            })
            .collect();
        found.sort();
        assert_eq!(found, expected, "{name}");
    }
}

/// The wire strings of a module.
fn rust_wires(file: &syn::File) -> Wires {
    let sets = file.items.iter().filter_map(|item| match item {
        syn::Item::Impl(block) if block.trait_.is_none() => {
            Some((type_name(block), as_str(block)?))
        }
        _ => None,
    });
    sorted(sets.collect())
}

/// The names of sets and their wire strings, the fields' own sets together.
fn sorted(mut sets: Vec<(String, Vec<String>)>) -> Wires {
    let mut take = |name: &str| {
        let at = sets.iter().position(|(set, _)| set == name).unwrap();
        sets.remove(at).1
    };
    let [fields, actions, rules] = ["Field", "Action", "Rule"].map(&mut take);
    let mut values: Vec<String> = sets.into_iter().flat_map(|(_, wires)| wires).collect();
    values.sort();
    [fields, actions, rules, values]
}

fn type_name(block: &syn::ItemImpl) -> String {
    match block.self_ty.as_ref() {
        syn::Type::Path(path) => path.path.get_ident().unwrap().to_string(),
        _ => panic!("no name"),
    }
}

/// The literals of `as_str` in an enum's own `impl`.
fn as_str(block: &syn::ItemImpl) -> Option<Vec<String>> {
    let body = block.items.iter().find_map(|item| match item {
        syn::ImplItem::Fn(function) if function.sig.ident == "as_str" => {
            function.block.stmts.first()
        }
        _ => None,
    })?;
    let syn::Stmt::Expr(syn::Expr::Match(found), _) = body else {
        panic!("no match")
    };
    Some(found.arms.iter().map(|arm| literal(&arm.body)).collect())
}

/// A string, or a block of one.
fn literal(expr: &syn::Expr) -> String {
    match expr {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) => text.value(),
        syn::Expr::Block(block) => match block.block.stmts.as_slice() {
            [syn::Stmt::Expr(inner, None)] => literal(inner),
            _ => panic!("no literal"),
        },
        _ => panic!("no literal"),
    }
}

/// Prints the shape of each module on stdin as JSON: kinds of statements, members of enums.
const PYTHON_READER: &str = r#"
import ast, json, sys
shapes = []
for path, code in sorted(json.load(sys.stdin).items()):
    tree = ast.parse(code)
    kinds = sorted({type(node).__name__ for node in tree.body})
    calls = sorted({ast.unparse(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)})
    sets = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            values = [ast.literal_eval(s.value) for s in node.body if isinstance(s, ast.Assign)]
            if any(ast.unparse(base) == "StrEnum" for base in node.bases):
                sets[node.name] = values
            for s in node.body:
                assert isinstance(s, (ast.Assign, ast.AnnAssign, ast.Expr)), ast.dump(s)
                assert not isinstance(s, ast.Expr) or isinstance(s.value, ast.Constant)
    shapes.append({"path": path, "kinds": kinds, "calls": calls, "sets": sets})
print(json.dumps(shapes))
"#;

fn python_shapes(files: &BTreeMap<String, String>) -> Node {
    let modules = files.iter().filter(|(path, _)| path.ends_with(".py"));
    let input = Node::map(modules.map(|(path, code)| (path.as_str(), code.as_str().into())));
    let input = canonical::write(&input, canonical::Style::Compact).unwrap();
    let mut child = Command::new("python3")
        .args(["-c", PYTHON_READER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    canonical::parse_bytes(output.stdout.trim_ascii()).unwrap()
}

/// The wire strings of a module, if it is one of models.
fn python_wires(shape: &Node) -> Option<Wires> {
    let Data::Map(sets) = &shape.get("sets").unwrap().data else {
        panic!()
    };
    let sets: Vec<_> = sets
        .iter()
        .map(|set| (set.key.clone(), strings(&set.value)))
        .collect();
    (!sets.is_empty()).then(|| sorted(sets))
}

fn strings(node: &Node) -> Vec<String> {
    let Data::List(items) = &node.data else {
        panic!("{node:?}")
    };
    items
        .iter()
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn python_parses_and_holds_the_wire_strings() {
    for name in MANIFESTS {
        let text = text(name);
        let shapes = python_shapes(&files(&generated(&text)));
        let Data::List(shapes) = &shapes.data else {
            panic!()
        };
        let mut found = Vec::new();
        for shape in shapes {
            let path = shape.get("path").unwrap().as_str().unwrap();
            for kind in strings(shape.get("kinds").unwrap()) {
                let known = ["AnnAssign", "Assign", "ClassDef", "Expr", "ImportFrom"];
                assert!(
                    known.contains(&kind.as_str()),
                    "{name}: {path} has a {kind}"
                );
            }
            for call in strings(shape.get("calls").unwrap()) {
                let known = ["ConfigDict", "Field", "Spec", "dataclass", "tuple"];
                assert!(
                    known.contains(&call.as_str()),
                    "{name}: {path} calls {call}"
                );
            }
            found.extend(python_wires(shape));
        }
        let mut expected = wires(&text);
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{name}");
    }
}

/// What a Java file has.
struct JavaShape {
    path: String,
    types: i128,
    methods: i128,
    wires: Vec<String>,
}

/// Reads Java with the JDK's own parser.
fn java_shapes(files: &BTreeMap<String, String>) -> Vec<JavaShape> {
    let folder = tempfile::tempdir().unwrap();
    for (path, code) in files.iter().filter(|(path, _)| path.ends_with(".java")) {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, code).unwrap();
    }
    let reader = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/Shapes.java");
    let java = std::env::var_os("JAVA_HOME")
        .map_or("java".into(), |home| PathBuf::from(home).join("bin/java"));
    let output = Command::new(&java)
        .arg(reader)
        .arg(folder.path())
        .output()
        .unwrap_or_else(|e| panic!("{}, of a JDK: {e}", java.display()));
    assert!(output.status.success(), "{output:?}");
    let read = canonical::parse_bytes(output.stdout.trim_ascii()).unwrap();
    let Data::List(shapes) = read.data else {
        panic!()
    };
    let count = |shape: &Node, key| match shape.get(key).map(|count| &count.data) {
        Some(Data::Int(count)) => *count,
        other => panic!("{other:?}"),
    };
    let shape = |shape: &Node| JavaShape {
        path: shape.get("path").unwrap().as_str().unwrap().to_owned(),
        types: count(shape, "types"),
        methods: count(shape, "methods"),
        wires: strings(shape.get("wires").unwrap()),
    };
    shapes.iter().map(shape).collect()
}

/// The wire strings of each pack's folder.
fn java_wires(shapes: &[JavaShape]) -> Vec<Wires> {
    let mut found: BTreeMap<&str, Vec<(String, Vec<String>)>> = BTreeMap::new();
    for shape in shapes {
        let (folder, file) = shape.path.rsplit_once('/').unwrap();
        if folder.ends_with("/model") {
            let name = file.strip_suffix(".java").unwrap().to_owned();
            found
                .entry(folder)
                .or_default()
                .push((name, shape.wires.clone()));
        }
    }
    found.into_values().map(sorted).collect()
}

#[test]
fn java_parses_and_holds_the_wire_strings() {
    let mut all = BTreeMap::new();
    for name in MANIFESTS {
        for (path, code) in files(&generated(&text(name))) {
            all.insert(format!("{name}/{path}"), code);
        }
    }
    let shapes = java_shapes(&all);
    for name in MANIFESTS {
        let own: Vec<JavaShape> = shapes
            .iter()
            .filter(|shape| shape.path.starts_with(&format!("{name}/")))
            .map(|shape| JavaShape {
                path: shape.path.clone(),
                wires: shape.wires.clone(),
                ..*shape
            })
            .collect();
        let (mut found, mut expected) = (java_wires(&own), wires(&text(name)));
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn no_output_hides_or_reorders_text() {
    for name in MANIFESTS {
        for (path, content) in files(&generated(&text(name))) {
            let hidden = |c: char| {
                c != '\n' && c.is_control()
                    || ('\u{200b}'..='\u{200f}').contains(&c)
                    || ('\u{2028}'..='\u{202e}').contains(&c)
                    || ('\u{2060}'..='\u{206f}').contains(&c)
                    || matches!(c, '\u{ad}' | '\u{feff}')
            };
            assert!(!content.contains(hidden), "{name}: {path}");
            assert!(
                content.is_empty() || content.ends_with('\n'),
                "{name}: {path}"
            );
            assert!(!content.ends_with("\n\n"), "{name}: {path}");
        }
    }
}

/// The same document with the keys of each map in another order.
fn shuffled(node: &Node, random: &mut fastrand::Rng) -> Node {
    match &node.data {
        Data::List(items) => Node::list(items.iter().map(|item| shuffled(item, random))),
        Data::Map(entries) => {
            let mut entries: Vec<_> = entries
                .iter()
                .map(|entry| (entry.key.as_str(), shuffled(&entry.value, random)))
                .collect();
            random.shuffle(&mut entries);
            Node::map(entries)
        }
        _ => node.clone(),
    }
}

fn json(node: &Node) -> String {
    match &node.data {
        Data::List(items) => format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(",")),
        Data::Map(entries) => {
            let entry = |e: &helixor_playbook::Entry| {
                format!("{}:{}", json(&e.key.as_str().into()), json(&e.value))
            };
            format!(
                "{{{}}}",
                entries.iter().map(entry).collect::<Vec<_>>().join(",")
            )
        }
        _ => canonical::write(node, canonical::Style::Compact).unwrap(),
    }
}

#[test]
fn shuffled_keys_give_the_same_bytes() {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    for name in MANIFESTS {
        let text = text(name);
        let (node, plan) = (canonical::parse(&text).unwrap(), generated(&text));
        for _ in 0..20 {
            let other = json(&shuffled(&node, &mut random));
            assert_ne!(other, text);
            assert_eq!(generated(&other), plan, "{name}, seed {seed}");
        }
    }
}

#[test]
fn wide_states_generate() {
    let plan = files(&generated(&wide(300)));
    let file = syn::parse_file(&plan["rust/src/pack.rs"]).unwrap();
    assert_eq!(rust_wires(&file)[0].len(), 300);
    python_shapes(&plan);
    let state = "java/src/main/java/ai/helixor/runtime/pack/model/PackState.java";
    assert!(plan[state].contains("public final class PackState extends ManyFields {"));
    let client = "java/src/main/java/ai/helixor/runtime/pack/client/PackClient.java";
    assert!(plan[client].contains(" = Spec.wide("));
    assert!(files(&generated(&wide(200)))[state].contains("public record PackState("));
}

#[test]
fn java_stays_below_the_limits_of_class_files() {
    let actions: Vec<String> = (0..2_001).map(|i| format!("\"action_{i}\"")).collect();
    let text = one_pack("", &format!("[{}]", actions.join(","))).replace(
        r#""goal_id":"g""#,
        &format!(r#""goal_id":"{}""#, "g".repeat(70_000)),
    );
    let files = files(&generated(&text));
    let model = "java/src/main/java/ai/helixor/runtime/pack/model";
    assert!(
        files[&format!("{model}/Action.java")]
            .contains("implements Wire, Action1, Action2, Action3 {")
    );
    assert!(files[&format!("{model}/Action3.java")].contains("Action ACTION_2000 = new Action("));
    let client = &files["java/src/main/java/ai/helixor/runtime/pack/client/PackClient.java"];
    assert!(client.contains("GOAL_ID = String.join(\"\", \"ggg"));
    assert!(
        client
            .lines()
            .flat_map(|line| line.split('"'))
            .all(|text| text.len() <= 40_000)
    );
    java_shapes(&files);
}

#[test]
fn the_example_manifest_is_what_the_built_in_playbook_gives() {
    assert_eq!(
        manifest::write(&[builtin::example()], None),
        text("example.next")
    );
}

#[test]
fn a_sealed_manifest_says_so() {
    let sealed = manifest::Sealed {
        sealed_at: "2026-01-02T03:04:05Z".into(),
    };
    let text = manifest::write(&[builtin::example()], Some(&sealed));
    let node = canonical::parse(&text).unwrap();
    let Data::List(packs) = &node.get("packs").unwrap().data else {
        panic!()
    };
    assert_eq!(packs[0].get("is_sealed"), Some(&true.into()));
    assert_eq!(
        packs[0].get("sealed_at"),
        Some(&"2026-01-02T03:04:05Z".into())
    );
    parsed(&text);
}

#[test]
fn what_is_written_of_a_field_is_read_back() {
    let source = r#"{"pack_id": "test.fields.v1", "version": "1.0.0", "actions": ["go"], "default_action": "go",
        "state_schema": {
            "a": {"type": "string", "allowed_values": ["x", "\ud83d\ude00\u0000"], "default": "\ud83d\ude00\u0000"},
            "b": {"type": "string", "required": false, "default": ""},
            "c": {"type": "number", "required": false, "default": 5, "min_value": -1},
            "d": {"type": "integer", "default": -9223372036854775808, "max_value": 0},
            "e": {"type": "boolean", "required": false}},
        "hard_rules": [{"id": "R", "condition": "state.e is None", "action": "go"}]}"#;
    let root = helixor_playbook::read(source, helixor_playbook::Format::Json).unwrap();
    let playbook = helixor_playbook::check(source, &root).unwrap();
    let pack = &parsed(&manifest::write(std::slice::from_ref(&playbook), None)).packs[0];
    let interface = helixor_playbook::Interface::from(&playbook);
    for ((read, written), own) in pack
        .fields
        .iter()
        .zip(&playbook.fields)
        .zip(&interface.fields)
    {
        assert_eq!((&read.interface, &read.default), (own, &written.default));
    }
    assert_eq!(pack.fields.len(), 5);
}

#[test]
fn older_manifests_are_read_as_they_mean() {
    let old = &parsed(&text("example.0.2.1")).packs[0];
    let next = &parsed(&text("example.next")).packs[0];
    assert_eq!(old.raw_pack_sha256, None);
    assert_eq!((&old.pack_version, &old.default_action), (&None, &None));
    assert_eq!(next.pack_version.as_deref(), Some("1.0.0"));
    assert_eq!(next.raw_pack_sha256, Some(builtin::example().digest));
    for (old, next) in old.rules.iter().zip(&next.rules) {
        assert_eq!((&old.id, &old.factors), (&next.id, &next.factors));
        assert_eq!(old.action, None);
    }
    assert_eq!(old.rules[3].factors.len(), 3);
}

fn configured(manifest: &str, config: &str) -> Result<Plan, helixor_playbook::Error> {
    let config = Config::parse(config, "helixor-sdk.toml")?;
    plan(&parsed(manifest), &Language::ALL, &[], &config)
}

/// The messages of a manifest whose names fall together. The lines that the advice gives make it
/// generate, and leave the wire strings as they were.
fn collisions(manifest: &str) -> Vec<String> {
    let error = configured(manifest, "").unwrap_err();
    let mut config = "[rename]\n".to_owned();
    let mut messages = Vec::new();
    for fault in error.all() {
        assert_eq!(fault.code(), Code::NameCollision);
        messages.push(fault.message().to_owned());
        let (advice, line) = fault
            .help()
            .rsplit_once("with words of your choice: ")
            .unwrap();
        assert!(
            advice.contains("under `[rename]` in helixor-sdk.toml"),
            "{advice}"
        );
        if !config.contains(line) {
            config.push_str(&format!("{line}\n"));
        }
    }
    let plan = files(&configured(manifest, &config).unwrap_or_else(|e| panic!("{config}{e:#?}")));
    let mut found: Vec<Wires> = plan
        .iter()
        .filter(|(path, _)| path.ends_with(".rs") && !path.ends_with("/lib.rs"))
        .map(|(_, code)| rust_wires(&syn::parse_file(code).unwrap()))
        .collect();
    let mut expected = wires(manifest);
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    messages
}

#[test]
fn names_too_long_for_a_file_are_refused() {
    let refused = |domain: &str| {
        let text = one_pack("", r#"["go"]"#).replacen(
            "\"domain_name\":\"",
            &format!("\"domain_name\":\"{domain}"),
            1,
        );
        plan(&parsed(&text), &[Language::Rust], &[], &Config::default()).err()
    };
    assert_eq!(refused(&"x".repeat(150)), None);
    // Letters that identifiers do not have are spelled out.
    let error = refused(&"ü".repeat(150)).unwrap();
    assert_eq!(error.code(), Code::ManifestInvalid);
    assert!(error.message().contains("at most 200"), "{error}");
}

#[test]
fn names_that_fall_together_are_refused_in_every_language() {
    let boolean = r#"{"property_type":"boolean"}"#;
    let fields = |names: &[&str]| {
        let fields: Vec<String> = names
            .iter()
            .map(|name| format!("{name:?}:{boolean}"))
            .collect();
        one_pack(&fields.join(","), r#"["go"]"#)
    };
    assert_eq!(
        collisions(&fields(&["a-b", "a_b", "a b", "a_b_2"])),
        [
            r#"field "a b" and field "a-b" of pack `test.pack.v1` would both have the member name `a_b` in Rust"#,
            r#"field "a-b" and field "a_b" of pack `test.pack.v1` would both have the member name `a_b` in Rust"#,
        ]
    );
    // Apart in Rust and Python, one in Java, which need not even be generated.
    assert_eq!(
        collisions(&fields(&["a_1", "a1"])),
        [
            r#"field "a1" and field "a_1" of pack `test.pack.v1` would both have the member name `a1` in Java"#,
        ]
    );
    assert_eq!(
        collisions(&one_pack("", r#"["Self","self"]"#)),
        [
            r#"action "Self" and action "self" of pack `test.pack.v1` would both have the constant name `Self_` in Rust"#,
        ]
    );
}

#[test]
fn types_of_closed_sets_fall_together_with_no_others() {
    let schema = r#"
        "action":{"property_type":"string","allowed_values":["a"]},
        "pack_state":{"property_type":"string","allowed_values":["a", "A", "\u0000 \"", "\u0000.\""]},
        "f_l_o_o_r":{"property_type":"string","allowed_values":["", "empty"]}"#;
    assert_eq!(
        collisions(&one_pack(schema, r#"["go"]"#)),
        [
            r#"value "" of field "f_l_o_o_r" and value "empty" of field "f_l_o_o_r" of pack `test.pack.v1` would both have the constant name `Empty` in Rust"#,
            r#"value "a" of field "pack_state" and value "A" of field "pack_state" of pack `test.pack.v1` would both have the constant name `A` in Rust"#,
            r#"value "\0 \"" of field "pack_state" and value "\0.\"" of field "pack_state" of pack `test.pack.v1` would both have the constant name `U0Quote` in Rust"#,
            "a type that every client has and field \"action\" of pack `test.pack.v1` would both have the type name `Action` in Rust",
            "a type that every client has and field \"f_l_o_o_r\" of pack `test.pack.v1` would both have the type name `FLOOR` in Rust",
            "a type that every client has and field \"pack_state\" of pack `test.pack.v1` would both have the type name `PackState` in Rust",
        ]
    );
    // Java's types are files, which some systems tell apart by more than case.
    let set = r#"{"property_type":"string","allowed_values":["x"]}"#;
    let schema = format!(r#""ab_c":{set},"a_bc":{set}"#);
    assert_eq!(
        collisions(&one_pack(&schema, r#"["go"]"#)),
        [
            r#"field "a_bc" and field "ab_c" of pack `test.pack.v1` would both have the type name `AbC` in Java"#,
        ]
    );
}

#[test]
fn packs_fall_together_and_are_renamed() {
    let text = text("several").replace(
        "\"domain_name\": \"Stock\"",
        "\"domain_name\": \"re-TURNS\"",
    );
    let found = collisions(&text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].ends_with("would both have the module name `returns` in Java"),
        "{found:?}"
    );
}

#[test]
fn what_is_renamed_keeps_its_wire_name_and_says_it() {
    let config = r#"
        [rename]
        "test.pack.v1".pack = "PIIGuard"
        "test.pack.v1".field."x.y" = "shirt size"
        "test.pack.v1".value."x.y"."XL" = "extra large"
        "test.pack.v1".action.go = "go on"
        "#;
    let schema = r#""x.y":{"property_type":"string","allowed_values":["M","XL"]}"#;
    let files = files(&configured(&one_pack(schema, r#"["go"]"#), config).unwrap());
    let rust = &files["rust/src/pii_guard.rs"];
    for line in [
        "pub type PIIGuardClient =",
        "    /// Field `x.y`, one of `\"M\"`, `\"XL\"`.\n    pub shirt_size: ShirtSize,",
        "    /// `\"XL\"`\n    ExtraLarge,",
        "    /// `go`\n    GoOn,",
        "    /// `x.y`\n    ShirtSize,",
        "Self::GoOn => \"go\"",
    ] {
        assert!(rust.contains(line), "{line} not in {rust}");
    }
    let folder = "java/src/main/java/ai/helixor/runtime/piiguard/model";
    assert!(
        files[&format!("{folder}/ShirtSize.java")]
            .contains("    /** <code>\"XL\"</code> */\n    EXTRA_LARGE(\"XL\");")
    );
    assert!(
        files["python/piiguard/models.py"]
            .contains("    shirt_size: ShirtSize\n    \"\"\"Field `x.y`, one of")
    );
    assert!(
        files["python/piiguard/models.py"].contains("    GO_ON = \"go\"\n    \"\"\"`go`\"\"\"\n")
    );
}

#[test]
fn a_rename_of_nothing_is_refused() {
    let schema = r#""tier":{"property_type":"string","allowed_values":["gold"]}"#;
    let manifest = one_pack(schema, r#"["go"]"#);
    let refused = |line: &str| {
        let error = configured(&manifest, &format!("rename.{line}")).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert_eq!(error.all().len(), 1);
        format!("{} ({})", error.message(), error.help())
    };
    let form = "write \"PACK_ID\".pack, \"PACK_ID\".field.\"NAME\", .action.\"ID\", .rule.\"ID\" or .value.\"FIELD\".\"VALUE\", and after `=` the words in quotes";
    for (line, expected) in [
        (r#""test.pack.v1".field.teir = "x""#, "`[rename]` names field \"teir\" (`\"test.pack.v1\".field.\"teir\"`), which the manifest lacks (did you mean `tier`?)".to_owned()),
        (r#""test.pac.v1".field.tier = "x""#, "`[rename]` names field \"tier\" (`\"test.pac.v1\".field.\"tier\"`), which the manifest lacks (did you mean `test.pack.v1`?)".into()),
        (r#""test.pack.v1".value.tier.glod = "x""#, "`[rename]` names value \"glod\" of field \"tier\" (`\"test.pack.v1\".value.\"tier\".\"glod\"`), which the manifest lacks (did you mean `gold`?)".into()),
        (r#""test.pack.v1".rule.R = "x""#, "`[rename]` names rule \"R\" (`\"test.pack.v1\".rule.\"R\"`), which the manifest lacks ()".into()),
        (r#""test.pack.v1".fields.tier = "x""#, "helixor-sdk.toml: `\"test.pack.v1\".fields` in `[rename]` names no pack, field, action, rule or value (did you mean `field`?)".into()),
        (r#""test.pack.v1".field = "x""#, format!("helixor-sdk.toml: `\"test.pack.v1\".field` in `[rename]` renames nothing ({form})")),
        (r#""test.pack.v1".field.tier = 1"#, format!("helixor-sdk.toml: `\"test.pack.v1\".field.\"tier\"` in `[rename]` renames nothing ({form})")),
        (r#""test.pack.v1".pack.x = "x""#, format!("helixor-sdk.toml: `\"test.pack.v1\".pack` in `[rename]` renames nothing ({form})")),
        (r#"tier = "x""#, format!("helixor-sdk.toml: `\"tier\"` in `[rename]` renames nothing ({form})")),
        (r#""test.pack.v1".field.tier = "--""#, "helixor-sdk.toml: `\"test.pack.v1\".field.\"tier\"` in `[rename]` must have letters or digits ()".into()),
    ] {
        assert_eq!(refused(line), expected);
    }
}

#[test]
fn the_prefix_of_private_names_is_kept() {
    let manifest = parsed(&one_pack(
        r#""helixor_x":{"property_type":"boolean"}"#,
        r#"["go"]"#,
    ));
    let error = plan(&manifest, &[Language::Rust], &[], &Config::default()).unwrap_err();
    assert_eq!(error.code(), Code::ManifestInvalid);
    assert!(error.message().contains("begins with `helixor`"), "{error}");
    assert_eq!(
        error.help(),
        "add a line under `[rename]` in helixor-sdk.toml: \"test.pack.v1\".field.\"helixor_x\" = \"x\""
    );
}

#[test]
fn packs_are_chosen_by_id() {
    let manifest = parsed(&text("several"));
    let chosen = [manifest.packs[1].pack_id.clone()];
    let plan_of = |packs| plan(&manifest, &[Language::Python], packs, &Config::default());
    let files = files(&plan_of(&chosen).unwrap());
    assert!(
        files.contains_key("python/stock/client.py"),
        "{:?}",
        files.keys()
    );
    assert!(files["python/stock/models.py"].contains("--pack shop.stock.v1"));
    let unknown = [helixor_playbook::PackId::new("shop.stok.v1").unwrap()];
    let error = plan_of(&unknown).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert_eq!(error.help(), "did you mean `shop.stock.v1`?");
}

#[test]
fn the_config_sets_names_and_places() {
    let config = "[rust]\ncrate = \"guard\"\nruntime = \"../x\"\n[java]\npackage = \"com.acme.guard\"\ngroup = \"com.acme\"\n[python]\npackage = \"guard_py\"\n";
    let config = Config::parse(config, "helixor-sdk.toml").unwrap();
    let plan_of = |name| plan(&parsed(&text(name)), &Language::ALL, &[], &config).unwrap();
    let several = files(&plan_of("several"));
    assert!(several.contains_key("java/src/main/java/com/acme/guard/stock/model/Rule.java"));
    let files = files(&plan_of("example.next"));
    assert!(files.contains_key("java/src/main/java/com/acme/guard/model/Rule.java"));
    assert!(files["java/pom.xml"].contains("<groupId>com.acme</groupId>"));
    assert!(files["rust/Cargo.toml"].contains("name = \"guard\""));
    assert!(files["rust/Cargo.toml"].contains("helixor-runtime = { path = \"../x\", version = "));
    assert!(files.contains_key("python/guard_py/py.typed"));
    assert!(files["python/pyproject.toml"].contains("name = \"guard-py\""));
}

#[test]
fn the_build_script_call_writes_modules_for_include() {
    let out = tempfile::tempdir().unwrap();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/several.json");
    let configuration = helixor_sdk_gen::configure()
        .manifest(&path)
        .out_dir(out.path());
    assert_eq!(
        configuration.clone().generate().unwrap_err().code(),
        Code::InvalidArgument
    );
    configuration.rust().generate().unwrap();
    let mut names: Vec<String> = fs::read_dir(out.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["returns.rs", "stock.rs"]);
    let whole = files(&generated(&text("several")));
    let module = fs::read_to_string(out.path().join("returns.rs")).unwrap();
    // The items are those of the crate, in a module of their own; layout aside.
    let packed = |code: &str| -> String {
        let (_, items) = code.split_once("\n\n").unwrap();
        items
            .chars()
            .filter(|c| !c.is_whitespace() && *c != ',')
            .collect()
    };
    assert!(packed(&module).contains(&packed(&whole["rust/src/returns.rs"])));
    assert!(module.contains("mod helixor_generated {"));
    syn::parse_file(&module).unwrap();
}

fn faults(text: &str) -> Vec<String> {
    manifest::parse(text)
        .unwrap_err()
        .into_iter()
        .map(|problem| problem.message)
        .collect()
}

#[test]
fn every_fault_of_a_manifest_is_reported() {
    let schema = r#"
        "opt":{"property_type":"boolean","required":0},
        "dflt":{"property_type":"integer","default":1.0},
        "low":{"property_type":"number","min_value":2,"default":1},
        "null":{"property_type":"string","default":null},
        "open":{"property_type":"string","allowed_values":["a","b"],"default":"c"},
        "set":{"property_type":"string","allowed_values":["a","b","a"]},
        "empty":{"property_type":"string","allowed_values":[]},
        "odd":{"property_type":"string","allowed_values":["a",1]},
        "no":{"property_type":"integer","allowed_values":["a"]},
        "kind":{"property_type":"boolen"},
        "bounds":{"property_type":"number","min_value":2,"max_value":1.5},
        "flag":{"property_type":"boolean","min_value":0},
        "half":{"property_type":"integer","min_value":0.5,"max_value":2.0},
        "whole":{"property_type":"integer","max_value":1e19},
        "far":{"property_type":"number","min_value":"1","max_value":9223372036854775808},
        "other":{"name":"another","property_type":"boolean"}"#;
    assert_eq!(
        faults(&one_pack(schema, r#"["go","go","a b"]"#)),
        [
            "`actions` of pack 1 must not contain ` `",
            "`required` of field `opt` of pack 1 must be a boolean, not an integer",
            "`default` of field `dflt` of pack 1 must be an integer, not number",
            "`default` of field `low` of pack 1 is 1.0, below its minimum 2",
            "`default` of field `open` of pack 1 is \"c\", which is none of its allowed values \"a\", \"b\"",
            "duplicate entry of `allowed_values` of field `set` of pack 1: `a`",
            "`allowed_values` of field `empty` of pack 1 is empty, at least one is needed",
            "an entry of `allowed_values` of field `odd` of pack 1 must be a string, not an integer",
            "`allowed_values` of field `no` of pack 1 is not allowed: only strings have allowed values",
            "`property_type` of field `kind` of pack 1 must be `boolean`, `integer`, `number` or `string`",
            "`min_value` 2 of field `bounds` of pack 1 is above its `max_value` 1.5",
            "`min_value` of field `flag` of pack 1 is not allowed: only numbers have bounds",
            "`min_value` of field `half` of pack 1 must be a 64-bit integer, not a number",
            "`max_value` of field `whole` of pack 1 must be a 64-bit integer, not a number",
            "`min_value` of field `far` of pack 1 must be a number, not a string",
            "`max_value` of field `far` of pack 1 is outside the 64-bit integer range",
            "`name` of field `other` of pack 1 must be \"other\"",
        ]
    );
    assert_eq!(
        faults(r#"{"packs":[]}"#),
        ["`packs` is empty, at least one pack is needed"]
    );
    assert_eq!(faults("[]"), ["the manifest must be a map, not a list"]);
    assert_eq!(
        faults("{"),
        ["the document ends where a key in double quotes was expected"]
    );
    let missing = faults(r#"{"packs":[{}]}"#);
    assert!(
        missing.contains(&"missing key `pack_id` in pack 1".to_owned()),
        "{missing:?}"
    );
    assert_eq!(missing.len(), 9, "{missing:?}");
}

#[test]
fn unknown_fields_are_warnings() {
    let text = text("example.next").replace("\"floor\"", "\"flor\": 1, \"floor\"");
    let manifest = parsed(&text);
    let messages: Vec<&str> = manifest
        .warnings
        .iter()
        .map(|w| w.message.as_str())
        .collect();
    assert_eq!(messages, ["unknown key `flor` in pack 1"]);
}

#[test]
fn snapshots() {
    for (name, paths) in [
        (
            "example.next",
            &[
                "rust/Cargo.toml",
                "rust/README.md",
                "rust/src/lib.rs",
                "rust/src/regulatory_pii_guard.rs",
                "java/README.md",
                "java/pom.xml",
                "java/src/main/java/ai/helixor/runtime/regulatorypiiguard/client/RegulatoryPiiGuardClient.java",
                "java/src/main/java/ai/helixor/runtime/regulatorypiiguard/model/RegulatoryPiiGuardState.java",
                "java/src/main/java/ai/helixor/runtime/regulatorypiiguard/model/Rule.java",
                "python/README.md",
                "python/pyproject.toml",
                "python/regulatorypiiguard/__init__.py",
                "python/regulatorypiiguard/client.py",
                "python/regulatorypiiguard/models.py",
                "python/regulatorypiiguard/pydantic_models.py",
            ][..],
        ),
        (
            "several",
            &[
                "rust/src/lib.rs",
                "rust/src/returns.rs",
                "python/helixor_sdk/returns/models.py",
            ],
        ),
        (
            "keywords",
            &["rust/src/type_.rs", "python/type_sdk/models.py"],
        ),
        (
            "fields",
            &[
                "rust/README.md",
                "rust/src/fields.rs",
                "rust/src/optional.rs",
                "java/README.md",
                "java/src/main/java/ai/helixor/runtime/fields/client/FieldsClient.java",
                "java/src/main/java/ai/helixor/runtime/fields/model/FieldsState.java",
                "python/README.md",
                "python/helixor_sdk/fields/models.py",
                "python/helixor_sdk/fields/pydantic_models.py",
                "python/helixor_sdk/optional/models.py",
            ],
        ),
        (
            "hostile",
            &[
                "rust/src/hostile.rs",
                "java/src/main/java/ai/helixor/runtime/hostile/model/Rule.java",
                "python/hostile/models.py",
                "python/hostile/pydantic_models.py",
            ],
        ),
    ] {
        let files = files(&generated(&text(name)));
        for path in paths {
            let file = files
                .get(*path)
                .unwrap_or_else(|| panic!("{path} not in {:?}", files.keys()));
            insta::assert_snapshot!(format!("{name}__{}", path.replace('/', "__")), file);
        }
    }
}

/// Texts that lean towards what could break out of a literal or a comment.
fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "[ -~]",
        proptest::sample::select(vec![
            "\"\"\"", "'''", "*/", "/*", "//", "\\", "\\u000a", "\\\"", "\n", "\r", "\u{2028}",
            "\u{202e}", "`", "```", "#\"", "\"#", "{{", "}}", "{%", "${", "<!--", "[x](y)", "- ",
        ])
        .prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn id(text: &str, prefix: &str) -> Node {
    let kept = text
        .chars()
        .filter(|c| !c.is_control() && !matches!(c, ' ' | ':'));
    format!("{prefix}{}", kept.collect::<String>()).into()
}

fn hostile_manifest(texts: &[String]) -> String {
    let fields = texts.iter().enumerate().map(|(i, text)| {
        let name = format!("f{i}_{}", text.replace(char::is_control, ""));
        // Every other field has the text as a value too; the first is required.
        let kind = if i % 2 == 0 { "boolean" } else { "string" };
        let mut field = vec![
            ("property_type", kind.into()),
            ("description", text.as_str().into()),
        ];
        if kind == "string" {
            field.push(("default", text.as_str().into()));
            let other = format!("{text}\0");
            field.push((
                "allowed_values",
                Node::list([text, &other].map(String::as_str)),
            ));
        }
        (name, Node::map(field))
    });
    let rules = texts.iter().enumerate().map(|(i, text)| {
        Node::map([
            ("id", id(text, &format!("r{i}_"))),
            ("condition", text.as_str().into()),
            ("verdict", "refuse".into()),
            ("description", text.as_str().into()),
        ])
    });
    let actions = texts
        .iter()
        .enumerate()
        .map(|(i, text)| id(text, &format!("a{i}_")));
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
    json(&Node::map([("packs", Node::list([pack]))]))
}

/// `$HELIXOR_CASES` manifests; 200 without it.
#[test]
fn no_text_becomes_code() {
    let cases = std::env::var("HELIXOR_CASES").ok();
    let cases = cases.map_or(200, |cases| cases.parse().unwrap());
    let mut runner = TestRunner::default();
    let mut python = BTreeMap::new();
    let mut java = BTreeMap::new();
    let mut expected = Vec::new();
    let texts = proptest::collection::vec(hostile_text(), 1..6);
    for case in 0..cases {
        let texts = texts.new_tree(&mut runner).unwrap().current();
        let text = hostile_manifest(&texts);
        let files = files(&generated(&text));
        let file = syn::parse_file(&files["rust/src/pack.rs"]).unwrap();
        let wires = wires(&text).remove(0);
        assert_eq!(rust_wires(&file), wires, "{texts:?}");
        let sets = texts.len() / 2;
        assert_eq!(file.items.len(), 29 + 5 * sets, "{texts:?}");
        for name in ["client", "models", "pydantic_models"] {
            let code = files[&format!("python/pack/{name}.py")].clone();
            python.insert(format!("{case:06}/{name}.py"), code);
        }
        for (path, code) in files
            .into_iter()
            .filter(|(path, _)| path.ends_with(".java"))
        {
            java.insert(format!("{case:06}/{path}"), code);
        }
        expected.push(wires);
    }
    let shapes = java_shapes(&java);
    assert_eq!(java_wires(&shapes), expected);
    for shape in shapes {
        let fields = expected[shape.path[..6].parse::<usize>().unwrap()][0].len();
        let file = shape.path.rsplit_once('/').unwrap().1;
        let own = match file {
            "PackClient.java" => (1, 7),
            "PackState.java" => (2, 3 + i128::try_from(fields).unwrap()),
            _ => (1, 4),
        };
        assert_eq!((shape.types, shape.methods), own, "{}", shape.path);
    }
    let shapes = python_shapes(&python);
    let Data::List(shapes) = &shapes.data else {
        panic!()
    };
    let models = shapes.iter().filter_map(python_wires);
    assert_eq!(models.collect::<Vec<_>>(), expected);
}
