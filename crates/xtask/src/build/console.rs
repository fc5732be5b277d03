//! The console: each area of its pages, the editor and the forms are a WebAssembly module of their own, and
//! `web/assets.mjs` makes the files of a folder of them and of everything that is not Rust.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{CONSOLE, Effort, FEATURES, SMALL, binding, compile, compiled, empty};
use crate::fail::{Context, Result};
use crate::{npm, paths, process, setup};

/// The programs of `web/Cargo.toml`.
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

/// The profile of `Cargo.toml` that they are compiled with.
const PROFILE: &str = "web-release";

/// Compiles the modules together, so that all processors have one to optimise, and puts the files into
/// their folder when all of them are there: who has the console open meanwhile keeps the one before.
pub(super) fn build(label: &str, effort: Effort) -> Result<()> {
    let profile = effort.profile(PROFILE);
    let mut compile = compile();
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
    process::run_chains("bind its modules", chains)?;
    let mut assets = process::command(npm::node());
    assets.arg("web/assets.mjs").args([&modules, &files]);
    process::run("bundle the console", &mut assets)?;

    empty(&[&output])?;
    fs::remove_dir(&output)
        .and_then(|()| fs::rename(&files, &output))
        .context(|| format!("cannot move {} to its place", paths::shown(&files)))
}

/// What makes a module smaller, in its place.
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
