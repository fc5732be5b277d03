//! The administration of OAuth clients.

use super::{
    Api, apis, ask, client, clients_named, disown, end_all, everywhere, execute, for_each_token,
    stored,
};
use crate::admin::replies::unexpected;
use crate::admin::{body, decoded, policies};
use crate::error::Error;
use crate::ports::{Platform, Vault};
use gatewright_api::message::{
    Action, CLIENT_NOT_FOUND, ModifySuccess, NO_POLICY, NO_SUCH_API, NOT_OAUTH, POLICY_WITHOUT_API,
    UNMARSHALLING_FAILED,
};
use gatewright_model::json::{self, Kind, quote};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::oauth::{ClientPart, OauthAsk, OauthClient, secret_hash};

/// The longest id and the longest secret of a client, in bytes.
const TEXT_MAX: usize = 256;

fn not_found() -> Error {
    Error::refused(404, CLIENT_NOT_FOUND)
}

/// Returns the API and the client from a path.
pub(super) fn named(variables: &[&str]) -> (String, String) {
    (decoded(variables, 0), decoded(variables, 1))
}

/// The client in a request body.
struct Sent {
    id: String,
    api: String,
    secret: String,
    redirect_uri: String,
    policy_id: String,
    meta_data: String,
    description: String,
}

impl Sent {
    /// Parses a body. A value of a wrong type makes it invalid, just as broken JSON does (reference 1.0).
    fn read(request: &Request) -> Result<Self, Error> {
        let malformed = || Error::refused(500, UNMARSHALLING_FAILED);
        let text = body(request)?;
        let value = json::parse(text)
            .map_err(|issues| Error::Unreadable(500, UNMARSHALLING_FAILED.to_owned(), issues))?;
        if !matches!(value.kind, Kind::Object(_)) {
            return Err(malformed());
        }
        let of = |name: &str| match value.get(name).map(|value| (&value.kind, value)) {
            None | Some((Kind::Null, _)) => Ok(String::new()),
            Some((_, value)) => match value.as_str() {
                Some(text) => Ok(text.to_owned()),
                None => Err(malformed()),
            },
        };
        let meta = value.get("meta_data");
        let meta = meta.filter(|meta| !matches!(meta.kind, Kind::Null));
        Ok(Self {
            id: of("client_id")?,
            api: of("api_id")?,
            secret: of("secret")?,
            redirect_uri: of("redirect_uri")?,
            policy_id: of("policy_id")?,
            meta_data: meta.map_or_else(String::new, |meta| meta.span.of(text).to_owned()),
            description: of("description")?,
        })
    }
}

/// Formats a client as users of this API family know it.
fn shown(client: &OauthClient, secret: &str) -> String {
    let mut text = format!(
        "{{\"client_id\":{},\"redirect_uri\":{}",
        quote(&client.id),
        quote(&client.redirect_uri)
    );
    if !client.policy_id.is_empty() {
        text.push_str(&format!(",\"policy_id\":{}", quote(&client.policy_id)));
    }
    let meta = match client.meta_data.as_str() {
        "" => "null",
        meta => meta,
    };
    text.push_str(&format!(
        ",\"secret\":{},\"meta_data\":{meta},\"description\":{}}}",
        quote(secret),
        quote(&client.description)
    ));
    text
}

fn answered(client: &OauthClient, secret: &str) -> Response {
    let mut text = shown(client, secret);
    text.push('\n');
    Response::text(200, text)
}

/// Returns the name that a secret is sealed under, so that it can't be shown as another client's.
fn seal_name(client: &OauthClient) -> String {
    format!("oauth client {}:{}", client.id.len(), client.id)
}

/// Returns the secret of a client; empty if it was stored under another gateway secret.
async fn opened<V: Vault>(vault: &V, client: &OauthClient) -> String {
    let opened = vault.open(&seal_name(client), &client.sealed).await;
    opened.unwrap_or_default()
}

/// Returns the client with this secret, sealed and hashed.
async fn with_secret<P: Platform>(
    platform: &P,
    client: OauthClient,
    secret: &str,
) -> Result<OauthClient, Error> {
    let vault = platform.own_vault().await?;
    Ok(OauthClient {
        sealed: vault.seal(&seal_name(&client), secret).await?,
        secret_hash: secret_hash(&client.id, secret),
        ..client
    })
}

/// Returns the APIs that a policy grants access to; `None` if there is no such policy.
async fn apis_of_policy<P: Platform>(platform: &P, id: &str) -> Result<Option<Vec<String>>, Error> {
    if id.is_empty() {
        return Ok(None);
    }
    let text = policies::text(platform, id).await?;
    Ok(text.map(|text| {
        json::parse(&text)
            .ok()
            .and_then(|policy| {
                let rights = policy.get("access_rights")?.members().iter();
                Some(rights.map(|right| right.name.to_string()).collect())
            })
            .unwrap_or_default()
    }))
}

/// Checks that basic authentication can carry an id or a secret (RFC 7617 section 2).
fn carried(member: &str, text: &str, may_have_colon: bool) -> Result<(), Error> {
    let wrong = |letter: char| letter.is_control() || (letter == ':' && !may_have_colon);
    if text.len() <= TEXT_MAX && !text.contains(wrong) {
        return Ok(());
    }
    let colon = if may_have_colon { "" } else { ", and no colon" };
    Err(Error::Refused(
        400,
        format!(
            "/{member}: basic authentication can't carry it; at most {TEXT_MAX} bytes, no control \
             characters{colon}"
        ),
    ))
}

/// `POST /gateway/oauth/clients/create`.
pub(in crate::admin) async fn create<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let sent = Sent::read(request)?;
    carried("client_id", &sent.id, false)?;
    carried("secret", &sent.secret, true)?;
    let ids = match sent.api.as_str() {
        "" => apis_of_policy(platform, &sent.policy_id)
            .await?
            .ok_or_else(|| Error::refused(400, NO_POLICY))?,
        api => vec![api.to_owned()],
    };
    let mut found: Vec<Api> = Vec::new();
    for id in &ids {
        let api = stored(platform, id).await?;
        let api = api.ok_or_else(|| Error::refused(400, NO_SUCH_API))?;
        // APIs of the policy without OAuth have no use for a client.
        found.extend(Some(api).filter(|api| api.is_on));
    }
    let Some(first) = found.first() else {
        return Err(Error::refused(400, NOT_OAUTH));
    };
    let given = |text: String, made: String| if text.is_empty() { made } else { text };
    let secret = given(sent.secret, platform.random_token());
    let client = OauthClient {
        api: first.id.clone(),
        id: given(sent.id, platform.random_id()),
        org: first.org(platform).to_owned(),
        made: platform.random_id(),
        redirect_uri: sent.redirect_uri,
        policy_id: sent.policy_id,
        meta_data: sent.meta_data,
        description: sent.description,
        created_at: platform.now(),
        ..OauthClient::default()
    };
    let client = with_secret(platform, client, &secret).await?;
    let clients = found.iter().map(|api| OauthClient {
        api: api.id.clone(),
        org: api.org(platform).to_owned(),
        ..client.clone()
    });
    let put = OauthAsk::PutClients {
        clients: clients.collect(),
        is_new: true,
        part: ClientPart::Whole,
    };
    execute(platform, &put).await?.ok_or_else(unexpected)?;
    Ok(answered(&client, &secret))
}

/// Changes a part of existing clients.
async fn change<P: Platform>(
    platform: &P,
    clients: Vec<OauthClient>,
    part: ClientPart,
) -> Result<(), Error> {
    let put = OauthAsk::PutClients {
        clients,
        is_new: false,
        part,
    };
    let changed = execute(platform, &put).await?;
    changed.ok_or_else(not_found).map(drop)
}

/// `GET /gateway/oauth/clients/{apiID}`.
pub(in crate::admin) async fn list<P: Platform>(
    platform: &P,
    variables: &[&str],
) -> Result<Response, Error> {
    let (api, _) = named(variables);
    if stored(platform, &api).await?.is_none() {
        return Ok(Response::text(404, "null\n".to_owned()));
    }
    let found: Option<Vec<OauthClient>> = ask(platform, &OauthAsk::Clients { api }).await?;
    let vault = platform.own_vault().await?;
    let mut text = "[".to_owned();
    for client in found.unwrap_or_default() {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&shown(&client, &opened(&vault, &client).await));
    }
    text.push_str("]\n");
    Ok(Response::text(200, text))
}

/// `GET /gateway/oauth/clients/{apiID}/{client}`.
pub(in crate::admin) async fn read<P: Platform>(
    platform: &P,
    variables: &[&str],
) -> Result<Response, Error> {
    let (api, id) = named(variables);
    let found = client(platform, &api, &id).await?.ok_or_else(not_found)?;
    let vault = platform.own_vault().await?;
    Ok(answered(&found, &opened(&vault, &found).await))
}

/// `GET /gateway/oauth/clients/apis/{appID}`. Without an organisation, it reads a client of an API with the id `apis`.
pub(in crate::admin) async fn apis_of<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let id = decoded(variables, 0);
    let Some(org) = request.parameter("orgID") else {
        return read(platform, &["apis", &id]).await;
    };
    let found = clients_named(platform, &id, org).await?;
    Ok(Response::json(200, &apis(&found)))
}

/// `PUT /gateway/oauth/clients/{apiID}/{client}`.
pub(in crate::admin) async fn update<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let (api, id) = named(variables);
    let sent = Sent::read(request)?;
    if stored(platform, &api).await?.is_none() {
        return Err(Error::refused(404, NO_SUCH_API));
    }
    if !sent.policy_id.is_empty() {
        let rights = apis_of_policy(platform, &sent.policy_id).await?;
        let rights = rights.ok_or_else(|| Error::refused(404, NO_POLICY))?;
        if !rights.contains(&api) {
            return Err(Error::refused(400, POLICY_WITHOUT_API));
        }
    }
    let known = client(platform, &api, &id).await?.ok_or_else(not_found)?;
    let known_at = everywhere(platform, &known).await?;
    let at = apis(&known_at);
    let has_changed = known.policy_id != sent.policy_id;
    if has_changed {
        end_all(platform, &id, &at).await?;
    }
    let changed = |client: OauthClient| OauthClient {
        redirect_uri: sent.redirect_uri.clone(),
        policy_id: sent.policy_id.clone(),
        meta_data: sent.meta_data.clone(),
        description: sent.description.clone(),
        ..client
    };
    let clients = known_at.into_iter().map(changed).collect();
    change(platform, clients, ClientPart::Settings).await?;
    if has_changed {
        // Tokens issued in the meantime were issued under the previous policy.
        end_all(platform, &id, &at).await?;
    }
    let vault = platform.own_vault().await?;
    let secret = opened(&vault, &known).await;
    Ok(answered(&changed(known), &secret))
}

/// `PUT /gateway/oauth/clients/{apiID}/{client}/rotate`.
pub(in crate::admin) async fn rotate<P: Platform>(
    platform: &P,
    variables: &[&str],
) -> Result<Response, Error> {
    let (api, id) = named(variables);
    if stored(platform, &api).await?.is_none() {
        return Err(Error::refused(404, NO_SUCH_API));
    }
    let known = client(platform, &api, &id).await?.ok_or_else(not_found)?;
    let known_at = everywhere(platform, &known).await?;
    let secret = platform.random_token();
    let known = with_secret(platform, known, &secret).await?;
    let clients = known_at.into_iter().map(|client| OauthClient {
        secret_hash: known.secret_hash.clone(),
        sealed: known.sealed.clone(),
        ..client
    });
    change(platform, clients.collect(), ClientPart::Secret).await?;
    Ok(answered(&known, &secret))
}

/// `DELETE /gateway/oauth/clients/{apiID}/{client}`. Its tokens remain, and are refused because their client no longer
/// exists.
pub(in crate::admin) async fn delete<P: Platform>(
    platform: &P,
    variables: &[&str],
) -> Result<Response, Error> {
    let (api, id) = named(variables);
    let known = client(platform, &api, &id).await?.ok_or_else(not_found)?;
    let at = apis(&everywhere(platform, &known).await?);
    // No secret has this hash, so no tokens are issued while the existing ones are updated. If this is interrupted, the
    // operator repeats the deletion.
    let closed = OauthClient {
        secret_hash: String::new(),
        sealed: String::new(),
        ..known
    };
    change(platform, vec![closed], ClientPart::Secret).await?;
    let gone = async |access: String| disown(platform, access, &api).await;
    for_each_token(platform, &id, &at, gone).await?;
    let removed = OauthAsk::RemoveClient {
        api,
        id: id.clone(),
    };
    execute(platform, &removed).await?.ok_or_else(not_found)?;
    Ok(Response::json(
        200,
        &ModifySuccess::of(&id, Action::Deleted),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_printed_with_a_policy_only_if_it_has_one() {
        let client = OauthClient {
            id: "c\"".to_owned(),
            redirect_uri: "http://a".to_owned(),
            ..OauthClient::default()
        };
        let expected = r#"{"client_id":"c\"","redirect_uri":"http://a","secret":"s","meta_data":null,"description":""}"#;
        assert_eq!(shown(&client, "s"), expected);
        let client = OauthClient {
            policy_id: "p".to_owned(),
            meta_data: "{\"n\":1.0}".to_owned(),
            ..client
        };
        let expected = r#"{"client_id":"c\"","redirect_uri":"http://a","policy_id":"p","secret":"s","meta_data":{"n":1.0},"description":""}"#;
        assert_eq!(shown(&client, "s"), expected);
    }

    #[test]
    fn rejects_client_ids_unfit_for_basic_authentication() {
        assert!(carried("client_id", "a b", false).is_ok());
        assert!(carried("client_id", "a:b", false).is_err());
        assert!(carried("secret", "a:b", true).is_ok());
        assert!(carried("secret", "a\nb", true).is_err());
        assert!(carried("secret", &"a".repeat(257), true).is_err());
    }
}
