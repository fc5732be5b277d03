//! The deliveries to a webhook, newest first, with every attempt.

use gatewright_model::json::parse;
use leptos::prelude::*;

use super::payload::PayloadView;
use crate::api::dashboard::hooks::{Attempt, Delivery, Received};
use crate::components::{Bones, Failure, When, each, live, maybe, only};
use crate::pages::documents::Desk;
use crate::state::Memo;
use crate::state::clock::duration;
use crate::state::load::Load;
use crate::state::task::Task;

/// The log.
#[component]
pub(super) fn Deliveries(desk: Desk, id: String) -> impl IntoView {
    let console = desk.console;
    let id = StoredValue::new(id);
    let after = RwSignal::new(None::<u64>);
    let log = Load::new(move || {
        desk.again.track();
        let after = after.get();
        async move { console.api.deliveries(&id.get_value(), after).await }
    });
    let retry = Callback::new(move |(task, notice): (Task, String)| {
        task.run(async move {
            match console.api.retry_delivery(&id.get_value(), &notice).await {
                Ok(()) => console.toasts.good("It is sent again."),
                Err(error) => console.toasts.failed(&error),
            }
            log.again();
        });
    });
    let sends_body = Memo::new(move |_| sends_body(&desk.base()));
    let body = move || {
        match log.get() {
        None => view! { <Bones rows=3 label="Loading the deliveries" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| log.again() /> }.into_any()
        }
        Some(Ok(page)) => view! {
            <Table found=page.deliveries retry=retry reads=console.only_reads() sends_body=sends_body.get() />
            <Steps next=page.next after=after />
        }
        .into_any(),
    }
    };
    view! {
        <section class="card definition log" class:stale=move || log.busy() && log.good().is_some() aria-labelledby="deliveries-title">
            <div class="definition-head">
                <h2 id="deliveries-title">"Deliveries"</h2>
                <button type="button" class="btn btn-small" disabled=move || log.busy() on:click=move |_| log.again()>"Refresh"</button>
            </div>
            {live(body)}
        </section>
    }
}

/// Links to older deliveries and back to the newest.
#[component]
fn Steps(next: Option<u64>, after: RwSignal<Option<u64>>) -> impl IntoView {
    let step = move |label: &'static str, to: Option<u64>| {
        view! { <button type="button" class="btn btn-small" on:click=move |_| after.set(to)>{label}</button> }.into_any()
    };
    let older = after.with_untracked(Option::is_some);
    only(older || next.is_some(), || {
        view! {
            <nav class="paging log-paging" aria-label="Pages of deliveries">
                <div class="paging-steps">
                    {only(older, || step("Newest", None))}
                    {maybe(next, |next| step("Older", Some(next)))}
                </div>
            </nav>
        }
        .into_any()
    })
}

#[component]
fn Table(
    found: Vec<Delivery>,
    retry: Callback<(Task, String)>,
    reads: bool,
    sends_body: bool,
) -> impl IntoView {
    if found.is_empty() {
        return view! { <p class="muted panel">"Nothing has been sent yet."</p> }.into_any();
    }
    let row = |delivery| {
        view! { <Row delivery=delivery retry=retry reads=reads sends_body=sends_body /> }.into_any()
    };
    view! {
        <table class="table docs-table">
            <caption class="visually-hidden">"Deliveries"</caption>
            <thead>
                <tr>
                    <th scope="col">"Notification"</th>
                    <th scope="col">"State"</th>
                    <th scope="col">"Attempts"</th>
                    <th scope="col">"Next"</th>
                    <th scope="col" class="col-actions"><span class="visually-hidden">"Actions"</span></th>
                </tr>
            </thead>
            <tbody>{each(found, row)}</tbody>
        </table>
    }
    .into_any()
}

#[component]
fn Row(
    delivery: Delivery,
    retry: Callback<(Task, String)>,
    reads: bool,
    sends_body: bool,
) -> impl IntoView {
    let Delivery {
        notice_id,
        seq,
        kind,
        state,
        attempts,
        next_at,
    } = delivery;
    let (class, word) = match state.as_str() {
        "delivered" => ("badge badge-plain badge-added", "Delivered"),
        "failed" => ("badge badge-plain badge-deleted", "Failed"),
        _ => ("badge badge-plain badge-pending", "Pending"),
    };
    let number = if seq > 0 {
        format!("#{seq}")
    } else {
        "A sample".to_owned()
    };
    let again = seq > 0 && !reads;
    let task = Task::new();
    let name = format!(": {kind} {number}");
    let about = name.clone();
    let payload = {
        let (notice_id, name) = (notice_id.clone(), name.clone());
        move || view! { <PayloadView seq=seq notice_id=notice_id name=name /> }.into_any()
    };
    let press = move |_| retry.run((task, notice_id.clone()));
    let button = || {
        view! {
            <button type="button" class="btn btn-small" disabled=move || task.busy() on:click=press>
                "Send again"
                <span class="visually-hidden">{name}</span>
            </button>
        }
        .into_any()
    };
    let due = match next_at {
        Some(at) => view! { <When at=at ahead=true /> }.into_any(),
        None => view! { <span class="muted">"–"</span> }.into_any(),
    };
    view! {
        <tr>
            <th scope="row" class="cell-name"><code>{kind}</code><span class="cell-sub">{number}</span>{only(sends_body && seq > 0, payload)}</th>
            <td data-label="State"><span class=class>{word}</span></td>
            <td data-label="Attempts"><ol class="attempts plain">{each(attempts, move |one| attempt(one, &about))}</ol></td>
            <td data-label="Next" class="cell-when">{due}</td>
            <td class="col-actions">{only(again, button)}</td>
        </tr>
    }
}

/// Whether the requests of a stored webhook have a body: a GET only signals that something has happened, and every
/// unknown method is sent as one.
fn sends_body(webhook: &str) -> bool {
    let method = parse(webhook).ok();
    let method = method.as_ref().and_then(|webhook| webhook.str("method"));
    let known = ["POST", "PUT", "PATCH", "DELETE"];
    method.is_some_and(|method| known.iter().any(|known| known.eq_ignore_ascii_case(method)))
}

/// Describes the result of an attempt: the receiver's status, and how long it took.
pub(super) fn outcome(attempt: &Attempt) -> String {
    let status = attempt.status.map(|status| format!("status {status}"));
    let status = status.unwrap_or_else(|| "no answer".to_owned());
    format!("{status} after {}", duration(attempt.duration_ms.into()))
}

fn attempt(attempt: Attempt, about: &str) -> AnyView {
    let outcome = outcome(&attempt);
    let about = about.to_owned();
    view! {
        <li>
            <When at=attempt.at />
            {format!(": {outcome}")}
            {maybe(attempt.error, |error| view! { <span class="cell-sub">{error}</span> }.into_any())}
            {maybe(attempt.response, |response| view! { <Response response=response about=about /> }.into_any())}
        </li>
    }
    .into_any()
}

/// What the receiver responded.
#[component]
fn Response(response: Received, about: String) -> impl IntoView {
    let head = head(&response);
    let body = match (response.body, response.withheld) {
        (_, true) => note(
            "Only credentials that may write APIs can read the body: otherwise, a webhook could read whatever the gateway reaches.",
        ),
        (None, _) => note("The body is not text."),
        (Some(text), _) if text.is_empty() => note("The body is empty."),
        (Some(text), _) => view! {
            <pre class="code" tabindex="0" aria-label="The body of the response">{text}</pre>
            {only(response.truncated, || note("This is the beginning of the body; no more of it is kept."))}
        }
        .into_any(),
    };
    view! {
        <details class="whole">
            <summary>"Response"<span class="visually-hidden">{about}</span></summary>
            {maybe(head, |head| view! { <p class="small"><code>{head}</code></p> }.into_any())}
            {body}
        </details>
    }
}

fn note(text: &'static str) -> AnyView {
    view! { <p class="muted small">{text}</p> }.into_any()
}

/// Describes the type and length of a response; `None` if it names neither.
fn head(response: &Received) -> Option<String> {
    let length = response.content_length;
    let length = length.map(|length| format!("{length} bytes"));
    let kind = Some(response.content_type.clone()).filter(|kind| !kind.is_empty());
    let parts: Vec<String> = kind.into_iter().chain(length).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

#[cfg(test)]
mod tests {
    use super::{Received, head, sends_body};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn the_head_of_a_response_names_what_it_has() {
        for (kind, length, expected) in [
            ("text/plain", Some(12), Some("text/plain · 12 bytes")),
            ("text/plain", None, Some("text/plain")),
            ("", Some(0), Some("0 bytes")),
            ("", None, None),
        ] {
            let response = Received {
                content_type: kind.to_owned(),
                content_length: length,
                ..Received::default()
            };
            assert_eq!(head(&response).as_deref(), expected);
        }
    }

    #[test]
    fn only_known_methods_send_a_body() {
        for (webhook, sends) in [
            (r#"{"method":"post"}"#, true),
            (r#"{"method":"GET"}"#, false),
            (r#"{"method":"FETCH"}"#, false),
            ("{}", false),
            ("", false),
        ] {
            assert_eq!(sends_body(webhook), sends, "{webhook}");
        }
    }
}
