//! What a forked child has to know: its ledgers are its own.

/// Sees to it that every child that is forked from now on is told. Called before a ledger is made.
pub(crate) fn watch() {
    #[cfg(unix)]
    {
        use std::sync::atomic::{AtomicBool, Ordering};
        static WATCHED: AtomicBool = AtomicBool::new(false);
        unsafe extern "C" fn child() {
            helixor_runtime::client::forked();
        }
        if !WATCHED.swap(true, Ordering::Relaxed) {
            // SAFETY: the handler only counts, which a child may do whatever other threads held. This
            // fails only without memory, and then a child goes on as if nothing had happened.
            unsafe { libc::pthread_atfork(None, None, Some(child)) };
        }
    }
}
