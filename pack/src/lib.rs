//! The tool around packs as a library: each command is a function from its arguments to an
//! [`Answer`], or to a [`Failure`]; the binary `helixor-pack` prints them.
#![forbid(unsafe_code)]

mod answer;
mod cli;
pub mod commands;
mod failure;
mod files;

pub use answer::Answer;
pub use cli::{Cli, Command, run};
pub use failure::Failure;
