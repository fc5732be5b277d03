//! Installs what each command needs before it starts. The second time this costs a few file look-ups.

use std::path::Path;

use crate::fail::{Result, error};
use crate::programs::{self, find};
use crate::tools::WASM_BINDGEN;
use crate::{npm, paths, process};

/// The Rust target of worker and console.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Prepares building worker and console, and running them.
///
/// # Errors
/// One line about what is missing.
pub(crate) fn for_build() -> Result<()> {
    wasm_target()?;
    npm::ensure()?;
    WASM_BINDGEN.ensure()
}

/// Prepares running what is built.
///
/// # Errors
/// If there is no runtime.
pub(crate) fn for_run() -> Result<()> {
    if npm::workerd().is_file() {
        return Ok(());
    }
    Err(error("workerd is not installed: run `cargo xtask setup`"))
}

/// Prepares formatting, clippy for both targets, and the layers.
///
/// # Errors
/// One line about what is missing.
pub(crate) fn for_lint() -> Result<()> {
    wasm_target()?;
    component("rustfmt", "rustfmt")?;
    component("clippy", "cargo-clippy")
}

/// Prepares unit tests in the browser.
///
/// # Errors
/// One line about what is missing.
pub(crate) fn for_browser() -> Result<()> {
    wasm_target()?;
    WASM_BINDGEN.ensure()?;
    programs::chromium()?;
    programs::chromedriver().map(drop)
}

/// Prepares everything that any command needs.
///
/// # Errors
/// One line about what is missing.
pub(crate) fn for_all() -> Result<()> {
    for_lint()?;
    for_build()?;
    for_browser()?;
    programs::headless_browser()?;
    programs::wrk().map(drop)
}

/// `cargo xtask setup`: installs everything and prints where it is.
///
/// # Errors
/// One line about what is missing.
pub(crate) fn run() -> Result<()> {
    for_all()?;
    let mut rows = vec![
        (format!("rust target {WASM_TARGET}"), "rustup".to_owned()),
        ("npm packages".to_owned(), "node_modules".to_owned()),
    ];
    rows.push((
        WASM_BINDGEN.title(),
        WASM_BINDGEN.folder()?.display().to_string(),
    ));
    rows.push((
        "browser".to_owned(),
        programs::chromium()?.display().to_string(),
    ));
    rows.push((
        "headless browser".to_owned(),
        programs::headless_browser()?.display().to_string(),
    ));
    rows.push((
        "browser driver".to_owned(),
        programs::chromedriver()?.display().to_string(),
    ));
    rows.push((
        "load generator".to_owned(),
        programs::wrk()?.display().to_string(),
    ));
    let width = rows
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    for (name, path) in rows {
        println!("{name:width$}  {path}");
    }
    Ok(())
}

fn wasm_target() -> Result<()> {
    let installed = || {
        let sysroot = process::output_of(process::command("rustc").args(["--print", "sysroot"]))?;
        let library = Path::new(&sysroot)
            .join("lib/rustlib")
            .join(WASM_TARGET)
            .join("lib");
        library.is_dir().then_some(())
    };
    if installed().is_some() {
        return Ok(());
    }
    rustup(&["target", "add", WASM_TARGET])?;
    installed().ok_or_else(|| {
        error(format!(
            "the Rust target {WASM_TARGET} could not be installed"
        ))
    })
}

fn component(name: &str, program: &str) -> Result<()> {
    // A rustup proxy may exist without the component, so it has to run.
    let runs = |file: &Path| process::output_of(process::command(file).arg("--version")).is_some();
    if find(&[program]).is_some_and(|file| runs(&file)) {
        return Ok(());
    }
    rustup(&["component", "add", name])
}

fn rustup(words: &[&str]) -> Result<()> {
    let rustup = programs::require(
        "rustup",
        "install it from https://rustup.rs, or install what is missing yourself",
    )?;
    let mut command = process::command(rustup);
    command.current_dir(paths::root()).args(words);
    process::run(&format!("rustup {}", words.join(" ")), &mut command).map(drop)
}
