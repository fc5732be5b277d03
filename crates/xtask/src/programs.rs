//! Programs of the machine: found on the search path, installed where we may, otherwise clearly reported as missing.

use std::path::{Path, PathBuf};

use crate::fail::{Result, error};
use crate::{process, term};

/// Returns the first of `names` on the search path.
pub(crate) fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    names
        .iter()
        .flat_map(|name| std::env::split_paths(&path).map(move |folder| folder.join(name)))
        .find(|file| is_program(file))
}

/// Whether the file is executable.
pub(crate) fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file)
        .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

/// Returns a required program.
///
/// # Errors
/// If it is missing, with `how` to install it.
pub(crate) fn require(name: &str, how: &str) -> Result<PathBuf> {
    find(&[name]).ok_or_else(|| error(format!("`{name}` is not installed: {how}")))
}

/// A program in a Debian package.
struct Packaged {
    /// Its display name.
    title: &'static str,
    /// The environment variable with its path.
    variable: &'static str,
    /// Its possible names on the search path.
    names: &'static [&'static str],
    /// The Debian packages to install together.
    packages: &'static [&'static str],
}

const BROWSER_PACKAGES: &[&str] = &["chromium", "chromium-driver"];

const CHROMIUM: Packaged = Packaged {
    title: "Chromium",
    variable: "CHROMIUM",
    names: &[
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ],
    packages: BROWSER_PACKAGES,
};

/// Chromium without its windows, tabs and menus: it opens a page in half the time.
const HEADLESS_SHELL: Packaged = Packaged {
    title: "Chromium's headless shell",
    variable: CHROMIUM.variable,
    names: &["chromium-headless-shell", "chrome-headless-shell"],
    packages: &["chromium-headless-shell"],
};

const CHROMEDRIVER: Packaged = Packaged {
    title: "chromedriver",
    variable: "CHROMEDRIVER",
    names: &["chromedriver"],
    packages: BROWSER_PACKAGES,
};

const WRK: Packaged = Packaged {
    title: "wrk",
    variable: "WRK",
    names: &["wrk"],
    packages: &["wrk"],
};

/// Returns the browser for the tests (`CHROMIUM`, else the search path).
///
/// # Errors
/// If there is none and it can't be installed.
pub(crate) fn chromium() -> Result<PathBuf> {
    CHROMIUM.ensure()
}

/// Returns the browser for tests that drive many pages: `CHROMIUM`, else the headless shell, else Chromium.
///
/// # Errors
/// If there is none and none can be installed.
pub(crate) fn headless_browser() -> Result<PathBuf> {
    HEADLESS_SHELL.ensure().or_else(|_| {
        term::note("… without Chromium's headless shell the console's tests take twice as long");
        chromium()
    })
}

/// Returns the browser's WebDriver server (`CHROMEDRIVER`, else the search path).
///
/// # Errors
/// If there is none and it can't be installed.
pub(crate) fn chromedriver() -> Result<PathBuf> {
    CHROMEDRIVER.ensure()
}

/// Returns the load generator of the benchmark (`WRK`, else the search path).
///
/// # Errors
/// If there is none and it can't be installed.
pub(crate) fn wrk() -> Result<PathBuf> {
    WRK.ensure()
}

impl Packaged {
    fn ensure(&self) -> Result<PathBuf> {
        if let Some(named) = std::env::var_os(self.variable).filter(|value| !value.is_empty()) {
            let named = PathBuf::from(named);
            if is_program(&named) {
                return Ok(named);
            }
            return Err(error(format!(
                "{}={} is not an executable file",
                self.variable,
                named.display()
            )));
        }
        if let Some(found) = find(self.names) {
            return Ok(found);
        }
        if is_root() && Path::new("/usr/bin/apt-get").exists() {
            self.apt_install()?;
        }
        find(self.names).ok_or_else(|| {
            error(format!(
                "{} is not installed: install it (Debian: `sudo apt-get install {}`) or name it in {}",
                self.title,
                self.packages.join(" "),
                self.variable
            ))
        })
    }

    fn apt_install(&self) -> Result<()> {
        let apt = |words: &[&str]| {
            let mut command = process::command("apt-get");
            command.env("DEBIAN_FRONTEND", "noninteractive").args(words);
            command
        };
        let label = format!("install {}", self.packages.join(" "));
        process::run("read the Debian package lists", &mut apt(&["update"]))?;
        let mut install = apt(&["install", "-y", "--no-install-recommends"]);
        process::run(&label, install.args(self.packages)).map(drop)
    }
}

/// Whether we may install packages (on Linux; elsewhere false).
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executables_are_found_and_data_files_are_not() {
        assert!(find(&["sh"]).is_some_and(|file| file.ends_with("sh")));
        assert_eq!(find(&["no-such-program-here"]), None);
        assert!(!is_program(Path::new("Cargo.toml")));
        assert!(!is_program(Path::new("/")));
    }

    #[test]
    fn a_missing_program_is_named_with_a_remedy() {
        let failure = require("no-such-program-here", "get it").unwrap_err();
        assert_eq!(
            failure,
            error("`no-such-program-here` is not installed: get it")
        );
    }
}
