//! Placeholders and notices: loading, empty, failed, worth noticing.

use gatewright_model::Issue;
use leptos::prelude::*;

use super::{Glyph, Icon, button, each, maybe, only};
use crate::api::ApiError;

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
    let glyph = if error == ApiError::Unreachable {
        Glyph::Offline
    } else {
        Glyph::Error
    };
    let id = error.request_id().map(str::to_owned);
    view! {
        <div class="failure" role="alert">
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

/// A refused save in its review, with what the gateway found in the document: the editor that marks it is behind.
pub fn refused(error: ApiError) -> AnyView {
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
