//! The two secrets, and the file that stores them on a developer's machine.
//!
//! They come from the environment first, else from `.dev.vars` (`NAME=value` lines, the format that wrangler reads
//! too). A secret in neither is generated from 256 random bits and appended to the file, which only its owner can read.
//! Secrets are never printed.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::fail::{Context, Result, error};
use crate::paths;

/// The secrets of the administration API and the dashboard API.
pub(crate) const NAMES: [&str; 2] = ["GATEWAY_SECRET", "DASHBOARD_TOKEN"];
/// The file that stores them.
pub(crate) const FILE: &str = ".dev.vars";
/// The minimum length of a secret in characters.
const SHORTEST: usize = 16;
const RANDOM_BYTES: usize = 32;

/// Variables for the worker, and the source of the secrets among them.
#[derive(Debug)]
pub(crate) struct Variables {
    /// Names and values: the secrets, and any other variables in the file.
    pub(crate) values: Vec<(String, String)>,
    /// The source for display: `.dev.vars`, `the environment`, or both.
    pub(crate) source: String,
}

impl Variables {
    /// Returns a variable's value.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        self.values
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.clone())
    }
}

/// Loads both secrets, generating missing ones. `environment` returns a variable's value.
///
/// # Errors
/// If the file can't be read or written, or a secret is shorter than 16 characters.
pub(crate) fn load(file: &Path, environment: impl Fn(&str) -> Option<String>) -> Result<Variables> {
    let environment = |name: &str| environment(name).filter(|value| !value.is_empty());
    let mut text = read(file)?;
    let kept = parse(&text);
    let has = |name: &str| {
        kept.iter()
            .any(|(kept, value)| kept == name && !value.is_empty())
    };
    let missing: Vec<_> = NAMES
        .into_iter()
        .filter(|name| environment(name).is_none() && !has(name))
        .collect();
    if !missing.is_empty() {
        let mut lines = String::new();
        for name in missing {
            lines.push_str(&format!("{name}={}\n", random()?));
        }
        append(file, &text, &lines)?;
        text = format!("{text}\n{lines}");
    }
    let mut values = parse(&text);
    values.retain(|(name, _)| environment(name).is_none());
    let from_file = NAMES
        .iter()
        .filter(|name| environment(name).is_none())
        .count();
    for name in NAMES {
        values.extend(environment(name).map(|value| (name.to_owned(), value)));
    }
    values
        .iter()
        .try_for_each(|(name, value)| check(name, value))?;
    let source = match from_file {
        0 => "the environment".to_owned(),
        all if all == NAMES.len() => paths::shown(file),
        _ => format!("{} and the environment", paths::shown(file)),
    };
    Ok(Variables { values, source })
}

fn check(name: &str, value: &str) -> Result<()> {
    if NAMES.contains(&name) && value.chars().count() < SHORTEST {
        return Err(error(format!(
            "{name} is too short: a secret needs at least {SHORTEST} characters"
        )));
    }
    Ok(())
}

fn read(file: &Path) -> Result<String> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(text),
        Err(reason) if reason.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(reason) => Err(error(format!(
            "cannot read {}: {reason}",
            paths::shown(file)
        ))),
    }
}

/// Parses the file: the last line for a name counts; comments, empty lines and anything else are ignored.
fn parse(text: &str) -> Vec<(String, String)> {
    let mut values: Vec<(String, String)> = Vec::new();
    for line in text
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with('#'))
    {
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        let (name, value) = (name.trim(), unquoted(value.trim()));
        values.retain(|(earlier, _)| earlier != name);
        values.push((name.to_owned(), value.to_owned()));
    }
    values
}

fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}

fn append(file: &Path, before: &str, lines: &str) -> Result<()> {
    // The mode applies to a new file; an existing one keeps the mode its owner chose.
    let opened = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(file);
    let write = || format!("cannot write {}", paths::shown(file));
    let separator = if before.is_empty() || before.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    opened
        .and_then(|mut opened| opened.write_all(format!("{separator}{lines}").as_bytes()))
        .context(write)
}

/// Returns 256 bits from the system's random source, in hexadecimal.
pub(crate) fn random() -> Result<String> {
    let mut bytes = [0_u8; RANDOM_BYTES];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .context(|| "cannot read /dev/urandom".to_owned())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir()
                .join(format!("gatewright-secrets-{}-{name}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            Self(folder)
        }

        fn file(&self) -> PathBuf {
            self.0.join(FILE)
        }

        fn text(&self) -> String {
            std::fs::read_to_string(self.file()).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn no_environment(_: &str) -> Option<String> {
        None
    }

    #[test]
    fn the_first_use_makes_two_different_secrets_that_only_the_owner_reads() {
        let folder = Folder::new("first");
        let variables = load(&folder.file(), no_environment).unwrap();
        let [gateway, dashboard] = NAMES.map(|name| variables.value(name).unwrap());
        assert_eq!((gateway.len(), dashboard.len()), (64, 64));
        assert_ne!(gateway, dashboard);
        let mode = std::fs::metadata(folder.file())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(
            folder.text(),
            format!("GATEWAY_SECRET={gateway}\nDASHBOARD_TOKEN={dashboard}\n")
        );
    }

    #[test]
    fn the_second_use_only_reads() {
        let folder = Folder::new("second");
        load(&folder.file(), no_environment).unwrap();
        let text = folder.text();
        load(&folder.file(), no_environment).unwrap();
        assert_eq!(folder.text(), text);
    }

    #[test]
    fn what_is_missing_is_appended_and_the_rest_stays() {
        let folder = Folder::new("append");
        let mine = "# mine\nGATEWAY_SECRET=\"sixteen characters\"\nBATCH_MAX_REQUESTS=7";
        std::fs::write(folder.file(), mine).unwrap();
        let variables = load(&folder.file(), no_environment).unwrap();
        assert!(
            folder
                .text()
                .starts_with(&format!("{mine}\nDASHBOARD_TOKEN=")),
            "{}",
            folder.text()
        );
        assert_eq!(
            variables.value("GATEWAY_SECRET").unwrap(),
            "sixteen characters"
        );
        assert_eq!(variables.value("BATCH_MAX_REQUESTS").unwrap(), "7");
    }

    #[test]
    fn the_environment_goes_first_and_needs_no_file() {
        let folder = Folder::new("environment");
        let variables = load(&folder.file(), |_| Some("from the environment".to_owned())).unwrap();
        assert_eq!(
            variables.value("DASHBOARD_TOKEN").unwrap(),
            "from the environment"
        );
        assert_eq!(variables.source, "the environment");
        assert!(!folder.file().exists());
    }

    #[test]
    fn short_secrets_are_refused_without_showing_them() {
        let folder = Folder::new("short");
        std::fs::write(
            folder.file(),
            "GATEWAY_SECRET=hunter2\nDASHBOARD_TOKEN=0123456789abcdef\n",
        )
        .unwrap();
        let failure = load(&folder.file(), no_environment).unwrap_err();
        assert_eq!(
            failure,
            error("GATEWAY_SECRET is too short: a secret needs at least 16 characters")
        );
    }

    #[test]
    fn an_unreadable_file_is_named() {
        let folder = Folder::new("unreadable");
        std::fs::create_dir(folder.file()).unwrap();
        assert!(load(&folder.file(), no_environment).is_err());
    }
}
