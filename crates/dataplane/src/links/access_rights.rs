//! Link 18: whether the key has access to the API and its version.

use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::failure::{Failure, Reply};
use crate::versions::VersionRights;
use gatewright_model::definition::ApplicationProtocol;
use gatewright_model::session::Session;

/// The access rights of the key.
#[derive(Debug)]
pub struct AccessRights;

impl Middleware for AccessRights {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let keyless = from.definition.bool("use_keyless").unwrap_or_default();
        (!keyless).then_some(Self)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if exchange.ignored {
            return Step::Next;
        }
        let checked = check(exchange);
        exchange.note(|| match &checked {
            Ok(words) | Err((_, words)) => words.clone(),
        });
        match checked {
            Ok(_) => Step::Next,
            Err((failure, _)) => Step::Reply(Reply::from(failure)),
        }
    }
}

/// Checks whether the session has access; either result comes with its reason.
fn check(exchange: &Exchange) -> Result<String, (Failure, String)> {
    let session = exchange
        .session()
        .map_err(|failure| (failure, String::new()))?;
    let version = &exchange.version;
    if session.access_rights.is_empty() {
        return if exchange.isolate.config().allow_master_keys {
            Ok("A key without access rights, which opens every API here".to_owned())
        } else {
            let words = "It has no access rights (ALLOW_MASTER_KEYS is off)";
            Err((Failure::ApiDisallowed, words.to_owned()))
        };
    }
    let api_id = &exchange.api.definition.api_id;
    let Some(access) = session.access(api_id) else {
        let words = "Its access rights do not name this API";
        return Err((Failure::ApiDisallowed, words.to_owned()));
    };
    let allowed = match exchange.api.versions.rights() {
        VersionRights::Unchecked => true,
        VersionRights::Any => access.allows_version(version),
        VersionRights::Listed => access.versions.iter().any(|allowed| allowed == version),
    };
    if !allowed {
        let words = format!("It may not use the version {version}");
        return Err((Failure::VersionDisallowed, words));
    }
    if is_unchecked(exchange, session) {
        let words = "It restricts GraphQL or MCP here, which is not looked at";
        return Err((Failure::ResourceDisallowed, words.to_owned()));
    }
    Ok(format!("This API, version {version}"))
}

/// Whether the session restricts what requests to the API may ask for in a way that this runtime can't enforce. Such a
/// restriction must not be ignored.
fn is_unchecked(exchange: &Exchange, session: &Session) -> bool {
    let definition = &exchange.api.definition;
    let Some(access) = session.access(&definition.api_id) else {
        return false;
    };
    let depth = session.applied(&definition.api_id).limit.max_query_depth;
    let graphql = access.restricts_graphql || depth > 0;
    let is_mcp = definition.application_protocol == ApplicationProtocol::Mcp;
    (access.restricts_mcp && !is_mcp)
        || (graphql && definition.application_protocol == ApplicationProtocol::GraphQl)
}
