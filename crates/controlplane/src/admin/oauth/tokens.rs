//! Listing and revoking issued tokens (RFC 7009).

use super::exchange::has_secret;
use super::parameters::Parameters;
use super::server::Sender;
use super::{
    Api, apis, ask, clients, clients_named, end_access, end_all, everywhere, execute, stored,
};
use crate::admin::decoded;
use crate::admin::replies::unexpected;
use crate::error::Error;
use crate::ports::Platform;
use crate::query;
use gatewright_api::message::{Action, CLIENT_NOT_FOUND, ModifySuccess, StatusMessage};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::oauth::{
    OauthAsk, OauthClient, OauthToken, OauthTokens, TOKENS_PER_PAGE, token_hash,
};
use gatewright_protocol::token::stored_under;
use serde_json::{Value, json};

fn ok(text: &str) -> Response {
    Response::json(200, &StatusMessage::ok(text))
}

/// `GET /gateway/oauth/clients/{apiID}/{client}/tokens`.
pub(in crate::admin) async fn list<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let (api, id) = clients::named(variables);
    if stored(platform, &api).await?.is_none() {
        return Err(Error::refused(404, CLIENT_NOT_FOUND));
    }
    let page = query::given(request, "page");
    // Anything that is not a number means the first page.
    let page = page.map(|page| page.parse::<u32>().unwrap_or(1).max(1));
    let listed = match super::client(platform, &api, &id).await? {
        None => OauthTokens::default(),
        Some(client) => {
            let asked = OauthAsk::Tokens {
                apis: apis(&everywhere(platform, &client).await?),
                client: id,
                page: page.unwrap_or(0),
            };
            ask(platform, &asked).await?.unwrap_or_default()
        }
    };
    let total = listed.total.div_ceil(TOKENS_PER_PAGE);
    let shown = |token: OauthToken| json!({ "code": token.access, "expires": token.expires });
    let tokens: Vec<Value> = listed.tokens.into_iter().map(shown).collect();
    let body = match page {
        None => Value::Array(tokens),
        Some(page) => json!({
            "Pagination": { "page_num": page, "page_total": total, "page_size": TOKENS_PER_PAGE },
            "Tokens": tokens,
        }),
    };
    Ok(Response::json(200, &body))
}

/// `DELETE /gateway/oauth/refresh/{token}`. The access token remains valid.
pub(in crate::admin) async fn end_refresh<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let token = decoded(variables, 0);
    let id = query::given(request, "api_id");
    let id = id.ok_or_else(|| Error::refused(400, "Missing parameter api_id"))?;
    let api = stored(platform, id).await?;
    let api = api.ok_or_else(|| Error::refused(404, "API for this refresh token not found"))?;
    if !api.is_on {
        return Err(Error::refused(400, "OAuth is not enabled on this API"));
    }
    let refresh = token_hash(&token);
    let found = OauthAsk::Token {
        access: Vec::new(),
        refresh: refresh.clone(),
    };
    let found: Option<OauthToken> = ask(platform, &found).await?;
    if found.is_some_and(|found| found.api == api.id) {
        let ended = OauthAsk::EndRefresh { refresh };
        execute(platform, &ended).await?.ok_or_else(unexpected)?;
    }
    Ok(Response::json(
        200,
        &ModifySuccess::of(&token, Action::Deleted),
    ))
}

/// `DELETE /gateway/oauth/tokens`.
pub(in crate::admin) async fn lapse<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    match request.parameter("scope") {
        None => Err(Error::refused(422, "scope parameter is required")),
        Some("lapsed") => {
            execute(platform, &OauthAsk::Lapse)
                .await?
                .ok_or_else(unexpected)?;
            Ok(ok("lapsed tokens purged"))
        }
        Some(_) => Err(Error::refused(400, "unknown scope")),
    }
}

/// Revokes the token in a form if `may` accepts it.
async fn revoke_sent<P: Platform>(
    platform: &P,
    (org, sent): (&str, &Parameters),
    may: impl Fn(&OauthToken) -> bool,
) -> Result<(), Error> {
    let token = sent.get("token");
    let access = stored_under(token, (org, platform.default_org()), platform.keys().hash);
    let by_access = OauthAsk::Token {
        access: access.clone(),
        refresh: String::new(),
    };
    let by_refresh = OauthAsk::Token {
        access: Vec::new(),
        refresh: token_hash(token),
    };
    // The hint says where to look first (RFC 7009 section 2.1); no text is both kinds of token.
    let refresh_first = sent.get("token_type_hint") == "refresh_token";
    let asked = if refresh_first {
        [by_refresh, by_access]
    } else {
        [by_access, by_refresh]
    };
    for asked in asked {
        let found: Option<OauthToken> = ask(platform, &asked).await?;
        let Some(found) = found.filter(&may) else {
            continue;
        };
        if access.contains(&found.access) {
            return end_access(platform, &found.access).await;
        }
        let ended = OauthAsk::EndRefresh {
            refresh: found.refresh,
        };
        return execute(platform, &ended)
            .await?
            .ok_or_else(unexpected)
            .map(drop);
    }
    Ok(())
}

const REVOKED: &str = "token revoked successfully";
const ALL_REVOKED: &str = "tokens revoked successfully";
const NO_TOKEN: &str = "token is required";
const NO_CLIENT: &str = "oauth client doesn't exist";
const NO_CLIENT_ID: &str = "client_id is required";

const MALFORMED: &str = "cannot parse form. Form malformed";
const MALFORMED_HERE: &str = "error parsing form. Form malformed";

/// Parses a form that has to be well-formed (reference 1.9); otherwise the error has the message `malformed`.
fn form(request: &Request, malformed: &str) -> Result<Parameters, Error> {
    Parameters::of_valid_form(request).ok_or_else(|| Error::refused(400, malformed))
}

/// `POST /gateway/oauth/revoke`.
pub(in crate::admin) async fn revoke<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let sent = form(request, MALFORMED)?;
    if sent.get("token").is_empty() {
        return Err(Error::refused(400, NO_TOKEN));
    }
    if sent.get("client_id").is_empty() {
        return Err(Error::refused(400, NO_CLIENT_ID));
    }
    let org = sent.get("org_id");
    let known = clients_named(platform, sent.get("client_id"), org).await?;
    let Some(first) = known.first() else {
        return Err(Error::refused(400, NO_CLIENT));
    };
    let may = |token: &OauthToken| {
        let of = |client: &OauthClient| client.id == token.client && client.api == token.api;
        known.iter().any(of)
    };
    revoke_sent(platform, (&first.org, &sent), may).await?;
    Ok(ok(REVOKED))
}

/// The same below the listen path of an API, where no client is required: the holder of a token may revoke it.
pub(super) async fn revoke_here<P: Platform>(
    platform: &P,
    api: &Api,
    request: &Request,
) -> Result<Response, Error> {
    let sent = form(request, MALFORMED_HERE)?;
    if sent.get("token").is_empty() {
        return Err(Error::refused(400, NO_TOKEN));
    }
    let may = |token: &OauthToken| token.api == api.id;
    revoke_sent(platform, (&api.org, &sent), may).await?;
    Ok(ok(REVOKED))
}

/// Revokes every token of a client, given its secret; `unknown` is the message if there is no such client.
async fn revoke_of<P: Platform>(
    platform: &P,
    sent: &Parameters,
    known: Vec<OauthClient>,
    unknown: &str,
) -> Result<Response, Error> {
    if known.is_empty() {
        return Err(Error::refused(404, unknown));
    }
    let secret = sent.get("client_secret");
    let mut wrong = true;
    for client in known.iter().filter(|client| has_secret(client, secret)) {
        wrong = false;
        let at = apis(&everywhere(platform, client).await?);
        let ended = OauthAsk::EndClient {
            apis: at.clone(),
            client: client.id.clone(),
        };
        execute(platform, &ended).await?.ok_or_else(unexpected)?;
        end_all(platform, &client.id, &at).await?;
    }
    if wrong {
        return Err(Error::refused(401, "client secret is wrong"));
    }
    Ok(ok(ALL_REVOKED))
}

/// Refuses a form that names no client or has no client secret.
fn names_client(sent: &Parameters) -> Result<(), Error> {
    if sent.get("client_id").is_empty() {
        return Err(Error::refused(401, NO_CLIENT_ID));
    }
    if sent.get("client_secret").is_empty() {
        return Err(Error::refused(401, "client_secret is required"));
    }
    Ok(())
}

/// `POST /gateway/oauth/revoke_all`.
pub(in crate::admin) async fn revoke_all<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let sent = form(request, MALFORMED)?;
    names_client(&sent)?;
    let known = clients_named(platform, sent.get("client_id"), sent.get("org_id")).await?;
    revoke_of(platform, &sent, known, NO_CLIENT).await
}

/// The same below the listen path of an API.
pub(super) async fn revoke_all_here<P: Platform>(
    platform: &P,
    api: &Api,
    request: &Request,
    sender: Sender,
) -> Result<Response, Error> {
    let sent = form(request, MALFORMED_HERE)?;
    names_client(&sent)?;
    if !sender.may_try(platform) {
        return Err(Error::refused(401, "client secret is wrong"));
    }
    let known = super::client(platform, &api.id, sent.get("client_id")).await?;
    let known = known.into_iter().collect();
    let answer = revoke_of(platform, &sent, known, "error getting oauth client").await;
    if matches!(answer, Err(Error::Refused(..))) {
        sender.has_failed(platform);
    }
    answer
}
