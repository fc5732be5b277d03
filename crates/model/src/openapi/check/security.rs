//! Checks of security schemes and requirements, and the requirements of MCP proxies.

use super::Input;
use super::refusal::{Reason, Refused, Text, one};
use crate::issue::IssueCode;
use crate::json::pointer::Path;
use crate::json::{Member, Value};
use crate::openapi::DocumentKind;

/// Runs the security checks; the first violation is reported.
pub(super) fn check(input: &Input<'_>) -> Result<(), Refused> {
    requirements(input)?;
    schemes(input)?;
    server(input)?;
    metadata(input)
}

/// Every required scheme has to be declared (reference 1.4).
fn requirements(input: &Input<'_>) -> Result<(), Refused> {
    let Some(security) = input.document.get("security") else {
        return Ok(());
    };
    let root = Path::Root;
    let path = root.member("security");
    if security.items().is_empty() {
        return Ok(());
    }
    let schemes = input.document.pointer("/components/securitySchemes");
    let schemes = schemes.map(Value::members).unwrap_or_default();
    if schemes.is_empty() {
        let remedy = "declare the schemes in components.securitySchemes, or take \"security\" away";
        let reason = Reason::new(IssueCode::Required, remedy);
        let message = "No components or security schemes present in OAS";
        return Err(one(input.text, message, security, &path, reason));
    }
    let declared = crate::order::map(schemes.iter().map(|scheme| (&*scheme.name, ())));
    for (index, requirement) in security.items().iter().enumerate() {
        let is_unknown = |scheme: &&Member<'_>| !declared.contains_key(&*scheme.name);
        let Some(unknown) = requirement.members().iter().find(is_unknown) else {
            continue;
        };
        let path = path.element(index);
        return Err(undeclared(input, unknown, &path.member(&unknown.name)));
    }
    Ok(())
}

/// Schemes of the extension (reference 6.3): an enabled one has to be declared in the document, and in compliant mode a
/// requirement has to name every enabled method.
fn schemes(input: &Input<'_>) -> Result<(), Refused> {
    let Some(extension) = input.extension else {
        return Ok(());
    };
    let Some(authentication) = extension.value.pointer("/server/authentication") else {
        return Ok(());
    };
    if authentication.bool("enabled") != Some(true) {
        return Ok(());
    }
    let root = Path::Root;
    let path = root.member(&extension.name);
    let path = path.member("server");
    let path = path.member("authentication");
    let schemes = authentication.get("securitySchemes").map(Value::members);
    let is_on = |member: &&Member<'_>| member.value.bool("enabled") == Some(true);
    let schemes = schemes.unwrap_or_default().iter().filter(is_on);
    let declared = input.document.pointer("/components/securitySchemes");
    let declared = declared.map(Value::members).unwrap_or_default();
    let declared = crate::order::map(declared.iter().map(|scheme| (&*scheme.name, ())));
    let mut is_unknown = schemes.clone();
    if let Some(unknown) = is_unknown.find(|scheme| !declared.contains_key(&*scheme.name)) {
        let all = path.member("securitySchemes");
        return Err(undeclared(input, unknown, &all.member(&unknown.name)));
    }
    if authentication.str("securityProcessingMode") != Some("compliant") {
        return Ok(());
    }
    let required = required(input.document, authentication);
    let methods = ["hmac", "oidc", "custom"].into_iter();
    let methods = methods
        .filter_map(|name| authentication.member(name))
        .filter(is_on);
    let unrequired = schemes.chain(methods);
    let unrequired = unrequired.filter(|method| !required.contains_key(&*method.name));
    let names: Vec<String> = unrequired
        .map(|method| Text::new("").name(&method.name).0)
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let message = format!(
        "invalid multi-auth configuration: {} auth enabled but not configured in a security requirement",
        names.join(", ")
    );
    let remedy = "ask for it in \"security\", or switch it off";
    let reason = Reason::new(IssueCode::Conflict, remedy);
    Err(one(input.text, &message, authentication, &path, reason))
}

/// Returns every name in a requirement of the document or of the extension.
fn required<'l>(
    document: &'l Value<'_>,
    authentication: &'l Value<'_>,
) -> std::collections::BTreeMap<&'l str, ()> {
    let own = document
        .get("security")
        .map(Value::items)
        .unwrap_or_default();
    let own = own.iter().flat_map(Value::members);
    let own = own.map(|scheme| &*scheme.name);
    let more = authentication.get("security").map(Value::items);
    let more = more.unwrap_or_default().iter().flat_map(Value::items);
    let names = own.chain(more.filter_map(Value::as_str));
    crate::order::map(names.map(|name| (name, ())))
}

/// Creates the refusal of a scheme that the document doesn't declare.
fn undeclared(input: &Input<'_>, scheme: &Member<'_>, path: &Path<'_>) -> Refused {
    let message = Text::new("Missing required Security Scheme '")
        .name(&scheme.name)
        .and("' in Components.SecuritySchemes. For more information please visit https://swagger.io/specification/#security-requirement-object");
    let remedy = "declare this scheme in components.securitySchemes";
    let reason = Reason::new(IssueCode::Required, remedy);
    one(input.text, &message.0, &scheme.value, path, reason)
}

/// `x-gateway-mcp-server` belongs to MCP proxies in front of an API of this gateway (reference 6.4).
fn server(input: &Input<'_>) -> Result<(), Refused> {
    let names = ["x-gateway-mcp-server", "x-tyk-mcp-server"];
    let Some(server) = names.iter().find_map(|name| input.document.member(name)) else {
        return Ok(());
    };
    let extension = input.extension.map(|member| &member.value);
    let url = extension
        .and_then(|extension| extension.pointer("/upstream/url"))
        .and_then(Value::as_str);
    let inner = ["gateway://", "tyk://"];
    let is_adapter = url.is_some_and(|url| inner.iter().any(|scheme| url.starts_with(scheme)));
    let message = match input.kind {
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
    Err(one(input.text, message, &server.value, &path, reason))
}

/// Protected resource metadata must name the resource, and that of an MCP proxy who issues tokens for it (reference 6.4).
fn metadata(input: &Input<'_>) -> Result<(), Refused> {
    let pointer = "/server/authentication/protectedResourceMetadata";
    let Some(extension) = input.extension else {
        return Ok(());
    };
    let Some(metadata) = extension.value.pointer(pointer) else {
        return Ok(());
    };
    let is_named = metadata
        .str("resource")
        .is_some_and(|name| !name.is_empty());
    let issuers = metadata.get("authorizationServers").map(Value::items);
    let has_issuers = issuers.is_some_and(|issuers| !issuers.is_empty());
    let (message, remedy) = match metadata.bool("enabled") == Some(true) {
        true if !is_named => (
            "protectedResourceMetadata.resource is required when enabled",
            "name the resource in \"resource\", or switch the metadata off",
        ),
        true if !has_issuers && input.kind == DocumentKind::Mcp => (
            "protectedResourceMetadata.authorizationServers must have at least one entry for MCP APIs",
            "list who issues tokens in \"authorizationServers\", or switch the metadata off",
        ),
        _ => return Ok(()),
    };
    let reason = Reason::new(IssueCode::Required, remedy);
    let root = Path::Root;
    let extension = root.member(&extension.name);
    let server = extension.member("server");
    let authentication = server.member("authentication");
    let path = authentication.member("protectedResourceMetadata");
    Err(one(input.text, message, metadata, &path, reason))
}
