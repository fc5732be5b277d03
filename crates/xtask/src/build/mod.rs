//! `build`: worker and console, as they are deployed, or quickly for who tries and changes them.

mod console;
mod modules;
mod products;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

#[cfg(test)]
pub(crate) use self::modules::EXTRAS;
pub(crate) use self::products::{CONSOLE, WORKER};
use self::products::{CONTRACTS, DESCRIPTIONS, EXTRA_MODULES};
use crate::args::{Flag, Given};
use crate::fail::{Context, Result, error};
use crate::fingerprint::Product;
use crate::tools::{Tool, WASM_BINDGEN};
use crate::{paths, process, setup, term};

/// What `build` takes.
pub(crate) const FLAGS: &[Flag] = &[QUICK];

/// For who changes something and wants to look at it.
const QUICK: Flag = Flag {
    name: "--quick",
    value: "",
    help: "compile in a fraction of the time what is larger and slower",
};

/// How much time is spent on what comes out. It does the same either way, and lies in the same folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// As it is deployed, tested and measured: optimised as a whole, and shrunk.
    Deployed,
    /// Hardly optimised, for a first start and while something is changed.
    Quick,
}

impl Effort {
    /// The profile of `Cargo.toml` in the place of `deployed`.
    const fn profile(self, deployed: &'static str) -> &'static str {
        match self {
            Self::Deployed => deployed,
            Self::Quick => "quick",
        }
    }
}

/// A step of a build: a product, what it is called, and how it is made.
type Step = (
    &'static Product,
    &'static str,
    fn(&str, Effort) -> Result<()>,
);

const EDGE: [Step; 3] = [
    (&EXTRA_MODULES, "build the extras", modules::extras),
    (&WORKER, "build the worker", modules::worker),
    (&DESCRIPTIONS, "describe the APIs", descriptions),
];

const WITH_CONSOLE: Step = (&CONSOLE, "build the console", console::build);

/// The folder that the worker serves static files from.
pub(crate) const ASSETS: &str = "target/assets";

/// `cargo xtask build`.
///
/// # Errors
/// As [`all`]; `Usage` for a word too many.
pub(crate) fn run(given: &Given) -> Result<()> {
    given.no_more()?;
    all(if given.is_set(QUICK.name) {
        Effort::Quick
    } else {
        Effort::Deployed
    })
}

/// Ensures the tools and builds what isn't up to date. What is as it is deployed is good enough for
/// [`Effort::Quick`] too.
///
/// # Errors
/// If a tool is missing or a build fails; the tool's output was shown.
pub(crate) fn all(effort: Effort) -> Result<()> {
    let steps: Vec<_> = EDGE.into_iter().chain([WITH_CONSOLE]).collect();
    in_turn(|| make(&steps, effort))
}

/// The worker alone, for what never opens the console.
///
/// # Errors
/// As [`all`].
pub(crate) fn without_console() -> Result<()> {
    in_turn(|| make(&EDGE, Effort::Deployed))
}

/// The worker that checks the contracts of its ports.
///
/// # Errors
/// As [`all`].
pub(crate) fn with_contracts() -> Result<()> {
    let label = "build the worker with its contracts";
    let step: Step = (&CONTRACTS, label, |label, _| modules::contracts(label));
    in_turn(|| make(&[step], Effort::Deployed))
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

/// Makes those that are not up to date, and says of each which one it is of how many.
fn make(steps: &[Step], effort: Effort) -> Result<()> {
    let mut due = Vec::new();
    for step in steps {
        if !is_current(step.0, effort)? {
            due.push(step);
        }
    }
    for (at, (product, label, build)) in due.iter().enumerate() {
        let label = match due.len() {
            1 => (*label).to_owned(),
            all => format!("{label} ({} of {all})", at.saturating_add(1)),
        };
        // Taken before, so that a file that changes meanwhile isn't overlooked.
        let inputs = product.inputs(&settings(effort)?)?;
        build(&label, effort)?;
        if !product.exists() {
            return Err(error(format!(
                "{label}: {} is missing in {}",
                product.parts.join(" or "),
                product.output
            )));
        }
        product.remember(&inputs)?;
    }
    Ok(())
}

fn is_current(product: &Product, effort: Effort) -> Result<bool> {
    Ok(product.is_current(&settings(Effort::Deployed)?)?
        || (effort == Effort::Quick && product.is_current(&settings(effort)?)?))
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

/// What besides files decides what comes out: compiler and tool versions, compiler flags, and how much is
/// optimised.
fn settings(effort: Effort) -> Result<String> {
    static RUSTC: OnceLock<Option<String>> = OnceLock::new();
    let rustc = RUSTC
        .get_or_init(|| process::ask(process::command("rustc").arg("--version")))
        .as_deref()
        .ok_or_else(|| error("`rustc` does not run: install Rust from https://rustup.rs"))?;
    let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
    let bindgen = WASM_BINDGEN.title();
    Ok(format!("{rustc}\n{flags}\n{bindgen}\n{effort:?}"))
}

/// What else makes modules smaller with `wasm-opt`, beside its level.
///
/// The stack lies first in memory and grows downwards, so no value has one of the first 1024 addresses: what is added
/// to an address can become a part of the instruction that reads there, which saves 3 kB of each.
/// A function that only one calls stays one of its own, unless it is tiny: a function of 50 kB mostly moves its own
/// variables, and two that are alike compress better than what they became a part of. Saves 2 to 20 kB after gzip.
const SMALL: [&str; 2] = [
    "--low-memory-unused",
    "--one-caller-inline-max-function-size=15",
];

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

fn compile() -> Command {
    let mut compile = process::cargo();
    compile.args(["build", "--target", setup::WASM_TARGET]);
    compile
}

/// Makes folders, without whatever was in them.
fn empty(folders: &[&Path]) -> Result<()> {
    for folder in folders {
        let _ = std::fs::remove_dir_all(folder);
        paths::make_folder(folder)?;
    }
    Ok(())
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

fn descriptions(label: &str, _: Effort) -> Result<()> {
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
