//! The form of a document: the same text as in the JSON editor, for people who don't want JSON.
//!
//! Its content is computed by the editor's module, which has the table of the data model (`web/src/editor/form.rs`);
//! every edit is the smallest possible one of the text. So member order, layout, the notation of numbers and unknown
//! members stay as they are.

mod add;
mod entry;
mod focus;
mod group;
mod input;
mod page;
mod reference;
mod row;
mod state;
mod unread;
mod view;

use gatewright_model::Position;
use leptos::prelude::*;

use super::assist::{Assist, Code, TAG, load};
use super::{Bones, Glyph, Icon, Notice, Shown, Tint, each, live, maybe};
use crate::state::Memo;
use add::AddField;
use group::inside;
use state::{Adding, Form};
pub use state::{Removed, Subject};

/// A document as a form.
#[component]
pub fn FormView(
    /// The document and its callbacks.
    subject: Subject,
) -> impl IntoView {
    let code = load(TAG);
    let form = Form::new(subject, code);
    Effect::new(move |before: Option<()>| {
        // A target from before the form was opened is not followed now.
        let pointer = subject.goto.get();
        if before.is_some() {
            form.go(&pointer);
        }
    });
    let body = move || match code.get() {
        Code::Loading => view! { <Bones rows=12 label="Loading the form" /> }.into_any(),
        Code::Ready if Assist::here().is_some() => {
            view! { <Body form=form on_json=subject.on_json /> }.into_any()
        }
        _ => view! {
            <Notice tint=Tint::Red>
                <span>"The form could not be loaded. The JSON view works without it."</span>
            </Notice>
        }
        .into_any(),
    };
    view! {
        <div class="form" on:keydown=move |event| reference::press(form, &event)>{live(body)}</div>
        {live(move || maybe(form.adding.get(), |adding| view! { <AddField form=form adding=adding /> }.into_any()))}
    }
}

/// The page, or why there is none.
#[component]
fn Body(form: Form, on_json: Callback<Position>) -> impl IntoView {
    let problem = Memo::new(move |_| form.page.with(|page| page.problem.clone()));
    live(move || {
        match problem.get() {
        Some((message, position)) => view! {
            <Notice tint=Tint::Red>
                <span><strong>"This text can't be shown as a form. "</strong>{format!("Line {}: {message}", position.line)}</span>
                <button type="button" class="btn btn-small" on:click=move |_| on_json.run(position)>
                    {format!("Go to line {} of the JSON", position.line)}
                </button>
            </Notice>
        }
        .into_any(),
        None => view! {
            <Crumbs form=form />
            {inside(form, form.page_node())}
        }
        .into_any(),
    }
    })
}

/// The path of the page in the document, and the finder for any field.
#[component]
fn Crumbs(form: Form) -> impl IntoView {
    let crumbs = Memo::new(move |_| form.page.with(|page| page.crumbs.clone()));
    let page_node = form.page_node();
    let find = move |_| form.adding.set(Some(Adding::default()));
    let rows = move || {
        let crumbs = crumbs.get();
        let last = crumbs.len().saturating_sub(1);
        each(
            crumbs.into_iter().enumerate(),
            move |(index, (pointer, name))| {
                if index == last {
                    return view! { <li aria-current="location"><code>{name}</code></li> }
                        .into_any();
                }
                let open = move |_| form.open(&pointer);
                view! {
                <li>
                    <button type="button" class="form-crumb" on:click=open><code>{name}</code></button>
                    <Icon glyph=Glyph::Chevron />
                </li>
            }
            .into_any()
            },
        )
    };
    view! {
        <div class="form-top" tabindex="-1" data-page="" role="group" aria-label="Position in the document">
            <ol class="form-crumbs">{live(rows)}</ol>
            <button type="button" class="btn btn-small" on:click=find>
                <Icon glyph=Glyph::Search />
                "Find or add a field"
            </button>
        </div>
        <Shown when=move || page_node.with(|page| page.groups.is_empty() && page.unknown.is_empty() && page.total == 0)>
            <p class="form-doc">"Nothing is set here."</p>
        </Shown>
    }
}
