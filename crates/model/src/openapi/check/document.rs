//! Checks of a document that no schema can express, with the messages and the order of the reference's library
//! (kin-openapi): the first violation is reported.

use super::Input;
use super::refusal::{Reason, Refused, Text, one};
use super::{components, parts};
use crate::issue::IssueCode;
use crate::json::pointer::Path;
use crate::json::{Member, Value};
use crate::order::order;
use std::collections::BTreeMap;

/// The methods of a path, sorted by name.
const METHODS: [(&str, &str); 8] = [
    ("delete", "DELETE"),
    ("get", "GET"),
    ("head", "HEAD"),
    ("options", "OPTIONS"),
    ("patch", "PATCH"),
    ("post", "POST"),
    ("put", "PUT"),
    ("trace", "TRACE"),
];

/// Checks a document whose structure is valid.
pub(super) fn check(input: &Input<'_>) -> Result<(), Refused> {
    components::check(input)?;
    info(input)?;
    paths(input)?;
    servers(input)
}

fn info(input: &Input<'_>) -> Result<(), Refused> {
    let info = input.document.get("info").unwrap_or(input.document);
    let root = Path::Root;
    let path = root.member("info");
    let license = info
        .get("license")
        .map(|license| (license, "license name", "name"));
    let texts = [
        Some((info, "version", "version")),
        Some((info, "title", "title")),
    ];
    for (of, called, name) in license.into_iter().chain(texts.into_iter().flatten()) {
        if of.str(name).is_some_and(|text| !text.is_empty()) {
            continue;
        }
        let message = format!("invalid info: value of {called} must be a non-empty string");
        let reason = Reason::new(
            IssueCode::Required,
            format!("\"{name}\" is missing or empty; write it"),
        );
        let inner = path.member("license");
        let path = if called == name { &path } else { &inner };
        return Err(one(input.text, &message, of, &path.member(name), reason));
    }
    Ok(())
}

fn paths(input: &Input<'_>) -> Result<(), Refused> {
    let members = input
        .document
        .get("paths")
        .map(Value::members)
        .unwrap_or_default();
    let members: Vec<&Member<'_>> = members
        .iter()
        .filter(|path| path.name.starts_with('/'))
        .collect();
    let name = |at: usize| members.get(at).map(|path| &*path.name);
    let root = Path::Root;
    let all = root.member("paths");
    let mut ids: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    let sorted = order(members.len(), &mut |a, b| name(a).cmp(&name(b)));
    let sorted: Vec<&Member<'_>> = sorted
        .into_iter()
        .filter_map(|at| members.get(at).copied())
        .collect();
    for path in &sorted {
        one_path(input, path, &all.member(&path.name))?;
    }
    for path in sorted {
        let item = input.targets.resolved(&path.value).unwrap_or(&path.value);
        for (member, method) in METHODS {
            let Some(id) = item.get(member).and_then(|of| of.get("operationId")) else {
                continue;
            };
            let Some(text) = id.as_str().filter(|id| !id.is_empty()) else {
                continue;
            };
            let here = (method, &*path.name);
            let Some(other) = ids.insert(text, here) else {
                continue;
            };
            let of = all.member(&path.name);
            let of = of.member(member);
            return Err(same_id(
                input,
                (text, id),
                [other, here],
                &of.member("operationId"),
            ));
        }
    }
    Ok(())
}

/// Refuses two operations with the same id.
fn same_id(
    input: &Input<'_>,
    (id, value): (&str, &Value<'_>),
    mut operations: [(&str, &str); 2],
    path: &Path<'_>,
) -> Refused {
    operations.sort_unstable();
    let shown = operations.map(|(method, path)| format!("{method} {path}"));
    let mut text = Text::new("invalid paths: operations ");
    for (at, operation) in shown.iter().enumerate() {
        text = if at == 0 { text } else { text.and(" and ") };
        text = text.quoted(operation);
    }
    let text = text.and(" have the same operation id ").quoted(id);
    let reason = Reason::new(
        IssueCode::Format,
        "another operation has this id; give each its own",
    );
    one(input.text, &text.0, value, path, reason)
}

/// Checks a path, and the parameters of its operations.
fn one_path(input: &Input<'_>, member: &Member<'_>, path: &Path<'_>) -> Result<(), Refused> {
    let item = input
        .targets
        .resolved(&member.value)
        .unwrap_or(&member.value);
    let operations = METHODS.into_iter();
    let operations = operations
        .filter_map(|(name, method)| Some((name, method, item.get(name)?)))
        .collect::<Vec<_>>();
    let named = variables(&member.name);
    let common = in_path(input, item);
    for (name, method, operation) in &operations {
        let mut defined = in_path(input, operation);
        defined.extend(common.iter().copied());
        let missing = missing(&named, &defined);
        if missing.is_empty() {
            continue;
        }
        let text = Text::new("invalid paths: operation ").and(method).and(" ");
        let text = text
            .name(&member.name)
            .and(" must define exactly all path parameters (missing: [");
        let text = text.and(&missing.join(" ")).and("])");
        let remedy = "each {name} of the path is a parameter with \"in\": \"path\", and each such parameter is in the path";
        let reason = Reason::new(IssueCode::Required, remedy);
        let path = &path.member(name);
        return Err(one(input.text, &text.0, operation, path, reason));
    }
    let of_path = || {
        let text = Text::new("invalid paths: invalid path ");
        text.name(&member.name).and(": ")
    };
    for (name, method, operation) in operations {
        let path = path.member(name);
        let before = || of_path().and("invalid operation ").and(method).and(": ");
        repeated(input, operation, &before, &path)?;
        parts::operation(input, operation, &path, &before)?;
    }
    repeated(input, item, &of_path, path)?;
    parts::parameters(input, item, path, &of_path)
}

/// Returns the variables of a path that are not among the defined parameters, and the other way round.
fn missing(named: &[&str], defined: &[&str]) -> Vec<String> {
    // The reference compares the counts first, and the names only if those differ.
    if defined.len() == named.len() {
        return Vec::new();
    }
    let without = |these: &[&str], those: &[&str]| -> Vec<String> {
        let those = crate::order::map(those.iter().map(|name| (*name, ())));
        let missing = these.iter().filter(|name| !those.contains_key(**name));
        missing.map(|name| Text::new("").name(name).0).collect()
    };
    let mut missing = without(named, defined);
    missing.extend(without(defined, named));
    missing.sort_unstable();
    missing.dedup();
    missing
}

/// Returns the variables of a path, without duplicates.
fn variables(path: &str) -> Vec<&str> {
    let parts = path.split('{').skip(1);
    let names = parts.filter_map(|part| part.split_once('}').map(|(name, _)| name));
    let plain = |name: &str| -> usize { name.trim_end_matches(['*', '?']).len() };
    let names: Vec<&str> = names.filter_map(|name| name.get(..plain(name))).collect();
    let first = crate::order::firsts(&names).into_iter().enumerate();
    let first = first.filter(|(at, first)| at == first);
    first.filter_map(|(at, _)| names.get(at).copied()).collect()
}

/// Returns the parameters of a path item or an operation, with references resolved.
fn parameters<'l>(input: &Input<'l>, of: &'l Value<'l>) -> Vec<&'l Value<'l>> {
    let items = of.get("parameters").map(Value::items).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| input.targets.resolved(item))
        .collect()
}

/// Returns the names of the parameters in the path.
fn in_path<'l>(input: &Input<'l>, of: &'l Value<'l>) -> Vec<&'l str> {
    let all = parameters(input, of).into_iter();
    let in_path = all.filter(|parameter| parameter.str("in") == Some("path"));
    in_path
        .filter_map(|parameter| parameter.str("name"))
        .collect()
}

/// Refuses two parameters with the same location and name.
fn repeated(
    input: &Input<'_>,
    of: &Value<'_>,
    before: &parts::Before<'_>,
    path: &Path<'_>,
) -> Result<(), Refused> {
    let mut seen = BTreeMap::new();
    for parameter in parameters(input, of) {
        let name = parameter.str("name").unwrap_or_default();
        let place = parameter.str("in").unwrap_or_default();
        if seen.insert((place, name), ()).is_none() {
            continue;
        }
        let text = before().and("more than one ").quoted(place);
        let text = text.and(" parameter has name ").quoted(name);
        let remedy = "a parameter is there twice; take one of them away";
        let reason = Reason::new(IssueCode::Format, remedy);
        let path = &path.member("parameters");
        return Err(one(input.text, &text.0, of, path, reason));
    }
    Ok(())
}

fn servers(input: &Input<'_>) -> Result<(), Refused> {
    let servers = input
        .document
        .get("servers")
        .map(Value::items)
        .unwrap_or_default();
    let root = Path::Root;
    let all = root.member("servers");
    for (index, server) in servers.iter().enumerate() {
        let Some((message, remedy)) = server_problem(server) else {
            continue;
        };
        let reason = Reason::new(IssueCode::Format, remedy);
        let message = format!("invalid servers: {message}");
        return Err(one(
            input.text,
            &message,
            server,
            &all.element(index),
            reason,
        ));
    }
    Ok(())
}

/// Returns the problem of a server and its remedy, if any.
fn server_problem(server: &Value<'_>) -> Option<(&'static str, &'static str)> {
    let url = server.str("url").unwrap_or_default();
    if url.is_empty() {
        return Some((
            "value of url must be a non-empty string",
            "write its \"url\"",
        ));
    }
    let (open, close) = (url.matches('{').count(), url.matches('}').count());
    if open != close {
        return Some((
            "server URL has mismatched { and }",
            "close each { of the URL",
        ));
    }
    let variables = server
        .get("variables")
        .map(Value::members)
        .unwrap_or_default();
    let names = crate::order::map(self::variables(url).into_iter().map(|name| (name, ())));
    let is_named = |variable: &Member<'_>| names.contains_key(&*variable.name);
    if open != variables.len() || !variables.iter().all(is_named) {
        let remedy = "declare each {name} of the URL in \"variables\", and nothing else";
        return Some(("server has undeclared variables", remedy));
    }
    None
}
