//! The vendor extension: what it says beside the document, carried over member by member.

use super::Importer;
use super::lines::{Carry, LINES, PLUGIN_LINES, SCHEME_LINES, SIGNATURE_LINES, leads_to_lines};
use super::rules::headers;
use super::tree::Tree;
use crate::json::pointer::Path;
use crate::json::{Kind, Value};
use crate::shape::says_something;
use crate::text::duration;

const NOT_CARRIED: &str = "this part of the extension isn't carried over";

/// Parts of the extension that requests depend on.
const ACTING: [&str; 3] = ["middleware.global", "upstream", "errorOverrides"];

/// Rules of the Model Context Protocol.
const MCP: [&str; 3] = [
    "middleware.mcpTools",
    "middleware.mcpResources",
    "middleware.mcpPrompts",
];

/// Whether a dotted path leads to a part of the extension or into it, other than what is only recorded.
fn below(dotted: &str, part: &str) -> bool {
    let rest = dotted.strip_prefix(part);
    !dotted.starts_with("middleware.global.trafficLogs")
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl Importer<'_, '_> {
    /// Applies the extension over what the document said.
    pub(super) fn extension(&mut self, extension: &Value<'_>, path: &Path<'_>) {
        self.extension_members(extension, "", path);
        let addresses = extension.pointer("/server/ipAccessControl");
        for (list, switch) in [
            ("allow", "enable_ip_whitelisting"),
            ("block", "enable_ip_blacklisting"),
        ] {
            let listed = addresses.and_then(|addresses| addresses.get(list));
            if listed.is_some_and(|list| !list.items().is_empty()) {
                self.tree.set(switch, Tree::raw("true"));
            }
        }
    }

    fn extension_members(&mut self, value: &Value<'_>, dotted: &str, path: &Path<'_>) {
        for member in value.members() {
            let path = path.member(&member.name);
            let dotted = if dotted.is_empty() {
                member.name.to_string()
            } else {
                format!("{dotted}.{}", member.name)
            };
            if let Some(line) = LINES.iter().find(|line| line.from == dotted) {
                self.carry(line.carry, line.to, &member.value, &path);
            } else if dotted == "middleware.operations" {
                self.operation_rules(&member.value, &path);
            } else if dotted == "server.authentication.securitySchemes" {
                self.schemes(&member.value, &path);
            } else if MCP.contains(&dotted.as_str()) {
                self.primitives(&member.value, &path);
            } else if leads_to_lines(&dotted) {
                self.extension_members(&member.value, &dotted, &path);
            } else if ACTING.iter().any(|part| below(&dotted, part))
                && says_something(&member.value)
            {
                self.left_out(path.pointer(), NOT_CARRIED);
            } else {
                self.note(path.pointer(), false, NOT_CARRIED);
            }
        }
    }

    /// Rules for the tools, resources and prompts of a server of MCP: a definition says only that it
    /// is one, for which it isn't served.
    fn primitives(&mut self, rules: &Value<'_>, path: &Path<'_>) {
        if rules.members().is_empty() {
            return;
        }
        self.tree.set("application_protocol", Tree::text("mcp"));
        self.tree.set("json_rpc_version", Tree::text("2.0"));
        let message = "application_protocol; the rules themselves have no place in a definition";
        self.kept(path.pointer(), "application_protocol", message);
    }

    fn carry(&mut self, carry: Carry, target: &str, value: &Value<'_>, path: &Path<'_>) {
        let tree = match (carry, &value.kind) {
            (Carry::Nothing, _) => return,
            (Carry::Same, _) => Some(Tree::raw(value.span.of(self.text))),
            (Carry::Not, Kind::Bool(on)) => Some(Tree::raw(if *on { "false" } else { "true" })),
            (Carry::Seconds, Kind::Number(text)) => Some(Tree::raw(text)),
            (Carry::Seconds, Kind::String(text)) => {
                duration::in_seconds(text).map(|json| Tree::raw(&json))
            }
            (Carry::Headers, Kind::Array(_)) => Some(headers(value)),
            (Carry::Plugins, Kind::Array(items)) => Some(Tree::Array(
                items.iter().map(|item| self.plugin(item)).collect(),
            )),
            (Carry::Versions, Kind::Array(items)) => {
                let pair = |item: &Value<'_>| {
                    Some((item.str("name")?.to_owned(), Tree::text(item.str("id")?)))
                };
                Some(Tree::Object(items.iter().filter_map(pair).collect()))
            }
            _ => None,
        };
        match tree {
            Some(tree) => {
                self.tree.set(target, tree);
                self.kept(path.pointer(), target, target);
            }
            None => self.note(
                path.pointer(),
                false,
                "its value is of another type than expected",
            ),
        }
    }

    /// Settings of the schemes the document itself describes.
    fn schemes(&mut self, schemes: &Value<'_>, path: &Path<'_>) {
        for scheme in schemes.members() {
            let path = path.member(&scheme.name);
            for member in scheme.value.members() {
                let path = path.member(&member.name);
                let line = SCHEME_LINES.iter().find(|(name, _)| *name == member.name);
                match (line, &*member.name) {
                    (Some((_, target)), _) => self.carry(Carry::Same, target, &member.value, &path),
                    // The document's own scheme says whether and where.
                    (None, "enabled" | "header" | "query" | "cookie") => {}
                    (None, "signatureValidation") => self.signature(&member.value, &path),
                    _ => self.note(path.pointer(), false, NOT_CARRIED),
                }
            }
        }
    }

    /// A signature that tokens have to have beside them.
    fn signature(&mut self, signature: &Value<'_>, path: &Path<'_>) {
        for (from, to) in SIGNATURE_LINES {
            let (object, member) = from.split_once('.').unwrap_or(("", from));
            let holder = match object {
                "" => Some(signature),
                object => signature.get(object),
            };
            if let Some(value) = holder.and_then(|holder| holder.get(member)) {
                let to = format!("auth_configs.authToken.{to}");
                self.tree.set(&to, Tree::raw(value.span.of(self.text)));
            }
        }
        let member = "auth_configs.authToken.validate_signature";
        self.kept(path.pointer(), member, member);
    }

    /// A plugin as an entry of `custom_middleware`.
    fn plugin(&self, plugin: &Value<'_>) -> Tree {
        let on = plugin.bool("enabled") == Some(true);
        let mut entry = vec![(
            "disabled".to_owned(),
            Tree::raw(if on { "false" } else { "true" }),
        )];
        for (from, to) in PLUGIN_LINES {
            if let Some(value) = plugin.get(from) {
                entry.push(((*to).to_owned(), Tree::raw(value.span.of(self.text))));
            }
        }
        Tree::Object(entry)
    }
}
