//! The secret of a client that was created or given a new one.

use leptos::prelude::*;

use crate::api::oauth::Client;
use crate::components::{Notice, SecretText, Tint, button};

/// The secret. Leaving the page needs confirmation until it is marked as saved.
#[component]
pub(super) fn Secret(
    /// The client, with its secret.
    client: Client,
    /// Runs when it is marked as saved.
    on_saved: Callback<()>,
) -> impl IntoView {
    view! {
        <section class="card panel idp-form" aria-labelledby="secret-title">
            <h2 id="secret-title">{format!("The secret of “{}”", client.id)}</h2>
            <Notice tint=Tint::Amber>
                <span>
                    <strong>"Copy it now. "</strong>
                    "The console shows it only here. The client sends it with its id to the token endpoint, by basic authentication or in the form."
                </span>
            </Notice>
            <SecretText text=client.id name="Client id" copy="Copy the id" />
            <SecretText text=client.secret name="Client secret" copy="Copy the secret" />
            <div class="row">
                {button("btn btn-primary", "I have saved it", move || on_saved.run(()))}
            </div>
        </section>
    }
}
