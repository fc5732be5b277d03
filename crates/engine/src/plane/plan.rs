//! What becomes of a request: the chain of reference 3.1 as far as this gateway has it.

use crate::plane::failure::Failure;
use crate::plane::path;
use crate::plane::router::Match;
use crate::plane::snapshot::{Api, Snapshot};
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
    /// Tells whether a header or query parameter holds a credential; asked only when needed, so
    /// that a keyless request costs no look at its headers.
    pub has_header: &'a dyn Fn(&str) -> bool,
}

/// What to do with a request.
#[derive(Clone, Debug)]
pub enum Plan {
    /// Send it to this URL.
    Forward(Rc<Api>, String),
    /// Read it as a batch for this API.
    Batch(Rc<Api>, Base),
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
}

/// Where the batch endpoint of an API is, below its listen path.
const BATCH: &str = "gateway/batch";

/// Decides about a request of the data plane.
///
/// # Errors
/// The answer that the gateway gives itself.
pub fn plan(snapshot: &Snapshot, head: &Head<'_>) -> Result<Plan, Failure> {
    let path = path::normalise(head.path).map_err(|_| Failure::AmbiguousPath)?;
    let found = snapshot
        .router
        .find(head.authority, &path)
        .ok_or(Failure::NoRoute)?;
    let rest = rest(&path, &found);
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
    let url = forward(&found, &path, head)?;
    Ok(Plan::Forward(found.api, url))
}

/// Decides about one item of a batch, which has been held below `base`. What another API serves
/// below this one's listen path stays that API's.
///
/// # Errors
/// The answer that the gateway gives itself.
pub fn plan_item(
    snapshot: &Snapshot,
    api: &Rc<Api>,
    base: &Base,
    head: &Head<'_>,
) -> Result<String, Failure> {
    let path = path::normalise(head.path).map_err(|_| Failure::AmbiguousPath)?;
    if !base.by_id
        && let Some(other) = snapshot.router.find(head.authority, &path)
        && !Rc::ptr_eq(&other.api, api)
        && other.taken > base.path.len()
    {
        return Err(Failure::NoRoute);
    }
    let found = Match {
        api: Rc::clone(api),
        taken: base.path.len(),
        by_id: base.by_id,
    };
    forward(&found, &path, head)
}

/// True for the path below the listen path that is the batch endpoint.
#[must_use]
pub fn is_batch(rest: &str) -> bool {
    rest.trim_matches('/') == BATCH
}

fn rest<'p>(path: &'p str, found: &Match) -> &'p str {
    path.get(found.taken..).unwrap_or_default()
}

fn forward(found: &Match, path: &str, head: &Head<'_>) -> Result<String, Failure> {
    let definition = &found.api.definition;
    if !definition.keyless {
        // No key can exist yet, so none can be right.
        let sent = (head.has_header)(&found.api.auth_header);
        return Err(if sent {
            Failure::CredentialUnknown
        } else {
            Failure::CredentialMissing
        });
    }
    let proxy = &definition.proxy;
    // An id is no part of what the upstream knows.
    let stripped = proxy.strip_listen_path || found.by_id;
    let path = if stripped { rest(path, found) } else { path };
    Ok(found
        .api
        .target
        .join(path, head.query, proxy.disable_strip_slash))
}
