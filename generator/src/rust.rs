//! The Rust view: one module per pack, and the crate around them.

use crate::docs::{self, Doc, Piece};
use crate::literals::rust as literal;
use crate::literals::toml;
use crate::model::{Field, Member, Pack, Presence, Sdk, VERSION};
use crate::names::Language;
use crate::output::Plan;
use askama::Template;
use helixor_playbook::{Code, Error, FieldKind, Value};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

#[derive(Template)]
// Not called `Cargo.toml`: Cargo leaves folders with one out of a package.
#[template(path = "rust/crate.toml")]
struct CargoToml<'a> {
    sdk: &'a Sdk,
    header: Vec<String>,
    description: String,
}

#[derive(Template)]
#[template(path = "rust/README.md")]
struct Readme<'a> {
    sdk: &'a Sdk,
    /// The pack of the examples.
    pack: &'a Pack,
    /// Its path in the crate.
    path: String,
}

#[derive(Template)]
#[template(path = "rust/lib.rs")]
struct Lib<'a> {
    sdk: &'a Sdk,
    header: Vec<String>,
}

/// Plans the crate, its files below `folder` (empty, or ending in `/`).
pub(crate) fn plan_crate(sdk: &Sdk, folder: &str, plan: &mut Plan) -> Result<(), Error> {
    let header = sdk.header(Language::Rust, None);
    let cargo = CargoToml {
        sdk,
        header: header.clone(),
        description: description(sdk),
    };
    plan.template(format!("{folder}Cargo.toml"), &cargo)?;
    if let Some(pack) = sdk.packs.first() {
        let crate_path = sdk.crate_name.replace('-', "_");
        let path = match sdk.packs.len() {
            1 => crate_path,
            _ => format!("{crate_path}::{}", pack.module.rust),
        };
        plan.template(format!("{folder}README.md"), &Readme { sdk, pack, path })?;
    }
    plan.template(format!("{folder}src/lib.rs"), &Lib { sdk, header })?;
    plan.add_each(&sdk.packs, |pack, plan| {
        let code = module(sdk, pack, |tokens| tokens)?;
        plan.add(
            format!("{folder}src/{}.rs", pack.module.rust),
            code.into_bytes(),
        )
    })
}

/// Plans the modules alone, for `include!`: there the user's own lints hold, and a file cannot
/// begin with attributes of its own, so the items stand in a module that is spared them.
pub(crate) fn plan_included(sdk: &Sdk, plan: &mut Plan) -> Result<(), Error> {
    plan.add_each(&sdk.packs, |pack, plan| {
        let code = module(sdk, pack, |tokens| {
            quote! {
                #[allow(dead_code, unreachable_pub)]
                mod helixor_generated { #tokens }
                #[allow(unreachable_pub, unused_imports)]
                pub use helixor_generated::*;
            }
        })?;
        plan.add(format!("{}.rs", pack.module.rust), code.into_bytes())
    })
}

fn description(sdk: &Sdk) -> String {
    match sdk.packs.as_slice() {
        [pack] => format!("Typed client of the Helixor pack {}", pack.id),
        packs => format!("Typed clients of {} Helixor packs", packs.len()),
    }
}

fn module(sdk: &Sdk, pack: &Pack, wrap: fn(TokenStream) -> TokenStream) -> Result<String, Error> {
    let tokens = wrap(Module::new(pack).tokens(&sdk.interface(pack, Language::Rust)));
    let file = syn::parse2(tokens).map_err(|e| {
        Error::new(
            Code::Internal,
            format!("generated Rust for `{}` does not parse: {e}", pack.id),
            "",
        )
    })?;
    let mut text = String::new();
    for line in sdk.header(Language::Rust, Some(pack)) {
        text.push_str(&format!("// {line}\n"));
    }
    Ok(text + "\n" + &spaced(&prettyplease::unparse(&file)))
}

/// One blank line before each item's first line; prettyplease leaves none.
fn spaced(code: &str) -> String {
    let mut out = String::new();
    let mut in_head = false;
    for line in code.lines() {
        let head = line.starts_with("///") || line.starts_with("#[");
        let item = head
            || line.starts_with("pub ")
            || line.starts_with("impl ")
            || line.starts_with("fn ");
        if item && !in_head && !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
        in_head = head;
        out.push_str(line);
        out.push('\n');
    }
    out
}

struct Module<'a> {
    pack: &'a Pack,
    marker: Ident,
    client: Ident,
    state: Ident,
    builder: Ident,
    decision: Ident,
    details: Ident,
    cause: Ident,
    counterfactual: Ident,
    change: Ident,
}

impl<'a> Module<'a> {
    fn new(pack: &'a Pack) -> Self {
        let named = |suffix: &str| ident(&format!("{}{suffix}", pack.stem.rust));
        Self {
            pack,
            marker: ident(&pack.marker),
            client: named("Client"),
            state: named("State"),
            builder: named("StateBuilder"),
            decision: named("Decision"),
            details: named("Details"),
            cause: named("Cause"),
            counterfactual: named("Counterfactual"),
            change: named("Change"),
        }
    }

    fn tokens(&self, interface: &str) -> TokenStream {
        let pack = self.pack;
        let constants = self.constants();
        let of_pack = |what| self.doc(what, ".");
        let doc = of_pack("An action of the pack ");
        let action = closed_set("Action", &doc, pack.actions.iter());
        let doc = of_pack("A hard rule of the pack ");
        let rule = closed_set("Rule", &doc, pack.rules.iter());
        let fields = pack.fields.iter().map(|field| &field.member);
        let field = closed_set("Field", &of_pack("A state field of the pack "), fields);
        let values = pack.value_sets();
        let values = values.map(|set| {
            let name = ident(&set.names.rust);
            let set = closed_set(&set.names.rust, &doc_of(&set.doc), set.members.iter());
            quote!(#set ::helixor_runtime::closed_set!(#name);)
        });
        let state = self.state();
        let builder = self.builder();
        let spec = self.spec(interface);
        let aliases = self.aliases();
        let required = pack.required().next().map(|_| required());
        quote! { #constants #aliases #state #builder #(#values)* #action #rule #field #spec #required }
    }

    fn constants(&self) -> TokenStream {
        let pack = self.pack;
        let (id, goal) = (
            literal::string(pack.id.as_str()),
            literal::string(&pack.goal_id),
        );
        let (floor, budget) = (
            literal::float(pack.floor),
            literal::float(pack.budget_max_latency_ms),
        );
        quote! {
            #[doc = " The pack's id."]
            pub const PACK_ID: &str = #id;
            #[doc = " The decision the pack answers."]
            pub const GOAL_ID: &str = #goal;
            #[doc = " The declared confidence floor: carried, not acted on."]
            pub const FLOOR: f64 = #floor;
            #[doc = " The declared latency budget in milliseconds: carried, not acted on."]
            pub const BUDGET_MAX_LATENCY_MS: f64 = #budget;
        }
    }

    fn aliases(&self) -> TokenStream {
        let Self {
            marker,
            client,
            decision,
            details,
            cause,
            counterfactual,
            change,
            ..
        } = self;
        let open = if self.pack.builtin {
            ": opens a sealed pack, or the one built into the runtime, and decides."
        } else {
            ": opens a sealed pack and decides."
        };
        let doc = self.doc("The client of the pack ", open);
        quote! {
            #doc
            pub type #client = ::helixor_runtime::typed::Client<#marker>;
            #[doc = " A decision of the pack: its action, verdict, fired rules, causes, counterfactual and proof."]
            pub type #decision = ::helixor_runtime::typed::Decision<#marker>;
            #[doc = " What a decision says, in the open: to make fake decisions for tests."]
            pub type #details = ::helixor_runtime::typed::Details<#marker>;
            #[doc = " A necessary cause of a decision."]
            pub type #cause = ::helixor_runtime::typed::Cause<#marker>;
            #[doc = " What would have to change for an approval."]
            pub type #counterfactual = ::helixor_runtime::typed::Counterfactual<#marker>;
            #[doc = " One change that a counterfactual asks for."]
            pub type #change = ::helixor_runtime::typed::Change<#marker>;
        }
    }

    fn doc(&self, before: &str, after: &str) -> TokenStream {
        doc_of(&Doc::default().with([
            Piece::Text(before.into()),
            Piece::Code(self.pack.id.to_string()),
            Piece::Text(after.into()),
        ]))
    }

    fn state(&self) -> TokenStream {
        let Self {
            pack,
            state,
            builder,
            ..
        } = self;
        let fields = pack.fields.iter().map(|field| {
            let (name, kind) = (ident(&field.names.rust), member_type(field));
            let doc = doc_of(&field.doc_with(words(field)));
            quote! { #doc pub #name: #kind }
        });
        let doc = self.doc("What the pack ", " decides on.");
        // Nothing is assumed for a field that must be given.
        let default = match pack.required().next() {
            None => quote!(Default,),
            Some(_) => TokenStream::new(),
        };
        quote! {
            #doc
            #[derive(Clone, Debug, #default PartialEq)]
            pub struct #state { #(#fields,)* }
            impl #state {
                #[doc = " A builder that names every field it still lacks."]
                #[must_use]
                pub fn builder() -> #builder { #builder::default() }
            }
        }
    }

    fn builder(&self) -> TokenStream {
        let Self {
            pack,
            state,
            builder,
            ..
        } = self;
        let names: Vec<Ident> = pack
            .fields
            .iter()
            .map(|field| ident(&field.names.rust))
            .collect();
        let members = pack.fields.iter().map(|field| match field.presence {
            Presence::Required => option(rust_type(field)),
            _ => member_type(field),
        });
        let setters = pack.fields.iter().map(setter);
        let linked = if pack.required().next().is_some() {
            format!(
                " Builds a [`{state}`]; every field must be set, but for those that may be left out."
            )
        } else {
            format!(" Builds a [`{state}`].")
        };
        let linked = doc_line(&linked);
        let build = if pack.required().next().is_none() {
            quote! { ::core::result::Result::Ok(#state { #(#names: self.#names,)* }) }
        } else {
            let values = pack.fields.iter().map(|field| {
                let (name, wire) = (
                    ident(&field.names.rust),
                    literal::string(&field.member.wire),
                );
                match field.presence {
                    Presence::Required => {
                        let stand_in = stand_in(field);
                        quote!(helixor_required(self.#name, #wire, #stand_in, &mut faults))
                    }
                    _ => quote!(self.#name),
                }
            });
            quote! {
                let mut faults = ::std::vec::Vec::new();
                let state = #state { #(#names: #values,)* };
                match ::helixor_runtime::Error::first_of(faults) {
                    ::core::option::Option::None => ::core::result::Result::Ok(state),
                    ::core::option::Option::Some(error) => ::core::result::Result::Err(error),
                }
            }
        };
        quote! {
            #linked
            #[derive(Clone, Debug, Default)]
            pub struct #builder { #(#names: #members,)* }
            #[allow(clippy::should_implement_trait, clippy::wrong_self_convention)]
            impl #builder {
                #(#setters)*
                #[doc = " The state."]
                #[doc = ""]
                #[doc = " # Errors"]
                #[doc = " `STATE_MISSING` for the first field by name that must be set and was not; `all()` of the error has them all."]
                pub fn build(self) -> ::core::result::Result<#state, ::helixor_runtime::Error> {
                    #build
                }
            }
        }
    }

    fn spec(&self, interface: &str) -> TokenStream {
        let Self {
            pack,
            marker,
            state,
            ..
        } = self;
        let interface = literal::string(interface);
        let count = proc_macro2::Literal::usize_unsuffixed(pack.fields.len());
        let values = pack.fields.iter().map(value);
        let parameter = if pack.fields.is_empty() {
            ident("_state")
        } else {
            ident("state")
        };
        let builtin = pack
            .builtin
            .then(|| quote! { impl ::helixor_runtime::typed::Builtin for #marker {} });
        let doc = self.doc("Stands for the pack ", " in the types of the runtime.");
        quote! {
            #doc
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub enum #marker {}
            impl ::helixor_runtime::typed::Spec for #marker {
                type State = #state;
                type Action = Action;
                type Rule = Rule;
                type Field = Field;
                type Values = [::core::option::Option<::helixor_runtime::Value>; #count];
                const INTERFACE: &'static str = #interface;
                fn values(#parameter: &Self::State) -> Self::Values { [#(#values,)*] }
            }
            #builtin
        }
    }
}

/// What the builder does for each field, once.
fn required() -> TokenStream {
    quote! {
        fn helixor_required<T>(
            value: ::core::option::Option<T>,
            field: &str,
            stand_in: T,
            faults: &mut ::std::vec::Vec<::helixor_runtime::Error>,
        ) -> T {
            value.unwrap_or_else(|| {
                faults.push(::helixor_runtime::missing(field));
                stand_in
            })
        }
    }
}

/// An enum of wire strings.
fn closed_set<'a>(
    name: &str,
    doc: &TokenStream,
    members: impl Iterator<Item = &'a Member> + Clone,
) -> TokenStream {
    let name = ident(name);
    let variants: Vec<Ident> = members.clone().map(|m| ident(&m.names.rust)).collect();
    let wires: Vec<_> = members.clone().map(|m| literal::string(&m.wire)).collect();
    let docs = members.map(|m| doc_of(&m.doc));
    quote! {
        #doc
        #[allow(clippy::enum_variant_names, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum #name { #(#docs #variants,)* }
        impl #name {
            #[doc = " Every member, in the order of the interface."]
            pub const ALL: &'static [Self] = &[#(Self::#variants,)*];
            #[doc = " The wire string."]
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { #(Self::#variants => #wires,)* }
            }
            #[doc = " The member that a wire string stands for, if any."]
            #[must_use]
            pub fn from_wire(wire: &str) -> ::core::option::Option<Self> {
                Self::ALL.iter().copied().find(|member| member.as_str() == wire)
            }
        }
        impl ::helixor_runtime::typed::Names for #name {
            const ALL: &'static [Self] = Self::ALL;
            fn as_str(self) -> &'static str { self.as_str() }
        }
        impl ::core::fmt::Display for #name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    }
}

/// A method of the builder.
fn setter(field: &Field) -> TokenStream {
    let (doc, name, kind) = (
        doc_of(&field.doc),
        ident(&field.names.rust),
        rust_type(field),
    );
    let optional = option(kind.clone());
    let nullable = quote!(impl ::core::convert::Into<#optional>);
    let text = field.kind == FieldKind::String && field.values.is_none();
    let (argument, value) = match (field.presence, text) {
        (Presence::Required | Presence::Defaulted, true) => (
            quote!(impl ::core::convert::Into<#kind>),
            some(quote!(value.into())),
        ),
        (Presence::Required | Presence::Defaulted, _) => (kind, some(quote!(value))),
        (Presence::Nullable, _) => (nullable, quote!(value.into())),
        (Presence::NullableDefaulted, _) => (nullable, some(quote!(value.into()))),
    };
    quote! {
        #doc
        #[must_use]
        pub fn #name(mut self, value: #argument) -> Self {
            self.#name = #value;
            self
        }
    }
}

/// What crosses to the runtime for a field of `state`: an `Option<Value>`.
fn value(field: &Field) -> TokenStream {
    let name = ident(&field.names.rust);
    let variant = match field.kind {
        FieldKind::Boolean => ident("Boolean"),
        FieldKind::Integer => ident("Integer"),
        FieldKind::Number => ident("Number"),
        FieldKind::String => ident("String"),
    };
    let variant = quote!(::helixor_runtime::Value::#variant);
    let null = quote!(::helixor_runtime::Value::Null);
    let text = field.kind == FieldKind::String && field.values.is_none();
    let value = match &field.values {
        None => variant.clone(),
        Some(set) => {
            let set = ident(&set.names.rust);
            quote!(#set::helixor_value)
        }
    };
    match (field.presence, text) {
        (Presence::Required, false) => some(quote!(#value(state.#name))),
        (Presence::Required, true) => some(quote!(#variant(state.#name.as_str().into()))),
        (Presence::Defaulted | Presence::Nullable, false) => quote!(state.#name.map(#value)),
        (Presence::Defaulted | Presence::Nullable, true) => {
            quote!(state.#name.as_deref().map(|value| #variant(value.into())))
        }
        (Presence::NullableDefaulted, false) => {
            quote!(state.#name.map(|value| value.map_or(#null, #value)))
        }
        (Presence::NullableDefaulted, true) => quote! {
            state.#name.as_ref().map(|value| {
                value.as_deref().map_or(#null, |value| #variant(value.into()))
            })
        },
    }
}

/// The type of a field's values.
fn rust_type(field: &Field) -> TokenStream {
    if let Some(set) = &field.values {
        let set = ident(&set.names.rust);
        return quote!(#set);
    }
    match field.kind {
        FieldKind::Boolean => quote!(bool),
        FieldKind::Integer => quote!(i64),
        FieldKind::Number => quote!(f64),
        FieldKind::String => quote!(::std::string::String),
    }
}

/// A value of a required field's type, for a state that is not handed out.
fn stand_in(field: &Field) -> TokenStream {
    match (field.kind, &field.values) {
        (FieldKind::Boolean, _) => quote!(false),
        (FieldKind::Integer, _) => quote!(0),
        (FieldKind::Number, _) => quote!(0.0),
        (FieldKind::String, None) => quote!(::std::string::String::new()),
        (FieldKind::String, Some(set)) => {
            let first = set.members.first().map(|member| ident(&member.names.rust));
            let set = ident(&set.names.rust);
            quote!(#set::#first)
        }
    }
}

/// The type of a field in the state.
fn member_type(field: &Field) -> TokenStream {
    match field.presence {
        Presence::Required => rust_type(field),
        Presence::Defaulted | Presence::Nullable => option(rust_type(field)),
        Presence::NullableDefaulted => option(option(rust_type(field))),
    }
}

/// What the words of that type mean.
const fn words(field: &Field) -> &'static [(&'static str, &'static str)] {
    match field.presence {
        Presence::Required | Presence::Nullable => &[],
        Presence::Defaulted => &[("None", " leaves it out.")],
        Presence::NullableDefaulted => &[("None", " leaves it out, "), ("Some(None)", " is null.")],
    }
}

fn option(inner: TokenStream) -> TokenStream {
    quote!(::core::option::Option<#inner>)
}

fn some(inner: TokenStream) -> TokenStream {
    quote!(::core::option::Option::Some(#inner))
}

/// One attribute a line: a line break inside one would be written as a block comment.
fn doc_of(doc: &Doc) -> TokenStream {
    docs::rust::lines(doc)
        .iter()
        .map(|line| doc_line(line))
        .collect()
}

fn doc_line(line: &str) -> TokenStream {
    quote!(#[doc = #line])
}

fn ident(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, Span::call_site()),
        None => Ident::new(name, Span::call_site()),
    }
}

/// A value that the field takes, for examples.
fn example(field: &Field) -> String {
    if let Some(set) = &field.values
        && let Some(first) = set.members.first()
    {
        return format!("{}::{}", set.names.rust, first.names.rust);
    }
    match &field.example {
        Value::String(text) => literal::string(text).to_string(),
        other => other.to_string(),
    }
}
