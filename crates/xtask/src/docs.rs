//! `docs`: the pages generated from the model's table of types, and the list of licences.

use crate::fail::Result;
use crate::{npm, process};

/// `cargo xtask docs`: writes `docs/fields.md`, `docs/support.md`, `docs/licences.md` with `docs/licences.txt`, and the
/// README's table of capabilities. Tests write them, so that this program needn't compile the model; without the
/// environment variable the same tests only compare, in the lane `native`.
///
/// # Errors
/// If the model doesn't compile or a file can't be written; Cargo's output was shown.
pub(crate) fn run() -> Result<()> {
    // The licence texts are read from the packages.
    npm::ensure()?;
    let mut cargo = process::cargo();
    cargo.args(["test", "--package", "gatewright-model", "--test", "docs"]);
    cargo.args(["--package", "xtask", "--test", "licences"]);
    cargo.env("UPDATE_EXPECT", "1");
    process::run("write the documentation", &mut cargo)?;
    println!(
        "docs/fields.md, docs/support.md, docs/licences.md and the README's table are up to date"
    );
    Ok(())
}
