//! The dashboard credential that `serve --organisation` issues for an organisation other than `DASHBOARD_ORG_ID`.

use super::options::Options;
use crate::secrets::Variables;
use crate::{npm, process};

/// Issues a credential with every right at the dashboard API for an organisation, and returns its token.
///
/// # Errors
/// One line if Node.js can't be started or the gateway refuses.
pub(super) fn issue(
    organisation: &str,
    options: &Options,
    variables: &Variables,
) -> Result<String, String> {
    let (gateway, _) = options.urls();
    let mut command = process::command(npm::node());
    command.args(["worker/local/credential.mjs", &gateway, organisation]);
    for (name, value) in &variables.values {
        command.env(name, value);
    }
    let output = command.output().map_err(|reason| reason.to_string());
    let reason = match output {
        Ok(output) if output.status.success() => {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(reason) => reason,
    };
    Err(format!(
        "cannot issue a credential for the organisation {organisation}: {reason}"
    ))
}
