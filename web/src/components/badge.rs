//! Badges for the state of something, with the reason for it.

use leptos::prelude::*;

use super::{only, unique_id};
use crate::state::plan::bare;

/// Returns the display name of a state.
#[must_use]
pub fn state_label(state: &str) -> &'static str {
    match state {
        "live" => "Served",
        "pending" => "Pending",
        "inactive" => "Inactive",
        "internal" => "Internal",
        "invalid" => "Skipped",
        "deleted" => "Deleted",
        _ => "Unknown",
    }
}

/// Explains the state of an API in one sentence.
#[must_use]
pub fn state_reason(state: &str, pending: Option<&str>, problem: Option<&str>) -> String {
    let base = match (state, pending, problem) {
        ("invalid", _, Some(problem)) => {
            return format!("Skipped by the last reload: {}", bare(problem));
        }
        ("invalid", ..) => "Skipped by the last reload",
        ("pending", Some("added"), _) => "Stored, served from the next reload on",
        ("pending", ..) => "The previous revision is in effect until the next reload",
        // What is loaded may still be served.
        ("inactive", Some("modified"), _) => {
            "Not served from the next reload on: \"active\" is false in what is stored"
        }
        ("internal", Some("modified"), _) => {
            "Not served publicly from the next reload on: \"internal\" is true in what is stored"
        }
        ("inactive", ..) => "Not served: \"active\" is false",
        ("internal", ..) => "Not served publicly: \"internal\" is true",
        ("deleted", Some(_), _) => "Deleted, but served until the next reload. It can be restored",
        ("deleted", ..) => "Deleted. It can be restored",
        _ => "Served as it is stored",
    };
    base.to_owned()
}

/// Says how many names a short list leaves out, and on hover and to screen readers which.
#[must_use]
pub fn left_out(names: &[String]) -> AnyView {
    only(!names.is_empty(), || {
        let (count, names) = (names.len(), names.join(", "));
        view! {
            <span class="muted small" title=names.clone()>
                <span aria-hidden="true">{format!("+{count}")}</span>
                <span class="visually-hidden">{format!("and {names}")}</span>
            </span>
        }
        .into_any()
    })
}

/// The state of an API; the reason shows on hover and on focus.
#[component]
pub fn StateBadge(
    /// live, pending, inactive, internal, invalid or deleted.
    #[prop(into)]
    state: String,
    /// What the next reload does with it.
    #[prop(optional_no_strip)]
    pending: Option<String>,
    /// Why it was skipped.
    #[prop(optional_no_strip)]
    problem: Option<String>,
) -> impl IntoView {
    let id = unique_id("reason");
    let reason = state_reason(&state, pending.as_deref(), problem.as_deref());
    let unsettled = pending.is_some() && state != "pending";
    // A live API needs no explanation, so its badge is no tab stop.
    let tabindex = (state != "live").then_some("0");
    view! {
        <span class="tip">
            <span class=format!("badge badge-{state}") tabindex=tabindex aria-describedby=id.clone()>
                <span class="badge-dot" aria-hidden="true"></span>
                {state_label(&state)}
                {only(unsettled, || view! { <span class="badge-extra" aria-hidden="true">"•"</span> }.into_any())}
            </span>
            <span class="tip-text" role="tooltip" id=id>{reason}</span>
        </span>
    }
}

/// What a reload does, or what a revision or an entry of the audit trail was: added, modified, deleted, restored,
/// skipped or inactive; reloaded, signed-in or signed-out.
#[component]
pub fn ChangeBadge(
    /// The word.
    #[prop(into)]
    change: String,
) -> impl IntoView {
    let label = match change.as_str() {
        "added" => "Added",
        "modified" => "Modified",
        "deleted" => "Deleted",
        "removed" => "Removed",
        "restored" => "Restored",
        "skipped" => "Skipped",
        "inactive" => "Inactive",
        "reloaded" => "Reloaded",
        "signed-in" => "Signed in",
        "signed-out" => "Signed out",
        _ => "Changed",
    };
    view! { <span class=format!("badge badge-plain badge-{change}")>{label}</span> }
}

#[cfg(test)]
mod tests {
    use super::state_reason;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn an_api_is_served_until_its_deactivation_is_loaded() {
        let reason = |pending| state_reason("inactive", pending, None);
        assert!(reason(Some("modified")).starts_with("Not served from the next reload on"));
        for pending in [None, Some("added")] {
            assert_eq!(reason(pending), "Not served: \"active\" is false");
        }
    }
}
