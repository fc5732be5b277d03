//! Writes the result of applying policies into a session, as small edits of its text.

use super::access;
use super::combine::{self, Combined, Right, Source};
use super::limits::Number;
use super::part::{Object, Part, array_of_texts, distinct, grouped};
use crate::json::edit::adapt;
use crate::json::quote;
use crate::merge::Index;
use crate::session::Limit;
use crate::shape::session::ACCESS_DEFINITION;

/// An object with changed members.
struct Changed<'a> {
    object: Option<Part<'a>>,
    set: Vec<(&'a str, Option<String>)>,
}

impl<'a> Changed<'a> {
    const fn of(object: Option<Part<'a>>) -> Self {
        Self {
            object,
            set: Vec::new(),
        }
    }

    /// Sets a member. If `json` is `None`, a member that is already empty is left alone, and any other is set to
    /// `nothing`, or removed if that is `None` too.
    fn put(&mut self, name: &'a str, json: Option<String>, nothing: Option<&str>) {
        let old = self.old(name);
        match (json, old) {
            (Some(json), _) => self.set.push((name, Some(json))),
            (None, Some(old)) if !old.is_empty() => {
                self.set.push((name, nothing.map(str::to_owned)));
            }
            (None, _) => {}
        }
    }

    fn old(&self, name: &str) -> Option<Part<'a>> {
        self.object?.get(name)
    }

    /// Writes the object with its changes.
    fn json(&self) -> String {
        let mut json = Object::default();
        let members = self.object.into_iter().flat_map(Part::members);
        let is_set = |name: &str| self.set.iter().any(|(set, _)| *set == name);
        for (name, part) in members.filter(|(name, _)| !is_set(name)) {
            json.put(name, part.json());
        }
        for (name, value) in &self.set {
            if let Some(value) = value {
                json.put(name, value);
            }
        }
        json.end().unwrap_or_else(|| "{}".to_owned())
    }
}

/// Row 1, no policies: a session's limit for an API is counted under the id of the API.
pub(super) fn scoped(session: Part<'_>) -> String {
    let mut changed = Changed::of(Some(session));
    if let Some(rights) = session.get("access_rights") {
        let mut all = Object::default();
        for (api, access) in rights.members() {
            let mut entry = Changed::of(Some(access));
            if Limit::of_api(access.value).is_some() {
                entry.put("allowance_scope", Some(quote(api)), None);
                all.put(api, &entry.json());
            } else {
                all.put(api, access.json());
            }
        }
        let all = all.end();
        changed
            .set
            .extend(all.map(|all| ("access_rights", Some(all))));
    }
    adapted(session, &changed)
}

/// Returns the session with its policies applied.
pub(super) fn written(
    session: Part<'_>,
    sources: &[Source<'_>],
    combined: &Combined<'_>,
) -> String {
    let mut changed = Changed::of(Some(session));
    own(&mut changed, session, sources, combined);
    changed
        .set
        .extend(tags(session, sources).map(|tags| ("tags", Some(tags))));
    let mut rights = Object::default();
    let own = session.get("access_rights");
    let index = Index::new(own.map(|own| own.value.members()).unwrap_or_default());
    for right in &combined.rights {
        let found = index.find(right.api).map(|(_, member)| &member.value);
        let own = own.zip(found).map(|(own, value)| own.with(value));
        let renews = own.and_then(|own| own.get("limit")?.get("quota_renews"));
        if combined.alone == Some(right.api) {
            changed.put("quota_renews", renews.map(|at| at.json().to_owned()), None);
        }
        // Without a quota from a policy it has that of the session, with its window.
        let shared = || {
            session
                .get("quota_renews")
                .filter(|_| combined.alone.is_none())
        };
        let renews = if right.provided.quota {
            renews
        } else {
            shared()
        };
        rights.put(right.api, &access_right(own, right, renews));
    }
    changed.set.push(("access_rights", rights.end()));
    adapted(session, &changed)
}

/// Returns the session as far as it is changed before one of its policies, or the lack of any right, ends their
/// application: without tags in the first case, and with its own rights in both.
pub(super) fn attempted(session: Part<'_>, sources: &[Source<'_>], applied: usize) -> String {
    let before = sources.get(..applied).unwrap_or_default();
    let combined = combine::without_rights(session, sources, before);
    let mut changed = Changed::of(Some(session));
    own(&mut changed, session, before, &combined);
    let tags = tags(session, before).filter(|_| applied == sources.len());
    changed.set.extend(tags.map(|tags| ("tags", Some(tags))));
    adapted(session, &changed)
}

/// Sets what policies change of the session itself.
fn own<'a>(
    changed: &mut Changed<'a>,
    session: Part<'a>,
    sources: &[Source<'a>],
    combined: &Combined<'a>,
) {
    limits(changed, combined);
    let on = |name: &str| sources.iter().any(|source| source.part.on(name));
    let flag = |on: bool| on.then(|| "true".to_owned());
    changed.put("is_inactive", flag(on("is_inactive")), Some("false"));
    for name in ["hmac_enabled", "enable_http_signature_validation"] {
        if on(name) {
            changed.put(name, flag(true), None);
        }
    }
    for name in ["post_expiry_action", "post_expiry_grace_period"] {
        let mut given = sources.iter().filter_map(|source| source.part.get(name));
        if let Some(last) = given.rfind(|part| !part.is_empty()) {
            changed.put(name, Some(last.json().to_owned()), None);
        }
    }
    changed
        .set
        .extend(last_updated(session, sources).map(|at| ("last_updated", Some(at))));
    changed
        .set
        .extend(meta_data(session, sources).map(|data| ("meta_data", Some(data))));
}

/// Applies the changes to the session's text. Both texts are JSON, so the edit can't fail.
fn adapted(session: Part<'_>, changed: &Changed<'_>) -> String {
    let wanted = changed.json();
    adapt(session.text, &wanted).unwrap_or(wanted)
}

/// Row 2 and its replacement: a limit that a dimension of the policies lacks is 0.
fn limits<'a>(changed: &mut Changed<'a>, combined: &Combined<'a>) {
    let provided = combined.provided;
    for (name, number) in combined.limits.numbers() {
        let of_policies = match name {
            "quota_max" | "quota_renewal_rate" => provided.quota,
            "max_query_depth" => provided.complexity,
            _ => provided.rate,
        };
        if of_policies {
            let given = number.filter(|number| !number.is_zero());
            let given = given.map(|Number(text)| text.to_owned());
            changed.put(name, given, Some("0"));
        }
    }
    if provided.rate {
        let smoothing = combined.limits.smoothing();
        let smoothing = smoothing.map(|part| part.json().to_owned());
        changed.put("smoothing", smoothing, None);
    }
}

/// Row 13: the time of the last change to a policy, if later than that of the session.
fn last_updated(session: Part<'_>, sources: &[Source<'_>]) -> Option<String> {
    let at = |part: Part<'_>| part.str("last_updated").parse::<u64>().unwrap_or(0);
    let last = sources.iter().map(|source| at(source.part)).max()?;
    (last > at(session)).then(|| quote(&last.to_string()))
}

/// Row 13: the session's tags, then those of the policies.
fn tags(session: Part<'_>, sources: &[Source<'_>]) -> Option<String> {
    let own: Vec<&str> = session.texts("tags").collect();
    let given = sources.iter().flat_map(|source| source.part.texts("tags"));
    let all: Vec<&str> = own.iter().copied().chain(given).collect();
    let all = distinct(&all);
    (all != own).then(|| array_of_texts(&all))
}

/// Row 13: the session's data, overridden by that of the policies, later ones taking precedence.
fn meta_data(session: Part<'_>, sources: &[Source<'_>]) -> Option<String> {
    let parts = sources
        .iter()
        .filter_map(|source| source.part.get("meta_data"));
    let given: Vec<_> = parts.flat_map(Part::members).collect();
    if given.is_empty() {
        return None;
    }
    let own = session.get("meta_data").into_iter().flat_map(Part::members);
    let all: Vec<_> = own
        .chain(given)
        .map(|(name, part)| (name, (name, part)))
        .collect();
    let mut data = Object::default();
    for same in grouped(&all) {
        if let Some((name, part)) = same.last() {
            data.put(name, part.json());
        }
    }
    data.end()
}

/// Rows 9 to 15 for one API, on top of the session's own right to it.
fn access_right<'a>(own: Option<Part<'a>>, right: &Right<'a>, renews: Option<Part<'a>>) -> String {
    let mut entry = Changed::of(own);
    let (access, rates) = (right.access.as_slice(), right.rates.as_slice());
    let scope = Some(right.scope).filter(|scope| !scope.is_empty());
    for (name, json) in [
        ("api_id", access::first_text(access, "api_id")),
        ("api_name", access::first_text(access, "api_name")),
        ("versions", access::texts(access, "versions")),
        ("allowed_urls", access::allowed_urls(access)),
        ("endpoints", access::endpoints(rates)),
        ("limit", right.limits.json(renews)),
        ("allowance_scope", scope.map(quote)),
        (
            "restricted_types",
            access::types(access, "restricted_types"),
        ),
        ("allowed_types", access::types(access, "allowed_types")),
        ("field_access_rights", access::fields(access)),
        (
            "disable_introspection",
            access::any(access, "disable_introspection"),
        ),
        ("json_rpc_methods", access::rates(rates, "json_rpc_methods")),
        (
            "json_rpc_methods_access_rights",
            access::rules(access, "json_rpc_methods_access_rights"),
        ),
        ("mcp_primitives", access::rates(rates, "mcp_primitives")),
        (
            "mcp_access_rights",
            access::rules(access, "mcp_access_rights"),
        ),
    ] {
        entry.put(name, json, None);
    }
    let unknown = access.iter().flat_map(|entry| entry.members());
    for (name, part) in unknown.filter(|(name, _)| ACCESS_DEFINITION.member(name).is_none()) {
        if !entry.set.iter().any(|(set, _)| *set == name) {
            entry.set.push((name, Some(part.json().to_owned())));
        }
    }
    entry.json()
}
