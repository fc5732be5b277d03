//! What an isolate holds between administrative requests: its configuration, and the last health check of the storage.

use crate::backup::KeyVault;
use gatewright_controlplane::config::{
    EgressConfig, EnvironmentConfig, HealthConfig, OauthConfig, allowed,
};
use gatewright_controlplane::ports::Component;
use gatewright_model::definition::Allowed;
use gatewright_protocol::config::{KeyConfig, batch_request_bytes};
use gatewright_protocol::strangers::{StrangerLimit, Strangers};
use gatewright_protocol::token::HashFunction;
use gatewright_worker_platform::{default_org, variable};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use worker::{Env, console_error};

thread_local! {
    static ISOLATE: OnceCell<Rc<Isolate>> = const { OnceCell::new() };
}

/// The state of this isolate, which has one thread, so that cells suffice.
pub(crate) struct Isolate {
    pub(crate) egress: EgressConfig,
    pub(crate) secret: Option<String>,
    /// The name and colour by which this gateway is distinguished from others.
    pub(crate) environment: EnvironmentConfig,
    /// The initial credential of the dashboard API.
    pub(crate) dashboard_token: Option<String>,
    /// The header that carries the client's address (`CLIENT_IP_HEADER`).
    pub(crate) client_ip_header: Option<String>,
    /// How keys are created.
    pub(crate) keys: KeyConfig,
    /// The organisation of documents without one.
    pub(crate) default_org: String,
    /// Members with which APIs are served although they have no effect (`ALLOW_UNENFORCED`).
    pub(crate) allowed: Allowed,
    /// How the OAuth 2.0 server issues codes and tokens.
    pub(crate) oauth: OauthConfig,
    /// Which addresses have sent wrong client secrets, and how many each may send.
    pub(crate) strangers: (RefCell<Strangers>, StrangerLimit),
    /// Seals the secrets of clients.
    pub(crate) vault: RefCell<Option<KeyVault>>,
    /// How figures are reported.
    pub(crate) health: HealthConfig,
    /// The longest body of a batch, in bytes.
    pub(crate) batch_bytes: usize,
    /// The last health check of the storage, and when it was made.
    pub(crate) components: RefCell<(f64, Vec<Component>)>,
}

impl Isolate {
    /// Returns the isolate's state, created from its bindings on first use.
    pub(crate) fn get(env: &Env) -> Rc<Self> {
        ISOLATE.with(|isolate| Rc::clone(isolate.get_or_init(|| Rc::new(Self::new(env)))))
    }

    fn new(env: &Env) -> Self {
        let variable = |name: &str| variable(env, name);
        let keys = KeyConfig::read(variable);
        if let Some(function) = keys.passwords {
            console_error!(
                "BASIC_AUTH_HASH_KEY_FUNCTION: {} is fast and has no salt, so whoever reads hashes of passwords soon \
                 has passwords; bcrypt for new ones leaves those of before as they are",
                function.name()
            );
        }
        if keys.hash != HashFunction::Sha256 {
            console_error!(
                "HASH_KEY_FUNCTION: whoever learns a hash of {} can make a token that has it, so hashes of \
                 keys have to be kept like passwords; sha256 for new keys leaves those of before as they are",
                keys.hash.name()
            );
        }
        Self {
            egress: EgressConfig::read(variable),
            secret: variable("GATEWAY_SECRET"),
            environment: EnvironmentConfig::read(variable),
            dashboard_token: variable("DASHBOARD_TOKEN"),
            client_ip_header: variable("CLIENT_IP_HEADER"),
            keys,
            default_org: default_org(env),
            allowed: allowed(variable),
            oauth: OauthConfig::read(variable),
            strangers: (RefCell::default(), StrangerLimit::read(variable)),
            vault: RefCell::default(),
            health: HealthConfig::read(variable),
            batch_bytes: batch_request_bytes(variable),
            components: RefCell::new((0.0, Vec::new())),
        }
    }
}
