//! What calls return, and the message they leave behind.

use helixor_runtime::client::unpanicked;
use helixor_runtime::{Code, Error};
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Runs one call: its status, its message left behind, and no panic across the border.
pub(crate) fn call(body: impl FnOnce() -> Result<(), Error>) -> c_int {
    let result = unpanicked(body);
    let (status, message) = match &result {
        Ok(()) => (0, String::new()),
        Err(e) => (c_int::from(e.code().number()), told(e)),
    };
    // A NUL byte inside would end the text early.
    let message = CString::new(message.replace('\0', "\u{fffd}")).unwrap_or_default();
    LAST_ERROR.with(|last| *last.borrow_mut() = message);
    status
}

/// Runs a call that cannot fail and leaves the thread's message as it is: what went wrong before is often
/// told after things were freed.
pub(crate) fn free(body: impl FnOnce()) {
    let _ = unpanicked(|| {
        body();
        Ok(())
    });
}

/// The error as a person reads it: the code, the message, and the advice on a line of its own.
fn told(e: &Error) -> String {
    match e.help() {
        "" => format!("{}: {e}", e.code()),
        help => format!("{}: {e}\n{help}", e.code()),
    }
}

/// The message of this thread's last call.
pub(crate) fn last_error_text() -> *const c_char {
    LAST_ERROR.with(|last| last.borrow().as_ptr())
}

pub(crate) fn invalid_argument(message: &str) -> Error {
    Error::new(Code::InvalidArgument, message, "")
}

pub(crate) fn buffer_too_small(needed: usize, given: usize) -> Error {
    Error::new(
        Code::BufferTooSmall,
        format!("the answer needs {needed} bytes, the buffer has {given}"),
        "bring a buffer of the size in `written`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn last_error() -> String {
        // SAFETY: the text of this thread's last call is there until its next one.
        let text = unsafe { CStr::from_ptr(last_error_text()) };
        text.to_string_lossy().into_owned()
    }

    #[test]
    fn a_panic_inside_is_an_error_outside() {
        let status = call(|| panic!("inside"));
        assert_eq!(status, c_int::from(Code::Internal.number()));
        assert!(last_error().starts_with("INTERNAL: the runtime failed inside\n"));
        assert_eq!(call(|| Ok(())), 0);
        assert_eq!(last_error(), "");
    }
}
