//! The token endpoint: exchanging grants for tokens (RFC 6749 sections 4.1.3, 4.4 and 6).

use super::answer::{Failed, OauthError, object, uncacheable};
use super::authorize::{addresses, is_verifier};
use super::issue::{Grounds, Issued, is_within, issue, now};
use super::parameters::Parameters;
use super::server::Sender;
use super::{Api, ask, client, end_issued};
use crate::admin::passwords::is_right;
use crate::admin::replies::unexpected;
use crate::admin::sessions::find;
use crate::ports::Platform;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use gatewright_model::json;
use gatewright_model::merge;
use gatewright_model::session::Session;
use gatewright_model::text::percent::percent_decode;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::oauth::{
    OauthAsk, OauthClient, OauthCode, OauthToken, secret_hash, token_hash,
};
use gatewright_protocol::sessions::Owner;
use gatewright_protocol::token::stored_under;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Parameters that a request may contain only once.
const ONCE: [&str; 6] = [
    "grant_type",
    "code",
    "redirect_uri",
    "refresh_token",
    "scope",
    "code_verifier",
];

/// The supported grant types.
pub(super) const GRANTS: [&str; 4] = [
    "authorization_code",
    "refresh_token",
    "client_credentials",
    "password",
];

/// Handles a request to the token endpoint.
pub(super) async fn answer<P: Platform>(
    platform: &P,
    api: &Api,
    request: &Request,
    sender: Sender,
) -> Result<Response, crate::error::Error> {
    let response = match exchange(platform, api, request, sender).await {
        Ok(issued) => object(200, issued.members()),
        Err(Failed::Client(error)) => object(platform.oauth().error_status, error.members()),
        Err(Failed::Here(error)) => return Err(error),
    };
    Ok(uncacheable(response))
}

async fn exchange<P: Platform>(
    platform: &P,
    api: &Api,
    request: &Request,
    sender: Sender,
) -> Result<Issued, Failed> {
    if request.method != "POST" {
        return Err(OauthError::InvalidRequest.into());
    }
    // An unreadable body counts as one without a grant type.
    let sent = Parameters::of_body(request).unwrap_or_default();
    if sent.has_twice(&ONCE) {
        return Err(OauthError::InvalidRequest.into());
    }
    let grant = sent.get("grant_type");
    let allowed = api.access_types.iter().any(|known| known == grant);
    if !allowed || !GRANTS.contains(&grant) {
        return Err(OauthError::UnsupportedGrantType.into());
    }
    let (id, secret) = basic(request).ok_or(OauthError::InvalidRequest)?;
    let needed: &[&str] = match grant {
        "authorization_code" => &["code"],
        "refresh_token" => &["refresh_token"],
        "password" => &["username", "password"],
        _ => &[],
    };
    if needed.iter().any(|name| sent.get(name).is_empty()) {
        return Err(OauthError::InvalidGrant.into());
    }
    let client = authenticated(platform, api, (&id, &secret), sender).await?;
    match grant {
        "authorization_code" => by_code(platform, api, &client, &sent).await,
        "refresh_token" => by_refresh_token(platform, api, &client, &sent).await,
        "password" => by_password(platform, api, &client, &sent, sender).await,
        _ => {
            let grounds = Grounds {
                scope: sent.get("scope"),
                ..Grounds::default()
            };
            issue(platform, api, &client, &grounds).await
        }
    }
}

/// Whether tokens of an API are issued with a refresh token.
fn refreshes(api: &Api) -> bool {
    let mut types = api.access_types.iter();
    types.any(|known| known == "refresh_token")
}

/// Issues a token for an authorization code.
async fn by_code<P: Platform>(
    platform: &P,
    api: &Api,
    client: &OauthClient,
    sent: &Parameters,
) -> Result<Issued, Failed> {
    let code = token_hash(sent.get("code"));
    let found: Option<OauthCode> = ask(platform, &OauthAsk::Code { code }).await?;
    let of_client = |code: &OauthCode| code.client == client.id && code.api == api.id;
    let code = found.filter(of_client).ok_or(OauthError::InvalidGrant)?;
    if !code.used.is_empty() {
        end_issued(platform, &code.used).await?;
        return Err(OauthError::InvalidGrant.into());
    }
    fits(platform, client, &code, sent)?;
    let grounds = Grounds {
        scope: &code.scope,
        rules: &code.rules,
        refreshes: refreshes(api),
        code: &code.code,
        before: None,
    };
    issue(platform, api, client, &grounds).await
}

/// Issues a token that replaces the one with a refresh token.
async fn by_refresh_token<P: Platform>(
    platform: &P,
    api: &Api,
    client: &OauthClient,
    sent: &Parameters,
) -> Result<Issued, Failed> {
    let asked = OauthAsk::Token {
        access: Vec::new(),
        refresh: token_hash(sent.get("refresh_token")),
    };
    let found: Option<OauthToken> = ask(platform, &asked).await?;
    let before = found.ok_or(OauthError::InvalidGrant)?;
    if before.client != client.id || before.api != api.id {
        return Err(OauthError::InvalidClient.into());
    }
    let scope = match sent.get("scope") {
        "" => before.scope.as_str(),
        scope if is_within(scope, &before.scope) => scope,
        _ => return Err(OauthError::AccessDenied.into()),
    };
    let grounds = Grounds {
        scope,
        rules: &before.rules,
        refreshes: true,
        code: "",
        before: Some(&before),
    };
    issue(platform, api, client, &grounds).await
}

/// Issues a token to a client that has the password of one of its users.
async fn by_password<P: Platform>(
    platform: &P,
    api: &Api,
    client: &OauthClient,
    sent: &Parameters,
    sender: Sender,
) -> Result<Issued, Failed> {
    let user = (sent.get("username"), sent.get("password"));
    let rules = user_session(platform, api, user).await?;
    if rules.is_empty() {
        sender.has_failed(platform);
        return Err(OauthError::AccessDenied.into());
    }
    let grounds = Grounds {
        scope: sent.get("scope"),
        rules: &rules,
        refreshes: refreshes(api),
        ..Grounds::default()
    };
    issue(platform, api, client, &grounds).await
}

/// Returns the session of a user of basic authentication, which the user's token copies; empty if the credentials are
/// wrong. A user whose password would be refused gets no token for it either.
async fn user_session<P: Platform>(
    platform: &P,
    api: &Api,
    (user, password): (&str, &str),
) -> Result<String, Failed> {
    let orgs = (api.org.as_str(), platform.default_org());
    let stored = stored_under(user, orgs, platform.keys().hash);
    let Some(found) = find(platform, Owner::Key, stored).await? else {
        return Ok(String::new());
    };
    let value = json::parse(&found.text).map_err(|_| unexpected())?;
    let session = Session::read(&found.text, &value);
    let org = match session.org_id.as_str() {
        "" => platform.default_org(),
        org => org,
    };
    let may = !session.is_inactive && !session.is_expired(now(platform));
    if org != api.org(platform) || !may || !is_right(&value, password) {
        return Ok(String::new());
    }
    // Other credentials of the user are not copied.
    let patch = r#"{"basic_auth_data":null,"hmac_string":null,"jwt_data":null}"#;
    Ok(merge::merge(&found.text, patch).map_err(|_| unexpected())?)
}

/// Returns the client id and secret from basic authentication (RFC 6749 section 2.3.1).
fn basic(request: &Request) -> Option<(String, String)> {
    let sent = request.header("authorization")?;
    let (scheme, encoded) = sent.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let bytes = BASE64_STANDARD.decode(encoded.trim()).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (id, secret) = text.split_once(':')?;
    Some((id.to_owned(), secret.to_owned()))
}

/// Authenticates a client by its secret. RFC 6749 section 2.3.1 has id and secret form-encoded, which many clients
/// forget: where the two readings differ, either is accepted.
pub(super) async fn authenticated<P: Platform>(
    platform: &P,
    api: &Api,
    (id, secret): (&str, &str),
    sender: Sender,
) -> Result<OauthClient, Failed> {
    if !sender.may_try(platform) {
        return Err(OauthError::UnauthorizedClient.into());
    }
    let form = |text: &str| percent_decode(&text.replace('+', " "));
    let (decoded_id, decoded_secret) = (form(id), form(secret));
    let mut found = client(platform, &api.id, id).await?;
    if found.is_none() && decoded_id != id {
        found = client(platform, &api.id, &decoded_id).await?;
    }
    let Some(client) = found else {
        sender.has_failed(platform);
        return Err(OauthError::ServerError.into());
    };
    if !has_secret(&client, secret) && !has_secret(&client, &decoded_secret) {
        sender.has_failed(platform);
        return Err(OauthError::UnauthorizedClient.into());
    }
    Ok(client)
}

/// Compares a client's secret in constant time.
pub(super) fn has_secret(client: &OauthClient, secret: &str) -> bool {
    let sent = secret_hash(&client.id, secret);
    bool::from(sent.as_bytes().ct_eq(client.secret_hash.as_bytes()))
}

/// Checks that a code was issued for what is sent with it: the address (RFC 6749 section 4.1.3), which clients of this
/// family may leave out, and the verifier (RFC 7636 section 4.6).
fn fits<P: Platform>(
    platform: &P,
    client: &OauthClient,
    code: &OauthCode,
    sent: &Parameters,
) -> Result<(), OauthError> {
    let address = match sent.get("redirect_uri") {
        "" => addresses(platform, client).next().unwrap_or_default(),
        address => address,
    };
    if address != code.redirect_uri {
        return Err(OauthError::InvalidRequest);
    }
    let verifier = sent.get("code_verifier");
    let is_right = match code.method.as_str() {
        "" => verifier.is_empty(),
        "S256" => {
            let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
            is_verifier(verifier)
                && bool::from(challenge.as_bytes().ct_eq(code.challenge.as_bytes()))
        }
        _ => {
            is_verifier(verifier)
                && bool::from(verifier.as_bytes().ct_eq(code.challenge.as_bytes()))
        }
    };
    is_right.then_some(()).ok_or(OauthError::InvalidGrant)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent_as(value: &str) -> Option<(String, String)> {
        basic(&Request {
            headers: vec![("authorization".to_owned(), value.to_owned())],
            ..Request::default()
        })
    }

    #[test]
    fn client_may_use_basic_authentication() {
        let encoded = BASE64_STANDARD.encode("id:a:b");
        let expected = Some(("id".to_owned(), "a:b".to_owned()));
        assert_eq!(sent_as(&format!("Basic {encoded}")), expected);
        assert_eq!(sent_as(&format!("basic {encoded}")), expected);
        for wrong in ["Basic", "Bearer x", "Basic %%", "Basic aWQ="] {
            assert_eq!(sent_as(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn secret_must_match_its_client() {
        let client = OauthClient {
            id: "a".to_owned(),
            secret_hash: secret_hash("a", "s"),
            ..OauthClient::default()
        };
        assert!(has_secret(&client, "s") && !has_secret(&client, "S") && !has_secret(&client, ""));
        let closed = OauthClient {
            secret_hash: String::new(),
            ..client
        };
        assert!(!has_secret(&closed, "") && !has_secret(&closed, "s"));
    }
}
