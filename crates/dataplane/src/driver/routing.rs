//! Which API a request belongs to, and which requests need no chain at all.

use crate::failure::{Answer, Failure};
use crate::isolate::Isolate;
use crate::links::resource_metadata::{ResourceMetadata, WELL_KNOWN};
use crate::path::{self, PathError, RequestPath};
use crate::router::Match;
use crate::snapshot::{Api, Snapshot, VersionTarget};
use gatewright_model::definition::ApplicationProtocol;
use std::rc::Rc;

/// The result of routing a request.
#[derive(Debug)]
pub enum Routed {
    /// The request belongs to an API.
    Api(Match<Api>, RequestPath),
    /// The request belongs to no API and is answered with this.
    Answer(Answer),
}

/// Finds the API of a request.
#[must_use]
pub fn route(snapshot: &Snapshot, authority: &str, path: &str, query: &str) -> Routed {
    let path = match RequestPath::parse(path) {
        Ok(path) => path,
        Err(PathError::BrokenEscape) => return Routed::Answer(plain(Failure::BrokenPath)),
        Err(PathError::Unclean(clean)) => return Routed::Answer(moved(&clean, query)),
    };
    match snapshot.router.find(authority, path.decoded()) {
        Some(found) if may_leave(snapshot, authority, &found, &path) => {
            Routed::Answer(plain(Failure::BrokenPath))
        }
        Some(found) => Routed::Api(found, path),
        None => Routed::Answer(plain(Failure::NoRoute)),
    }
}

/// Whether an upstream that parses the path more leniently could read it as one outside its API, or inside an API
/// nested below it. Where the listen path is stripped, what follows it must stay below the target: a listen path with a
/// template, or without a slash at its end, also fits other paths, and can end inside a segment.
fn may_leave(snapshot: &Snapshot, authority: &str, found: &Match<Api>, path: &RequestPath) -> bool {
    let strips = found.api.definition.proxy.strip_listen_path && !found.by_id;
    let splits = || path::splits_dots(path.decoded(), found.listen);
    if strips && (path::leaves(path.sent_behind(found.listen)) || splits()) {
        return true;
    }
    path::readings(path.decoded()).iter().any(|reading| {
        let other = snapshot.router.find(authority, reading);
        other.is_none_or(|other| !Rc::ptr_eq(&other.api, &found.api))
    })
}

/// An endpoint below a listen path that the gateway serves itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnRoute {
    /// None: the path belongs to the API.
    None,
    /// The batch endpoint.
    Batch,
    /// The standing of a key's limits.
    Standing,
    /// The OAuth 2.0 server, which the control plane serves.
    Oauth,
}

/// The endpoint that the gateway serves itself at a path below a listen path, for any method (reference 3.1, row 0). A
/// batch and the limits of a key need the trailing slash (reference 4).
#[must_use]
pub fn own_route(api: &Api, rest: &str) -> OwnRoute {
    let definition = &api.definition;
    // The OAuth endpoints work without the slash, too.
    let ends = rest.ends_with('/');
    if ends
        && definition.batch
        && definition.application_protocol != ApplicationProtocol::Mcp
        && is_batch(rest)
    {
        OwnRoute::Batch
    } else if ends && !definition.keyless && rest.trim_matches('/') == RATE_LIMITS {
        OwnRoute::Standing
    } else if definition.oauth && OAUTH.contains(&rest.trim_matches('/')) {
        OwnRoute::Oauth
    } else {
        OwnRoute::None
    }
}

/// Whether the path below a listen path is the batch endpoint, with or without the trailing slash.
#[must_use]
pub fn is_batch(rest: &str) -> bool {
    rest.trim_matches('/') == BATCH
}

/// The path of an API's batch endpoint, below its listen path.
const BATCH: &str = "gateway/batch";
/// The path of the standing of a key's limits, below a listen path.
const RATE_LIMITS: &str = "gateway/rate-limits";

/// The path of an OAuth 2.0 server's metadata (RFC 8414).
pub const METADATA: &str = ".well-known/oauth-authorization-server";

/// The API whose OAuth 2.0 server metadata is requested at a path outside every API: the metadata path followed by the
/// API's listen path (RFC 8414 section 3.1).
#[must_use]
pub fn metadata_of(snapshot: &Snapshot, authority: &str, path: &str) -> Option<Rc<Api>> {
    let listen = path.strip_prefix('/')?.strip_prefix(METADATA)?;
    // An issuer has no trailing slash, but a listen path usually has.
    let listen = [listen.trim_end_matches('/'), "/"].concat();
    match route(snapshot, authority, &listen, "") {
        Routed::Api(found, _) => Some(found.api).filter(|api| api.definition.oauth),
        Routed::Answer(_) => None,
    }
}

/// The request for a protected resource's metadata that a path outside every API stands for: the metadata path followed
/// by the API's listen path (RFC 9728 section 3.1).
#[must_use]
pub fn resource_metadata_of(
    snapshot: &Snapshot,
    authority: &str,
    path: &str,
) -> Option<(Match<Api>, RequestPath)> {
    let listen = path.strip_prefix('/')?.strip_prefix(WELL_KNOWN)?;
    let listen = [listen.trim_end_matches('/'), "/"].concat();
    let Routed::Api(found, _) = route(snapshot, authority, &listen, "") else {
        return None;
    };
    let chain = &found.api.chains.first()?.chain;
    let metadata = ResourceMetadata::of(chain).filter(|metadata| metadata.has_document())?;
    match route(
        snapshot,
        authority,
        &[&listen, &*metadata.path].concat(),
        "",
    ) {
        Routed::Api(found, path) => Some((found, path)),
        Routed::Answer(_) => None,
    }
}

/// The endpoints of the OAuth 2.0 server (reference 1.9; RFC 8414), below a listen path.
const OAUTH: [&str; 6] = [
    "oauth/token",
    "oauth/authorize",
    "oauth/revoke",
    "oauth/revoke_all",
    "gateway/oauth/authorize-client",
    METADATA,
];

/// A plain-text answer that no definition can customise.
#[must_use]
pub fn plain(failure: Failure) -> Answer {
    let body = failure.message().to_owned();
    Answer::of_type(failure.status(), "text/plain; charset=utf-8", body)
}

/// The redirect for a path that is not in canonical form.
fn moved(clean: &str, query: &str) -> Answer {
    let location = if query.is_empty() {
        clean.to_owned()
    } else {
        format!("{clean}?{query}")
    };
    Answer::of_status(301).with("location", location)
}

/// Whether a request to this API needs no chain and is only forwarded.
#[must_use]
pub fn is_plain(api: &Api, isolate: &dyn Isolate) -> bool {
    let org = crate::identity::org_or_default(&api.definition.org_id, isolate.config());
    api.versions.is_plain()
        && api.target.is_some()
        && api
            .chains
            .iter()
            .all(|version| version.chain.is_plain() && version.target == VersionTarget::OfApi)
        && !isolate.has_session(org)
}

/// The URL that a request to such an API is forwarded to.
#[must_use]
pub fn plain_url(found: &Match<Api>, path: &RequestPath, query: &str) -> Option<String> {
    let proxy = &found.api.definition.proxy;
    let strips = proxy.strip_listen_path && !found.by_id;
    let rest = if strips {
        path.sent_behind(found.listen)
    } else {
        path.sent()
    };
    let target = found.api.target.as_ref()?;
    Some(target.join(rest, query, proxy.disable_strip_slash))
}
