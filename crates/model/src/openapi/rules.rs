//! Rules of the extension for single operations.

use super::Importer;
use super::carry::headers;
use super::operations::Operation;
use super::tree::Tree;
use crate::json::Value;
use crate::json::pointer::Path;
use crate::order::order;
use crate::shape::is_significant;
use crate::text::duration;

/// Members of a rule, and the equivalent members of an entry.
type Members = &'static [(&'static str, &'static str)];

/// A rule and the list that it becomes an entry of.
#[derive(Clone, Copy, Debug)]
struct Rule {
    name: &'static str,
    list: &'static str,
    members: Members,
}

const fn rule(name: &'static str, list: &'static str, members: Members) -> Rule {
    Rule {
        name,
        list,
        members,
    }
}

const RULES: &[Rule] = &[
    rule("allow", "white_list", &[("ignoreCase", "ignore_case")]),
    rule("block", "black_list", &[("ignoreCase", "ignore_case")]),
    rule(
        "ignoreAuthentication",
        "ignored",
        &[("ignoreCase", "ignore_case")],
    ),
    rule("internal", "internal", &[]),
    rule("trackEndpoint", "track_endpoints", &[]),
    rule("doNotTrackEndpoint", "do_not_track_endpoints", &[]),
    rule(
        "transformRequestMethod",
        "method_transforms",
        &[("toMethod", "to_method")],
    ),
    rule(
        "enforceTimeout",
        "hard_timeouts",
        &[("value", "timeout"), ("duration", "duration")],
    ),
    rule(
        "requestSizeLimit",
        "size_limits",
        &[("value", "size_limit")],
    ),
    rule(
        "validateRequest",
        "validate_request",
        &[("errorResponseCode", "error_response_code")],
    ),
    rule(
        "mockResponse",
        "mock_response",
        &[("code", "code"), ("body", "body")],
    ),
    rule(
        "urlRewrite",
        "url_rewrites",
        &[("pattern", "match_pattern"), ("rewriteTo", "rewrite_to")],
    ),
    rule(
        "cache",
        "advance_cache_config",
        &[
            ("cacheByRegex", "cache_key_regex"),
            ("cacheResponseCodes", "cache_response_codes"),
            ("timeout", "timeout"),
        ],
    ),
    rule(
        "circuitBreaker",
        "circuit_breakers",
        &[
            ("threshold", "threshold_percent"),
            ("sampleSize", "samples"),
            ("coolDownPeriod", "return_to_service_after"),
        ],
    ),
    rule("rateLimit", "rate_limit", &[("rate", "rate")]),
    rule(
        "virtualEndpoint",
        "virtual",
        &[
            ("functionName", "response_function_name"),
            ("requireSession", "use_session"),
            ("proxyOnError", "proxy_on_error"),
        ],
    ),
    rule("transformRequestBody", "transform", &[]),
    rule("transformResponseBody", "transform_response", &[]),
    rule(
        "transformRequestHeaders",
        "transform_headers",
        &[("remove", "delete_headers")],
    ),
    rule(
        "transformResponseHeaders",
        "transform_response_headers",
        &[("remove", "delete_headers")],
    ),
];

/// Returns the list that a rule of an operation becomes an entry of.
#[cfg(feature = "docs")]
pub(super) fn list_of(rule: &str) -> Option<&'static str> {
    let named = |known: &&Rule| known.name == rule;
    let plugins = (rule == "postPlugins").then_some("go_plugin");
    RULES.iter().find(named).map(|rule| rule.list).or(plugins)
}

/// Returns the rule whose entries are in a list.
#[cfg(feature = "docs")]
pub(super) fn rule_of(list: &str) -> Option<&'static str> {
    let rule = RULES.iter().find(|rule| rule.list == list);
    rule.map(|rule| rule.name)
}

/// Members of rules that are `[{name, value}]` and become maps.
const HEADERS: [(&str, &str); 2] = [("headers", "headers"), ("add", "add_headers")];

/// The parts of a request that a condition of a rewrite can examine, and the equivalent members of a definition.
const TRIGGERS: [(&str, &str); 6] = [
    ("query", "query_val_matches"),
    ("path", "path_part_matches"),
    ("header", "header_matches"),
    ("sessionMetadata", "session_meta_matches"),
    ("requestContext", "request_context_matches"),
    ("requestBody", "payload_matches"),
];

impl Importer<'_, '_> {
    pub(super) fn operation_rules(&mut self, rules: &Value<'_>, path: &Path<'_>) {
        let operations = self.operations();
        let ids: Vec<String> = operations.iter().map(Operation::id).collect();
        let id = |at: usize| ids.get(at).map_or("", String::as_str);
        let sorted = order(ids.len(), &mut |a, b| id(a).cmp(id(b)));
        for member in rules.members() {
            let path = path.member(&member.name);
            let first = sorted.partition_point(|at| id(*at) < &*member.name);
            let named = sorted.iter().skip(first);
            let mut named = named.take_while(|at| id(**at) == &*member.name).peekable();
            if named.peek().is_none() {
                let message = "the document has no operation of this name";
                self.note(path.pointer(), false, message);
            }
            for operation in named.filter_map(|at| operations.get(*at)) {
                for rule in member.value.members() {
                    let path = path.member(&rule.name);
                    self.operation_rule(operation, &rule.name, &rule.value, &path);
                }
            }
        }
    }

    pub(super) fn operation_rule(
        &mut self,
        operation: &Operation<'_, '_>,
        name: &str,
        rule: &Value<'_>,
        path: &Path<'_>,
    ) {
        // Validation and mocks of a stored document are compiled separately.
        if self.kind.is_some() && matches!(name, "validateRequest" | "mockResponse") {
            return;
        }
        let Some(Rule { list, members, .. }) = RULES.iter().find(|rule| rule.name == name) else {
            return self.other_rule(operation, name, rule, path);
        };
        let on = rule.bool("enabled") == Some(true);
        // One list has the opposite meaning.
        let mut entry = match *list {
            "validate_request" => vec![("enabled", Tree::raw(if on { "true" } else { "false" }))],
            _ if on => Vec::new(),
            _ => vec![("disabled", Tree::raw("true"))],
        };
        for member in rule
            .members()
            .iter()
            .filter(|member| member.name != "enabled")
        {
            let json = member.value.span.of(self.text);
            if let Some((_, target)) = members.iter().find(|(known, _)| *known == member.name) {
                entry.push((target, Tree::raw(json)));
            } else if let Some((_, target)) =
                HEADERS.iter().find(|(known, _)| *known == member.name)
            {
                entry.extend(headers(&member.value).map(|headers| (*target, headers)));
            } else if (*list, &*member.name) == ("url_rewrites", "triggers") {
                entry.push(("triggers", self.triggers(&member.value)));
            } else if (*list, &*member.name) == ("circuit_breakers", "halfOpenStateEnabled") {
                let is_on = member.value.as_bool() == Some(true);
                let json = if is_on { "false" } else { "true" };
                entry.push(("disable_half_open_state", Tree::raw(json)));
            } else if (*list, &*member.name) == ("virtual", "name") {
                // A display name.
            } else if (*list, &*member.name) == ("rate_limit", "per") {
                let seconds = member.value.as_str().and_then(duration::in_seconds);
                entry.push(("per", Tree::raw(seconds.as_deref().unwrap_or(json))));
            } else if !is_source(list, &member.name) {
                let pointer = path.member(&member.name).pointer();
                let message = "this part of the rule isn't carried over";
                // A document that is served is one of the reference, which ignores members it doesn't know; all those
                // it knows are carried over.
                let is_known = self.kind.is_none();
                match on && is_known && is_significant(&member.value) {
                    true => self.left_out(pointer, message),
                    false => self.note(pointer, false, message),
                }
            }
        }
        entry.extend(self.sources(list, rule));
        self.add_rule(list, operation.rule(entry));
        let member = format!("version_data.versions.Default.extended_paths.{list}");
        self.note_member(path.pointer(), &member, format!("an entry of {list}"));
    }

    /// Converts the conditions of a rewrite that have a destination of their own.
    fn triggers(&self, triggers: &Value<'_>) -> Tree {
        let trigger = |trigger: &Value<'_>| {
            let mut options = Tree::object();
            for rule in trigger.get("rules").map(Value::items).unwrap_or_default() {
                let place = rule.str("in").unwrap_or_default();
                let Some((_, matches)) = TRIGGERS.iter().find(|(known, _)| *known == place) else {
                    continue;
                };
                let json = |name| rule.get(name).map(|value| self.raw(value));
                let members = [("match_rx", json("pattern")), ("reverse", json("negate"))];
                let members = members.into_iter();
                let members = members.filter_map(|(name, tree)| Some((name.to_owned(), tree?)));
                let condition = Tree::Object(members.collect());
                match *matches {
                    "payload_matches" => options.set_in(&[matches], condition),
                    matches => {
                        let name = rule.str("name").unwrap_or_default();
                        options.set_in(&[matches, name], condition);
                    }
                }
            }
            let text = |name| Tree::text(trigger.str(name).unwrap_or_default());
            Tree::Object(vec![
                ("on".to_owned(), text("condition")),
                ("options".to_owned(), options),
                ("rewrite_to".to_owned(), text("rewriteTo")),
            ])
        };
        Tree::Array(triggers.items().iter().map(trigger).collect())
    }

    /// Returns the location of a rule's template or function: in the rule itself, or in a file.
    fn sources(&self, list: &str, rule: &Value<'_>) -> Vec<(&'static str, Tree)> {
        let inline = rule.str("body").is_some_and(|body| !body.is_empty());
        let kind = || Tree::text(if inline { "blob" } else { "file" });
        let json = |name| {
            rule.get(name)
                .map(|value: &Value<'_>| Tree::raw(value.span.of(self.text)))
        };
        match list {
            "virtual" => {
                let source = json(if inline { "body" } else { "path" });
                let source = source.map(|source| ("function_source_uri", source));
                source
                    .into_iter()
                    .chain([("function_source_type", kind())])
                    .collect()
            }
            "transform" | "transform_response" => {
                let source = json(if inline { "body" } else { "path" });
                let members = [
                    ("template_mode", Some(kind())),
                    ("template_source", source),
                    ("input_type", json("format")),
                ];
                let data = members.into_iter();
                let data = data.filter_map(|(name, tree)| Some((name.to_owned(), tree?)));
                vec![("template_data", Tree::Object(data.collect()))]
            }
            _ => Vec::new(),
        }
    }

    /// Handles a rule that isn't an object, or that has no list.
    fn other_rule(
        &mut self,
        operation: &Operation<'_, '_>,
        name: &str,
        rule: &Value<'_>,
        path: &Path<'_>,
    ) {
        const LIST: &str = "version_data.versions.Default.extended_paths.go_plugin";
        if name != "postPlugins" {
            let message = "this rule isn't carried over";
            // The reference accepts unknown members and ignores them.
            let is_known = self.kind.is_none() || matches!(name, "scopeCheck" | "exchange");
            return match is_known && is_significant(rule) {
                true => self.left_out(path.pointer(), message),
                false => self.note(path.pointer(), false, message),
            };
        }
        for plugin in rule.items() {
            let json = |name| {
                plugin
                    .get(name)
                    .map_or("\"\"", |value| value.span.of(self.text))
            };
            let off = plugin.bool("enabled") != Some(true);
            let entry = [
                ("disabled", Tree::raw(if off { "true" } else { "false" })),
                ("plugin_path", Tree::raw(json("path"))),
                ("func_name", Tree::raw(json("functionName"))),
            ];
            self.add_rule("go_plugin", operation.rule(entry));
        }
        self.note_member(path.pointer(), LIST, "entries of go_plugin");
    }
}

/// Whether a member of a rule gives the location of its template or function.
fn is_source(list: &str, member: &str) -> bool {
    let sourced = matches!(list, "transform" | "transform_response" | "virtual");
    sourced && matches!(member, "body" | "path" | "format")
}
