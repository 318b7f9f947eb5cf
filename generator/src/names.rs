//! The one writer of identifiers, for Rust, Java and Python.
//!
//! A wire name becomes words once; each language puts them in its case and escapes what it
//! reserves. Every text gives an identifier; whether two texts give the same is the model's check.

use heck::{ToLowerCamelCase, ToShoutySnakeCase, ToSnakeCase, ToUpperCamelCase};
use std::collections::BTreeSet;
use std::fmt;
use unicode_normalization::UnicodeNormalization;

/// A language that clients are generated in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Rust.
    Rust,
    /// Java.
    Java,
    /// Python.
    Python,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 3] = [Language::Rust, Language::Java, Language::Python];

    /// The name on the command line, also the folder of its output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::Java => "java",
            Language::Python => "python",
        }
    }

    /// Reads the name on the command line.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|language| language.as_str() == text)
    }
}

/// The name as prose has it.
impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Language::Rust => "Rust",
            Language::Java => "Java",
            Language::Python => "Python",
        })
    }
}

/// One identifier per language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    /// In Rust, `r#` included where it is raw.
    pub(crate) rust: String,
    /// In Java.
    pub(crate) java: String,
    /// In Python.
    pub(crate) python: String,
}

impl Names {
    /// The identifier of one language.
    pub(crate) fn of(&self, language: Language) -> &str {
        match language {
            Language::Rust => &self.rust,
            Language::Java => &self.java,
            Language::Python => &self.python,
        }
    }
}

/// The words of a wire name, in lower case, joined by `_`; the first begins with a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words(String);

/// Put before a name that would begin with a digit.
const DIGIT_PREFIX: char = 'n';

impl Words {
    /// The words of any text.
    ///
    /// The text is NFKC-normalised first, as Python does with identifiers, so that a name is the
    /// same in every language.
    pub(crate) fn new(raw: &str) -> Self {
        let mut spaced = String::new();
        for c in raw.nfkc() {
            if is_word_char(c) {
                spaced.push(c);
            } else if is_separator(c) {
                spaced.push('_');
            } else {
                spaced.push_str(&format!("_{}_", symbol_word(c)));
            }
        }
        let mut words = spaced.to_snake_case();
        if raw.is_empty() {
            words.push_str("empty");
        } else if words.is_empty() {
            let all: Vec<String> = raw.nfkc().map(symbol_word).collect();
            words = all.join("_");
        }
        if !words
            .chars()
            .next()
            .is_some_and(unicode_ident::is_xid_start)
        {
            words.insert(0, DIGIT_PREFIX);
        }
        Self(words)
    }

    /// Whether the name begins with the prefix kept for generated private names.
    pub(crate) fn is_reserved(&self) -> bool {
        self.0.starts_with("helixor_")
    }

    fn in_case(&self, case: impl Fn(&str) -> String) -> String {
        let name = case(&self.0);
        // A change of case can leave the characters of identifiers; ASCII never does.
        if is_identifier(&name) {
            name
        } else {
            case(&self.ascii().0)
        }
    }

    /// The same with everything outside ASCII spelled out.
    fn ascii(&self) -> Self {
        let mut ascii = String::new();
        for c in self.0.chars() {
            if c.is_ascii() {
                ascii.push(c);
            } else {
                ascii.push_str(&format!("_{}_", symbol_word(c)));
            }
        }
        Self(ascii.to_snake_case())
    }

    fn snake(&self) -> String {
        self.in_case(ToSnakeCase::to_snake_case)
    }

    fn shouty(&self) -> String {
        self.in_case(ToShoutySnakeCase::to_shouty_snake_case)
    }

    fn upper_camel(&self) -> String {
        self.in_case(ToUpperCamelCase::to_upper_camel_case)
    }

    fn lower_camel(&self) -> String {
        self.in_case(ToLowerCamelCase::to_lower_camel_case)
    }

    /// The name of a state field: a member, an accessor and an argument.
    pub(crate) fn field(&self) -> Names {
        let snake = self.snake();
        let rust =
            if RUST_NEVER_RAW.contains(&snake.as_str()) || RUST_METHODS.contains(&snake.as_str()) {
                format!("{snake}_")
            } else if RUST_KEYWORDS.contains(&snake.as_str()) {
                format!("r#{snake}")
            } else {
                snake.clone()
            };
        let java = suffixed(self.lower_camel(), &[JAVA_KEYWORDS, JAVA_METHODS]);
        let python = suffixed(snake, &[PYTHON_KEYWORDS, PYTHON_ATTRIBUTES]);
        Names { rust, java, python }
    }

    /// The name of a member of a closed set.
    pub(crate) fn member(&self) -> Names {
        let shouty = self.shouty();
        Names {
            rust: suffixed(self.upper_camel(), &[RUST_NEVER_RAW, RUST_CONSTANTS]),
            java: shouty.clone(),
            python: shouty,
        }
    }

    /// The name of the type of a field's values, where `attributes` are the Python attributes of the
    /// state: its class evaluates annotations among them.
    pub(crate) fn value_type(&self, attributes: &BTreeSet<String>) -> Names {
        let camel = self.upper_camel();
        // As `domain` has it: Java's types are files.
        let java = self.ascii().upper_camel();
        let mut python = suffixed(camel.clone(), &[PYTHON_KEYWORDS, PYTHON_TYPES]);
        if attributes.contains(&python) {
            python.push('_');
        }
        Names {
            rust: suffixed(camel, &[RUST_NEVER_RAW, RUST_PRELUDE]),
            java: suffixed(java, &[JAVA_TYPES, JAVA_LANG]),
            python,
        }
    }

    /// The words themselves, joined by `_`.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of a pack's module (Rust) or package (Java, Python); also a file name, and
    /// therefore ASCII.
    pub(crate) fn module(&self) -> Names {
        let snake = self.ascii().snake();
        let joined = snake.replace('_', "");
        Names {
            rust: suffixed(snake, &[RUST_KEYWORDS, RUST_NEVER_RAW, RUST_FILES, DEVICES]),
            java: suffixed(joined.clone(), &[JAVA_KEYWORDS, DEVICES]),
            python: suffixed(joined, &[PYTHON_KEYWORDS, DEVICES]),
        }
    }

    /// The name of a package to publish: ASCII words joined by `-`, if the name has only such.
    pub(crate) fn package(&self) -> Option<String> {
        self.0.is_ascii().then(|| self.snake().replace('_', "-"))
    }
}

/// What is left of a name when no case, no `_` and no escape tells it from another: two names can
/// only fall together when this is the same of both.
pub(crate) fn squashed(name: &str) -> String {
    name.to_lowercase().replace('_', "")
}

/// The stem of a pack's generated type names, and the name of its Rust marker type.
///
/// A domain name in plain UpperCamelCase is kept as it is, so that `PIIGuard` gives
/// `PIIGuardClient`.
pub(crate) fn domain(raw: &str) -> (Names, String) {
    let kept = raw.chars().all(|c| c.is_ascii_alphanumeric())
        && raw.starts_with(|c: char| c.is_ascii_uppercase());
    let stem = if kept {
        raw.to_owned()
    } else {
        Words::new(raw).upper_camel()
    };
    // Java's types are files, and some systems know no others.
    let java = if stem.is_ascii() {
        stem.clone()
    } else {
        Words::new(raw).ascii().upper_camel()
    };
    let marker = suffixed(stem.clone(), &[RUST_NEVER_RAW, RUST_PRELUDE, RUST_SIBLINGS]);
    let python = suffixed(stem.clone(), &[PYTHON_STEMS]);
    (
        Names {
            rust: stem,
            java,
            python,
        },
        marker,
    )
}

/// Whether a name can be a Python package of its own: an ASCII identifier that is no keyword and
/// hides no module of the standard library.
pub(crate) fn is_python_package(name: &str) -> bool {
    name.is_ascii()
        && is_identifier(name)
        && !PYTHON_KEYWORDS.contains(&name)
        && !PYTHON_MODULES.contains(&name)
        && !name.starts_with("helixor_runtime")
}

/// Whether a name can be a Java package: ASCII identifiers that are no keywords, joined by dots.
pub(crate) fn is_java_package(name: &str) -> bool {
    let keywords = JAVA_KEYWORDS.iter().take_while(|word| **word != "exports");
    let keywords: Vec<&str> = keywords.copied().collect();
    name.split('.').all(|part| {
        part.is_ascii()
            && is_identifier(part)
            && !keywords.contains(&part)
            && !DEVICES.contains(&part)
    }) && !name.starts_with("java.")
        && name != "java"
}

/// Whether Maven takes a name for a group.
pub(crate) fn is_maven_group(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

/// Whether Cargo takes a name for a crate.
pub(crate) fn is_crate_name(name: &str) -> bool {
    let snake = name.replace('-', "_");
    snake.is_ascii()
        && is_identifier(&snake)
        && snake.len() <= 64
        && ![RUST_KEYWORDS, RUST_NEVER_RAW, RUST_CRATES, DEVICES]
            .iter()
            .any(|list| list.contains(&snake.as_str()))
}

/// The name of a state's Python attribute in the pydantic model, where `taken` are all of the state:
/// the same, unless pydantic needs it.
pub(crate) fn pydantic(attribute: &str, taken: &BTreeSet<String>) -> String {
    let mut name = attribute.to_owned();
    if PYDANTIC_NAMES.contains(&attribute) {
        while taken.contains(&name) {
            name.insert_str(0, "field_");
        }
    }
    name
}

fn suffixed(name: String, reserved: &[&[&str]]) -> String {
    if reserved.iter().any(|list| list.contains(&name.as_str())) {
        name + "_"
    } else {
        name
    }
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(unicode_ident::is_xid_start)
        && chars.all(unicode_ident::is_xid_continue)
        && name.chars().all(is_known)
        && unicode_normalization::is_nfkc(name)
}

/// Letters and digits that every language takes in identifiers.
fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() && unicode_ident::is_xid_continue(c) && is_known(c)
}

/// Whether a character of identifiers is one in Python 3.11 and Java 17 too: not beyond the basic
/// plane, where they differ most, and none of those that Unicode has had for less long.
fn is_known(c: char) -> bool {
    !matches!(
        u32::from(c),
        0x870..=0x88f
            | 0x897
            | 0x8b5
            | 0x8c8..=0x8c9
            | 0xc5c..=0xc5d
            | 0xcdc..=0xcdd
            | 0xcf3
            | 0x1369..=0x1371
            | 0x170d
            | 0x171f
            | 0x1885..=0x1886
            | 0x19da
            | 0x1acc..=0x1ace
            | 0x1b4c
            | 0x1c89..=0x1c8a
            | 0x2c2f
            | 0x2c5f
            | 0x9ffd..=0x9fff
            | 0xa7c0..=0xa7c1
            | 0xa7cb..=0xa7dc
            | 0x1_0000..
    )
}

fn is_separator(c: char) -> bool {
    matches!(c, '_' | '-' | '.')
        || c.is_whitespace()
        || unicode_ident::is_xid_continue(c) && !c.is_alphanumeric()
}

fn symbol_word(c: char) -> String {
    let word = match c {
        ' ' => "space",
        '!' => "not",
        '"' => "quote",
        '#' => "hash",
        '$' => "dollar",
        '%' => "percent",
        '&' => "and",
        '\'' => "tick",
        '(' => "open",
        ')' => "close",
        '*' => "star",
        '+' => "plus",
        ',' => "comma",
        '-' => "dash",
        '.' => "dot",
        '/' => "slash",
        ':' => "colon",
        ';' => "semicolon",
        '<' => "lt",
        '=' => "eq",
        '>' => "gt",
        '?' => "question",
        '@' => "at",
        '[' => "open_bracket",
        '\\' => "backslash",
        ']' => "close_bracket",
        '^' => "caret",
        '_' => "underscore",
        '`' => "backtick",
        '{' => "open_brace",
        '|' => "or",
        '}' => "close_brace",
        '~' => "tilde",
        '§' => "section",
        '°' => "degree",
        '±' => "plus_minus",
        '×' => "times",
        '÷' => "div",
        '£' => "pound",
        '€' => "euro",
        '≠' => "ne",
        '≤' => "le",
        '≥' => "ge",
        _ => return format!("u{:x}", u32::from(c)),
    };
    word.into()
}

/// Strict and reserved words of every edition, 2024 included.
const RUST_KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// Keywords that no `r#` frees.
const RUST_NEVER_RAW: &[&str] = &["Self", "crate", "self", "super"];

/// The builder's own method, and methods that a setter of that name would hide.
const RUST_METHODS: &[&str] = &[
    "borrow",
    "borrow_mut",
    "build",
    "clone",
    "clone_from",
    "clone_into",
    "default",
    "fmt",
    "from",
    "into",
    "to_owned",
    "try_from",
    "try_into",
    "type_id",
];

/// Types, traits and variants of the prelude.
const RUST_PRELUDE: &[&str] = &[
    "AsMut",
    "AsRef",
    "AsyncFn",
    "AsyncFnMut",
    "AsyncFnOnce",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Future",
    "Hash",
    "Into",
    "IntoFuture",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Unpin",
    "Vec",
];

/// Types that every generated module has.
const RUST_SIBLINGS: &[&str] = &["Action", "Field", "Rule"];

/// Constants that every generated enum has.
const RUST_CONSTANTS: &[&str] = &["ALL"];

/// Files of a crate with a meaning of their own.
const RUST_FILES: &[&str] = &["bin", "lib", "main"];

/// Crate names that Cargo refuses or that a crate of the same name would hide.
const RUST_CRATES: &[&str] = &[
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "helixor_runtime",
    "incremental",
    "proc_macro",
    "std",
    "test",
];

/// Names that Windows keeps for devices.
const DEVICES: &[&str] = &[
    "aux", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "con", "lpt1",
    "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "nul", "prn",
];

/// Keywords and literals, then the contextual ones.
const JAVA_KEYWORDS: &[&str] = &[
    "_",
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "void",
    "volatile",
    "while",
    "exports",
    "module",
    "open",
    "opens",
    "permits",
    "provides",
    "record",
    "requires",
    "sealed",
    "to",
    "transitive",
    "uses",
    "var",
    "when",
    "with",
    "yield",
];

/// The state's own method, and those of `Object`: no record component may have their names.
const JAVA_METHODS: &[&str] = &[
    "builder",
    "clone",
    "equals",
    "finalize",
    "getClass",
    "hashCode",
    "notify",
    "notifyAll",
    "toString",
    "wait",
];

/// Types that the generated sources import or nest, and that one of their own would hide or be hidden
/// by.
const JAVA_TYPES: &[&str] = &[
    "All",
    "ArrayList",
    "Builder",
    "Given",
    "List",
    "Optional",
    "Values",
    "Wire",
];

/// The types of `java.lang` (Java 17 to 25), which those of a package hide.
const JAVA_LANG: &[&str] = &[
    "AbstractMethodError",
    "Appendable",
    "ArithmeticException",
    "ArrayIndexOutOfBoundsException",
    "ArrayStoreException",
    "AssertionError",
    "AutoCloseable",
    "Boolean",
    "BootstrapMethodError",
    "Byte",
    "CharSequence",
    "Character",
    "Class",
    "ClassCastException",
    "ClassCircularityError",
    "ClassFormatError",
    "ClassLoader",
    "ClassNotFoundException",
    "ClassValue",
    "CloneNotSupportedException",
    "Cloneable",
    "Comparable",
    "Compiler",
    "Deprecated",
    "Double",
    "Enum",
    "EnumConstantNotPresentException",
    "Error",
    "Exception",
    "ExceptionInInitializerError",
    "Float",
    "FunctionalInterface",
    "IO",
    "IllegalAccessError",
    "IllegalAccessException",
    "IllegalArgumentException",
    "IllegalCallerException",
    "IllegalMonitorStateException",
    "IllegalStateException",
    "IllegalThreadStateException",
    "IncompatibleClassChangeError",
    "IndexOutOfBoundsException",
    "InheritableThreadLocal",
    "InstantiationError",
    "InstantiationException",
    "Integer",
    "InternalError",
    "InterruptedException",
    "Iterable",
    "LayerInstantiationException",
    "LinkageError",
    "Long",
    "MatchException",
    "Math",
    "Module",
    "ModuleLayer",
    "NegativeArraySizeException",
    "NoClassDefFoundError",
    "NoSuchFieldError",
    "NoSuchFieldException",
    "NoSuchMethodError",
    "NoSuchMethodException",
    "NullPointerException",
    "Number",
    "NumberFormatException",
    "Object",
    "OutOfMemoryError",
    "Override",
    "Package",
    "Process",
    "ProcessBuilder",
    "ProcessHandle",
    "Readable",
    "Record",
    "ReflectiveOperationException",
    "Runnable",
    "Runtime",
    "RuntimeException",
    "RuntimePermission",
    "SafeVarargs",
    "ScopedValue",
    "SecurityException",
    "SecurityManager",
    "Short",
    "StableValue",
    "StackOverflowError",
    "StackTraceElement",
    "StackWalker",
    "StrictMath",
    "String",
    "StringBuffer",
    "StringBuilder",
    "StringIndexOutOfBoundsException",
    "StringTemplate",
    "SuppressWarnings",
    "System",
    "Thread",
    "ThreadDeath",
    "ThreadGroup",
    "ThreadLocal",
    "Throwable",
    "TypeNotPresentException",
    "UnknownError",
    "UnsatisfiedLinkError",
    "UnsupportedClassVersionError",
    "UnsupportedOperationException",
    "VerifyError",
    "VirtualMachineError",
    "Void",
    "WrongThreadException",
];

/// Hard keywords, then the soft ones.
const PYTHON_KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield", "_", "case", "match", "type",
];

/// Names that, as attributes of the state class, would hide its own annotations or `__init__`'s
/// first argument.
const PYTHON_ATTRIBUTES: &[&str] = &["bool", "cls", "float", "int", "self", "str"];

/// Types that the generated modules import, and the built-in ones (CPython 3.11 to 3.14): none of a
/// module's own may hide them.
const PYTHON_TYPES: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "BaseExceptionGroup",
    "BaseModel",
    "BlockingIOError",
    "BrokenPipeError",
    "BufferError",
    "BuiltinClient",
    "BytesWarning",
    "Cause",
    "Change",
    "ChildProcessError",
    "ClassVar",
    "Client",
    "ConfigDict",
    "ConnectionAbortedError",
    "ConnectionError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "Counterfactual",
    "Decision",
    "DeprecationWarning",
    "EOFError",
    "Ellipsis",
    "EncodingWarning",
    "EnvironmentError",
    "Exception",
    "ExceptionGroup",
    "FileExistsError",
    "FileNotFoundError",
    "Final",
    "FloatingPointError",
    "FutureWarning",
    "GeneratorExit",
    "IOError",
    "ImportError",
    "ImportWarning",
    "IndentationError",
    "IndexError",
    "InterruptedError",
    "IsADirectoryError",
    "KeyError",
    "KeyboardInterrupt",
    "LeftOut",
    "Literal",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotADirectoryError",
    "NotImplemented",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PendingDeprecationWarning",
    "PermissionError",
    "ProcessLookupError",
    "PythonFinalizationError",
    "RecursionError",
    "ReferenceError",
    "ResourceWarning",
    "RuntimeError",
    "RuntimeWarning",
    "SkipJsonSchema",
    "Spec",
    "StopAsyncIteration",
    "StopIteration",
    "StrEnum",
    "SyntaxError",
    "SyntaxWarning",
    "SystemError",
    "SystemExit",
    "TabError",
    "TimeoutError",
    "TypeAlias",
    "TypeError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeError",
    "UnicodeTranslateError",
    "UnicodeWarning",
    "UserWarning",
    "ValueError",
    "Warning",
    "ZeroDivisionError",
];

/// What pydantic's `BaseModel` and its metaclass have: no field of a model may hide it.
const PYDANTIC_NAMES: &[&str] = &[
    "construct",
    "copy",
    "dict",
    "from_orm",
    "json",
    "model_computed_fields",
    "model_config",
    "model_construct",
    "model_copy",
    "model_dump",
    "model_dump_json",
    "model_extra",
    "model_fields",
    "model_fields_set",
    "model_json_schema",
    "model_parametrized_name",
    "model_post_init",
    "model_rebuild",
    "model_validate",
    "model_validate_json",
    "model_validate_strings",
    "mro",
    "parse_file",
    "parse_obj",
    "parse_raw",
    "register",
    "schema",
    "schema_json",
    "update_forward_refs",
    "validate",
];

/// Stems whose client class would hide what it derives from.
const PYTHON_STEMS: &[&str] = &["Builtin"];

/// Top-level modules of the standard library (CPython 3.11 to 3.14).
const PYTHON_MODULES: &[&str] = &[
    "abc",
    "aifc",
    "annotationlib",
    "antigravity",
    "argparse",
    "array",
    "ast",
    "asynchat",
    "asyncio",
    "asyncore",
    "atexit",
    "audioop",
    "base64",
    "bdb",
    "binascii",
    "bisect",
    "builtins",
    "bz2",
    "cProfile",
    "calendar",
    "cgi",
    "cgitb",
    "chunk",
    "cmath",
    "cmd",
    "code",
    "codecs",
    "codeop",
    "collections",
    "colorsys",
    "compileall",
    "compression",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "copyreg",
    "crypt",
    "csv",
    "ctypes",
    "curses",
    "dataclasses",
    "datetime",
    "dbm",
    "decimal",
    "difflib",
    "dis",
    "distutils",
    "doctest",
    "email",
    "encodings",
    "ensurepip",
    "enum",
    "errno",
    "faulthandler",
    "fcntl",
    "filecmp",
    "fileinput",
    "fnmatch",
    "fractions",
    "ftplib",
    "functools",
    "gc",
    "genericpath",
    "getopt",
    "getpass",
    "gettext",
    "glob",
    "graphlib",
    "grp",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "idlelib",
    "imaplib",
    "imghdr",
    "imp",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "keyword",
    "lib2to3",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "mailbox",
    "mailcap",
    "marshal",
    "math",
    "mimetypes",
    "mmap",
    "modulefinder",
    "msilib",
    "msvcrt",
    "multiprocessing",
    "netrc",
    "nis",
    "nntplib",
    "nt",
    "ntpath",
    "nturl2path",
    "numbers",
    "opcode",
    "operator",
    "optparse",
    "os",
    "ossaudiodev",
    "pathlib",
    "pdb",
    "pickle",
    "pickletools",
    "pipes",
    "pkgutil",
    "platform",
    "plistlib",
    "poplib",
    "posix",
    "posixpath",
    "pprint",
    "profile",
    "pstats",
    "pty",
    "pwd",
    "py_compile",
    "pyclbr",
    "pydoc",
    "pydoc_data",
    "pyexpat",
    "queue",
    "quopri",
    "random",
    "re",
    "readline",
    "reprlib",
    "resource",
    "rlcompleter",
    "runpy",
    "sched",
    "secrets",
    "select",
    "selectors",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "site",
    "smtpd",
    "smtplib",
    "sndhdr",
    "socket",
    "socketserver",
    "spwd",
    "sqlite3",
    "sre_compile",
    "sre_constants",
    "sre_parse",
    "ssl",
    "stat",
    "statistics",
    "string",
    "stringprep",
    "struct",
    "subprocess",
    "sunau",
    "symtable",
    "sys",
    "sysconfig",
    "syslog",
    "tabnanny",
    "tarfile",
    "telnetlib",
    "tempfile",
    "termios",
    "textwrap",
    "this",
    "threading",
    "time",
    "timeit",
    "tkinter",
    "token",
    "tokenize",
    "tomllib",
    "trace",
    "traceback",
    "tracemalloc",
    "tty",
    "turtle",
    "turtledemo",
    "types",
    "typing",
    "unicodedata",
    "unittest",
    "urllib",
    "uu",
    "uuid",
    "venv",
    "warnings",
    "wave",
    "weakref",
    "webbrowser",
    "winreg",
    "winsound",
    "wsgiref",
    "xdrlib",
    "xml",
    "xmlrpc",
    "zipapp",
    "zipfile",
    "zipimport",
    "zlib",
    "zoneinfo",
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn field(raw: &str) -> (String, String, String) {
        let names = Words::new(raw).field();
        (names.rust, names.java, names.python)
    }

    fn member(raw: &str) -> (String, String) {
        let names = Words::new(raw).member();
        assert_eq!(names.java, names.python);
        (names.rust, names.python)
    }

    #[test]
    fn words_take_the_case_of_each_language() {
        for (raw, rust, java, python) in [
            ("has_ssn", "has_ssn", "hasSsn", "has_ssn"),
            (
                "hasSSNNumber",
                "has_ssn_number",
                "hasSsnNumber",
                "has_ssn_number",
            ),
            (
                "amount > 5%",
                "amount_gt_5_percent",
                "amountGt5Percent",
                "amount_gt_5_percent",
            ),
            ("1st", "n1st", "n1st", "n1st"),
            ("größe", "größe", "größe", "größe"),
            ("ﬁne", "fine", "fine", "fine"),
            ("是否", "是否", "是否", "是否"),
            ("😀", "u1f600", "u1f600", "u1f600"),
            ("__init__", "init", "init", "init"),
            ("-", "dash", "dash", "dash"),
        ] {
            assert_eq!(
                field(raw),
                (rust.into(), java.into(), python.into()),
                "{raw}"
            );
        }
        let expected = ("RuleGlbaSsnBlock".into(), "RULE_GLBA_SSN_BLOCK".into());
        assert_eq!(member("RULE-GLBA-SSN-BLOCK"), expected);
        assert_eq!(member("404"), ("N404".into(), "N404".into()));
        // Its capital is younger than Python 3.11.
        assert_eq!(member("a\u{264}").1, "A_U264");
        assert_eq!(domain("PIIGuard").0.rust, "PIIGuard");
        assert_eq!(domain("pii guard").0.rust, "PiiGuard");
    }

    #[test]
    fn reserved_words_and_hidden_names_are_escaped() {
        for (raw, rust, java, python) in [
            ("type", "r#type", "type", "type_"),
            ("class", "class", "class_", "class_"),
            ("self", "self_", "self", "self_"),
            ("gen", "r#gen", "gen", "gen"),
            ("hash_code", "hash_code", "hashCode_", "hash_code"),
            ("build", "build_", "build", "build"),
            ("int", "int", "int_", "int_"),
            ("match", "r#match", "match", "match_"),
        ] {
            assert_eq!(
                field(raw),
                (rust.into(), java.into(), python.into()),
                "{raw}"
            );
        }
        assert_eq!(member("self").0, "Self_");
        assert_eq!(domain("Option").1, "Option_");
        assert_eq!(domain("Action").1, "Action_");
        assert_eq!(domain("Builtin").0.python, "Builtin_");
        assert_eq!(Words::new("Main").module().rust, "main_");
        assert_eq!(Words::new("Con").module().python, "con_");
        assert_eq!(Words::new("Größe").module().rust, "gr_uf6_udf_e");
        assert!(Words::new("helixor_x").is_reserved() && !Words::new("helixors").is_reserved());
    }

    #[test]
    fn names_that_pydantic_needs_are_escaped_in_its_model() {
        let taken = ["copy", "field_copy", "json"].map(String::from).into();
        for (attribute, name) in [
            ("copy", "field_field_copy"),
            ("json", "field_json"),
            ("field_copy", "field_copy"),
            ("class_", "class_"),
        ] {
            assert_eq!(pydantic(attribute, &taken), name);
        }
    }

    #[test]
    fn any_text_gives_identifiers() {
        let mut samples: Vec<String> = (0..=0x2ff_u32)
            .chain([
                0x345, 0x37a, 0x94d, 0x1e9e, 0x2028, 0x202e, 0xfb01, 0xfe0f, 0x1d4b3, 0x10ffff,
            ])
            .filter_map(char::from_u32)
            .flat_map(|c| {
                [
                    c.to_string(),
                    format!("a{c}"),
                    format!("{c}b"),
                    format!("a{c}{c}b"),
                ]
            })
            .collect();
        samples.push("x".repeat(200));
        for raw in samples {
            let words = Words::new(&raw);
            let (field, member, module) = (words.field(), words.member(), words.module());
            let (stem, marker) = domain(&raw);
            for name in [&field.rust, &member.rust, &module.rust, &stem.rust, &marker] {
                assert!(
                    syn::parse_str::<syn::Ident>(name).is_ok(),
                    "{raw:?} gives {name:?}"
                );
            }
            for name in [
                &field.python,
                &member.python,
                &module.python,
                &stem.python,
                &field.java,
            ] {
                assert!(is_identifier(name), "{raw:?} gives {name:?}");
            }
            for name in [&field.python, &member.python, &module.python] {
                assert!(
                    !PYTHON_KEYWORDS.contains(&name.as_str()),
                    "{raw:?} gives {name:?}"
                );
            }
            for name in [&field.java, &member.java, &module.java] {
                assert!(
                    !JAVA_KEYWORDS.contains(&name.as_str()),
                    "{raw:?} gives {name:?}"
                );
            }
        }
    }

    #[test]
    fn the_rust_keywords_are_those_of_syn() {
        for word in RUST_KEYWORDS {
            // `gen` is one since the 2024 edition, later than what the parser holds to.
            let refused = syn::parse_str::<syn::Ident>(word).is_err() || *word == "gen";
            assert!(refused, "{word} is no keyword");
            assert!(
                syn::parse_str::<syn::Ident>(&format!("r#{word}")).is_ok(),
                "{word}"
            );
        }
        for word in RUST_NEVER_RAW {
            assert!(
                syn::parse_str::<syn::Ident>(word).is_err(),
                "{word} is no keyword"
            );
        }
        // Nothing is left out: every word of the other languages that is none here is free.
        for word in JAVA_KEYWORDS
            .iter()
            .chain(PYTHON_KEYWORDS)
            .filter(|word| **word != "_")
        {
            let listed = RUST_KEYWORDS.contains(word) || RUST_NEVER_RAW.contains(word);
            assert_eq!(
                syn::parse_str::<syn::Ident>(word).is_err(),
                listed,
                "{word}"
            );
        }
    }

    #[test]
    fn the_python_words_are_those_of_python() {
        let script = "import keyword, sys\n\
            print(*keyword.kwlist, *keyword.softkwlist)\n\
            print(*(m for m in sys.stdlib_module_names if not m.startswith('_')))";
        let output = Command::new("python3")
            .args(["-c", script])
            .output()
            .unwrap();
        let output = String::from_utf8(output.stdout).unwrap();
        let (keywords, modules) = output.split_once('\n').unwrap();
        assert!(
            keywords.contains("match") && modules.contains("json"),
            "{output}"
        );
        for word in keywords.split_whitespace() {
            assert!(PYTHON_KEYWORDS.contains(&word), "{word}");
        }
        for module in modules.split_whitespace() {
            assert!(PYTHON_MODULES.contains(&module), "{module}");
        }
    }

    /// Every character beyond ASCII that is kept, one name a line, then with a letter before it.
    fn all_kept() -> String {
        let kept = ('\u{80}'..='\u{ffff}').filter(|c| is_word_char(*c));
        let mut out = String::new();
        for c in kept.filter(|c| unicode_normalization::is_nfkc(&format!("a{c}"))) {
            if unicode_ident::is_xid_start(c) {
                out.push_str(&format!("{c}\n"));
            }
            out.push_str(&format!("a{c}\n"));
        }
        assert!(out.len() > 100_000);
        out
    }

    #[test]
    fn python_takes_every_character_that_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("names");
        std::fs::write(&file, all_kept()).unwrap();
        let script = "import sys\n\
            names = open(sys.argv[1], encoding='utf-8').read().split('\\n')[:-1]\n\
            print(*(ascii(n) for n in names if not n.isidentifier()))";
        let output = Command::new("python3")
            .args(["-c", script])
            .arg(&file)
            .output()
            .unwrap();
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "");
    }

    /// Runs where a JDK is at hand.
    #[test]
    fn java_takes_every_character_that_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("Kept.java");
        let source = "public class Kept { public static void main(String[] a) throws Exception {\
            for (String n : java.nio.file.Files.readAllLines(java.nio.file.Path.of(a[0])))\
            if (!javax.lang.model.SourceVersion.isIdentifier(n))\
            System.out.println(Integer.toHexString(n.codePointBefore(n.length()))); } }";
        std::fs::write(&file, source).unwrap();
        let names = folder.path().join("names");
        std::fs::write(&names, all_kept()).unwrap();
        let Ok(output) = Command::new("java").arg(&file).arg(&names).output() else {
            return;
        };
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "");
    }

    /// What a Java program prints; none where no JDK is at hand.
    fn java(options: &[&str], name: &str, main: &str, arguments: &[&str]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(format!("{name}.java"));
        let source = format!(
            "public class {name} {{ public static void main(String[] words) throws Exception {{ {main} }} }}"
        );
        std::fs::write(&file, source).unwrap();
        let mut java = Command::new("java");
        let output = java
            .args(options)
            .arg(&file)
            .args(arguments)
            .output()
            .ok()?;
        assert!(output.status.success(), "{output:?}");
        Some(String::from_utf8(output.stdout).unwrap())
    }

    /// Of the compiler's own tokens; runs where a JDK is at hand.
    #[test]
    fn the_java_keywords_are_those_of_java() {
        let package = "jdk.compiler/com.sun.tools.javac.parser=ALL-UNNAMED";
        let main = "for (var kind : com.sun.tools.javac.parser.Tokens.TokenKind.values())\
            if (kind.name != null && javax.lang.model.SourceVersion.isKeyword(kind.name)) System.out.println(kind.name);";
        let Some(output) = java(&["--add-exports", package], "Keywords", main, &[]) else {
            return;
        };
        let found: Vec<&str> = output.lines().collect();
        assert!(found.len() > 50, "{found:?}");
        for word in &found {
            assert!(JAVA_KEYWORDS.contains(word), "{word}");
        }
        // Contextual words come last, though they are no keywords everywhere.
        let hard = JAVA_KEYWORDS.iter().take_while(|word| **word != "exports");
        for word in hard {
            assert!(found.contains(word), "{word}");
        }
    }

    /// Runs where a JDK is at hand.
    #[test]
    fn no_type_hides_one_of_java_lang() {
        let main = "var modules = java.nio.file.FileSystems.getFileSystem(java.net.URI.create(\"jrt:/\"));\
            try (var files = java.nio.file.Files.list(modules.getPath(\"/modules/java.base/java/lang\"))) {\
            for (var file : (Iterable<java.nio.file.Path>) files::iterator) {\
            String name = file.getFileName().toString();\
            if (!name.matches(\"\\\\w+\\\\.class\")) continue;\
            name = name.substring(0, name.length() - 6);\
            var type = Class.forName(\"java.lang.\" + name, false, null);\
            if (java.lang.reflect.Modifier.isPublic(type.getModifiers())) System.out.println(name); } }";
        let Some(output) = java(&[], "Types", main, &[]) else {
            return;
        };
        assert!(output.lines().count() > 100, "{output}");
        for name in output.lines() {
            assert!(JAVA_LANG.contains(&name), "{name}");
        }
    }

    /// No component of a record may be called like a method of `Object` without parameters. Runs where a
    /// JDK is at hand.
    #[test]
    fn no_member_hides_a_method_of_object() {
        let main = "for (var method : Object.class.getDeclaredMethods())\
            if (method.getParameterCount() == 0 && !java.lang.reflect.Modifier.isPrivate(method.getModifiers()))\
            System.out.println(method.getName());";
        let Some(output) = java(&[], "Methods", main, &[]) else {
            return;
        };
        assert!(output.lines().count() > 5, "{output}");
        for name in output.lines().filter(|name| !name.contains('0')) {
            assert!(JAVA_METHODS.contains(&name), "{name}");
        }
    }

    #[test]
    fn no_type_hides_one_of_python() {
        let script = "import builtins; print(*(n for n in dir(builtins) if n[0].isupper()))";
        let output = Command::new("python3")
            .args(["-c", script])
            .output()
            .unwrap();
        let output = String::from_utf8(output.stdout).unwrap();
        assert!(output.contains("ValueError"), "{output}");
        for name in output.split_whitespace() {
            assert!(
                PYTHON_TYPES.contains(&name) || PYTHON_KEYWORDS.contains(&name),
                "{name}"
            );
        }
    }

    #[test]
    fn types_of_closed_sets_hide_nothing() {
        let none = BTreeSet::new();
        for (name, rust, java, python) in [
            ("tier", "Tier", "Tier", "Tier"),
            ("shirt size", "ShirtSize", "ShirtSize", "ShirtSize"),
            ("1st", "N1st", "N1st", "N1st"),
            (">", "Gt", "Gt", "Gt"),
            ("self", "Self_", "Self", "Self"),
            ("option", "Option_", "Option", "Option"),
            ("string", "String_", "String_", "String"),
            ("none", "None_", "None", "None_"),
            ("exception", "Exception", "Exception_", "Exception_"),
            ("builder", "Builder", "Builder_", "Builder"),
            ("base_model", "BaseModel", "BaseModel", "BaseModel_"),
            ("größe", "Größe", "GrUf6UdfE", "Größe"),
        ] {
            let names = Words::new(name).value_type(&none);
            assert_eq!([names.rust, names.java, names.python], [rust, java, python]);
        }
        // Where letters have no case, the type would have its attribute's name.
        let attributes = BTreeSet::from(["等级".to_owned()]);
        let names = Words::new("等级").value_type(&attributes);
        assert_eq!(
            (names.rust.as_str(), names.python.as_str()),
            ("等级", "等级_")
        );
    }
}
