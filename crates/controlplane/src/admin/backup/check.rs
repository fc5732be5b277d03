//! Checks of a single line of an import.

use crate::admin::keys::is_hash;
use crate::error::Error;
use crate::registry::backup::{SECTIONS, Section, joined, session_root};
use crate::registry::index::Facts;
use crate::registry::rows;
use gatewright_api::resource::Subject;
use gatewright_model::definition::route;
use gatewright_model::document;
use gatewright_model::id::check_id;
use gatewright_model::issue::{Issue, Severity};
use gatewright_model::json::{Member, Value, quote};
use gatewright_model::openapi::stored;
use gatewright_model::shape::Root;
use gatewright_protocol::sessions::Owner;
use std::collections::BTreeMap;

/// State from earlier lines that later ones must not contradict.
#[derive(Default)]
pub(super) struct Known {
    /// The section and the id of the last line that has an id, in export order.
    last: (usize, String),
    /// The routes of the APIs, with their line numbers.
    routes: BTreeMap<String, u64>,
}

/// Builds the error for a line, with the pointer inside it.
pub(super) fn wrong(line: u64, pointer: &str, reason: &str) -> Error {
    Error::Refused(400, format!("Line {line}, {pointer}: {reason}"))
}

/// Checks a line that represents a stored item, and returns the warnings about its document.
pub(super) fn check(
    known: &mut Known,
    line: u64,
    member: &Member<'_>,
    secrets: Option<&str>,
) -> Result<Vec<Issue>, Error> {
    let (kind, value) = (&*member.name, &member.value);
    let mistake = |at: &str, reason: &str| wrong(line, &format!("/{kind}/{at}"), reason);
    let id = value.str("id").unwrap_or_default();
    if id.is_empty() || id.len() > 512 || id.chars().any(char::is_control) {
        return Err(mistake("id", "it is missing or no id"));
    }
    let found = section(kind, value).ok_or_else(|| mistake("", "its kind is not known here"))?;
    let (section, root) = found;
    if kind != "revision" {
        let at = (section, id.to_owned());
        if at <= known.last {
            let reason = "an export has everything once, in the order of its ids";
            return Err(mistake("id", reason));
        }
        known.last = at;
    }
    if kind == "api" && check_id(id).is_err() {
        return Err(mistake("id", "it is no id of an API"));
    }
    if kind == "session" && value.str("owner") == Some(Owner::Key.word()) && !is_hash(id) {
        return Err(mistake("id", "it is no hash of a key"));
    }
    let Some(root) = root else {
        return Ok(Vec::new());
    };
    let text = match (value.str("text"), secrets) {
        (None, _) => return Ok(Vec::new()),
        (Some(text), None) => text.to_owned(),
        (Some(text), Some(secrets)) => joined(root, text, secrets)
            .ok_or_else(|| mistake("sealed", "it has not the secrets of this text"))?,
    };
    // An older revision need not be valid by today's rules.
    if kind == "revision" {
        return Ok(Vec::new());
    }
    // As in a write, an OpenAPI document is not checked as a part of the definition compiled from it, which may be much
    // shorter.
    let text = match root == Root::ApiDefinition && stored::document(&text).is_some() {
        true => stored::served(&text).map_err(|_| mistake("text", "it is no JSON"))?,
        false => text,
    };
    let (errors, others): (Vec<_>, Vec<_>) = document::validate(root, &text)
        .into_iter()
        .partition(|issue| issue.severity == Severity::Error);
    if let Some(issue) = errors.first() {
        let text = format!(
            "Line {line}, /{kind}/text: {}: {}",
            issue.pointer, issue.message
        );
        return Err(Error::Unreadable(400, text, errors));
    }
    if kind == "api" {
        routes(known, line, &text)?;
    }
    Ok(others)
}

/// Returns the position of a line's section in the order of an export, and the shape of its document.
fn section(kind: &str, value: &Value<'_>) -> Option<(usize, Option<Root>)> {
    let named = |name: &str| serde_json::from_str::<Subject>(&quote(value.str(name)?)).ok();
    let document = |kind| (Section::Documents(kind), Some(rows::root(kind)));
    let (section, root) = match kind {
        "api" => document(Subject::Api),
        "record" => document(named("kind").filter(|kind| *kind != Subject::Api)?),
        "revision" => document(named("of")?),
        "session" => {
            let mut owners = [Owner::Organisation, Owner::Key].into_iter();
            let owner = owners.find(|owner| value.str("owner") == Some(owner.word()))?;
            (Section::Sessions(owner), Some(session_root(owner)))
        }
        "credential" => (Section::Credentials, None),
        "certificate" => (Section::Certificates, None),
        "oauth_client" => (Section::OauthClients, None),
        "oauth_token" => (Section::OauthTokens, None),
        _ => return None,
    };
    let at = SECTIONS.iter().position(|known| *known == section)?;
    Some((at, root))
}

/// Two public APIs can't share a domain and listen path, and none may hide the gateway's paths.
fn routes(known: &mut Known, line: u64, text: &str) -> Result<(), Error> {
    let facts = Facts::read(text);
    let Some(key) = facts.route() else {
        return Ok(());
    };
    let pointer = "/api/text: /proxy/listen_path";
    if let Some(path) = route::reserved(&facts.listen_path) {
        let reason = format!("it would hide the gateway's own {path}");
        return Err(wrong(line, pointer, &reason));
    }
    match known.routes.insert(key, line) {
        None => Ok(()),
        Some(other) => Err(wrong(line, pointer, &format!("it is that of line {other}"))),
    }
}
