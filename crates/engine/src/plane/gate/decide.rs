//! What a session says about a request, before anything is counted.

use super::config::GateConfig;
use super::limits;
use super::sessions::Known;
use super::{Incoming, named, org};
use crate::ledger::protocol::Count;
use crate::plane::failure::Failure;
use crate::plane::snapshot::Api;

/// What a session says about a request: what to count, or why it is refused. Nothing comes of it
/// before the Ledger has said that the session still holds.
pub(super) fn decide(
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
        let access = session.access(api_id).ok_or(Failure::ApiDisallowed)?;
        if !access.allows_version(&api.version) {
            return Err(Failure::VersionDisallowed);
        }
        if !rules.urls.allow(incoming.method, &paths) {
            return Err(Failure::ResourceDisallowed);
        }
    } else if !config.allow_master_keys {
        return Err(Failure::ApiDisallowed);
    }
    let endpoint = rules.endpoints.rate(incoming.method, &paths);
    Ok(limits::counts(
        session,
        api_id,
        endpoint.as_ref(),
        &api.limits,
    ))
}
