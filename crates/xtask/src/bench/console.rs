//! `bench console`: the console in Chromium, in front of a gateway with very many APIs and keys.

use crate::fail::Result;
use crate::{build, npm, process, programs};

/// The script that measures and prints the table.
const SCRIPT: &str = "web/bench/console.mjs";

/// Builds worker and console as they are deployed, then runs the script with `words`.
///
/// # Errors
/// If something is missing, can't be built, or the script fails (it has reported why).
pub(super) fn run(words: &[String]) -> Result<()> {
    let script = super::script(SCRIPT)?;
    let chromium = programs::chromium()?;
    build::all(build::Effort::Deployed)?;
    let mut node = process::command(npm::node());
    node.arg(script)
        .args(words)
        .env("CHROMIUM", chromium)
        .envs(crate::lanes::environment());
    super::measure(&mut node)
}
