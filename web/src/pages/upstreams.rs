//! The upstreams of an API: the load balancing, what is down, and the open circuit breakers.

mod breakers;
mod history;
mod strip;
mod targets;

use leptos::prelude::*;

use super::api_parts::{ApiCrumbs, ApiTabs, Tab};
use super::cache::{called, no_api};
use super::overview::last_good;
use super::seen::while_seen;
use crate::api::upstreams::UpstreamHealth;
use crate::components::{
    Bones, Empty, Glyph, IconButton, Notice, PageHead, Shown, Tint, live, maybe,
};
use crate::routes;
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::{Memo, use_console};
use breakers::Breakers;
use history::History;
use targets::Targets;

/// The page.
#[component]
pub fn UpstreamsPage(
    /// The id in the address.
    id: String,
) -> impl IntoView {
    let console = use_console();
    let id = StoredValue::new(id);
    let document = Load::new(move || async move { console.api.document(&id.get_value()).await });
    let health = Load::new(move || {
        // Another set may have been loaded since.
        let _ = console.board.get();
        async move { console.api.upstreams(&id.get_value()).await }
    });
    while_seen(move |_| health.again());
    let shown = last_good(health);
    let looked = Memo::new(move |_| shown.with(Option::is_some));
    let seen = Memo::new(move |_| shown.get().unwrap_or_default());
    let title = Memo::new(move |_| id.with_value(|id| called(document.good(), id)));
    let loaded = move || seen.with(|health: &UpstreamHealth| health.loaded);
    let again = Callback::new(move |()| health.again());
    view! {
        <ApiCrumbs id=id />
        <PageHead title=Signal::derive(move || title.get()) part=Tab::Upstreams.name()>
            <span class="muted small" role="status">{live(move || seen.with(summary))}</span>
            <IconButton glyph=Glyph::Reload label="Refresh" on_press=again />
        </PageHead>
        <ApiTabs id=id tab=Signal::stored(Tab::Upstreams) />
        {live(move || maybe(health.failed(), |error| no_api(error, again)))}
        <Shown when=move || !looked.get() && health.failed().is_none()>
            <Bones rows=8 label="Loading the upstreams" />
        </Shown>
        <Shown when=move || looked.get() && loaded()>
            <Targets health=seen />
            <Breakers health=seen />
            <History health=seen id=id />
        </Shown>
        <Shown when=move || looked.get() && !loaded() && health.failed().is_none()>
            <Empty glyph=Glyph::Reload title="The gateway does not serve this API yet">
                <p>"It is stored; its upstreams are known once it is served."</p>
                <a class="btn" href=routes::RELOAD>"Review the next reload"</a>
            </Empty>
        </Shown>
        <Shown when=move || document.good().is_some_and(|document| document.pending) && loaded()>
            <Notice tint=Tint::Amber>
                <span>"A change of the definition is pending: this is about the served one."</span>
            </Notice>
        </Shown>
    }
    .into_any()
}

/// Describes its state in a few words.
fn summary(health: &UpstreamHealth) -> String {
    let down = health
        .targets
        .iter()
        .filter(|target| target.state == "down");
    let open = health
        .breakers
        .iter()
        .filter(|breaker| breaker.state != "closed");
    let (down, open) = (down.count(), open.count());
    match (down, open) {
        _ if !health.loaded => String::new(),
        (0, 0) => "Nothing is known to be down".to_owned(),
        (down, 0) => format!("{down} of {} down", plural(health.targets.len(), "target")),
        (0, open) => plural(open, "open circuit breaker"),
        (down, open) => format!(
            "{down} of {} down, {}",
            plural(health.targets.len(), "target"),
            plural(open, "open circuit breaker")
        ),
    }
}

/// A state with its label; the colour adds nothing to the label.
fn state(word: &str) -> AnyView {
    let (class, text) = match word {
        "up" => ("badge badge-live", "Up"),
        "down" => ("badge badge-invalid", "Down"),
        "closed" => ("badge badge-live", "Closed"),
        "open" => ("badge badge-invalid", "Open"),
        "half_open" => ("badge badge-pending", "Half open"),
        "fresh" => ("badge badge-live", "Fresh"),
        "stale" => ("badge badge-pending", "Stale"),
        "failed" => ("badge badge-invalid", "Failed"),
        "unused" => ("badge badge-inactive", "Not asked yet"),
        _ => ("badge badge-inactive", "Not tested"),
    };
    view! {
        <span class=class>
            <span class="badge-dot" aria-hidden="true"></span>
            {text}
        </span>
    }
    .into_any()
}
