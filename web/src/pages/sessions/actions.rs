//! The actions on a stored session besides editing: immediate, and guarded by what is stored.

use std::future::Future;
use std::pin::Pin;

use gatewright_model::json::edit;
use gatewright_model::session::Session;
use js_sys::Date;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::extend::ExtendDialog;
use super::rotate::RotateDialog;
use crate::api::ApiError;
use crate::api::dashboard::Group;
use crate::components::{Confirm, Moment, Shown, live, maybe, only};
use crate::pages::documents::{Desk, fetch};
use crate::state::Memo;
use crate::state::clock::unix_seconds;

/// The expiry of a key that was let expire by hand: any other one in the past is refused (reference 1.6, rule 3).
pub(in crate::pages) const ENDED: i64 = 1;

/// An action that opens a dialog first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Deactivate,
    Expire,
    Reset,
    Extend,
    Rotate,
}

impl Action {
    /// Returns the question about a document of this name, the label of the button, and the effect.
    fn texts(self, group: Group, name: &str) -> (String, &'static str, &'static str) {
        match (self, group) {
            (Self::Deactivate, Group::Keys) => (
                format!("Deactivate “{name}”?"),
                "Deactivate",
                "Every request with this key is refused from now on, until it is activated again.",
            ),
            (Self::Deactivate, _) => (
                format!("Deactivate “{name}”?"),
                "Deactivate",
                "Every request to every API of this organisation is refused from now on, whatever key it has, until it is activated again.",
            ),
            (Self::Expire, _) => (
                format!("Let “{name}” expire now?"),
                "Let it expire",
                "Every request with this key is refused from now on, until it is extended.",
            ),
            _ => (
                format!("Reset the counters of “{name}”?"),
                "Reset",
                "Its quotas and rates start over now.",
            ),
        }
    }

    const fn danger(self) -> bool {
        matches!(self, Self::Deactivate | Self::Expire)
    }
}

/// The card: state, expiry, and actions.
#[component]
pub(in crate::pages) fn SessionCard(
    /// The session's page.
    desk: Desk,
) -> impl IntoView {
    let asking = RwSignal::new(None::<Action>);
    let base = Memo::new(move |_| desk.base());
    let stored = move || base.with(|base| Session::parse(base).unwrap_or_default());
    let key = desk.sort.group == Group::Keys;
    // With policies the session's own member has no effect (reference 2.4, row 13).
    let by_policies = move || key && !stored().policies.is_empty();
    let off = move || stored().is_inactive;
    let expired = move || stored().is_expired(unix_seconds(Date::now()).unwrap_or_default());
    let toggle = move |_| {
        if untrack(off) {
            switch(desk, true);
        } else {
            asking.set(Some(Action::Deactivate));
        }
    };
    let button = move |label: &'static str, what: Action| {
        view! { <button type="button" class="btn btn-small" on:click=move |_| asking.set(Some(what))>{label}</button> }.into_any()
    };
    view! {
        <section class="card panel" aria-labelledby="state-title">
            <h2 id="state-title">"State"</h2>
            <Facts base=base key=key />
            <Shown when=move || !desk.console.only_reads()>
                <div class="row">
                    <Shown when=move || !by_policies()>
                        <button type="button" class="btn btn-small" on:click=toggle>
                            {live(move || if off() { "Activate" } else { "Deactivate…" })}
                        </button>
                    </Shown>
                    <Shown when=move || by_policies() && !expired()>{button("Expire now…", Action::Expire)}</Shown>
                    {only(key, || button("Extend…", Action::Extend))}
                    {button("Reset counters…", Action::Reset)}
                    {only(key, || view! {
                        <button
                            type="button"
                            class="btn btn-small"
                            disabled=move || desk.dirty()
                            title=move || desk.dirty().then_some("Save your changes first: the key gets another page")
                            on:click=move |_| asking.set(Some(Action::Rotate))
                        >
                            "New token…"
                        </button>
                    }.into_any())}
                </div>
                <Shown when=by_policies>
                    <p class="muted small">"Whether it is active depends on its policies: each applies to all its keys at once."</p>
                </Shown>
                <p class="muted small">"These take effect at once, on what is stored; what you are editing stays."</p>
            </Shown>
        </section>
        <Question desk=desk asking=asking />
        <Shown when=move || asking.get() == Some(Action::Extend)>
            <ExtendDialog desk=desk expires=untrack(stored).expires on_close=Callback::new(move |()| asking.set(None)) />
        </Shown>
        <Shown when=move || asking.get() == Some(Action::Rotate)>
            <RotateDialog desk=desk on_close=Callback::new(move |()| asking.set(None)) />
        </Shown>
    }
}

#[component]
fn Facts(base: Memo<String>, key: bool) -> impl IntoView {
    let stored = move || base.with(|base| Session::parse(base).unwrap_or_default());
    let state = move || {
        let now = unix_seconds(Date::now()).unwrap_or_default();
        let (class, word) = match stored() {
            stored if stored.is_inactive => ("badge badge-inactive", "Inactive"),
            stored if stored.is_expired(now) => ("badge badge-deleted", "Expired"),
            _ => ("badge badge-live", "Active"),
        };
        view! {
            <span class=class>
                <span class="badge-dot" aria-hidden="true"></span>
                {word}
            </span>
        }
        .into_any()
    };
    let ends = move || match stored().expires {
        ENDED => "Expired".into_any(),
        at if at > 0 => view! { <Moment seconds=at /> }.into_any(),
        _ => "Never".into_any(),
    };
    view! {
        <dl class="facts">
            <div>
                <dt>"State"</dt>
                <dd>{live(state)}</dd>
            </div>
            {only(key, || view! {
                <div>
                    <dt>"Expires"</dt>
                    <dd>{live(ends)}</dd>
                </div>
            }.into_any())}
        </dl>
    }
}

#[component]
fn Question(desk: Desk, asking: RwSignal<Option<Action>>) -> impl IntoView {
    let close = Callback::new(move |()| asking.set(None));
    let dialog = move |what: Action| {
        let name = untrack(|| desk.title());
        let (title, label, text) = what.texts(desk.sort.group, &name);
        let confirm = Callback::new(move |()| {
            asking.set(None);
            match what {
                Action::Deactivate => switch(desk, false),
                Action::Expire => set(desk, "/expires", ENDED.to_string(), "It has expired."),
                _ => reset(desk),
            }
        });
        view! {
            <Confirm title=title label=label danger={what.danger()} on_confirm=confirm on_cancel=close>
                <p>{text}</p>
            </Confirm>
        }
        .into_any()
    };
    let own = |what: &Action| !matches!(what, Action::Extend | Action::Rotate);
    let confirmed = move || asking.get().filter(own);
    live(move || maybe(confirmed(), dialog))
}

/// Runs an action, reports its outcome, and fetches what is stored then.
fn run(desk: Desk, work: Work) {
    let toasts = desk.console.toasts;
    spawn_local(async move {
        match work.await {
            Ok(what) => toasts.good(what),
            Err(ApiError::Stale(_)) => {
                toasts.bad("Somebody changed it meanwhile. It is shown as it is now.");
            }
            Err(error) => toasts.failed(&error),
        }
        desk.fetch_again();
        desk.again.notify();
    });
}

/// The requests of an action; they yield the message for its success.
type Work = Pin<Box<dyn Future<Output = Result<&'static str, ApiError>>>>;

/// Sets one member of what is stored now, and reports it; every other byte stays.
pub(super) fn set(desk: Desk, pointer: &'static str, value: String, message: &'static str) {
    let Desk { console, sort, .. } = desk;
    let id = desk.id().unwrap_or_default();
    let work = async move {
        let stored = fetch(console, sort, &id).await?;
        let text =
            edit::set(&stored.text, pointer, &value).map_err(|error| ApiError::Unreadable {
                what: error.to_string(),
                request_id: None,
            })?;
        let put = console.api.put(sort.group, &id, &text, &stored.etag);
        put.await.map(|_| message)
    };
    run(desk, Box::pin(work));
}

fn switch(desk: Desk, on: bool) {
    let message = if on { "Activated." } else { "Deactivated." };
    set(desk, "/is_inactive", (!on).to_string(), message);
}

fn reset(desk: Desk) {
    let Desk { console, sort, .. } = desk;
    let id = desk.id().unwrap_or_default();
    let work = async move {
        let stored = fetch(console, sort, &id).await?;
        console
            .api
            .reset_counters(sort.group, &id, &stored.text, &stored.etag)
            .await?;
        Ok("The counters were reset.")
    };
    run(desk, Box::pin(work));
}
