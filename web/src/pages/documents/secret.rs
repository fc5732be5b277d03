//! A secret of a document, shown once.

use leptos::html;
use leptos::prelude::*;

use super::desk::Desk;
use crate::api::dashboard::hooks::NewSecret;
use crate::components::{Notice, SecretText, Tint, When, button, maybe, unique_id};
use crate::state::effect;

/// A secret that can't be shown again.
#[derive(Clone)]
pub struct ShownSecret {
    /// The secret.
    pub secret: NewSecret,
    /// The name of its document.
    pub name: String,
    /// The internal id of the document if it was just stored: its page comes next.
    pub made: Option<String>,
}

/// Shows the secret, for [`super::Sort::secret`] of documents that have one.
pub fn secret_once(desk: Desk, shown: ShownSecret) -> AnyView {
    view! { <Secret desk=desk shown=shown /> }.into_any()
}

/// The secret. Leaving the page needs confirmation until it is marked as saved.
#[component]
fn Secret(desk: Desk, shown: ShownSecret) -> impl IntoView {
    let ShownSecret { secret, name, made } = shown;
    let id = unique_id("secret");
    let heading = id.clone();
    let node = NodeRef::<html::Section>::new();
    effect(move || {
        if let Some(section) = node.get() {
            // Fails only for an element that is not in the document.
            let _ = section.focus();
        }
    });
    let done = move || {
        desk.new_secret.set(None);
        if let Some(id) = &made {
            desk.go_to(id);
        }
    };
    let until = |until: String| {
        view! { <span>" The previous one signs, too; it expires "<When at=until ahead=true />"."</span> }.into_any()
    };
    view! {
        <section node_ref=node class="card panel idp-form" tabindex="-1" aria-labelledby=heading>
            <h2 id=id>{format!("The signing secret of “{name}”")}</h2>
            <Notice tint=Tint::Amber>
                <span>
                    <strong>"Copy it now. "</strong>
                    "This page is the only place that ever shows it. The receiver checks the header "
                    <code>"webhook-signature"</code>" with it."
                    {maybe(secret.previous_until, until)}
                </span>
            </Notice>
            <SecretText text=secret.secret name="Signing secret" copy="Copy the secret" />
            <div class="row">
                {button("btn btn-primary", "I have saved it", done)}
            </div>
        </section>
    }
}
