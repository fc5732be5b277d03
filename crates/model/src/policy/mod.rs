//! Policies: limits and rights that many keys share, and how they combine with a key's session.
//!
//! Only [`apply`] knows the combination rules (reference section 2.4). The console's preview, the administration and
//! the data plane call it with the same texts, so all three give the same result.

mod access;
mod combine;
mod limits;
mod part;
mod result;
mod shown;
mod view;

use std::collections::BTreeMap;
use std::fmt;

use crate::issue::Issue;
use crate::json::{Value, parse, quote};
use crate::session::Session;
use combine::Source;
use part::Part;

pub use shown::shown;
pub use view::{Partitions, Policy};

/// A policy that a session names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named<'a> {
    /// The id by which the session names it.
    pub id: &'a str,
    /// Its document; `None` if there is no such policy.
    pub text: Option<&'a str>,
}

/// Why policies can't be applied. The display texts are those of the reference, which its clients parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApplyError {
    /// The session is not JSON.
    Session(Vec<Issue>),
    /// A policy is not JSON.
    Policy {
        /// The policy's id.
        id: String,
        /// Its syntax issues.
        issues: Vec<Issue>,
    },
    /// Row 3: there is no such policy, and it is the only one.
    NotFound {
        /// The policy's id.
        id: String,
    },
    /// Row 5: a policy has `per_api` and another partition.
    PerApiAndPartitions {
        /// The policy's id.
        id: String,
    },
    /// Row 5: some policies have `per_api` and some have other partitions.
    Mixed,
    /// Row 16: no policy gives access to anything.
    NothingGranted,
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = |issues: &[Issue]| issues.first().map(ToString::to_string).unwrap_or_default();
        match self {
            Self::Session(issues) => write!(f, "the session is no JSON: {}", first(issues)),
            Self::Policy { id, issues } => {
                write!(f, "the policy {} is no JSON: {}", quote(id), first(issues))
            }
            Self::NotFound { id } => write!(f, "policy not found: {}", quote(id)),
            Self::PerApiAndPartitions { id } => write!(
                f,
                "cannot apply policy {id} which has per_api and any of partitions set"
            ),
            Self::Mixed => f.write_str(
                "cannot apply multiple policies when some have per_api set and some are partitioned",
            ),
            Self::NothingGranted => f.write_str("key has no valid policies to be applied"),
        }
    }
}

impl std::error::Error for ApplyError {}

/// Returns the ids of the policies that a session names, in order: those to look up for [`apply`].
///
/// # Errors
/// The syntax issues of a text that is not JSON.
pub fn named(session: &str) -> Result<Vec<String>, Vec<Issue>> {
    Ok(crate::session::policies(&parse(session)?))
}

/// Applies policies to a session according to all rows of reference section 2.4: members that the policies provide are
/// set, everything else keeps its bytes. `policies` are those that the session names, in that order. Applying them
/// again changes nothing.
///
/// Decisions where the reference leaves room:
/// - A policy, or a session, without an organisation belongs to no *other* one.
/// - A policy whose `rate` or `per` is 0 provides no rate, and doesn't lift the rate of another one; below 0 it is
///   unlimited and wins. -1 is the largest quota and depth, and the largest renewal rate among policies with `per_api`; of
///   throttle values, and of renewal rates otherwise, the larger number wins.
/// - Row 15 counts the policies that were the last to give access to one of the APIs: two policies for the same single
///   API share the key's counters.
/// - `post_expiry_action` and `post_expiry_grace_period` come from the last policy that has them; `hmac_enabled` and
///   `enable_http_signature_validation` from any.
/// - `key_expires_in` is applied once, when a key is created, and so not here.
/// - Members that are not in the table of types survive in the session and in its access definitions.
///
/// # Errors
/// See [`ApplyError`].
pub fn apply(session: &str, policies: &[Named<'_>]) -> Result<String, ApplyError> {
    let value = parse(session).map_err(ApplyError::Session)?;
    apply_read(session, &value, policies)
}

/// Like [`apply`], for a session that has already been parsed.
///
/// # Errors
/// See [`ApplyError`].
pub fn apply_read(
    session: &str,
    value: &Value<'_>,
    policies: &[Named<'_>],
) -> Result<String, ApplyError> {
    let part = Part {
        text: session,
        value,
    };
    if policies.is_empty() {
        return Ok(result::scoped(part));
    }
    let found = found(policies, part.str("org_id"))?;
    let sources = sources(&found);
    if let Some((_, error)) = conflict(&sources) {
        return Err(error);
    }
    let combined = combine::combine(part, &sources)?;
    Ok(result::written(part, &sources, &combined))
}

/// Returns a session whose policies can't be applied as far as the family has changed it by then (reference 1.6, preview):
/// with the limits and data of the policies before the one that doesn't fit, and its own rights.
#[must_use]
pub fn attempted(session: &str, policies: &[Named<'_>]) -> String {
    let Ok(value) = parse(session) else {
        return session.to_owned();
    };
    let part = Part {
        text: session,
        value: &value,
    };
    let found = found(policies, part.str("org_id")).unwrap_or_default();
    let sources = sources(&found);
    if sources.is_empty() {
        return session.to_owned();
    }
    let applied = conflict(&sources).map_or(sources.len(), |(at, _)| at);
    result::attempted(part, &sources, applied)
}

fn sources<'a>(found: &'a [Found<'a>]) -> Vec<Source<'a>> {
    let read = |(id, text, value): &'a Found<'a>| Source::read(id, Part { text, value });
    found.iter().map(read).collect()
}

/// Applies the policies that a session names, given their texts by id; `None` if they can't be applied.
#[must_use]
pub fn combined(text: &str, policies: &BTreeMap<String, String>) -> Option<Session> {
    let session = Session::parse(text).ok()?;
    let named = session.policies.iter().map(|id| Named {
        id,
        text: policies.get(id).map(String::as_str),
    });
    let found: Vec<Named<'_>> = named.collect();
    let applied = apply(text, &found).ok()?;
    Session::parse(&applied).ok()
}

type Found<'a> = (&'a str, &'a str, Value<'a>);

/// Rows 3 and 4: a policy that is missing, or of another organisation, is an error if it is the only one, and otherwise
/// left out.
fn found<'a>(policies: &[Named<'a>], org_id: &str) -> Result<Vec<Found<'a>>, ApplyError> {
    let mut present = Vec::new();
    for Named { id, text } in policies {
        let Some(text) = *text else { continue };
        let value = parse(text).map_err(|issues| ApplyError::Policy {
            id: (*id).to_owned(),
            issues,
        })?;
        let of = value.str("org_id").unwrap_or_default();
        if view::is_of(of, org_id) {
            present.push((*id, text, value));
        }
    }
    match policies {
        [only] if present.is_empty() => Err(ApplyError::NotFound {
            id: only.id.to_owned(),
        }),
        _ => Ok(present),
    }
}

/// Row 5: finds the first policy, in their order, that can't be combined with those before it.
fn conflict(sources: &[Source<'_>]) -> Option<(usize, ApplyError)> {
    let (mut per_api, mut partitioned) = (false, false);
    for (at, source) in sources.iter().enumerate() {
        if source.per_api && source.partitioned {
            let id = source.id.to_owned();
            return Some((at, ApplyError::PerApiAndPartitions { id }));
        }
        per_api |= source.per_api;
        partitioned |= source.partitioned;
        if per_api && partitioned {
            return Some((at, ApplyError::Mixed));
        }
    }
    None
}
