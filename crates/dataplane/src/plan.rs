//! What becomes of a request: the chain of reference 3.1 as far as this gateway has it.

use crate::failure::Failure;
use crate::path;
use crate::snapshot::{Api, Snapshot};
use gatewright_model::definition::route::{ListenPath, Segment};
use std::borrow::Cow;
use std::rc::Rc;

/// The head of a request as the chain sees it.
pub struct Head<'a> {
    /// The method.
    pub method: &'a str,
    /// `host[:port]` of the URL in lower case.
    pub authority: &'a str,
    /// The path as it stands in the URL.
    pub path: &'a str,
    /// The query without `?`.
    pub query: &'a str,
}

/// What to do with a request.
#[derive(Clone, Debug)]
pub enum Plan<'a> {
    /// Send it on, once [`super::gate`] lets it pass.
    Forward(Forward<'a>),
    /// Tell how the limits of its key stand (reference 1.8).
    RateLimits(Forward<'a>),
    /// Read it as a batch for this API.
    Batch(Rc<Api>, Base),
}

/// A request that belongs to an API.
#[derive(Clone, Debug)]
pub struct Forward<'a> {
    /// The API.
    pub api: Rc<Api>,
    /// Its path, normalised.
    pub path: Cow<'a, str>,
    /// How much of the path named the API.
    taken: usize,
    by_id: bool,
}

impl Forward<'_> {
    /// The part of the path behind what named the API.
    #[must_use]
    pub fn rest(&self) -> &str {
        self.path.get(self.taken..).unwrap_or_default()
    }

    /// Where it is sent, with this query.
    #[must_use]
    pub fn url(&self, query: &str) -> String {
        let proxy = &self.api.definition.proxy;
        // An id is no part of what the upstream knows.
        let stripped = proxy.strip_listen_path || self.by_id;
        let path = if stripped { self.rest() } else { &self.path };
        self.api.target.join(path, query, proxy.disable_strip_slash)
    }
}

/// The part of a batch's path that named its API; items are held below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// Normalised, without a slash at its end; empty for an API that listens on `/`.
    pub path: String,
    /// True if it is the API's id instead of its listen path.
    pub by_id: bool,
}

impl Base {
    /// The base of an API that a batch names by its id.
    #[must_use]
    pub fn of(api: &Api) -> Self {
        Self {
            path: format!("/{}", api.definition.api_id),
            by_id: true,
        }
    }

    /// The base of an API as its clients name it; by its id if its listen path has variables, or if
    /// it is an internal one, which has no clients.
    #[must_use]
    pub fn listening(api: &Api) -> Self {
        let literal = |segment: &Segment| matches!(segment, Segment::Literal(_));
        let path = ListenPath::parse(&api.definition.proxy.listen_path);
        let path = path.ok().filter(|path| path.segments().iter().all(literal));
        match path.filter(|_| !api.definition.internal) {
            None => Self::of(api),
            Some(path) => Self {
                path: path.canonical().trim_end_matches('/').to_owned(),
                by_id: false,
            },
        }
    }
}

/// Where the batch endpoint of an API is, below its listen path.
const BATCH: &str = "gateway/batch";
/// Where a key's own limits are, below a listen path.
const RATE_LIMITS: &str = "gateway/rate-limits";

/// Decides about a request of the data plane.
///
/// # Errors
/// The answer that the gateway gives itself.
pub fn plan<'a>(snapshot: &Snapshot, head: &Head<'a>) -> Result<Plan<'a>, Failure> {
    let path = path::normalise(head.path).map_err(|_| Failure::AmbiguousPath)?;
    let found = snapshot
        .router
        .find(head.authority, &path)
        .ok_or(Failure::NoRoute)?;
    let rest = path.get(found.taken..).unwrap_or_default();
    if found.api.definition.batch && is_batch(rest) {
        if head.method != "POST" {
            return Err(Failure::BatchMethod);
        }
        let path = path.get(..found.taken).unwrap_or_default().to_owned();
        let base = Base {
            path,
            by_id: found.by_id,
        };
        return Ok(Plan::Batch(found.api, base));
    }
    let asks = is_own(&found.api, head.method, rest);
    let forward = Forward {
        api: found.api,
        path,
        taken: found.taken,
        by_id: found.by_id,
    };
    Ok(if asks {
        Plan::RateLimits(forward)
    } else {
        Plan::Forward(forward)
    })
}

/// Decides about one item of a batch, which has been held below `base`. What another API serves
/// below this one's listen path stays that API's.
///
/// # Errors
/// The answer that the gateway gives itself.
pub fn plan_item<'a>(
    snapshot: &Snapshot,
    api: &Rc<Api>,
    base: &Base,
    head: &Head<'a>,
) -> Result<Forward<'a>, Failure> {
    let path = path::normalise(head.path).map_err(|_| Failure::AmbiguousPath)?;
    if !base.by_id
        && let Some(other) = snapshot.router.find(head.authority, &path)
        && !Rc::ptr_eq(&other.api, api)
        && other.taken > base.path.len()
    {
        return Err(Failure::NoRoute);
    }
    Ok(Forward {
        api: Rc::clone(api),
        path,
        taken: base.path.len(),
        by_id: base.by_id,
    })
}

/// True for a request that the gateway answers itself and sends nowhere.
#[must_use]
pub fn is_own(api: &Api, method: &str, rest: &str) -> bool {
    let definition = &api.definition;
    (definition.batch && is_batch(rest))
        || (method == "GET" && !definition.keyless && is_rate_limits(rest))
}

/// True for the path below the listen path that is the batch endpoint.
#[must_use]
pub fn is_batch(rest: &str) -> bool {
    rest.trim_matches('/') == BATCH
}

fn is_rate_limits(rest: &str) -> bool {
    rest.trim_matches('/') == RATE_LIMITS
}
