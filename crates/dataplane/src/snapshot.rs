//! The published set of APIs, as served by an isolate.

use crate::chain::{Chain, Compiler, Settings};
use crate::config::IdentityConfig;
use crate::facts::list;
use crate::granted::Granted;
use crate::identity::{Base, Method};
use crate::limits::ApiLimits;
use crate::outline::outline;
use crate::recent::Recent;
use crate::router::{Router, Served as Route};
use crate::token_source::TokenSource;
use crate::versions::Versions;
use gatewright_model::definition::ApiDefinition;
use gatewright_model::json::{self, Value};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::Handlers;
use gatewright_protocol::served::{Served, ServedApi, ServedAsk};
use gatewright_protocol::snapshot::Chunk;
use gatewright_protocol::target::Target;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hasher};
use std::rc::Rc;

/// One API, ready to serve.
#[derive(Debug)]
pub struct Api {
    /// The parsed definition.
    pub definition: ApiDefinition,
    /// Where requests go; `None` if they go to another API (`gateway://`).
    pub target: Option<Target>,
    /// Where credentials are sent, for each auth method of the API.
    pub sources: Vec<TokenSource>,
    /// The method whose session is used if the API requires several credentials; `None` for the last one's.
    pub base: Option<Base>,
    /// The API's own limits.
    pub limits: ApiLimits,
    /// The subscribers to the API's events.
    pub handlers: Handlers,
    /// The versions, and how a request names one.
    pub versions: Versions,
    /// The chains of the versions, in the order of `version_data.versions`; at least one.
    pub chains: Vec<VersionChain>,
    /// The revision it was loaded from; 0 for a file put into KV by hand.
    pub revision: u64,
    /// The checksum of the definition's text; an isolate's state about its upstreams is valid until it changes.
    pub checksum: u64,
    /// `_id`, by which older documents refer to it.
    pub database_id: String,
}

/// The chain of one version of an API.
#[derive(Debug)]
pub struct VersionChain {
    /// The version's name.
    pub name: String,
    /// The chain.
    pub chain: Rc<Chain>,
    /// Where requests go.
    pub target: VersionTarget,
}

/// Where the requests of a version go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionTarget {
    /// The API's target.
    OfApi,
    /// The version's own target (`override_target`).
    Own(Target),
    /// To another API, or nowhere: the version's override is not the address of an upstream. The API's target is not
    /// used.
    NoUpstream,
}

impl VersionTarget {
    fn read(own: Option<&str>) -> Self {
        own.map_or(Self::OfApi, |own| {
            Target::parse(own).map_or(Self::NoUpstream, Self::Own)
        })
    }
}

impl Api {
    /// Reads a definition that [`gatewright_protocol::snapshot::check`] has accepted.
    #[must_use]
    pub fn read(value: &Value<'_>, revision: u64, settings: &Settings) -> Self {
        let definition = ApiDefinition::read(value);
        let target = Target::parse(&definition.proxy.target_url);
        let versions = Versions::compile(value);
        let members = value.pointer("/version_data/versions");
        let members = members.map(Value::members).unwrap_or_default();
        let mut chains: Vec<VersionChain> = members
            .iter()
            .zip(&versions.own)
            .map(|(member, own)| VersionChain {
                name: own.name.clone(),
                chain: Rc::new(Compiler::chain(
                    value,
                    Some((&member.name, &member.value)),
                    settings,
                )),
                target: VersionTarget::read(own.override_target.as_deref()),
            })
            .collect();
        if chains.is_empty() {
            chains.push(VersionChain {
                name: "Default".to_owned(),
                chain: Rc::new(Compiler::chain(value, None, settings)),
                target: VersionTarget::OfApi,
            });
        }
        Self {
            sources: TokenSource::all(value),
            base: Method::base(value),
            limits: ApiLimits::read(value),
            handlers: Handlers::read(value, revision),
            versions,
            checksum: 0,
            database_id: value.str("_id").unwrap_or_default().to_owned(),
            chains,
            definition,
            target,
            revision,
        }
    }
}

/// The checksum of a definition's text.
#[must_use]
pub fn checksum(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// The set of APIs that an isolate serves. Requests in flight keep the set they started with.
#[derive(Debug)]
pub struct Snapshot {
    /// The generation; 0 before the first reload.
    pub generation: u64,
    /// The routes.
    pub router: Router<Api>,
    /// APIs by the names and ids that loops can use.
    loops: HashMap<String, Rc<Api>>,
    settings: Settings,
    /// The texts of policies, by both of their ids.
    pub policies: BTreeMap<String, String>,
    /// Whether any API has a handler for events about keys.
    pub hears_of_tokens: bool,
    /// What policies grant together, by organisation and ids.
    granted: RefCell<Recent<Granted>>,
}

impl Snapshot {
    /// Creates a set without APIs.
    #[must_use]
    pub fn empty(generation: u64, settings: Settings) -> Self {
        Self {
            generation,
            router: Router::new(settings.strict_routes),
            loops: HashMap::new(),
            settings,
            policies: BTreeMap::new(),
            hears_of_tokens: false,
            granted: RefCell::default(),
        }
    }

    /// Adds an API.
    pub fn add(&mut self, api: Api) -> Rc<Api> {
        let api = Rc::new(api);
        self.hears_of_tokens |= api.handlers.hear_of_tokens();
        let definition = &api.definition;
        let served = Route {
            api_id: &definition.api_id,
            domain: &definition.domain,
            listen_path: &definition.proxy.listen_path,
            internal: definition.internal,
        };
        self.router.add(served, Rc::clone(&api));
        for name in [
            crate::loops::name_key(&definition.name),
            api.database_id.clone(),
        ] {
            if !name.is_empty() {
                self.loops.entry(name).or_insert_with(|| Rc::clone(&api));
            }
        }
        api
    }

    /// The API that a loop names: by id, `_id`, or name.
    #[must_use]
    pub fn loop_target(&self, name: &str) -> Option<&Rc<Api>> {
        let by_id = self.router.get(name).or_else(|| self.loops.get(name));
        by_id.or_else(|| self.loops.get(&crate::loops::name_key(name)))
    }

    /// Returns what these policies grant to the credentials of an organisation.
    pub(crate) fn granted(
        &self,
        org: &str,
        named: &[&str],
        config: &IdentityConfig,
    ) -> Rc<Granted> {
        let name = list(std::iter::once(org).chain(named.iter().copied()));
        let mut granted = self.granted.borrow_mut();
        if let Some(known) = granted.get(&name, |_| true) {
            return known;
        }
        let fresh = Rc::new(Granted::of(org, named, &self.policies, config));
        granted.put(name, Rc::clone(&fresh));
        fresh
    }

    /// Adds the APIs of a chunk.
    ///
    /// # Errors
    /// If a document in it is broken. The caller drops the whole snapshot.
    pub fn take(&mut self, chunk: Chunk<'_>) -> Result<(), StoreError> {
        let broken = |detail: String| StoreError::new("read snapshot", detail);
        for text in chunk.policies {
            let value = json::parse(text).map_err(|_| broken("a policy is no JSON".to_owned()))?;
            let ids = ["_id", "id"].map(|name| value.str(name).unwrap_or_default());
            for id in ids.into_iter().filter(|id| !id.is_empty()) {
                self.policies.insert(id.to_owned(), text.to_owned());
            }
        }
        for api in chunk.apis {
            let value = json::parse(api.definition)
                .map_err(|issues| broken(format!("{} issues in a definition", issues.len())))?;
            let mut read = Api::read(&value, api.revision, &self.settings);
            read.checksum = checksum(api.definition);
            if read.definition.api_id.is_empty() || read.definition.proxy.listen_path.is_empty() {
                return Err(broken(
                    "a definition without an id or a listen path".to_owned(),
                ));
            }
            self.add(read);
        }
        Ok(())
    }
}

impl Snapshot {
    /// Answers a question from the control plane of the same isolate.
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
        let chain = |id: &String| self.router.get(id).map(|api| outline(api));
        Served {
            chains: ask.chains.iter().filter_map(chain).collect(),
            apis: ask.apis.iter().filter_map(api).collect(),
            policies: ask.policies.iter().filter_map(policy).collect(),
            hears_of_tokens: self.hears_of_tokens,
        }
    }
}
