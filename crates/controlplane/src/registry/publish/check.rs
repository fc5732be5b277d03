//! What a reload with `?strict=true` refuses: APIs that would be skipped, and members that would have no effect.

use super::set::Set;
use crate::registry::{Registry, Replied, refuse};
use gatewright_api::shape::ReloadCheck;
use gatewright_model::document;
use gatewright_model::issue::{Issue, Severity};
use gatewright_model::json;
use gatewright_model::shape::Root;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{Reply, Selection, body};
use gatewright_protocol::snapshot;

/// The maximum number of reasons in a response; the counts cover all.
const REASONS_MAX: usize = 20;

/// Checks what is stored as a reload does, without publishing. Files that somebody put into KV are checked only by the
/// reload.
///
/// # Errors
/// If the rows can't be read.
pub(in crate::registry) fn check(registry: &mut Registry) -> Replied {
    check_selection(registry, None, true)
}

/// Checks that a selection can be published at all, and if `strict`, what it changes as [`check`] does.
///
/// # Errors
/// If the rows can't be read.
pub(in crate::registry) fn check_selection(
    registry: &mut Registry,
    selection: Option<&Selection>,
    strict: bool,
) -> Replied {
    let set = match registry.selected(selection)? {
        Ok(set) => set,
        Err(obstacle) => return refuse(obstacle.refusal()),
    };
    let found = match strict {
        true => found(registry, &set, selection.is_some())?,
        false => ReloadCheck::default(),
    };
    Ok((Reply::Json, body(&found)?))
}

fn found(registry: &Registry, set: &Set, changed_only: bool) -> Result<ReloadCheck, StoreError> {
    let mut found = ReloadCheck::default();
    let mut say = |reason: String| {
        if found.reasons.len() < REASONS_MAX {
            found.reasons.push(reason);
        }
    };
    let looked_at = |is_changed: bool| is_changed || !changed_only;
    let documents = set.documents.iter().filter(|document| document.is_active);
    for document in documents.filter(|document| looked_at(document.is_changed)) {
        let id = &document.id;
        let text = document.with_tools(registry)?;
        match snapshot::check(&text, &registry.allowed) {
            Err((reason, _)) => {
                found.skipped = found.skipped.saturating_add(1);
                say(format!("API {id} would be skipped: {reason}"));
            }
            Ok((_, issues)) => {
                if let Some(reason) = without_effect(&issues) {
                    found.without_effect = found.without_effect.saturating_add(1);
                    say(format!("API {id}: {reason}"));
                }
            }
        }
    }
    let policies = set.policies.iter().zip(&set.changed_policies);
    for (text, _) in policies.filter(|(_, is_changed)| looked_at(**is_changed)) {
        if let Some(reason) = without_effect(&document::validate(Root::Policy, text)) {
            found.without_effect = found.without_effect.saturating_add(1);
            let policy = json::parse(text).ok();
            let member = |name| policy.as_ref()?.str(name).filter(|text| !text.is_empty());
            let id = member("id").or_else(|| member("_id")).unwrap_or_default();
            say(format!("policy {id}: {reason}"));
        }
    }
    Ok(found)
}

/// Returns the first warning about a document, and how many more there are.
fn without_effect(issues: &[Issue]) -> Option<String> {
    let mut warnings = issues
        .iter()
        .filter(|issue| issue.severity == Severity::Warning);
    let first = warnings.next()?;
    let more = match warnings.count() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Some(format!("{}: {}{more}", first.pointer, first.message))
}
