//! Tests written for `node --test`: the worker on workerd, and the console in a browser.

use std::path::PathBuf;

use crate::counts::{self, Counts};
use crate::fail::{Context, Result, error};
use crate::{build, npm, paths, process, programs};

/// Milliseconds that one file of tests may take: a guard against a hang, not a measure.
const TIMEOUT: &str = "--test-timeout=900000";
/// The folder of the recorded answers among the worker's tests: a lane of its own.
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

/// The recorded answers, played against the worker; nothing of them opens the console.
///
/// # Errors
/// If the worker can't be built, or Node can't be started.
pub(super) fn golden() -> Result<Counts> {
    build::without_console()?;
    let files = tests(&format!("worker/tests/{GOLDEN}"), &[])?;
    test("golden", files, Vec::new())
}

/// The console's flows; their screenshots are put into `target/screenshots`.
///
/// # Errors
/// If worker or console can't be built, or there is no browser.
pub(super) fn console() -> Result<Counts> {
    build::all(build::Effort::Deployed)?;
    test(
        "console",
        tests("web/e2e", &[])?,
        vec![("CHROMIUM", programs::chromium()?)],
    )
}

/// The files with tests in a folder and below it, but not below the folders of the names `skip`.
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

/// How many files run at once: Node would leave one core without work, and tests wait more than they calculate.
fn at_once() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("--test-concurrency={}", cores.max(2))
}

fn test(name: &str, files: Vec<PathBuf>, environment: Vec<(&str, PathBuf)>) -> Result<Counts> {
    let tap = paths::scratch()?.join(format!("{name}.tap"));
    // What an earlier run left must not be taken for this one's result.
    std::fs::write(&tap, "").context(|| format!("cannot write {}", paths::shown(&tap)))?;
    let mut node = process::command(npm::node());
    node.args(["--test", TIMEOUT, &at_once()])
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
