//! `?strict=true`: what would be stored or published without having the effect that it asks for is refused, and
//! nothing is changed.
//!
//! The promise: whoever moves a folder of definitions here knows after one loop that each of them does what it says.
//! A write is rehearsed as a dry run, whose warnings are the ones that the write would answer, so that no kind of
//! document needs a strict way of its own. An import notes the warnings of its lines as they come, and what it has
//! stored until the first of them is removed again at its end.

use super::apis::{call, of, unexpected};
use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::endpoint::Operation;
use gatewright_api::shape::ReloadCheck;
use gatewright_model::issue::{Issue, Severity};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Reply, Selection};
use serde::Deserialize;

/// The dry run that has to pass before a strict write is carried out; `None` for every other request.
pub(super) fn rehearsal(request: &Request, operation: Operation) -> Option<Request> {
    if !request.flag("strict") || !writes(operation) {
        return None;
    }
    let mut rehearsal = request.clone();
    // `dryRun` answers the document instead of what is wrong with it.
    rehearsal
        .query
        .retain(|(name, _)| name != "dry_run" && name != "dryRun");
    let dry_run = ("dry_run".to_owned(), "true".to_owned());
    rehearsal.query.push(dry_run);
    Some(rehearsal)
}

/// The operations that store a document and answer with warnings about it.
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

/// Whether a dry run has no warning.
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

/// Whether what is selected can be published, and if that is to be `strict`, whether a reload would skip nothing of
/// it, and everything of what it loads would have its effect.
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
    let check: Option<ReloadCheck> = match call(platform, &command, "").await? {
        (Reply::Json, text) => serde_json::from_str(&text).ok(),
        (reply, _) => return Err(of(reply)),
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

/// So many warnings of an import are told one by one.
const TOLD: usize = 50;

/// What the lines of a strict import have said that would have no effect here.
#[derive(Default)]
pub(super) struct WithoutEffect {
    lines: Vec<String>,
    count: usize,
}

impl WithoutEffect {
    /// Notes the warnings about the document of a line.
    pub(super) fn note(&mut self, line: u64, kind: &str, issues: &[Issue]) {
        for issue in issues
            .iter()
            .filter(|issue| issue.severity == Severity::Warning)
        {
            self.count = self.count.saturating_add(1);
            if self.lines.len() < TOLD {
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

    /// Why nothing of the import is stored.
    pub(super) fn refusal(&self) -> Error {
        let text = format!(
            "Nothing was stored, because strict=true asks that everything has its effect: {} without",
            self.count
        );
        Error::Explained(400, text, self.lines.join("\n"))
    }
}
