//! The listen path and domain of an API, and its upstream.

use super::Importer;
use super::tree::Tree;
use crate::definition::reserved;
use crate::json::{Kind, Value, quote};

impl<'i, 't> Importer<'i, 't> {
    pub(super) fn listen_path(&mut self) {
        self.tree.set("proxy.strip_listen_path", Tree::raw("true"));
        if let Some(path) = self.options.listen_path.as_deref() {
            return self.tree.set("proxy.listen_path", Tree::text(path));
        }
        if self.overridden("/server/listenPath/value") {
            return self.tree.set("proxy.listen_path", Tree::text(""));
        }
        let title = self.document.pointer("/info/title").and_then(Value::as_str);
        let slug = slug(title.unwrap_or_default());
        let path = if slug.is_empty() {
            "/".to_owned()
        } else {
            format!("/{slug}/")
        };
        // A path that belongs to the gateway itself can't be served.
        let path = match reserved(&path) {
            Some(_) => format!("/api-{slug}/"),
            None => path,
        };
        self.note("/info/title", true, format!("the listen path {path}"));
        self.tree.set("proxy.listen_path", Tree::text(&path));
    }

    pub(super) fn upstream(&mut self) {
        if let Some(url) = self.options.upstream_url.as_deref() {
            self.tree.set("proxy.target_url", Tree::text(url));
            return self.note("/servers", false, "another upstream was chosen");
        }
        if self.overridden("/upstream/url") {
            return self.tree.set("proxy.target_url", Tree::text(""));
        }
        let servers = self.servers();
        let index = self.chosen_server();
        let Some(server) = servers.get(index) else {
            self.tree.set("proxy.target_url", Tree::text(""));
            let message = "there is no server; write the upstream into proxy.target_url";
            return self.note("/servers", false, message);
        };
        let pointer = format!("/servers/{index}/url");
        match self.upstream_of(server) {
            Ok(url) => {
                self.note(pointer, true, "the upstream");
                self.tree.set("proxy.target_url", Tree::text(&url));
            }
            Err(why) => {
                let message = format!("{why}; write the upstream into proxy.target_url");
                self.note(pointer, false, message);
                self.tree.set("proxy.target_url", Tree::text(""));
            }
        }
        if servers.len() > 1 {
            let other = if index == 0 {
                "/servers/1"
            } else {
                "/servers/0"
            };
            self.note(other, false, "only one server becomes the upstream");
        }
    }

    pub(super) fn servers(&self) -> &'i [Value<'t>] {
        let servers = self.document.get("servers");
        servers.map(Value::items).unwrap_or_default()
    }

    /// Returns the index of the server that becomes the upstream.
    pub(super) fn chosen_server(&self) -> usize {
        match self.servers().get(self.options.server) {
            Some(_) => self.options.server,
            None => 0,
        }
    }

    /// Returns the upstream that a server denotes, or why it has none.
    pub(super) fn upstream_of(&self, server: &Value<'_>) -> Result<String, String> {
        let url = server.str("url").ok_or("the server has no URL")?;
        let url = filled_in(url, server)
            .map_err(|name| format!("the variable {} has no default", quote(&name)))?;
        if url.contains("://") {
            return Ok(url);
        }
        let base = self.options.document_url.as_deref();
        let absolute = base.and_then(|base| resolved(base, &url));
        absolute.ok_or_else(|| "the server has no host name".to_owned())
    }
}

/// Resolves a reference without a scheme against the URL of the document (RFC 3986 section 5.2, but dot segments stay,
/// for the validator to report).
fn resolved(base: &str, reference: &str) -> Option<String> {
    let (scheme, rest) = base.split_once("://")?;
    let rest = rest.split(['?', '#']).next()?;
    let (host, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    if host.is_empty() {
        return None;
    }
    if let Some(other) = reference.strip_prefix("//") {
        return Some(format!("{scheme}://{other}"));
    }
    if reference.starts_with('/') {
        return Some(format!("{scheme}://{host}{reference}"));
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let reference = reference.strip_prefix("./").unwrap_or(reference);
    Some(format!("{scheme}://{host}{folder}/{reference}"))
}

/// Replaces each `{name}` in a URL by the default of that variable (OpenAPI 3.1 section 4.8.5).
///
/// # Errors
/// The name of a variable without a default.
pub(super) fn filled_in(url: &str, server: &Value<'_>) -> Result<String, String> {
    let mut result = String::with_capacity(url.len());
    let mut rest = url;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((name, after)) = behind.split_once('}') else {
            break;
        };
        let variable = server
            .get("variables")
            .and_then(|variables| variables.get(name));
        let default = variable.and_then(|variable| variable.get("default"));
        result.push_str(before);
        match default.map(|default| &default.kind) {
            Some(Kind::String(text)) => result.push_str(text),
            Some(Kind::Number(text)) => result.push_str(text),
            _ => return Err(name.to_owned()),
        }
        rest = after;
    }
    result.push_str(rest);
    Ok(result)
}

/// The longest listen path made from a title, in characters.
const LONGEST_SLUG: usize = 64;

/// Converts a title to a path segment: letters and digits in lower case, anything else as one `-`.
pub(super) fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.chars() {
        if slug.len() >= LONGEST_SLUG {
            break;
        }
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}
