//! `build`: worker and console, as they are deployed.

mod console;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fail::{Context, Result, error};
use crate::fingerprint::Product;
use crate::tools::{Tool, WASM_BINDGEN};
use crate::{npm, paths, process, setup, term};

/// How things are built decides what comes out as much as what they are built from.
const HERE: &str = "crates/xtask/src/build.rs";

/// What comes of building the worker.
const PARTS: &[&str] = &[
    "index.js",
    "dataplane_bg.wasm",
    "controlplane_bg.wasm",
    "registry_bg.wasm",
    "auth_bg.wasm",
    "jq_bg.wasm",
    "mcp_bg.wasm",
    "openapi_bg.wasm",
    "schema_bg.wasm",
    "transform_bg.wasm",
];

/// The extra modules, for the worker and the console alike: what somebody tries there is what the edge does.
const EXTRA_MODULES: Product = Product {
    name: "extras",
    inputs: &[
        ".cargo",
        "Cargo.lock",
        "Cargo.toml",
        "crates/model",
        "extras",
        HERE,
        "package-lock.json",
    ],
    output: "target/extras",
    parts: &["jq.js", "jq_bg.wasm", "transform.js", "transform_bg.wasm"],
};

/// What is uploaded: `index.js` and the WebAssembly modules that it instantiates.
pub(crate) const WORKER: Product = Product {
    name: "worker",
    inputs: &[
        ".cargo",
        "Cargo.lock",
        "Cargo.toml",
        "crates/api",
        "crates/controlplane",
        "crates/dataplane",
        "crates/ledger",
        "crates/model",
        "crates/protocol",
        "extras",
        HERE,
        "package-lock.json",
        "worker/controlplane",
        "worker/dataplane",
        "worker/egress",
        "worker/platform",
        "worker/registry",
        "worker/src",
    ],
    output: "worker/build",
    parts: PARTS,
};

/// The same with the contracts of its ports, which also plays the release after this one, for the tests alone:
/// compiled for speed of building, and never uploaded.
const CONTRACTS: Product = Product {
    name: "contracts",
    inputs: &[
        ".cargo",
        "Cargo.lock",
        "Cargo.toml",
        "crates/api",
        "crates/controlplane",
        "crates/dataplane",
        "crates/ledger",
        "crates/model",
        "crates/protocol",
        "crates/testkit",
        "extras",
        HERE,
        "package-lock.json",
        "worker/controlplane",
        "worker/dataplane",
        "worker/egress",
        "worker/platform",
        "worker/registry",
        "worker/src",
        CONTRACTS_ENTRY,
    ],
    output: "target/contracts/build",
    parts: PARTS,
};

/// What stands before `worker/src/entry.js` there.
const CONTRACTS_ENTRY: &str = "worker/tests/contracts.js";

/// The console's static files, in a folder of their public path.
pub(crate) const CONSOLE: Product = Product {
    name: "console",
    inputs: &[
        ".cargo",
        "Cargo.lock",
        "Cargo.toml",
        "crates/model",
        "extras",
        HERE,
        console::HERE,
        "package-lock.json",
        "web/Cargo.toml",
        "web/assets.mjs",
        "web/boot",
        "web/editor",
        "web/index.html",
        "web/src",
        "web/styles",
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

/// The folder that the worker serves static files from.
pub(crate) const ASSETS: &str = "target/assets";

/// `cargo xtask build`: ensures the tools and builds what isn't up to date.
///
/// # Errors
/// If a tool is missing or a build fails; the tool's output was shown.
pub(crate) fn run() -> Result<()> {
    in_turn(|| {
        edge()?;
        make(&CONSOLE, "build the console", console::build)
    })
}

/// The worker alone, for what never opens the console.
///
/// # Errors
/// As [`run`].
pub(crate) fn without_console() -> Result<()> {
    in_turn(edge)
}

/// The worker that checks the contracts of its ports.
///
/// # Errors
/// As [`run`].
pub(crate) fn with_contracts() -> Result<()> {
    in_turn(|| make(&CONTRACTS, "build the worker with its contracts", contracts))
}

/// The worker and what it needs to answer.
fn edge() -> Result<()> {
    make(&EXTRA_MODULES, "build the extras", extras)?;
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
    Ok(format!("{rustc}\n{flags}\n{}", WASM_BINDGEN.title()))
}

/// The WebAssembly modules of the worker, by the names of their folders in `worker/`.
pub(crate) const MODULES: [&str; 3] = ["dataplane", "controlplane", "registry"];

/// The extra modules, by the names of their folders in `extras/`.
pub(crate) const EXTRAS: [&str; 6] = ["auth", "jq", "mcp", "openapi", "schema", "transform"];

/// Those that bodies and credentials of requests pass through, with their profile in `Cargo.toml`: they are compiled
/// for speed, which makes them a twentieth larger. The others are large or seldom called.
const FAST_EXTRAS: ([&str; 4], &str) = (["auth", "mcp", "schema", "transform"], "extras");

/// What the modules need of WebAssembly beyond its first version, one by one: what the Rust compiler and the
/// bindings make use of, each in every engine for years. `--all-features` would let `wasm-opt` write
/// encodings that engines of today refuse.
const FEATURES: [&str; 7] = [
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// Classes for JavaScript that the crates `worker` and `wasm-streams` export whether anybody calls them or not,
/// with all that stands behind them: 6 kB of each module after gzip.
const UNUSED_CLASSES: [&str; 4] = [
    "containerstartupoptions",
    "intounderlying",
    "minifyconfig",
    "r2range",
];

/// The modules of the bundle that the runtime brings, or that are uploaded beside it.
const EXTERNAL: [&str; 11] = [
    "--external:cloudflare:sockets",
    "--external:cloudflare:workers",
    "--external:./dataplane_bg.wasm",
    "--external:./controlplane_bg.wasm",
    "--external:./registry_bg.wasm",
    "--external:./auth_bg.wasm",
    "--external:./jq_bg.wasm",
    "--external:./mcp_bg.wasm",
    "--external:./openapi_bg.wasm",
    "--external:./schema_bg.wasm",
    "--external:./transform_bg.wasm",
];

/// Compiles the extra modules, generates their JavaScript, and shrinks them.
fn extras(label: &str) -> Result<()> {
    let (fast, profile) = FAST_EXTRAS;
    let small: Vec<_> = EXTRAS
        .into_iter()
        .filter(|name| !fast.contains(name))
        .collect();
    for (extras, profile) in [(small.as_slice(), "release"), (fast.as_slice(), profile)] {
        process::run(
            label,
            packages(&mut compile(), extras).args(["--profile", profile]),
        )?;
    }
    let (scratch, output) = folders("target/extras-scratch", &EXTRA_MODULES)?;
    for extra in EXTRAS {
        let profile = if fast.contains(&extra) {
            profile
        } else {
            "release"
        };
        bind(extra, profile, &scratch)?;
        shrink(extra, &scratch, &output)?;
        let code = format!("{extra}.js");
        copy(&scratch.join(&code), &output.join(&code))?;
    }
    Ok(())
}

/// Compiles the modules, generates their JavaScript, shrinks them, and bundles everything behind
/// `worker/src/entry.js`, with the extras. `worker-build` would do the same around an entry of its own, which wraps each
/// event in proxies and hides the exports that `entry.js` calls.
fn worker(label: &str) -> Result<()> {
    let mut compile = compile();
    process::run(label, packages(&mut compile, &MODULES).arg("--release"))?;
    let (scratch, output) = folders("target/worker", &WORKER)?;
    for module in MODULES {
        bind(module, "release", &scratch)?;
        shrink(module, &scratch, &output)?;
    }
    let built = paths::at(EXTRA_MODULES.output);
    for extra in EXTRAS {
        let (code, wasm) = (format!("{extra}.js"), format!("{extra}_bg.wasm"));
        copy(&built.join(&code), &scratch.join(&code))?;
        copy(&built.join(&wasm), &output.join(&wasm))?;
    }
    sources(&scratch)?;
    bundle(&scratch.join("entry.js"), &output)
}

/// The same with the contracts, as it comes from the compiler.
fn contracts(label: &str) -> Result<()> {
    let mut compile = compile();
    packages(packages(&mut compile, &MODULES), &EXTRAS);
    for module in MODULES {
        compile.args([
            "--features",
            &format!("gatewright-worker-{module}/contracts"),
        ]);
    }
    process::run(label, &mut compile)?;
    let (scratch, output) = folders("target/contracts/scratch", &CONTRACTS)?;
    for module in MODULES.into_iter().chain(EXTRAS) {
        bind(module, "debug", &scratch)?;
        let file = format!("{module}_bg.wasm");
        copy(&scratch.join(&file), &output.join(&file))?;
    }
    sources(&scratch)?;
    let entry = scratch.join("contracts.js");
    copy(&paths::at(CONTRACTS_ENTRY), &entry)?;
    bundle(&entry, &output)
}

fn compile() -> Command {
    let mut compile = process::cargo();
    compile.args(["build", "--target", setup::WASM_TARGET]);
    compile
}

/// Compiles modules together: what several are made of is compiled once.
fn packages<'c>(compile: &'c mut Command, modules: &[&str]) -> &'c mut Command {
    for module in modules {
        compile.args([
            "--package",
            &format!("gatewright-{}-{module}", kind(module)),
        ]);
    }
    compile
}

/// The folder that is built in and the one that is built into, both empty: nothing that an earlier build has
/// left is uploaded.
fn folders(scratch: &str, product: &Product) -> Result<(PathBuf, PathBuf)> {
    let folders = (paths::at(scratch), paths::at(product.output));
    empty(&[&folders.0, &folders.1])?;
    Ok(folders)
}

/// Makes folders, without whatever was in them.
fn empty(folders: &[&Path]) -> Result<()> {
    for folder in folders {
        let _ = std::fs::remove_dir_all(folder);
        paths::make_folder(folder)?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).context(|| format!("cannot copy {}", paths::shown(from)))?;
    Ok(())
}

/// Generates the JavaScript of a module of the worker.
fn bind(module: &str, profile: &str, scratch: &Path) -> Result<()> {
    let wasm = format!("gatewright_{}_{module}.wasm", kind(module));
    let mut bind = binding(
        module,
        &compiled(Some(setup::WASM_TARGET), profile, &wasm),
        scratch,
    )?;
    // What `modules.js` calls after a trap.
    bind.arg("--experimental-reset-state-function");
    process::run(&format!("bind the {module} to JavaScript"), &mut bind).map(drop)
}

/// What makes `<name>.js` and `<name>_bg.wasm` of what was compiled.
fn binding(name: &str, compiled: &Path, scratch: &Path) -> Result<Command> {
    let mut bind = tool(&WASM_BINDGEN)?;
    bind.args(["--target", "web", "--no-typescript", "--out-name", name])
        .arg("--out-dir")
        .arg(scratch)
        .arg(compiled);
    Ok(bind)
}

/// What the package of a module is called before its own name.
fn kind(module: &str) -> &'static str {
    if EXTRAS.contains(&module) {
        "extra"
    } else {
        "worker"
    }
}

/// Shrinks a module, and gives it its name.
fn shrink(module: &str, scratch: &Path, output: &Path) -> Result<()> {
    let file = format!("{module}_bg.wasm");
    let target = output.join(&file);
    let mut shrink = process::command(npm::program("wasm-opt"));
    // One round: more of them (`--converge`) take several times as long and save 0.2 kB after gzip.
    // Functions whose names are neighbours are alike, which saves 4 kB.
    // What serves requests is compiled for size, and small functions of it are put where they are called, but not
    // large ones that only one calls: the function that asks the links would become one of 50 kB, most of which
    // moves its own variables.
    if module == "dataplane" {
        shrink.args(["-O3", "--one-caller-inline-max-function-size=60"]);
    } else {
        shrink.arg("-Os");
    }
    // The stack lies first in memory and grows downwards, so no value has one of the first 1024 addresses: what is
    // added to an address can become a part of the instruction that reads there, which saves 3 kB.
    shrink.arg("--low-memory-unused");
    shrink.arg("--reorder-functions-by-name");
    for class in UNUSED_CLASSES {
        shrink.arg(format!("--remove-exports=*{class}*"));
    }
    shrink.arg("--mvp-features").args(FEATURES);
    shrink.arg(scratch.join(&file)).arg("-o").arg(&target);
    process::run(&format!("shrink the {module}"), &mut shrink)?;
    let cannot = || format!("cannot name {}", paths::shown(&target));
    let mut wasm = std::fs::read(&target).context(cannot)?;
    wasm.extend(name_section(module));
    std::fs::write(&target, wasm).context(cannot)
}

/// A custom section with the name of a module and nothing else (WebAssembly core specification, appendix
/// *Custom Sections*). The stack of a trap then says in which one it was. Names here have some bytes, so
/// that each length is one.
fn name_section(module: &str) -> Vec<u8> {
    let length = |bytes: &[u8]| u8::try_from(bytes.len()).unwrap_or(u8::MAX);
    let sized = |bytes: &[u8]| [&[length(bytes)], bytes].concat();
    let name = [&[0], &*sized(&sized(module.as_bytes()))].concat();
    let section = [&*sized(b"name"), &name].concat();
    [&[0], &*sized(&section)].concat()
}

/// Puts what is written beside what was generated.
fn sources(scratch: &Path) -> Result<()> {
    let sources = paths::at("worker/src");
    for from in paths::files(&sources, &[]) {
        let below = from.strip_prefix(&sources).unwrap_or(&from);
        let to = scratch.join(below);
        if let Some(folder) = to.parent() {
            paths::make_folder(folder)?;
        }
        copy(&from, &to)?;
    }
    Ok(())
}

/// Bundles an entry with everything that it imports. Names stay as they are, so that a stack says where it is;
/// `--keep-names` would do the same with a call for each function that is made, on each request.
fn bundle(entry: &Path, output: &Path) -> Result<()> {
    let mut bundle = process::command(npm::program("esbuild"));
    bundle
        .arg(entry)
        .args([
            "--bundle",
            "--format=esm",
            "--minify-whitespace",
            "--minify-syntax",
        ])
        .args(EXTERNAL)
        .arg(format!(
            "--inject:{}",
            paths::at("worker/src/microtask.js").display()
        ))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_named_in_a_section_of_its_own() {
        assert_eq!(name_section("ab"), b"\0\x0a\x04name\0\x03\x02ab");
    }
}
