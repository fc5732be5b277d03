//! The npm packages: installed when `package-lock.json` changes, then checked.

use std::path::PathBuf;

use crate::fail::{Context, Result, error};
use crate::{paths, process, programs};

/// A copy of the lock file that was installed. It is inside `node_modules`, which `npm ci` empties first, so an
/// interrupted installation leaves none.
const STAMP: &str = "node_modules/.gatewright-package-lock.json";

/// Programs from npm packages that have to run. npm can be configured to skip the scripts that install them.
const PROGRAMS: [&str; 4] = ["workerd", "esbuild", "wasm-opt", "node"];

/// Returns the path of a program of an npm package.
pub(crate) fn program(name: &str) -> PathBuf {
    paths::at("node_modules/.bin").join(name)
}

/// Returns the Node from the npm packages: wrangler needs a newer one than many machines have.
pub(crate) fn node() -> PathBuf {
    program("node")
}

/// Returns the runtime itself, not the script that may wrap it: signals have to reach it.
pub(crate) fn workerd() -> PathBuf {
    let packages = std::fs::read_dir(paths::at("node_modules/@cloudflare"));
    let mut found = packages
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin/workerd"));
    found
        .find(|file| file.to_string_lossy().contains("/workerd-") && programs::is_program(file))
        .unwrap_or_else(|| program("workerd"))
}

/// Installs the packages if the lock file has changed since the last installation.
///
/// # Errors
/// If npm is missing or fails, or if a program of a package doesn't run afterwards.
pub(crate) fn ensure() -> Result<()> {
    let lock = paths::at("package-lock.json");
    let wanted = std::fs::read(&lock).context(|| "cannot read package-lock.json".to_owned())?;
    if std::fs::read(paths::at(STAMP)).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let npm = programs::require("npm", "install Node.js 20 or newer (https://nodejs.org)")?;
    let npm = |words: &[&str]| {
        let mut command = process::command(&npm);
        command.args(words).args(["--no-audit", "--no-fund"]);
        command
    };
    process::run("install the npm packages (once)", &mut npm(&["ci"]))?;
    if broken().is_some() {
        process::run(
            "set up the npm packages",
            &mut npm(&["rebuild", "--ignore-scripts=false"]),
        )?;
    }
    match broken() {
        None => {
            std::fs::write(paths::at(STAMP), wanted).context(|| format!("cannot write {STAMP}"))
        }
        Some(name) => Err(error(format!(
            "node_modules/.bin/{name} does not run: its npm package was installed without its scripts or for another platform"
        ))),
    }
}

fn broken() -> Option<&'static str> {
    PROGRAMS
        .into_iter()
        .find(|name| process::output_of(process::command(program(name)).arg("--version")).is_none())
}
