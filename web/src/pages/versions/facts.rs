//! How each version is reached, chosen and served, one column per version.

use std::sync::Arc;

use leptos::prelude::*;

use super::Desk;
use super::found::{Found, Member};
use crate::components::badge::state_reason;
use crate::components::{StateBadge, each, live, maybe, only};
use crate::routes;

/// The table.
#[component]
pub(super) fn Facts(desk: Desk) -> impl IntoView {
    let table = move || maybe(desk.good(), |found| table(desk, found));
    let otherwise = move || {
        let chooser = desk.good().and_then(|found| found.chooser.clone());
        chooser.map_or_else(
            || "Choosing between them is switched off: every request gets the base.".to_owned(),
            |chooser| chooser.otherwise(),
        )
    };
    view! {
        <section class="offered-part" aria-labelledby="facts-title">
            <h2 id="facts-title">"Side by side"</h2>
            <p class="muted small">{live(otherwise)}</p>
            {live(table)}
        </section>
    }
}

fn table(desk: Desk, found: Arc<Found>) -> AnyView {
    let members = found.members.iter().enumerate();
    let head = |(_, member): (usize, &Member)| {
        let href = routes::api_page(&member.version.id, member.kind());
        let name = member.called().to_owned();
        view! { <th scope="col"><a href=href>{name}</a></th> }.into_any()
    };
    let row = |label: &'static str, cell: &dyn Fn(usize, &Member) -> AnyView| {
        let cells = found.members.iter().enumerate();
        view! {
            <tr>
                <th scope="row">{label}</th>
                {each(cells, |(at, member)| view! { <td>{cell(at, member)}</td> }.into_any())}
            </tr>
        }
        .into_any()
    };
    let make = move |at: usize, member: &Member| {
        let label = format!("New version from {}", member.called());
        only(
            member.document().is_some() && !untrack(|| desk.console.only_reads()),
            || {
                view! { <button type="button" class="btn btn-small" on:click=move |_| desk.start(Some(at))>{label}</button> }.into_any()
            },
        )
    };
    let rows = [
        row("API", &|_, member| api(member)),
        row("Chosen by", &|_, member| chosen(&found, member)),
        row("Own address", &|_, member| address(member)),
        row("Expires", &|_, member| expires(member)),
        row("Served", &|_, member| served(member)),
        row("", &make),
    ];
    view! {
        <div class="card across" tabindex="0" role="region" aria-labelledby="facts-title">
            <table class="across-table">
                <caption class="visually-hidden">"Versions of this API"</caption>
                <thead>
                    <tr>
                        <th scope="col"><span class="visually-hidden">"Property"</span></th>
                        {each(members, head)}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn api(member: &Member) -> AnyView {
    let version = &member.version;
    let name = if version.name.is_empty() {
        &version.id
    } else {
        &version.name
    };
    view! {
        <span>{name.clone()}</span>
        <code class="muted small block">{version.id.clone()}</code>
    }
    .into_any()
}

fn chosen(found: &Found, member: &Member) -> AnyView {
    let version = &member.version;
    let is_named = !version.version_name.is_empty();
    let chosen_by = found.chooser.as_ref().filter(|_| is_named);
    let chosen_by = chosen_by.map(|chooser| chooser.selector(&version.version_name));
    view! {
        {maybe(chosen_by, |(word, written)| view! {
            <span class="muted small block">{word}</span>
            <code>{written}</code>
        }.into_any())}
        " "
        {only(version.is_default, || view! { <span class="badge badge-plain badge-added">"Default"</span> }.into_any())}
    }
    .into_any()
}

fn address(member: &Member) -> AnyView {
    let summary = member.summary.as_ref();
    match summary {
        Some(_) if member.version.internal => {
            view! { <span class="muted">"None: it is internal"</span> }.into_any()
        }
        Some(summary) => {
            view! { <code>{format!("{}{}", summary.domain, summary.listen_path)}</code> }.into_any()
        }
        None => view! { <span class="muted">"Not known"</span> }.into_any(),
    }
}

fn expires(member: &Member) -> AnyView {
    match member.version.expires.as_str() {
        "" => view! { <span class="muted">"Never"</span> }.into_any(),
        // As written: in UTC, without a zone.
        at => view! { <span>{at.to_owned()}" UTC"</span> }.into_any(),
    }
}

fn served(member: &Member) -> AnyView {
    let Some(summary) = member.summary.clone() else {
        let why = member.text.as_ref().err().map(ToString::to_string);
        return view! { <span class="field-problem">{why.unwrap_or_else(|| "It is not listed.".to_owned())}</span> }
            .into_any();
    };
    let reason = state_reason(
        &summary.state,
        summary.pending.as_deref(),
        summary.problem.as_deref(),
    );
    view! {
        <StateBadge state=summary.state pending=summary.pending problem=summary.problem />
        <span class="muted small block">{reason}</span>
    }
    .into_any()
}
