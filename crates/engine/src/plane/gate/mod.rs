//! Who may pass: organisation, token, session, limits (reference 3.1, links 9 to 23).
//!
//! The promise: nothing is decided with a session that somebody has changed or deleted since,
//! because the Ledger that counts also says whether the session still holds; a request with a key
//! that is known here costs one call to it. Where the Ledger can't be asked, nobody passes.

pub mod limits;
pub mod sessions;
pub mod source;

use crate::config::KeyConfig;
use crate::error::StoreError;
use crate::ledger::protocol::{Consume, Count, Standing, Verdict};
use crate::plane::failure::Failure;
use crate::plane::plan::Forward;
use crate::plane::snapshot::{Api, Snapshot};
use crate::registry::sessions::Owner;
use crate::token::{HashFunction, TOKEN_MAX_BYTES, parts, stored_under};
use gatewright_model::amount::Amount;
use gatewright_model::session::{Limit, Session};
use limits::{Header, Refused, Shown};
use sessions::{Known, Sessions};
use source::Carrier;
use std::cell::RefCell;
use std::rc::Rc;

/// How often a session may turn out to be out of date in one request. Each time somebody has
/// written it meanwhile.
const ATTEMPTS: usize = 8;

/// How the gate is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateConfig {
    /// How tokens made of custom ids are hashed (`HASH_KEY_FUNCTION`).
    pub hash: HashFunction,
    /// A shorter token is none (`MIN_TOKEN_LENGTH`).
    pub min_token_length: usize,
    /// Whether a key without access rights opens every API (`ALLOW_MASTER_KEYS`).
    pub allow_master_keys: bool,
    /// The organisation of documents that name none (`DASHBOARD_ORG_ID`).
    pub default_org: String,
    /// What `X-RateLimit-*` carry (`RATE_LIMIT_RESPONSE_HEADERS`).
    pub shown: Shown,
    /// Whether answers have `RateLimit`, `RateLimit-Policy` and `Retry-After` too
    /// (`RATE_LIMIT_FIELDS`).
    pub fields: bool,
}

impl GateConfig {
    /// Reads the worker variables; what is none of the words keeps its default.
    pub fn read(variable: impl Fn(&str) -> Option<String>, default_org: String) -> Self {
        let keys = KeyConfig::read(&variable);
        let is = |name: &str, word: &str| variable(name).as_deref() == Some(word);
        Self {
            hash: keys.hash,
            min_token_length: keys.min_token_length,
            allow_master_keys: keys.allow_master_keys,
            default_org,
            shown: if is("RATE_LIMIT_RESPONSE_HEADERS", "rate_limits") {
                Shown::RateLimits
            } else {
                Shown::Quotas
            },
            fields: !is("RATE_LIMIT_FIELDS", "false"),
        }
    }
}

/// A session as the Registry knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The hash it is stored under.
    pub hash: String,
    /// Its revision.
    pub revision: u64,
    /// Its text.
    pub text: String,
}

/// What the gate needs of an isolate.
pub trait Gatekeeper {
    /// Asks the Ledger of this name.
    async fn consume(&self, ledger: &str, ask: &Consume) -> Result<(Verdict, String), StoreError>;
    /// The session of the first of these hashes that there is.
    async fn find(&self, hashes: Vec<String>) -> Result<Option<Stored>, StoreError>;
    /// Lets time pass.
    async fn wait(&self, ms: u64);
    /// The sessions that this isolate has met.
    fn sessions(&self) -> &RefCell<Sessions>;
    /// True if an organisation has a session.
    fn has_session(&self, org: &str) -> bool;
    /// Unix milliseconds.
    fn now_ms(&self) -> u64;
    /// How the gate is set up.
    fn config(&self) -> &GateConfig;
}

/// A request at the gate.
pub struct Incoming<'a> {
    /// The method.
    pub method: &'a str,
    /// The normalised path.
    pub path: &'a str,
    /// The part of it behind the listen path.
    pub rest: &'a str,
    /// Where its token can be.
    pub carrier: Carrier<'a>,
}

/// Why a request does not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The answer.
    pub failure: Failure,
    /// Headers that come with it.
    pub headers: Vec<Header>,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            headers: Vec::new(),
        }
    }
}

/// A request that passes.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    /// Headers of its answer.
    pub headers: Vec<Header>,
    /// Its limits and how they stand.
    pub counts: Vec<(Count, Standing)>,
    /// The session it came with, of an API that asks for one.
    pub known: Option<Rc<Known>>,
}

/// The way of a request that has passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// Where it is sent.
    pub url: String,
    /// Headers of the request that are not sent as they came: what is sent instead, if anything.
    pub stripped: Vec<(String, Option<String>)>,
    /// Headers of its answer.
    pub headers: Vec<Header>,
}

/// The way of a request that has passed: its token is taken out where the definition says so.
#[must_use]
pub fn way(forward: &Forward<'_>, carrier: &Carrier<'_>, passed: Passed) -> Way {
    let api = &forward.api;
    let strips = api.strips_token && !api.definition.keyless;
    let query = api.source.strip_query(carrier.query).filter(|_| strips);
    let stripped = if strips {
        api.source.strip_headers(carrier)
    } else {
        Vec::new()
    };
    Way {
        url: forward.url(query.as_deref().unwrap_or(carrier.query)),
        stripped,
        headers: passed.headers,
    }
}

/// True if an API has anything of its own that a request has to pass here. The session of its
/// organisation is another matter.
#[must_use]
pub fn guards(api: &Api) -> bool {
    !api.definition.keyless || api.limits.rate.is_some()
}

/// The organisation of an API.
#[must_use]
pub fn org<'a>(api: &'a Api, config: &'a GateConfig) -> &'a str {
    named(&api.definition.org_id, &config.default_org)
}

/// An organisation, or the default one where a document names none.
fn named<'a>(org: &'a str, default: &'a str) -> &'a str {
    if org.is_empty() { default } else { org }
}

/// Lets a request pass and counts it, or says why not. `peek` counts nothing.
///
/// # Errors
/// Why it does not pass.
pub async fn pass<G: Gatekeeper>(
    gate: &G,
    snapshot: &Snapshot,
    api: &Api,
    incoming: &Incoming<'_>,
    peek: bool,
) -> Result<Passed, Refusal> {
    let org = org(api, gate.config());
    if gate.has_session(org) {
        organisation(gate, org, peek).await?;
    }
    let passed = if api.definition.keyless {
        Passed::default()
    } else {
        key(gate, snapshot, api, incoming, peek).await?
    };
    if let Some(limit) = api.limits.rate.filter(|_| !peek) {
        api_rate(gate, api, limit).await?;
    }
    Ok(passed)
}

/// True if the Ledger of the key is all that a request to an API has to ask, and a header all that
/// it reads: then [`question`] and [`answer`] can do without [`pass`].
#[must_use]
pub fn is_plain(api: &Api) -> bool {
    let source = &api.source;
    !api.definition.keyless
        && !api.strips_token
        && api.limits.rate.is_none()
        && source.parameter.is_none()
        && source.cookie.is_none()
}

/// What the Ledger of a known key is asked about a request that nothing but a limit can refuse, with
/// the name of that Ledger. `None` for every other request, and where a refused one would wait.
#[must_use]
pub fn question(
    config: &GateConfig,
    now_ms: u64,
    api: &Api,
    known: &Known,
    incoming: &Incoming<'_>,
) -> Option<(String, Consume)> {
    let counts = decide(config, now_ms, api, known, incoming).ok()?;
    let session = known.session.as_ref()?;
    let waits = session.applied(&api.definition.api_id).limit.is_throttled();
    let asked = asked(known, counts, false);
    (!waits).then(|| (Owner::Key.ledger(&known.hash), asked))
}

/// What comes of such a [`question`]: the headers of the request's answer, or why it is refused.
/// `None` where the session is another one by now; then nothing was counted, and [`pass`] decides.
#[must_use]
pub fn answer(
    config: &GateConfig,
    now_ms: u64,
    asked: &Consume,
    verdict: &Verdict,
) -> Option<Result<Vec<Header>, Refusal>> {
    match verdict {
        Verdict::Admitted(standings) => Some(Ok(headers(config, now_ms, &asked.counts, standings))),
        Verdict::Refused {
            by,
            retry_ms,
            standings,
        } => Some(Err(refused(
            config,
            now_ms,
            asked,
            (*by, *retry_ms),
            standings,
        ))),
        Verdict::Stale { .. } | Verdict::Unknown => None,
    }
}

/// Link 9: the session of the organisation.
async fn organisation<G: Gatekeeper>(gate: &G, org: &str, peek: bool) -> Result<(), Refusal> {
    let cached = format!("org:{org}");
    let mut known = gate.sessions().borrow_mut().get(&cached, 0);
    for _ in 0..ATTEMPTS {
        let session = known.as_ref().and_then(|known| known.session.as_ref());
        let inactive = session.is_some_and(|session| session.is_inactive);
        let counts = match session {
            Some(session) if !inactive => {
                let limit = &session.limit;
                let rate = limits::rate(limit.rate, "rate", "");
                rate.into_iter().chain(limits::quota(limit, "")).collect()
            }
            _ => Vec::new(),
        };
        let ask = Consume {
            revision: Some(known.as_ref().map_or(0, |known| known.revision)),
            counts,
            peek,
            ..Consume::default()
        };
        let ledger = Owner::Organisation.ledger(org);
        match gate.consume(&ledger, &ask).await.map_err(unavailable)? {
            (Verdict::Admitted(_), _) if inactive => return Err(Failure::OrgInactive.into()),
            (Verdict::Admitted(_) | Verdict::Unknown, _) => return Ok(()),
            (Verdict::Refused { by, retry_ms, .. }, _) => {
                let refused = refused_by(&ask.counts, by);
                let failure = match refused {
                    Refused::Rate => Failure::OrgRate,
                    Refused::Quota => Failure::OrgQuota,
                };
                return Err(refusal(
                    gate.config(),
                    failure,
                    retry_ms,
                    &[],
                    &[],
                    gate.now_ms(),
                ));
            }
            (Verdict::Stale { revision }, text) => {
                let none = std::collections::BTreeMap::new();
                let fresh = Rc::new(Known::new(org.to_owned(), revision, text, (0, &none)));
                gate.sessions().borrow_mut().put(&cached, Rc::clone(&fresh));
                known = Some(fresh);
            }
        }
    }
    Err(Failure::LimitsUnavailable.into())
}

/// Links 14 to 20: the key.
async fn key<G: Gatekeeper>(
    gate: &G,
    snapshot: &Snapshot,
    api: &Api,
    incoming: &Incoming<'_>,
    peek: bool,
) -> Result<Passed, Refusal> {
    let token = api.source.find(&incoming.carrier);
    let token = token.ok_or(Failure::CredentialMissing)?;
    let mut known = recognise(gate, snapshot, api, &token).await?;
    let mut retries = 0;
    let mut attempts = 1..ATTEMPTS;
    loop {
        let decided = decide(gate.config(), gate.now_ms(), api, &known, incoming);
        let ask = asked(&known, decided.clone().unwrap_or_default(), peek);
        let ledger = Owner::Key.ledger(&known.hash);
        match gate.consume(&ledger, &ask).await.map_err(unavailable)? {
            (Verdict::Stale { revision }, text) => {
                attempts.next().ok_or(Failure::LimitsUnavailable)?;
                let name = cached(org(api, gate.config()), &token);
                known = remember(gate, snapshot, &name, known.hash.clone(), revision, text);
            }
            (Verdict::Unknown, _) => {
                attempts.next().ok_or(Failure::LimitsUnavailable)?;
                let name = cached(org(api, gate.config()), &token);
                gate.sessions().borrow_mut().remove(&name);
                // It may be stored in another form by now.
                known = recognise(gate, snapshot, api, &token).await?;
            }
            (Verdict::Admitted(standings), _) => {
                decided?;
                let headers = headers(gate.config(), gate.now_ms(), &ask.counts, &standings);
                return Ok(Passed {
                    headers,
                    counts: ask.counts.into_iter().zip(standings).collect(),
                    known: Some(known),
                });
            }
            (
                Verdict::Refused {
                    by,
                    retry_ms,
                    standings,
                },
                _,
            ) => {
                let limit = refused_by(&ask.counts, by);
                if let Some(ms) = throttle(&known, api, limit, retries) {
                    retries = retries.saturating_add(1);
                    gate.wait(ms).await;
                    continue;
                }
                let (config, now) = (gate.config(), gate.now_ms());
                return Err(refused(config, now, &ask, (by, retry_ms), &standings));
            }
        }
    }
}

/// The session of a token that an isolate knows already, under the policies of a generation.
#[must_use]
pub fn known(
    sessions: &RefCell<Sessions>,
    config: &GateConfig,
    (api, generation): (&Api, u64),
    token: &str,
) -> Option<Rc<Known>> {
    let name = cached(org(api, config), token);
    sessions.borrow_mut().get(&name, generation)
}

/// What a token is remembered by. A custom id means another key in another organisation; the length
/// keeps the two texts apart.
fn cached(org: &str, token: &str) -> String {
    format!("{}:{org}{token}", org.len())
}

/// The session of a token, from what this isolate knows, else from the Registry.
async fn recognise<G: Gatekeeper>(
    gate: &G,
    snapshot: &Snapshot,
    api: &Api,
    token: &str,
) -> Result<Rc<Known>, Refusal> {
    let config = gate.config();
    let place = (api, snapshot.generation);
    if let Some(known) = known(gate.sessions(), config, place, token) {
        return Ok(known);
    }
    let org = org(api, config);
    let length = token.chars().count();
    // A key of another organisation is told so before anything is asked (reference 3.2).
    let foreign = parts(token).is_some_and(|parts| named(&parts.org, &config.default_org) != org);
    if length < config.min_token_length || token.len() > TOKEN_MAX_BYTES || foreign {
        return Err(Failure::CredentialUnknown.into());
    }
    let orgs = (api.definition.org_id.as_str(), config.default_org.as_str());
    let hashes = stored_under(token, orgs, config.hash);
    match gate.find(hashes).await.map_err(unavailable)? {
        Some(stored) => {
            let Stored {
                hash,
                revision,
                text,
            } = stored;
            let name = cached(org, token);
            Ok(remember(gate, snapshot, &name, hash, revision, text))
        }
        None => Err(Failure::CredentialUnknown.into()),
    }
}

fn remember<G: Gatekeeper>(
    gate: &G,
    snapshot: &Snapshot,
    name: &str,
    hash: String,
    revision: u64,
    text: String,
) -> Rc<Known> {
    let policies = (snapshot.generation, &snapshot.policies);
    let known = Rc::new(Known::new(hash, revision, text, policies));
    gate.sessions().borrow_mut().put(name, Rc::clone(&known));
    known
}

/// What a session says about a request: what to count, or why it is refused. Nothing comes of it
/// before the Ledger has said that the session still holds.
fn decide(
    config: &GateConfig,
    now_ms: u64,
    api: &Api,
    known: &Known,
    incoming: &Incoming<'_>,
) -> Result<Vec<Count>, Failure> {
    let session = known.session.as_ref().ok_or(Failure::CredentialUnknown)?;
    if named(&session.org_id, &config.default_org) != org(api, config) {
        return Err(Failure::CredentialUnknown);
    }
    // What this runtime can't check must not be passed over.
    if !session.certificate.is_empty() || session.has_certificate_bindings {
        return Err(Failure::CertificateRequired);
    }
    if session.is_inactive {
        return Err(Failure::KeyInactive);
    }
    let seconds = i64::try_from(now_ms / 1000).unwrap_or(i64::MAX);
    if session.is_expired(seconds) {
        return Err(Failure::KeyExpired);
    }
    let api_id = &api.definition.api_id;
    let rules = known.rules(api_id);
    let behind = format!("/{}", incoming.rest.trim_start_matches('/'));
    let paths = [incoming.path, behind.as_str()];
    if !session.access_rights.is_empty() {
        let access = session.access(api_id).ok_or(Failure::CredentialUnknown)?;
        if !access.allows_version(&api.version) {
            return Err(Failure::CredentialUnknown);
        }
        if !rules.urls.allow(incoming.method, &paths) {
            return Err(Failure::ResourceDisallowed);
        }
    } else if !config.allow_master_keys {
        return Err(Failure::CredentialUnknown);
    }
    let endpoint = rules.endpoints.rate(incoming.method, &paths);
    Ok(limits::counts(
        session,
        api_id,
        endpoint.as_ref(),
        &api.limits,
    ))
}

/// How long a request over its rate waits before it is tried again, if it does (reference 2.1).
fn throttle(known: &Known, api: &Api, refused: Refused, retries: i64) -> Option<u64> {
    let session: &Session = known.session.as_ref()?;
    let limit: &Limit = session.applied(&api.definition.api_id).limit;
    let tries =
        refused == Refused::Rate && limit.is_throttled() && retries < limit.throttle_retry_limit;
    let micros = u64::try_from(limit.throttle_interval.micros()).ok()?;
    tries.then_some(micros / 1000)
}

/// Link 23: the rate of the API, whoever calls.
async fn api_rate<G: Gatekeeper>(
    gate: &G,
    api: &Api,
    limit: crate::ledger::rate::RateLimit,
) -> Result<(), Refusal> {
    let counts = vec![Count {
        name: "rate".to_owned(),
        limit: crate::ledger::protocol::Limit::Rate(limit),
    }];
    let ask = Consume {
        counts,
        ..Consume::default()
    };
    let ledger = format!("api:{}", api.definition.api_id);
    match gate.consume(&ledger, &ask).await.map_err(unavailable)? {
        (Verdict::Refused { retry_ms, .. }, _) => {
            let now = gate.now_ms();
            Err(refusal(
                gate.config(),
                Failure::ApiRate,
                retry_ms,
                &[],
                &[],
                now,
            ))
        }
        _ => Ok(()),
    }
}

fn refused_by(counts: &[Count], by: u32) -> Refused {
    let place = usize::try_from(by).unwrap_or(usize::MAX);
    counts.get(place).map_or(Refused::Rate, Refused::by)
}

/// What the Ledger of a key is asked.
fn asked(known: &Known, counts: Vec<Count>, peek: bool) -> Consume {
    Consume {
        revision: Some(known.revision),
        show: (0..).take(counts.len()).collect(),
        counts,
        peek,
    }
}

/// Headers of the answer to a request that has passed.
fn headers(
    config: &GateConfig,
    now_ms: u64,
    counts: &[Count],
    standings: &[Standing],
) -> Vec<Header> {
    let mut headers = limits::headers(config.shown, counts, standings, now_ms);
    if config.fields {
        headers.extend(limits::fields(counts, standings, now_ms));
    }
    headers
}

/// The refusal of a request with a key, by the limit at this place and for so long.
fn refused(
    config: &GateConfig,
    now_ms: u64,
    asked: &Consume,
    (by, retry_ms): (u32, u64),
    standings: &[Standing],
) -> Refusal {
    let failure = match refused_by(&asked.counts, by) {
        Refused::Rate => Failure::RateLimit,
        Refused::Quota => Failure::Quota,
    };
    refusal(config, failure, retry_ms, &asked.counts, standings, now_ms)
}

/// A refusal by a limit. Its `X-RateLimit-*` come only where they carry rates (reference 3.4).
fn refusal(
    config: &GateConfig,
    failure: Failure,
    retry_ms: u64,
    counts: &[Count],
    standings: &[Standing],
    now_ms: u64,
) -> Refusal {
    let mut headers = Vec::new();
    if config.shown == Shown::RateLimits && failure == Failure::RateLimit {
        headers.extend(limits::headers(config.shown, counts, standings, now_ms));
    }
    if config.fields {
        headers.extend(limits::fields(counts, standings, now_ms));
        headers.extend(limits::retry_after(retry_ms));
    }
    Refusal { failure, headers }
}

/// The log has the reason; the answer only that the limits can't be checked.
fn unavailable(_: StoreError) -> Refusal {
    Failure::LimitsUnavailable.into()
}

/// What `{listen_path}/gateway/rate-limits/` answers (reference 1.8), for a request that would pass.
/// Without a quota or a rate its numbers are -1.
#[must_use]
pub fn standing(passed: &Passed, api: &Api) -> String {
    let session = passed
        .known
        .as_ref()
        .and_then(|known| known.session.as_ref());
    let limit = session.map(|session| *session.applied(&api.definition.api_id).limit);
    let limit = limit.unwrap_or_default();
    let quota = passed
        .counts
        .iter()
        .find(|(count, _)| Refused::by(count) == Refused::Quota);
    let (max, remaining, renews) = match quota {
        Some((_, standing)) => (limit.quota_max, Some(standing.remaining), standing.at),
        None => (-1, None, u64::MAX),
    };
    let renews = (renews != u64::MAX).then_some(renews / 1000);
    let rated = limit.rate.is_limited() && !api.limits.ignores_rates;
    let number = |amount: Amount| amount.to_string();
    let (requests, per) = match rated {
        true => (number(limit.rate.rate), number(limit.rate.per)),
        false => ("-1".to_owned(), "-1".to_owned()),
    };
    let shown = |number: Option<u64>, none: &str| {
        number.map_or_else(|| none.to_owned(), |number| number.to_string())
    };
    format!(
        "{{\"quota\":{{\"quota_max\":{max},\"quota_remaining\":{},\"quota_renews\":{}}},\
         \"rate_limit\":{{\"requests\":{requests},\"per_unit\":{per}}}}}\n",
        shown(remaining, "-1"),
        shown(renews, "0"),
    )
}
