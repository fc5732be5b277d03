//! Converts OpenAPI 2.0 (Swagger) documents to version 3.0.3, so that one import handles both.
//!
//! Everything the document says about requests and responses is in the new one, in the same order, and values that are
//! only moved keep their bytes. What version 3.0 can't express is listed in a note.

mod operations;
mod schemas;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::Note;
use super::refusal::refused;
use super::tree::Tree;
use crate::issue::{Issue, IssueCode};
use crate::json::pointer::push_token;
use crate::json::{Value, parse};

/// A document of version 3.0.3, converted from version 2.0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upgraded {
    /// The text, indented by two spaces.
    pub document: String,
    /// Notes about the conversion; their pointers refer to the document of version 2.0.
    pub notes: Vec<Note>,
}

/// Converts a document of version 2.0 to version 3.0.3; `None` for any other text.
///
/// # Errors
/// The text names another version of Swagger.
pub fn upgraded(text: &str) -> Result<Option<Upgraded>, Vec<Issue>> {
    let Ok(document) = parse(text) else {
        return Ok(None);
    };
    let Some(version) = document.get("swagger") else {
        return Ok(None);
    };
    if version.as_str() != Some("2.0") && version.span.of(text) != "2.0" {
        let message =
            "only version 2.0 of Swagger and versions 3.0 and 3.1 of OpenAPI are imported";
        let code = IssueCode::Format;
        return Err(refused(text, code, version.span, "/swagger", message));
    }
    let mut upgrade = Upgrade {
        text,
        document: &document,
        names: names(&document),
        notes: Vec::new(),
    };
    upgrade.note("/swagger", true, "converted to OpenAPI 3.0");
    let tree = upgrade.document();
    Ok(Some(Upgraded {
        document: tree.pretty(),
        notes: upgrade.notes,
    }))
}

/// Maps a pointer into the converted document to one into the document of version 2.0.
#[must_use]
pub fn origin(pointer: &str) -> String {
    const MOVED: [(&str, &str); 6] = [
        ("/servers", "/host"),
        ("/openapi", "/swagger"),
        ("/components/schemas", "/definitions"),
        ("/components/securitySchemes", "/securityDefinitions"),
        ("/components/parameters", "/parameters"),
        ("/components/responses", "/responses"),
    ];
    let mut moved = MOVED.iter().filter_map(|(new, old)| {
        let rest = pointer.strip_prefix(new)?;
        Some(match *old {
            "/host" => (*old).to_owned(),
            old => format!("{old}{rest}"),
        })
    });
    moved.next().unwrap_or_else(|| pointer.to_owned())
}

/// The sections of version 2.0 whose entries can be referenced.
const SECTIONS: [&str; 3] = ["definitions", "parameters", "responses"];

type Names = BTreeMap<(&'static str, String), String>;

/// Returns the new names of entries for version 3.0, where a name may only have letters, digits, `.`, `-` and `_`.
fn names(document: &Value<'_>) -> Names {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let mut names = Names::new();
    for section in SECTIONS {
        let entries = document.get(section).map(Value::members);
        let entries = entries.unwrap_or_default();
        let (fine, odd): (Vec<_>, Vec<_>) = entries
            .iter()
            .partition(|entry| !entry.name.is_empty() && entry.name.chars().all(allowed));
        let mut taken: BTreeSet<String> = fine.iter().map(|entry| entry.name.to_string()).collect();
        for entry in odd {
            let plain: String = entry
                .name
                .chars()
                .map(|letter| if allowed(letter) { letter } else { '_' })
                .collect();
            let plain = plain.trim_end_matches('_').to_owned();
            let mut numbers = 2_usize..;
            let mut name = plain.clone();
            while name.is_empty() || taken.contains(&name) {
                name = format!("{plain}_{}", numbers.next().unwrap_or_default());
            }
            taken.insert(name.clone());
            names.insert((section, entry.name.to_string()), name);
        }
    }
    names
}

struct Upgrade<'u, 't> {
    text: &'t str,
    document: &'u Value<'t>,
    /// The renamed entries.
    names: Names,
    notes: Vec<Note>,
}

impl<'u, 't> Upgrade<'u, 't> {
    fn document(&mut self) -> Tree {
        let document = self.document;
        let mut made = vec![("openapi".to_owned(), Tree::text("3.0.3"))];
        for member in document.members() {
            let (name, value) = (&*member.name, &member.value);
            let new = match name {
                "info" | "tags" | "externalDocs" | "security" => self.raw(value),
                "paths" => self.paths(value),
                // Anything else is moved, or is not a member of version 2.0.
                _ if name.starts_with("x-") => self.raw(value),
                _ => continue,
            };
            made.push((name.to_owned(), new));
        }
        let servers = self.servers();
        if !servers.is_empty() {
            made.insert(
                made.len().min(2),
                ("servers".to_owned(), Tree::Array(servers)),
            );
        }
        let components = self.components();
        if !components.is_empty() {
            made.push(("components".to_owned(), Tree::Object(components)));
        }
        Tree::Object(made)
    }

    fn raw(&self, value: &Value<'_>) -> Tree {
        Tree::raw(value.span.of(self.text))
    }

    fn note(&mut self, pointer: &str, taken: bool, message: &str) {
        self.notes.push(Note {
            pointer: pointer.to_owned(),
            taken,
            stored: false,
            message: message.to_owned(),
        });
    }

    /// Notes something that version 3.0 can't express.
    fn lost(&mut self, pointer: &str, message: &str) {
        self.note(pointer, false, message);
    }

    /// Returns the name of an entry of a section in version 3.0.
    fn name(&self, section: &'static str, name: &str) -> String {
        let renamed = self.names.get(&(section, name.to_owned()));
        renamed.cloned().unwrap_or_else(|| name.to_owned())
    }

    /// Returns a server for each scheme; without a host they are relative to the URL of the document.
    fn servers(&mut self) -> Vec<Tree> {
        let document = self.document;
        let host = document.str("host").unwrap_or_default();
        let base = document.str("basePath").unwrap_or_default();
        let base = base.trim_end_matches('/');
        let server = |url: String| Tree::Object(vec![("url".to_owned(), Tree::text(&url))]);
        if host.is_empty() {
            return match base {
                "" => Vec::new(),
                base => vec![server(base.to_owned())],
            };
        }
        let slash = if base.is_empty() || base.starts_with('/') {
            ""
        } else {
            "/"
        };
        let listed = document.get("schemes").map(Value::items);
        let listed = listed.unwrap_or_default().iter();
        let mut schemes: Vec<&str> = listed.filter_map(|scheme| scheme.as_str()).collect();
        if schemes.iter().any(|scheme| scheme.starts_with("ws")) {
            self.lost("/schemes", "WebSockets are no server of the document");
            schemes.retain(|scheme| !scheme.starts_with("ws"));
        }
        if schemes.is_empty() {
            schemes.push("https");
        }
        let url = |scheme: &str| server(format!("{scheme}://{host}{slash}{base}"));
        schemes.into_iter().map(url).collect()
    }

    fn components(&mut self) -> Vec<(String, Tree)> {
        let document = self.document;
        let members = |name: &str| document.get(name).map(Value::members).unwrap_or_default();
        let mut components = Vec::new();
        let mut section = |name: &str, entries: Vec<(String, Tree)>| {
            if !entries.is_empty() {
                components.push((name.to_owned(), Tree::Object(entries)));
            }
        };
        let mut schemas = Vec::new();
        for entry in members("definitions") {
            let pointer = below("/definitions", &entry.name);
            let schema = self.schema(&entry.value, &pointer);
            schemas.push((self.name("definitions", &entry.name), schema));
        }
        section("schemas", schemas);
        let (mut parameters, mut bodies) = (Vec::new(), Vec::new());
        for entry in members("parameters") {
            let pointer = below("/parameters", &entry.name);
            let name = self.name("parameters", &entry.name);
            match entry.value.str("in") {
                Some("body") => {
                    let kinds = self.kinds(None, "consumes");
                    bodies.push((name, self.body(&entry.value, &kinds, &pointer)));
                }
                // Form fields are converted where they are used.
                Some("formData") => {}
                _ => parameters.push((name, self.parameter(&entry.value, &pointer))),
            }
        }
        section("parameters", parameters);
        section("requestBodies", bodies);
        let mut responses = Vec::new();
        for entry in members("responses") {
            let pointer = below("/responses", &entry.name);
            let kinds = self.kinds(None, "produces");
            let response = self.response(&entry.value, &kinds, &pointer);
            responses.push((self.name("responses", &entry.name), response));
        }
        section("responses", responses);
        let mut schemes = Vec::new();
        for entry in members("securityDefinitions") {
            let pointer = below("/securityDefinitions", &entry.name);
            schemes.push((entry.name.to_string(), self.scheme(&entry.value, &pointer)));
        }
        section("securitySchemes", schemes);
        components
    }

    fn scheme(&mut self, scheme: &Value<'_>, pointer: &str) -> Tree {
        let kind = scheme.str("type").unwrap_or_default();
        if kind == "apiKey" {
            return self.raw(scheme);
        }
        let mut made = Vec::new();
        let mut set = |name: &str, value: Tree| made.push((name.to_owned(), value));
        match kind {
            "basic" => {
                set("type", Tree::text("http"));
                set("scheme", Tree::text("basic"));
            }
            "oauth2" => {
                set("type", Tree::text("oauth2"));
                let flow = match scheme.str("flow") {
                    Some("application") => "clientCredentials",
                    Some("accessCode") => "authorizationCode",
                    Some(other) => other,
                    None => "implicit",
                };
                let mut members = Vec::new();
                for name in ["authorizationUrl", "tokenUrl"] {
                    if let Some(url) = scheme.get(name) {
                        members.push((name.to_owned(), self.raw(url)));
                    }
                }
                let scopes = scheme.get("scopes");
                let scopes = scopes.map_or_else(Tree::object, |scopes| self.raw(scopes));
                members.push(("scopes".to_owned(), scopes));
                set(
                    "flows",
                    Tree::Object(vec![(flow.to_owned(), Tree::Object(members))]),
                );
            }
            _ => {
                self.lost(
                    pointer,
                    "there is no such type of security; it is left as it is",
                );
                return self.raw(scheme);
            }
        }
        for member in scheme.members() {
            if member.name == "description" || member.name.starts_with("x-") {
                made.push((member.name.to_string(), self.raw(&member.value)));
            }
        }
        Tree::Object(made)
    }
}

/// Appends a name to a pointer.
fn below(pointer: &str, name: &str) -> String {
    let mut pointer = pointer.to_owned();
    push_token(&mut pointer, name);
    pointer
}
