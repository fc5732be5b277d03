//! The links of an API's chain.

use leptos::prelude::*;

use super::{Glyph, Icon, each, only};
use crate::api::chain::Link;

/// The links in their order.
#[component]
pub fn ChainLinks(
    /// The links.
    links: Vec<Link>,
    /// Jumps to the member at a pointer.
    on_jump: Callback<String>,
) -> impl IntoView {
    let row = move |link: Link| view! { <Row link=link on_jump=on_jump /> }.into_any();
    view! {
        <section class="card panel" aria-labelledby="chain-title">
            <h2 id="chain-title">"What a request passes through"</h2>
            <p class="muted small">"In this order, as served. Each link leads to the members of the definition that configure it."</p>
            <ol class="chain">{each(links, row)}</ol>
        </section>
    }
}

#[component]
fn Row(link: Link, on_jump: Callback<String>) -> impl IntoView {
    let (word, class) = match link.phase.as_str() {
        "response" => ("On the way back", "chain-link chain-response"),
        "both" => ("Both ways", "chain-link chain-both"),
        _ => ("Request", "chain-link chain-request"),
    };
    let always = link.pointers.is_empty();
    let pointer = move |pointer: String| {
        let target = pointer.clone();
        view! {
            <li>
                <button type="button" class="chain-member" on:click=move |_| on_jump.run(target.clone())>
                    <code>{pointer}</code>
                    <Icon glyph=Glyph::Chevron />
                </button>
            </li>
        }
        .into_any()
    };
    view! {
        <li class=class>
            <div class="chain-head">
                <span class="chain-title">{link.title}</span>
                <span class="badge badge-plain">{word}</span>
                {only(!link.version.is_empty(), || view! { <span class="badge badge-plain">{format!("Version {}", link.version)}</span> }.into_any())}
                <span class="muted small">{link.detail}</span>
            </div>
            {only(always, || view! { <p class="muted small">"Every API that requires a key has it."</p> }.into_any())}
            <ul class="chain-members">{each(link.pointers, pointer)}</ul>
        </li>
    }
}
