//! What names the documents of a plan.

use crate::api::access::{KeyRow, StoredPolicy};
use crate::api::dashboard::ClientIdp;
use crate::api::{Api, ApiError};
use crate::state::bulk::Kind;
use crate::state::bulk::report::why;
use crate::state::bulk::selection::Pick;
use crate::state::bulk::verb::Verb;
use crate::state::draft::plural;
use crate::state::query_string::encode;
use crate::state::used_by::{User, policies_of, providers_of_api, providers_of_policy};

/// Providers that are looked through.
const PROVIDERS: u32 = 500;
/// So many are named; more are counted.
const NAMED: usize = 3;

/// What may name them, as far as it is asked for once.
pub(super) struct Users {
    policies: Vec<StoredPolicy>,
    idps: Vec<ClientIdp>,
    /// What could not be looked at.
    pub(super) unseen: Option<String>,
}

impl Users {
    /// Whether it matters what names a document.
    pub(super) fn matter(kind: Kind, verb: Verb) -> bool {
        match (kind, verb) {
            (Kind::Key, _) => false,
            (_, Verb::Delete) | (Kind::Policy, Verb::Deactivate) => true,
            _ => false,
        }
    }

    /// Asks for it.
    pub(super) async fn load(api: Api, kind: Kind) -> Result<Self, String> {
        let policies = match kind {
            Kind::Api => api.policies().await.map_err(|error| why(&error))?,
            _ => Vec::new(),
        };
        let query = format!("per_page={PROVIDERS}&sort=name");
        let (idps, unseen) = match api.listed::<ClientIdp>(&query).await {
            Ok(page) => (page.documents, None),
            // Whoever has no token for them may delete all the same, and should know.
            Err(error) => (Vec::new(), Some(not_seen(&error))),
        };
        Ok(Self {
            policies,
            idps,
            unseen,
        })
    }

    /// What names a document, in words.
    pub(super) async fn of(
        &self,
        api: Api,
        kind: Kind,
        pick: &Pick,
    ) -> Result<Vec<String>, String> {
        let id = &pick.id;
        let (filter, policies, idps) = match kind {
            Kind::Key => return Ok(Vec::new()),
            Kind::Api => (
                "api_id",
                policies_of(&self.policies, id),
                providers_of_api(&self.idps, id),
            ),
            Kind::Policy => ("policy", Vec::new(), providers_of_policy(&self.idps, id)),
        };
        let query = format!("p=1&per_page=1&{filter}={}", encode(id));
        let keys = api.listed::<KeyRow>(&query).await;
        let keys = keys.map_err(|error| why(&error))?.total;
        let keys = usize::try_from(keys).unwrap_or(usize::MAX);
        let mut said = Vec::new();
        if keys > 0 {
            said.push(plural(keys, "key"));
        }
        said.extend(words("policy", &policies));
        said.extend(words("client IdP", &idps));
        Ok(said)
    }
}

fn not_seen(error: &ApiError) -> String {
    let why = match error {
        ApiError::NotAuthorised => "a dashboard token is needed to see them.".to_owned(),
        error => error.to_string(),
    };
    format!("Client IdPs are not looked at: {why}")
}

fn words(noun: &str, users: &[User]) -> Option<String> {
    let names: Vec<String> = users
        .iter()
        .map(|user| format!("“{}”", user.name))
        .collect();
    match names.len() {
        0 => None,
        1..=NAMED => Some(format!("{noun} {}", names.join(", "))),
        many => Some(plural(many, noun)),
    }
}
