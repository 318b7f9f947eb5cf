//! Any calls of the C functions in any order, as a C program would make them. The functions are taken
//! in as source: a C library and this program cannot be linked as one.
#![no_main]

use conformance::fuzz::{edited, issued};
use std::ffi::{CStr, CString, c_char};
use std::ptr::null;
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
        let status = match operation % 6 {
            0 => {
                let license = text(&edited(issued().json.as_bytes(), argument));
                helixor::helixor_license_init(pointer(&license))
            }
            1 => {
                let pack = edited(&issued().pack, argument);
                let id = [None, text(b"acme.reversed_names.v1"), text(argument)];
                let id = &id[usize::from(operation / 6) % 3];
                helixor::helixor_pack_load_sealed(pack.as_ptr(), pack.len(), pointer(id))
            }
            2 => {
                let ids = [
                    "acme.reversed_names.v1",
                    "compliance.regulatory_pii_guard.v1",
                ];
                let id = text(ids[usize::from(operation / 6) % 2].as_bytes());
                decide(&id, &text(argument))
            }
            3 => decide(&text(argument), &text(b"{}")),
            4 => {
                let mut out = [1 as c_char; 64];
                let mut written = 0;
                helixor::helixor_get_audit_report(out.as_mut_ptr(), out.len(), &mut written)
            }
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

/// Decides with no room, then with as much as was asked for.
unsafe fn decide(id: &Option<CString>, state: &Option<CString>) -> i32 {
    let (id, state) = (pointer(id), pointer(state));
    let mut written = usize::MAX;
    // SAFETY: as above.
    unsafe {
        let status =
            helixor::helixor_decision_execute(id, state, std::ptr::null_mut(), 0, &mut written);
        if status != BUFFER_TOO_SMALL {
            return status;
        }
        let mut out = vec![1 as c_char; written];
        let status =
            helixor::helixor_decision_execute(id, state, out.as_mut_ptr(), out.len(), &mut written);
        assert_eq!(status, 0);
        assert_eq!(CStr::from_ptr(out.as_ptr()).count_bytes(), written);
        status
    }
}
