//! Static checks of the code. Every check counts as one test.

use std::time::Instant;

use crate::counts::Counts;
use crate::fail::{Fail, Result, error};
use crate::{layers, npm, paths, process, setup, term};

/// A check's name and the function that runs it.
type Check = (&'static str, fn() -> Result<()>);

const CHECKS: [Check; 5] = [
    ("formatting", formatting),
    ("clippy, host", || cargo("clippy, host", CLIPPY_HOST)),
    ("clippy, wasm32", || cargo("clippy, wasm32", CLIPPY_WASM)),
    ("layers", layers::check),
    ("JavaScript syntax", javascript),
];

const CLIPPY_HOST: &[&str] = &[
    "clippy",
    "--workspace",
    "--exclude",
    "gatewright-worker-*",
    "--exclude",
    "gatewright-web",
    "--all-targets",
    "--",
    "--deny",
    "warnings",
];

const CLIPPY_WASM: &[&str] = &[
    "clippy",
    "--package",
    "gatewright-model",
    "--package",
    "gatewright-worker-*",
    "--package",
    "gatewright-web",
    "--all-targets",
    "--features",
    "gatewright-worker-controlplane/contracts,gatewright-worker-dataplane/contracts,gatewright-worker-registry/contracts",
    "--target",
    setup::WASM_TARGET,
    "--",
    "--deny",
    "warnings",
];

/// Folders with our own JavaScript.
const SCRIPTS: [&str; 2] = ["web", "worker"];
/// Folders in them that are built or installed.
const NOT_OURS: [&str; 4] = ["build", "node_modules", ".wrangler", "dist"];

/// Runs every check, even after one that failed.
///
/// # Errors
/// None of its own: a check that can't run counts as failed.
pub(super) fn run() -> Result<Counts> {
    let mut counts = Counts::default();
    for (name, check) in CHECKS {
        let started = Instant::now();
        let result = check();
        counts.add(Counts::one(result.is_ok()));
        match result {
            // A long check has printed its line already.
            Ok(()) if started.elapsed() < term::WORTH_A_LINE => term::passed(name),
            Ok(()) | Err(Fail::Reported) => {}
            Err(Fail::Error(message) | Fail::Usage(message)) => term::error(&message),
        }
    }
    Ok(counts)
}

/// Lists the badly formatted files; their diffs would fill many screens.
fn formatting() -> Result<()> {
    let mut cargo = process::cargo();
    cargo.args(["fmt", "--all", "--check", "--", "--files-with-diff"]);
    process::run("formatting", &mut cargo)
        .map(drop)
        .map_err(|_| error("some files are not formatted: run `cargo fmt --all`"))
}

fn cargo(label: &str, words: &[&str]) -> Result<()> {
    process::run(label, process::cargo().args(words)).map(drop)
}

/// Parses every script with Node without running it, if the packages are installed.
fn javascript() -> Result<()> {
    let scripts = SCRIPTS
        .iter()
        .flat_map(|folder| paths::files(&paths::at(folder), &NOT_OURS))
        .filter(|file| {
            file.extension()
                .is_some_and(|ending| ending == "js" || ending == "mjs")
        });
    npm::ensure()?;
    for script in scripts {
        let mut node = process::command(npm::node());
        process::run(&paths::shown(&script), node.arg("--check").arg(&script))?;
    }
    Ok(())
}
