//! The pages of the administration API about how requests are authenticated: clients of the OAuth 2.0 server,
//! certificates, tokens, and new keys. All of them require the gateway secret.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::{certificates, jwt, keys, oauth};
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the secret.
#[must_use]
pub fn page(page: Page) -> AnyView {
    let title = match page {
        Page::NewKey => "New key",
        Page::NewOauthClient(_) | Page::OauthClient(..) => "OAuth client",
        Page::OauthClients(_) => "OAuth clients",
        Page::Jwt => "Tokens",
        Page::NewCertificate | Page::Certificate(_) => "Certificate",
        _ => "Certificates",
    };
    needs(Key::Secret, title, move || match page.clone() {
        Page::NewKey => view! { <keys::NewKey /> }.into_any(),
        Page::OauthClients(api) => view! { <oauth::Clients api=api /> }.into_any(),
        Page::NewOauthClient(api) => view! { <oauth::NewClient api=api /> }.into_any(),
        Page::OauthClient(api, id) => view! { <oauth::ClientPage api=api id=id /> }.into_any(),
        Page::Certificates => view! { <certificates::Certificates /> }.into_any(),
        Page::NewCertificate => view! { <certificates::NewCertificate /> }.into_any(),
        Page::Certificate(id) => view! { <certificates::CertificatePage id=id /> }.into_any(),
        Page::Jwt => view! { <jwt::JwtPage /> }.into_any(),
        _ => ().into_any(),
    })
}
