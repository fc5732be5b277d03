//! Compiles a stored OpenAPI document to a definition.
//!
//! The definition expresses the document and nothing else, so that everything that reads definitions serves it without
//! knowing about documents. The defaults of an import don't apply: whatever the extension leaves out stays out. What
//! has no member in a definition is below its member `openapi`, and what can't be enforced is listed in
//! `openapi.unenforced`, which keeps the API from being served.

mod examples;
mod mocks;
mod operations;
mod order;
mod requests;
mod security;
pub mod tools;

use super::tree::Tree;
use super::{DocumentKind, EXTENSIONS, Importer, Options, refused};
use crate::issue::{Issue, IssueCode};
use crate::json::parse;
use crate::json::pointer::Path;

/// The message for a document without the extension (reference 1.4).
const NO_EXTENSION: &str = "the payload should contain x-gateway-api-gateway";

/// Compiles the text of a definition from an OpenAPI document with its extension.
///
/// # Errors
/// The issues of a text that is not JSON or has no extension. The validity of the document is checked elsewhere.
pub fn compile(document: &str, kind: DocumentKind) -> Result<String, Vec<Issue>> {
    let value = parse(document)?;
    let extension = EXTENSIONS
        .into_iter()
        .find_map(|name| Some((name, value.get(name)?)));
    let Some((name, extension)) = extension else {
        let span = value.span.opening();
        let code = IssueCode::Format;
        return Err(refused(document, code, span, "", NO_EXTENSION));
    };
    let options = Options::default();
    let mut compiler = Importer {
        text: document,
        document: &value,
        options: &options,
        extension: Some((name, extension)),
        kind: Some(kind),
        tree: Tree::object(),
        report: Vec::new(),
        inactive: false,
    };
    compiler.frame(kind);
    let root = Path::Root;
    compiler.extension(extension, &root.member(name));
    compiler.requirements();
    compiler.validations();
    compiler.mocks();
    compiler.primitives_of_mcp();
    let version = "version_data.versions.Default.extended_paths";
    if let Some(lists) = compiler.tree.get_mut(version) {
        order::sort(lists);
    }
    Ok(compiler.tree.compact())
}

impl Importer<'_, '_> {
    /// Writes the members that every such definition has.
    fn frame(&mut self, kind: DocumentKind) {
        // These come first, where people look for them.
        for name in ["name", "api_id", "org_id"] {
            self.tree.set(name, Tree::text(""));
        }
        self.tree.set("is_oas", Tree::raw("true"));
        if kind == DocumentKind::Mcp {
            self.tree.set("application_protocol", Tree::text("mcp"));
            self.tree.set("json_rpc_version", Tree::text("2.0"));
        }
        self.tree.set("proxy.listen_path", Tree::text(""));
        self.tree.set("proxy.target_url", Tree::text(""));
        self.tree.set("use_keyless", Tree::raw("true"));
        self.versions();
        let kind = match kind {
            DocumentKind::Oas => "oas",
            DocumentKind::Mcp => "mcp",
        };
        self.tree.set("openapi.kind", Tree::text(kind));
    }
}

#[cfg(test)]
mod tests;
