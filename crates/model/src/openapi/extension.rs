//! The vendor extension, carried over member by member.

use super::Importer;
use super::lines::{Carry, SCHEMES, SIGNATURE_LINES, leads_into_scheme, leads_to_lines, lines};
use super::tree::Tree;
use crate::json::Value;
use crate::json::pointer::Path;
use crate::shape::is_significant;

const NOT_CARRIED: &str = "this part of the extension isn't carried over";

/// Parts of the extension that affect requests.
const ACTING: [&str; 3] = ["middleware.global", "upstream", "errorOverrides"];

/// Rules for the Model Context Protocol.
const MCP: [&str; 3] = [
    "middleware.mcpTools",
    "middleware.mcpResources",
    "middleware.mcpPrompts",
];

/// Whether a dotted path is, or is inside, a part of the extension, other than members that only concern records.
fn below(dotted: &str, part: &str) -> bool {
    let rest = dotted.strip_prefix(part);
    !dotted.starts_with("middleware.global.trafficLogs")
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl Importer<'_, '_> {
    /// Applies the extension over the values from the document.
    pub(super) fn extension(&mut self, extension: &Value<'_>, path: &Path<'_>) {
        self.extension_members(extension, "", path);
        let addresses = extension.pointer("/server/ipAccessControl");
        let addresses = addresses.filter(|addresses| addresses.bool("enabled") == Some(true));
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
            if let Some(line) = lines().find(|line| line.from == dotted) {
                self.carry(line.carry, line.to, &member.value, &path);
            } else if dotted == "middleware.operations" {
                self.operation_rules(&member.value, &path);
            } else if dotted == "server.authentication.securitySchemes" {
                // A compiled definition has the required ones.
                if self.kind.is_none() {
                    self.schemes(&member.value, &path);
                }
            } else if MCP.contains(&dotted.as_str()) {
                self.primitives(&member.value, &path);
            } else if leads_to_lines(&dotted) {
                self.extension_members(&member.value, &dotted, &path);
            } else if self.kind.is_none()
                && ACTING.iter().any(|part| below(&dotted, part))
                && is_significant(&member.value)
            {
                self.left_out(path.pointer(), NOT_CARRIED);
            } else {
                self.note(path.pointer(), false, NOT_CARRIED);
            }
        }
    }

    /// Handles rules for the tools, resources and prompts of an MCP server: an import only records that it is one.
    fn primitives(&mut self, rules: &Value<'_>, path: &Path<'_>) {
        if rules.members().is_empty() || self.kind.is_some() {
            return;
        }
        self.tree.set("application_protocol", Tree::text("mcp"));
        self.tree.set("json_rpc_version", Tree::text("2.0"));
        self.left_out(
            path.pointer(),
            "the rules themselves have no place in a definition",
        );
    }

    pub(super) fn carry(&mut self, carry: Carry, target: &str, value: &Value<'_>, path: &Path<'_>) {
        // Members without an equivalent in a definition are written only when one is compiled.
        if target.starts_with("openapi.") && self.kind.is_none() {
            return match is_significant(value) {
                true => self.left_out(path.pointer(), NOT_CARRIED),
                false => self.note(path.pointer(), false, NOT_CARRIED),
            };
        }
        let Some(members) = self.carried(carry, value) else {
            let message = "its value is of another type than expected";
            return self.note(path.pointer(), false, message);
        };
        for (member, tree) in members {
            let target = format!("{target}{member}");
            self.tree.set(&target, tree);
            self.note_member(path.pointer(), &target, &*target);
        }
    }

    /// Carries over the settings of schemes that the document itself describes.
    fn schemes(&mut self, schemes: &Value<'_>, path: &Path<'_>) {
        for scheme in schemes.members() {
            let path = path.member(&scheme.name);
            self.scheme_members(&scheme.value, "", &path);
        }
    }

    /// Carries over how the credentials of a scheme are checked.
    pub(super) fn scheme_members(&mut self, value: &Value<'_>, dotted: &str, path: &Path<'_>) {
        for member in value.members() {
            let path = path.member(&member.name);
            let dotted = match dotted {
                "" => member.name.to_string(),
                dotted => format!("{dotted}.{}", member.name),
            };
            if let Some(line) = SCHEMES.iter().find(|line| line.from == dotted) {
                self.carry(line.carry, line.to, &member.value, &path);
            } else if leads_into_scheme(&dotted) {
                self.scheme_members(&member.value, &dotted, &path);
            } else {
                match &*dotted {
                    // Determined by the document's own scheme.
                    "enabled" | "header" | "query" | "cookie" => {}
                    "signatureValidation" => self.signature(&member.value, &path),
                    "refreshToken" if self.kind.is_some() => {}
                    "scopeCheck" | "tokenExchange" if is_significant(&member.value) => {
                        self.left_out(path.pointer(), NOT_CARRIED);
                    }
                    _ => self.note(path.pointer(), false, NOT_CARRIED),
                }
            }
        }
    }

    /// Carries over a signature that is required besides a token.
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
        self.note_member(path.pointer(), member, member);
    }
}
