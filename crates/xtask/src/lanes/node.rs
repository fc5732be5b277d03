//! Tests for `node --test`: the worker on workerd, and the console in a browser.

use std::path::PathBuf;

use crate::counts::{self, Counts};
use crate::fail::{Context, Result, error};
use crate::{build, npm, paths, process, programs};

/// The timeout of one test file, in milliseconds: a guard against hangs, not a benchmark.
const TIMEOUT: &str = "--test-timeout=900000";
/// The folder of the recorded answers among the worker's tests, which have a lane of their own.
const GOLDEN: &str = "golden";
/// The files of the worker's tests that depend on how quickly their requests are served: fewer at once.
const MEASURED: [&str; 3] = ["calls.test.mjs", "leases.test.mjs", "limits-load.test.mjs"];

/// The worker's end-to-end tests.
///
/// # Errors
/// If worker or console can't be built, or Node can't be started.
pub(super) fn e2e() -> Result<Counts> {
    build::all(build::Effort::Deployed)?;
    build::with_contracts()?;
    let files = tests("worker/tests", &[GOLDEN])?;
    let (measured, others): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|file| MEASURED.iter().any(|name| file.ends_with(name)));
    if measured.len() != MEASURED.len() {
        return Err(error(format!("not all of {MEASURED:?} exist")));
    }
    let mut counts = test("e2e-measured", measured, Vec::new(), cores())?;
    counts.add(test("e2e", others, Vec::new(), cores().saturating_mul(2))?);
    Ok(counts)
}

/// The recorded answers, replayed against the worker; none of them opens the console.
///
/// # Errors
/// If the worker can't be built, or Node can't be started.
pub(super) fn golden() -> Result<Counts> {
    build::without_console()?;
    let files = tests(&format!("worker/tests/{GOLDEN}"), &[])?;
    test("golden", files, Vec::new(), cores().saturating_mul(2))
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
        cores().saturating_add(1),
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

/// Returns the number of cores. Twice as many files of the worker's tests run at once, which mostly wait, and one more
/// of the console's, which compute.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Returns the folder of temporary files in memory, if this machine has one that is large enough. Gateways, which wait
/// for the disk after each write, start empty with each test file, and no test is about a machine that crashes.
fn memory() -> Option<PathBuf> {
    const FOLDER: &str = "/dev/shm";
    let report = process::output_of(process::command("df").args(["-Pk", FOLDER]))?;
    has_room(&report).then(|| PathBuf::from(FOLDER))
}

/// Whether `df -Pk` reports a gigabyte as available. Containers often have 64 MB.
fn has_room(report: &str) -> bool {
    let available = report.lines().nth(1).and_then(|line| {
        let kilobytes = line.split_whitespace().nth(3)?;
        kilobytes.parse::<u64>().ok()
    });
    available >= Some(1024 * 1024)
}

/// Runs test files, `at_once` of them at the same time.
fn test(
    name: &str,
    files: Vec<PathBuf>,
    environment: Vec<(&str, PathBuf)>,
    at_once: usize,
) -> Result<Counts> {
    let tap = paths::scratch()?.join(format!("{name}.tap"));
    // The result of an earlier run must not be taken for this one's.
    std::fs::write(&tap, "").context(|| format!("cannot write {}", paths::shown(&tap)))?;
    let mut node = process::command(npm::node());
    node.args(["--test", TIMEOUT, &format!("--test-concurrency={at_once}")])
        .args(["--test-reporter=spec", "--test-reporter-destination=stdout"])
        .args(["--test-reporter=tap", "--test-reporter-destination"])
        .arg(&tap)
        .args(files)
        .envs(crate::lanes::environment())
        .envs(memory().map(|folder| ("TMPDIR", folder)))
        .envs(environment);
    let success = process::run_inherited(&mut node)?;
    let text = std::fs::read_to_string(&tap).unwrap_or_default();
    Ok(counts::of_tap(&text).unwrap_or_default().settled(success))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_files_are_in_memory_only_where_there_is_room() {
        let report = |available: u64| {
            format!(
                "Filesystem 1024-blocks Used Available Capacity Mounted on\ntmpfs 65536 0 {available} 0% /dev/shm\n"
            )
        };
        assert!(has_room(&report(1024 * 1024)));
        assert!(!has_room(&report(65_536)));
        assert!(!has_room(""));
    }
}
