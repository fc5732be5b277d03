//! The fields of a new key.

use leptos::prelude::*;

use super::new::Making;
use super::picks::{Apis, Policies};
use crate::components::{TextField, each, failed, live, only, task_label, unique_id};
use crate::pages::sessions::local_seconds;
use crate::routes;
use crate::state::Memo;
use crate::state::new_key::{AuthMethod, NewKey as Wanted, Number};
use crate::state::span::{self, UNITS, in_seconds};

/// Returns label and hint of a number.
const fn label_and_hint(number: Number) -> (&'static str, &'static str) {
    match number {
        Number::Rate => ("Rate", "Requests in a period; no limit if it is empty."),
        Number::Per => ("Per", "How long the period is."),
        Number::Quota => ("Quota", "Requests in a quota window; none if it is empty."),
        Number::Renewal => (
            "Renews after",
            "How long the window is; never if it is empty.",
        ),
    }
}

/// The form.
#[component]
pub(super) fn KeyForm(
    /// The key being created.
    making: Making,
) -> impl IntoView {
    let Making {
        wanted,
        failure,
        task,
        ..
    } = making;
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        making.run();
    };
    let complete = move || wanted.with(Wanted::complete) && !making.console.only_reads();
    view! {
        <form class="card panel idp-form" on:submit=submit novalidate>
            {failed(failure)}
            <Proof wanted=wanted />
            <Who wanted=wanted />
            <Policies making=making />
            <Apis making=making />
            <fieldset class="bare stack">
                <legend><h2>"Limits of its own"</h2></legend>
                <p class="muted small">"For the APIs above. Policies that set limits win over them."</p>
                <div class="fields">
                    {each(Number::ALL, |number| view! { <NumberField wanted=wanted number=number /> }.into_any())}
                </div>
            </fieldset>
            <div class="row">
                <button type="submit" class="btn btn-primary" disabled=move || task.busy() || !complete()>
                    {task_label(task, "Create the key", "Creating…")}
                </button>
                <a class="btn" href=routes::KEYS>"Cancel"</a>
            </div>
        </form>
    }
}

/// How the key is authenticated, and the fields for that.
#[component]
fn Proof(wanted: RwSignal<Wanted>) -> impl IntoView {
    let auth_method = Memo::new(move |_| wanted.with(|wanted| wanted.auth_method));
    let option = move |(value, label): (AuthMethod, &'static str)| {
        view! {
            <label class="pill">
                <input
                    type="radio"
                    name="way"
                    prop:checked=move || auth_method.get() == value
                    on:change=move |_| wanted.update(|wanted| wanted.auth_method = value)
                />
                <span>{label}</span>
            </label>
        }
        .into_any()
    };
    let takes = move || {
        match auth_method.get() {
        AuthMethod::Token => view! { <p class="muted small">"The gateway generates a token, which is shown once."</p> }.into_any(),
        AuthMethod::Signature => view! { <p class="muted small">"The gateway generates a token and a secret; requests are signed with it. For APIs with enable_signature_checking."</p> }.into_any(),
        AuthMethod::Password => view! { <Login wanted=wanted /> }.into_any(),
    }
    };
    view! {
        <fieldset class="bare stack">
            <legend><h2>"Authenticated by"</h2></legend>
            <div class="pills">{each(AuthMethod::ALL, option)}</div>
            {live(takes)}
        </fieldset>
    }
}

/// Name and password of a user.
#[component]
fn Login(wanted: RwSignal<Wanted>) -> impl IntoView {
    let user = Callback::new(move |text| wanted.update(|wanted| wanted.user = text));
    let password = Callback::new(move |text| wanted.update(|wanted| wanted.password = text));
    let problem =
        move || wanted.with(|wanted| wanted.user_problem().or_else(|| wanted.password_problem()));
    // Input from before the method was changed is not what the fields show.
    wanted.update(|wanted| {
        wanted.user.clear();
        wanted.password.clear();
    });
    view! {
        <div class="fields">
            <TextField label="Name *" hint="What the user logs in with; the key is named after it." needed=true on_text=user />
            <TextField label="Password *" hint="Kept as a bcrypt hash. At most 72 bytes." kind="password" needed=true on_text=password />
        </div>
        <p class="field-problem" role="status">{live(problem)}</p>
        <p class="muted small">"For APIs with use_basic_auth. A name that is in use is refused."</p>
    }
}

#[component]
fn Who(wanted: RwSignal<Wanted>) -> impl IntoView {
    let alias = Callback::new(move |text| wanted.update(|wanted| wanted.alias = text));
    let org = Callback::new(move |text| wanted.update(|wanted| wanted.org_id = text));
    let tags = Callback::new(move |text| wanted.update(|wanted| wanted.tags = text));
    let ends = Callback::new(move |text: String| {
        wanted.update(|wanted| wanted.expires = local_seconds(&text));
    });
    view! {
        <div class="fields">
            <TextField label="Alias" hint="What people call it." on_text=alias />
            <TextField label="Organisation" hint="As in the API's definition; empty if that names none." on_text=org />
            <TextField label="Tags" hint="Separated by commas." on_text=tags />
            <TextField label="Expires" hint="In your local time; never if it is empty." kind="datetime-local" on_text=ends />
        </div>
    }
}

#[component]
fn NumberField(wanted: RwSignal<Wanted>, number: Number) -> impl IntoView {
    let (label, hint) = label_and_hint(number);
    let id = unique_id("limit");
    let about = format!("{id}-about");
    let problem = move || wanted.with(|wanted| wanted.problem(number));
    let typed = RwSignal::new(String::new());
    let unit = RwSignal::new(1_u32);
    let put = move || {
        let written = typed.with_untracked(|typed| in_seconds(typed, unit.get_untracked()));
        wanted.update(|wanted| wanted.set_number(number, &written));
    };
    let change = move |event| {
        typed.set(event_target_value(&event));
        put();
    };
    let choose = move |event| {
        unit.set(event_target_value(&event).parse().unwrap_or(1));
        put();
    };
    let length = move || {
        let seconds = wanted.with(|wanted| wanted.number(number).to_owned());
        match unit.get() {
            _ if !number.is_time() || seconds.is_empty() => None,
            1 => span::words(&seconds),
            _ => Some(format!("{seconds} seconds")),
        }
    };
    let note = move || match (problem(), length()) {
        (Some(problem), _) => view! { <span class="field-problem">{problem}</span> }.into_any(),
        (None, Some(length)) => length.into_any(),
        (None, None) => hint.into_any(),
    };
    let option = |(length, name): (u32, &'static str)| {
        view! { <option value=length.to_string()>{name}</option> }.into_any()
    };
    let units = only(number.is_time(), || {
        view! { <select class="input" aria-label=format!("Unit of {label}") on:change=choose>{each(UNITS, option)}</select> }
            .into_any()
    });
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <div class="field-time">
                <input
                    id=id
                    type="text"
                    inputmode=if number.is_time() { "decimal" } else { "numeric" }
                    class="input"
                    autocomplete="off"
                    aria-describedby=about.clone()
                    aria-invalid=move || problem().is_some().to_string()
                    on:input=change
                />
                {units}
            </div>
            <p id=about class="muted small">{live(note)}</p>
        </div>
    }
}
