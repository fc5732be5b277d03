//! API definitions from OpenAPI 3.0 and 3.1 documents, with a report of what was imported. A document of version 2.0 is
//! first converted to version 3.0.
//!
//! The defaults are those of the reference's import (its section 1.4): active, the listen path removed before
//! forwarding, context variables on, the name from `info.title`, the upstream from the first server with the defaults
//! of its variables. Three things differ, all on purpose: the listen path is made from the title, because two documents
//! can't both be served at `/`; a document that requires credentials becomes an API that requires them; and features
//! this runtime doesn't act on are not enabled unasked.
//!
//! A vendor extension (`x-gateway-api-gateway`, also in the spelling of the reference) overrides the document, and the
//! choices of the importing person override both. Whatever isn't imported is listed in the report.

mod address;
pub mod administered;
mod carry;
mod check;
mod choice;
mod compile;
#[cfg(feature = "docs")]
mod effect;
mod extension;
mod kind;
mod lines;
mod mcp;
mod operations;
#[cfg(feature = "docs")]
mod problems;
mod refusal;
mod rules;
mod security;
pub mod stored;
mod summary;
mod swagger;
pub mod task;
pub mod template;
mod tree;
mod update;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::issue::{Issue, IssueCode};
use crate::json::pointer::{Path, push_token};
use crate::json::{Span, Value, parse};
use crate::shape::{Root, Support, at};
pub use check::{Refused, advice, check, check_plain, version_of};
pub use choice::PathChoice;
pub use compile::{compile, tools};
#[cfg(feature = "docs")]
pub use effect::origin;
#[cfg(feature = "docs")]
pub(crate) use effect::{default, support};
pub use kind::DocumentKind;
pub use operations::{Operation, operations};
#[cfg(feature = "docs")]
pub use problems::problems;

use refusal::{looks_like_yaml, refused, version};
pub use summary::{Server, Summary};
pub use swagger::{Upgraded, origin as origin_in_swagger, upgraded};
use tree::Tree;
pub use update::{Parts, update_definition};

/// The longest document that is imported, in bytes.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The names of the vendor extension, in the spelling of this project and in that of the reference.
pub(crate) const EXTENSIONS: [&str; 2] = ["x-gateway-api-gateway", "x-tyk-api-gateway"];

/// Returns the definition member that a member of the extension becomes, both as dotted paths. The names of schemes are
/// left out of the path.
#[cfg(feature = "docs")]
pub(crate) fn twin(member: &str) -> Option<&'static str> {
    let line = match member.strip_prefix("server.authentication.securitySchemes.") {
        Some(member) => lines::SCHEMES.iter().find(|line| line.from == member),
        None => lines::lines().find(|line| line.from == member),
    };
    line.map(|line| line.to)
}

/// The choices of the importing person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// The name, instead of the title.
    pub name: Option<String>,
    /// The id; if `None`, the gateway generates one.
    pub api_id: Option<String>,
    /// The listen path, instead of one made from the title.
    pub listen_path: Option<String>,
    /// The upstream, instead of a server of the document.
    pub upstream_url: Option<String>,
    /// The index of the server in the document that becomes the upstream; the first one if it doesn't exist.
    pub server: usize,
    /// The URL of the document; servers without a host name are relative to it (OpenAPI 3.1 section 4.8.5).
    pub document_url: Option<String>,
    /// The host name the API is served on.
    pub domain: Option<String>,
    /// Whether only the operations of the document are allowed.
    pub allow_list: bool,
    /// Whether requests are validated against the document.
    pub validate_requests: bool,
    /// Whether responses are mocked with the examples of the document.
    pub mock_responses: bool,
}

/// An API definition made from an OpenAPI document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The text of the definition, indented by two spaces.
    pub definition: String,
    /// What was imported and what wasn't, in document order.
    pub report: Vec<Note>,
    /// A summary of the document.
    pub summary: Summary,
}

/// A part of the document that was or wasn't imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// JSON Pointer (RFC 6901) into the OpenAPI document.
    pub pointer: String,
    /// Whether it is in the definition and acted on.
    pub taken: bool,
    /// Whether it is in the definition, but without effect here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stored: bool,
    /// The result, in one sentence without a full stop.
    pub message: String,
}

/// Converts an OpenAPI document to an API definition.
///
/// # Errors
/// The issues of a text that is not JSON, or not an OpenAPI document of version 2.0, 3.0 or 3.1.
pub fn import(text: &str, options: &Options) -> Result<Import, Vec<Issue>> {
    if text.len() > MAX_BYTES {
        let message = format!("the document is longer than {MAX_BYTES} bytes; shorten it");
        return Err(refused(
            text,
            IssueCode::TooLarge,
            Span::default(),
            "",
            message,
        ));
    }
    if looks_like_yaml(text) {
        let message = "this looks like YAML; convert it to JSON first";
        return Err(refused(
            text,
            IssueCode::Syntax,
            Span::default(),
            "",
            message,
        ));
    }
    let document = parse(text)?;
    if document.get("swagger").is_some()
        && let Some(Upgraded { document, notes }) = upgraded(text)?
    {
        let mut import = import(&document, options)?;
        for note in &mut import.report {
            note.pointer = swagger::origin(&note.pointer);
        }
        import.report.splice(..0, notes);
        return Ok(import);
    }
    version(text, &document)?;
    let mut importer = Importer {
        text,
        document: &document,
        options,
        extension: EXTENSIONS
            .into_iter()
            .find_map(|name| Some((name, document.get(name)?))),
        kind: None,
        tree: Tree::object(),
        report: Vec::new(),
        inactive: false,
    };
    importer.run();
    Ok(Import {
        summary: importer.summary(),
        definition: importer.tree.pretty(),
        report: importer.report,
    })
}

struct Importer<'i, 't> {
    text: &'t str,
    document: &'i Value<'t>,
    options: &'i Options,
    /// The vendor extension and its name.
    extension: Option<(&'static str, &'i Value<'t>)>,
    /// The kind of the stored document whose definition is compiled; `None` for an import.
    kind: Option<DocumentKind>,
    tree: Tree,
    report: Vec<Note>,
    /// Whether something that affects requests was left out.
    inactive: bool,
}

impl<'i, 't> Importer<'i, 't> {
    fn run(&mut self) {
        self.identity();
        self.upstream();
        self.listen_path();
        if let Some(domain) = self.options.domain.as_deref() {
            self.tree.set("domain", Tree::text(domain));
        }
        self.tree.set("active", Tree::raw("true"));
        self.security();
        self.default_on("enable_context_vars");
        self.versions();
        self.paths();
        if let Some((name, extension)) = self.extension {
            let root = Path::Root;
            self.extension(extension, &root.member(name));
        }
        self.apply_choices();
        if self.inactive {
            self.tree.set("active", Tree::raw("false"));
        }
        self.rest();
    }

    /// Enables a default that nobody asked for, unless that would only cause a warning.
    fn default_on(&mut self, name: &str) {
        let member = Root::ApiDefinition.shape().member(name);
        if member.is_some_and(|member| *member.support == Support::Enforced) {
            self.tree.set(name, Tree::raw("true"));
        }
    }

    /// Applies the choices of the importing person over the document and its extension.
    fn apply_choices(&mut self) {
        let options = self.options;
        for (member, value) in [
            ("api_id", &options.api_id),
            ("name", &options.name),
            ("proxy.listen_path", &options.listen_path),
            ("proxy.target_url", &options.upstream_url),
            ("domain", &options.domain),
        ] {
            let Some(value) = value else { continue };
            self.tree.set(member, Tree::text(value));
            // The note about a member of the extension is named after the definition member.
            let overridden = |note: &&mut Note| note.taken && note.message == member;
            for note in self.report.iter_mut().filter(overridden) {
                note.taken = false;
                "another one was chosen".clone_into(&mut note.message);
            }
        }
    }

    /// Whether the extension has a value that overrides the document.
    fn overridden(&self, pointer: &str) -> bool {
        let value = self
            .extension
            .and_then(|(_, extension)| extension.pointer(pointer));
        value.is_some_and(|value| !value.is_null())
    }

    fn note<'n>(
        &mut self,
        pointer: impl Into<Cow<'n, str>>,
        taken: bool,
        message: impl Into<Cow<'n, str>>,
    ) {
        self.record(pointer.into(), taken, message.into());
    }

    /// Not generic over texts, so that the many callers stay small.
    #[inline(never)]
    fn record(&mut self, pointer: Cow<'_, str>, taken: bool, message: Cow<'_, str>) {
        self.report.push(Note {
            pointer: pointer.into_owned(),
            taken,
            stored: false,
            message: message.into_owned(),
        });
    }

    /// Notes something that became a member of the definition, which may have no effect here.
    fn note_member<'n>(
        &mut self,
        pointer: impl Into<Cow<'n, str>>,
        member: &str,
        message: impl Into<Cow<'n, str>>,
    ) {
        let spot = at(
            Root::ApiDefinition,
            &format!("/{}", member.replace('.', "/")),
        );
        let support = spot
            .and_then(|spot| spot.member)
            .map(|member| member.support);
        let stored = support.is_some_and(|support| *support != Support::Enforced);
        let message = message.into();
        let message = match stored {
            true => format!("{message}, stored without effect").into(),
            false => message,
        };
        self.record(pointer.into(), !stored, message);
        if let Some(note) = self.report.last_mut() {
            note.stored = stored;
        }
    }

    /// Records something that would affect requests and has no equivalent in a definition: without it the API would not
    /// do what the document says, so it isn't served.
    fn left_out(&mut self, pointer: String, message: &'static str) {
        if self.kind.is_some() {
            return self.tree.push("openapi.unenforced", Tree::text(&pointer));
        }
        self.inactive = true;
        self.note(
            pointer,
            false,
            format!("{message}; the API is imported inactive"),
        );
    }

    fn identity(&mut self) {
        // It comes first, where people look for it.
        if let Some(id) = &self.options.api_id {
            self.tree.set("api_id", Tree::text(id));
        }
        if self.options.name.is_some() {
            self.tree.set("name", Tree::text(""));
            return self.note("/info/title", false, "another name was chosen");
        }
        if self.overridden("/info/name") {
            return self.tree.set("name", Tree::text(""));
        }
        let title = self.document.pointer("/info/title").and_then(Value::as_str);
        match title.filter(|title| !title.trim().is_empty()) {
            Some(title) => {
                self.tree.set("name", Tree::text(title));
                self.note("/info/title", true, "the name");
            }
            None => {
                self.tree.set("name", Tree::text("Imported API"));
                self.note(
                    "/info/title",
                    false,
                    "there is no title; the API is called Imported API",
                );
            }
        }
    }

    fn versions(&mut self) {
        self.tree
            .set("version_data.not_versioned", Tree::raw("true"));
        self.tree
            .set("version_data.versions.Default.name", Tree::text("Default"));
        self.tree.set(
            "version_data.versions.Default.use_extended_paths",
            Tree::raw("true"),
        );
    }

    /// Notes the members of the document that nothing else has handled.
    fn rest(&mut self) {
        const SEEN: [&str; 7] = [
            "openapi",
            "info",
            "servers",
            "paths",
            "security",
            "tags",
            "components",
        ];
        let described = self.document.pointer("/info/description").is_some();
        if described {
            self.note(
                "/info/description",
                false,
                "a definition has no description",
            );
        }
        let others = self.document.members().iter().filter(|member| {
            !SEEN.contains(&&*member.name) && !EXTENSIONS.contains(&&*member.name)
        });
        for member in others {
            let mut pointer = String::new();
            push_token(&mut pointer, &member.name);
            self.note(pointer, false, "a definition has no place for it");
        }
        let components = self
            .document
            .get("components")
            .map(Value::members)
            .unwrap_or_default();
        for member in components
            .iter()
            .filter(|member| member.name != "securitySchemes")
        {
            let mut pointer = "/components".to_owned();
            push_token(&mut pointer, &member.name);
            self.note(
                pointer,
                false,
                "the schemas and examples of the document stay in it",
            );
        }
    }
}

#[cfg(test)]
mod tests;
