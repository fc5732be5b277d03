//! Tests for `node --test`: the worker on workerd, and the console in a browser.

use std::path::PathBuf;

use crate::counts::{self, Counts};
use crate::fail::{Context, Result, error};
use crate::{build, npm, paths, process, programs};

/// The timeout of one test file, in milliseconds: a guard against hangs, not a benchmark.
const TIMEOUT: &str = "--test-timeout=900000";
/// The folder of the recorded answers among the worker's tests, which have a lane of their own.
const GOLDEN: &str = "golden";

/// The worker's end-to-end tests.
///
/// # Errors
/// If worker or console can't be built, or Node can't be started.
pub(super) fn e2e() -> Result<Counts> {
    build::all(build::Effort::Deployed)?;
    build::with_contracts()?;
    test("e2e", tests("worker/tests", &[GOLDEN])?, Vec::new())
}

/// The recorded answers, replayed against the worker; none of them opens the console.
///
/// # Errors
/// If the worker can't be built, or Node can't be started.
pub(super) fn golden() -> Result<Counts> {
    build::without_console()?;
    let files = tests(&format!("worker/tests/{GOLDEN}"), &[])?;
    test("golden", files, Vec::new())
}

/// The console's flows; screenshots are written to `target/screenshots`.
///
/// # Errors
/// If worker or console can't be built, or there is no browser.
pub(super) fn console() -> Result<Counts> {
    build::all(build::Effort::Deployed)?;
    test(
        "console",
        tests("web/e2e", &[])?,
        vec![("CHROMIUM", programs::headless_browser()?)],
    )
}

/// Returns the test files in a folder and below, except in folders named in `skip`.
fn tests(folder: &str, skip: &[&str]) -> Result<Vec<PathBuf>> {
    let files: Vec<_> = paths::files(&paths::at(folder), skip)
        .into_iter()
        .filter(|file| file.to_string_lossy().ends_with(".test.mjs"))
        .collect();
    if files.is_empty() {
        return Err(error(format!("there are no tests in {folder}")));
    }
    Ok(files)
}

/// Returns how many files run at once: Node's default would leave one core idle, and tests wait more than they compute.
fn concurrency() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("--test-concurrency={}", cores.max(2))
}

fn test(name: &str, files: Vec<PathBuf>, environment: Vec<(&str, PathBuf)>) -> Result<Counts> {
    let tap = paths::scratch()?.join(format!("{name}.tap"));
    // The result of an earlier run must not be taken for this one's.
    std::fs::write(&tap, "").context(|| format!("cannot write {}", paths::shown(&tap)))?;
    let mut node = process::command(npm::node());
    node.args(["--test", TIMEOUT, &concurrency()])
        .args(["--test-reporter=spec", "--test-reporter-destination=stdout"])
        .args(["--test-reporter=tap", "--test-reporter-destination"])
        .arg(&tap)
        .args(files)
        .envs(crate::lanes::environment())
        .envs(environment);
    let success = process::run_inherited(&mut node)?;
    let text = std::fs::read_to_string(&tap).unwrap_or_default();
    Ok(counts::of_tap(&text).unwrap_or_default().settled(success))
}
