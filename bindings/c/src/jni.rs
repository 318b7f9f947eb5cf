//! The entry points of the Java library: static native methods of `ai.helixor.runtime.Native`.
//!
//! A handle is a leaked `Client`; Java frees it once, when nothing can use it any more. States of
//! booleans, integers and numbers cross as the words of `Client::unpack`, up to four as they are,
//! more as `long[]`; others as `long[]`, a word for each field of the client's interface in its order.
//! What no word says (texts, null, left out) and everything else longer than a number crosses as
//! `byte[]`, big-endian, texts as a length and strict UTF-8. A failure is handed to
//! `Native.fail(byte[])`, which throws.

use helixor_runtime::client::{Decision, read_interface, unpanicked};
use helixor_runtime::{
    Cause, Change, Client, Code, Counterfactual, Error, FieldKind, Given, LedgerChoice, Options,
    State, Value, Verdict,
};
use jni_sys::{JNIEnv, jboolean, jbyteArray, jclass, jint, jlong, jlongArray, jvalue};
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

    /// The words of a `long[]`, handed over.
    fn words<T>(
        self,
        array: jlongArray,
        take: impl FnOnce(&[u64]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if array.is_null() {
            return Err(invalid("`words` must not be null"));
        }
        let length = jni!(self, GetArrayLength, array);
        let count = usize::try_from(length).unwrap_or_default();
        // Most states fit in here, without an allocation.
        let (mut few, mut many) = ([0u64; 256], Vec::new());
        let words = match few.get_mut(..count) {
            Some(words) => words,
            None => {
                many.resize(count, 0);
                &mut many
            }
        };
        jni!(
            self,
            GetLongArrayRegion,
            array,
            0,
            length,
            words.as_mut_ptr().cast()
        );
        take(words)
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
        let mut out = Vec::new();
        put_error(&mut out, error);
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

fn put_error(out: &mut Vec<u8>, error: &Error) {
    put_list(out, &error.all(), |out, fault| {
        out.push(fault.code().number());
        put_text(out, fault.message());
        put_text(out, fault.help());
    });
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

/// Runs one native method of a client.
///
/// # Safety
/// As [`client`].
unsafe fn run<T>(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
    nothing: T,
    body: impl FnOnce(Env, &Client) -> Result<T, Error>,
) -> T {
    let env = Env(env);
    // SAFETY: as above.
    env.run(class, nothing, || body(env, unsafe { client(handle) }))
}

fn handle(client: Client) -> jlong {
    Box::into_raw(Box::new(client)) as jlong
}

/// A state as `ai.helixor.runtime.Slots` makes it: a word for each field, and the fields that their
/// words say nothing of.
#[derive(Clone, Copy)]
struct Slots<'a> {
    words: &'a [u64],
    others: &'a [u8],
}

impl Slots<'_> {
    /// The state, by the kinds of the client's fields.
    fn state(self, client: &Client) -> Result<State, Error> {
        let words = self.words;
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
        let mut rest = self.others;
        while !rest.is_empty() {
            let read = other(&mut rest).ok_or_else(unreadable);
            others.extend([read?]);
        }
        let mut state = client.state();
        for (field, (word, kind)) in words.iter().zip(kinds).enumerate() {
            let given = match others.remove(&field).unwrap_or(Other::Word(kind)) {
                Other::LeftOut => None,
                Other::Given(given) => Some(given),
                Other::Word(FieldKind::Boolean) => Some(Given::Boolean(*word != 0)),
                Other::Word(FieldKind::Integer) => {
                    Some(Given::Integer(Some(word.cast_signed().into())))
                }
                Other::Word(FieldKind::Number) => Some(Given::Number(f64::from_bits(*word))),
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
    std::str::from_utf8(block(rest)?).ok()
}

fn block<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = count(rest)?;
    take(rest, length)
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

fn unreadable() -> Error {
    skew("the state's texts cannot be read")
}

fn skew(message: &str) -> Error {
    Error::new(Code::VersionSkew, message, "generate the client anew")
}

/// The options as `ai.helixor.runtime.Options` writes them: those that are set. The licence's text
/// comes apart from them, so that no copy of it stays behind.
fn options(env: Env, license_json: jbyteArray, options: jbyteArray) -> Result<Options, Error> {
    let mut read = Options::new();
    if let Some(json) = env.text("licenseJson", license_json)? {
        read = read.license_json(json);
    }
    let bytes = env.bytes(options).unwrap_or_default();
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        read = option(read, &mut rest).ok_or_else(|| skew("the options cannot be read"))?;
    }
    Ok(read)
}

/// With the next option. `None` when it cannot be read.
fn option(options: Options, rest: &mut &[u8]) -> Option<Options> {
    Some(match take(rest, 1)? {
        [0] => options.license_file(text(rest)?),
        [1] => options.authorities(texts(rest)?),
        [2] => options.publisher_keys(texts(rest)?),
        [3] => options.signature(block(rest)?),
        [4] => options.accept_same_interface(true),
        [5] => options.ledger(LedgerChoice::InMemory),
        [6] => options.ledger_file(text(rest)?),
        [7] => options.timing(true),
        _ => return None,
    })
}

fn texts<'b>(rest: &mut &'b [u8]) -> Option<Vec<&'b str>> {
    let length = count(rest)?;
    (0..length).map(|_| text(rest)).collect()
}

/// A pack by its path or, when that is null, by its bytes.
enum Source {
    Path(PathBuf),
    Bytes(Vec<u8>),
}

impl Source {
    fn of(env: Env, path: jbyteArray, pack: jbyteArray) -> Result<Self, Error> {
        match (env.text("packPath", path)?, env.bytes(pack)) {
            (Some(path), _) => Ok(Self::Path(path.into())),
            (None, Some(pack)) => Ok(Self::Bytes(pack)),
            (None, None) => Err(invalid("`packPath` and `pack` must not both be null")),
        }
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
    given: jbyteArray,
) -> jlong {
    let env = Env(env);
    env.run(class, 0, || {
        let options = options(env, null_mut(), given)?;
        Client::builtin_with(&interface(env, interface_json)?, &options).map(handle)
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_ai_helixor_runtime_Native_open(
    env: *mut JNIEnv,
    class: jclass,
    interface_json: jbyteArray,
    pack_path: jbyteArray,
    pack: jbyteArray,
    license_json: jbyteArray,
    given: jbyteArray,
) -> jlong {
    let env = Env(env);
    env.run(class, 0, || {
        let interface = interface(env, interface_json)?;
        let options = options(env, license_json, given)?;
        let client = match Source::of(env, pack_path, pack)? {
            Source::Path(path) => Client::open(&path, &interface, &options),
            Source::Bytes(pack) => Client::from_bytes(&pack, &interface, &options),
        };
        client.map(handle)
    })
}

/// Opens a pack for the names, ledger and timing of another, which stays as it is.
///
/// # Safety
/// The handle came from an open call and is not freed before this returns.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_ai_helixor_runtime_Native_reopen(
    env: *mut JNIEnv,
    class: jclass,
    old: jlong,
    pack_path: jbyteArray,
    pack: jbyteArray,
    license_json: jbyteArray,
    given: jbyteArray,
) -> jlong {
    let body = |env: Env, old: &Client| {
        let options = options(env, license_json, given)?;
        let client = match Source::of(env, pack_path, pack)? {
            Source::Path(path) => old.reopen(&path, &options),
            Source::Bytes(pack) => old.reopen_bytes(&pack, &options),
        };
        client.map(handle)
    };
    // SAFETY: as above.
    unsafe { run(env, class, old, 0, body) }
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

/// The verdict in the upper half, the action in the lower.
fn packed_answer((verdict, action): (Verdict, usize)) -> jlong {
    (verdict as jlong) << 32 | jlong::try_from(action).unwrap_or_default()
}

/// Decides on few packed words.
///
/// # Safety
/// The handle came from an open call and is not freed before this returns.
unsafe fn decide_packed<const N: usize>(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
    words: [jlong; N],
) -> jlong {
    let words = words.map(jlong::cast_unsigned);
    let body = |_: Env, client: &Client| client.answer_packed(&words).map(packed_answer);
    // SAFETY: as above.
    unsafe { run(env, class, handle, 0, body) }
}

/// # Safety
/// The handle came from an open call and is not freed before this returns.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_ai_helixor_runtime_Native_decide1(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
    first: jlong,
) -> jlong {
    // SAFETY: as above.
    unsafe { decide_packed(env, class, handle, [first]) }
}

/// # Safety
/// The handle came from an open call and is not freed before this returns.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_ai_helixor_runtime_Native_decide2(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
    first: jlong,
    second: jlong,
) -> jlong {
    // SAFETY: as above.
    unsafe { decide_packed(env, class, handle, [first, second]) }
}

/// # Safety
/// The handle came from an open call and is not freed before this returns.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_ai_helixor_runtime_Native_decide3(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
    first: jlong,
    second: jlong,
    third: jlong,
) -> jlong {
    // SAFETY: as above.
    unsafe { decide_packed(env, class, handle, [first, second, third]) }
}

/// # Safety
/// The handle came from an open call and is not freed before this returns.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_ai_helixor_runtime_Native_decide4(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
    first: jlong,
    second: jlong,
    third: jlong,
    fourth: jlong,
) -> jlong {
    // SAFETY: as above.
    unsafe { decide_packed(env, class, handle, [first, second, third, fourth]) }
}

/// # Safety
/// The handle came from an open call and is not freed before this returns.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_ai_helixor_runtime_Native_decidePacked(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
    words: jlongArray,
) -> jlong {
    let body = |env: Env, client: &Client| {
        let answer = env.words(words, |words| client.answer_packed(words));
        answer.map(packed_answer)
    };
    // SAFETY: as above.
    unsafe { run(env, class, handle, 0, body) }
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
    let body = |env: Env, client: &Client| {
        let state = snapshot(env, client, words, others, false)?;
        client.answer(&state).map(packed_answer)
    };
    // SAFETY: as above.
    unsafe { run(env, class, handle, 0, body) }
}

/// A state as `ai.helixor.runtime.Snapshot` holds it.
fn snapshot(
    env: Env,
    client: &Client,
    words: jlongArray,
    others: jbyteArray,
    packed: jboolean,
) -> Result<State, Error> {
    let others = env.bytes(others).unwrap_or_default();
    env.words(words, |words| match packed {
        true => client.unpack(words),
        false => Slots {
            words,
            others: &others,
        }
        .state(client),
    })
}

/// How long the answer of a state that was decided on is, in bytes.
const ROW: usize = 17;

fn put_row(out: &mut Vec<u8>, row: Result<(Verdict, usize, Option<f64>), Error>) {
    match row {
        Ok((verdict, action, latency)) => {
            out.push(0);
            out.extend(packed_answer((verdict, action)).to_be_bytes());
            put_optional(out, latency);
        }
        Err(error) => {
            out.push(1);
            put_error(out, &error);
        }
    }
}

/// Decides on states one after the other: for each a 0, the answer and the time it took, or a 1 and
/// why there is none.
///
/// # Safety
/// The handle came from an open call and is not freed before this returns.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_ai_helixor_runtime_Native_decideBatch(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
    words: jlongArray,
    states: jint,
    others: jbyteArray,
    packed: jboolean,
) -> jbyteArray {
    let body = |env: Env, client: &Client| {
        let states = usize::try_from(states).unwrap_or_default();
        let bytes = env.bytes(others).unwrap_or_default();
        let mut others = bytes.as_slice();
        let mut out = Vec::with_capacity(states * ROW);
        env.words(words, |words| {
            let width = words.len().checked_div(states).unwrap_or_default();
            let states = (0..states).map(|row| {
                let words = words
                    .get(row * width..(row + 1) * width)
                    .unwrap_or_default();
                if packed {
                    return client.unpack(words);
                }
                let others = block(&mut others).ok_or_else(unreadable)?;
                Slots { words, others }.state(client)
            });
            if client.timing() {
                for row in client.decide_batch(states)? {
                    let answer = |d: Decision| (d.verdict(), d.action(), d.latency_us());
                    put_row(&mut out, row.map(answer));
                }
            } else {
                for row in client.answer_batch(states)? {
                    put_row(
                        &mut out,
                        row.map(|(verdict, action)| (verdict, action, None)),
                    );
                }
            }
            Ok(())
        })?;
        Ok(env.new_bytes(&out))
    };
    // SAFETY: as above.
    unsafe { run(env, class, handle, null_mut(), body) }
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
    packed: jboolean,
    what: jint,
) -> jbyteArray {
    let body = |env: Env, client: &Client| {
        let decision = client.judge(snapshot(env, client, words, others, packed)?)?;
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
    };
    // SAFETY: as above.
    unsafe { run(env, class, handle, null_mut(), body) }
}

/// # Safety
/// The handle came from an open call and is not freed before this returns.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_ai_helixor_runtime_Native_auditReport(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
) -> jbyteArray {
    let body = |env: Env, client: &Client| {
        let report = client.audit_report()?;
        let root = report.ledger_merkle_root.map(|root| root.to_string());
        let mut out = Vec::new();
        for text in [
            &report.license_id,
            &report.tenant_id,
            report.tier.as_str(),
            report.enforcement_mode.as_str(),
            &root.unwrap_or_default(),
        ] {
            put_text(&mut out, text);
        }
        let durable = report.durable_leaves;
        for number in [
            report.total_decisions_executed,
            report.decisions_over_quota,
            report.decisions_over_rate_limit,
            report.since.seconds().cast_unsigned(),
            // All bits set for none.
            durable.unwrap_or(u64::MAX),
        ] {
            out.extend(number.to_be_bytes());
        }
        Ok(env.new_bytes(&out))
    };
    // SAFETY: as above.
    unsafe { run(env, class, handle, null_mut(), body) }
}
