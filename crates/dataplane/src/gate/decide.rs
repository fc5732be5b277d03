//! What a session says about a request, before anything is counted.

use super::config::GateConfig;
use super::limits;
use super::sessions::Known;
use super::{Incoming, named, org};
use crate::failure::Failure;
use crate::snapshot::Api;
use gatewright_model::definition::Speaks;
use gatewright_model::session::Session;
use gatewright_protocol::access::EndpointRate;
use gatewright_protocol::ledger::Count;

/// What a session says about a request: what to count, or why it is refused. Nothing comes of it
/// before the Ledger has said that the session still holds.
pub(super) fn decide(
    config: &GateConfig,
    now_ms: u64,
    api: &Api,
    known: &Known,
    incoming: &Incoming<'_>,
) -> Result<Vec<Count>, Failure> {
    let session = holds(config, now_ms, api, known)?;
    let endpoint = access(config, api, known, session, incoming)?;
    let api_id = &api.definition.api_id;
    Ok(limits::counts(
        session,
        api_id,
        endpoint.as_ref(),
        &api.limits,
    ))
}

/// The session, if it can be used here at all.
pub(super) fn holds<'k>(
    config: &GateConfig,
    now_ms: u64,
    api: &Api,
    known: &'k Known,
) -> Result<&'k Session, Failure> {
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
    Ok(session)
}

/// Whether the session may do this with the API; with the rate of the endpoint, if it has one.
pub(super) fn access(
    config: &GateConfig,
    api: &Api,
    known: &Known,
    session: &Session,
    incoming: &Incoming<'_>,
) -> Result<Option<EndpointRate>, Failure> {
    let api_id = &api.definition.api_id;
    let rules = known.rules(api_id);
    let behind = incoming.behind();
    let paths = [incoming.path, behind.as_str()];
    if !session.access_rights.is_empty() {
        let access = session.access(api_id).ok_or(Failure::ApiDisallowed)?;
        if !access.allows_version(&api.version) {
            return Err(Failure::VersionDisallowed);
        }
        if is_unchecked(api, session) || !rules.urls.allow(incoming.method, &paths) {
            return Err(Failure::ResourceDisallowed);
        }
    } else if !config.allow_master_keys {
        return Err(Failure::ApiDisallowed);
    }
    Ok(rules.endpoints.rate(incoming.method, &paths))
}

/// True if the session restricts what requests to the API may ask, and that is nothing which this
/// runtime looks at. It must not be passed over.
pub(super) fn is_unchecked(api: &Api, session: &Session) -> bool {
    let api_id = &api.definition.api_id;
    let Some(access) = session.access(api_id) else {
        return false;
    };
    let graphql = access.restricts_graphql || session.applied(api_id).limit.max_query_depth > 0;
    access.restricts_mcp || (graphql && api.definition.speaks == Speaks::GraphQl)
}
