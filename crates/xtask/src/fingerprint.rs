//! Whether something has to be built again.
//!
//! Cargo knows this for itself; `wasm-opt` and the bundlers don't and take up to a minute.
//! So after a build a stamp keeps a hash over the contents of all inputs and outputs. Contents, not
//! times: a fresh checkout or a touched file is no reason to build.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use crate::fail::{Context, Result};
use crate::paths;

/// Files and folders that are never an input: what only tests, measures or describes.
const NOT_INPUT: [&str; 4] = ["tests", "e2e", "bench", "README.md"];

/// Something that is built from files.
pub(crate) struct Product {
    /// Short name, also that of the stamp.
    pub(crate) name: &'static str,
    /// Files and folders that it is made of, relative to the repository.
    pub(crate) inputs: &'static [&'static str],
    /// The folder that it is put into.
    pub(crate) output: &'static str,
    /// Files that must be in `output`.
    pub(crate) parts: &'static [&'static str],
}

impl Product {
    /// Whether the parts are there, whatever they were built from.
    pub(crate) fn exists(&self) -> bool {
        self.parts
            .iter()
            .all(|part| paths::at(self.output).join(part).exists())
    }

    /// Whether output and inputs are as they were after the last build.
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

    /// Remembers that the output belongs to the inputs as they are described by `before`.
    ///
    /// # Errors
    /// If the stamp can't be written.
    pub(crate) fn remember(&self, before: &str) -> Result<()> {
        let stamp = self.stamp()?;
        let text = format!("{before} {}", self.outputs()?);
        std::fs::write(&stamp, text).context(|| format!("cannot write {}", paths::shown(&stamp)))
    }

    /// The inputs' hash: taken before a build, so that a file that changes meanwhile isn't overlooked.
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

/// A hash over names and contents. It only has to notice changes, so `std`'s hasher is enough; a new
/// Rust version may give other values, which costs one build.
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
