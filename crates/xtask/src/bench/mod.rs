//! `bench`: builds, then runs the benchmark's own script.

mod console;
mod dashboard;
mod model;

use std::path::PathBuf;

use crate::fail::{Fail, Result, error};
use crate::{build, npm, paths, process, programs};

/// The script that measures the worker and prints the table.
const SCRIPT: &str = "worker/bench/run.mjs";

/// `cargo xtask bench [words…]`: the words are passed to the script, `links` among them for the cost of each link.
/// `model` as the first word measures the data model, `dashboard` the merge patches of the dashboard API, `console` the
/// console in a browser instead of the worker.
///
/// # Errors
/// If something is missing, can't be built, or the script fails (it has reported why).
pub(crate) fn run(words: &[String]) -> Result<()> {
    match words
        .split_first()
        .map(|(word, rest)| (word.as_str(), rest))
    {
        Some(("model", words)) => return model::run(words),
        Some(("dashboard", words)) => return dashboard::run(words),
        Some(("console", words)) => return console::run(words),
        _ => {}
    }
    let script = script(SCRIPT)?;
    let wrk = programs::wrk()?;
    build::all(build::Effort::Deployed)?;
    let mut node = process::command(npm::node());
    node.arg(script)
        .args(words)
        .env("WRK", wrk)
        .env("XTASK", std::env::current_exe().unwrap_or_default())
        .envs(crate::lanes::environment());
    measure(&mut node)
}

fn script(path: &str) -> Result<PathBuf> {
    let script = paths::at(path);
    if script.is_file() {
        Ok(script)
    } else {
        Err(error(format!("{path} is missing")))
    }
}

fn measure(node: &mut std::process::Command) -> Result<()> {
    if process::run_streaming(node, |_| ())? {
        Ok(())
    } else {
        Err(Fail::Reported)
    }
}
