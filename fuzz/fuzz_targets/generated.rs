#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| conformance::fuzz::a_generated_sdk(bytes));
