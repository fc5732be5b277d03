//! Adds a certificate, pasted or from a file.

use leptos::prelude::*;
use web_sys::File;

use crate::api::ApiError;
use crate::components::{
    FileButton, FileDrop, Glyph, Icon, Notice, PageHead, TextField, Tint, failed, live, task_label,
    unique_id,
};
use crate::routes;
use crate::state::certificates::{Blocks, as_pem};
use crate::state::task::Task;
use crate::state::use_console;
use crate::state::{Memo, files};

/// The largest text that the edge accepts.
const BYTES_MAX: u64 = 256 * 1024;

/// The page.
#[component]
pub fn NewCertificate() -> impl IntoView {
    let console = use_console();
    let pem = RwSignal::new(String::new());
    let org = RwSignal::new(String::new());
    let failure = RwSignal::new(None::<ApiError>);
    let task = Task::new();
    let filled = move || pem.with(|pem| !pem.trim().is_empty());
    console
        .address
        .hold_while(routes::NEW_CERTIFICATE.to_owned(), filled);
    let usable =
        Memo::new(move |_| pem.with(|pem| Blocks::of(pem).is_usable()) && !console.only_reads());
    let take = Callback::new(move |file: File| {
        task.run(async move {
            let read = files::contents(&file, BYTES_MAX).await;
            match read.and_then(|bytes| as_pem(&bytes).map_err(str::to_owned)) {
                Ok(text) => drop(pem.try_set(text)),
                Err(why) => console.toasts.bad(why),
            }
        });
    });
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if !usable.get_untracked() {
            return;
        }
        failure.set(None);
        let (text, owner) = (pem.get_untracked(), org.get_untracked());
        task.run(async move {
            match console.api.add_certificate(&text, owner.trim()).await {
                Ok(id) => {
                    // A private key stays in memory no longer than necessary.
                    pem.try_set(String::new());
                    console.address.release();
                    console.toasts.good("Added. It takes effect at once.");
                    console.address.go(&routes::certificate(&id));
                }
                Err(error) => drop(failure.try_set(Some(error))),
            }
        });
    };
    let field = unique_id("pem");
    let about = format!("{field}-about");
    let hint = move || {
        pem.with(|pem| match pem.trim().is_empty() {
            true => "One certificate, with or without its chain, and with its private key if requests are to be signed with it; or a public key. PEM, from -----BEGIN to -----END; a file may also be DER.".to_owned(),
            false => Blocks::of(pem).summary(),
        })
    };
    let private = Memo::new(move |_| pem.with(|pem| Blocks::of(pem).private_keys > 0));
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=routes::CERTIFICATES>"Certificates"</a>
            <Icon glyph=Glyph::Chevron />
            <span>"New"</span>
        </nav>
        <PageHead title="Add a certificate" lead="It is stored under its fingerprint and can't be changed: to replace it, add another one and delete this one." />
        <form class="card panel idp-form" on:submit=submit novalidate>
            {failed(failure)}
            <div class="field">
                <label for=field.clone()>"Certificate *"</label>
                <textarea
                    id=field
                    class="input mono"
                    rows="10"
                    autocomplete="off"
                    spellcheck="false"
                    aria-required="true"
                    aria-describedby=about.clone()
                    prop:value=pem
                    on:input=move |event| pem.set(event_target_value(&event))
                ></textarea>
                <p id=about class="muted small" aria-live="polite">{live(hint)}</p>
            </div>
            <div class="row">
                <FileButton label="Choose a file" accept=".pem,.crt,.cer,.der,.key,.txt,application/x-pem-file,application/pkix-cert" on_file=take />
                <span class="muted small">"or drop one anywhere on this page"</span>
            </div>
            {live(move || private.get().then(|| view! {
                <Notice tint=Tint::Blue>
                    <span>"The private key is stored so that requests can be signed with it. No answer contains it, nor does an export without a passphrase."</span>
                </Notice>
            }))}
            <div class="fields">
                <TextField label="Organisation" hint="Prefixes its id; keys may only name certificates of their own organisation. None if it is empty." on_text=Callback::new(move |text| org.set(text)) />
            </div>
            <div class="row">
                <button type="submit" class="btn btn-primary" disabled=move || task.busy() || !usable.get()>
                    {task_label(task, "Add", "Adding…")}
                </button>
                <a class="btn" href=routes::CERTIFICATES>"Cancel"</a>
            </div>
        </form>
        <FileDrop label="Drop the certificate" on_file=take />
    }
    .into_any()
}
