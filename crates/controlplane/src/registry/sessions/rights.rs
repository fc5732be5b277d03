//! Which rights fit which API (reference 1.6, rule 1): those of HTTP and GraphQL mean nothing to an MCP proxy, and
//! those of MCP mean nothing to other APIs. Versions that an API does not have grant no access.

use super::{Sent, ends};
use crate::registry::Turn;
use gatewright_model::definition::ApplicationProtocol;
use gatewright_model::document;
use gatewright_model::issue::Issue;
use gatewright_model::json::Value;
use gatewright_model::mcp::Category;
use gatewright_model::order::sorted_by;
use gatewright_model::session::Access;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::Refusal;
use std::collections::BTreeMap;

/// Returns why rights of a session or a policy can't be granted, in the reference's words. An unknown API is accepted,
/// since it may become any kind of API.
pub(super) fn misfit(turn: &mut Turn<'_>, sent: &Sent<'_>) -> Result<Option<Refusal>, StoreError> {
    let rules = ends::rules(turn, &sent.session)?;
    let rights = sent.session.access_rights.iter().zip(rules);
    let reasons =
        rights.filter_map(|((id, access), rules)| reason(id, access, rules?.application_protocol));
    let first = reasons.take(1).next();
    let first = first.or_else(|| primitive_type(&sent.value));
    Ok(first.map(|reason| Refusal::Rights { reason }))
}

/// Returns the error for a primitive of a type that MCP servers do not have, whatever the API is.
fn primitive_type(document: &Value<'_>) -> Option<String> {
    let rights = document.get("access_rights").map(Value::members);
    let rights = rights.unwrap_or_default().iter();
    let mut primitives = rights.flat_map(|right| {
        let primitives = right.value.get("mcp_primitives").map(Value::items);
        primitives.unwrap_or_default()
    });
    primitives.find_map(|primitive| {
        let kind = primitive.str("type").unwrap_or_default();
        let is_known = Category::ALL.iter().any(|known| known.name() == kind);
        (!is_known).then(|| {
            format!("invalid MCP primitive type \"{kind}\": must be one of tool, resource, prompt")
        })
    })
}

/// Warns about rights of a session or a policy at APIs that are not stored (fault H6), and for versions that their APIs
/// do not have (fault G12).
pub(super) fn unknown(turn: &mut Turn<'_>, sent: &Sent<'_>) -> Result<Vec<Issue>, StoreError> {
    let rules = ends::rules(turn, &sent.session)?;
    let mut versions = BTreeMap::new();
    for ((id, _), rules) in sent.session.access_rights.iter().zip(rules) {
        // Its bases choose their own names for it.
        let is_child = turn.index.bases_of(id).next().is_some();
        if let Some(known) = rules.and_then(|rules| rules.versions).filter(|_| !is_child) {
            versions.insert(id.as_str(), known);
        }
    }
    let known = |id: &str| versions.get(id).map(|names| names.to_vec());
    let index = &*turn.index;
    let is_fine = |id: &str| !index.misses(id);
    let mut issues = document::unknown_apis(sent.text, &sent.value, is_fine, || index.ids());
    issues.extend(document::unknown_versions(sent.text, &sent.value, known));
    Ok(sorted_by(issues, |one, other| one.start.cmp(&other.start)))
}

fn reason(id: &str, access: &Access, application_protocol: ApplicationProtocol) -> Option<String> {
    let http =
        !access.allowed_urls.is_empty() || !access.endpoints.is_empty() || access.restricts_graphql;
    match application_protocol {
        ApplicationProtocol::Mcp if http => Some(format!(
            "HTTP/REST and GraphQL fields cannot be configured on MCP Proxies, \
             API \"{id}\" is an MCP Proxy"
        )),
        ApplicationProtocol::Http | ApplicationProtocol::GraphQl if access.restricts_mcp => {
            Some(format!(
                "MCP fields can only be configured on MCP Proxies, \
             API \"{id}\" is not an MCP Proxy"
            ))
        }
        _ => None,
    }
}
