//! `build`: worker and console, as deployed, or quickly for trying and changing them.

mod console;
mod modules;
mod products;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

#[cfg(test)]
pub(crate) use self::modules::EXTRAS;
pub(crate) use self::products::{CONSOLE, SERVED, WORKER};
use self::products::{CONTRACTS, DESCRIPTIONS, EXTRA_MODULES};
use crate::args::{Args, Flag};
use crate::fail::{Context, Result, error};
use crate::fingerprint::Product;
use crate::tools::{Tool, WASM_BINDGEN};
use crate::{paths, process, setup, term};

/// The options of `build`.
pub(crate) const FLAGS: &[Flag] = &[QUICK, CONTRACTS_TOO];

/// For changing something and looking at it.
const QUICK: Flag = Flag {
    name: "--quick",
    value: "",
    help: "compile much faster, to larger and slower modules",
};

/// For the tests, which build ahead with it.
pub(crate) const CONTRACTS_TOO: Flag = Flag {
    name: "--contracts",
    value: "",
    help: "also build the worker that checks the contracts of its ports, for tests",
};

/// How much time is spent on optimisation. The output behaves the same either way, and is in the same folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// As deployed, tested and measured: optimised across crates, and shrunk.
    Deployed,
    /// Hardly optimised, for a first start and during development.
    Quick,
}

impl Effort {
    /// Returns the profile of `Cargo.toml` to use instead of `deployed`.
    const fn profile(self, deployed: &'static str) -> &'static str {
        match self {
            Self::Deployed => deployed,
            Self::Quick => "quick",
        }
    }
}

/// A step of a build: the product, its label, and the function that makes it.
type Step = (
    &'static Product,
    &'static str,
    fn(&str, Effort) -> Result<()>,
);

const WORKER_STEPS: [Step; 3] = [
    (&EXTRA_MODULES, "build the extras", modules::extras),
    (&WORKER, "build the worker", modules::worker),
    (&SERVED, "build what serves here", modules::served),
];

const CONSOLE_STEP: Step = (&CONSOLE, "build the console", console::build);

/// The last step: it is the only one that has to wait for Cargo commands that compile for this machine.
const LAST: Step = (&DESCRIPTIONS, "describe the APIs", descriptions);

/// The folder that the worker serves static files from.
pub(crate) const ASSETS: &str = "target/assets";

/// `cargo xtask build`.
///
/// # Errors
/// As [`all`]; `Usage` for an extra word.
pub(crate) fn run(args: &Args) -> Result<()> {
    args.no_more()?;
    all(if args.is_set(QUICK.name) {
        Effort::Quick
    } else {
        Effort::Deployed
    })?;
    if args.is_set(CONTRACTS_TOO.name) {
        with_contracts()?;
    }
    Ok(())
}

/// Installs the tools and builds whatever isn't up to date. A build for [`Effort::Deployed`] also satisfies
/// [`Effort::Quick`].
///
/// # Errors
/// If a tool is missing or a build fails; the tool's output was shown.
pub(crate) fn all(effort: Effort) -> Result<()> {
    let steps = [&WORKER_STEPS[..], &[CONSOLE_STEP, LAST]].concat();
    with_build_lock(|| run_steps(&steps, effort))
}

/// Builds the worker alone, for tests that never open the console.
///
/// # Errors
/// As [`all`].
pub(crate) fn without_console() -> Result<()> {
    let steps = [&WORKER_STEPS[..], &[LAST]].concat();
    with_build_lock(|| run_steps(&steps, Effort::Deployed))
}

/// Builds the worker that checks the contracts of its ports.
///
/// # Errors
/// As [`all`].
pub(crate) fn with_contracts() -> Result<()> {
    let label = "build the worker with its contracts";
    let step: Step = (&CONTRACTS, label, |label, _| modules::contracts(label));
    with_build_lock(|| run_steps(&[step], Effort::Deployed))
}

/// Builds while holding the lock against other builds, after installing the tools.
fn with_build_lock(builds: impl FnOnce() -> Result<()>) -> Result<()> {
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

/// Runs the steps that are not up to date, each labelled with its number and the total.
fn run_steps(steps: &[Step], effort: Effort) -> Result<()> {
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
        // Hashed before the build, so that a file that changes during it isn't missed.
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

/// Returns the command of a tool, set up so that a failure shows its last lines and not its backtrace.
///
/// # Errors
/// As [`Tool::program`].
pub(crate) fn tool(tool: &Tool) -> Result<Command> {
    let mut command = process::command(tool.program()?);
    command.env("RUST_BACKTRACE", "0");
    Ok(command)
}

/// Returns what affects the output besides files: versions of compiler and tools, compiler flags, and the degree of
/// optimisation.
fn settings(effort: Effort) -> Result<String> {
    static RUSTC: OnceLock<Option<String>> = OnceLock::new();
    let rustc = RUSTC
        .get_or_init(|| process::output_of(process::command("rustc").arg("--version")))
        .as_deref()
        .ok_or_else(|| error("`rustc` does not run: install Rust from https://rustup.rs"))?;
    let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
    let bindgen = WASM_BINDGEN.title();
    Ok(format!("{rustc}\n{flags}\n{bindgen}\n{effort:?}"))
}

/// More options of `wasm-opt` that make modules smaller, besides its level.
///
/// The stack is at the start of memory and grows downwards, so no value has an address below 1024: constants added to
/// an address can be folded into the load instruction, which saves 3 kB per module. A function with a single caller is
/// not inlined unless it is tiny: a function of 50 kB mostly moves its own variables, and two similar functions
/// compress better than the functions they would be inlined into. Saves 2 to 20 kB after gzip.
const SMALL: [&str; 2] = [
    "--low-memory-unused",
    "--one-caller-inline-max-function-size=15",
];

/// The WebAssembly features beyond the first version that the modules need, one by one: those that the Rust compiler
/// and the bindings use, each in every engine for years. `--all-features` would let `wasm-opt` write encodings that
/// current engines refuse.
const FEATURES: [&str; 7] = [
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// Returns the Cargo command that compiles to WebAssembly: `build`, or `rustc` for a single package with options of its
/// own.
fn cargo(command: &str) -> Command {
    let mut cargo = process::cargo();
    cargo.args([command, "--target", setup::WASM_TARGET]);
    cargo
}

/// Creates folders and removes what was in them.
fn empty(folders: &[&Path]) -> Result<()> {
    for folder in folders {
        let _ = std::fs::remove_dir_all(folder);
        paths::make_folder(folder)?;
    }
    Ok(())
}

/// Returns the command that generates `<name>.js` and `<name>_bg.wasm` from the compiled module.
fn binding(name: &str, compiled: &Path, scratch: &Path) -> Result<Command> {
    let mut bind = tool(&WASM_BINDGEN)?;
    bind.args(["--target", "web", "--no-typescript", "--out-name", name])
        .arg("--out-dir")
        .arg(scratch)
        .arg(compiled);
    Ok(bind)
}

/// Returns the path of a file compiled by Cargo in this profile, for this target or for this machine.
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
