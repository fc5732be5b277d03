//! One field: what it is, how to change it, what is wrong with it.

use std::sync::Arc;

use gatewright_model::{Issue, Severity};
use leptos::prelude::*;

use super::entry::Entry;
use super::group::inside;
use super::input::{Input, Typing};
use super::page::Node;
use super::reference;
use super::state::{Form, called};
use crate::components::{Glyph, Icon, IconButton, Shown, each, live, only, unique_id};
use crate::state::Memo;
use crate::state::draft::plural;

/// Returns the view of a field of any kind. `around` is its container.
pub(super) fn row(form: Form, key: String, around: Memo<Arc<Node>>) -> AnyView {
    let node = form.node(key);
    let sort = Memo::new(move |_| node.with(|node| (node.is_entry(), node.holds())));
    live(move || match sort.get() {
        (true, _) => view! { <Entry form=form node=node around=around /> }.into_any(),
        (false, true) => view! { <Container form=form node=node /> }.into_any(),
        (false, false) => view! { <Leaf form=form node=node /> }.into_any(),
    })
}

/// A field with a value.
#[component]
fn Leaf(form: Form, node: Memo<Arc<Node>>) -> impl IntoView {
    let id = unique_id("field");
    let typing = Typing::new(form, node, id.clone());
    let label = id.clone();
    let what = facts(node);
    view! {
        <div class="form-row">
            <div class="form-what">
                {live(move || {
                    let facts = what.get();
                    view! {
                        <span class="form-title">
                            <label for=label.clone()><code>{facts.name.clone()}</code></label>
                            {badges(&facts)}
                            {reference::link(form, node, &facts.name)}
                        </span>
                        {doc(&facts, &label)}
                    }
                })}
            </div>
            <div class="form-how">
                <Input typing=typing />
                <Shown when=move || node.with(|node| node.value.is_some())>
                    <Remove form=form node=node />
                </Shown>
            </div>
            <Issues form=form node=node id=id.clone() />
            {typing.problem()}
        </div>
    }
}

/// A field with fields of its own, collapsed or not.
#[component]
fn Container(form: Form, node: Memo<Arc<Node>>) -> impl IntoView {
    let id = unique_id("field");
    let what = facts(node);
    let open = Memo::new(move |_| node.with(|node| node.open));
    let toggle = move |_| {
        let (pointer, open) = node.with_untracked(|node| (node.pointer.clone(), node.open));
        form.fold(&pointer, !open);
    };
    let within = move || {
        let count = node.with(|node| form.inside(&node.pointer));
        only(count > 0 && !open.get(), || {
            view! { <span class="badge badge-pending">{plural(count, "problem")}</span> }.into_any()
        })
    };
    let (described, label) = (id.clone(), id.clone());
    view! {
        <div class="form-box" role="group" aria-labelledby=label>
            <div class="form-bar">
                <button
                    type="button"
                    class="form-fold"
                    data-pointer=move || node.with(|node| node.pointer.clone())
                    aria-expanded=move || open.get().to_string()
                    aria-describedby=format!("{described}-doc {described}-issues")
                    on:click=toggle
                >
                    <Icon glyph=Glyph::Chevron />
                    <code id=id.clone()>{live(move || what.get().name.clone())}</code>
                    <span class="form-summary">{live(move || node.with(|node| node.summary.clone()))}</span>
                </button>
                {live(within)}
                {live(move || badges(&what.get()))}
                {live(move || reference::link(form, node, &what.get().name))}
                <Remove form=form node=node />
            </div>
            {live({
                let id = id.clone();
                move || doc(&what.get(), &id)
            })}
            <Issues form=form node=node id=id />
            <Shown when=move || open.get()>
                <div class="form-inside">{inside(form, node)}</div>
            </Shown>
        </div>
    }
}

/// The part of a field that doesn't change while somebody types.
pub(super) fn facts(node: Memo<Arc<Node>>) -> Memo<Arc<Node>> {
    Memo::new(move |_| {
        node.with(|node| {
            Arc::new(Node {
                name: node.name.clone(),
                kind: node.kind.clone(),
                doc: node.doc.clone(),
                support: node.support.clone(),
                reason: node.reason.clone(),
                presence: node.presence.clone(),
                default: node.default.clone(),
                values: node.values.clone(),
                closed: node.closed,
                ..Node::default()
            })
        })
    })
}

/// Shows whether the field is required, and how far the gateway supports it.
fn badges(node: &Node) -> AnyView {
    let presence = match node.presence.as_str() {
        "required" => "Required",
        "expected" => "Expected",
        _ => "",
    };
    // Enforced and informative members are the rule; only exceptions are marked.
    let (class, support) = match node.support.as_str() {
        "enforced" | "informative" => ("", ""),
        word => support(word),
    };
    view! {
        {only(!presence.is_empty(), || view! { <span class="form-needed">{presence}</span> }.into_any())}
        {only(!support.is_empty(), || view! { <span class=class title=(!node.reason.is_empty()).then(|| node.reason.clone())>{support}</span> }.into_any())}
    }
    .into_any()
}

/// Returns class and label of the badge for the support of a field.
pub(super) fn support(word: &str) -> (&'static str, &'static str) {
    match word {
        "enforced" => ("badge badge-plain badge-live", "Enforced"),
        "informative" => ("badge badge-plain", "Informative"),
        "stored" => ("badge badge-plain", "No effect yet"),
        "unsupported" => ("badge badge-plain badge-invalid", "No effect here"),
        _ => ("", ""),
    }
}

fn doc(node: &Node, id: &str) -> AnyView {
    let mut text = node.doc.clone();
    if !node.reason.is_empty() {
        text = format!("{text}. It can't work here: {}", node.reason);
    }
    let default = node.default.clone();
    view! {
        <p class="form-doc" id=format!("{id}-doc") title=node.kind.clone()>
            {text}
            {only(!default.is_empty(), || view! { " · Default " <code>{default}</code> }.into_any())}
        </p>
    }
    .into_any()
}

#[component]
pub(super) fn Remove(form: Form, node: Memo<Arc<Node>>) -> impl IntoView {
    let press = Callback::new(move |()| {
        let node = node.get_untracked();
        form.remove(&node.pointer, &called(&node));
    });
    live(move || {
        let name = node.with(|node| called(node));
        view! { <IconButton glyph=Glyph::Trash label=format!("Remove {name}") class="btn-small" on_press=press /> }
    })
}

/// The problems of the value itself; those inside it are shown at their own rows.
#[component]
pub(super) fn Issues(form: Form, node: Memo<Arc<Node>>, id: String) -> impl IntoView {
    let issues = Memo::new(move |_| {
        let pointer = node.with(|node| node.pointer.clone());
        form.issues
            .with(|issues| issues.get(&pointer).cloned())
            .unwrap_or_default()
    });
    let one = move |issue: Issue| {
        let (class, glyph) = match issue.severity {
            Severity::Error => ("problem-error", Glyph::Error),
            Severity::Warning => ("problem-warning", Glyph::Warning),
            Severity::Info => ("problem-info", Glyph::Info),
        };
        let remedies = form.remedies(&issue);
        let about = issue.clone();
        let button = move |(index, title): (usize, String)| {
            let about = about.clone();
            let fix = move |_| form.fix(&about, index);
            view! { <button type="button" class="btn btn-small" on:click=fix>{title}</button> }
                .into_any()
        };
        view! {
            <li class=class>
                <Icon glyph=glyph />
                <span>{issue.message}</span>
                {each(remedies, button)}
            </li>
        }
        .into_any()
    };
    view! { <ul class="form-issues" id=format!("{id}-issues")>{live(move || each(issues.get(), one))}</ul> }
}
