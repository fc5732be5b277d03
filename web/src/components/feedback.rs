//! Placeholders and notices: loading, empty, failed, worth noticing.

use gatewright_model::Issue;
use leptos::prelude::*;

use super::{Glyph, Icon, button, each, live, maybe, only};
use crate::api::ApiError;
use crate::state::draft::plural;
use crate::state::{effect, use_console};

/// Grey bars in the shape of the content to come.
#[component]
pub fn Bones(
    /// How many rows.
    #[prop(default = 8)]
    rows: usize,
    /// What is being loaded, for screen readers.
    label: &'static str,
) -> impl IntoView {
    view! {
        <div class="bones" role="status">
            <span class="visually-hidden">{label}</span>
            {each(0..rows, |_| view! { <span class="bone" aria-hidden="true"></span> }.into_any())}
        </div>
    }
}

/// An empty state that is no error.
#[component]
pub fn Empty(
    /// An icon.
    glyph: Glyph,
    /// What is missing.
    #[prop(into)]
    title: String,
    /// What to do about it: text and buttons.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="empty">
            <span class="empty-icon"><Icon glyph=glyph /></span>
            <h2>{title}</h2>
            {children()}
        </div>
    }
}

/// A failed request: what happened, the id it was logged under, and how to retry.
#[component]
pub fn Failure(
    /// What went wrong.
    error: ApiError,
    /// Retries the request.
    #[prop(optional, into)]
    on_retry: Option<Callback<()>>,
) -> impl IntoView {
    let (glyph, class) = match error.is_of_connection() {
        true => (Glyph::Offline, "failure unreachable"),
        false => (Glyph::Error, "failure"),
    };
    let id = error.request_id().map(str::to_owned);
    view! {
        <div class=class role="alert">
            <span class="failure-icon"><Icon glyph=glyph /></span>
            <div class="failure-text">
                <strong>{error.title()}</strong>
                <p>{error.to_string()}</p>
                {maybe(id, |id| view! { <p class="muted small">"Request id "<code>{id}</code></p> }.into_any())}
            </div>
            {maybe(on_retry, |retry| {
                button("btn", "Try again", move || retry.run(()))
            })}
        </div>
    }
}

/// How many warnings a review shows.
const WARNINGS_SHOWN: usize = 3;

/// The warnings that a document is saved with, for its review, which covers the list of problems.
pub fn saved_with(problems: &[Issue]) -> AnyView {
    let warnings: Vec<_> = problems.iter().filter(|issue| !issue.is_error()).collect();
    if warnings.is_empty() {
        return ().into_any();
    }
    let lead = format!("It is saved with {}.", plural(warnings.len(), "warning"));
    let row =
        |issue: Issue| view! { <li>{issue.message}" "<code>{issue.pointer}</code></li> }.into_any();
    let shown = warnings.iter().take(WARNINGS_SHOWN);
    let shown: Vec<Issue> = shown.map(|issue| (*issue).clone()).collect();
    let more = warnings.len().saturating_sub(WARNINGS_SHOWN);
    view! {
        <Notice tint=Tint::Amber>
            <span>{lead}</span>
            <ul class="plain">
                {each(shown, row)}
                {only(more > 0, || view! { <li>{format!("and {more} more")}</li> }.into_any())}
            </ul>
        </Notice>
    }
    .into_any()
}

/// Shows why an action failed. A failure of the connection is over as soon as there is one again: what it says would not
/// be true any more, and the button for the action is still there.
pub fn failed(failure: RwSignal<Option<ApiError>>) -> AnyView {
    until_connected(failure);
    live(move || {
        maybe(failure.get(), |error| {
            view! { <Failure error=error /> }.into_any()
        })
    })
}

/// Like [`failed`], for a save in its review.
pub fn failed_save(failure: RwSignal<Option<ApiError>>) -> AnyView {
    until_connected(failure);
    live(move || maybe(failure.get(), refused))
}

fn until_connected(failure: RwSignal<Option<ApiError>>) {
    let link = use_console().link;
    effect(move || {
        let connected = link.online() && link.reachable();
        let lost =
            |failure: &Option<ApiError>| failure.as_ref().is_some_and(ApiError::is_of_connection);
        if connected && failure.with_untracked(lost) {
            failure.set(None);
        }
    });
}

/// A refused save, with what the gateway found in the document: the editor that marks it is behind.
fn refused(error: ApiError) -> AnyView {
    let issues = error.issues().to_vec();
    let row =
        |issue: Issue| view! { <li>{issue.message}" "<code>{issue.pointer}</code></li> }.into_any();
    view! {
        <div class="dialog-note stack">
            <Failure error=error />
            {only(!issues.is_empty(), || view! { <ul class="plain">{each(issues, row)}</ul> }.into_any())}
        </div>
    }
    .into_any()
}

/// The colour of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// Information.
    Blue,
    /// Action needed.
    Amber,
    /// An error.
    Red,
    /// A success.
    Green,
}

/// A notice, with buttons after its text.
#[component]
pub fn Notice(
    /// How it looks.
    tint: Tint,
    /// Text and buttons.
    children: Children,
) -> impl IntoView {
    let (class, glyph) = match tint {
        Tint::Blue => ("notice notice-blue", Glyph::Info),
        Tint::Amber => ("notice notice-amber", Glyph::Warning),
        Tint::Red => ("notice notice-red", Glyph::Error),
        Tint::Green => ("notice notice-green", Glyph::Check),
    };
    view! {
        <div class=class>
            <Icon glyph=glyph />
            <div class="notice-text">{children()}</div>
        </div>
    }
}
