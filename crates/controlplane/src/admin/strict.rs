//! `?strict=true`: refuses, without changing anything, to store or publish what would not have the effect it asks for.
//!
//! The promise: after moving a folder of definitions here in a loop, the operator knows that each of them does what it
//! says. A write is first rehearsed as a dry run, whose warnings are those that the write would return, so no kind of
//! document needs a strict mode of its own. An import records the warnings of its lines as it goes, and removes again
//! at the end what it stored before the first of them.

use super::replies::{error_of, unexpected};
use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::endpoint::Operation;
use gatewright_api::shape::ReloadCheck;
use gatewright_model::issue::{Issue, Severity};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Reply, Selection};
use serde::Deserialize;

/// Returns the dry run that has to pass before a strict write is carried out; `None` for every other request.
pub(super) fn rehearsal(request: &Request, operation: Operation) -> Option<Request> {
    if !request.flag("strict") || !writes(operation) {
        return None;
    }
    let mut rehearsal = request.clone();
    // `dryRun` would return the document instead of its issues.
    rehearsal
        .query
        .retain(|(name, _)| name != "dry_run" && name != "dryRun");
    let dry_run = ("dry_run".to_owned(), "true".to_owned());
    rehearsal.query.push(dry_run);
    Some(rehearsal)
}

/// Whether an operation stores a document and responds with warnings about it.
const fn writes(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::CreateApi
            | Operation::UpdateApi
            | Operation::RestoreRevision
            | Operation::CreateOasApi
            | Operation::ImportOasApi
            | Operation::UpdateOasApi
            | Operation::PatchOasApi
            | Operation::CreateMcpProxy
            | Operation::UpdateMcpProxy
            | Operation::AddPolicy
            | Operation::UpdatePolicy
            | Operation::RestorePolicyRevision
            | Operation::AddKey
            | Operation::CreateKey
            | Operation::UpdateKey
            | Operation::AddOrg
            | Operation::UpdateOrg
    )
}

#[derive(Deserialize)]
struct Warnings {
    #[serde(default)]
    issues: Vec<Issue>,
}

/// Checks that a dry run has no warnings.
///
/// # Errors
/// 400 with the warnings.
pub(super) fn passes(response: &Response) -> Result<(), Error> {
    let Warnings { mut issues } = serde_json::from_str(&response.body).map_err(|_| unexpected())?;
    issues.retain(|issue| issue.severity != Severity::Info);
    let Some(first) = issues.first() else {
        return Ok(());
    };
    let text = format!(
        "Nothing was stored, because strict=true asks that everything has its effect. {}: {}",
        first.pointer, first.message
    );
    Err(Error::Unreadable(400, text, issues))
}

/// Checks that a selection can be published and, if `strict`, that the reload would skip nothing in it and everything
/// it loads would have its effect.
///
/// # Errors
/// 400, 404 or 409 with what is wrong with the selection; 409 with the counts, and in `details` the first reasons.
pub(super) async fn check_reload<P: Platform>(
    platform: &P,
    selection: Option<&Selection>,
    strict: bool,
) -> Result<(), Error> {
    let command = match selection.cloned() {
        None => Command::CheckReload,
        Some(selection) => Command::CheckSelection { selection, strict },
    };
    let check: Option<ReloadCheck> = match platform.call(&command, "").await? {
        (Reply::Json, text) => serde_json::from_str(&text).ok(),
        (reply, _) => return Err(error_of(reply)),
    };
    let check = check.ok_or_else(unexpected)?;
    if check.reasons.is_empty() {
        return Ok(());
    }
    let text = format!(
        "Nothing was published, because strict=true asks that everything is served as it says: {} skipped, {} \
         without effect in some member",
        check.skipped, check.without_effect
    );
    Err(Error::Explained(409, text, check.reasons.join("\n")))
}

/// The maximum number of an import's warnings that are listed.
const LISTED_MAX: usize = 50;

/// The warnings of a strict import about what would have no effect here.
#[derive(Default)]
pub(super) struct WithoutEffect {
    lines: Vec<String>,
    count: usize,
}

impl WithoutEffect {
    /// Records the warnings about the document of a line.
    pub(super) fn note(&mut self, line: u64, kind: &str, issues: &[Issue]) {
        for issue in issues
            .iter()
            .filter(|issue| issue.severity == Severity::Warning)
        {
            self.count = self.count.saturating_add(1);
            if self.lines.len() < LISTED_MAX {
                let Issue {
                    pointer, message, ..
                } = issue;
                self.lines
                    .push(format!("Line {line}, /{kind}/text: {pointer}: {message}"));
            }
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Builds the error that explains why nothing of the import is stored.
    pub(super) fn refusal(&self) -> Error {
        let text = format!(
            "Nothing was stored, because strict=true asks that everything has its effect: {} without",
            self.count
        );
        Error::Explained(400, text, self.lines.join("\n"))
    }
}
