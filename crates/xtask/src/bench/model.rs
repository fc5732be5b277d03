//! `bench model`: the model in a browser compared with npm packages, and on this machine.

use crate::fail::{Context, Result};
use crate::tools::WASM_BINDGEN;
use crate::{build, npm, paths, process, programs, setup};

/// The script that measures and prints the table.
const SCRIPT: &str = "web/bench/run.mjs";
/// The folder that the script serves to the browser.
const OUTPUT: &str = "target/bench/model";
const PACKAGE: &str = "gatewright-bench";

/// How the module is built.
struct ModuleBuild {
    /// Its folder in [`OUTPUT`].
    name: &'static str,
    /// Extra arguments for Cargo.
    settings: &'static [&'static str],
    /// The optimisation level of `wasm-opt`.
    level: &'static str,
}

/// A build like the console's, and one optimised for speed.
const BUILDS: [ModuleBuild; 2] = [
    ModuleBuild {
        name: "size",
        settings: &[],
        level: "-Oz",
    },
    ModuleBuild {
        name: "speed",
        settings: &[
            "--config",
            "profile.release.package.gatewright-model.opt-level=3",
            "--config",
            "profile.release.package.\"*\".opt-level=3",
        ],
        level: "-O3",
    },
];

/// Builds the module both ways and the native program, then runs the script with `words`.
///
/// # Errors
/// If something is missing, can't be built, or the script fails (it has reported why).
pub(super) fn run(words: &[String]) -> Result<()> {
    let script = super::script(SCRIPT)?;
    let chromium = programs::chromium()?;
    setup::for_build()?;
    BUILDS.iter().try_for_each(module)?;
    let mut cargo = process::cargo();
    cargo.args([
        "build",
        "--release",
        "--package",
        PACKAGE,
        "--bin",
        "native",
    ]);
    process::run("build the benchmark for this machine", &mut cargo)?;
    let mut node = process::command(npm::node());
    node.arg(script)
        .args(words)
        .env("BENCH_NATIVE", build::compiled(None, "release", "native"))
        .env("CHROMIUM", chromium);
    super::measure(&mut node)
}

fn module(variant: &ModuleBuild) -> Result<()> {
    let label = format!("build the benchmark's module for {}", variant.name);
    let mut compile = process::cargo();
    compile.args(["build", "--release", "--lib"]);
    compile.args(["--package", PACKAGE, "--target", setup::WASM_TARGET]);
    process::run(&label, compile.args(variant.settings))?;

    let folder = paths::at(OUTPUT).join(variant.name);
    paths::make_folder(&folder)?;
    let mut bind = build::tool(&WASM_BINDGEN)?;
    bind.args(["--target", "web", "--no-typescript", "--out-dir"])
        .arg(&folder)
        .args(["--out-name", "gatewright_bench"])
        .arg(build::compiled(
            Some(setup::WASM_TARGET),
            "release",
            "gatewright_bench.wasm",
        ));
    process::run("generate the module's JavaScript", &mut bind)?;

    let bound = folder.join("gatewright_bench_bg.wasm");
    let optimised = folder.join("optimised.wasm");
    let mut optimise = process::command(npm::program("wasm-opt"));
    optimise.args([variant.level, "--all-features"]).arg(&bound);
    process::run("optimise the module", optimise.arg("-o").arg(&optimised))?;
    std::fs::rename(&optimised, &bound)
        .context(|| format!("cannot replace {}", paths::shown(&bound)))
}
