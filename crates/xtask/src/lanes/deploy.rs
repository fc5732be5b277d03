//! Whether `worker/wrangler.toml` describes a worker that can be deployed.

use crate::counts::Counts;
use crate::fail::{Result, error};
use crate::{build, npm, paths, process};

/// The bindings that wrangler has to report: a misspelt section would silently leave one out.
const BINDINGS: [&str; 3] = ["env.KV", "env.REGISTRY", "env.ASSETS"];

/// `wrangler deploy --dry-run`, one test.
///
/// # Errors
/// If the worker can't be built, wrangler refuses, or a binding is missing.
pub(super) fn run() -> Result<Counts> {
    build::run()?;
    let mut wrangler = process::command(npm::node());
    wrangler
        .arg(paths::at("node_modules/wrangler/bin/wrangler.js"))
        .args(["deploy", "--dry-run", "--outdir"])
        .arg(paths::at("target/wrangler"))
        .current_dir(paths::at("worker"))
        // Nothing here needs a network, and nothing is told to anyone.
        .env("CLOUDFLARE_CF_FETCH_ENABLED", "false")
        .env("WRANGLER_SEND_METRICS", "false")
        .env("WRANGLER_HIDE_BANNER", "true")
        .env("WRANGLER_LOG_PATH", paths::at("target/wrangler/logs"));
    let said = process::run("wrangler deploy --dry-run", &mut wrangler)?;
    match BINDINGS.iter().find(|binding| !said.contains(**binding)) {
        None => Ok(Counts::one(true)),
        Some(binding) => Err(error(format!(
            "wrangler does not know the binding {binding}"
        ))),
    }
}
