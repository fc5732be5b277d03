//! OpenAPI documents under administration: what the gateway writes into a stored one, and what PATCH and import make of
//! one.
//!
//! Whatever nobody asked to change keeps every byte. Each function builds one merge patch (RFC 7386) with all of its
//! changes and applies it once, whatever the size of the document.

mod parameters;
mod security;
mod servers;

use std::collections::BTreeSet;

use super::EXTENSIONS;
use super::operations::operations;
use super::stored::extension;
use super::tree::Tree;
use crate::json::{Kind, Value, is_one_line, parse};
use crate::merge::{MergeError, merge};
pub use parameters::Parameters;
use security::remove_redundant_sources;
use servers::servers;

/// The extension in this project's spelling, which is used when one is created.
pub const EXTENSION: &str = EXTENSIONS[0];

/// Where a document is served, as far as its own text doesn't say.
#[derive(Clone, Copy, Debug)]
pub struct Served<'a> {
    /// The id of its API.
    pub id: &'a str,
    /// Scheme and host by which the client reached the gateway, such as `https://gateway.example`.
    pub origin: &'a str,
    /// The document that this one replaces, if any.
    pub before: Option<&'a str>,
    /// The document of the API that this one becomes a version of, and the version's name.
    pub base: Option<(&'a str, &'a str)>,
}

/// Why a document can't be made, in the words of the reference (section 1.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentError(pub String);

impl From<MergeError> for DocumentError {
    fn from(_: MergeError) -> Self {
        Self("request malformed".to_owned())
    }
}

/// Returns the API id given in a document.
#[must_use]
pub fn id<'v>(document: &'v Value<'_>) -> Option<&'v str> {
    extension(document)?.1.pointer("/info/id")?.as_str()
}

/// Returns a document as it is stored: with its id, the addresses of the gateway before its own servers, ids for
/// operations without one, components, and without credential sources that only repeat those of the components
/// (reference 1.4 and 6.3).
///
/// # Errors
/// The text is not JSON.
pub fn stored_form(document: &str, served: &Served<'_>) -> Result<String, DocumentError> {
    let value = parse(document).map_err(|_| DocumentError::from(MergeError::Target(Vec::new())))?;
    let mut patch = Tree::object();
    if let Some((name, extension)) = extension(&value) {
        if id(&value) != Some(served.id) {
            patch.set_in(&[name, "info", "id"], Tree::text(served.id));
        }
        patch.set_in(&["servers"], servers(&value, extension, document, served));
        remove_redundant_sources(&value, (name, extension), &mut patch);
    }
    if value.get("components").is_none_or(Value::is_null) {
        patch.set_in(&["components"], Tree::object());
    }
    for operation in operations(&value) {
        if operation.value.str("operationId").is_none_or(str::is_empty) {
            let method = operation.method.to_ascii_lowercase();
            let path = ["paths", operation.path, &method, "operationId"];
            patch.set_in(&path, Tree::text(&operation.id()));
        }
    }
    changed(document, &patch)
}

/// Applies a patch to a document, formatted like the document: on one line, or pretty-printed.
pub(super) fn changed(document: &str, patch: &Tree) -> Result<String, DocumentError> {
    let patch = match is_one_line(document) {
        true => patch.compact(),
        false => patch.pretty(),
    };
    Ok(merge(document, &patch)?)
}

/// Replaces the OpenAPI part of a stored document by that of another, with its extension if it has one, and changes the
/// extension as `parameters` ask. Rules of operations that no longer exist are removed, and the user's servers stay
/// unless the new document has others (reference 1.4).
///
/// # Errors
/// A text is not JSON, or what the parameters ask for can't be made of the document.
pub fn patched(stored: &str, sent: &str, parameters: &Parameters) -> Result<String, DocumentError> {
    let malformed = |_| DocumentError::from(MergeError::Target(Vec::new()));
    let (old, new) = (
        parse(stored).map_err(malformed)?,
        parse(sent).map_err(malformed)?,
    );
    let mut patch = Tree::object();
    if extension(&new).is_none()
        && let Some((name, extension)) = extension(&old)
    {
        patch.set(name, Tree::raw(extension.span.of(stored)));
    }
    if new.get("servers").is_none()
        && let Some(servers) = old.get("servers")
    {
        patch.set("servers", Tree::raw(servers.span.of(stored)));
    }
    let document = changed(sent, &patch)?;
    parameters.applied(&pruned(&document)?)
}

/// Removes the rules of operations that a document doesn't have.
fn pruned(document: &str) -> Result<String, DocumentError> {
    let malformed = |_| DocumentError::from(MergeError::Target(Vec::new()));
    let value = parse(document).map_err(malformed)?;
    let known: BTreeSet<String> = operations(&value)
        .iter()
        .map(|operation| operation.id())
        .collect();
    let mut patch = Tree::object();
    if let Some((name, extension)) = extension(&value) {
        let rules = extension.pointer("/middleware/operations");
        for rule in rules.map(Value::members).unwrap_or_default() {
            if !known.contains(&*rule.name) {
                let path = [name, "middleware", "operations", &rule.name];
                patch.set_in(&path, Tree::raw("null"));
            }
        }
    }
    changed(document, &patch)
}

/// Adds the extension that an import creates (reference 1.4), and then what `parameters` ask for: active, the listen
/// path stripped, context variables and traffic logs on, the name from the title.
///
/// # Errors
/// The text is not a JSON object.
pub fn imported(sent: &str, parameters: &Parameters) -> Result<String, DocumentError> {
    let value = parse(sent).map_err(|_| DocumentError::from(MergeError::Target(Vec::new())))?;
    if !matches!(value.kind, Kind::Object(_)) {
        return Err(DocumentError("request malformed".to_owned()));
    }
    let mut patch = Tree::object();
    let title = value.pointer("/info/title").and_then(Value::as_str);
    let url = upstream(&value).unwrap_or_default();
    for (path, made) in [
        (["info", "name"].as_slice(), Tree::text(title.unwrap_or(""))),
        (&["info", "state", "active"], Tree::raw("true")),
        (&["upstream", "url"], Tree::text(&url)),
        (&["server", "listenPath", "value"], Tree::text("/")),
        (&["server", "listenPath", "strip"], Tree::raw("true")),
    ] {
        let path: Vec<&str> = std::iter::once(EXTENSION)
            .chain(path.iter().copied())
            .collect();
        patch.set_in(&path, made);
    }
    for global in ["contextVariables", "trafficLogs"] {
        let path = [EXTENSION, "middleware", "global", global, "enabled"];
        patch.set_in(&path, Tree::raw("true"));
    }
    parameters.applied(&changed(sent, &patch)?)
}

/// Returns the upstream that the first server of a document denotes; `None` if its URL is not absolute.
fn upstream(document: &Value<'_>) -> Option<String> {
    let server = document.get("servers")?.items().first()?;
    let url = super::address::filled_in(server.str("url")?, server).ok()?;
    is_absolute(&url).then_some(url)
}

/// Checks that a document imported without an upstream URL has one of its own (reference 1.4).
///
/// # Errors
/// The text of the reference.
pub fn has_upstream(document: &str) -> Result<(), DocumentError> {
    let value = parse(document).map_err(|_| DocumentError::from(MergeError::Target(Vec::new())))?;
    let servers = value.get("servers").map(Value::items).unwrap_or_default();
    let Some(first) = servers.first() else {
        return Err(DocumentError("The ‘servers’ object is empty in your OAS. You can either add a ‘servers’ section to your OpenAPI description or provide a Custom Upstream URL in the manual configuration options below.".to_owned()));
    };
    match upstream(&value) {
        Some(_) => Ok(()),
        None => {
            let url = first.str("url").unwrap_or_default();
            Err(DocumentError(format!(
                "The first entry in the ‘servers’ object of your OAS is not valid. The URL must be absolute and properly formatted (e.g. https://example.com). Please update \"{url}\" to be a valid URL and try again."
            )))
        }
    }
}

/// Whether a URL has a scheme and a host (RFC 3986 section 4.3).
pub(super) fn is_absolute(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else {
        return false;
    };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.'));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    is_scheme && !host.is_empty() && !url.contains(char::is_whitespace)
}

/// Returns a document without the vendor extension, for clients of the API (`mode=public`).
///
/// # Errors
/// The text is not JSON.
pub fn public(document: &str) -> Result<String, DocumentError> {
    let value = parse(document).map_err(|_| DocumentError::from(MergeError::Target(Vec::new())))?;
    let mut patch = Tree::object();
    for name in EXTENSIONS {
        if value.get(name).is_some() {
            patch.set(name, Tree::raw("null"));
        }
    }
    changed(document, &patch)
}

#[cfg(test)]
mod tests;
