//! Keys, policies and organisations: their list rows, and the endpoints that other kinds of documents don't have.

#[cfg(all(test, target_arch = "wasm32"))]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod agreement;

use gatewright_model::Issue;
use gatewright_model::json::{Value, parse};
use gloo_net::http::Method;

use super::group::{Group, Listed};
use super::read::{Read, list, number, text, texts};
use super::{Answer, Api, ApiError, Call};
use crate::state::query_string::encode;

/// A key as the list shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRow {
    /// The hash its token is stored under, its only identifier.
    pub hash: String,
    /// The id of its organisation.
    pub org_id: String,
    /// Its display name.
    pub alias: String,
    /// `active`, `inactive` or `expired`.
    pub state: String,
    /// When it expires, Unix seconds; 0 for never.
    pub expires: i64,
    /// The ids of its policies.
    pub policies: Vec<String>,
    /// The ids of the APIs in its own access rights.
    pub apis: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// When it was last changed, RFC 3339.
    pub updated_at: String,
}

impl Read for KeyRow {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            hash: value.str("key_hash").ok_or("key_hash")?.to_owned(),
            org_id: text(value, "org_id"),
            alias: text(value, "alias"),
            state: text(value, "state"),
            expires: number(value, "expires"),
            policies: texts(value.get("policies")),
            apis: texts(value.get("apis")),
            tags: texts(value.get("tags")),
            updated_at: text(value, "updated_at"),
        })
    }
}

impl Listed for KeyRow {
    const GROUP: Group = Group::Keys;
    const VIEW: &'static str = "view=summary&";
}

/// A key that was just made; no other response has its token.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Made {
    /// The token that clients send; for a user with a password, the user's name.
    pub token: String,
    /// The hash it is stored under.
    pub hash: String,
    /// Warnings about the session.
    pub issues: Vec<Issue>,
}

impl Read for Made {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            token: value.str("key").ok_or("key")?.to_owned(),
            hash: value.str("key_hash").ok_or("key_hash")?.to_owned(),
            issues: list(value, "issues")?,
        })
    }
}

/// A stored policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredPolicy {
    /// The id that sessions use: its `id`, or else its `_id`.
    pub id: String,
    /// Its `_id`, which sessions may use, too.
    pub internal: String,
    /// Its display name; the id if it has no name.
    pub name: String,
    /// The document, byte for byte.
    pub text: String,
}

impl Answer {
    /// Reads the policies of a list response. Their texts are slices of the body, byte for byte.
    fn policies(&self) -> Result<Vec<StoredPolicy>, ApiError> {
        let value = parse(&self.text).map_err(|_| ApiError::Unreadable {
            what: "it is not JSON".to_owned(),
            request_id: self.request_id.clone(),
        })?;
        let one = |policy: &Value<'_>| {
            let given = |name: &str| Some(text(policy, name)).filter(|text| !text.is_empty());
            let internal = text(policy, "_id");
            let id = given("id").unwrap_or_else(|| internal.clone());
            StoredPolicy {
                name: given("name").unwrap_or_else(|| id.clone()),
                id,
                internal,
                text: policy.span.of(&self.text).to_owned(),
            }
        };
        Ok(value.items().iter().map(one).collect())
    }
}

/// The ids of the organisations that have a session.
struct Organisations(Vec<String>);

impl Read for Organisations {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self(texts(Some(value.get("keys").ok_or("keys")?))))
    }
}

impl Api {
    /// Makes a key with a random token, which no later response has.
    ///
    /// # Errors
    /// [`ApiError::Refused`] with a sentence that says why, [`ApiError::Forbidden`] if the secret is refused; the same
    /// goes for all calls below.
    pub async fn make_key(self, session: &str) -> Result<Made, ApiError> {
        self.send(Call::post("/gateway/keys/create").json(session))
            .await?
            .read()
    }

    /// Makes the key of a user who authenticates with a password, which is stored as a hash. An existing user of that
    /// name is never replaced.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if there is one.
    pub async fn make_user(self, name: &str, session: &str) -> Result<Made, ApiError> {
        let call = Call::post(Group::Keys.at(&encode(name))).header("If-None-Match", "*");
        self.send(call.json(session)).await?.read()
    }

    /// Returns the secret that a key signs requests with.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such key or it does not sign requests.
    pub async fn signing_secret(self, hash: &str) -> Result<String, ApiError> {
        let session = self.written(Group::Keys, &encode(hash)).await?.text;
        let value = parse(&session).ok();
        let secret = value.as_ref().and_then(|value| value.str("hmac_string"));
        let missing = || ApiError::Unreadable {
            what: "hmac_string is missing".to_owned(),
            request_id: None,
        };
        secret.map(str::to_owned).ok_or_else(missing)
    }

    /// Gives a key a new token, which no later response has, provided that `etag` matches what is stored. The old token
    /// ends; limits and counters carry over.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if something else is stored.
    pub async fn rotate_key(self, hash: &str, etag: &str) -> Result<Made, ApiError> {
        let path = format!("{}/rotate?hashed=1", Group::Keys.at(hash));
        let call = Call::post(path).header("If-Match", etag);
        self.send(call).await?.read()
    }

    /// Stores a session again and resets its counters, provided that `etag` matches what is stored.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if something else is stored.
    pub async fn reset_counters(
        self,
        group: Group,
        id: &str,
        session: &str,
        etag: &str,
    ) -> Result<(), ApiError> {
        let query = if group == Group::Organisations {
            "?reset_quota=1"
        } else {
            ""
        };
        let path = format!("{}{query}", group.at(id));
        let call = Call::new(Method::PUT, path).header("If-Match", etag);
        self.send(call.json(session)).await.map(drop)
    }

    /// Returns every stored policy.
    ///
    /// # Errors
    /// As for all calls here.
    pub async fn policies(self) -> Result<Vec<StoredPolicy>, ApiError> {
        self.send(Call::get(Group::Policies.path()))
            .await?
            .policies()
    }

    /// Returns the ids of the organisations that have a session.
    ///
    /// # Errors
    /// As for all calls here.
    pub async fn organisations(self) -> Result<Vec<String>, ApiError> {
        let answer = self.send(Call::get(Group::Organisations.path())).await?;
        answer.read::<Organisations>().map(|found| found.0)
    }

    /// Gives an organisation a session; `id` is already encoded for a path.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if no API belongs to it, [`ApiError::Stale`] if it already has one.
    pub async fn add_organisation(self, id: &str, session: &str) -> Result<(), ApiError> {
        let call = Call::post(Group::Organisations.at(id)).header("If-None-Match", "*");
        self.send(call.json(session)).await.map(drop)
    }
}
