//! Who may pass: organisation, token, session, limits (reference 3.1, links 9 to 23).
//!
//! The promise: nothing is decided with a session that somebody has changed or deleted since,
//! because the Ledger that counts also says whether the session still holds; a request with a key
//! that is known here costs one call to it. Where the Ledger can't be asked, nobody passes.

pub mod limits;
pub mod sessions;
pub mod source;

mod config;
mod decide;
mod events;
mod key;
mod organisation;
mod refusal;
mod shared;
mod standing;
mod taken;
mod told;
mod way;

pub use config::GateConfig;
pub use events::refused as event_of;
pub use key::known;
pub use refusal::Refusal;
pub use standing::standing;
pub use way::{Way, way};

use crate::failure::Failure;
use crate::snapshot::{Api, Snapshot};
use crate::trace::Trace;
use decide::decide;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::Event;
use gatewright_protocol::ledger::{Consume, Count, Limit, Standing, Verdict};
use gatewright_protocol::limits::RateLimit;
use gatewright_protocol::sessions::Owner;
use key::{asked, key};
use limits::Header;
use organisation::organisation;
use refusal::{headers, refusal, refused, unavailable};
use sessions::{Known, Sessions};
use source::Carrier;
use std::cell::RefCell;
use std::rc::Rc;
use taken::{Taken, give_back};

/// How often a session may turn out to be out of date in one request. Each time somebody has
/// written it meanwhile.
const ATTEMPTS: usize = 8;

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
    /// Where the request comes from.
    fn client_address(&self) -> String;
    /// How the gate is set up.
    fn config(&self) -> &GateConfig;
    /// Tells the handlers of an API of an event; nobody waits for that.
    fn raise(&self, api: &Api, event: Event);
    /// Who wants to know each step, if somebody does.
    fn trace(&self) -> Option<&Trace<'_>> {
        None
    }
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
    /// The hash of the key that it is sent as, in place of a token: an administrator may.
    pub sent_as: Option<&'a str>,
}

impl Incoming<'_> {
    /// The part of the path behind the listen path, with one slash at its beginning.
    fn behind(&self) -> String {
        format!("/{}", self.rest.trim_start_matches('/'))
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
    /// The Ledger that has counted it, and the revision of the session for that.
    ledger: (String, Option<u64>),
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
    let mut taken = Vec::new();
    let passed = through(gate, snapshot, api, incoming, (peek, &mut taken)).await;
    if passed.is_err() {
        give_back(gate, taken).await;
    }
    if !api.handlers.is_empty() {
        let generation = snapshot.generation;
        events::raise(gate, generation, api, incoming, (&passed, peek));
    }
    passed
}

async fn through<G: Gatekeeper>(
    gate: &G,
    snapshot: &Snapshot,
    api: &Api,
    incoming: &Incoming<'_>,
    (peek, taken): (bool, &mut Vec<Taken>),
) -> Result<Passed, Refusal> {
    let org = org(api, gate.config());
    if gate.has_session(org) {
        let counted = organisation(gate, org, peek).await?;
        taken.extend((!peek).then_some(counted));
    } else {
        told::no_organisation(gate.trace(), org);
    }
    let passed = if api.definition.keyless {
        told::keyless(gate.trace());
        Passed::default()
    } else {
        key(gate, snapshot, api, incoming, peek).await?
    };
    if let Some(limit) = api.limits.rate.filter(|_| !peek) {
        let (ledger, revision) = passed.ledger.clone();
        taken.push(Taken {
            ledger,
            revision,
            counts: passed.counts.clone(),
        });
        api_rate(gate, api, limit).await?;
    } else {
        told::no_api_rate(gate.trace());
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
/// the name of that Ledger. `None` for every other request, where a refused one would wait, and where
/// another Ledger counts or somebody hears of how much of the quota is used.
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
    let counts_alone = known.pattern.is_none();
    let asked = asked(known, counts, false);
    let decides = counts_alone && !waits && !events::is_monitored(api, session);
    decides.then(|| (Owner::Key.ledger(&known.hash), asked))
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

/// Link 23: the rate of the API, whoever calls.
async fn api_rate<G: Gatekeeper>(gate: &G, api: &Api, limit: RateLimit) -> Result<(), Refusal> {
    let counts = vec![Count {
        name: "rate".to_owned(),
        limit: Limit::Rate(limit),
    }];
    let ask = Consume {
        show: told::shown(gate.trace(), &counts),
        counts,
        ..Consume::default()
    };
    let ledger = format!("api:{}", api.definition.api_id);
    let (verdict, _) = gate.consume(&ledger, &ask).await.map_err(unavailable)?;
    told::api_rate(gate.trace(), &ask, &verdict);
    match verdict {
        Verdict::Refused { retry_ms, .. } => {
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
