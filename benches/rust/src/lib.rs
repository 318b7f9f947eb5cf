//! What is measured (workloads, packs) and how (interleaved rounds, rows), for every bench in Rust.
#![forbid(unsafe_code)]

pub mod packs;
pub mod rounds;
pub mod workload;
