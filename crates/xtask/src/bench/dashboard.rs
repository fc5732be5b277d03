//! `bench dashboard`: merge patches compared with a Hono worker and Kinto.

use std::path::{Path, PathBuf};

use crate::fail::{Fail, Result, error};
use crate::{build, npm, paths, process, programs, term, tools};

/// The script that measures and prints the table.
const SCRIPT: &str = "worker/bench/dashboard.mjs";
/// The pinned requirements of Kinto.
const PINS: &str = include_str!("../../../../worker/bench/kinto.txt");
const PINS_FILE: &str = "worker/bench/kinto.txt";

/// Builds the worker, then runs the script with `words`. If Kinto can't be installed, the script measures without it.
///
/// # Errors
/// If something else is missing, can't be built, or the script fails (it has reported why).
pub(super) fn run(words: &[String]) -> Result<()> {
    let script = super::script(SCRIPT)?;
    build::without_console()?;
    let mut node = process::command(npm::node());
    node.arg(script)
        .args(words)
        .env_remove("KINTO")
        .envs(crate::lanes::environment());
    match kinto() {
        Ok(home) => {
            node.env("KINTO", home);
        }
        Err(Fail::Error(reason)) => term::note(&format!("… without Kinto: {reason}")),
        Err(other) => return Err(other),
    }
    super::measure(&mut node)
}

/// Returns the virtual environment with Kinto, installed once next to the other tools.
fn kinto() -> Result<PathBuf> {
    let is_complete = |home: &Path| home.join("bin/kinto").is_file();
    tools::cached(&format!("kinto-{}", version()), is_complete, |home| {
        let remedy = "install it with its modules `venv` and `pip` (Debian: `sudo apt-get install python3-venv`)";
        let python = programs::require("python3", remedy)?;
        let modules = process::command(&python)
            .args(["-c", "import venv, ensurepip"])
            .output();
        if !modules.is_ok_and(|answer| answer.status.success()) {
            return Err(error(format!(
                "`python3` cannot create virtual environments: {remedy}"
            )));
        }
        let mut create = process::command(&python);
        process::run(
            "create a virtual environment",
            create.args(["-m", "venv"]).arg(home),
        )?;
        let mut install = process::command(home.join("bin/python"));
        install.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--requirement",
        ]);
        install.arg(paths::at(PINS_FILE));
        process::run("install Kinto (once)", &mut install).map(drop)
    })
}

/// Returns the version of Kinto among the pins.
fn version() -> &'static str {
    let pin = PINS.lines().find_map(|line| line.strip_prefix("kinto=="));
    pin.unwrap_or("unknown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_pip_installs_has_one_version() {
        let pins = || PINS.lines().filter(|line| !line.starts_with('#'));
        assert!(pins().count() > 10);
        for pin in pins() {
            assert_eq!(pin.split("==").count(), 2, "{pin}");
        }
        assert!(version().starts_with(|first: char| first.is_ascii_digit()));
    }
}
