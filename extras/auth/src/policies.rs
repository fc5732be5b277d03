//! Which policies a token names, and the session derived from them.

use crate::report::Stop;
use gatewright_model::json::{Value, quote};
use gatewright_model::scopes;
use md5::{Digest, Md5};

/// A mapping of scopes to policies.
#[derive(Debug)]
pub struct Scopes<'a> {
    /// The claims that may contain scopes; the first one present counts.
    pub claims: Vec<String>,
    /// Pairs of a scope and the id of a policy.
    pub mapping: Vec<(&'a str, &'a str)>,
}

impl<'a> Scopes<'a> {
    /// Reads a mapping, with the name of the claim; empty means `scope`.
    #[must_use]
    pub fn read(claim: Option<&str>, mapping: Option<&'a Value<'_>>) -> Self {
        let claim = claim
            .filter(|claim| !claim.is_empty())
            .unwrap_or(scopes::CLAIM);
        let members = mapping.map(Value::members).unwrap_or_default().iter();
        let pair = |member: &'a gatewright_model::json::Member<'_>| {
            Some((&*member.name, member.value.as_str()?))
        };
        Self {
            claims: vec![claim.to_owned()],
            mapping: members.filter_map(pair).collect(),
        }
    }

    /// Returns the policies for the scopes of a token; `None` if it has no scopes or the mapping is empty.
    #[must_use]
    pub fn policies(&self, claims: &Value<'_>) -> Option<Vec<String>> {
        if self.mapping.is_empty() {
            return None;
        }
        let mut names = self.claims.iter();
        let found = names.find_map(|name| scopes::claim(claims, name))?;
        let words = scopes::words(found);
        if words.is_empty() && found.as_str().is_none() {
            return None;
        }
        let policies = scopes::policies(&self.mapping, &words);
        Some(policies.into_iter().map(str::to_owned).collect())
    }
}

/// Returns the policies of a token (reference 3.9): the one it names and those of its scopes, else the default ones.
///
/// # Errors
/// Why there are none.
pub fn named(
    base: Option<&str>,
    defaults: &[String],
    scopes: &[Scopes<'_>],
    claims: &Value<'_>,
) -> Result<Vec<String>, Stop> {
    let mut scoped: Option<Vec<String>> = None;
    for policies in scopes.iter().filter_map(|scopes| scopes.policies(claims)) {
        let known = scoped.get_or_insert_default();
        let fresh = policies.into_iter().filter(|id| !known.contains(id));
        let fresh: Vec<String> = fresh.collect();
        known.extend(fresh);
    }
    if base.is_none() && scoped.as_ref().is_some_and(Vec::is_empty) {
        return Err(Stop::refused(
            403,
            "key not authorized: no matching policy found in scope claim",
            "None of its scopes is mapped to a policy",
        ));
    }
    let mut policies: Vec<String> = base.map(str::to_owned).into_iter().collect();
    match scoped {
        Some(scoped) => {
            let fresh = scoped.into_iter().filter(|id| Some(id.as_str()) != base);
            policies.extend(fresh);
        }
        None if base.is_none() => policies = defaults.to_vec(),
        None => {}
    }
    if policies.is_empty() {
        return Err(Stop::refused(
            403,
            "key not authorized: no matching policy found",
            "It names no policy, and there is no default one",
        ));
    }
    Ok(policies)
}

/// Returns the token under which an identity is counted: the organisation followed by the identity's MD5 (reference
/// 3.9). The hash is a name, not a protection.
#[must_use]
pub fn virtual_key(org: &str, identity: &str) -> String {
    let mut key = org.to_owned();
    for byte in Md5::digest(identity.as_bytes()) {
        key.push_str(&format!("{byte:02x}"));
    }
    key
}

/// Returns the session of an identity, before its policies are applied.
#[must_use]
pub fn session(identity: &str, expires: Option<i64>) -> String {
    let expires = expires.map_or_else(String::new, |expires| format!(",\"expires\":{expires}"));
    format!("{{\"alias\":{}{expires}}}", quote(identity))
}

/// Returns the strings in a list.
#[must_use]
pub fn texts(list: Option<&Value<'_>>) -> Vec<String> {
    let items = list.map(Value::items).unwrap_or_default().iter();
    let texts = items.filter_map(Value::as_str);
    texts
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect()
}
