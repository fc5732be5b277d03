//! The vendor extension: what it says beside the document, carried over member by member.

use super::Importer;
use super::lines::{Carry, LINES, SCHEME_LINES, leads_to_lines};
use super::tree::Tree;
use crate::json::pointer::Path;
use crate::json::{Kind, Value};
use crate::text::duration;

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

    fn extension_members(&mut self, value: &Value<'_>, way: &str, path: &Path<'_>) {
        for member in value.members() {
            let path = path.member(&member.name);
            let way = if way.is_empty() {
                member.name.to_string()
            } else {
                format!("{way}.{}", member.name)
            };
            if let Some(line) = LINES.iter().find(|line| line.from == way) {
                self.carry(line.carry, line.to, &member.value, &path);
            } else if way == "middleware.operations" {
                self.operation_rules(&member.value, &path);
            } else if way == "server.authentication.securitySchemes" {
                self.schemes(&member.value, &path);
            } else if leads_to_lines(&way) {
                self.extension_members(&member.value, &way, &path);
            } else {
                self.note(
                    path.pointer(),
                    false,
                    "this part of the extension isn't carried over",
                );
            }
        }
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
                self.note(path.pointer(), true, target);
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
                    _ => self.note(
                        path.pointer(),
                        false,
                        "this part of the extension isn't carried over",
                    ),
                }
            }
        }
    }
}
