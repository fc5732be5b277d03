//! Rust tests: native, and in the browser.

use std::path::PathBuf;
use std::process::Command;

use crate::counts::{self, Counts};
use crate::fail::{Context, Result};
use crate::tools::WASM_BINDGEN;
use crate::{paths, process, programs, setup};

/// The packages with tests for the browser.
const BROWSER_PACKAGES: [&str; 2] = ["gatewright-model", "gatewright-web"];
/// The browser's WebDriver settings; `wasm-pack test` reads them too.
const WEBDRIVER: &str = "web/webdriver.json";
/// The timeout of one file of browser tests, in seconds: a guard against hangs, not a benchmark.
const BROWSER_TIMEOUT: &str = "300";

/// The workspace's default members, including doc tests.
///
/// # Errors
/// If Cargo can't be started.
pub(super) fn native() -> Result<Counts> {
    test(process::cargo().args(["test", "--no-fail-fast", "--", "--format=terse"]))
}

/// The packages with browser tests, in the browser.
///
/// # Errors
/// If Cargo can't be started, or the browser's settings can't be read.
pub(super) fn browser() -> Result<Counts> {
    let mut cargo = process::cargo();
    cargo.args([
        "test",
        "--no-fail-fast",
        "--tests",
        "--target",
        setup::WASM_TARGET,
    ]);
    for package in BROWSER_PACKAGES {
        cargo.args(["--package", package]);
    }
    cargo
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER",
            WASM_BINDGEN.folder()?.join("wasm-bindgen-test-runner"),
        )
        .env("CHROMEDRIVER", programs::chromedriver()?)
        .env("WASM_BINDGEN_TEST_TIMEOUT", BROWSER_TIMEOUT)
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", webdriver()?);
    test(&mut cargo)
}

/// Writes the project's WebDriver settings with the browser found on this machine, and returns their path.
fn webdriver() -> Result<PathBuf> {
    let settings = std::fs::read_to_string(paths::at(WEBDRIVER))
        .context(|| format!("cannot read {WEBDRIVER}"))?;
    let options = "\"goog:chromeOptions\": {";
    let browser = programs::chromium()?;
    let settings = settings.replacen(options, &format!("{options} \"binary\": {browser:?},"), 1);
    let file = paths::scratch()?.join("webdriver.json");
    std::fs::write(&file, settings).context(|| format!("cannot write {}", paths::shown(&file)))?;
    Ok(file)
}

fn test(command: &mut Command) -> Result<Counts> {
    let mut total = Counts::default();
    let success = process::run_streaming(command, |line| {
        if let Some(counts) = counts::of_libtest(line) {
            total.add(counts);
        }
    })?;
    Ok(total.settled(success))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a package that is compiled for the browser only, a bare `#[test]` is compiled and never run.
    #[test]
    fn every_test_of_the_console_runs_in_the_browser() {
        let bare = paths::files(&paths::at("web/src"), &[])
            .into_iter()
            .filter(|file| {
                let text = std::fs::read_to_string(file).unwrap_or_default();
                text.contains("#[test]")
                    && !text.contains("use wasm_bindgen_test::wasm_bindgen_test as test;")
            })
            .map(|file| paths::shown(&file))
            .collect::<Vec<_>>();
        assert!(bare.is_empty(), "{}", bare.join(", "));
    }
}
