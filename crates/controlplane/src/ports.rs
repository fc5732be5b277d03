//! What the administration needs from a platform. Each trait has one implementation in the worker and one in memory for
//! the tests.

use crate::config::{EnvironmentConfig, HealthConfig, OauthConfig};
use crate::error::Error;
use gatewright_model::certificate::Reading;
use gatewright_model::definition::Allowed;
use gatewright_model::issue::Issue;
use gatewright_model::openapi::task::Call as OpenApiCall;
use gatewright_protocol::config::KeyConfig;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::figures::{Failing, Span};
use gatewright_protocol::http::Response;
use gatewright_protocol::ledger::{Consume, Verdict};
use gatewright_protocol::registry::{Command, Reply, Selection};
use gatewright_protocol::served::{Served, ServedAsk};
use gatewright_protocol::strangers::{StrangerLimit, Strangers};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// A key-value namespace with the guarantees of Workers KV: text values up to 25 MiB, and reads that may be a minute
/// old, misses included (<https://developers.cloudflare.com/kv/concepts/how-kv-works/>). Nothing here reads back what
/// it has just written. A key may be written once a second; a second write fails ([`StoreError::is_throttled`]).
pub trait Kv {
    /// Returns the value of a key, if it has one.
    async fn get(&self, key: &str) -> Result<Option<String>, StoreError>;
    /// Sets a key, with metadata that [`Kv::list`] returns.
    async fn put(&self, key: &str, value: &str, metadata: Option<&str>) -> Result<(), StoreError>;
    /// Removes a key; a missing key is not an error.
    async fn delete(&self, key: &str) -> Result<(), StoreError>;
    /// Returns all keys that start with `prefix`, each with its metadata.
    async fn list(&self, prefix: &str) -> Result<Vec<(String, Option<String>)>, StoreError>;
    /// Waits the given number of milliseconds before a key is written again.
    async fn pause(&self, ms: u32);
}

/// Carries out a call on an OpenAPI document: see [`Platform::openapi`].
pub type OpenApi = fn(&OpenApiCall, &str, &str) -> Result<(String, String), StoreError>;

/// The outcome of a reload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reloaded {
    /// It is in progress; nobody waits for it.
    Started,
    /// It is done, and this isolate serves the new set.
    Done,
    /// It failed for this reason; the last good set keeps serving.
    Failed(String),
}

/// The state of one component in `/hello` (reference 1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name: `registry` or `kv`.
    pub name: &'static str,
    /// Why it does not respond; `None` if it does. For the log only.
    pub failure: Option<StoreError>,
}

/// The response of a third-party server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fetched {
    /// The status code.
    pub status: u16,
    /// The absolute target of a redirect.
    pub location: Option<String>,
    /// The `Content-Type`; empty if the server sent none.
    pub content_type: String,
    /// The body, decoded.
    pub body: Vec<u8>,
}

/// The response to a request that was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replied {
    /// The status code.
    pub status: u16,
    /// The `Content-Type`; empty if the server sent none.
    pub content_type: String,
    /// The `Content-Length`, if the server sent one.
    pub content_length: Option<u64>,
    /// The beginning of the body, decoded.
    pub body: Vec<u8>,
    /// Whether the body goes on.
    pub cut: bool,
}

/// Why a third-party server gave no response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfetched {
    /// The body exceeds the limit; the rest of it was not read.
    TooLarge,
    /// The call, body included, took longer than allowed.
    TimedOut,
    /// Anything else; the log has the platform's reason.
    Unreachable,
}

/// A request to a third-party server. Its headers may hold a credential, so it must not be logged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outgoing {
    /// The method in upper case.
    pub method: String,
    /// The URL the request is sent to.
    pub url: String,
    /// The headers: names in lower case, with their values.
    pub headers: Vec<(String, String)>,
    /// The body, if it has one.
    pub body: Option<String>,
}

/// Access to third-party servers, under the rules of [`crate::egress`].
pub trait Egress {
    /// Whether private networks may be called (`EGRESS_ALLOW_PRIVATE`).
    fn allows_private(&self) -> bool;
    /// Fetches a URL accepted by [`crate::egress::destination`], within the configured time. Redirects are not
    /// followed, and at most `max` bytes of the body are read.
    async fn get(&self, url: &str, max: usize) -> Result<Fetched, Unfetched>;
    /// Sends a request to a URL accepted by [`crate::egress::destination`], within the configured time. Redirects are not
    /// followed. Of the body, at most `max` bytes are read, and only what arrives within a second: how it ends does not
    /// matter.
    async fn send(&self, outgoing: &Outgoing, max: usize) -> Result<Replied, Unfetched>;
}

/// A call from the administration to a Ledger ([`gatewright_protocol::ledger`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerCall {
    /// Its session was written by a Registry of the previous release.
    Release,
    /// A question as an isolate would ask it.
    Ask(Consume),
}

/// Seals the secrets of an export under a passphrase.
pub trait Vault {
    /// Seals a text: it can't be read without the passphrase, and it opens only under the same name.
    async fn seal(&self, name: &str, text: &str) -> Result<String, StoreError>;
    /// Opens what was sealed under this name; `None` if the passphrase, salt or name differs, or the text was altered.
    async fn open(&self, name: &str, sealed: &str) -> Option<String>;
}

/// What other components know about the upstreams of an API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpstreamFacts {
    /// The breakers that the data plane of this isolate knows. The first line is their scope, `machine` or `isolate`;
    /// then one line for each breaker of the loaded API: requests and failures of the last ten seconds, when it closes
    /// (Unix milliseconds, 0 if it is closed), whether the next request is a trial (0 or 1), `samples`, the threshold
    /// in millionths, and the method and path of its row. `None` if no such API is loaded.
    pub breakers: Option<String>,
    /// The first line says when its service registry last answered (Unix milliseconds, 0 for never) and why it has not
    /// since; the remaining lines are its answer.
    pub list: String,
    /// Its uptime tests: JSON of a [`gatewright_api::upstreams::UptimeHealth`].
    pub uptime: String,
}

/// Everything the administration needs from the platform.
pub trait Platform: Egress {
    /// The type that seals secrets on this platform.
    type Vault: Vault;
    /// Opens a vault with a passphrase and a salt, as described at [`crate::admin::backup::SEALING`].
    async fn vault(&self, passphrase: &str, salt: &str) -> Result<Self::Vault, StoreError>;
    /// Calls the Ledger of this name. Only [`LedgerCall::Ask`] gets a verdict.
    async fn ledger(&self, name: &str, call: LedgerCall) -> Result<Option<Verdict>, StoreError>;
    /// Returns the vault for secrets that this gateway has to show again itself, under a key derived from the gateway
    /// secret.
    async fn own_vault(&self) -> Result<Self::Vault, StoreError>;
    /// Returns how the OAuth 2.0 server issues codes and tokens.
    fn oauth(&self) -> &OauthConfig;
    /// Returns the addresses that sent wrong client secrets to this isolate, and how many of them an address may send.
    fn strangers(&self) -> (&RefCell<Strangers>, StrangerLimit);
    /// Returns the counters of each of these Ledgers, all asked at once, in the form [`Platform::put_counters`] takes;
    /// an empty text if a Ledger counts nothing.
    async fn take_counters(&self, ledgers: &[String]) -> Result<Vec<String>, StoreError>;
    /// Makes Ledgers continue from the counters of others instead of their own. Each Ledger's name comes with a text of
    /// one line.
    async fn put_counters(&self, counters: &[(String, String)]) -> Result<(), StoreError>;
    /// Returns how keys are made.
    fn keys(&self) -> KeyConfig;
    /// Notifies this isolate that the set of organisations with a session has changed; the other isolates learn it from
    /// the Registry. The change is committed already, so a failure is only logged.
    async fn orgs_changed(&self);
    /// Drops the cached responses of an API in every isolate: no request that arrives after this call returns is served
    /// from them.
    async fn forget_cache(&self, api_id: &str) -> Result<(), StoreError>;
    /// Returns the organisation of documents that name none.
    fn default_org(&self) -> &str;
    /// Sends a command to the Registry. `text` is the document that goes with it, and the result has the document that
    /// comes back: JSON stays text in transit.
    async fn call(&self, command: &Command, text: &str) -> Result<(Reply, String), StoreError>;
    /// Publishes what the Registry holds, or a selection of it, and loads it in this isolate.
    async fn reload(
        &self,
        wait: bool,
        selection: Option<&Selection>,
    ) -> Result<Reloaded, StoreError>;
    /// Checks whether each component responds.
    async fn components(&self) -> Vec<Component>;
    /// Runs a batch through a loaded API; `None` if no such API is loaded.
    async fn batch(&self, api_id: &str, body: &[u8]) -> Option<Response>;
    /// Sends the one request in this body through the chain and reports its steps (reference 1.8). It goes to a loaded
    /// API, or to one made from this definition, which [`gatewright_protocol::snapshot::check`] has accepted.
    async fn debug(&self, body: &str, definition: Option<&str>) -> Result<Response, Error>;
    /// Returns the members that APIs may be served with although they have no effect (`ALLOW_UNENFORCED`).
    fn allowed(&self) -> Allowed;
    /// Reads what a client wants to store as a certificate of an organisation
    /// (`gatewright_model::certificate::read`).
    fn read_certificate(&self, org: &str, sent: &[u8]) -> Result<Reading, StoreError>;
    /// Carries out a call on an OpenAPI document ([`gatewright_model::openapi::task`]): `before` is the stored one, or
    /// empty. Returns the report as JSON, and the text that follows it.
    fn openapi(
        &self,
        call: &OpenApiCall,
        before: &str,
        sent: &str,
    ) -> Result<(String, String), StoreError>;
    /// Returns the issues in the filters and templates of a definition, as reported by the modules that run them
    /// ([`gatewright_model::definition::rewrites`]); none for modules that could not be called.
    fn rewrites(&self, definition: &str) -> Vec<Issue>;
    /// Returns a file built with this software, by its path below the folder of static files; `None` if there is no
    /// such file.
    async fn file(&self, path: &str) -> Result<Option<String>, StoreError>;
    /// Returns how figures are reported.
    fn health(&self) -> HealthConfig;
    /// Asks the Meter for figures, those of this isolate included; the result is read with
    /// [`gatewright_protocol::figures::read`].
    async fn figures(&self, span: &Span) -> Result<String, StoreError>;
    /// Asks the Meter about failed requests, those of this isolate included; the result is read with
    /// [`gatewright_protocol::figures::read_failures`].
    async fn failures(&self, failing: &Failing) -> Result<String, StoreError>;
    /// Returns what other components know about the upstreams of an API.
    async fn upstreams(&self, api_id: &str) -> Result<UpstreamFacts, StoreError>;
    /// Lists the processes of this machine that run the worker, this one first (at the edge it is the only one), one
    /// per line: name, generation served or `-`, and bytes of WebAssembly memory.
    async fn processes(&self) -> String;
    /// Returns false if the data plane of this isolate has just checked that none of the APIs it serves handles token
    /// events: then [`Self::served`] need not be awaited.
    fn may_have_token_listeners(&self) -> bool;
    /// Returns the part of what is asked for that the data plane of this isolate serves. Loads its set first if it has
    /// none; `None` if that fails.
    async fn served(&self, ask: &ServedAsk) -> Option<Served>;
    /// Whether this isolate has a set of APIs to serve, which may be empty.
    fn loaded(&self) -> bool;
    /// Waits the given number of milliseconds.
    async fn wait(&self, ms: u64);
    /// Sends a request after the response is sent, as [`crate::egress::send`] does. The outcome is only logged.
    fn send_later(&self, outgoing: Outgoing);
    /// Writes a line to the log.
    fn log(&self, line: &str);
    /// Returns the current time as RFC 3339 in UTC.
    fn now(&self) -> String;
    /// Returns 128 random bits as 32 hexadecimal digits.
    fn random_id(&self) -> String;
    /// Returns 256 random bits as 43 characters of base64url (RFC 4648 section 5).
    fn random_token(&self) -> String;
    /// Returns the configured gateway secret, if there is one.
    fn secret(&self) -> Option<&str>;
    /// Returns the name, colour and console hosts that distinguish this gateway from others.
    fn environment(&self) -> &EnvironmentConfig;
    /// Returns the configured `DASHBOARD_TOKEN`, if there is one.
    fn dashboard_token(&self) -> Option<&str>;
}

/// Makes an id of 24 hexadecimal digits, the form used for records in this API family.
pub(crate) fn object_id<P: Platform>(platform: &P) -> String {
    platform.random_id().chars().skip(8).collect()
}
