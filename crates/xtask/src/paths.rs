//! The paths of everything in the repository.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::fail::{Result, error};

/// Returns the top folder of the repository.
pub(crate) fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        // `cargo run` sets the variable for the clone it runs in; the built-in path is for a program that is started
        // directly.
        let here = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        here.ancestors()
            .nth(2)
            .map_or(here.clone(), Path::to_path_buf)
    })
}

/// Returns a path inside the repository.
pub(crate) fn at(path: &str) -> PathBuf {
    root().join(path)
}

/// Returns the path as a person would type it: relative to the repository if it is inside.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Returns the folder for what this program keeps between runs (stamps, locks, logs), created if needed.
///
/// # Errors
/// If it can't be created.
pub(crate) fn scratch() -> Result<PathBuf> {
    let folder = at("target/xtask");
    make_folder(&folder)?;
    Ok(folder)
}

/// Creates a folder and its parents.
///
/// # Errors
/// One line with the path and the reason.
pub(crate) fn make_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|reason| {
        error(format!(
            "cannot create the folder {}: {reason}",
            shown(folder)
        ))
    })
}

/// Returns all files below a folder (or the file itself), sorted, without the folders named in `skip`. A path that
/// doesn't exist has no files.
pub(crate) fn files(below: &Path, skip: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![below.to_path_buf()];
    while let Some(path) = open.pop() {
        if path.is_file() {
            found.push(path);
            continue;
        }
        let Ok(entries) = std::fs::read_dir(&path) else {
            continue;
        };
        open.extend(entries.flatten().filter_map(|entry| {
            let name = entry.file_name();
            let skipped = skip.iter().any(|skip| name.to_str() == Some(skip));
            (!skipped).then(|| entry.path())
        }));
    }
    found.sort();
    found
}
