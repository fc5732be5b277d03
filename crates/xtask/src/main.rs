//! Every command for working on Gatewright.
//!
//! `cargo xtask` lists the commands; each one first installs the tools that it needs ([`setup`]), so the same command
//! works in a fresh clone and in a used one. Only `std` and `libc`: xtask has to compile in seconds before it can help
//! with anything.
#![allow(
    clippy::print_stdout,
    reason = "a command line program: what it prints is its answer"
)]

mod args;
mod bench;
mod build;
mod commands;
mod counts;
mod docs;
mod fail;
mod fingerprint;
mod lanes;
mod layers;
mod npm;
mod paths;
mod process;
mod programs;
mod ready;
mod secrets;
mod serve;
mod setup;
mod signals;
mod size;
mod term;
mod tools;

use std::process::ExitCode;

use crate::fail::Fail;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match commands::run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Fail::Reported) => ExitCode::FAILURE,
        Err(Fail::Error(message)) => {
            term::error(&message);
            ExitCode::FAILURE
        }
        Err(Fail::Usage(message)) => {
            term::error(&message);
            ExitCode::from(2)
        }
    }
}
