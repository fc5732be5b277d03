//! What the pages of keys, policies and organisations share: the rights that a session grants, the state of its quotas,
//! and the actions on it besides editing.

mod actions;
mod extend;
mod outcome;
mod quota;
mod rotate;

use gatewright_model::json::quote;
use leptos::prelude::Set;

use super::documents::Desk;
use crate::api::access::StoredPolicy;
use crate::state::access::Names;
use crate::state::filters::{Filters, LARGEST_PAGE};
use crate::state::load::Load;
use crate::state::{Console, effect};
pub(super) use actions::{ENDED, SessionCard};
pub(super) use extend::local_seconds;
pub(super) use outcome::{OutcomeView, outcome};
pub(super) use quota::QuotaCard;

/// How many APIs are known by name; others are shown by id.
const APIS_KNOWN: u32 = LARGEST_PAGE;

/// The policies and APIs that sessions refer to.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// All policies.
    pub policies: Load<Vec<StoredPolicy>>,
    apis: Load<Names>,
}

impl Known {
    /// Fetches them.
    pub(super) fn load(console: Console) -> Self {
        Self {
            policies: Load::new(move || async move { console.api.policies().await }),
            apis: Load::new(move || async move {
                let filters = Filters {
                    per_page: APIS_KNOWN,
                    ..Filters::default()
                };
                let page = console.api.summaries(&filters.to_request()).await?;
                let pair = |api: crate::api::Summary| (api.api_id, api.name);
                Ok(page.apis.into_iter().map(pair).collect())
            }),
        }
    }

    /// Returns ids and names of APIs.
    pub(super) fn apis(self) -> Names {
        self.apis.good().unwrap_or_default()
    }

    /// Passes the existing ids to the editor of a document. If not all APIs are known, it suggests the known ones and
    /// reports no id as unknown.
    pub(super) fn tell(self, desk: Desk) {
        effect(move || {
            let apis = self.apis();
            let all = !apis.is_empty() && apis.len() < APIS_KNOWN as usize;
            let list = |names: Names| {
                let pair =
                    |(id, name): &(String, String)| format!("[{},{}]", quote(id), quote(name));
                names.iter().map(pair).collect::<Vec<_>>().join(",")
            };
            let (apis, policies) = (list(apis), list(self.policies()));
            desk.ids.set(format!("{{\"apis\":{{\"all\":{all},\"ids\":[{apis}]}},\"policies\":{{\"ids\":[{policies}]}}}}"));
        });
    }

    /// Returns ids and names of policies.
    pub(super) fn policies(self) -> Names {
        let policies = self.all().into_iter();
        policies.map(|policy| (policy.id, policy.name)).collect()
    }

    /// Returns all policies, as far as they are loaded.
    pub(super) fn all(self) -> Vec<StoredPolicy> {
        self.policies.good().unwrap_or_default()
    }
}
