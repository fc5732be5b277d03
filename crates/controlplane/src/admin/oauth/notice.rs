//! Notifications about issued tokens to the server an API names (`notifications`).

use super::Api;
use crate::ports::{Outgoing, Platform};
use gatewright_protocol::oauth::OauthGrant;
use gatewright_protocol::pseudonym::Pseudonyms;
use serde_json::json;

/// The header that carries the shared secret.
const SECRET: &str = "x-gateway-shared-secret";

/// Notifies about a token, after the response is sent. Codes and tokens are named as everywhere else, by something that
/// no token can be derived from: a text that grants access to an API is for its client alone.
pub(super) fn notify<P: Platform>(platform: &P, api: &Api, grant: &OauthGrant) {
    if api.notify_url.is_empty() {
        return;
    }
    let names = Pseudonyms::new(platform.secret().map(str::to_owned));
    let kind = if grant.refresh.is_empty() {
        "new"
    } else {
        "refresh"
    };
    let body = json!({
        "auth_code": grant.code,
        "new_oauth_token": names.of(&grant.token.access),
        "refresh_token": grant.token.refresh,
        "old_refresh_token": grant.refresh,
        "notification_type": kind,
    });
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut headers = vec![
        header("content-type", "application/json"),
        header("user-agent", "Gatewright"),
    ];
    if !api.notify_secret.is_empty() {
        headers.push(header(SECRET, &api.notify_secret));
    }
    platform.send_later(Outgoing {
        method: "POST".to_owned(),
        url: api.notify_url.clone(),
        headers,
        body: Some(body.to_string()),
    });
}
