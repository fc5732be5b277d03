//! Checks that `worker/wrangler.toml` describes a deployable worker.

use crate::counts::Counts;
use crate::fail::{Result, error};
use crate::{build, npm, paths, process};

/// The bindings that wrangler has to report: a misspelt section would silently drop one.
const BINDINGS: [&str; 5] = [
    "env.KV",
    "env.REGISTRY",
    "env.LEDGER",
    "env.METER",
    "env.ASSETS",
];

/// `wrangler deploy --dry-run`, one test.
///
/// # Errors
/// If the worker can't be built, wrangler refuses, or a binding is missing.
pub(super) fn run() -> Result<Counts> {
    build::all(build::Effort::Deployed)?;
    let mut wrangler = process::command(npm::node());
    wrangler
        .arg(paths::at("node_modules/wrangler/bin/wrangler.js"))
        .args(["deploy", "--dry-run", "--outdir"])
        .arg(paths::at("target/wrangler"))
        .current_dir(paths::at("worker"))
        // Nothing here needs a network, and no telemetry is sent.
        .env("CLOUDFLARE_CF_FETCH_ENABLED", "false")
        .env("WRANGLER_SEND_METRICS", "false")
        .env("WRANGLER_HIDE_BANNER", "true")
        .env("WRANGLER_LOG_PATH", paths::at("target/wrangler/logs"));
    let output = process::run("wrangler deploy --dry-run", &mut wrangler)?;
    match BINDINGS.iter().find(|binding| !output.contains(**binding)) {
        None => Ok(Counts::one(true)),
        Some(binding) => Err(error(format!(
            "wrangler does not know the binding {binding}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::paths;

    fn text(path: &str) -> String {
        std::fs::read_to_string(paths::at(path)).unwrap()
    }

    /// Returns the texts between each `start` and the next `end`.
    fn between(text: &str, start: &str, end: char) -> BTreeSet<String> {
        let parts = text.split(start).skip(1);
        parts
            .filter_map(|part| Some(part.split_once(end)?.0.to_owned()))
            .collect()
    }

    #[test]
    fn both_runtimes_behave_as_of_the_same_day() {
        let edge = between(
            &text("worker/wrangler.toml"),
            "\ncompatibility_date = \"",
            '"',
        );
        let local = between(&text("worker/workerd.capnp"), "compatibilityDate = \"", '"');
        assert_eq!(edge.len(), 1);
        assert_eq!(edge, local);
    }

    #[test]
    fn both_runtimes_give_the_worker_the_same_variables() {
        let edge = text("worker/wrangler.toml");
        let vars = edge
            .split("\n[vars]\n")
            .nth(1)
            .unwrap()
            .split("\n[")
            .next()
            .unwrap();
        let lines = vars.lines().filter(|line| !line.starts_with('#'));
        let mut edge: BTreeSet<String> = lines
            .filter_map(|line| Some(line.split_once(" = ")?.0.to_owned()))
            .collect();
        edge.extend(crate::secrets::NAMES.map(str::to_owned));
        let mut local = between(&text("worker/workerd.capnp"), "fromEnvironment = \"", '"');
        // The number of a process, and the code of its start link: at the edge the platform manages processes, and
        // nobody starts them.
        for local_only in ["PROCESS", "CONNECT_CODE"] {
            local.remove(local_only);
        }
        assert_eq!(edge, local);
    }
}
