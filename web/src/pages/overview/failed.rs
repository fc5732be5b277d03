//! A failed request, as far as it is kept, and the link that sends it again.

use leptos::prelude::*;

use super::place::Place;
use crate::api::figures::failures::{FailedRequest, FailedUpstream};
use crate::components::{Glyph, Icon, button, each, maybe, only};
use crate::routes;
use crate::state::chart::count;
use crate::state::draft::plural;
use crate::state::use_console;

/// The request.
#[component]
pub(super) fn Request(
    place: Place,
    /// The API that it was sent to.
    api_id: String,
    sample: FailedRequest,
    /// The display name of its key; empty for one without a name.
    key_name: String,
    /// How many requests like it there were in that minute.
    many: u64,
) -> impl IntoView {
    let console = use_console();
    let key = sample.key.clone();
    let called = match key_name.is_empty() {
        true => key.chars().take(12).collect(),
        false => key_name.clone(),
    };
    let by_upstream = sample.link == "upstream";
    let again = {
        let (sample, api_id) = (sample.clone(), api_id.clone());
        move |_| {
            console
                .handover
                .give_failed(api_id.clone(), sample.clone(), key_name.clone());
            console.address.go(&routes::try_it(&api_id));
        }
    };
    let of_key = (!key.is_empty()).then(|| {
        let hash = key.clone();
        let narrow_to_key = move || place.narrow(|narrowed| narrowed.key.clone_from(&hash));
        view! {
            <div>
                <dt>"Key"</dt>
                <dd>
                    <a href=routes::key(&key)>{called}</a>
                    {button("btn btn-small", "Only this key", narrow_to_key)}
                </dd>
            </div>
        }
        .into_any()
    });
    let header = |(name, value): (String, Option<String>)| {
        let value = match value {
            Some(value) => view! { <dd>{value}</dd> }.into_any(),
            None => view! { <dd class="muted">"not kept"</dd> }.into_any(),
        };
        view! { <div><dt>{name}</dt>{value}</div> }.into_any()
    };
    let headers = plural(sample.headers.len(), "header");
    let query = sample.query.join(", ");
    let others = plural(usize::try_from(many).unwrap_or(usize::MAX), "request");
    view! {
        <div class="failed-more">
            <dl class="failed-facts">
                {only(!by_upstream, || view! {
                    <div>
                        <dt>"Refused by"</dt>
                        <dd><a href=routes::chain(&api_id)><code>{sample.link.clone()}</code></a></dd>
                    </div>
                }.into_any())}
                {maybe(sample.upstream, upstream)}
                {maybe(of_key, |view| view)}
                {only(!query.is_empty(), || view! { <div><dt>"Parameters"</dt><dd><code>{query.clone()}</code></dd></div> }.into_any())}
                <div><dt>"In this minute"</dt><dd>{format!("{others} like it")}</dd></div>
            </dl>
            <details class="answer-headers">
                <summary>{headers}</summary>
                <dl>{each(sample.headers, header)}</dl>
            </details>
            {only(untrack(|| console.may_try()), || view! {
                <button type="button" class="btn btn-small" on:click=again>
                    <Icon glyph=Glyph::Play />
                    "Send again in Try it"
                </button>
            }.into_any())}
        </div>
    }
    .into_any()
}

fn upstream(failed: FailedUpstream) -> AnyView {
    let FailedUpstream {
        host,
        ms,
        timeout_ms,
        error,
    } = failed;
    let took = match timeout_ms {
        0 => format!("{} ms", count(ms)),
        limit => format!("{} ms of {} ms", count(ms), count(limit)),
    };
    view! {
        {only(!host.is_empty(), || view! { <div><dt>"Upstream"</dt><dd><code>{host.clone()}</code></dd></div> }.into_any())}
        <div><dt>"Took"</dt><dd>{took}</dd></div>
        {only(!error.is_empty(), || view! { <div><dt>"Platform error"</dt><dd><code>{error.clone()}</code></dd></div> }.into_any())}
    }
    .into_any()
}
