//! The chain of an API: the links that a request passes, each leading to the members that configure it.

use gatewright_model::json::{LineIndex, parse};
use leptos::prelude::*;

use super::desk::Desk;
use crate::api::ApiError;
use crate::components::{
    Bones, ChainLinks, Empty, Failure, Glyph, JumpTarget, Notice, Shown, Tint, live,
};
use crate::routes;
use crate::state::load::Load;

/// The chain as loaded by the gateway, or why there is none.
#[component]
pub(super) fn ChainTab(desk: Desk, id: StoredValue<String>) -> impl IntoView {
    let api = desk.console.api;
    let chain = Load::new(move || {
        // Another set may have been loaded since.
        let _ = desk.console.board.get();
        let id = id.get_value();
        async move { api.chain(&id).await }
    });
    let jump = Callback::new(move |pointer: String| {
        let target = untrack(|| target_of(&desk.text(), &pointer));
        if desk
            .console
            .address
            .go(&id.with_value(|id| routes::api(id)))
        {
            // Once the editor is on screen again.
            request_animation_frame(move || drop(desk.goto.try_set(Some(target))));
        }
    });
    let body = move || match chain.get() {
        None => view! { <Bones rows=8 label="Loading the chain" /> }.into_any(),
        Some(Ok(chain)) if chain.links.is_empty() => view! {
            <Empty glyph=Glyph::Check title="The chain is empty">
                <p>"Requests go to the upstream unchanged."</p>
            </Empty>
        }
        .into_any(),
        Some(Ok(chain)) => view! { <ChainLinks links=chain.links on_jump=jump /> }.into_any(),
        Some(Err(ApiError::Missing(refused))) => view! {
            <Empty glyph=Glyph::Reload title="There is no chain yet">
                <p>{refused.message}</p>
                <a class="btn" href=routes::RELOAD>"Review the next reload"</a>
            </Empty>
        }
        .into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| chain.again() /> }.into_any()
        }
    };
    view! {
        <Shown when=move || desk.pending() || desk.dirty()>
            <Notice tint=Tint::Amber>
                <span>"This is the chain of the served definition. A change of it is pending."</span>
            </Notice>
        </Shown>
        {live(body)}
    }
}

/// Locates a member in a text; if it is missing, the closest container that exists.
fn target_of(text: &str, pointer: &str) -> JumpTarget {
    let start = parse(text).map_or(0, |value| value.nearest(pointer).span.start);
    JumpTarget {
        position: LineIndex::new(text).position(start),
        pointer: pointer.to_owned(),
    }
}
