//! Connecting: the administration secret, checked before it is kept.

use leptos::html;
use leptos::prelude::*;

use crate::api::ApiError;
use crate::components::{Glyph, Icon, PageHead, ThemeSwitch, ToastRegion, live};
use crate::routes;
use crate::state::query_string::pairs;
use crate::state::task::Task;
use crate::state::use_console;

/// The page that asks for the secret.
#[component]
pub fn Connect() -> impl IntoView {
    let console = use_console();
    let address = console.address;
    let go_on = Callback::new(move |()| {
        let given = pairs(&untrack(|| address.query()));
        let next = given
            .iter()
            .find(|(name, _)| name == "next")
            .map(|(_, url)| url.as_str());
        address.replace(&routes::after_connect(next));
    });
    view! {
        <main class="connect">
            <div class="connect-card">
                <div class="brand brand-large">
                    <Mark />
                    <span>"Gatewright"</span>
                </div>
                <PageHead title="Connect to the gateway" lead="The console talks to the gateway it was served by, with its administration secret." />
                <ConnectForm on_connected=go_on />
                <WhereItIs />
            </div>
            <ThemeSwitch theme=console.theme name="theme-connect" />
            <ToastRegion toasts=console.toasts />
        </main>
    }
    .into_any()
}

#[component]
fn WhereItIs() -> impl IntoView {
    view! {
        <details class="hint">
            <summary>"Where do I find the secret?"</summary>
            <p>
                <code>"cargo xtask serve"</code>
                " creates it on first use and keeps it as "
                <code>"GATEWAY_SECRET"</code>
                " in the file "
                <code>".dev.vars"</code>
                " beside the README; it prints the path when it starts."
            </p>
            <p>"A deployed gateway has it as a worker secret of the same name."</p>
        </details>
    }
}

/// The sign of the product.
#[component]
pub fn Mark() -> impl IntoView {
    view! {
        <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
            <rect width="32" height="32" rx="8"></rect>
            <path d="M8 25V15a8 8 0 0 1 16 0v10M13 25v-9.5a3 3 0 0 1 6 0V25"></path>
        </svg>
    }
}

/// A field for the secret and what came of checking it.
#[component]
pub fn ConnectForm(
    /// Runs once the gateway has accepted the secret.
    on_connected: Callback<()>,
) -> impl IntoView {
    let console = use_console();
    let field = NodeRef::<html::Input>::new();
    let shown = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let task = Task::new();
    let check = move |secret: String| {
        task.run(async move {
            match console.api.check(&secret).await {
                Ok(()) => {
                    console.session.connect(&secret);
                    on_connected.try_run(());
                }
                Err(error) => drop(problem.try_set(Some(explain(&error)))),
            }
        });
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let secret = field
            .get_untracked()
            .map(|field| field.value().trim().to_owned())
            .unwrap_or_default();
        if secret.is_empty() {
            problem.set(Some("Paste the secret first.".to_owned()));
        } else {
            problem.set(None);
            check(secret);
        }
        if let Some(field) = field.get_untracked() {
            let _ = field.focus();
        }
    };
    view! {
        <form class="connect-form" on:submit=submit novalidate>
            <label for="secret">"Administration secret"</label>
            <div class="field-group">
                <input
                    id="secret"
                    node_ref=field
                    class="input mono"
                    type=move || if shown.get() { "text" } else { "password" }
                    name="secret"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    autofocus
                    aria-describedby="secret-problem secret-note"
                    aria-invalid=move || problem.with(Option::is_some).to_string()
                />
                <button type="button" class="btn" aria-pressed=move || shown.get().to_string() on:click=move |_| shown.update(|shown| *shown = !*shown)>
                    "Show"
                </button>
            </div>
            <p id="secret-problem" class="field-problem" role="alert">{live(move || problem.get())}</p>
            <p id="secret-note" class="muted small">"Kept for this tab only. It is never written to the address bar, to a log or to lasting storage."</p>
            <button type="submit" class="btn btn-primary btn-wide" disabled=move || task.busy()>
                <Icon glyph=Glyph::Key />
                {live(move || if task.busy() { "Checking…" } else { "Connect" })}
            </button>
        </form>
    }
}

fn explain(error: &ApiError) -> String {
    match error {
        ApiError::Forbidden => {
            "The gateway refuses this secret. Compare it with GATEWAY_SECRET in .dev.vars."
                .to_owned()
        }
        ApiError::Unreachable => {
            "The gateway does not answer. Check that it runs and that you are online.".to_owned()
        }
        other => format!("{}: {other}", other.title()),
    }
}
