//! The notifications that a webhook is sent.

use leptos::prelude::*;

use crate::components::{each, live};
use crate::pages::documents::Desk;
use crate::state::Memo;
use crate::state::texts::{texts, ticked};

/// Their pointer in the document.
pub(super) const MEMBER: &str = "subscriptions";
/// All notifications, including future ones.
pub(super) const ALL: &str = "*";
/// The notifications that can be subscribed to, with their descriptions.
const OFFERED: [(&str, &str); 17] = [
    (ALL, "Everything"),
    ("ApiAdded", "An API was added"),
    ("ApiUpdated", "An API was changed"),
    ("ApiRemoved", "An API was deleted"),
    ("GroupReload", "The gateway was reloaded"),
    ("NoticeClientIdPChanged", "A client IdP was changed"),
    ("TokenCreated", "A key was created"),
    ("TokenUpdated", "A key was changed"),
    ("TokenDeleted", "A key was revoked"),
    ("AuthFailure", "A credential was not accepted"),
    ("KeyExpired", "An expired or inactive key was used"),
    (
        "RatelimitExceeded",
        "The rate of a key or an API was reached",
    ),
    ("QuotaExceeded", "The quota of a key was reached"),
    (
        "OrgQuotaExceeded",
        "The quota of the organisation was reached",
    ),
    (
        "OrgRateLimitExceeded",
        "The rate of the organisation was reached",
    ),
    (
        "VersionFailure",
        "A key was used for a version it may not use",
    ),
    (
        "TriggerExceeded",
        "A watched threshold of a quota was reached",
    ),
];

/// Returns the description of a notification.
pub(super) fn described(name: &str) -> Option<&'static str> {
    let mut offered = OFFERED.into_iter();
    offered.find_map(|(known, about)| (known == name).then_some(about))
}

/// The card.
#[component]
pub(super) fn Subscriptions(desk: Desk) -> impl IntoView {
    let chosen = Memo::new(move |_| texts(&desk.text(), MEMBER));
    let row = move |(name, about): (&'static str, &'static str)| {
        let has =
            move |wanted: &str| chosen.with(|chosen| chosen.iter().any(|name| name == wanted));
        let change = move |event| {
            let on = event_target_checked(&event);
            let names = ticked(chosen.get_untracked(), name, on, |other| other == name);
            desk.set(&format!("/{MEMBER}"), &names);
        };
        view! {
            <li>
                <label class="check">
                    <input
                        type="checkbox"
                        prop:checked=move || has(name)
                        disabled=move || name != ALL && has(ALL)
                        on:change=change
                    />
                    <span>{about}" "<code>{name}</code></span>
                </label>
            </li>
        }
        .into_any()
    };
    let lead = move || {
        if chosen.with(Vec::is_empty) {
            "Nothing is sent to it."
        } else {
            "It is sent a notification when this happens."
        }
    };
    view! {
        <section class="card panel" aria-labelledby="subscriptions-title">
            <h2 id="subscriptions-title">"Subscriptions"</h2>
            <p class="muted small" role="status">{live(lead)}</p>
            <ul class="category-list">{each(OFFERED, row)}</ul>
            <p class="muted small">
                "From “A credential was not accepted” on, these are events of requests: an API sends one only if its definition names a webhook for it under event_handlers."
            </p>
        </section>
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use super::{MEMBER, OFFERED};
    use gatewright_model::shape::{Kind, Root};
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn subscriptions_match_the_model() {
        let members = Root::Webhook.shape().members.iter();
        let kinds = members.filter(|member| member.name == MEMBER);
        let allowed: Vec<&str> = kinds
            .filter_map(|member| match member.kind {
                Kind::Array(Kind::Enum(choice)) => Some(choice.values),
                _ => None,
            })
            .flatten()
            .copied()
            .collect();
        let mut offered = OFFERED.map(|(name, _)| name);
        offered.sort_unstable_by_key(|name| allowed.iter().position(|other| other == name));
        assert_eq!(offered.to_vec(), allowed);
    }
}
