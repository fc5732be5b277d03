//! OAuth clients of an API's OAuth 2.0 server, and their tokens.

use gatewright_model::json::{Kind, Value, parse};
use gloo_net::http::Method;

use super::read::{Read, list, number, text};
use super::{Answer, Api, ApiError, Call};
use crate::state::oauth::Revocation;
use crate::state::query_string::encode;

/// The path of their endpoints.
const PATH: &str = "/gateway/oauth/clients";

/// A client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// Its client id.
    pub id: String,
    /// Its client secret; empty if the gateway can no longer read it.
    pub secret: String,
    /// The URI its users are redirected to.
    pub redirect_uri: String,
    /// The policy of its tokens; empty for none.
    pub policy_id: String,
    /// The metadata of its tokens, JSON as it is stored; empty for none.
    pub meta_data: String,
    /// A description for people.
    pub description: String,
}

/// Reads a client from a value of the text `source`, of which its metadata is a slice, byte for byte.
fn client(value: &Value<'_>, source: &str) -> Option<Client> {
    let meta = value.get("meta_data");
    let meta = meta.filter(|meta| !matches!(meta.kind, Kind::Null));
    Some(Client {
        id: value.str("client_id")?.to_owned(),
        secret: text(value, "secret"),
        redirect_uri: text(value, "redirect_uri"),
        policy_id: text(value, "policy_id"),
        meta_data: meta
            .map(|meta| meta.span.of(source).to_owned())
            .unwrap_or_default(),
        description: text(value, "description"),
    })
}

/// Reads the clients in a response body.
///
/// # Errors
/// What could not be read.
pub fn clients(source: &str) -> Result<Vec<Client>, &'static str> {
    let value = parse(source).map_err(|_| "it is not JSON")?;
    let each = value.items().iter();
    each.map(|value| client(value, source).ok_or("client_id is missing"))
        .collect()
}

impl Answer {
    fn unread(&self, what: &str) -> ApiError {
        ApiError::Unreadable {
            what: what.to_owned(),
            request_id: self.request_id.clone(),
        }
    }

    fn oauth_client(&self) -> Result<Client, ApiError> {
        let value = parse(&self.text).map_err(|_| self.unread("it is not JSON"))?;
        client(&value, &self.text).ok_or_else(|| self.unread("client_id is missing"))
    }
}

/// An access token that was issued to a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Token {
    /// Its hash, which identifies its key.
    pub hash: String,
    /// When it expires, Unix seconds.
    pub expires: i64,
}

/// A page of tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// The number of this page, starting at 1.
    pub page: u32,
    /// How many pages there are.
    pub pages: u32,
}

impl Read for Token {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            hash: value.str("code").ok_or("code")?.to_owned(),
            expires: number(value, "expires"),
        })
    }
}

impl Read for Tokens {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let about = value.get("Pagination").ok_or("Pagination")?;
        Ok(Self {
            tokens: list(value, "Tokens")?,
            page: number(about, "page_num"),
            pages: number(about, "page_total"),
        })
    }
}

/// Returns the path of a client.
fn of(api: &str, id: &str) -> String {
    format!("{PATH}/{}/{}", encode(api), encode(id))
}

impl Api {
    /// Returns the clients of an API.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such API, [`ApiError::Forbidden`] if the secret is refused; the same goes
    /// for the calls below.
    pub async fn oauth_clients(self, api: &str) -> Result<Vec<Client>, ApiError> {
        let answer = self
            .send(Call::get(format!("{PATH}/{}", encode(api))))
            .await?;
        clients(&answer.text).map_err(|what| answer.unread(what))
    }

    /// Returns one client.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is none.
    pub async fn oauth_client(self, api: &str, id: &str) -> Result<Client, ApiError> {
        self.send(Call::get(of(api, id))).await?.oauth_client()
    }

    /// Makes a client; the response has its secret.
    ///
    /// # Errors
    /// [`ApiError::Refused`] with a sentence that says why.
    pub async fn make_oauth_client(self, body: &str) -> Result<Client, ApiError> {
        self.send(Call::post(format!("{PATH}/create")).json(body))
            .await?
            .oauth_client()
    }

    /// Changes a client. A change of the policy ends its access tokens.
    ///
    /// # Errors
    /// [`ApiError::Refused`] with a sentence that says why.
    pub async fn change_oauth_client(
        self,
        api: &str,
        id: &str,
        body: &str,
    ) -> Result<Client, ApiError> {
        let call = Call::new(Method::PUT, of(api, id)).json(body);
        self.send(call).await?.oauth_client()
    }

    /// Gives a client a new secret, which the response has.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such client.
    pub async fn rotate_oauth_client(self, api: &str, id: &str) -> Result<Client, ApiError> {
        let call = Call::new(Method::PUT, format!("{}/rotate", of(api, id)));
        self.send(call).await?.oauth_client()
    }

    /// Removes a client from an API, along with its tokens.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such client.
    pub async fn delete_oauth_client(self, api: &str, id: &str) -> Result<(), ApiError> {
        self.send(Call::new(Method::DELETE, of(api, id)))
            .await
            .map(drop)
    }

    /// Returns a page of the access tokens of a client.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such API.
    pub async fn oauth_tokens(self, api: &str, id: &str, page: u32) -> Result<Tokens, ApiError> {
        let path = format!("{}/tokens?page={page}", of(api, id));
        self.send(Call::get(path)).await?.read()
    }

    /// Revokes an access token, by its hash.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if it has already ended.
    pub async fn end_oauth_token(self, hash: &str) -> Result<(), ApiError> {
        let path = format!("/gateway/keys/{}?hashed=1", encode(hash));
        self.send(Call::new(Method::DELETE, path)).await.map(drop)
    }

    /// Revokes all tokens of a client, authenticated by its secret.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such client.
    pub async fn revoke_oauth_tokens(self, revocation: &Revocation<'_>) -> Result<(), ApiError> {
        let form = "application/x-www-form-urlencoded";
        let mut call = Call::post("/gateway/oauth/revoke_all").header("Content-Type", form);
        call.body = Some(revocation.form());
        self.send(call).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn page_of_tokens_has_its_number() {
        let text = r#"{"Pagination":{"page_num":2,"page_total":3,"page_size":100},"Tokens":[{"code":"ff","expires":9}]}"#;
        let read = Tokens::read(&parse(text).unwrap()).unwrap();
        assert_eq!((read.page, read.pages), (2, 3));
        assert_eq!((&*read.tokens[0].hash, read.tokens[0].expires), ("ff", 9));
        assert!(Tokens::read(&parse("[]").unwrap()).is_err());
    }
}
