//! The sources of objects: the lists of both APIs. A list that the gateway can search is queried with what is typed;
//! one that is always returned completely is fetched once.
//!
//! OAuth clients are only listed by API, so they are found on its page: `clients orders`.

use gatewright_model::openapi::DocumentKind;

use super::{Entry, Kind};
use crate::api::access::{KeyRow, StoredPolicy};
use crate::api::certificates::Certificate;
use crate::api::dashboard::credentials::Credential;
use crate::api::dashboard::hooks::Hook;
use crate::api::dashboard::{ClientIdp, Listed, Page, Ruleset};
use crate::api::{Api, ApiError, Summary};
use crate::routes;
use crate::state::query_string::{encode, join};
use crate::state::session::Key;
use crate::state::sought::lowered;

/// The number of objects requested from a list; if it is longer, the gateway searches it for what is typed.
const ASKED: u32 = 100;

/// A list at the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// All kinds of APIs.
    Apis,
    /// Policies; always complete.
    Policies,
    /// Keys.
    Keys,
    /// Organisations; always complete.
    Organisations,
    /// Certificates; always complete.
    Certificates,
    /// Client identity providers.
    ClientIdps,
    /// Rulesets.
    Rulesets,
    /// Webhooks.
    Webhooks,
    /// Credentials; always complete.
    Credentials,
}

/// The response of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The objects.
    pub entries: Vec<Entry>,
    /// Whether the list has more.
    pub more: bool,
}

impl Answer {
    fn complete(entries: impl Iterator<Item = Entry>) -> Self {
        Self {
            entries: entries.collect(),
            more: false,
        }
    }

    fn of<T>(page: Page<T>, entry: fn(T) -> Entry) -> Self {
        Self {
            more: page.pages > 1,
            entries: page.documents.into_iter().map(entry).collect(),
        }
    }
}

impl Source {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Apis,
        Self::Policies,
        Self::Keys,
        Self::Organisations,
        Self::Certificates,
        Self::ClientIdps,
        Self::Rulesets,
        Self::Webhooks,
        Self::Credentials,
    ];

    /// Returns the kind of key it requires.
    #[must_use]
    pub const fn key(self) -> Key {
        match self {
            Self::ClientIdps | Self::Rulesets | Self::Webhooks => Key::Token,
            _ => Key::Secret,
        }
    }

    /// Whether objects of a kind come from it.
    #[must_use]
    pub fn has(self, kind: Kind) -> bool {
        self == match kind {
            Kind::Api | Kind::OpenApi | Kind::McpProxy => Self::Apis,
            Kind::Policy => Self::Policies,
            Kind::Key => Self::Keys,
            Kind::Organisation => Self::Organisations,
            Kind::Certificate => Self::Certificates,
            Kind::ClientIdp => Self::ClientIdps,
            Kind::Ruleset => Self::Rulesets,
            Kind::Webhook => Self::Webhooks,
            Kind::Credential => Self::Credentials,
            Kind::Command | Kind::Page | Kind::Member => return false,
        }
    }

    /// Fetches the list, searching for `q` if the gateway can search it.
    ///
    /// # Errors
    /// As for the calls of its list.
    pub async fn ask(self, api: Api, q: &str) -> Result<Answer, ApiError> {
        Ok(match self {
            Self::Apis => {
                let query = [
                    ("view", "summary".to_owned()),
                    ("q", q.to_owned()),
                    ("sort", "name".to_owned()),
                    ("per_page", ASKED.to_string()),
                ];
                let page = api.summaries(&join(&query)).await?;
                Answer {
                    more: page.pages > 1,
                    entries: page.apis.into_iter().map(of_api).collect(),
                }
            }
            Self::Keys => listed::<KeyRow>(api, "alias", q, of_key).await?,
            Self::ClientIdps => listed::<ClientIdp>(api, "name", q, of_idp).await?,
            Self::Rulesets => listed::<Ruleset>(api, "name", q, of_ruleset).await?,
            Self::Webhooks => listed::<Hook>(api, "name", q, of_hook).await?,
            Self::Policies => Answer::complete(api.policies().await?.into_iter().map(of_policy)),
            Self::Organisations => {
                let ids = api.organisations().await?;
                Answer::complete(
                    ids.iter().map(|id| {
                        Entry::object(Kind::Organisation, id, "", routes::organisation(id))
                    }),
                )
            }
            Self::Certificates => {
                Answer::complete(api.certificates().await?.into_iter().map(of_certificate))
            }
            Self::Credentials => {
                let issued = api.credentials().await?.0.into_iter();
                let good = issued.filter(|credential| credential.revoked_at.is_none());
                Answer::complete(good.map(of_credential))
            }
        })
    }
}

async fn listed<T: Listed>(
    api: Api,
    sort: &str,
    q: &str,
    entry: fn(T) -> Entry,
) -> Result<Answer, ApiError> {
    let query = format!("per_page={ASKED}&sort={sort}&q={}", encode(q));
    Ok(Answer::of(api.listed::<T>(&query).await?, entry))
}

/// Creates an entry for an API, which is also found by where it is served and where it forwards to.
pub fn of_api(api: Summary) -> Entry {
    let kind = match api.document {
        None => Kind::Api,
        Some(DocumentKind::Oas) => Kind::OpenApi,
        Some(DocumentKind::Mcp) => Kind::McpProxy,
    };
    let url = routes::api_page(&api.api_id, api.document);
    let address = format!("{}{}", api.domain, api.listen_path);
    let served = !["inactive", "internal"].contains(&&*api.state);
    let mut entry = Entry::object(kind, &api.api_id, &api.name, url);
    entry.route = served.then(|| (lowered(&api.domain), api.listen_path.clone()));
    entry
        .with_detail(address)
        .with_keywords([api.listen_path, api.domain, api.target_url])
        .with_keywords(api.tags)
}

/// Creates an entry for a key, found by its alias or its hash.
pub fn of_key(key: KeyRow) -> Entry {
    let shown: String = key.hash.chars().take(12).collect();
    let detail = match (&*key.state, key.alias.is_empty()) {
        ("active", true) => String::new(),
        ("active", false) => shown,
        (state, _) => state.to_owned(),
    };
    Entry::object(Kind::Key, &key.hash, &key.alias, routes::key(&key.hash))
        .with_detail(detail)
        .with_keywords(key.tags)
}

fn of_policy(policy: StoredPolicy) -> Entry {
    let detail = match policy.name == policy.id {
        true => String::new(),
        false => policy.id.clone(),
    };
    Entry::object(
        Kind::Policy,
        &policy.id,
        &policy.name,
        routes::policy(&policy.id),
    )
    .with_detail(detail)
    .with_keywords([policy.internal])
}

fn of_certificate(certificate: Certificate) -> Entry {
    let url = routes::certificate(&certificate.id);
    let ends: String = certificate.not_after.chars().take(10).collect();
    Entry::object(
        Kind::Certificate,
        &certificate.id,
        &certificate.subject,
        url,
    )
    .with_detail(if ends.is_empty() {
        ends
    } else {
        format!("expires {ends}")
    })
    .with_keywords(certificate.dns_names)
    .with_keywords([certificate.issuer])
}

fn of_idp(idp: ClientIdp) -> Entry {
    let name = match idp.name.is_empty() {
        true => &idp.client_idp_id,
        false => &idp.name,
    };
    Entry::object(Kind::ClientIdp, &idp.id, name, routes::client_idp(&idp.id))
        .with_detail(idp.issuer.clone())
        .with_keywords([idp.client_idp_id, idp.issuer])
}

fn of_ruleset(ruleset: Ruleset) -> Entry {
    let url = routes::ruleset(&ruleset.id);
    Entry::object(Kind::Ruleset, &ruleset.id, &ruleset.name, url)
        .with_keywords([ruleset.ruleset_id])
        .with_keywords(ruleset.categories)
}

fn of_hook(hook: Hook) -> Entry {
    let known = [&hook.name, &hook.webhook_id];
    let name = known.into_iter().find(|text| !text.is_empty());
    let name = name.unwrap_or(&hook.target_path);
    Entry::object(Kind::Webhook, &hook.id, name, routes::webhook(&hook.id))
        .with_detail(hook.target_path.clone())
        .with_keywords([hook.webhook_id, hook.target_path])
}

fn of_credential(credential: Credential) -> Entry {
    let url = routes::CREDENTIALS.to_owned();
    Entry::object(Kind::Credential, &credential.id, &credential.name, url)
        .with_detail(credential.org_id.clone())
        .with_keywords([credential.org_id])
}
