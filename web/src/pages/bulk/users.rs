//! What refers to the documents of a plan.

use crate::api::Api;
use crate::api::access::{KeyRow, StoredPolicy};
use crate::api::dashboard::ClientIdp;
use crate::pages::used_by::{PROVIDERS, explain};
use crate::state::bulk::Kind;
use crate::state::bulk::selection::Pick;
use crate::state::bulk::verb::Verb;
use crate::state::draft::plural;
use crate::state::query_string::encode;
use crate::state::used_by::{User, policies_of, providers_of_api, providers_of_policy};

/// How many users are named; the rest is a count.
const NAMED: usize = 3;

/// The possible users, as far as they are fetched once for all documents.
pub(super) struct Users {
    policies: Vec<StoredPolicy>,
    idps: Vec<ClientIdp>,
    /// What could not be read. Somebody without the right to see it may delete all the same, and should know.
    pub(super) unseen: Vec<String>,
}

impl Users {
    /// Whether the users of a document matter for an action.
    pub(super) fn matter(kind: Kind, verb: Verb) -> bool {
        match (kind, verb) {
            (Kind::Key, _) => false,
            (_, Verb::Delete) | (Kind::Policy, Verb::Deactivate) => true,
            _ => false,
        }
    }

    /// Fetches them.
    pub(super) async fn load(api: Api, kind: Kind) -> Self {
        let mut found = Self {
            policies: Vec::new(),
            idps: Vec::new(),
            unseen: Vec::new(),
        };
        if kind == Kind::Api {
            match explain("Policies", api.policies().await) {
                Ok(policies) => found.policies = policies,
                Err(why) => found.unseen.push(why),
            }
        }
        let query = format!("per_page={PROVIDERS}&sort=name");
        match explain("Client IdPs", api.listed::<ClientIdp>(&query).await) {
            Ok(page) => {
                found.idps = page.documents;
                let (seen, all) = (found.idps.len(), page.total);
                if u64::try_from(seen).is_ok_and(|seen| seen < all) {
                    let why = format!("Client IdPs: only the first {seen} of {all} were checked.");
                    found.unseen.push(why);
                }
            }
            Err(why) => found.unseen.push(why),
        }
        found
    }

    /// Describes the users of a document in words, and why its keys could not be read.
    pub(super) async fn of(
        &self,
        api: Api,
        kind: Kind,
        pick: &Pick,
    ) -> (Vec<String>, Option<String>) {
        let id = &pick.id;
        let (filter, policies, idps) = match kind {
            Kind::Key => return (Vec::new(), None),
            Kind::Api => (
                "api_id",
                policies_of(&self.policies, id),
                providers_of_api(&self.idps, id),
            ),
            Kind::Policy => ("policy", Vec::new(), providers_of_policy(&self.idps, id)),
        };
        let query = format!("p=1&per_page=1&{filter}={}", encode(id));
        let keys = explain("Keys", api.listed::<KeyRow>(&query).await);
        let mut found = Vec::new();
        if let Ok(page) = &keys
            && page.total > 0
        {
            let keys = usize::try_from(page.total).unwrap_or(usize::MAX);
            found.push(plural(keys, "key"));
        }
        found.extend(describe("policy", &policies));
        found.extend(describe("client IdP", &idps));
        (found, keys.err())
    }
}

fn describe(noun: &str, users: &[User]) -> Option<String> {
    let names: Vec<String> = users
        .iter()
        .map(|user| format!("“{}”", user.name))
        .collect();
    match names.len() {
        0 => None,
        1 => Some(format!("{noun} {}", names.concat())),
        few @ 2..=NAMED => Some(format!("{} ({})", plural(few, noun), names.join(", "))),
        many => Some(plural(many, noun)),
    }
}
