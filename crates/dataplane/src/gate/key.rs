//! Links 14 to 20: the token, its session, and what they count against.

use super::config::GateConfig;
use super::decide::decide;
use super::limits::Refused;
use super::refusal::{Refusal, headers, refused, refused_by, unavailable};
use super::sessions::{Known, Sessions};
use super::{ATTEMPTS, Gatekeeper, Incoming, Passed, Stored, named, org, shared, told};
use crate::failure::Failure;
use crate::snapshot::{Api, Snapshot};
use gatewright_model::session::{Limit, Session};
use gatewright_protocol::ledger::{Consume, Count, Verdict};
use gatewright_protocol::sessions::Owner;
use gatewright_protocol::token::{TOKEN_MAX_BYTES, parts, stored_under};
use std::cell::RefCell;
use std::rc::Rc;

/// Links 14 to 20: the key.
pub(super) async fn key<G: Gatekeeper>(
    gate: &G,
    snapshot: &Snapshot,
    api: &Api,
    incoming: &Incoming<'_>,
    peek: bool,
) -> Result<Passed, Refusal> {
    told::token(gate.trace(), &api.source, incoming);
    let shown = match incoming.sent_as {
        Some(hash) => Shown::Hash(hash.to_owned()),
        None => Shown::Token(find(api, incoming)?),
    };
    let mut known = recognise(gate, snapshot, api, &shown).await?;
    let mut retries = 0;
    let mut attempts = 1..ATTEMPTS;
    loop {
        let decided = decide(gate.config(), gate.now_ms(), api, &known, incoming);
        let ask = asked(&known, decided.clone().unwrap_or_default(), peek);
        let shared = shared::ledger(gate, api, &known, incoming, &ask.counts);
        let answer = shared::consume(gate, &known, &ask, shared.as_deref()).await;
        let answer = answer.map_err(unavailable)?;
        told::ledger(gate.trace(), &known, shared.as_deref(), &answer.0);
        match answer {
            (Verdict::Stale { revision }, text) => {
                attempts.next().ok_or(Failure::LimitsUnavailable)?;
                let name = shown.cached(org(api, gate.config()));
                known = remember(gate, snapshot, &name, known.hash.clone(), revision, text);
            }
            (Verdict::Unknown, _) => {
                attempts.next().ok_or(Failure::LimitsUnavailable)?;
                let name = shown.cached(org(api, gate.config()));
                gate.sessions().borrow_mut().remove(&name);
                // It may be stored in another form by now.
                known = recognise(gate, snapshot, api, &shown).await?;
            }
            (Verdict::Admitted(standings), _) => {
                let counted = (&ask, None, standings.as_slice());
                let (trace, config) = (gate.trace(), gate.config());
                told::decided(trace, config, api, (&known, incoming), counted);
                decided?;
                let headers = headers(gate.config(), gate.now_ms(), &ask.counts, &standings);
                let ledger = match shared {
                    Some(shared) => (shared, None),
                    None => (Owner::Key.ledger(&known.hash), ask.revision),
                };
                return Ok(Passed {
                    ledger,
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
                    told::throttle(gate.trace(), ms, retries);
                    continue;
                }
                let counted = (&ask, Some((by, retry_ms)), standings.as_slice());
                let (trace, config) = (gate.trace(), gate.config());
                told::decided(trace, config, api, (&known, incoming), counted);
                let now = gate.now_ms();
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

/// What a request shows of its key.
pub(super) enum Shown {
    /// The token.
    Token(String),
    /// The hash, of which nobody else than an administrator makes a key.
    Hash(String),
}

impl Shown {
    /// What it is remembered by. A hash that comes as a token is another thing than the hash.
    fn cached(&self, org: &str) -> String {
        match self {
            Self::Token(token) => cached(org, token),
            Self::Hash(hash) => format!("hash:{}:{org}{hash}", org.len()),
        }
    }

    /// The hashes that its session may be stored under; none if it can't be a key of this API.
    fn hashes(&self, config: &GateConfig, api: &Api) -> Option<Vec<String>> {
        let token = match self {
            Self::Hash(hash) => return Some(vec![hash.clone()]),
            Self::Token(token) => token,
        };
        let org = org(api, config);
        let length = token.chars().count();
        // A key of another organisation is told so before anything is asked (reference 3.2).
        let foreign =
            parts(token).is_some_and(|parts| named(&parts.org, &config.default_org) != org);
        if length < config.min_token_length || token.len() > TOKEN_MAX_BYTES || foreign {
            return None;
        }
        let orgs = (api.definition.org_id.as_str(), config.default_org.as_str());
        Some(stored_under(token, orgs, config.hash))
    }
}

fn find(api: &Api, incoming: &Incoming<'_>) -> Result<String, Failure> {
    let token = api.source.find(&incoming.carrier);
    token.ok_or(Failure::CredentialMissing)
}

/// The session of a key, from what this isolate knows, else from the Registry.
async fn recognise<G: Gatekeeper>(
    gate: &G,
    snapshot: &Snapshot,
    api: &Api,
    shown: &Shown,
) -> Result<Rc<Known>, Refusal> {
    let config = gate.config();
    let name = shown.cached(org(api, config));
    let cached = gate.sessions().borrow_mut().get(&name, snapshot.generation);
    if let Some(known) = cached {
        told::key(gate.trace(), "Known to this isolate", Some(&known));
        return Ok(known);
    }
    let Some(hashes) = shown.hashes(config, api) else {
        told::key(gate.trace(), "No token of this organisation", None);
        return Err(Failure::CredentialUnknown.into());
    };
    match gate.find(hashes).await.map_err(unavailable)? {
        Some(stored) => {
            let Stored {
                hash,
                revision,
                text,
            } = stored;
            let known = remember(gate, snapshot, &name, hash, revision, text);
            told::key(gate.trace(), "Read from the Registry", Some(&known));
            Ok(known)
        }
        None => {
            told::key(gate.trace(), "No such key is stored", None);
            Err(Failure::CredentialUnknown.into())
        }
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

/// How long a request over its rate waits before it is tried again, if it does (reference 2.1).
fn throttle(known: &Known, api: &Api, refused: Refused, retries: i64) -> Option<u64> {
    let session: &Session = known.session.as_ref()?;
    let limit: &Limit = session.applied(&api.definition.api_id).limit;
    let tries =
        refused == Refused::Rate && limit.is_throttled() && retries < limit.throttle_retry_limit;
    let micros = u64::try_from(limit.throttle_interval.micros()).ok()?;
    tries.then_some(micros / 1000)
}

/// What the Ledger of a key is asked.
pub(super) fn asked(known: &Known, counts: Vec<Count>, peek: bool) -> Consume {
    Consume {
        revision: Some(known.revision),
        show: (0..).take(counts.len()).collect(),
        counts,
        peek,
        back: Vec::new(),
    }
}
