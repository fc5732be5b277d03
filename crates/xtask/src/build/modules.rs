//! Builds the worker's WebAssembly modules and its extras, with the JavaScript around them.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::products::{CONTRACTS, CONTRACTS_ENTRY, EXTRA_MODULES, SERVED, WORKER};
use super::{Effort, FEATURES, SMALL, binding, cargo, compiled, empty};
use crate::fail::{Context, Result};
use crate::fingerprint::Product;
use crate::{npm, paths, process, setup};

/// The WebAssembly modules of the worker, by their folders in `worker/`.
const MODULES: [&str; 3] = ["dataplane", "controlplane", "registry"];

/// The largest frame in bytes of a function that LLVM inlines into another in these modules. Otherwise dozens of
/// endpoints become one function of 200 kB, which mostly moves its own variables. Requests don't pass through the modules
/// that administer and store: 16 saves 3 % of them after gzip. In the one that serves requests it would save 1.6 %, but
/// take functions apart that each request passes through; 64 saves 0.9 %, and no request takes longer for it.
const MAX_INLINED_FRAMES: [(&str, u32); 3] =
    [("dataplane", 64), ("controlplane", 16), ("registry", 16)];

/// The extra modules, by their folders in `extras/`.
pub(crate) const EXTRAS: [&str; 6] = ["auth", "jq", "mcp", "openapi", "schema", "transform"];

/// The extras that process bodies and credentials of requests: they are compiled for speed, which makes them a twentieth
/// larger. The others are large or rarely called.
const FAST_EXTRAS: [&str; 4] = ["auth", "mcp", "schema", "transform"];

/// The profile in `Cargo.toml` that compiles for speed.
const FAST: &str = "fast";

/// JavaScript classes that the crates `worker` and `wasm-streams` export whether used or not, with all the code behind
/// them: 6 kB of each module after gzip.
const UNUSED_CLASSES: [&str; 4] = [
    "containerstartupoptions",
    "intounderlying",
    "minifyconfig",
    "r2range",
];

/// The modules of the bundle that are provided by the runtime or uploaded separately.
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
pub(super) fn extras(label: &str, effort: Effort) -> Result<()> {
    let profile_of = |extra: &str| {
        effort.profile(if FAST_EXTRAS.contains(&extra) {
            FAST
        } else {
            "release"
        })
    };
    let mut profiles: Vec<&str> = EXTRAS.into_iter().map(profile_of).collect();
    profiles.sort_unstable();
    profiles.dedup();
    for profile in profiles {
        let mut extras = EXTRAS.to_vec();
        extras.retain(|extra| profile_of(extra) == profile);
        let mut compile = cargo("build");
        process::run(
            label,
            packages(&mut compile, &extras).args(["--profile", profile]),
        )?;
    }
    let (scratch, output) = folders("target/extras-scratch", &EXTRA_MODULES)?;
    let extras = EXTRAS.map(|extra| (extra, profile_of(extra)));
    finish(
        "generate the JavaScript of the extras",
        &extras,
        effort,
        &scratch,
        &output,
    )?;
    for extra in EXTRAS {
        let code = format!("{extra}.js");
        copy(&scratch.join(&code), &output.join(&code))?;
    }
    Ok(())
}

/// Compiles the modules, generates their JavaScript, shrinks them, and bundles everything that `worker/src/entry.js`
/// imports, with the extras. `worker-build` would do the same around an entry of its own, which wraps each event in
/// proxies and hides the exports that `entry.js` calls.
pub(super) fn worker(label: &str, effort: Effort) -> Result<()> {
    let profile = effort.profile("release");
    match effort {
        Effort::Quick => {
            let mut compile = cargo("build");
            let compile = packages(&mut compile, &MODULES).args(["--profile", profile]);
            process::run(label, compile)?;
        }
        // Options for one crate are only passed on to a single package.
        Effort::Deployed => {
            for (module, bytes) in MAX_INLINED_FRAMES {
                let option = format!("-Cllvm-args=-inline-max-stacksize={bytes}");
                let mut compile = cargo("rustc");
                packages(&mut compile, &[module]).args(["--profile", profile, "--", &option]);
                process::run(&format!("{label}: {module}"), &mut compile)?;
            }
        }
    }
    let (scratch, output) = folders("target/worker", &WORKER)?;
    let modules = MODULES.map(|module| (module, profile));
    finish(
        "generate its JavaScript",
        &modules,
        effort,
        &scratch,
        &output,
    )?;
    let built = paths::at(EXTRA_MODULES.output);
    for extra in EXTRAS {
        let (code, wasm) = (format!("{extra}.js"), file(extra));
        copy(&built.join(&code), &scratch.join(&code))?;
        copy(&built.join(&wasm), &output.join(&wasm))?;
    }
    copy_all(&paths::at("worker/src"), &scratch)?;
    bundle(&scratch.join("entry.js"), &output)
}

/// Compiles the data plane once more, for speed, which makes it nearly twice as large: too large for the edge. The bundle
/// differs in what is generated for that module; the other modules are those of the worker. `wasm-opt` would take half a
/// minute and make no request faster.
pub(super) fn served(label: &str, effort: Effort) -> Result<()> {
    let (scratch, output) = folders("target/served-scratch", &SERVED)?;
    if effort == Effort::Quick {
        let built = paths::at(WORKER.output);
        let mut parts = SERVED.parts.iter();
        return parts.try_for_each(|part| copy(&built.join(part), &output.join(part)));
    }
    let module = "dataplane";
    let mut compile = cargo("build");
    let compile = packages(&mut compile, &[module]).args(["--profile", FAST]);
    process::run(label, compile)?;
    copy_all(&paths::at("target/worker"), &scratch)?;
    let mut bind = bind(module, FAST, &scratch)?;
    // The names of functions take 160 kB.
    bind.arg("--remove-name-section");
    process::run("generate its JavaScript", &mut bind)?;
    name(module, &scratch, &output)?;
    bundle(&scratch.join("entry.js"), &output)
}

/// Builds the worker with the contracts, without shrinking it.
pub(super) fn contracts(label: &str) -> Result<()> {
    let mut compile = cargo("build");
    packages(packages(&mut compile, &MODULES), &EXTRAS);
    for module in MODULES {
        compile.args([
            "--features",
            &format!("gatewright-worker-{module}/contracts"),
        ]);
    }
    process::run(label, &mut compile)?;
    let (scratch, output) = folders("target/contracts/scratch", &CONTRACTS)?;
    let modules = MODULES.into_iter().chain(EXTRAS);
    let bindings = modules
        .clone()
        .map(|module| Ok(vec![bind(module, "debug", &scratch)?]));
    process::run_chains("generate its JavaScript", bindings.collect::<Result<_>>()?)?;
    for module in modules {
        copy(&scratch.join(file(module)), &output.join(file(module)))?;
    }
    copy_all(&paths::at("worker/src"), &scratch)?;
    let entry = scratch.join("contracts.js");
    copy(&paths::at(CONTRACTS_ENTRY), &entry)?;
    bundle(&entry, &output)
}

/// Compiles modules together, so that shared crates are compiled once.
fn packages<'c>(compile: &'c mut Command, modules: &[&str]) -> &'c mut Command {
    for module in modules {
        compile.args([
            "--package",
            &format!("gatewright-{}-{module}", kind(module)),
        ]);
    }
    compile
}

/// Returns the scratch folder and the output folder, both emptied: leftovers of an earlier build must not be uploaded.
fn folders(scratch: &str, product: &Product) -> Result<(PathBuf, PathBuf)> {
    let folders = (paths::at(scratch), paths::at(product.output));
    empty(&[&folders.0, &folders.1])?;
    Ok(folders)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).context(|| format!("cannot copy {}", paths::shown(from)))?;
    Ok(())
}

/// Returns the command that generates the JavaScript of a module of the worker.
fn bind(module: &str, profile: &str, scratch: &Path) -> Result<Command> {
    let wasm = format!("gatewright_{}_{module}.wasm", kind(module));
    let wasm = compiled(Some(setup::WASM_TARGET), profile, &wasm);
    let mut bind = binding(module, &wasm, scratch)?;
    // The function that `module.js` calls after a trap.
    bind.arg("--experimental-reset-state-function");
    Ok(bind)
}

/// Returns the prefix of a module's package name.
fn kind(module: &str) -> &'static str {
    if EXTRAS.contains(&module) {
        "extra"
    } else {
        "worker"
    }
}

/// Generates the JavaScript of modules, each with the profile it was compiled in, moves them into their folder, shrunk
/// if they are to be deployed, and embeds their names.
fn finish(
    label: &str,
    modules: &[(&str, &str)],
    effort: Effort,
    scratch: &Path,
    output: &Path,
) -> Result<()> {
    let mut chains = Vec::new();
    for (module, profile) in modules {
        let mut chain = vec![bind(module, profile, scratch)?];
        if effort == Effort::Deployed {
            let (from, to) = (scratch.join(file(module)), output.join(file(module)));
            chain.push(shrinking(module, &from, &to));
        }
        chains.push(chain);
    }
    process::run_chains(label, chains)?;
    let from = match effort {
        Effort::Quick => scratch,
        Effort::Deployed => output,
    };
    let mut modules = modules.iter();
    modules.try_for_each(|(module, _)| name(module, from, output))
}

/// Returns the file of a module.
fn file(module: &str) -> String {
    format!("{module}_bg.wasm")
}

/// Embeds the name of a module, from one folder to another or the same one.
fn name(module: &str, from: &Path, to: &Path) -> Result<()> {
    let to = to.join(file(module));
    let cannot = || format!("cannot write the name into {}", paths::shown(&to));
    let mut wasm = std::fs::read(from.join(file(module))).context(cannot)?;
    wasm.extend(name_section(module));
    std::fs::write(&to, wasm).context(cannot)
}

/// Returns the command that shrinks a module of the worker.
fn shrinking(module: &str, from: &Path, to: &Path) -> Command {
    let mut shrink = process::command(npm::program("wasm-opt"));
    // Passes until nothing changes take twice as long as one and save 2 kB after gzip, but 0.2 kB in an extra. Functions
    // with neighbouring names are similar, which saves 4 kB. The module that serves requests is compiled for size, and
    // its smallest functions are inlined: 12 instead of 20 saves 1.3 kB. Large ones with a single caller are not
    // inlined, here or elsewhere: see `SMALL`.
    if MODULES.contains(&module) {
        shrink.arg("--converge");
    }
    if module == "dataplane" {
        shrink.args(["-O3", "--one-caller-inline-max-function-size=60"]);
        shrink.arg("--flexible-inline-max-function-size=12");
        shrink.arg("--low-memory-unused");
    } else {
        shrink.arg("-Os").args(SMALL);
    }
    shrink.args(["--reorder-functions-by-name", "--strip-producers"]);
    for class in UNUSED_CLASSES {
        shrink.arg(format!("--remove-exports=*{class}*"));
    }
    shrink.arg("--mvp-features").args(FEATURES);
    shrink.arg(from).arg("-o").arg(to);
    shrink
}

/// Returns a custom section with the name of a module and nothing else (WebAssembly core specification, appendix
/// *Custom Sections*), so that the stack trace of a trap names the module. Names here are short, so that each length
/// fits into one byte.
fn name_section(module: &str) -> Vec<u8> {
    let length = |bytes: &[u8]| u8::try_from(bytes.len()).unwrap_or(u8::MAX);
    let sized = |bytes: &[u8]| [&[length(bytes)], bytes].concat();
    let name = [&[0], &*sized(&sized(module.as_bytes()))].concat();
    let section = [&*sized(b"name"), &name].concat();
    [&[0], &*sized(&section)].concat()
}

/// Copies the files of a folder, such as the hand-written sources next to the generated ones.
fn copy_all(folder: &Path, scratch: &Path) -> Result<()> {
    for from in paths::files(folder, &[]) {
        let below = from.strip_prefix(folder).unwrap_or(&from);
        let to = scratch.join(below);
        if let Some(folder) = to.parent() {
            paths::make_folder(folder)?;
        }
        copy(&from, &to)?;
    }
    Ok(())
}

/// Bundles an entry with everything that it imports. Names are not minified, so that stack traces are readable;
/// `--keep-names` would do the same with an extra call for each function that is created, on each request.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_named_in_a_section_of_its_own() {
        assert_eq!(name_section("ab"), b"\0\x0a\x04name\0\x03\x02ab");
    }
}
