//! All certificates.

use leptos::prelude::*;

use super::Validity;
use crate::api::certificates::Certificate;
use crate::components::{Glyph, PageHead, SearchField, each, live, maybe, only};
use crate::pages::find_api::short;
use crate::pages::list::{DocumentTable, First, results};
use crate::pages::needs::to_new;
use crate::routes;
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::sought::Sought;
use crate::state::use_console;

const FIRST: First = First {
    glyph: Glyph::Seal,
    title: "No certificates yet",
    text: "Add certificates of clients or of authorities, or one with its private key for signing requests.",
    link: Some((routes::NEW_CERTIFICATE, "Add a certificate")),
};

/// From this number on there is a search field.
const MANY: usize = 8;

/// The page.
#[component]
pub fn Certificates() -> impl IntoView {
    let console = use_console();
    let stored = Load::new(move || async move { console.api.certificates().await });
    let typed = RwSignal::new(String::new());
    let shown = move |found: Vec<Certificate>| {
        if found.is_empty() {
            return FIRST.view();
        }
        let count = plural(found.len(), "certificate");
        let many = found.len() > MANY;
        let search = Callback::new(move |text| typed.set(text));
        view! {
            {only(many, || view! {
                <div class="list-search">
                    <SearchField label="Search certificates" placeholder="Search name, issuer or id" value=typed on_input=search />
                </div>
            }.into_any())}
            <Table found=found typed=typed />
            <p class="muted small">{count}</p>
        }
        .into_any()
    };
    view! {
        <PageHead title="Certificates" lead="Certificates and public keys that APIs and keys name. They take effect at once; private keys are never shown again.">
            {to_new(routes::NEW_CERTIFICATE, "Add a certificate")}
        </PageHead>
        {results(stored, "Loading the certificates", shown)}
    }
    .into_any()
}

#[component]
fn Table(found: Vec<Certificate>, typed: RwSignal<String>) -> impl IntoView {
    let answers = move |one: &&Certificate| {
        let texts = [&one.subject, &one.issuer, &one.id];
        typed
            .with(|typed| Sought::of(typed))
            .is_in(texts.into_iter().chain(&one.dns_names))
    };
    let rows = move || {
        let matches: Vec<Certificate> = found.iter().filter(answers).cloned().collect();
        let none = matches.is_empty();
        view! {
            {each(matches, |one| view! { <Row one=one /> }.into_any())}
            {only(none, || view! { <tr><td colspan="4" class="muted">"Nothing matches."</td></tr> }.into_any())}
        }
        .into_any()
    };
    view! {
        <DocumentTable caption="Certificates" columns=&["Issued to", "Issued by", "State", "Has"]>
            {live(rows)}
        </DocumentTable>
    }
}

#[component]
fn Row(one: Certificate) -> impl IntoView {
    let called = match one.subject.as_str() {
        "" => "No name".to_owned(),
        _ => one.subject.clone(),
    };
    let names = (!one.dns_names.is_empty()).then(|| one.dns_names.join(", "));
    view! {
        <tr>
            <th scope="row" class="cell-name">
                <a href=routes::certificate(&one.id)>{called}</a>
                <span class="cell-sub"><code class="api-id">{short(&one.id)}</code></span>
                {maybe(names, |names| view! { <span class="cell-sub small">{names}</span> }.into_any())}
            </th>
            <td data-label="Issued by">{one.issuer}</td>
            <td data-label="State" class="cell-state"><Validity not_before=one.not_before not_after=one.not_after /></td>
            <td data-label="Has">
                <ul class="permissions">
                    {only(one.has_private, || view! { <li class="permission">"Private key"</li> }.into_any())}
                    {only(one.is_ca, || view! { <li class="permission">"Authority"</li> }.into_any())}
                    {only(!one.has_private && !one.is_ca, || view! { <li class="muted small">"–"</li> }.into_any())}
                </ul>
            </td>
        </tr>
    }
}
