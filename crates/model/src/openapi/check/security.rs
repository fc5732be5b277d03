//! What a document says about credentials, and what MCP proxies ask for.

use super::Look;
use super::refusal::{Reason, Refused, Text, one};
use crate::issue::IssueCode;
use crate::json::pointer::Path;
use crate::json::{Member, Value};
use crate::openapi::DocumentKind;

/// Checks what a document says about credentials; the first thing that is wrong.
pub(super) fn check(look: &Look<'_>) -> Result<(), Refused> {
    requirements(look)?;
    server(look)?;
    metadata(look)
}

/// Every scheme that is asked for has to be declared (reference 1.4).
fn requirements(look: &Look<'_>) -> Result<(), Refused> {
    let Some(security) = look.document.get("security") else {
        return Ok(());
    };
    let root = Path::Root;
    let path = root.member("security");
    if security.items().is_empty() {
        return Ok(());
    }
    let schemes = look.document.pointer("/components/securitySchemes");
    let schemes = schemes.map(Value::members).unwrap_or_default();
    if schemes.is_empty() {
        let remedy = "declare the schemes in components.securitySchemes, or take \"security\" away";
        let reason = Reason::new(IssueCode::Required, remedy);
        let message = "No components or security schemes present in OAS";
        return Err(one(look.text, message, security, &path, reason));
    }
    let declared = crate::order::map(schemes.iter().map(|scheme| (&*scheme.name, ())));
    for (index, requirement) in security.items().iter().enumerate() {
        let is_unknown = |scheme: &&Member<'_>| !declared.contains_key(&*scheme.name);
        let Some(unknown) = requirement.members().iter().find(is_unknown) else {
            continue;
        };
        let message = Text::new("Missing required Security Scheme '")
            .name(&unknown.name)
            .and("' in Components.SecuritySchemes. For more information please visit https://swagger.io/specification/#security-requirement-object");
        let remedy = "declare this scheme in components.securitySchemes";
        let reason = Reason::new(IssueCode::Required, remedy);
        let path = path.element(index);
        let path = path.member(&unknown.name);
        return Err(one(look.text, &message.0, &unknown.value, &path, reason));
    }
    Ok(())
}

/// `x-gateway-mcp-server` belongs to MCP proxies in front of an API of this gateway (reference 6.4).
fn server(look: &Look<'_>) -> Result<(), Refused> {
    let names = ["x-gateway-mcp-server", "x-tyk-mcp-server"];
    let Some(server) = names.iter().find_map(|name| look.document.member(name)) else {
        return Ok(());
    };
    let extension = look.extension.map(|member| &member.value);
    let url = extension
        .and_then(|extension| extension.pointer("/upstream/url"))
        .and_then(Value::as_str);
    let inner = ["gateway://", "tyk://"];
    let is_adapter = url.is_some_and(|url| inner.iter().any(|scheme| url.starts_with(scheme)));
    let message = match look.kind {
        DocumentKind::Oas => "x-gateway-mcp-server is valid only for MCP proxies",
        DocumentKind::Mcp if !is_adapter => {
            "x-gateway-mcp-server is valid only for MCP proxies targeting a REST-as-MCP adapter"
        }
        DocumentKind::Mcp => return Ok(()),
    };
    let remedy = "take it away, or make this an MCP proxy whose upstream is an API of this gateway";
    let reason = Reason::new(IssueCode::Unsupported, remedy);
    let root = Path::Root;
    let path = root.member(&server.name);
    Err(one(look.text, message, &server.value, &path, reason))
}

/// A resource that is described has a name (reference 6.4).
fn metadata(look: &Look<'_>) -> Result<(), Refused> {
    let pointer = "/server/authentication/protectedResourceMetadata";
    let Some(extension) = look.extension else {
        return Ok(());
    };
    let Some(metadata) = extension.value.pointer(pointer) else {
        return Ok(());
    };
    let is_named = metadata
        .str("resource")
        .is_some_and(|resource| !resource.is_empty());
    if metadata.bool("enabled") != Some(true) || is_named {
        return Ok(());
    }
    let message = "protectedResourceMetadata.resource is required when enabled";
    let remedy = "name the resource in \"resource\", or switch the metadata off";
    let reason = Reason::new(IssueCode::Required, remedy);
    let root = Path::Root;
    let extension = root.member(&extension.name);
    let server = extension.member("server");
    let authentication = server.member("authentication");
    let path = authentication.member("protectedResourceMetadata");
    Err(one(look.text, message, metadata, &path, reason))
}
