//! What the pages of keys, policies and organisations share: what a session gives, how its quotas
//! stand, and what can be done with it besides editing.

mod actions;
mod extend;
mod outcome;
mod rotate;
mod standing;

use crate::api::access::StoredPolicy;
use crate::state::Console;
use crate::state::access::Names;
use crate::state::filters::Filters;
use crate::state::load::Load;
pub(super) use actions::{ENDED, SessionCard};
pub(super) use extend::local_seconds;
pub(super) use outcome::{OutcomeView, outcome};
pub(super) use standing::QuotaCard;

/// APIs whose names are known; others are called by their ids.
const APIS_KNOWN: u32 = 200;

/// The policies and APIs that sessions name.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// All policies.
    pub policies: Load<Vec<StoredPolicy>>,
    apis: Load<Names>,
}

impl Known {
    /// Asks for them.
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

    /// Ids and names of APIs.
    pub(super) fn apis(self) -> Names {
        self.apis.good().unwrap_or_default()
    }

    /// Ids and names of policies.
    pub(super) fn policies(self) -> Names {
        let policies = self.all().into_iter();
        policies.map(|policy| (policy.id, policy.name)).collect()
    }

    /// All policies, as far as they are here.
    pub(super) fn all(self) -> Vec<StoredPolicy> {
        self.policies.good().unwrap_or_default()
    }
}
