//! The published set of APIs as an isolate serves it.

use crate::gate::limits::ApiLimits;
use crate::gate::source::TokenSource;
use crate::router::Router;
use gatewright_model::definition::ApiDefinition;
use gatewright_model::json;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::Handlers;
use gatewright_protocol::served::{Served, ServedApi, ServedAsk};
use gatewright_protocol::snapshot::Chunk;
use gatewright_protocol::target::Target;
use std::collections::BTreeMap;
use std::rc::Rc;

/// One API, ready to serve.
#[derive(Clone, Debug)]
pub struct Api {
    /// What its definition says.
    pub definition: ApiDefinition,
    /// Where its requests go.
    pub target: Target,
    /// Where its tokens are.
    pub source: TokenSource,
    /// Whether tokens are taken out of what is forwarded.
    pub strips_token: bool,
    /// Its own limits.
    pub limits: ApiLimits,
    /// Who hears of its events.
    pub handlers: Handlers,
    /// The version that keys name.
    pub version: String,
    /// The revision it was loaded from, 0 for a file that somebody put into KV.
    pub revision: u64,
}

impl Api {
    /// Reads a definition that [`gatewright_protocol::snapshot::check`] has let pass; `None` for one without a target.
    #[must_use]
    pub fn read(value: &json::Value<'_>, revision: u64) -> Option<Self> {
        let definition = ApiDefinition::read(value);
        let target = Target::parse(&definition.proxy.target_url)?;
        Some(Self {
            source: TokenSource::read(value),
            strips_token: value.bool("strip_auth_data").unwrap_or_default(),
            limits: ApiLimits::read(value),
            handlers: Handlers::read(value, revision),
            version: version(value),
            definition,
            target,
            revision,
        })
    }
}

/// The name of the one version of an API without versions (reference 3.2): that of its entry in
/// `version_data`, or `Default`.
fn version(value: &json::Value<'_>) -> String {
    let versions = value
        .pointer("/version_data/versions")
        .map(json::Value::members);
    let first = versions.and_then(<[_]>::first);
    let name = first.and_then(|version| version.value.str("name"));
    name.filter(|name| !name.is_empty())
        .unwrap_or("Default")
        .to_owned()
}

/// The set of APIs that an isolate serves. Requests in flight keep the one they began with.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Its generation, 0 before the first reload.
    pub generation: u64,
    /// Its routes.
    pub router: Router,
    /// The texts of its policies, by both of their ids.
    pub policies: BTreeMap<String, String>,
    /// True if any API has a handler that hears of what happens to keys.
    pub hears_of_tokens: bool,
}

impl Snapshot {
    /// A set without APIs.
    #[must_use]
    pub fn empty(generation: u64) -> Self {
        Self {
            generation,
            ..Self::default()
        }
    }

    /// Takes over the APIs of a chunk.
    ///
    /// # Errors
    /// If the chunk is not one that a reload has written. The caller drops the whole snapshot.
    pub fn add_chunk(&mut self, text: &str) -> Result<(), StoreError> {
        let broken = |detail: String| StoreError::new("read snapshot", detail);
        let chunk = Chunk::read(text)?;
        for policy in chunk.policies {
            let text = policy.get();
            let value = json::parse(text).map_err(|_| broken("a policy is no JSON".to_owned()))?;
            let ids = ["_id", "id"].map(|name| value.str(name).unwrap_or_default());
            for id in ids.into_iter().filter(|id| !id.is_empty()) {
                self.policies.insert(id.to_owned(), text.to_owned());
            }
        }
        for api in chunk.apis {
            let value = json::parse(api.definition.get())
                .map_err(|issues| broken(format!("{} issues in a definition", issues.len())))?;
            let id = || value.str("api_id").unwrap_or_default();
            let read = Api::read(&value, api.revision)
                .ok_or_else(|| broken(format!("no target for {}", id())))?;
            self.hears_of_tokens |= read.handlers.hear_of_tokens();
            self.router.add(Rc::new(read));
        }
        Ok(())
    }
}

impl Snapshot {
    /// What the administration of the same isolate wants to know.
    #[must_use]
    pub fn served(&self, ask: &ServedAsk) -> Served {
        let api = |id: &String| {
            let api = self.router.get(id)?;
            Some(ServedApi {
                id: id.clone(),
                name: api.definition.name.clone(),
                org_id: api.definition.org_id.clone(),
                handlers: api.handlers.clone(),
            })
        };
        let policy = |id: &String| Some((id.clone(), self.policies.get(id)?.clone()));
        Served {
            apis: ask.apis.iter().filter_map(api).collect(),
            policies: ask.policies.iter().filter_map(policy).collect(),
            hears_of_tokens: self.hears_of_tokens,
        }
    }
}
