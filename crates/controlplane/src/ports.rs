//! What the administration needs of a platform. Each trait has one implementation in the worker and one
//! in memory for the tests.

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

/// A key-value namespace with the guarantees of Workers KV: text values up to 25 MiB, and reads
/// that may be a minute old, misses included
/// (<https://developers.cloudflare.com/kv/concepts/how-kv-works/>). Nothing here reads what it
/// just wrote through it. A key may be written once a second; a second write fails
/// ([`StoreError::is_throttled`]).
pub trait Kv {
    /// The value of a key, if it has one.
    async fn get(&self, key: &str) -> Result<Option<String>, StoreError>;
    /// Sets a key, with metadata that [`Kv::list`] gives back.
    async fn put(&self, key: &str, value: &str, metadata: Option<&str>) -> Result<(), StoreError>;
    /// Removes a key; a missing one is no error.
    async fn delete(&self, key: &str) -> Result<(), StoreError>;
    /// All keys that begin with `prefix`, each with its metadata.
    async fn list(&self, prefix: &str) -> Result<Vec<(String, Option<String>)>, StoreError>;
    /// Lets so many milliseconds pass before a key is written again.
    async fn pause(&self, ms: u32);
}

/// Carries out a call about an OpenAPI document: see [`Platform::openapi`].
pub type OpenApi = fn(&OpenApiCall, &str, &str) -> Result<(String, String), StoreError>;

/// How a reload ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reloaded {
    /// It is under way; nobody waits for it.
    Started,
    /// It is done, and this isolate serves the new set.
    Done,
    /// It failed for this reason; the last good set keeps serving.
    Failed(String),
}

/// The state of one component in `/hello` (reference 1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name, `registry` or `kv`.
    pub name: &'static str,
    /// Why it does not answer, if it does not; for the log only.
    pub failure: Option<StoreError>,
}

/// What a server of somebody else has answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fetched {
    /// The status code.
    pub status: u16,
    /// Where a redirect leads to, absolute.
    pub location: Option<String>,
    /// The `Content-Type`, empty if there was none.
    pub content_type: String,
    /// The body, decoded.
    pub body: Vec<u8>,
}

/// Why there is no answer of a server of somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfetched {
    /// The body is larger than allowed; the rest of it was not read.
    TooLarge,
    /// It took longer than allowed, the body included.
    TimedOut,
    /// Anything else; the log has the platform's reason.
    Unreachable,
}

/// A request to a server of somebody else. Its headers may hold a credential, so it is no text for
/// a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outgoing {
    /// The method in upper case.
    pub method: String,
    /// Where to.
    pub url: String,
    /// Names in lower case with their values.
    pub headers: Vec<(String, String)>,
    /// The body, if it has one.
    pub body: Option<String>,
}

/// The way to servers of somebody else, under the rules of [`crate::egress`].
pub trait Egress {
    /// True if private networks may be called (`EGRESS_ALLOW_PRIVATE`).
    fn allows_private(&self) -> bool;
    /// Gets a URL that [`crate::egress::destination`] let pass, within the configured time. No
    /// redirect is followed, and at most `max` bytes of the body are read.
    async fn get(&self, url: &str, max: usize) -> Result<Fetched, Unfetched>;
    /// Sends a request to a URL that [`crate::egress::destination`] let pass, within the configured
    /// time, and answers the status. No redirect is followed, and no body is read.
    async fn send(&self, outgoing: &Outgoing) -> Result<u16, Unfetched>;
}

/// What the administration asks of a Ledger ([`gatewright_protocol::ledger`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerCall {
    /// A write of its session begins, under a name that no other one has.
    Hold(String),
    /// The write of this name has ended.
    Release(String),
    /// A question of an isolate.
    Ask(Consume),
}

/// What seals the secrets of an export under a passphrase.
pub trait Vault {
    /// Seals a text: nobody reads it without the passphrase, and nothing but the same name opens it.
    async fn seal(&self, name: &str, text: &str) -> Result<String, StoreError>;
    /// What was sealed under this name; `None` with another passphrase, salt or name, and for a changed text.
    async fn open(&self, name: &str, sealed: &str) -> Option<String>;
}

/// What others know of the upstreams of an API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpstreamFacts {
    /// Whose breakers the data plane of this isolate knows, `machine` or `isolate`, and then a line of each that the
    /// loaded API has: requests and failures of the last ten seconds, when it closes (Unix milliseconds, 0 for one
    /// that is closed), whether the next request is a trial (0 or 1), `samples`, the threshold in millionths, and its
    /// row's method and path. `None` if no such API is loaded.
    pub breakers: Option<String>,
    /// When its service registry has answered (Unix milliseconds, 0 for never), why it has not since, and from the
    /// second line on what it has answered.
    pub list: String,
    /// Its uptime tests, JSON of a [`gatewright_api::upstreams::UptimeHealth`].
    pub uptime: String,
}

/// Everything that the administration needs.
pub trait Platform: Egress {
    /// What seals secrets here.
    type Vault: Vault;
    /// Opens a vault with a passphrase and a salt, as [`crate::admin::backup::SEALING`] says.
    async fn vault(&self, passphrase: &str, salt: &str) -> Result<Self::Vault, StoreError>;
    /// Calls the Ledger of this name. Only [`LedgerCall::Ask`] is answered.
    async fn ledger(&self, name: &str, call: LedgerCall) -> Result<Option<Verdict>, StoreError>;
    /// What seals secrets that this gateway itself has to show again, under a key made of the gateway secret.
    async fn own_vault(&self) -> Result<Self::Vault, StoreError>;
    /// How the OAuth 2.0 server issues codes and tokens.
    fn oauth(&self) -> &OauthConfig;
    /// Who has sent secrets of clients that are wrong, to this isolate, and how many an address may.
    fn strangers(&self) -> (&RefCell<Strangers>, StrangerLimit);
    /// What each of these Ledgers counts, all asked at once, for [`Platform::put_counters`]; an empty text for
    /// nothing.
    async fn take_counters(&self, ledgers: &[String]) -> Result<Vec<String>, StoreError>;
    /// Lets Ledgers go on from what others have counted, instead of what they have: their names, each with a text
    /// of one line.
    async fn put_counters(&self, counters: &[(String, String)]) -> Result<(), StoreError>;
    /// How keys are made.
    fn keys(&self) -> KeyConfig;
    /// Tells this isolate which organisations have a session now; the others hear of it by the Registry. It
    /// has been committed, so a failure is nobody's but the log's.
    async fn orgs_changed(&self);
    /// Forgets the answers that are kept of an API, in every isolate: whoever asks after this was answered
    /// gets none of them.
    async fn forget_cache(&self, api_id: &str) -> Result<(), StoreError>;
    /// The organisation of documents that name none.
    fn default_org(&self) -> &str;
    /// Sends a command to the Registry. `text` is the document that goes with it, and the answer
    /// has the document that comes back: JSON stays text on its way.
    async fn call(&self, command: &Command, text: &str) -> Result<(Reply, String), StoreError>;
    /// Publishes what the Registry holds, or what is selected of it, and loads it here.
    async fn reload(
        &self,
        wait: bool,
        selection: Option<&Selection>,
    ) -> Result<Reloaded, StoreError>;
    /// Asks each component for a sign of life.
    async fn components(&self) -> Vec<Component>;
    /// Runs a batch through a loaded API; `None` if no such API is loaded.
    async fn batch(&self, api_id: &str, body: &[u8]) -> Option<Response>;
    /// Sends the one request of this body through the chain and tells its steps (reference 1.8): to a
    /// loaded API, or to one of this definition, which [`gatewright_protocol::snapshot::check`] has let
    /// pass.
    async fn debug(&self, body: &str, definition: Option<&str>) -> Result<Response, Error>;
    /// What APIs are served with although it has no effect (`ALLOW_UNENFORCED`).
    fn allowed(&self) -> Allowed;
    /// Reads what somebody wants to store as a certificate of an organisation ([`gatewright_model::certificate::read`]).
    fn read_certificate(&self, org: &str, sent: &[u8]) -> Result<Reading, StoreError>;
    /// Carries out a call about an OpenAPI document ([`gatewright_model::openapi::task`]): `before` is the stored one,
    /// or nothing. Answers the report as JSON, and the text behind it.
    fn openapi(
        &self,
        call: &OpenApiCall,
        before: &str,
        sent: &str,
    ) -> Result<(String, String), StoreError>;
    /// What is wrong with the filters and templates of a definition, as the modules say that run them
    /// ([`gatewright_model::definition::rewrites`]); nothing of those that could not be asked.
    fn rewrites(&self, definition: &str) -> Vec<Issue>;
    /// A file that was built with this software, by its path below the folder of static files; `None`
    /// if it is not there.
    async fn file(&self, path: &str) -> Result<Option<String>, StoreError>;
    /// How figures are reported.
    fn health(&self) -> HealthConfig;
    /// Asks the Meter for figures, those of this isolate included; the answer is for
    /// [`gatewright_protocol::figures::read`].
    async fn figures(&self, span: &Span) -> Result<String, StoreError>;
    /// Asks the Meter about requests that have failed, those of this isolate included; the answer is for
    /// [`gatewright_protocol::figures::read_failures`].
    async fn failures(&self, failing: &Failing) -> Result<String, StoreError>;
    /// What others know of the upstreams of an API.
    async fn upstreams(&self, api_id: &str) -> Result<UpstreamFacts, StoreError>;
    /// The processes of this machine that run the worker, this one first and at the edge alone, a line each:
    /// name, generation that is served or `-`, and bytes of WebAssembly memory.
    async fn processes(&self) -> String;
    /// False if the data plane of this isolate has looked just now whether an API that it serves hears of what
    /// happens to keys, and none does: then nobody has to wait for [`Self::served`].
    fn may_hear_of_tokens(&self) -> bool;
    /// What the data plane of this isolate serves of what is asked for; its set is loaded first where it
    /// has none, and `None` if it can't be.
    async fn served(&self, ask: &ServedAsk) -> Option<Served>;
    /// True once this isolate has a set of APIs to serve, which may be an empty one.
    fn loaded(&self) -> bool;
    /// Lets so many milliseconds pass.
    async fn wait(&self, ms: u64);
    /// Sends a request behind the answer, as [`crate::egress::send`] does. Only the log hears what came of it.
    fn send_behind(&self, outgoing: Outgoing);
    /// Writes a line of the log.
    fn log(&self, line: &str);
    /// The current time, RFC 3339 in UTC.
    fn now(&self) -> String;
    /// 128 random bits as 32 hexadecimal digits.
    fn random_id(&self) -> String;
    /// 256 random bits as 43 characters of base64url (RFC 4648 section 5).
    fn random_token(&self) -> String;
    /// The configured gateway secret, if there is one.
    fn secret(&self) -> Option<&str>;
    /// Which of several gateways this one is.
    fn environment(&self) -> &EnvironmentConfig;
    /// The configured `DASHBOARD_TOKEN`, if there is one.
    fn dashboard_token(&self) -> Option<&str>;
}

/// A new id of 24 hexadecimal digits, the form that records of this API family have.
pub(crate) fn object_id<P: Platform>(platform: &P) -> String {
    platform.random_id().chars().skip(8).collect()
}
