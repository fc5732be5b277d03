//! Where the API is served, and where its requests go.

use super::Importer;
use super::tree::Tree;
use crate::definition::reserved;
use crate::json::{Kind, Value, quote};

impl Importer<'_, '_> {
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
        let servers = self
            .document
            .get("servers")
            .map(Value::items)
            .unwrap_or_default();
        let url = servers
            .first()
            .and_then(|server| Some((server, server.str("url")?)));
        let (target, message) = match url {
            None => (
                String::new(),
                "there is no server; write the upstream into proxy.target_url".to_owned(),
            ),
            Some((server, url)) => match filled_in(url, server) {
                Err(name) => (
                    String::new(),
                    format!(
                        "the variable {} has no default; write the upstream into proxy.target_url",
                        quote(&name)
                    ),
                ),
                Ok(url) if url.contains("://") => (url, "the upstream".to_owned()),
                Ok(_) => (
                    String::new(),
                    "the server has no host name; write the upstream into proxy.target_url"
                        .to_owned(),
                ),
            },
        };
        self.note("/servers/0/url", !target.is_empty(), message);
        self.tree.set("proxy.target_url", Tree::text(&target));
        if servers.len() > 1 {
            self.note(
                "/servers/1",
                false,
                "only the first server becomes the upstream",
            );
        }
    }
}

/// A URL with `{name}` replaced by the default of that variable (OpenAPI 3.1 section 4.8.5).
///
/// # Errors
/// The name of a variable that has none.
fn filled_in(url: &str, server: &Value<'_>) -> Result<String, String> {
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

/// The longest listen path that is made from a title, in characters.
const LONGEST_SLUG: usize = 64;

/// A title as a segment of a path: letters and digits in lower case, anything else as one `-`.
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
