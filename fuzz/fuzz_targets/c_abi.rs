//! Any calls of the C functions in any order, as a C program would make them. The functions are taken
//! in as source: a C library and this program cannot be linked as one.
#![no_main]

use conformance::fuzz::{edited, issued};
use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};
use std::sync::Once;

#[path = "../../bindings/c/src/lib.rs"]
#[allow(dead_code)]
mod helixor;

/// The status of a fault of Helixor itself.
const INTERNAL: i32 = 4;
const BUFFER_TOO_SMALL: i32 = 8;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    static AUTHORITY: Once = Once::new();
    AUTHORITY.call_once(|| {
        let path = std::env::temp_dir().join(format!("helixor-fuzz-{}.pem", std::process::id()));
        std::fs::write(&path, &issued().pem).expect("a temporary file");
        // SAFETY: libFuzzer runs the target in one thread.
        unsafe { std::env::set_var("HELIXOR_AUTHORITY_KEYS", path) };
    });
    let mut rest = bytes;
    while let [operation, low, high, more @ ..] = rest {
        let length = usize::from(*low) | usize::from(*high & 0x0f) << 8;
        let (argument, after) = more.split_at(length.min(more.len()));
        rest = after;
        call(*operation, argument);
    }
});

/// A text argument; NULL for a first byte of 255.
fn text(bytes: &[u8]) -> Option<CString> {
    let bytes: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    (bytes.first() != Some(&255)).then(|| CString::new(bytes).expect("no NUL is left"))
}

fn pointer(text: &Option<CString>) -> *const c_char {
    text.as_ref().map_or(null(), |text| text.as_ptr())
}

fn call(operation: u8, argument: &[u8]) {
    // SAFETY: texts end with a NUL byte, buffers have the lengths given, and all outlive the calls.
    unsafe {
        let status = match operation % 8 {
            0 => {
                let license = text(&edited(issued().json.as_bytes(), argument));
                helixor::helixor_license_init(pointer(&license))
            }
            1 => {
                let pack = edited(&issued().pack, argument);
                let id = [None, text(b"acme.reversed_names.v1"), text(argument)];
                let id = &id[usize::from(operation / 8) % 3];
                helixor::helixor_pack_load_sealed(pack.as_ptr(), pack.len(), pointer(id))
            }
            2 => {
                let ids = [
                    "acme.reversed_names.v1",
                    "compliance.regulatory_pii_guard.v1",
                ];
                let id = text(ids[usize::from(operation / 8) % 2].as_bytes());
                decide(&id, &text(argument))
            }
            3 => decide(&text(argument), &text(b"{}")),
            4 => answer(|out, out_len, written| {
                helixor::helixor_get_audit_report(out, out_len, written)
            }),
            5 => client(&issued().pack, None, argument),
            6 => client(&edited(&issued().pack, argument), text(argument), argument),
            _ => {
                helixor::helixor_runtime_shutdown();
                0
            }
        };
        assert_ne!(status, INTERNAL);
        let told = CStr::from_ptr(helixor::helixor_last_error());
        assert_eq!(status == 0, told.is_empty(), "{status}: {told:?}");
    }
}

unsafe fn decide(id: &Option<CString>, state: &Option<CString>) -> i32 {
    let (id, state) = (pointer(id), pointer(state));
    // SAFETY: as above.
    answer(|out, out_len, written| unsafe {
        helixor::helixor_decision_execute(id, state, out, out_len, written)
    })
}

/// Asks with no room, then with as much as was asked for.
fn answer(ask: impl Fn(*mut c_char, usize, *mut usize) -> i32) -> i32 {
    let mut written = usize::MAX;
    let status = ask(null_mut(), 0, &mut written);
    if status != BUFFER_TOO_SMALL {
        return status;
    }
    let mut out = vec![1 as c_char; written];
    let status = ask(out.as_mut_ptr(), out.len(), &mut written);
    assert_eq!(status, 0);
    // SAFETY: a text that was written ends with a NUL byte.
    let text = unsafe { CStr::from_ptr(out.as_ptr()) };
    assert_eq!(text.count_bytes(), written);
    status
}

/// Opens a client by handle, decides on slots made of the argument, and asks for everything there is.
unsafe fn client(pack: &[u8], interface: Option<CString>, argument: &[u8]) -> i32 {
    let license = CString::new(issued().json.as_bytes()).expect("JSON has no NUL");
    let flag = |bit: u8| i32::from(argument.first().is_some_and(|first| first & bit != 0));
    let options = helixor::HelixorOptions {
        license_json: license.as_ptr(),
        interface_json: pointer(&interface),
        signature: null(),
        signature_len: 0,
        accept_same_interface: flag(1),
        ledger_in_memory: flag(2),
        ledger_file: null(),
        timing: flag(4),
    };
    let mut client = null_mut();
    // SAFETY: as above; what was opened and decided is freed once, when it is not used any more.
    unsafe {
        let status = helixor::helixor_client_open(pack.as_ptr(), pack.len(), &options, &mut client);
        assert_eq!(status == 0, !client.is_null());
        if status != 0 {
            return status;
        }
        answer(|out, out_len, written| {
            helixor::helixor_client_interface(client, out, out_len, written)
        });
        // The pack has three fields; other numbers of slots are refused.
        let slots: Vec<_> = argument.chunks(2).take(4).map(slot).collect();
        let (mut verdict, mut action, mut decision) = (-1, usize::MAX, null_mut());
        let status = helixor::helixor_client_decide(
            client,
            slots.as_ptr(),
            slots.len(),
            &mut verdict,
            &mut action,
            &mut decision,
        );
        assert_eq!(status == 0, !decision.is_null());
        answer(|out, out_len, written| {
            helixor::helixor_client_audit_report(client, out, out_len, written)
        });
        helixor::helixor_client_free(client);
        let parts = argument.last().copied().unwrap_or_default().into();
        let explained = answer(|out, out_len, written| {
            helixor::helixor_decision_explain(decision, parts, out, out_len, written)
        });
        assert_eq!(explained == 0, status == 0);
        helixor::helixor_decision_free(decision);
        explained
    }
}

/// A slot of some kind; its text is the bytes themselves.
fn slot(bytes: &[u8]) -> helixor::HelixorSlot {
    let first = bytes.first().copied().unwrap_or_default();
    helixor::HelixorSlot {
        kind: (first % 8).into(),
        integer: (first >> 3).into(),
        number: f64::from(first) / 7.0,
        text: bytes.as_ptr().cast(),
        text_len: bytes.len(),
    }
}
