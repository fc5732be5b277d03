//! Tests written for `node --test`: the worker on workerd, and the console in a browser.

use std::path::PathBuf;

use crate::counts::{self, Counts};
use crate::fail::{Context, Result, error};
use crate::{build, npm, paths, process, programs};

/// Milliseconds that one file of tests may take: a guard against a hang, not a measure.
const TIMEOUT: &str = "--test-timeout=900000";

/// The worker's end-to-end tests.
///
/// # Errors
/// If worker or console can't be built, or Node can't be started.
pub(super) fn e2e() -> Result<Counts> {
    test("e2e", "worker/tests", Vec::new())
}

/// The console's flows; their screenshots are put into `target/screenshots`.
///
/// # Errors
/// If worker or console can't be built, or there is no browser.
pub(super) fn console() -> Result<Counts> {
    test(
        "console",
        "web/e2e",
        vec![("CHROMIUM", programs::chromium()?)],
    )
}

fn test(name: &str, folder: &str, environment: Vec<(&str, PathBuf)>) -> Result<Counts> {
    let files: Vec<_> = paths::files(&paths::at(folder), &[])
        .into_iter()
        .filter(|file| file.to_string_lossy().ends_with(".test.mjs"))
        .collect();
    if files.is_empty() {
        return Err(error(format!("there are no tests in {folder}")));
    }
    build::run()?;
    let tap = paths::scratch()?.join(format!("{name}.tap"));
    // What an earlier run left must not be taken for this one's result.
    std::fs::write(&tap, "").context(|| format!("cannot write {}", paths::shown(&tap)))?;
    let mut node = process::command(npm::node());
    node.args(["--test", TIMEOUT])
        .args(["--test-reporter=spec", "--test-reporter-destination=stdout"])
        .args(["--test-reporter=tap", "--test-reporter-destination"])
        .arg(&tap)
        .args(files)
        .envs(crate::lanes::environment())
        .envs(environment);
    let success = process::pass(&mut node)?;
    let text = std::fs::read_to_string(&tap).unwrap_or_default();
    Ok(counts::of_tap(&text).unwrap_or_default().settled(success))
}
