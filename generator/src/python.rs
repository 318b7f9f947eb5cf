//! The Python view: a package per pack, and the project around them.

use crate::docs::{self, Doc};
use crate::literals::{python as literal, toml};
use crate::model::{Field, Pack, Presence, Sdk, VERSION};
use crate::names::Language;
use crate::output::Plan;
use askama::Template;
use helixor_playbook::{Error, FieldKind, InterfaceField, Value};

#[derive(Template)]
#[template(path = "python/pyproject.toml")]
struct PyProject<'a> {
    sdk: &'a Sdk,
    header: Vec<String>,
    description: String,
}

#[derive(Template)]
#[template(path = "python/README.md")]
struct Readme<'a> {
    sdk: &'a Sdk,
    /// The pack of the examples.
    pack: &'a Pack,
    /// The package it is imported from.
    path: String,
}

/// The package around several packs.
#[derive(Template)]
#[template(path = "python/root.py")]
struct Root {
    header: Vec<String>,
}

#[derive(Template)]
#[template(path = "python/__init__.py")]
struct Init<'a> {
    pack: &'a Pack,
    header: Vec<String>,
}

#[derive(Template)]
#[template(path = "python/client.py")]
struct Client<'a> {
    pack: &'a Pack,
    header: Vec<String>,
    interface: String,
}

#[derive(Template)]
#[template(path = "python/models.py")]
struct Models<'a> {
    pack: &'a Pack,
    header: Vec<String>,
}

#[derive(Template)]
#[template(path = "python/pydantic_models.py")]
struct PydanticModels<'a> {
    pack: &'a Pack,
    header: Vec<String>,
}

/// Plans the project, its files below `folder` (empty, or ending in `/`).
pub(crate) fn plan(sdk: &Sdk, folder: &str, plan: &mut Plan) -> Result<(), Error> {
    let header = sdk.header(Language::Python, None);
    let description = match sdk.packs.as_slice() {
        [pack] => format!("Typed client of the Helixor pack {}", pack.id),
        packs => format!("Typed clients of {} Helixor packs", packs.len()),
    };
    let project = PyProject {
        sdk,
        header: header.clone(),
        description,
    };
    plan.template(format!("{folder}pyproject.toml"), &project)?;
    let package = &sdk.python_package;
    let root = format!("{folder}{package}/");
    if let Some(pack) = sdk.packs.first() {
        let path = match sdk.packs.len() {
            1 => package.clone(),
            _ => format!("{package}.{}", pack.module.python),
        };
        plan.template(format!("{folder}README.md"), &Readme { sdk, pack, path })?;
    }
    plan.add(format!("{root}py.typed"), Vec::new())?;
    if let [pack] = sdk.packs.as_slice() {
        return plan_pack(sdk, pack, &root, plan);
    }
    plan.template(format!("{root}__init__.py"), &Root { header })?;
    plan.add_each(&sdk.packs, |pack, plan| {
        plan_pack(sdk, pack, &format!("{root}{}/", pack.module.python), plan)
    })
}

fn plan_pack(sdk: &Sdk, pack: &Pack, folder: &str, plan: &mut Plan) -> Result<(), Error> {
    let header = sdk.header(Language::Python, Some(pack));
    let interface = literal::string(&sdk.interface(pack, Language::Python));
    plan.template(
        format!("{folder}__init__.py"),
        &Init {
            pack,
            header: header.clone(),
        },
    )?;
    plan.template(
        format!("{folder}client.py"),
        &Client {
            pack,
            header: header.clone(),
            interface,
        },
    )?;
    plan.template(
        format!("{folder}models.py"),
        &Models {
            pack,
            header: header.clone(),
        },
    )?;
    plan.template(
        format!("{folder}pydantic_models.py"),
        &PydanticModels { pack, header },
    )
}

/// What every `models.py` has beside the types named after its pack.
const PYTHON_MODELS: &[&str] = &[
    "Action",
    "BUDGET_MAX_LATENCY_MS",
    "FLOOR",
    "Field",
    "GOAL_ID",
    "PACK_ID",
    "Rule",
];

impl Sdk {
    /// The name of the Python project, which `pip` installs.
    fn python_distribution(&self) -> String {
        let name = self.python_package.replace('_', "-");
        name.trim_matches('-').to_owned()
    }
}

impl Pack {
    /// The names of `models.py`, sorted as import sorters do: constants, then classes.
    fn python_model_exports(&self) -> Vec<String> {
        let mut names: Vec<String> = ["Cause", "Change", "Counterfactual", "Decision", "State"]
            .map(|suffix| format!("{}{suffix}", self.stem.python))
            .into_iter()
            .chain(PYTHON_MODELS.iter().map(|name| (*name).to_owned()))
            .chain(self.value_sets().map(|set| set.names.python.clone()))
            .collect();
        names.sort_by_key(|name| import_order(name));
        names
    }

    /// The names that the pack's package exports, sorted the same way.
    fn python_exports(&self) -> Vec<String> {
        let mut names = self.python_model_exports();
        names.push(format!("{}Client", self.stem.python));
        names.sort_by_key(|name| import_order(name));
        names
    }

    /// What `pydantic_models.py` takes from `models.py`.
    fn pydantic_model_imports(&self) -> Vec<String> {
        let mut names = vec![format!("{}State", self.stem.python)];
        names.extend(self.value_sets().map(|set| set.names.python.clone()));
        names.sort_by_key(|name| import_order(name));
        names
    }

    /// Whether a field of the pydantic model has a part that its JSON Schema leaves out.
    fn pydantic_skips(&self) -> bool {
        self.python_leaves_out() || self.value_sets().next().is_some()
    }

    /// The values of required fields that the first call gives: each field and its value.
    fn python_example(&self) -> Vec<String> {
        let line = |field: &Field| format!("{}={}", field.names.python, example(field));
        self.required().map(line).collect()
    }

    /// What `client.py` takes from `models.py`.
    fn python_client_imports(&self) -> String {
        let state = format!("{}State", self.stem.python);
        let mut names = ["Action", "Field", "Rule", state.as_str()];
        names.sort_by_key(|name| import_order(name));
        names.join(", ")
    }

    /// What `models.py` takes from the runtime.
    fn python_runtime_imports(&self) -> &'static str {
        if self.python_leaves_out() {
            "LEFT_OUT, Cause, Change, Counterfactual, Decision, LeftOut"
        } else {
            "Cause, Change, Counterfactual, Decision"
        }
    }

    /// Whether a state can have `LEFT_OUT` for a field.
    fn python_leaves_out(&self) -> bool {
        self.fields.iter().any(Field::python_leaves_out)
    }

    /// What `pydantic_models.py` takes from pydantic.
    fn pydantic_imports(&self) -> String {
        let mut names = vec!["BaseModel", "ConfigDict"];
        if self
            .fields
            .iter()
            .any(|f| !f.pydantic_arguments().is_empty())
        {
            names.push("Field");
        }
        names.join(", ")
    }

    /// The state attributes as a Python tuple of strings.
    fn python_attributes(&self) -> Vec<String> {
        self.fields
            .iter()
            .map(|field| literal::string(&field.names.python))
            .collect()
    }
}

impl Field {
    /// The type of the attribute, and its default where it has one.
    fn python_type(&self) -> String {
        let kind = match (self.kind, &self.values) {
            (_, Some(set)) => set.names.python.as_str(),
            (FieldKind::Boolean, None) => "bool",
            (FieldKind::Integer, None) => "int",
            (FieldKind::Number, None) => "float",
            (FieldKind::String, None) => "str",
        };
        match self.presence {
            Presence::Required => kind.to_owned(),
            Presence::Defaulted => format!("{kind} | LeftOut = LEFT_OUT"),
            Presence::Nullable => format!("{kind} | None = None"),
            Presence::NullableDefaulted => format!("{kind} | None | LeftOut = LEFT_OUT"),
        }
    }

    fn python_leaves_out(&self) -> bool {
        matches!(
            self.presence,
            Presence::Defaulted | Presence::NullableDefaulted
        )
    }

    /// The type of the attribute of the pydantic model.
    fn pydantic_type(&self) -> String {
        let mut kind = match (self.kind, &self.values) {
            // A text that is none of the set is left to `decide` to refuse.
            (_, Some(set)) => format!("{} | SkipJsonSchema[str]", set.names.python),
            (FieldKind::Boolean, None) => "bool".into(),
            (FieldKind::Integer, None) => "int".into(),
            // An integer stays one: what no float can hold is not rounded here.
            (FieldKind::Number, None) => "int | float".into(),
            (FieldKind::String, None) => "str".into(),
        };
        if !self.declared.interface.required {
            kind.push_str(" | None");
        }
        if self.python_leaves_out() {
            kind.push_str(" | SkipJsonSchema[Literal[LeftOut.LEFT_OUT]]");
        }
        kind
    }

    /// The arguments of the pydantic model's `Field`.
    fn pydantic_arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if self.python_leaves_out() {
            arguments.push("default=LEFT_OUT".to_owned());
            arguments.push("exclude_if=lambda value: value is LEFT_OUT".to_owned());
        } else if self.presence == Presence::Nullable {
            arguments.push("default=None".to_owned());
        }
        if self.values.is_some() {
            arguments.push("union_mode=\"left_to_right\"".to_owned());
        }
        if self.pydantic != self.names.python {
            arguments.push(format!("alias={}", literal::string(&self.names.python)));
        }
        if !self.declared.description.is_empty() {
            let description = literal::string(&self.declared.description);
            arguments.push(format!("description={description}"));
        }
        let schema = self.pydantic_schema();
        if !schema.is_empty() {
            arguments.push(format!("json_schema_extra={{{}}}", schema.join(", ")));
        }
        arguments
    }

    /// What only its JSON Schema says: the entries of a Python dict.
    fn pydantic_schema(&self) -> Vec<String> {
        let InterfaceField {
            min_value,
            max_value,
            ..
        } = &self.declared.interface;
        let entries = [
            ("minimum", min_value),
            ("maximum", max_value),
            ("default", &self.declared.default),
        ];
        let entries = entries.into_iter().filter_map(|(key, value)| {
            let value = value.as_ref()?;
            Some(format!("\"{key}\": {}", self::value(value)))
        });
        entries.collect()
    }

    /// Its documentation in the state.
    fn python_doc(&self) -> Doc {
        self.doc_with(match self.presence {
            Presence::Required | Presence::Nullable => &[],
            Presence::Defaulted => &[("LEFT_OUT", " leaves it out.")],
            Presence::NullableDefaulted => {
                &[("LEFT_OUT", " leaves it out, "), ("None", " is null.")]
            }
        })
    }
}

fn import_order(name: &str) -> (bool, String) {
    (name.contains(char::is_lowercase), name.to_lowercase())
}

/// A value that the field takes, for examples.
fn example(field: &Field) -> String {
    match field.values.as_ref().map(|set| (set, set.members.first())) {
        Some((set, Some(first))) => format!("{}.{}", set.names.python, first.names.python),
        _ => value(&field.example),
    }
}

/// A value as Python writes it.
fn value(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Boolean(true) => "True".into(),
        Value::Boolean(false) => "False".into(),
        Value::String(text) => literal::string(text),
        other => other.to_string(),
    }
}
