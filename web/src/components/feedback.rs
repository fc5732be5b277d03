//! The states between and beside the good one: loading, empty, failed, worth noticing.

use leptos::prelude::*;

use super::{Glyph, Icon, each, maybe};
use crate::api::ApiError;

/// Grey bars in the shape of what is coming.
#[component]
pub fn Bones(
    /// How many rows.
    #[prop(default = 8)]
    rows: usize,
    /// What is being loaded, for a screen reader.
    label: &'static str,
) -> impl IntoView {
    view! {
        <div class="bones" role="status">
            <span class="visually-hidden">{label}</span>
            {each(0..rows, |_| view! { <span class="bone" aria-hidden="true"></span> }.into_any())}
        </div>
    }
}

/// Nothing is there, and that is fine.
#[component]
pub fn Empty(
    /// An icon.
    glyph: Glyph,
    /// What is not there.
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

/// A request failed: what happened, under which id it was logged, and how to try again.
#[component]
pub fn Failure(
    /// What went wrong.
    error: ApiError,
    /// Asks again.
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
                view! { <button type="button" class="btn" on:click=move |_| retry.run(())>"Try again"</button> }.into_any()
            })}
        </div>
    }
}

/// How a notice looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// Something to know.
    Blue,
    /// Something to do.
    Amber,
    /// Something that is wrong.
    Red,
    /// Something that worked.
    Green,
}

/// A line that asks for attention, with buttons at its end.
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
