//! Builds the console: each area of its pages, the editor and the forms are WebAssembly modules of their own, from
//! which `web/assets.mjs`, with everything that is not Rust, makes a folder of files.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{CONSOLE, Effort, FEATURES, SMALL, binding, cargo, compiled, empty};
use crate::fail::{Context, Result};
use crate::{npm, paths, process, setup};

/// The binaries of `web/Cargo.toml`.
const MODULES: [&str; 14] = [
    "gatewright-web",
    "gatewright-access",
    "gatewright-bulk",
    "gatewright-dashboard",
    "gatewright-described",
    "gatewright-documents",
    "gatewright-editor",
    "gatewright-form",
    "gatewright-offered",
    "gatewright-overview",
    "gatewright-palette",
    "gatewright-reference",
    "gatewright-traffic",
    "gatewright-trust",
];

/// Compiles the modules together, so that every processor has one to optimise, and moves the files into their folder
/// only when all exist: a console that is open in the meantime keeps the previous ones.
pub(super) fn build(label: &str, effort: Effort) -> Result<()> {
    let profile = effort.profile("release");
    let mut compile = cargo("build");
    compile.args([
        "--package",
        "gatewright-web",
        "--bins",
        "--profile",
        profile,
    ]);
    process::run(label, &mut compile)?;

    let (scratch, output) = (paths::at("target/console"), paths::at(CONSOLE.output));
    let (modules, files) = (scratch.join("modules"), scratch.join("files"));
    empty(&[&modules, &files])?;
    let mut chains = Vec::new();
    for module in MODULES {
        let wasm = compiled(Some(setup::WASM_TARGET), profile, &format!("{module}.wasm"));
        let mut chain = vec![binding(module, &wasm, &modules)?];
        if effort == Effort::Deployed {
            chain.push(shrinking(&modules.join(format!("{module}_bg.wasm"))));
        }
        chains.push(chain);
    }
    process::run_chains("generate its JavaScript", chains)?;
    let mut assets = process::command(npm::node());
    assets.arg("web/assets.mjs").args([&modules, &files]);
    process::run("bundle the console", &mut assets)?;

    empty(&[&output])?;
    fs::remove_dir(&output)
        .and_then(|()| fs::rename(&files, &output))
        .context(|| format!("cannot move {} into place", paths::shown(&files)))
}

/// Returns the command that shrinks a module in place.
fn shrinking(wasm: &Path) -> Command {
    let mut shrink = process::command(npm::program("wasm-opt"));
    shrink.args([
        "-Oz",
        "--reorder-functions-by-name",
        "--strip-debug",
        "--strip-producers",
    ]);
    shrink.args(SMALL);
    shrink.arg("--mvp-features").args(FEATURES);
    shrink.arg(wasm).arg("-o").arg(wasm);
    shrink
}
