//! Builds what the later lanes test while the earlier ones run, which leave part of the processors idle.

use std::process::{Child, Stdio};

use crate::build::CONTRACTS_TOO;
use crate::{paths, process};

/// A build in the background, which ends with this value.
pub(super) struct Ahead(Child);

impl Ahead {
    /// Starts it, for processors that nothing else wants. It prints nothing: a lane waits for it with the build's lock,
    /// and repeats in the foreground what failed. `None` if it can't be started, which costs only time.
    pub(super) fn start() -> Option<Self> {
        let mut build = process::command("nice");
        build.args(["-n", "10"]).arg(std::env::current_exe().ok()?);
        build
            .args(["build", CONTRACTS_TOO.name])
            .env("CARGO_MANIFEST_DIR", paths::at("crates/xtask"))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        process::spawn(&mut build).ok().map(Self)
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
