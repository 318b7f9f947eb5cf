//! The handle-based functions: a client of one pack, without globals.

use super::status::{call, free, invalid_argument};
use super::{REPORT_SLACK, answer, bytes, fork, optional, tell};
use helixor_runtime::client::{Decision, read_interface};
use helixor_runtime::{
    Client, Error, Given, LedgerChoice, Options, Pack, PublisherSource, State, Verdict,
};
use std::ffi::{c_char, c_int};

/// An open pack, bound to the names of one client. Any thread may use it; it is freed with
/// helixor_client_free, once no call uses it any more.
pub struct HelixorClient(Client);

/// A decision. It keeps the pack that made it, also after its client was freed; it is freed with
/// helixor_decision_free.
pub struct HelixorDecision(Decision);

/// How a pack is opened. All zero is the default.
#[repr(C)]
pub struct HelixorOptions {
    /// The text of the licence; NULL looks one up: $HELIXOR_LICENSE_FILE, ./helixor.hxlic,
    /// ~/.helixor/helixor.hxlic.
    pub license_json: *const c_char,
    /// The interface document (helixor.interface.v1) that the caller was compiled with; NULL takes
    /// the pack's own. Its lists say how fields, actions and rules are numbered.
    pub interface_json: *const c_char,
    /// The content of the pack's .hxpack.sig, NULL for none. It is verified with the publisher keys of
    /// $HELIXOR_PUBLISHER_KEYS.
    pub signature: *const u8,
    /// Its length in bytes.
    pub signature_len: usize,
    /// Not 0: takes a pack of the same interface whose content is not what the document is tied to.
    pub accept_same_interface: c_int,
    /// Not 0: keeps an audit ledger in memory.
    pub ledger_in_memory: c_int,
    /// The path of a file to keep the audit ledger in, which has one writer; NULL for none.
    pub ledger_file: *const c_char,
    /// Not 0: decisions say how long they took.
    pub timing: c_int,
}

/// Nothing is said of the field: it takes its default, or is null where it is optional.
pub const HELIXOR_LEFT_OUT: u32 = 0;
/// Null.
pub const HELIXOR_NULL: u32 = 1;
/// `integer`: 0 is false, anything else true.
pub const HELIXOR_BOOLEAN: u32 = 2;
/// `integer`.
pub const HELIXOR_INTEGER: u32 = 3;
/// `number`.
pub const HELIXOR_NUMBER: u32 = 4;
/// `text`, of `text_len` bytes.
pub const HELIXOR_STRING: u32 = 5;

/// The value of one field.
#[repr(C)]
pub struct HelixorSlot {
    /// HELIXOR_LEFT_OUT, HELIXOR_NULL, HELIXOR_BOOLEAN, HELIXOR_INTEGER, HELIXOR_NUMBER or
    /// HELIXOR_STRING: which of the others count.
    pub kind: u32,
    /// An integer, or true or false.
    pub integer: i64,
    /// A number.
    pub number: f64,
    /// UTF-8; it needs no NUL byte at its end.
    pub text: *const c_char,
    /// Its length in bytes.
    pub text_len: usize,
}

/// No hard rule fired.
pub const HELIXOR_APPROVE: c_int = 0;
/// The first fired rule redacts.
pub const HELIXOR_REDACT: c_int = 1;
/// The first fired rule refuses.
pub const HELIXOR_REFUSE: c_int = 2;

/// Asks helixor_decision_explain for `fired_rules`: their ids, the first first.
pub const HELIXOR_FIRED_RULES: u32 = 1;
/// Asks for `necessary_causes`.
pub const HELIXOR_CAUSES: u32 = 2;
/// Asks for `counterfactual`: what would have to change for an approval; looking for it takes up to
/// some thousand decisions.
pub const HELIXOR_COUNTERFACTUAL: u32 = 4;
/// Asks for `proof_sha256`.
pub const HELIXOR_PROOF: u32 = 8;

/// Opens a sealed pack; `pack` NULL with `len` 0 is the built-in one, which needs no licence.
/// `options` may be NULL. On success `*client` is the client, else NULL.
///
/// Fails with HELIXOR_ERR_LICENSE_*, HELIXOR_ERR_PACK_* (HELIXOR_ERR_PACK_MISMATCH lists every
/// difference between the interfaces), HELIXOR_ERR_SOLVER_NOT_LICENSED, HELIXOR_ERR_VERSION_SKEW when
/// this library cannot read the interface document, or HELIXOR_ERR_IO.
///
/// # Safety
/// `pack` points to `len` bytes that can be read; `options` is NULL or points to options whose
/// texts end with a NUL byte; `client` points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn helixor_client_open(
    pack: *const u8,
    len: usize,
    options: *const HelixorOptions,
    client: *mut *mut HelixorClient,
) -> c_int {
    call(|| {
        // SAFETY: the caller gives NULL or a pointer to a pointer.
        let client = unsafe { result("client", client) }?;
        fork::watch();
        // SAFETY: the caller gives NULL or options.
        let (options, interface) = match unsafe { options.as_ref() } {
            // SAFETY: the caller gives texts that end with a NUL byte.
            Some(given) => unsafe { read_options(given) }?,
            None => Default::default(),
        };
        let opened = if pack.is_null() && len == 0 {
            let own = Pack::builtin();
            Client::builtin_with(interface.as_ref().unwrap_or(own.interface()), &options)?
        } else {
            // SAFETY: the caller gives `len` readable bytes.
            let pack = unsafe { bytes("pack", pack, len) }?;
            match &interface {
                Some(interface) => Client::from_bytes(pack, interface, &options)?,
                None => Client::from_bytes_untied(pack, &options)?,
            }
        };
        *client = Box::into_raw(Box::new(HelixorClient(opened)));
        Ok(())
    })
}

/// Writes the interface document that the client's numbers come from; that of the pack, tied to no
/// content, when none was given. Output works as for helixor_decision_execute.
///
/// # Safety
/// `client` is NULL or a client; `out` points to `out_len` bytes that can be written (or is NULL with
/// `out_len` 0); `written` points to a size_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn helixor_client_interface(
    client: *const HelixorClient,
    out: *mut c_char,
    out_len: usize,
    written: *mut usize,
) -> c_int {
    call(|| {
        // SAFETY: the caller gives NULL or a client.
        let HelixorClient(client) = unsafe { given("client", client) }?;
        let interface = || Ok(client.interface().to_json());
        // SAFETY: the caller gives what these point to.
        unsafe { tell(interface, 0, out, out_len, written) }
    })
}

/// Decides on a state: a slot for each field of the client's interface, in its order.
///
/// `*verdict` is HELIXOR_APPROVE, HELIXOR_REDACT or HELIXOR_REFUSE, `*action` the number of the action in
/// the interface's list. `decision` NULL says that nothing will be explained; else `*decision` is the
/// decision on success, and NULL otherwise.
///
/// Fails with HELIXOR_ERR_INVALID_ARGUMENT for another number of slots, an unknown kind or text that is
/// not UTF-8, HELIXOR_ERR_STATE_*, HELIXOR_ERR_EVALUATION, HELIXOR_ERR_LICENSE_EXPIRED,
/// HELIXOR_ERR_QUOTA_EXCEEDED, or HELIXOR_ERR_IO when the ledger cannot be written. What fails is not
/// counted.
///
/// # Safety
/// `client` is NULL or a client; `slots` points to `count` slots whose texts have the lengths they
/// say; `verdict` and `action` point to numbers, `decision` is NULL or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn helixor_client_decide(
    client: *const HelixorClient,
    slots: *const HelixorSlot,
    count: usize,
    verdict: *mut c_int,
    action: *mut usize,
    decision: *mut *mut HelixorDecision,
) -> c_int {
    call(|| {
        // First of all, so that no failure leaves a handle there that is none.
        let wanted = match decision.is_null() {
            true => None,
            // SAFETY: the caller gives a pointer to a pointer.
            false => Some(unsafe { result("decision", decision) }?),
        };
        // SAFETY: the caller gives NULL, or what these pointers are to point to.
        let (client, verdict, action) = unsafe {
            (
                given("client", client)?,
                written("verdict", verdict)?,
                written("action", action)?,
            )
        };
        let HelixorClient(client) = client;
        // SAFETY: the caller gives `count` slots.
        let state = unsafe { state(client, slots, count) }?;
        let said = match wanted {
            None => client.answer(&state)?,
            Some(wanted) => {
                let decided = client.decide(state)?;
                let said = (decided.verdict(), decided.action());
                *wanted = Box::into_raw(Box::new(HelixorDecision(decided)));
                said
            }
        };
        *verdict = match said.0 {
            Verdict::Approve => HELIXOR_APPROVE,
            Verdict::Redact => HELIXOR_REDACT,
            Verdict::Refuse => HELIXOR_REFUSE,
        };
        *action = said.1;
        Ok(())
    })
}

/// Writes what a decision says as JSON: verdict, action, and of the parts only those asked for.
///
///   {"action", "verdict", "latency_us", "fired_rules": [], "necessary_causes": [{"direction",
///    "distance_to_boundary", "factor", "observed_value", "rule", "rule_verdict", "threshold"}],
///    "counterfactual", "proof_sha256"}
///
/// `verdict` is "approve", "redact" or "refuse"; `latency_us` is null unless the client was opened
/// with `timing`; the counterfactual is as in helixor_decision_execute. Output works as there too, and
/// the same question always has the same answer.
///
/// # Safety
/// `decision` is NULL or a decision; `out` points to `out_len` bytes that can be written (or is NULL
/// with `out_len` 0); `written` points to a size_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn helixor_decision_explain(
    decision: *const HelixorDecision,
    parts: u32,
    out: *mut c_char,
    out_len: usize,
    written: *mut usize,
) -> c_int {
    call(|| {
        // SAFETY: the caller gives NULL or a decision.
        let HelixorDecision(decision) = unsafe { given("decision", decision) }?;
        let has = |part| parts & part != 0;
        let explained = || {
            Ok(answer::explained(
                decision,
                has(HELIXOR_FIRED_RULES),
                has(HELIXOR_CAUSES),
                has(HELIXOR_COUNTERFACTUAL),
                has(HELIXOR_PROOF),
            ))
        };
        // SAFETY: the caller gives what these point to.
        unsafe { tell(explained, 0, out, out_len, written) }
    })
}

/// Writes the client's audit report as helixor_get_audit_report does for the functions without
/// handles. HELIXOR_ERR_LEDGER_OFF when it keeps no ledger and its licence sets no limit.
///
/// # Safety
/// As for helixor_client_interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn helixor_client_audit_report(
    client: *const HelixorClient,
    out: *mut c_char,
    out_len: usize,
    written: *mut usize,
) -> c_int {
    call(|| {
        // SAFETY: the caller gives NULL or a client.
        let HelixorClient(client) = unsafe { given("client", client) }?;
        let report = || Ok(client.audit_report()?.to_json());
        // SAFETY: the caller gives what these point to.
        unsafe { tell(report, REPORT_SLACK, out, out_len, written) }
    })
}

/// Frees a client; NULL is nothing to free. A ledger in a file is made durable and closed. The message of
/// helixor_last_error stays.
///
/// # Safety
/// `client` is NULL or a client that is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn helixor_client_free(client: *mut HelixorClient) {
    free(|| {
        if !client.is_null() {
            // SAFETY: it came from helixor_client_open, and the caller gives it up.
            drop(unsafe { Box::from_raw(client) });
        }
    });
}

/// Frees a decision; NULL is nothing to free. The message of helixor_last_error stays.
///
/// # Safety
/// `decision` is NULL or a decision that is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn helixor_decision_free(decision: *mut HelixorDecision) {
    free(|| {
        if !decision.is_null() {
            // SAFETY: it came from helixor_client_decide, and the caller gives it up.
            drop(unsafe { Box::from_raw(decision) });
        }
    });
}

/// The options as the runtime has them, and the interface.
///
/// # Safety
/// The texts end with a NUL byte, the signature has its length.
unsafe fn read_options(
    given: &HelixorOptions,
) -> Result<(Options, Option<helixor_runtime::Interface>), Error> {
    // SAFETY: the caller keeps the promises of these.
    let (license, interface, ledger, signature) = unsafe {
        (
            optional("license_json", given.license_json)?,
            optional("interface_json", given.interface_json)?,
            optional("ledger_file", given.ledger_file)?,
            match given.signature.is_null() {
                true => None,
                false => Some(bytes("signature", given.signature, given.signature_len)?),
            },
        )
    };
    let mut options = Options::new()
        .accept_same_interface(given.accept_same_interface != 0)
        .timing(given.timing != 0);
    options.publisher_keys = PublisherSource::of_environment();
    if let Some(signature) = signature {
        options.publisher_keys = Some(PublisherSource::required_of_environment()?);
        options = options.signature(signature);
    }
    if let Some(license) = license {
        options = options.license_json(license);
    }
    options = match (ledger, given.ledger_in_memory != 0) {
        (Some(_), true) => {
            return Err(invalid_argument(
                "`ledger_file` and `ledger_in_memory` are both given",
            ));
        }
        (Some(path), false) => options.ledger_file(path),
        (None, true) => options.ledger(LedgerChoice::InMemory),
        (None, false) => options,
    };
    let interface = interface.map(read_interface).transpose()?;
    Ok((options, interface))
}

/// The state that slots say.
///
/// # Safety
/// `slots` is NULL or points to `count` slots whose texts have the lengths they say.
unsafe fn state(client: &Client, slots: *const HelixorSlot, count: usize) -> Result<State, Error> {
    let fields = client.interface().fields.len();
    if count != fields {
        let message = format!("the state has {count} slots, the interface {fields} fields");
        return Err(invalid_argument(&message));
    }
    if slots.is_null() && count > 0 {
        return Err(invalid_argument("`slots` must not be NULL"));
    }
    let mut values = client.state();
    for field in 0..count {
        // SAFETY: not NULL, and the caller gives `count` slots.
        let slot = unsafe { &*slots.add(field) };
        let given = match slot.kind {
            HELIXOR_LEFT_OUT => continue,
            HELIXOR_NULL => Given::Null,
            HELIXOR_BOOLEAN => Given::Boolean(slot.integer != 0),
            HELIXOR_INTEGER => Given::Integer(Some(slot.integer.into())),
            HELIXOR_NUMBER => Given::Number(slot.number),
            HELIXOR_STRING => {
                // SAFETY: the caller gives as many bytes as the slot says.
                let text = unsafe { bytes("text", slot.text.cast(), slot.text_len) };
                let text = text.map_err(|_| {
                    invalid_argument(&format!(
                        "the text of slot {field} must point to as many bytes as its length says"
                    ))
                })?;
                let text = std::str::from_utf8(text).map_err(|e| {
                    let at = e.valid_up_to();
                    invalid_argument(&format!(
                        "the text of slot {field} is not UTF-8 at byte {at}"
                    ))
                })?;
                Given::String(text.into())
            }
            kind => {
                let message = format!("slot {field} is of kind {kind}, which is none");
                return Err(invalid_argument(&message));
            }
        };
        values.set(field, given);
    }
    values.finish()
}

/// A handle argument.
///
/// # Safety
/// `handle` is NULL or points to a value that outlives the call.
unsafe fn given<'a, T>(name: &str, handle: *const T) -> Result<&'a T, Error> {
    // SAFETY: as above.
    unsafe { handle.as_ref() }
        .ok_or_else(|| invalid_argument(&format!("`{name}` must not be NULL")))
}

/// A place for a number.
///
/// # Safety
/// `place` is NULL or points to a value that can be written.
unsafe fn written<'a, T>(name: &str, place: *mut T) -> Result<&'a mut T, Error> {
    // SAFETY: as above.
    unsafe { place.as_mut() }.ok_or_else(|| invalid_argument(&format!("`{name}` must not be NULL")))
}

/// A place for a handle, which is NULL until there is one.
///
/// # Safety
/// `place` is NULL or points to a pointer that can be written, whatever it is.
unsafe fn result<'a, T>(name: &str, place: *mut *mut T) -> Result<&'a mut *mut T, Error> {
    if !place.is_null() {
        // SAFETY: the caller gives a place for a pointer.
        unsafe { place.write(std::ptr::null_mut()) };
    }
    // SAFETY: written just now.
    unsafe { written(name, place) }
}
