//! Whether something has to be rebuilt.
//!
//! Cargo knows this for itself; `wasm-opt` and the bundlers don't and take up to a minute. So after a build a stamp
//! file stores a hash over the contents of all inputs and outputs. Contents, not times: a fresh checkout or a touched
//! file needs no rebuild.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use crate::fail::{Context, Result};
use crate::paths;

/// Files and folders that are never an input: tests, benchmarks and documentation.
const NOT_INPUT: [&str; 4] = ["tests", "e2e", "bench", "README.md"];

/// A product built from files.
pub(crate) struct Product {
    /// Short name, also of the stamp file.
    pub(crate) name: &'static str,
    /// Files and folders that it is built from, relative to the repository.
    pub(crate) inputs: &'static [&'static str],
    /// The folder that it is written to.
    pub(crate) output: &'static str,
    /// Files that must be in `output`.
    pub(crate) parts: &'static [&'static str],
}

impl Product {
    /// Whether the parts exist, whatever they were built from.
    pub(crate) fn exists(&self) -> bool {
        self.parts
            .iter()
            .all(|part| paths::at(self.output).join(part).exists())
    }

    /// Whether output and inputs are unchanged since the last build.
    ///
    /// # Errors
    /// If an input can't be read.
    pub(crate) fn is_current(&self, extra: &str) -> Result<bool> {
        if !self.exists() {
            return Ok(false);
        }
        let stamp = std::fs::read_to_string(self.stamp()?).unwrap_or_default();
        Ok(stamp == self.hash(extra)?)
    }

    /// Stores that the output belongs to the inputs whose hash is `before`.
    ///
    /// # Errors
    /// If the stamp can't be written.
    pub(crate) fn remember(&self, before: &str) -> Result<()> {
        let stamp = self.stamp()?;
        let text = format!("{before} {}", self.outputs()?);
        std::fs::write(&stamp, text).context(|| format!("cannot write {}", paths::shown(&stamp)))
    }

    /// Returns the inputs' hash; computed before a build, so that a file that changes during it isn't missed.
    ///
    /// # Errors
    /// If an input can't be read.
    pub(crate) fn inputs(&self, extra: &str) -> Result<String> {
        let files = self
            .inputs
            .iter()
            .flat_map(|input| paths::files(&paths::at(input), &NOT_INPUT));
        hash(files, extra)
    }

    fn outputs(&self) -> Result<String> {
        hash(paths::files(&paths::at(self.output), &[]).into_iter(), "")
    }

    fn hash(&self, extra: &str) -> Result<String> {
        Ok(format!("{} {}", self.inputs(extra)?, self.outputs()?))
    }

    fn stamp(&self) -> Result<PathBuf> {
        Ok(paths::scratch()?.join(format!("{}.stamp", self.name)))
    }
}

/// Returns a hash over names and contents. It only has to detect changes, so `std`'s hasher is enough; a new Rust
/// version may give other values, which costs one build.
fn hash(files: impl Iterator<Item = PathBuf>, extra: &str) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    hasher.write(extra.as_bytes());
    for file in files {
        write(&mut hasher, &file)?;
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn write(hasher: &mut DefaultHasher, file: &Path) -> Result<()> {
    let contents = std::fs::read(file).context(|| format!("cannot read {}", paths::shown(file)))?;
    hasher.write(paths::shown(file).as_bytes());
    hasher.write_usize(contents.len());
    hasher.write(&contents);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash_of(folder: &Path, extra: &str) -> String {
        hash(paths::files(folder, &NOT_INPUT).into_iter(), extra).unwrap()
    }

    #[test]
    fn contents_names_and_settings_count_and_tests_do_not() {
        let folder =
            std::env::temp_dir().join(format!("gatewright-fingerprint-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("tests")).unwrap();
        std::fs::write(folder.join("a"), "1").unwrap();
        let first = hash_of(&folder, "");
        assert_eq!(hash_of(&folder, ""), first);
        assert_ne!(hash_of(&folder, "another compiler"), first);

        std::fs::write(folder.join("tests/t"), "1").unwrap();
        assert_eq!(hash_of(&folder, ""), first);

        std::fs::write(folder.join("a"), "2").unwrap();
        assert_ne!(hash_of(&folder, ""), first);

        std::fs::write(folder.join("a"), "1").unwrap();
        std::fs::rename(folder.join("a"), folder.join("b")).unwrap();
        assert_ne!(hash_of(&folder, ""), first);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
