//! Warnings about webhooks in a definition that would never be called, because calls to their URLs are refused.

use crate::egress::{self, Refusal};
use crate::ports::Platform;
use crate::registry::webhook_handlers;
use gatewright_model::issue::{Issue, IssueCode};
use gatewright_model::json::{self, LineIndex};

/// Returns warnings for handlers whose URL can't be called from here.
pub(super) fn uncallable<P: Platform>(platform: &P, text: &str) -> Vec<Issue> {
    let Ok(definition) = json::parse(text) else {
        return Vec::new();
    };
    let lines = LineIndex::new(text);
    let mut warnings = Vec::new();
    for handler in webhook_handlers::of(&definition) {
        let url = handler.text("target_path");
        if url.is_empty() {
            continue;
        }
        // Malformed URLs are already reported by the model.
        if let Err(refusal @ Refusal::Private(_)) =
            egress::destination(url, platform.allows_private())
        {
            let message = refusal.to_string();
            warnings.extend(handler.warning(&lines, "target_path", IssueCode::Format, message));
        }
    }
    warnings
}
