//! The entry points of the Java library: static native methods of `ai.helixor.runtime.Native`.
//!
//! A handle is a leaked `Arc<Client>`; Java frees it once, when nothing can use it any more. Values
//! cross as `long[]`, one for each field of the client's interface in its order; what no word says
//! (texts, null, left out) and everything else longer than a number as `byte[]`, big-endian, texts
//! as a length and strict UTF-8. A failure is handed to `Native.fail(byte[])`, which throws.

use helixor_runtime::client::{read_interface, unpanicked};
use helixor_runtime::{
    Cause, Change, Client, Code, Counterfactual, Error, FieldKind, Given, Options, State, Value,
};
use jni_sys::{
    JNIEnv, jboolean, jbyteArray, jclass, jint, jlong, jlongArray, jobjectArray, jvalue,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::ptr::null_mut;

/// One call's environment; every use of it is sound while the call lasts.
#[derive(Clone, Copy)]
struct Env(*mut JNIEnv);

/// Calls a function of the environment's table.
macro_rules! jni {
    ($env:expr, $function:ident $(, $argument:expr)*) => {{
        let env = $env.0;
        // SAFETY: the JVM gave the environment for this thread and this call, its table has every
        // function of JNI 1.6, and the arguments are those the function asks for: live references
        // of this call and buffers of the lengths given.
        unsafe { ((**env).v1_6.$function)(env $(, $argument)*) }
    }};
}

impl Env {
    /// A `byte[]`; `None` for null.
    fn bytes(self, array: jbyteArray) -> Option<Vec<u8>> {
        if array.is_null() {
            return None;
        }
        let length = jni!(self, GetArrayLength, array);
        let mut bytes = vec![0u8; usize::try_from(length).unwrap_or_default()];
        jni!(
            self,
            GetByteArrayRegion,
            array,
            0,
            length,
            bytes.as_mut_ptr().cast()
        );
        Some(bytes)
    }

    /// A text given as UTF-8.
    fn text(self, name: &str, array: jbyteArray) -> Result<Option<String>, Error> {
        let text = self.bytes(array).map(String::from_utf8).transpose();
        text.map_err(|_| invalid(&format!("`{name}` is not UTF-8")))
    }

    /// A `byte[][]` of texts; `None` for null.
    fn texts(self, name: &str, array: jobjectArray) -> Result<Option<Vec<String>>, Error> {
        if array.is_null() {
            return Ok(None);
        }
        let mut texts = Vec::new();
        for i in 0..jni!(self, GetArrayLength, array) {
            let item = jni!(self, GetObjectArrayElement, array, i);
            let text = self.text(name, item)?;
            jni!(self, DeleteLocalRef, item);
            texts.push(text.ok_or_else(|| invalid(&format!("`{name}` holds a null")))?);
        }
        Ok(Some(texts))
    }

    fn longs(self, array: jlongArray) -> Result<Vec<i64>, Error> {
        if array.is_null() {
            return Err(invalid("`words` must not be null"));
        }
        let length = jni!(self, GetArrayLength, array);
        let mut longs = vec![0i64; usize::try_from(length).unwrap_or_default()];
        jni!(
            self,
            GetLongArrayRegion,
            array,
            0,
            length,
            longs.as_mut_ptr()
        );
        Ok(longs)
    }

    /// A new `byte[]`; null, with an OutOfMemoryError pending, when there is no room.
    fn new_bytes(self, bytes: &[u8]) -> jbyteArray {
        let length = jint::try_from(bytes.len()).unwrap_or(jint::MAX);
        let array = jni!(self, NewByteArray, length);
        if !array.is_null() {
            jni!(
                self,
                SetByteArrayRegion,
                array,
                0,
                length,
                bytes.as_ptr().cast()
            );
        }
        array
    }

    /// Lets Java throw.
    fn fail(self, class: jclass, error: &Error) {
        let all = error.all();
        let mut out = Vec::new();
        put_count(&mut out, all.len());
        for fault in all {
            out.push(fault.code().number());
            put_text(&mut out, fault.message());
            put_text(&mut out, fault.help());
        }
        let array = self.new_bytes(&out);
        let method = jni!(
            self,
            GetStaticMethodID,
            class,
            c"fail".as_ptr(),
            c"([B)V".as_ptr()
        );
        if !array.is_null() && !method.is_null() {
            let arguments = [jvalue { l: array }];
            jni!(
                self,
                CallStaticVoidMethodA,
                class,
                method,
                arguments.as_ptr()
            );
        }
    }

    /// Runs one native method: no panic crosses, and a failure throws and gives `nothing`.
    fn run<T>(self, class: jclass, nothing: T, body: impl FnOnce() -> Result<T, Error>) -> T {
        unpanicked(body).unwrap_or_else(|error| {
            self.fail(class, &error);
            nothing
        })
    }
}

fn invalid(message: &str) -> Error {
    Error::new(Code::InvalidArgument, message, "")
}

fn put_list<T>(out: &mut Vec<u8>, items: &[T], put: impl Fn(&mut Vec<u8>, &T)) {
    put_count(out, items.len());
    items.iter().for_each(|item| put(out, item));
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend(u32::try_from(count).unwrap_or(u32::MAX).to_be_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_count(out, text.len());
    out.extend(text.as_bytes());
}

fn put_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.push(0),
        Value::Boolean(value) => out.extend([1, u8::from(*value)]),
        Value::Integer(value) => {
            out.push(2);
            out.extend(value.to_be_bytes());
        }
        Value::Number(value) => {
            out.push(3);
            out.extend(value.to_be_bytes());
        }
        Value::String(text) => {
            out.push(4);
            put_text(out, text);
        }
        Value::List(items) => {
            out.push(5);
            put_list(out, items, put_value);
        }
    }
}

fn put_cause(out: &mut Vec<u8>, cause: &Cause<usize, usize>) {
    put_count(out, cause.rule);
    out.push(cause.rule_verdict as u8);
    put_count(out, cause.factor);
    put_value(out, &cause.observed_value);
    put_text(out, cause.direction);
    put_value(out, &cause.threshold);
    put_optional(out, cause.distance_to_boundary);
}

fn put_counterfactual(out: &mut Vec<u8>, found: &Counterfactual<usize, usize>) {
    put_text(out, &found.remedy);
    // One more than the field's number; 0 for none.
    put_count(out, found.target_factor.map_or(0, |field| field + 1));
    put_value(out, &found.required_value);
    put_optional(out, found.delta);
    put_count(out, found.changes.len());
    found
        .changes
        .iter()
        .for_each(|change| put_change(out, change));
}

fn put_change(out: &mut Vec<u8>, change: &Change<usize, usize>) {
    put_count(out, change.rule);
    put_count(out, change.factor);
    put_text(out, change.relation);
    put_value(out, &change.required_value);
    put_value(out, &change.observed_value);
    put_optional(out, change.delta);
}

/// A finite number; NaN for none.
fn put_optional(out: &mut Vec<u8>, number: Option<f64>) {
    out.extend(number.unwrap_or(f64::NAN).to_be_bytes());
}

/// The client behind a handle.
///
/// # Safety
/// The handle came from [`handle`] and was not freed; Java keeps it so while the call lasts.
unsafe fn client<'a>(handle: jlong) -> &'a Client {
    // SAFETY: as above.
    unsafe { &*(handle as *const Client) }
}

fn handle(client: Client) -> jlong {
    Box::into_raw(Box::new(client)) as jlong
}

/// A state as `ai.helixor.runtime.Slots` holds it.
#[derive(Clone, Copy)]
struct Slots {
    /// A word for each field.
    words: jlongArray,
    /// The fields that their words say nothing of; null when there are none.
    others: jbyteArray,
}

impl Slots {
    /// The state, by the kinds of the client's fields.
    fn state(self, env: Env, client: &Client) -> Result<State, Error> {
        let words = env.longs(self.words)?;
        let kinds = client.field_kinds();
        if words.len() != kinds.len() {
            let message = format!(
                "the state has {} slots, the client {} fields",
                words.len(),
                kinds.len()
            );
            return Err(skew(&message));
        }
        let mut others = BTreeMap::new();
        let bytes = env.bytes(self.others).unwrap_or_default();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let read = other(&mut rest).ok_or_else(|| skew("the state's texts cannot be read"));
            others.extend([read?]);
        }
        let mut state = client.state();
        for (field, (word, kind)) in words.iter().zip(kinds).enumerate() {
            let given = match others.remove(&field).unwrap_or(Other::Word(kind)) {
                Other::LeftOut => None,
                Other::Given(given) => Some(given),
                Other::Word(FieldKind::Boolean) => Some(Given::Boolean(*word != 0)),
                Other::Word(FieldKind::Integer) => Some(Given::Integer(Some((*word).into()))),
                Other::Word(FieldKind::Number) => {
                    Some(Given::Number(f64::from_bits(word.cast_unsigned())))
                }
                Other::Word(FieldKind::String) => return Err(skew("the state lacks a text")),
            };
            if let Some(given) = given {
                state.set(field, given);
            }
        }
        state.finish()
    }
}

/// What is said of one field beside its word.
enum Other {
    LeftOut,
    Given(Given),
    /// The word is a value of this kind, whatever the field's own.
    Word(FieldKind),
}

/// A field's number, and what is said of it. `None` when it cannot be read.
fn other(rest: &mut &[u8]) -> Option<(usize, Other)> {
    let field = count(rest)?;
    let other = match take(rest, 1)? {
        [0] => Other::LeftOut,
        [1] => Other::Given(Given::Null),
        [2] => Other::Given(Given::String(text(rest)?.into())),
        [3] => Other::Given(Given::lone_surrogate()),
        [4] => Other::Word(FieldKind::Boolean),
        [5] => Other::Word(FieldKind::Integer),
        [6] => Other::Word(FieldKind::Number),
        [7] => Other::Given(Given::Other(text(rest)?.into())),
        _ => return None,
    };
    Some((field, other))
}

fn text<'b>(rest: &mut &'b [u8]) -> Option<&'b str> {
    let length = count(rest)?;
    std::str::from_utf8(take(rest, length)?).ok()
}

fn count(rest: &mut &[u8]) -> Option<usize> {
    let bytes = take(rest, 4)?.try_into().ok()?;
    usize::try_from(u32::from_be_bytes(bytes)).ok()
}

fn take<'b>(rest: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

fn skew(message: &str) -> Error {
    Error::new(Code::VersionSkew, message, "generate the client anew")
}

struct Opening {
    license_file: jbyteArray,
    license_json: jbyteArray,
    authorities: jobjectArray,
    publisher_keys: jobjectArray,
    signature: jbyteArray,
    accept_same_interface: jboolean,
}

impl Opening {
    fn options(&self, env: Env) -> Result<Options, Error> {
        let options = Options::new().accept_same_interface(self.accept_same_interface);
        let file = env.text("licenseFile", self.license_file)?;
        let json = env.text("licenseJson", self.license_json)?;
        let options = match (file, json) {
            (Some(_), Some(_)) => return Err(invalid("give a licence file or its text, not both")),
            (Some(path), None) => options.license_file(path),
            (None, Some(json)) => options.license_json(json),
            (None, None) => options,
        };
        let options = match env.texts("authorities", self.authorities)? {
            Some(paths) => options.authorities(paths),
            None => options,
        };
        let options = match env.texts("publisherKeys", self.publisher_keys)? {
            Some(paths) => options.publisher_keys(paths),
            None => options,
        };
        Ok(match env.bytes(self.signature) {
            Some(signature) => options.signature(signature),
            None => options,
        })
    }
}

fn interface(env: Env, json: jbyteArray) -> Result<helixor_runtime::Interface, Error> {
    read_interface(&env.text("interfaceJson", json)?.unwrap_or_default())
}

#[unsafe(no_mangle)]
extern "system" fn Java_ai_helixor_runtime_Native_version(
    env: *mut JNIEnv,
    class: jclass,
) -> jbyteArray {
    let env = Env(env);
    env.run(class, null_mut(), || {
        Ok(env.new_bytes(env!("CARGO_PKG_VERSION").as_bytes()))
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_ai_helixor_runtime_Native_openBuiltin(
    env: *mut JNIEnv,
    class: jclass,
    interface_json: jbyteArray,
) -> jlong {
    let env = Env(env);
    env.run(class, 0, || {
        Ok(handle(Client::builtin(&interface(env, interface_json)?)?))
    })
}

/// Opens a pack by its path or, when that is null, by its bytes.
#[unsafe(no_mangle)]
extern "system" fn Java_ai_helixor_runtime_Native_open(
    env: *mut JNIEnv,
    class: jclass,
    interface_json: jbyteArray,
    pack_path: jbyteArray,
    pack: jbyteArray,
    license_file: jbyteArray,
    license_json: jbyteArray,
    authorities: jobjectArray,
    publisher_keys: jobjectArray,
    signature: jbyteArray,
    accept_same_interface: jboolean,
) -> jlong {
    let env = Env(env);
    env.run(class, 0, || {
        let opening = Opening {
            license_file,
            license_json,
            authorities,
            publisher_keys,
            signature,
            accept_same_interface,
        };
        let interface = interface(env, interface_json)?;
        let options = opening.options(env)?;
        let client = match (env.text("packPath", pack_path)?, env.bytes(pack)) {
            (Some(path), _) => Client::open(&PathBuf::from(path), &interface, &options)?,
            (None, Some(pack)) => Client::from_bytes(&pack, &interface, &options)?,
            (None, None) => return Err(invalid("`packPath` and `pack` must not both be null")),
        };
        Ok(handle(client))
    })
}

/// # Safety
/// The handle came from an open call and is used no more.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_ai_helixor_runtime_Native_free(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
) {
    Env(env).run(class, (), || {
        // SAFETY: as above; Java's Cleaner calls this once.
        drop(unsafe { Box::from_raw(handle as *mut Client) });
        Ok(())
    });
}

/// # Safety
/// The handle came from an open call and is not freed before this returns.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_ai_helixor_runtime_Native_decide(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
    words: jlongArray,
    others: jbyteArray,
) -> jlong {
    let env = Env(env);
    env.run(class, 0, || {
        // SAFETY: as above.
        let client = unsafe { client(handle) };
        let slots = Slots { words, others };
        let decision = client.decide(slots.state(env, client)?)?;
        let action = jlong::try_from(decision.action()).unwrap_or_default();
        Ok((decision.verdict() as jlong) << 32 | action)
    })
}

/// What `ai.helixor.runtime.NativePack` asks for.
const FIRED_RULES: jint = 0;
const CAUSES: jint = 1;
const COUNTERFACTUAL: jint = 2;
const PROOF: jint = 3;

/// Judges a state anew to explain it: pure, whatever the licence's window says by now.
///
/// # Safety
/// The handle came from an open call and is not freed before this returns.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_ai_helixor_runtime_Native_explain(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
    words: jlongArray,
    others: jbyteArray,
    what: jint,
) -> jbyteArray {
    let env = Env(env);
    env.run(class, null_mut(), || {
        // SAFETY: as above.
        let client = unsafe { client(handle) };
        let decision = client.judge(Slots { words, others }.state(env, client)?)?;
        let mut out = Vec::new();
        match what {
            FIRED_RULES => put_list(&mut out, &decision.fired_rules(), |out, rule| {
                put_count(out, *rule);
            }),
            CAUSES => put_list(&mut out, &decision.causes(), put_cause),
            COUNTERFACTUAL => {
                if let Some(found) = decision.counterfactual() {
                    put_counterfactual(&mut out, &found);
                }
            }
            PROOF => out.extend(decision.proof().as_bytes()),
            _ => return Err(skew("an unknown detail of a decision was asked for")),
        }
        Ok(env.new_bytes(&out))
    })
}
