//! The example of `serve --example`: a program of its own (`worker/example/run.mjs`) that fills the gateway by its
//! administration, as anybody would, and is the servers and the clients of it while the gateway runs.

use std::process::{Child, Stdio};

use super::options::Options;
use crate::fail::Result;
use crate::secrets::Variables;
use crate::signals::{self, Ending};
use crate::{npm, process};

/// Where the example keeps its data unless `--data-dir` names a folder: to remove the example is to remove it.
pub(super) const DATA: &str = ".gatewright-example";

/// The running program; it ends with the gateway.
pub(super) struct Example(Child);

impl Example {
    /// # Errors
    /// If Node.js can't be started.
    pub(super) fn start(options: &Options, variables: &Variables) -> Result<Self> {
        let (gateway, console) = options.urls();
        let mut command = process::command(npm::node());
        command.args(["worker/example/run.mjs", &gateway, &console]);
        for (name, value) in &variables.values {
            command.env(name, value);
        }
        // Its lines come among ours; they are few.
        command.stdout(Stdio::inherit()).stderr(Stdio::inherit());
        signals::prepare(&mut command, Ending::Forced);
        process::spawn(&mut command).map(Self)
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
