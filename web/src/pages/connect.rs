//! Signs in, with the gateway secret, a dashboard token, or both, and signs out.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::api::ApiError;
use crate::components::{
    Glyph, Icon, Notice, PageHead, ThemeSwitch, Tint, ToastRegion, each, live, only, task_label,
};
use crate::pages::shell::home;
use crate::routes;
use crate::state::palette::recent;
use crate::state::query_string::pairs;
use crate::state::session::Key;
use crate::state::storage;
use crate::state::task::Task;
use crate::state::{Console, use_console};

/// Set by `web/boot/connect.js` if a link did not sign in.
const LINK_ENDED: &str = "gatewright.link-ended";

/// The page that asks for the secret or a token.
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
        let identity = untrack(|| console.session.identity());
        address.replace(&routes::after_connect(next, home(&identity)));
    });
    sign_out(console);
    // Read once: reloading the page need not show it again.
    let link_ended = storage::tab_get(LINK_ENDED).is_some();
    storage::tab_set(LINK_ENDED, None);
    view! {
        <main class="connect">
            <div class="connect-card">
                <div class="brand brand-large">
                    <Mark />
                    <span>"Gatewright"</span>
                    <Environment />
                </div>
                <PageHead title="Connect to the gateway" lead="The console talks to the gateway it was served by. Either key is enough; each opens its own pages." />
                {link_ended.then(|| view! {
                    <Notice tint=Tint::Amber>
                        <span role="alert">
                            "The link has expired: it connects one page, within a minute of the start. "
                            <code>"cargo xtask serve"</code>
                            " prints a new one each time; the keys below work as well."
                        </span>
                    </Notice>
                })}
                <ConnectForm keys=&Key::ALL on_connected=go_on />
                <WhereItIs />
            </div>
            <ThemeSwitch theme=console.theme name="theme-connect" />
            <ToastRegion toasts=console.toasts />
        </main>
    }
    .into_any()
}

/// Carries out a sign-out started elsewhere in the frame: it leads here, once nothing unsaved is left. The palette's
/// history is forgotten, too.
fn sign_out(console: Console) {
    let Some(everywhere) = console.session.leaving.get_untracked() else {
        return;
    };
    console.session.leaving.set(None);
    storage::browser_set(recent::STORED, None);
    spawn_local(async move {
        match console.api.sign_out(everywhere).await {
            Ok(()) => console.session.forget(),
            Err(error) => console.toasts.bad(format!(
                "You are still signed in: {error} Go back and sign out again."
            )),
        }
    });
}

/// The name of this gateway, in its colour; nothing if it has none.
#[component]
pub fn Environment() -> impl IntoView {
    let session = use_console().session;
    live(move || {
        let identity = session.identity();
        only(!identity.environment.is_empty(), move || {
            let class = format!("environment environment-{}", identity.color);
            view! { <span class=class>{identity.environment}</span> }.into_any()
        })
    })
}

#[component]
fn WhereItIs() -> impl IntoView {
    view! {
        <details class="hint">
            <summary>"Where do I find them?"</summary>
            <p>
                <code>"cargo xtask serve"</code>
                " creates both on first use and keeps them as "
                <code>"GATEWAY_SECRET"</code>
                " and "
                <code>"DASHBOARD_TOKEN"</code>
                " in the file "
                <code>".dev.vars"</code>
                " beside the README; it prints the path when it starts."
            </p>
            <p>"A deployed gateway has them as worker secrets of the same names. More tokens are created under Credentials, with the secret."</p>
        </details>
    }
}

/// The logo.
#[component]
pub fn Mark() -> impl IntoView {
    view! {
        <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
            <rect width="32" height="32" rx="8"></rect>
            <path d="M8 25V15a8 8 0 0 1 16 0v10M13 25v-9.5a3 3 0 0 1 6 0V25"></path>
        </svg>
    }
}

/// A field for a secret or token, and the result of checking it.
#[derive(Clone, Copy)]
struct Field {
    key: Key,
    node: NodeRef<html::Input>,
    problem: RwSignal<Option<String>>,
}

impl Field {
    fn new(key: Key) -> Self {
        Self {
            key,
            node: NodeRef::new(),
            problem: RwSignal::new(None),
        }
    }

    /// Returns what was typed or pasted.
    fn given(self) -> String {
        let typed = self.node.get_untracked().map(|field| field.value());
        typed
            .map(|typed| typed.trim().to_owned())
            .unwrap_or_default()
    }

    fn complain(self, text: &str) {
        self.problem.try_set(Some(text.to_owned()));
        if let Some(field) = self.node.try_get_untracked().flatten() {
            let _ = field.focus();
        }
    }
}

/// Fields for secrets and tokens. Those filled in are checked and kept, all or none.
#[component]
pub fn ConnectForm(
    /// The credentials asked for; one of them is enough.
    keys: &'static [Key],
    /// Runs once they are accepted.
    on_connected: Callback<()>,
) -> impl IntoView {
    let console = use_console();
    let fields: Vec<Field> = keys.iter().copied().map(Field::new).collect();
    let fields = StoredValue::new(fields);
    let task = Task::new();
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let fields = fields.get_value();
        fields.iter().for_each(|field| field.problem.set(None));
        let given: Vec<(Field, String)> = fields
            .iter()
            .map(|field| (*field, field.given()))
            .filter(|(_, value)| !value.is_empty())
            .collect();
        if given.is_empty() {
            fields
                .iter()
                .take(1)
                .for_each(|field| field.complain(missing(keys)));
            return;
        }
        task.run(async move {
            let value = |key: Key| {
                let mut given = given.iter();
                given.find(|(field, _)| field.key == key)
            };
            let (secret, token) = (value(Key::Secret), value(Key::Token));
            let text = |given: Option<&'_ (Field, String)>| given.map(|(_, text)| text.clone());
            let outcome = console
                .api
                .sign_in(text(secret).as_deref(), text(token).as_deref())
                .await;
            match outcome {
                Ok(()) => {
                    on_connected.try_run(());
                }
                Err(error) => {
                    let wrong = match error {
                        ApiError::NotAuthorised => token.or(secret),
                        _ => secret.or(token),
                    };
                    if let Some((field, _)) = wrong {
                        field.complain(&explain(&error));
                    }
                }
            }
        });
    };
    view! {
        <form class="connect-form" on:submit=submit novalidate>
            {each(fields.get_value().into_iter().enumerate(), |(at, field)| view! { <KeyField field=field first={at == 0} /> }.into_any())}
            <p id="keys-note" class="muted small">"Sent once, to sign in this browser with all its tabs. No page keeps it: a cookie that no script can read replaces it until you sign out or have been inactive for a long time."</p>
            <button type="submit" class="btn btn-primary btn-wide" disabled=move || task.busy()>
                <Icon glyph=Glyph::Key />
                {task_label(task, "Connect", "Checking…")}
            </button>
        </form>
    }
}

#[component]
fn KeyField(field: Field, first: bool) -> impl IntoView {
    let (id, label) = match field.key {
        Key::Secret => ("secret", "Administration secret"),
        Key::Token => ("token", "Dashboard token"),
    };
    let note = match field.key {
        Key::Secret => {
            "For APIs, keys, policies and everything else that the gateway itself stores."
        }
        Key::Token => {
            "For client IdPs, rulesets, webhooks, notifications and the audit trail, and for whatever else it has rights to."
        }
    };
    let (about, wrong) = (format!("{id}-about"), format!("{id}-problem"));
    let shown = RwSignal::new(false);
    let problem = field.problem;
    view! {
        <div class="connect-field">
            <label for=id>{label}</label>
            <p id=about.clone() class="muted small">{note}</p>
            <div class="field-group">
                <input
                    id=id
                    node_ref=field.node
                    class="input mono"
                    type=move || if shown.get() { "text" } else { "password" }
                    name=id
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    autofocus=first
                    aria-describedby=format!("{wrong} {about} keys-note")
                    aria-invalid=move || problem.with(Option::is_some).to_string()
                />
                <button
                    type="button"
                    class="btn"
                    aria-label=format!("Show {id}")
                    aria-pressed=move || shown.get().to_string()
                    on:click=move |_| shown.update(|shown| *shown = !*shown)
                >
                    "Show"
                </button>
            </div>
            <p id=wrong class="field-problem" role="alert">{live(move || problem.get())}</p>
        </div>
    }
}

fn missing(keys: &[Key]) -> &'static str {
    match keys {
        [Key::Secret] => "Paste the secret first.",
        [Key::Token] => "Paste a token first.",
        _ => "Paste the secret or a token first.",
    }
}

fn explain(error: &ApiError) -> String {
    match error {
        ApiError::Forbidden => {
            "The gateway refuses this secret. Compare it with GATEWAY_SECRET in .dev.vars."
                .to_owned()
        }
        ApiError::NotAuthorised => {
            "The dashboard API refuses this token. It may have expired or been revoked.".to_owned()
        }
        ApiError::Unreachable | ApiError::Silent => {
            "The gateway does not respond. Check that it is running and that you are online."
                .to_owned()
        }
        other => format!("{}: {other}", other.title()),
    }
}
