//! Every command a person types in Gatewright.
//!
//! `cargo xtask` lists the commands; each one first ensures the tools that it needs ([`setup`]), so
//! that a fresh clone and a used one are served by the same line.
//! Only `std` and `libc`: the command has to compile in seconds before it can help with anything.
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
