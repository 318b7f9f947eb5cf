//! `libhelixor_runtime`: the C functions that clients in the field expect, and the entry points of
//! the Java library. It carries values across and holds no rule of its own.
//!
//! The header, `include/helixor_runtime.h`, is made from this file by cbindgen and from the table of
//! codes; a test fails when it drifts.

mod answer;
mod client;
mod fork;
mod jni;
mod registry;
mod status;

pub use client::*;
use registry::REGISTRY;
use status::{call, last_error_text};
use std::ffi::{CStr, c_char, c_int};

/// The version of this interface; not that of the library.
const ABI_VERSION: &CStr = c"1.2.0";

/// The version of this interface, "1.2.0" or later: a static text.
#[unsafe(no_mangle)]
pub extern "C" fn helixor_version() -> *const c_char {
    ABI_VERSION.as_ptr()
}

/// Verifies a licence (the text of a .hxlic file) for the packs that are loaded from now on; packs
/// that are loaded already keep theirs.
///
/// Fails with HELIXOR_ERR_LICENSE_*, or HELIXOR_ERR_INVALID_ARGUMENT for NULL or text that is not
/// UTF-8.
///
/// # Safety
/// `license_json` is NULL or a text that ends with a NUL byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn helixor_license_init(license_json: *const c_char) -> c_int {
    call(|| {
        // SAFETY: the caller gives NULL or a NUL-terminated text.
        let json = unsafe { text("license_json", license_json) }?;
        REGISTRY.license(json)
    })
}

/// Opens a sealed pack with the licence of helixor_license_init. A pack of the same id that was
/// loaded before is replaced; calls in flight finish on the old one.
///
/// `pack_id` must be the id in the pack's header; NULL takes whatever it is. Where
/// $HELIXOR_PUBLISHER_KEYS is set, only signed packs are opened: use helixor_pack_load_signed. Fails
/// with HELIXOR_ERR_NOT_INITIALIZED before a licence, HELIXOR_ERR_LICENSE_EXPIRED after its end,
/// HELIXOR_ERR_PACK_SIGNATURE where a signature is needed, or the failed load check.
///
/// # Safety
/// `buf` points to `len` bytes that can be read; `pack_id` is NULL or a text that ends with a NUL
/// byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn helixor_pack_load_sealed(
    buf: *const u8,
    len: usize,
    pack_id: *const c_char,
) -> c_int {
    call(|| {
        // SAFETY: the caller gives what these functions ask for.
        let (bytes, pack_id) = unsafe { (bytes("buf", buf, len)?, optional("pack_id", pack_id)?) };
        REGISTRY.load(bytes, pack_id, None)
    })
}

/// Opens a sealed pack as helixor_pack_load_sealed does, once its publisher's signature (the
/// content of its .hxpack.sig) was verified with the publisher keys that $HELIXOR_PUBLISHER_KEYS
/// names: a PEM file, or a folder of *.pem.
///
/// Fails with HELIXOR_ERR_PACK_SIGNATURE when the variable names no keys, or the signature is not
/// one of a trusted publisher over these very bytes; it is checked before the pack is unsealed.
///
/// # Safety
/// `buf` points to `len` bytes that can be read, `signature` to `signature_len`; `pack_id` is NULL
/// or a text that ends with a NUL byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn helixor_pack_load_signed(
    buf: *const u8,
    len: usize,
    pack_id: *const c_char,
    signature: *const u8,
    signature_len: usize,
) -> c_int {
    call(|| {
        // SAFETY: the caller gives what these functions ask for.
        let (pack, pack_id, signature) = unsafe {
            (
                bytes("buf", buf, len)?,
                optional("pack_id", pack_id)?,
                bytes("signature", signature, signature_len)?,
            )
        };
        REGISTRY.load(pack, pack_id, Some(signature))
    })
}

/// Decides on a state, a JSON object with one key for each field of the pack, and writes the
/// decision as JSON:
///
///   {"action", "counterfactual", "fired_rules": [], "latency_us", "necessary_causes": [{"direction",
///    "factor", "observed", "rule", "threshold"}], "proof_sha256", "rule_verdict", "verdict"}
///
/// `verdict` is "compliant" or "invariant_breach" (any hard rule fired, a redaction too);
/// `rule_verdict` is "approve", "redact" or "refuse"; `observed` is a number, 1.0 for true;
/// `threshold` is a number or null. `counterfactual` is null when no rule fired, else what would have to
/// change for an approval: {"changes": [{"delta", "factor", "observed_value", "relation",
/// "required_value", "rule"}], "delta", "remedy", "required_value", "target_factor"}, without changes
/// when none was found.
///
/// The built-in pack, compliance.regulatory_pii_guard.v1, is there without a licence. When `out` is
/// too small the call is HELIXOR_ERR_BUFFER_TOO_SMALL and `*written` the size to bring, its NUL
/// byte included; `out` NULL with `out_len` 0 asks for that size. Such a call changes nothing: only a
/// decision that was written counts towards the licence's limits and leaves a leaf in the audit
/// ledger. On success `*written` excludes the NUL byte that is always written.
///
/// Fails with HELIXOR_ERR_PACK_NOT_LOADED, HELIXOR_ERR_STATE_*, HELIXOR_ERR_EVALUATION,
/// HELIXOR_ERR_LICENSE_EXPIRED, HELIXOR_ERR_QUOTA_EXCEEDED or HELIXOR_ERR_NOT_INITIALIZED after a
/// shutdown.
///
/// # Safety
/// `pack_id` and `state_json` are NULL or texts that end with a NUL byte; `out` points to `out_len`
/// bytes that can be written (or is NULL with `out_len` 0); `written` points to a size_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn helixor_decision_execute(
    pack_id: *const c_char,
    state_json: *const c_char,
    out: *mut c_char,
    out_len: usize,
    written: *mut usize,
) -> c_int {
    call(|| {
        // SAFETY: the caller gives NULL or NUL-terminated texts.
        let (pack_id, state) =
            unsafe { (text("pack_id", pack_id)?, text("state_json", state_json)?) };
        // Checked first, so that a call that cannot answer decides nothing.
        check_output(out, out_len, written)?;
        REGISTRY.decide(pack_id, state, |answer| {
            // SAFETY: checked above; the caller gives `out_len` writable bytes and a size_t.
            unsafe { put(answer, LATENCY_SLACK, out, out_len, written) }
        })
    })
}

/// Writes the audit report of the ledger that helixor_decision_execute keeps in memory, as JSON:
///
///   {"decisions_over_quota", "decisions_over_rate_limit", "durable_leaves", "enforcement_mode",
///    "ledger_merkle_root", "license_id", "since", "tenant_id", "tier", "total_decisions_executed"}
///
/// Licence and limits are those of the last helixor_license_init; before one the ids are "" and `tier`
/// "COMMUNITY". `durable_leaves` is null. A forked child begins with an empty ledger. Output works as
/// for helixor_decision_execute; HELIXOR_ERR_NOT_INITIALIZED after a shutdown.
///
/// # Safety
/// `out` points to `out_len` bytes that can be written (or is NULL with `out_len` 0); `written`
/// points to a size_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn helixor_get_audit_report(
    out: *mut c_char,
    out_len: usize,
    written: *mut usize,
) -> c_int {
    call(|| {
        let report = || REGISTRY.audit_report();
        // SAFETY: the caller gives what these point to.
        unsafe { tell(report, REPORT_SLACK, out, out_len, written) }
    })
}

/// What went wrong in this thread's last call: code, message and advice; "" after a success. Never
/// NULL; valid until this thread's next call.
#[unsafe(no_mangle)]
pub extern "C" fn helixor_last_error() -> *const c_char {
    last_error_text()
}

/// Drops the licence, every pack and the ledger. Until the next helixor_license_init every call is
/// HELIXOR_ERR_NOT_INITIALIZED, also for the built-in pack; calls in flight finish.
#[unsafe(no_mangle)]
pub extern "C" fn helixor_runtime_shutdown() {
    call(|| {
        REGISTRY.shutdown();
        Ok(())
    });
}

/// A text argument.
///
/// # Safety
/// `text` is NULL or ends with a NUL byte, and outlives the result.
unsafe fn text<'a>(name: &str, text: *const c_char) -> Result<&'a str, helixor_runtime::Error> {
    if text.is_null() {
        return Err(status::invalid_argument(&format!(
            "`{name}` must not be NULL"
        )));
    }
    // SAFETY: not NULL, so the caller gives a NUL-terminated text.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|e| {
        status::invalid_argument(&format!(
            "`{name}` is not UTF-8 at byte {}",
            e.valid_up_to()
        ))
    })
}

/// A text argument that may be NULL.
///
/// # Safety
/// As for `text`.
unsafe fn optional<'a>(
    name: &str,
    argument: *const c_char,
) -> Result<Option<&'a str>, helixor_runtime::Error> {
    match argument.is_null() {
        true => Ok(None),
        // SAFETY: the caller keeps the promise of `text`.
        false => unsafe { text(name, argument) }.map(Some),
    }
}

/// An argument of bytes.
///
/// # Safety
/// `bytes` is NULL or points to `len` readable bytes, which outlive the result.
unsafe fn bytes<'a>(
    name: &str,
    bytes: *const u8,
    len: usize,
) -> Result<&'a [u8], helixor_runtime::Error> {
    if bytes.is_null() || isize::try_from(len).is_err() {
        return Err(status::invalid_argument(&format!(
            "`{name}` must point to as many bytes as its length says"
        )));
    }
    // SAFETY: not NULL, and the caller gives `len` readable bytes.
    Ok(unsafe { std::slice::from_raw_parts(bytes, len) })
}

fn check_output(
    out: *mut c_char,
    out_len: usize,
    written: *mut usize,
) -> Result<(), helixor_runtime::Error> {
    if written.is_null() {
        return Err(status::invalid_argument("`written` must not be NULL"));
    }
    if out.is_null() && out_len != 0 {
        return Err(status::invalid_argument(
            "`out` must not be NULL unless `out_len` is 0",
        ));
    }
    Ok(())
}

/// The next answer to the same question may be this much longer: its `latency_us` is another.
const LATENCY_SLACK: usize = 16;

/// So may the next report, since others decide meanwhile.
const REPORT_SLACK: usize = 64;

/// Asks for an answer once there is a place for it, and writes it as `put` does.
///
/// # Safety
/// `out` is NULL or points to `out_len` writable bytes, `written` is NULL or points to a size_t.
unsafe fn tell(
    answer: impl FnOnce() -> Result<String, helixor_runtime::Error>,
    slack: usize,
    out: *mut c_char,
    out_len: usize,
    written: *mut usize,
) -> Result<(), helixor_runtime::Error> {
    check_output(out, out_len, written)?;
    // SAFETY: checked above; the caller gives `out_len` writable bytes and a size_t.
    unsafe { put(&answer()?, slack, out, out_len, written) }
}

/// Writes an answer and its NUL byte, or the size that they need and what the next answer may be longer.
///
/// # Safety
/// `out` points to `out_len` writable bytes (or `out_len` is 0); `written` points to a size_t.
unsafe fn put(
    answer: &str,
    slack: usize,
    out: *mut c_char,
    out_len: usize,
    written: *mut usize,
) -> Result<(), helixor_runtime::Error> {
    let needed = answer.len() + 1;
    if out_len < needed {
        let needed = needed + slack;
        // SAFETY: the caller gives a size_t.
        unsafe { written.write(needed) };
        return Err(status::buffer_too_small(needed, out_len));
    }
    // SAFETY: `needed` bytes fit into the caller's `out_len`; an answer never overlaps them.
    unsafe {
        std::ptr::copy_nonoverlapping(answer.as_ptr(), out.cast(), answer.len());
        out.add(answer.len()).write(0);
        written.write(answer.len());
    }
    Ok(())
}
