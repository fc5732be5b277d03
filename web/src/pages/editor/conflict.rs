//! Somebody else stored something since editing started: both sides, and three ways to continue.

use leptos::prelude::*;

use super::desk::Desk;
use super::review::{Save, Saver};
use crate::api::{Document, Revision, Revisions, api_path};
use crate::components::{ChangeList, LineDiff, Notice, Shown, Tint, When, button, each, live};
use crate::state::draft::{Draft, changes_between, plural};
use crate::state::load::Load;
use crate::state::rebase::rebase;

/// The conflict. Nothing is overwritten unless the user decides so after seeing what.
#[component]
pub(super) fn Conflict(
    desk: Desk,
    base: Document,
    theirs: Document,
    save: Saver,
    close: Callback<()>,
) -> impl IntoView {
    let mine = desk.draft_untracked().text;
    let sides = [
        (
            "What they changed",
            changes_between(&base.text, &theirs.text),
        ),
        ("What you changed", changes_between(&base.text, &mine)),
    ];
    let side = |(title, changes): (&'static str, Vec<_>)| {
        view! {
            <section class="side-of-conflict" aria-label=title>
                <h3>{title}<span class="muted">{format!(" · {}", plural(changes.len(), "change"))}</span></h3>
                <ChangeList changes=changes />
            </section>
        }
        .into_any()
    };
    let headline = match (base.revision(), theirs.revision()) {
        (Some(yours), Some(stored)) => {
            format!(
                "You started from revision {yours}; revision {stored} is stored now. Nothing has been overwritten."
            )
        }
        _ => "What is stored is no longer what you started from. Nothing has been overwritten."
            .to_owned(),
    };
    let id = desk.id().unwrap_or_default();
    let newest = Load::new(move || {
        let path = api_path(&id);
        async move { desk.console.api.revisions(&path, None).await }
    });
    let overwriting = RwSignal::new(false);
    let (before, after) = (theirs.text.clone(), mine.clone());
    let etag = theirs.etag.clone();
    let texts = StoredValue::new((base, theirs, mine));
    view! {
        <div class="dialog-body">
            <Notice tint=Tint::Amber>
                <span><strong>{live(move || changed_by(newest.good()))}</strong>" "{headline}</span>
            </Notice>
            <div class="sides">{each(sides, side)}</div>
            <LineDiff before=before after=after label="From theirs to yours, line by line" />
        </div>
        <footer class="dialog-foot conflict-foot">
            <Shown when=move || overwriting.get() fallback=move || view! { <WaysOn desk=desk texts=texts overwriting=overwriting close=close /> }>
                <Overwrite etag=etag.clone() save=save overwriting=overwriting />
            </Shown>
        </footer>
    }
}

/// Who saved first, and when, as far as that is known.
fn changed_by(revisions: Option<Revisions>) -> AnyView {
    let newest = revisions.and_then(|found| found.revisions.into_iter().next());
    match newest {
        Some(Revision { by, at, .. }) if !by.is_empty() => {
            view! { "Changed by "{by}" "<When at=at />"." }.into_any()
        }
        _ => "Changed by somebody else.".into_any(),
    }
}

type Texts = StoredValue<(Document, Document, String)>;

#[component]
fn WaysOn(
    desk: Desk,
    texts: Texts,
    overwriting: RwSignal<bool>,
    close: Callback<()>,
) -> impl IntoView {
    let discard = move || {
        let theirs = texts.with_value(|(_, theirs, _)| theirs.clone());
        desk.put(Draft::of(theirs));
        desk.console
            .toasts
            .good("Your changes are discarded; the editor shows what is stored.");
        close.run(());
    };
    let carry_over = move |_| {
        let outcome =
            texts.with_value(|(base, theirs, mine)| rebase(&base.text, mine, &theirs.text));
        match outcome {
            Ok(rebased) => {
                let theirs = texts.with_value(|(_, theirs, _)| theirs.clone());
                desk.put(Draft::with(Some(theirs), rebased.text.clone()));
                desk.rebased.set(Some(rebased));
                close.run(());
            }
            Err(_) => desk
                .console
                .toasts
                .bad("One of the texts is not JSON, so the changes can't be carried over."),
        }
    };
    view! {
        {button("btn btn-quiet", "Discard mine", discard)}
        <span class="spacer"></span>
        {button("btn", "Overwrite theirs…", move || overwriting.set(true))}
        <button type="button" class="btn btn-primary" autofocus on:click=carry_over>"Rebase onto theirs"</button>
    }
}

#[component]
fn Overwrite(etag: String, save: Saver, overwriting: RwSignal<bool>) -> impl IntoView {
    let revision = etag.trim_matches('"').to_owned();
    let overwrite = move |_| {
        save.run(Save::Replace(etag.clone()));
    };
    view! {
        <p class="foot-note" role="status">
            {format!("Your text replaces revision {revision} completely. That revision stays in the list of revisions.")}
        </p>
        <span class="spacer"></span>
        {button("btn", "Back", move || overwriting.set(false))}
        <button type="button" class="btn btn-danger" disabled=move || save.task.busy() on:click=overwrite>
            "Overwrite theirs"
        </button>
    }
}
