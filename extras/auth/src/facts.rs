//! The facts of a request.

use crate::policies::Scopes;
use gatewright_model::json::{Kind, Value};

/// A client identity provider, as far as it concerns one API.
#[derive(Debug)]
pub struct Provider<'a> {
    /// The issuer of its tokens; empty for any.
    pub issuer: &'a str,
    /// The address of its keys; empty for none.
    pub keys: &'a str,
    /// Its mapping of scopes to policies.
    pub scopes: Scopes<'a>,
}

/// The facts of a request.
#[derive(Debug)]
pub struct Facts<'a> {
    /// The time of the request, in Unix seconds.
    pub now: i64,
    /// The organisation of the API.
    pub org: String,
    /// The credential as sent, if any.
    pub credential: Option<String>,
    /// The session of the key that was asked for: `None` if none has been asked for, `Some(None)` if it doesn't exist.
    pub session: Option<Option<Value<'a>>>,
    /// All facts.
    pub all: Value<'a>,
}

impl<'a> Facts<'a> {
    /// Reads the facts; `None` if one of the required ones is missing.
    #[must_use]
    pub fn read(value: Value<'a>) -> Option<Self> {
        let session = value
            .member("session")
            .map(|member| match &member.value.kind {
                Kind::Null => None,
                _ => Some(member.value.clone()),
            });
        Some(Self {
            now: value.int("now")?.checked_div(1000)?,
            org: value.str("org")?.to_owned(),
            credential: value.str("credential").map(str::to_owned),
            session,
            all: value,
        })
    }

    /// Returns the number under which an API's key sets are currently fetched.
    #[must_use]
    pub fn forgotten(&self, api: &str) -> i64 {
        let forgotten = self.all.pointer("/trust/forgotten");
        let number = |name: &str| forgotten.and_then(|numbers| numbers.int(name));
        number(api).max(number("*")).unwrap_or_default()
    }

    /// Returns the organisation's client identity providers that map scopes for an API.
    pub fn providers(&self, api: &str) -> impl Iterator<Item = Provider<'_>> {
        let providers = self.all.pointer("/trust/providers");
        let providers = providers.map(Value::items).unwrap_or_default().iter();
        let of_org = providers.filter(|provider| provider.str("org") == Some(&self.org));
        of_org.filter_map(move |provider| {
            let mapping = provider.get("api_mappings")?.get(api)?;
            Some(Provider {
                issuer: provider.str("issuer").unwrap_or_default(),
                keys: provider.str("jwks_uri").unwrap_or_default(),
                scopes: Scopes::read(
                    provider.str("scope_claim_name"),
                    mapping.get("scope_to_policy"),
                ),
            })
        })
    }

    /// Returns the credential without a leading `Bearer` and one space; the first of several (reference 3.7).
    #[must_use]
    pub fn bearer(&self) -> Option<&str> {
        let sent = self.credential.as_deref()?;
        let first = sent.split(',').next().unwrap_or_default();
        Some(match first.split_at_checked(7) {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer ") => token,
            _ => first,
        })
    }
}
