//! Dashboard credentials, which are issued and revoked with the gateway secret.

use gatewright_model::json::{Value, quote};
use gloo_net::http::Method;

use crate::api::read::{Read, list, some_text, text};
use crate::api::{Api, ApiError, Call};

/// The path of their endpoints.
const PATH: &str = "/gateway/dashboard/credentials";

/// The permission groups and their labels: first the groups of the dashboard API, which are confined to the
/// credential's organisation, then the parts of the administration API.
pub const GROUPS: [(&str, &str); 13] = [
    ("rulesets", "Rulesets"),
    ("clientidps", "Client IdPs"),
    ("hooks", "Webhooks"),
    ("apis", "APIs"),
    ("apis", "Definitions"),
    ("keys", "Keys"),
    ("policies", "Policies"),
    ("organisations", "Organisations"),
    ("oauth", "OAuth clients"),
    ("certificates", "Certificates"),
    ("reload", "Reload"),
    ("figures", "Figures"),
    ("tools", "Try it, batch"),
];
/// How many of [`GROUPS`] belong to the dashboard API.
pub const OF_DASHBOARD: usize = 4;

/// The level of access to each of [`GROUPS`].
pub type Accesses = [String; GROUPS.len()];

/// Reads the permissions of a credential, or the rights of whoever is signed in.
#[must_use]
pub fn accesses(permissions: &Value<'_>) -> Accesses {
    let gateway = permissions.get("gateway");
    let mut at = 0_usize;
    GROUPS.map(|(word, _)| {
        let of = if at < OF_DASHBOARD {
            Some(permissions)
        } else {
            gateway
        };
        at = at.saturating_add(1);
        let access = of.and_then(|of| of.str(word));
        access.unwrap_or("deny").to_owned()
    })
}

/// The levels of access to a group and their labels; each includes the ones before it.
pub const ACCESSES: [(&str, &str); 3] = [("deny", "Deny"), ("read", "Read"), ("write", "Write")];

/// A credential without its token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credential {
    /// Its id.
    pub id: String,
    /// The name it has in the audit trail.
    pub name: String,
    /// The organisation it is confined to.
    pub org_id: String,
    /// The level of access to each of [`GROUPS`].
    pub access: Accesses,
    /// When it was issued, RFC 3339.
    pub created_at: String,
    /// When it expires, RFC 3339; `None` for never.
    pub expires_at: Option<String>,
    /// When it was revoked, RFC 3339.
    pub revoked_at: Option<String>,
}

/// All credentials that were ever issued, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credentials(pub Vec<Credential>);

/// A credential that was just issued; no other response has its token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issued {
    /// The token, as sent after `Authorization: Bearer`.
    pub token: String,
    /// The credential.
    pub credential: Credential,
}

/// A credential to be issued.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The name it will have in the audit trail.
    pub name: String,
    /// The organisation it will be confined to; if empty, the gateway's own.
    pub org_id: String,
    /// When it expires, RFC 3339; `None` for never.
    pub expires_at: Option<String>,
    /// The level of access to each of [`GROUPS`], one of [`ACCESSES`].
    pub access: [&'static str; GROUPS.len()],
}

impl Wanted {
    /// Whether it grants anything; the edge refuses to issue a credential that doesn't.
    #[must_use]
    pub fn allows_something(&self) -> bool {
        self.access.iter().any(|access| *access != "deny")
    }

    /// Returns the body of the request that issues it.
    #[must_use]
    pub fn body(&self) -> String {
        let expires = match &self.expires_at {
            Some(at) => quote(at),
            None => "null".to_owned(),
        };
        let granted = GROUPS.iter().zip(self.access);
        let mut permissions: Vec<String> = granted
            .map(|((group, _), access)| format!("{}:{}", quote(group), quote(access)))
            .collect();
        let gateway = permissions.split_off(OF_DASHBOARD).join(",");
        permissions.push(format!(r#""gateway":{{{gateway}}}"#));
        format!(
            r#"{{"name":{},"org_id":{},"expires_at":{expires},"permissions":{{{}}}}}"#,
            quote(self.name.trim()),
            quote(self.org_id.trim()),
            permissions.join(","),
        )
    }
}

impl Read for Credential {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let permissions = value.get("permissions").ok_or("permissions")?;
        Ok(Self {
            id: value.str("id").ok_or("id")?.to_owned(),
            name: text(value, "name"),
            org_id: text(value, "org_id"),
            access: accesses(permissions),
            created_at: text(value, "created_at"),
            expires_at: some_text(value, "expires_at"),
            revoked_at: some_text(value, "revoked_at"),
        })
    }
}

impl Read for Credentials {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        value.get("credentials").ok_or("credentials")?;
        Ok(Self(list(value, "credentials")?))
    }
}

impl Read for Issued {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            token: value.str("token").ok_or("token")?.to_owned(),
            credential: Credential::read(value.get("credential").ok_or("credential")?)?,
        })
    }
}

impl Api {
    /// Returns all credentials, including revoked ones.
    ///
    /// # Errors
    /// [`ApiError::Forbidden`] if the secret is refused; the same goes for the calls below.
    pub async fn credentials(self) -> Result<Credentials, ApiError> {
        self.send(Call::get(PATH)).await?.read()
    }

    /// Issues a credential. No later response has its token.
    ///
    /// # Errors
    /// [`ApiError::Refused`] with a sentence that says why.
    pub async fn issue(self, wanted: &Wanted) -> Result<Issued, ApiError> {
        self.send(Call::post(PATH).json(&wanted.body()))
            .await?
            .read()
    }

    /// Revokes a credential, at once.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is none.
    pub async fn revoke(self, id: &str) -> Result<(), ApiError> {
        let call = Call::new(Method::DELETE, format!("{PATH}/{id}"));
        self.send(call).await.map(drop)
    }
}
