//! The spanned document tree that both readers (YAML and canonical JSON) give.

/// A place in a source text, in bytes: `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The bytes `start..end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

/// A value and where it stands in its source (an empty span at 0 when it was built, not read).
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub data: Data,
}

/// What a [`Node`] can be.
#[derive(Clone, Debug)]
pub enum Data {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// An integer; readers give only those of i64 or u64.
    Int(i128),
    /// A float; readers give only finite ones.
    Float(f64),
    /// A text.
    String(String),
    /// A list.
    List(Vec<Node>),
    /// A map with unique keys, in source order.
    Map(Vec<Entry>),
}

/// One key of a map with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Node {
    /// A node at a place.
    pub const fn new(data: Data, span: Span) -> Self {
        Self { span, data }
    }

    /// A map built from keys and values; keys must be unique.
    pub fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Node)>) -> Self {
        let entries = entries.into_iter().map(|(key, value)| Entry {
            key: key.into(),
            key_span: Span::default(),
            value,
        });
        Data::Map(entries.collect()).into()
    }

    /// A list built from values.
    pub fn list<N: Into<Node>>(items: impl IntoIterator<Item = N>) -> Self {
        Data::List(items.into_iter().map(Into::into).collect()).into()
    }

    /// The value of a key, when this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.data {
            Data::Map(entries) => entries.iter().find(|e| e.key == key).map(|e| &e.value),
            _ => None,
        }
    }

    /// The text, when this is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether this is null.
    pub const fn is_null(&self) -> bool {
        matches!(self.data, Data::Null)
    }

    /// What this is, as users call it: `null`, `boolean`, `integer`, `number`, `string`, `list`
    /// or `map`.
    pub const fn type_name(&self) -> &'static str {
        match self.data {
            Data::Null => "null",
            Data::Bool(_) => "boolean",
            Data::Int(_) => "integer",
            Data::Float(_) => "number",
            Data::String(_) => "string",
            Data::List(_) => "list",
            Data::Map(_) => "map",
        }
    }
}

impl From<Data> for Node {
    fn from(data: Data) -> Self {
        Self::new(data, Span::default())
    }
}

impl From<bool> for Node {
    fn from(value: bool) -> Self {
        Data::Bool(value).into()
    }
}

impl From<i64> for Node {
    fn from(value: i64) -> Self {
        Data::Int(value.into()).into()
    }
}

impl From<u64> for Node {
    fn from(value: u64) -> Self {
        Data::Int(value.into()).into()
    }
}

impl From<f64> for Node {
    fn from(value: f64) -> Self {
        Data::Float(value).into()
    }
}

impl From<&str> for Node {
    fn from(value: &str) -> Self {
        Data::String(value.into()).into()
    }
}

impl From<String> for Node {
    fn from(value: String) -> Self {
        Data::String(value).into()
    }
}

impl<N: Into<Node>> From<Option<N>> for Node {
    fn from(value: Option<N>) -> Self {
        value.map_or_else(|| Data::Null.into(), Into::into)
    }
}

/// Two nodes are equal when they say the same; where they stand, and the order of keys, do not
/// count.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        match (&self.data, &other.data) {
            (Data::Null, Data::Null) => true,
            (Data::Bool(a), Data::Bool(b)) => a == b,
            (Data::Int(a), Data::Int(b)) => a == b,
            (Data::Float(a), Data::Float(b)) => a.to_bits() == b.to_bits(),
            (Data::String(a), Data::String(b)) => a == b,
            (Data::List(a), Data::List(b)) => a == b,
            (Data::Map(a), Data::Map(b)) => {
                let sorted = |entries: &[Entry]| -> Vec<usize> {
                    let mut order: Vec<usize> = (0..entries.len()).collect();
                    order.sort_by_key(|i| entries.get(*i).map(|e| e.key.clone()));
                    order
                };
                a.len() == b.len()
                    && sorted(a).into_iter().zip(sorted(b)).all(|(i, j)| {
                        match (a.get(i), b.get(j)) {
                            (Some(x), Some(y)) => x.key == y.key && x.value == y.value,
                            _ => false,
                        }
                    })
            }
            _ => false,
        }
    }
}
