//! `build`: worker and console, as they are deployed.

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::process::Command;

use crate::fail::{Context, Result, error};
use crate::fingerprint::Product;
use crate::tools::{TRUNK, Tool, WASM_BINDGEN};
use crate::{npm, paths, process, setup, term};

/// How things are built decides what comes out as much as what they are built from.
const HERE: &str = "crates/xtask/src/build.rs";

/// The edge module: `index.js` and `index_bg.wasm`.
pub(crate) const WORKER: Product = Product {
    name: "worker",
    inputs: &[
        ".cargo",
        "Cargo.lock",
        "Cargo.toml",
        "crates/api",
        "crates/engine",
        "crates/model",
        HERE,
        "package-lock.json",
        "worker/Cargo.toml",
        "worker/src",
    ],
    output: "worker/build",
    parts: &["index.js", "index_bg.wasm"],
};

/// The console's static files, in a folder of their public path.
pub(crate) const CONSOLE: Product = Product {
    name: "console",
    inputs: &[
        ".cargo",
        "Cargo.lock",
        "Cargo.toml",
        "Trunk.toml",
        "crates/model",
        HERE,
        "index.html",
        "package-lock.json",
        "web",
    ],
    output: "target/assets/console",
    parts: &["index.html"],
};

/// What describes both APIs: OpenAPI documents and JSON Schemas.
const DESCRIPTIONS: Product = Product {
    name: "descriptions",
    inputs: &[
        "Cargo.lock",
        "Cargo.toml",
        "crates/api",
        "crates/model",
        HERE,
    ],
    output: "target/assets/openapi",
    parts: &["gateway.json", "dashboard.json", "schemas"],
};

/// What the module needs beyond the first WebAssembly: what compiler and bindings make use of, each in
/// every engine for years. With all that `wasm-opt` knows it would write encodings that most engines
/// can't read yet.
const FEATURES: [&str; 7] = [
    "bulk-memory",
    "bulk-memory-opt",
    "multivalue",
    "mutable-globals",
    "nontrapping-float-to-int",
    "reference-types",
    "sign-ext",
];

/// The folder that the worker serves static files from.
pub(crate) const ASSETS: &str = "target/assets";

/// `cargo xtask build`: ensures the tools and builds what isn't up to date.
///
/// # Errors
/// If a tool is missing or a build fails; the tool's output was shown.
pub(crate) fn run() -> Result<()> {
    in_turn(|| {
        edge()?;
        make(&CONSOLE, "build the console", console)
    })
}

/// The worker alone, for what never opens the console.
///
/// # Errors
/// As [`run`].
pub(crate) fn without_console() -> Result<()> {
    in_turn(edge)
}

/// The worker and what it needs to answer.
fn edge() -> Result<()> {
    make(&WORKER, "build the worker", worker)?;
    make(&DESCRIPTIONS, "describe the APIs", descriptions)
}

/// Builds with the tools in place, while no other process builds.
fn in_turn(builds: impl FnOnce() -> Result<()>) -> Result<()> {
    setup::for_build()?;
    let lock = paths::scratch()?.join("build.lock");
    let lock = File::create(&lock).context(|| format!("cannot write {}", paths::shown(&lock)))?;
    if lock.try_lock().is_err() {
        term::note("… another build is running; waiting for it");
        lock.lock()
            .context(|| "cannot wait for another build".to_owned())?;
    }
    builds()
}

fn make(product: &Product, label: &str, build: fn(&str) -> Result<()>) -> Result<()> {
    let settings = settings()?;
    if product.is_current(&settings)? {
        return Ok(());
    }
    let inputs = product.inputs(&settings)?;
    build(label)?;
    if !product.exists() {
        return Err(error(format!(
            "{label}: {} is missing in {}",
            product.parts.join(" or "),
            product.output
        )));
    }
    product.remember(&inputs)
}

/// A tool whose failures are explained by its last lines, not by where in the tool they arose.
///
/// # Errors
/// As [`Tool::program`].
pub(crate) fn tool(tool: &Tool) -> Result<Command> {
    let mut command = process::command(tool.program()?);
    command.env("RUST_BACKTRACE", "0");
    Ok(command)
}

/// What besides files decides what comes out: compiler and tool versions, compiler flags.
fn settings() -> Result<String> {
    let rustc = process::ask(process::command("rustc").arg("--version"))
        .ok_or_else(|| error("`rustc` does not run: install Rust from https://rustup.rs"))?;
    let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
    let tools = [&WASM_BINDGEN, &TRUNK].map(Tool::title);
    Ok(format!("{rustc}\n{flags}\n{}", tools.join("\n")))
}

/// Compiles the crate, generates its JavaScript, shrinks the wasm module, and bundles everything
/// behind `worker/src/entry.js`. `worker-build` would do the same around an entry of its own, which
/// wraps each event in proxies and hides the exports that `entry.js` calls.
fn worker(label: &str) -> Result<()> {
    let mut compile = process::cargo();
    compile.args(["build", "--release", "--package", "gatewright-worker"]);
    compile.args(["--target", setup::WASM_TARGET]);
    process::run(label, &mut compile)?;

    let scratch = paths::at("target/worker");
    let bound = scratch.join("index_bg.wasm");
    let mut bind = tool(&WASM_BINDGEN)?;
    bind.args(["--target", "web", "--no-typescript", "--out-name", "index"])
        // What `entry.js` calls after a trap.
        .arg("--experimental-reset-state-function")
        .arg("--out-dir")
        .arg(&scratch)
        .arg(compiled(
            Some(setup::WASM_TARGET),
            "release",
            "gatewright_worker.wasm",
        ));
    process::run("bind the worker to JavaScript", &mut bind)?;

    let output = paths::at(WORKER.output);
    paths::make_folder(&output)?;
    let mut shrink = process::command(npm::program("wasm-opt"));
    shrink.args(["-Os", "--converge", "--mvp-features"]);
    shrink.args(FEATURES.map(|name| format!("--enable-{name}")));
    shrink.arg(&bound);
    shrink.arg("-o").arg(output.join("index_bg.wasm"));
    process::run("shrink the worker", &mut shrink)?;

    for name in ["entry.js", "glue.js", "meter.js", "stream.js"] {
        let (from, to) = (paths::at("worker/src").join(name), scratch.join(name));
        std::fs::copy(&from, &to).context(|| format!("cannot copy {}", paths::shown(&from)))?;
    }
    let mut bundle = process::command(npm::program("esbuild"));
    bundle
        .arg(scratch.join("entry.js"))
        .args(["--bundle", "--format=esm", "--minify", "--keep-names"])
        .args([
            "--external:cloudflare:workers",
            "--external:./index_bg.wasm",
        ])
        .args(["--log-level=warning", "--allow-overwrite"])
        .arg(format!("--outfile={}", output.join("index.js").display()));
    process::run("bundle the worker", &mut bundle).map(drop)
}

/// A file that Cargo has compiled in that profile, for that target or for this machine.
pub(crate) fn compiled(target: Option<&str>, profile: &str, name: &str) -> PathBuf {
    let folder =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| paths::at("target"), PathBuf::from);
    paths::root()
        .join(folder)
        .join(target.unwrap_or_default())
        .join(profile)
        .join(name)
}

fn descriptions(label: &str) -> Result<()> {
    let mut command = process::cargo();
    command.args([
        "run",
        "--package",
        "gatewright-api",
        "--example",
        "describe",
    ]);
    command.arg("--").arg(paths::at(DESCRIPTIONS.output));
    process::run(label, &mut command).map(drop)
}

fn console(label: &str) -> Result<()> {
    let mut command = tool(&TRUNK)?;
    command
        .args(["build", "--release", "--offline"])
        .env(
            "PATH",
            search_path([WASM_BINDGEN.folder()?, paths::at("node_modules/.bin")])?,
        )
        // Trunk reads the variable as `true` or `false` and refuses the usual `1`.
        .env_remove("NO_COLOR");
    process::run(label, &mut command).map(drop)
}

/// The search path with some folders before all others.
fn search_path<const N: usize>(first: [PathBuf; N]) -> Result<OsString> {
    let usual = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(first.into_iter().chain(std::env::split_paths(&usual)))
        .context(|| "a folder of the search path can't be used".to_owned())
}
