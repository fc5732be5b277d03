//! `bench`: builds, then hands over to the benchmark's own script.

use crate::fail::{Fail, Result, error};
use crate::{build, npm, paths, process, programs};

/// The script that measures and prints the table.
const SCRIPT: &str = "worker/bench/run.mjs";

/// `cargo xtask bench [words…]`: the words are the script's.
///
/// # Errors
/// If something is missing, can't be built, or the script fails (it has said why).
pub(crate) fn run(words: &[String]) -> Result<()> {
    let script = paths::at(SCRIPT);
    if !script.is_file() {
        return Err(error(format!("{SCRIPT} is missing")));
    }
    let wrk = programs::wrk()?;
    build::run()?;
    let mut node = process::command(npm::node());
    node.arg(script)
        .args(words)
        .env("WRK", wrk)
        .envs(crate::lanes::environment());
    if process::stream(&mut node, |_| ())? {
        Ok(())
    } else {
        Err(Fail::Reported)
    }
}
