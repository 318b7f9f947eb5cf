//! The entry points of the Java library: static native methods of `ai.helixor.runtime.Native`.
//!
//! A handle is a leaked `Arc<Client>`; Java frees it once, when nothing can use it any more. Values
//! cross as `long[]`, one for each field of the client's interface in its order; everything longer
//! as `byte[]`, big-endian, texts as a length and strict UTF-8. A failure is handed to
//! `Native.fail(byte[])`, which throws.

use crate::status::panicked;
use helixor_runtime::client::{Decision, read_interface};
use helixor_runtime::{Cause, Client, Code, Error, FieldKind, Given, Options, State, Value};
use jni_sys::{
    JNIEnv, jboolean, jbyteArray, jclass, jint, jintArray, jlong, jlongArray, jobjectArray, jvalue,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
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
            return Err(invalid("`slots` must not be null"));
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

    fn new_ints(self, ints: &[jint]) -> jintArray {
        let length = jint::try_from(ints.len()).unwrap_or(jint::MAX);
        let array = jni!(self, NewIntArray, length);
        if !array.is_null() {
            jni!(self, SetIntArrayRegion, array, 0, length, ints.as_ptr());
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
        let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err(panicked()));
        result.unwrap_or_else(|error| {
            self.fail(class, &error);
            nothing
        })
    }
}

fn invalid(message: &str) -> Error {
    Error::new(Code::InvalidArgument, message, "")
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
            put_count(out, items.len());
            items.iter().for_each(|item| put_value(out, item));
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
    out.extend(cause.distance_to_boundary.unwrap_or(f64::NAN).to_be_bytes());
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

/// The state that slots hold, by the kinds of the client's fields.
fn state(client: &Client, slots: &[i64]) -> Result<State, Error> {
    let kinds = client.field_kinds();
    if slots.len() != kinds.len() {
        let message = format!(
            "the state has {} slots, the client {} fields",
            slots.len(),
            kinds.len()
        );
        return Err(Error::new(
            Code::VersionSkew,
            message,
            "generate the client anew",
        ));
    }
    let mut state = client.state();
    for (field, (slot, kind)) in slots.iter().zip(kinds).enumerate() {
        let given = match kind {
            FieldKind::Boolean => Given::Boolean(*slot != 0),
            FieldKind::Integer => Given::Integer(Some((*slot).into())),
            FieldKind::Number => Given::Number(f64::from_bits(slot.cast_unsigned())),
            FieldKind::String => Given::Other("a slot".into()),
        };
        state.set(field, given);
    }
    state.finish()
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

#[unsafe(no_mangle)]
extern "system" fn Java_ai_helixor_runtime_Native_openFile(
    env: *mut JNIEnv,
    class: jclass,
    interface_json: jbyteArray,
    pack_path: jbyteArray,
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
        let path = env
            .text("packPath", pack_path)?
            .ok_or_else(|| invalid("`packPath` must not be null"))?;
        let interface = interface(env, interface_json)?;
        Ok(handle(Client::open(
            &PathBuf::from(path),
            &interface,
            &opening.options(env)?,
        )?))
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_ai_helixor_runtime_Native_openBytes(
    env: *mut JNIEnv,
    class: jclass,
    interface_json: jbyteArray,
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
        let pack = env
            .bytes(pack)
            .ok_or_else(|| invalid("`pack` must not be null"))?;
        let interface = interface(env, interface_json)?;
        Ok(handle(Client::from_bytes(
            &pack,
            &interface,
            &opening.options(env)?,
        )?))
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
    slots: jlongArray,
) -> jlong {
    let env = Env(env);
    env.run(class, 0, || {
        // SAFETY: as above.
        let client = unsafe { client(handle) };
        let decision = client.decide(state(client, &env.longs(slots)?)?)?;
        let action = jlong::try_from(decision.action()).unwrap_or_default();
        Ok((decision.verdict() as jlong) << 32 | action)
    })
}

/// Judges a state anew to explain it: pure, whatever the licence's window says by now.
///
/// # Safety
/// The handle came from an open call and is not freed before this returns.
unsafe fn explain<T>(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
    slots: jlongArray,
    nothing: T,
    body: impl FnOnce(Env, &Decision) -> T,
) -> T {
    let env = Env(env);
    env.run(class, nothing, || {
        // SAFETY: as above.
        let client = unsafe { client(handle) };
        Ok(body(
            env,
            &client.judge(state(client, &env.longs(slots)?)?)?,
        ))
    })
}

/// # Safety
/// As for `explain`.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_ai_helixor_runtime_Native_firedRules(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
    slots: jlongArray,
) -> jintArray {
    let put = |env: Env, decision: &Decision| {
        let rules = decision.fired_rules().into_iter();
        let rules: Vec<jint> = rules
            .map(|rule| jint::try_from(rule).unwrap_or_default())
            .collect();
        env.new_ints(&rules)
    };
    // SAFETY: the caller keeps `explain`'s promise.
    unsafe { explain(env, class, handle, slots, null_mut(), put) }
}

/// # Safety
/// As for `explain`.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_ai_helixor_runtime_Native_causes(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
    slots: jlongArray,
) -> jbyteArray {
    let put = |env: Env, decision: &Decision| {
        let causes = decision.causes();
        let mut out = Vec::new();
        put_count(&mut out, causes.len());
        causes.iter().for_each(|cause| put_cause(&mut out, cause));
        env.new_bytes(&out)
    };
    // SAFETY: the caller keeps `explain`'s promise.
    unsafe { explain(env, class, handle, slots, null_mut(), put) }
}

/// # Safety
/// As for `explain`.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_ai_helixor_runtime_Native_proof(
    env: *mut JNIEnv,
    class: jclass,
    handle: jlong,
    slots: jlongArray,
) -> jbyteArray {
    let put = |env: Env, decision: &Decision| env.new_bytes(decision.proof().as_bytes());
    // SAFETY: the caller keeps `explain`'s promise.
    unsafe { explain(env, class, handle, slots, null_mut(), put) }
}
