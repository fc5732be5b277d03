//! Converts values of the extension to values of a definition.

use super::Importer;
use super::lines::{Carry, PLUGIN_LINES};
use super::tree::Tree;
use crate::json::{Kind, Value, quote};
use crate::text::duration;

/// The maximum total weight of the targets of an API: each turn is an element of a list.
const MAX_TURNS: i64 = 10_000;

/// TLS versions and their numbers on the wire (RFC 8446 section 4.2.1).
const TLS: [(&str, &str); 4] = [
    ("1.0", "769"),
    ("1.1", "770"),
    ("1.2", "771"),
    ("1.3", "772"),
];

/// A member whose content is copied unchanged, because users choose the names in it.
const NAMED_BY_PEOPLE: &str = "headers";

fn bool(on: bool) -> Tree {
    Tree::raw(if on { "true" } else { "false" })
}

fn named(name: &str, tree: Tree) -> (String, Tree) {
    (name.to_owned(), tree)
}

impl Importer<'_, '_> {
    /// Copies a value.
    pub(super) fn raw(&self, value: &Value<'_>) -> Tree {
        Tree::raw(value.span.of(self.text))
    }

    /// Converts a value and returns it with the members of the target that it sets; `None` for an unexpected type.
    /// Member names start with `.`; the name of the target itself is empty.
    pub(super) fn carried(
        &self,
        carry: Carry,
        value: &Value<'_>,
    ) -> Option<Vec<(&'static str, Tree)>> {
        let one = |tree: Tree| Some(vec![("", tree)]);
        match carry {
            Carry::Same => one(self.raw(value)),
            Carry::Not => one(bool(!value.as_bool()?)),
            Carry::Seconds => one(seconds(value)?),
            Carry::Pairs(name, text) => one(pairs(value, name, text)?),
            Carry::Snake => one(self.snake(value)),
            Carry::Plugins => {
                let items = list(value)?;
                one(Tree::Array(
                    items.iter().map(|item| self.plugin(item)).collect(),
                ))
            }
            Carry::Plugin => one(self.plugin(value)),
            Carry::Targets => one(targets(value)?),
            Carry::Tests => one(self.tests(value)?),
            Carry::TlsVersion => {
                let (_, number) = TLS.iter().find(|(name, _)| Some(*name) == value.as_str())?;
                one(Tree::raw(number))
            }
            Carry::SwitchedUrl => match value.bool("enabled") {
                Some(true) => one(Tree::text(value.str("url")?)),
                _ => Some(Vec::new()),
            },
            Carry::Providers => one(providers(value)?),
            Carry::Events => one(self.events(value)?),
            Carry::Lifetime => {
                let is_on = value.bool("enabled") == Some(true);
                let lifetime = value.get("value").and_then(seconds).filter(|_| is_on);
                let respects = value.get("respectValidity").map(|value| self.raw(value));
                Some(
                    [
                        ("session_lifetime", lifetime),
                        ("session_lifetime_respects_key_expiration", respects),
                    ]
                    .into_iter()
                    .filter_map(|(name, tree)| Some((name, tree?)))
                    .collect(),
                )
            }
            Carry::Header => Some(source(value, ".disable_header", false, ".auth_header_name")),
            Carry::Query => Some(source(value, ".use_param", true, ".param_name")),
            Carry::Cookie => Some(source(value, ".use_cookie", true, ".cookie_name")),
        }
    }

    /// Converts the member names of a value to the spelling of definitions, at any depth.
    fn snake(&self, value: &Value<'_>) -> Tree {
        match &value.kind {
            Kind::Array(items) => Tree::Array(items.iter().map(|item| self.snake(item)).collect()),
            Kind::Object(members) => {
                let member = |member: &crate::json::Member<'_>| match &*member.name {
                    NAMED_BY_PEOPLE => named(NAMED_BY_PEOPLE, self.raw(&member.value)),
                    name => (snake_case(name), self.snake(&member.value)),
                };
                Tree::Object(members.iter().map(member).collect())
            }
            _ => self.raw(value),
        }
    }

    /// Converts a plugin to an entry of `custom_middleware`.
    fn plugin(&self, plugin: &Value<'_>) -> Tree {
        let on = plugin.bool("enabled") == Some(true);
        let mut entry = vec![named("disabled", bool(!on))];
        for (from, to) in PLUGIN_LINES {
            if let Some(value) = plugin.get(from) {
                entry.push(named(to, self.raw(value)));
            }
        }
        Tree::Object(entry)
    }

    fn tests(&self, value: &Value<'_>) -> Option<Tree> {
        let test = |test: &Value<'_>| {
            let member = |member: &crate::json::Member<'_>| {
                let value = &member.value;
                match (
                    &*member.name,
                    value.as_str().and_then(duration::nanoseconds),
                ) {
                    ("timeout", Some(nanoseconds)) => {
                        named("timeout", Tree::raw(&nanoseconds.to_string()))
                    }
                    (NAMED_BY_PEOPLE, _) => named(NAMED_BY_PEOPLE, self.raw(value)),
                    (name, _) => (snake_case(name), self.snake(value)),
                }
            };
            Tree::Object(test.members().iter().map(member).collect())
        };
        Some(Tree::Array(list(value)?.iter().map(test).collect()))
    }

    /// Groups handlers by the event that triggers them.
    fn events(&self, value: &Value<'_>) -> Option<Tree> {
        let mut events = Tree::object();
        for handler in list(value)? {
            let Some(trigger) = handler.str("trigger") else {
                continue;
            };
            let (name, members): (_, &[(&str, &str)]) = match handler.str("type") {
                Some("log") => ("eh_log_handler", &[("logPrefix", "prefix")]),
                Some("custom") => (
                    "eh_dynamic_handler",
                    &[("functionName", "name"), ("path", "path"), ("id", "id")],
                ),
                _ => (
                    "eh_web_hook_handler",
                    &[
                        ("id", "id"),
                        ("name", "name"),
                        ("method", "method"),
                        ("url", "target_path"),
                        ("bodyTemplate", "template_path"),
                    ],
                ),
            };
            let is_on = handler.bool("enabled") == Some(true);
            let mut meta = vec![named("disabled", bool(!is_on))];
            for (from, to) in members {
                if let Some(value) = handler.get(from) {
                    meta.push(named(to, self.raw(value)));
                }
            }
            let headers = handler.get("headers").and_then(headers);
            meta.extend(headers.map(|headers| named("header_map", headers)));
            let period = handler.get("cooldownPeriod").and_then(seconds);
            meta.extend(period.map(|period| named("event_timeout", period)));
            let entry = vec![
                named("handler_name", Tree::text(name)),
                named("handler_meta", Tree::Object(meta)),
            ];
            events.push_in(&[trigger], Tree::Object(entry));
        }
        Some(events)
    }
}

fn list<'v, 't>(value: &'v Value<'t>) -> Option<&'v [Value<'t>]> {
    match &value.kind {
        Kind::Array(items) => Some(items),
        _ => None,
    }
}

/// Converts a duration, or a number of seconds, to seconds.
pub(super) fn seconds(value: &Value<'_>) -> Option<Tree> {
    match &value.kind {
        Kind::Number(text) => Some(Tree::raw(text)),
        Kind::String(text) => duration::in_seconds(text).map(|json| Tree::raw(&json)),
        _ => None,
    }
}

/// Converts `[{name, value}]` to a map.
pub(super) fn headers(value: &Value<'_>) -> Option<Tree> {
    pairs(value, "name", "value")
}

/// Converts a list of objects to a map from the text of one member to that of another.
fn pairs(value: &Value<'_>, name: &str, text: &str) -> Option<Tree> {
    let mut map = Tree::object();
    for item in list(value)? {
        let value = match item.get(text) {
            Some(value) => match &value.kind {
                Kind::Array(items) => {
                    let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                    texts.join(",")
                }
                _ => value.as_str().unwrap_or_default().to_owned(),
            },
            None => String::new(),
        };
        if let Some(name) = item.str(name) {
            map.set_in(&[name], Tree::text(&value));
        }
    }
    Some(map)
}

/// Lists each URL as often as its weight.
fn targets(value: &Value<'_>) -> Option<Tree> {
    let mut turns = Vec::new();
    let mut left = MAX_TURNS;
    for target in list(value)? {
        let url = target.str("url").unwrap_or_default();
        let weight = target.int("weight").unwrap_or_default().clamp(0, left);
        left = left.saturating_sub(weight);
        turns.extend((0..weight).map(|_| Tree::text(url)));
    }
    Some(Tree::Array(turns))
}

/// Converts OpenID Connect providers: a client and its policy are a pair in the extension, and a member in the
/// definition.
fn providers(value: &Value<'_>) -> Option<Tree> {
    let provider = |provider: &Value<'_>| {
        let clients = provider.get("clientToPolicyMapping");
        let clients = clients.and_then(|clients| pairs(clients, "clientId", "policyId"));
        Tree::Object(vec![
            named(
                "issuer",
                Tree::text(provider.str("issuer").unwrap_or_default()),
            ),
            named("client_ids", clients.unwrap_or_else(Tree::object)),
        ])
    };
    Some(Tree::Array(list(value)?.iter().map(provider).collect()))
}

/// Converts the location of a credential: the switch, which may have the opposite meaning, and the name.
fn source(
    value: &Value<'_>,
    switch: &'static str,
    means_on: bool,
    name: &'static str,
) -> Vec<(&'static str, Tree)> {
    let is_on = value.bool("enabled") == Some(true);
    let mut members = vec![(switch, bool(is_on == means_on))];
    let text = value.str("name").filter(|text| !text.is_empty());
    members.extend(text.map(|text| (name, Tree::raw(&quote(text)))));
    members
}

/// Converts `statusCode` to `status_code`; other names stay unchanged.
fn snake_case(name: &str) -> String {
    let is_camel = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_camel {
        return name.to_owned();
    }
    let mut snake = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
