//! The example of `serve --example`: a separate program (`worker/example/run.mjs`) that fills the gateway through its
//! administration API like any client, and acts as its upstreams and clients while the gateway runs.

use std::process::{Child, Stdio};

use super::options::Options;
use crate::fail::Result;
use crate::secrets::Variables;
use crate::signals::{self, Ending};
use crate::{npm, process};

/// The example's data folder unless `--data-dir` is given: deleting it removes the example.
pub(super) const DATA: &str = ".gatewright-example";

/// The running program; it ends with the gateway.
pub(super) struct Example(Child);

impl Example {
    /// Starts the example.
    ///
    /// # Errors
    /// If Node.js can't be started.
    pub(super) fn start(options: &Options, variables: &Variables) -> Result<Self> {
        let (gateway, console) = options.urls();
        let mut command = process::command(npm::node());
        command.args(["worker/example/run.mjs", &gateway, &console]);
        for (name, value) in &variables.values {
            command.env(name, value);
        }
        // Its few lines are mixed with ours.
        command.stdout(Stdio::inherit()).stderr(Stdio::inherit());
        signals::prepare(&mut command, Ending::Kill);
        process::spawn(&mut command).map(Self)
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
