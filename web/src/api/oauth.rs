//! Clients of the OAuth 2.0 server of an API, and their tokens.

use gatewright_model::json::{Kind, Value, parse};
use gloo_net::http::Method;

use super::read::{Read, list, number, text};
use super::{Answer, Api, ApiError, Call};
use crate::state::oauth::Revocation;
use crate::state::query_string::encode;

/// Where they are.
const PATH: &str = "/gateway/oauth/clients";

/// A client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// What it calls itself.
    pub id: String,
    /// What it proves that with; empty where the gateway can't read it any more.
    pub secret: String,
    /// Where its users come back to.
    pub redirect_uri: String,
    /// The policy of its tokens; empty for none.
    pub policy_id: String,
    /// The metadata of its tokens, JSON as it is stored; empty for none.
    pub meta_data: String,
    /// A text for people.
    pub description: String,
}

/// Reads a client out of the text that it stands in: its metadata keeps every byte.
fn client(value: &Value<'_>, whole: &str) -> Option<Client> {
    let meta = value.get("meta_data");
    let meta = meta.filter(|meta| !matches!(meta.kind, Kind::Null));
    Some(Client {
        id: value.str("client_id")?.to_owned(),
        secret: text(value, "secret"),
        redirect_uri: text(value, "redirect_uri"),
        policy_id: text(value, "policy_id"),
        meta_data: meta
            .map(|meta| meta.span.of(whole).to_owned())
            .unwrap_or_default(),
        description: text(value, "description"),
    })
}

/// Reads the clients of a text.
///
/// # Errors
/// What could not be read.
pub fn clients(whole: &str) -> Result<Vec<Client>, &'static str> {
    let value = parse(whole).map_err(|_| "it is not JSON")?;
    let each = value.items().iter();
    each.map(|value| client(value, whole).ok_or("client_id is missing"))
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

/// An access token that a client has got.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Token {
    /// Its hash, under which its key is found.
    pub hash: String,
    /// When it ends, Unix seconds.
    pub expires: i64,
}

/// A page of tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// Which page it is, from 1.
    pub page: u32,
    /// How many there are.
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

/// The path of a client.
fn of(api: &str, id: &str) -> String {
    format!("{PATH}/{}/{}", encode(api), encode(id))
}

impl Api {
    /// The clients of an API.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such API, [`ApiError::Forbidden`] if the secret is refused; so for
    /// the calls below.
    pub async fn oauth_clients(self, api: &str) -> Result<Vec<Client>, ApiError> {
        let answer = self
            .send(Call::get(format!("{PATH}/{}", encode(api))))
            .await?;
        clients(&answer.text).map_err(|what| answer.unread(what))
    }

    /// One client.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is none.
    pub async fn oauth_client(self, api: &str, id: &str) -> Result<Client, ApiError> {
        self.send(Call::get(of(api, id))).await?.oauth_client()
    }

    /// Makes a client; the answer has its secret.
    ///
    /// # Errors
    /// [`ApiError::Refused`] with a sentence about what can't be.
    pub async fn make_oauth_client(self, body: &str) -> Result<Client, ApiError> {
        self.send(Call::post(format!("{PATH}/create")).json(body))
            .await?
            .oauth_client()
    }

    /// Changes a client. Another policy ends its access tokens.
    ///
    /// # Errors
    /// [`ApiError::Refused`] with a sentence about what can't be.
    pub async fn change_oauth_client(
        self,
        api: &str,
        id: &str,
        body: &str,
    ) -> Result<Client, ApiError> {
        let call = Call::new(Method::PUT, of(api, id)).json(body);
        self.send(call).await?.oauth_client()
    }

    /// Gives a client a new secret; the answer has it.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such client.
    pub async fn rotate_oauth_client(self, api: &str, id: &str) -> Result<Client, ApiError> {
        let call = Call::new(Method::PUT, format!("{}/rotate", of(api, id)));
        self.send(call).await?.oauth_client()
    }

    /// Removes a client from an API, and its tokens with it.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such client.
    pub async fn delete_oauth_client(self, api: &str, id: &str) -> Result<(), ApiError> {
        self.send(Call::new(Method::DELETE, of(api, id)))
            .await
            .map(drop)
    }

    /// A page of the access tokens of a client.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such API.
    pub async fn oauth_tokens(self, api: &str, id: &str, page: u32) -> Result<Tokens, ApiError> {
        let path = format!("{}/tokens?page={page}", of(api, id));
        self.send(Call::get(path)).await?.read()
    }

    /// Ends an access token, by its hash.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if it has ended already.
    pub async fn end_oauth_token(self, hash: &str) -> Result<(), ApiError> {
        let path = format!("/gateway/keys/{}?hashed=1", encode(hash));
        self.send(Call::new(Method::DELETE, path)).await.map(drop)
    }

    /// Ends all tokens of a client, which its secret proves.
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
    fn a_page_of_tokens_says_which_it_is() {
        let text = r#"{"Pagination":{"page_num":2,"page_total":3,"page_size":100},"Tokens":[{"code":"ff","expires":9}]}"#;
        let read = Tokens::read(&parse(text).unwrap()).unwrap();
        assert_eq!((read.page, read.pages), (2, 3));
        assert_eq!((&*read.tokens[0].hash, read.tokens[0].expires), ("ff", 9));
        assert!(Tokens::read(&parse("[]").unwrap()).is_err());
    }
}
