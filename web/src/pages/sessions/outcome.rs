//! The rights that a session grants, API by API, once its policies are applied.

use leptos::prelude::*;

use super::{APIS_KNOWN, Known};
use crate::api::access::StoredPolicy;
use crate::components::assist::{Code, TAG, load};
use crate::components::{Assist, Notice, Tint, each, live, maybe, only};
use crate::routes;
use crate::state::Memo;
use crate::state::access::{self, Given, Names, Outcome, called, quota_words, rate_words};
use crate::state::draft::plural;

/// Computes the outcome of a session and the policies that it names, with the editor's module.
pub(in crate::pages) fn outcome(
    session: &str,
    policies: &[StoredPolicy],
) -> Result<Outcome, String> {
    let missing = "The part of the console that applies policies could not be loaded.";
    let assist = Assist::here().ok_or_else(|| missing.to_owned())?;
    access::outcome(session, policies, &|session, named| {
        assist.applied(session, named)
    })
}

/// The outcome of a session; it follows its text and the known policies.
#[component]
pub(in crate::pages) fn OutcomeView(
    /// Computes the outcome, or why there is none.
    outcome: fn(&str, Known) -> Result<Outcome, String>,
    /// The text to compute it from.
    text: Memo<String>,
    /// The names of APIs.
    known: Known,
    /// The text if nothing is granted.
    nothing: &'static str,
) -> impl IntoView {
    let code = load(TAG);
    let shown = move || {
        if code.get() == Code::Loading {
            return view! { <p class="muted">"Computing…"</p> }.into_any();
        }
        match text.with(|text| outcome(text, known)) {
            Err(why) => view! { <Notice tint=Tint::Amber><span>{why}</span></Notice> }.into_any(),
            Ok(outcome) => given(outcome, known.apis(), nothing),
        }
    };
    view! { <div class="outcome" aria-live="polite">{live(shown)}</div> }
}

fn given(outcome: Outcome, names: Names, nothing: &'static str) -> AnyView {
    let unknown = outcome.unknown.join(", ");
    let tags = outcome.tags.join(", ");
    let Outcome {
        given, inactive, ..
    } = outcome;
    let row = move |given: Given| {
        let name = called(&names, &given.api_id);
        let missing = is_missing(&names, &given.api_id);
        view! { <Row given=given name=name missing=missing /> }.into_any()
    };
    view! {
        {only(inactive, || view! { <Notice tint=Tint::Amber><span>"It is inactive: every request with it is refused."</span></Notice> }.into_any())}
        {only(!unknown.is_empty(), || view! { <Notice tint=Tint::Amber><span>{format!("There is no such policy: {unknown}.")}</span></Notice> }.into_any())}
        {if given.is_empty() {
            view! { <p class="muted">{nothing}</p> }.into_any()
        } else {
            view! {
                <div class="outcome-scroll" tabindex="0" role="region" aria-label="Limits per API">
                    <table class="table outcome-table">
                        <caption class="visually-hidden">"Limits per API"</caption>
                        <thead>
                            <tr>
                                <th scope="col">"API"</th>
                                <th scope="col">"Rate"</th>
                                <th scope="col">"Quota"</th>
                                <th scope="col">"Limited to"</th>
                            </tr>
                        </thead>
                        <tbody>{each(given, row)}</tbody>
                    </table>
                </div>
            }
            .into_any()
        }}
        {only(!tags.is_empty(), || view! { <p class="muted small">{format!("Tags: {tags}")}</p> }.into_any())}
    }
    .into_any()
}

/// Whether no API has this id; false if not all APIs are known.
fn is_missing(names: &Names, id: &str) -> bool {
    let all = !names.is_empty() && names.len() < APIS_KNOWN as usize;
    all && !names.iter().any(|(known, _)| known == id)
}

#[component]
fn Row(given: Given, name: String, missing: bool) -> impl IntoView {
    // A definition that is not among the known ones goes by the session's name for it.
    let name = if name == given.api_id && !given.name.is_empty() {
        given.name.clone()
    } else {
        name
    };
    let retries = given.limit.is_throttled().then(|| {
        let (times, wait) = (
            given.limit.throttle_retry_limit,
            given.limit.throttle_interval,
        );
        let times = plural(usize::try_from(times).unwrap_or_default(), "try");
        format!("then {times}, {wait} s apart")
    });
    let counts = given.counts;
    let limited = given.limit.has_quota() || given.limit.rate.is_limited();
    view! {
        <tr>
            <th scope="row" class="cell-name">
                <a href=routes::api(&given.api_id)>{name}</a>
                <span class="cell-sub"><code class="api-id">{given.api_id.clone()}</code></span>
                {only(missing, || view! { <span class="badge badge-plain badge-invalid">"No such API"</span> }.into_any())}
            </th>
            <td data-label="Rate">
                {rate_words(given.limit.rate)}
                {maybe(retries, |text| view! { <span class="muted small block">{text}</span> }.into_any())}
            </td>
            <td data-label="Quota">{quota_words(&given.limit)}</td>
            <td data-label="Limited to">
                {given.confined()}
                {only(limited, || view! { <span class="muted small block">{format!("Counts {counts}")}</span> }.into_any())}
            </td>
        </tr>
    }
}
