//! The effective rights and limits of keys and policies, and limits in words. Plain values; the model, which is loaded
//! with the editor, applies policies as the edge does.

use gatewright_model::amount::Amount;
use gatewright_model::json::{Member, Value, parse, quote};
use gatewright_model::policy::{self, Named, Policy};
use gatewright_model::session::{Limit, Rate, Session};

use super::chart::count;
use super::draft::plural;
use crate::api::access::StoredPolicy;

/// The sort orders of the list of keys, and their labels.
pub const KEY_ORDERS: super::listing::Orders = &[
    ("-updated_at", "Last changed first"),
    ("alias", "By alias"),
    ("-created_at", "Newest first"),
    ("created_at", "Oldest first"),
    ("expires", "Expires first"),
];

/// The rights and limits of a session on one API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The id of the API.
    pub api_id: String,
    /// The API's name.
    pub name: String,
    /// The versions it may use; empty for all.
    pub versions: Vec<String>,
    /// How many rules restrict paths and methods.
    pub paths: usize,
    /// How many paths have their own rate limit.
    pub endpoints: usize,
    /// The limits that apply to requests to it.
    pub limit: Limit,
    /// With what these requests are counted together, in words.
    pub counts: &'static str,
}

impl Given {
    /// Returns its restrictions in words.
    #[must_use]
    pub fn confined(&self) -> String {
        let parts = [
            (!self.versions.is_empty()).then(|| format!("versions {}", self.versions.join(", "))),
            (self.paths > 0).then(|| plural(self.paths, "path")),
            (self.endpoints > 0).then(|| format!("{} with a rate", plural(self.endpoints, "path"))),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            "No restriction".to_owned()
        } else {
            parts.join(", ")
        }
    }
}

/// The result of applying policies to a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The rights on each API.
    pub given: Vec<Given>,
    /// The limits for APIs without their own.
    pub limit: Limit,
    /// Its tags, including those of its policies.
    pub tags: Vec<String>,
    /// Whether its requests are refused.
    pub inactive: bool,
    /// The ids of referenced policies that don't exist.
    pub unknown: Vec<String>,
}

/// Returns the session with the policies applied, or why they can't be, in the edge's words.
pub type Apply<'a> = dyn Fn(&str, &[Named<'_>]) -> Result<String, String> + 'a;

/// Applies the policies that a session references, and reads the result.
///
/// # Errors
/// Why they can't be applied, as a sentence.
pub fn outcome(
    session: &str,
    policies: &[StoredPolicy],
    apply: &Apply<'_>,
) -> Result<Outcome, String> {
    let json = |_| "This is not valid JSON at the moment.".to_owned();
    let names = policy::named(session).map_err(json)?;
    let text = |name: &String| {
        let known = policies
            .iter()
            .find(|policy| policy.id == *name || policy.internal == *name);
        known.map(|policy| policy.text.as_str())
    };
    let named: Vec<Named<'_>> = names
        .iter()
        .map(|name| Named {
            id: name,
            text: text(name),
        })
        .collect();
    let applied = apply(session, &named).map_err(sentence)?;
    let unknown = named.iter().filter(|named| named.text.is_none());
    let unknown = unknown.map(|named| named.id.to_owned()).collect();
    read(&applied, unknown).ok_or_else(|| "This is not valid JSON at the moment.".to_owned())
}

fn sentence(mut text: String) -> String {
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text.push('.');
    text
}

fn read(applied: &str, unknown: Vec<String>) -> Option<Outcome> {
    let value = parse(applied).ok()?;
    let session = Session::read(applied, &value);
    let rights = value.get("access_rights");
    let called = |id: &str| {
        let right = rights.and_then(|rights| rights.get(id));
        let name = right.and_then(|right| right.str("api_name"));
        name.unwrap_or_default().to_owned()
    };
    let given = session.access_rights.iter().map(|(id, access)| {
        let applied = session.applied(id);
        Given {
            api_id: id.clone(),
            name: called(id),
            versions: access.versions.clone(),
            paths: access.allowed_urls.len(),
            endpoints: access.endpoints.len(),
            limit: *applied.limit,
            counts: match applied.scope {
                "" => "together with the others",
                scope if scope == id => "on its own",
                _ => "together with those of its policy",
            },
        }
    });
    Some(Outcome {
        given: given.collect(),
        limit: session.limit,
        tags: session.tags.clone(),
        inactive: session.is_inactive,
        unknown,
    })
}

/// Returns the session of a key that has only this policy, and the policy. Both have the same organisation, so that it
/// applies.
#[must_use]
pub fn session_with_policy(policy: &str) -> Option<(String, StoredPolicy)> {
    let value = parse(policy).ok()?;
    let id = ["id", "_id"].into_iter().find_map(|name| value.str(name));
    let id = id.filter(|id| !id.is_empty()).unwrap_or("new").to_owned();
    let session = format!("{{\"apply_policies\":[{}]}}", quote(&id));
    let stored = StoredPolicy {
        name: id.clone(),
        internal: id.clone(),
        id,
        text: policy.to_owned(),
    };
    Some((session, stored))
}

/// Returns why a policy gives access to no API to a key that has no other policy; `None` if it gives access to some, or
/// is not JSON. The gateway refuses such a key, and refuses to make one.
#[must_use]
pub fn opens_nothing(policy: &str) -> Option<&'static str> {
    let policy = Policy::parse(policy).ok()?;
    if !policy.partitions.grants_access() {
        return Some(
            "It gives limits but no API: its partitions leave out access_rights. A key without another policy is refused.",
        );
    }
    policy.apis.is_empty().then_some(
        "It opens no API: name some in access_rights. A key without another policy is refused.",
    )
}

/// The state of a quota.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaState {
    /// The API it applies to; `None` if it is shared by all.
    pub api_id: Option<String>,
    /// The maximum.
    pub max: i64,
    /// How many requests are left.
    pub remaining: i64,
    /// When it renews, Unix seconds; `None` while no window is running.
    pub renews: Option<i64>,
}

/// Returns the quotas of a session that the gateway has returned, with its live counters.
#[must_use]
pub fn quota_states(session: &str) -> Vec<QuotaState> {
    let Ok(value) = parse(session) else {
        return Vec::new();
    };
    let written = value.str("last_updated");
    let written = written.and_then(|at| at.parse::<i64>().ok());
    let one = |api: Option<&str>, limit: Option<&Value<'_>>| {
        let limit = limit?;
        let max = limit.int("quota_max").filter(|max| *max > 0)?;
        let rate = limit.int("quota_renewal_rate").unwrap_or(0);
        let unused = written.map(|at| at.saturating_add(rate));
        let renews = limit.int("quota_renews");
        // A renewal time that was merely set by the last write means that the window is unused; a remainder of nothing
        // is then not shown.
        let renews = renews.filter(|at| *at > 0 && Some(*at) != unused);
        let left = if renews.is_some() { 0 } else { max };
        Some(QuotaState {
            api_id: api.map(str::to_owned),
            max,
            remaining: limit.int("quota_remaining").unwrap_or(left).clamp(0, max),
            renews,
        })
    };
    let rights = value.get("access_rights");
    let rights = rights.map(Value::members);
    let own = rights.unwrap_or_default().iter();
    let all = one(None, Some(&value));
    // Without its own scope, an API is counted together with all the others (reference 2.4, row 15).
    let is_shared =
        |right: &Member<'_>| right.value.str("allowance_scope").unwrap_or("").is_empty();
    let own = own.filter(|right| all.is_none() || !is_shared(right));
    let own = own.filter_map(|right| one(Some(&right.name), right.value.get("limit")));
    let own: Vec<QuotaState> = own.collect();
    all.into_iter().chain(own).collect()
}

/// Formats a rate limit.
#[must_use]
pub fn rate_words(rate: Rate) -> String {
    if !rate.is_limited() {
        return "No limit".to_owned();
    }
    if rate.per == Amount::whole(1) {
        return format!("{} per second", rate.rate);
    }
    let per = rate.per;
    let words = if per == Amount::whole(per.floor()) {
        span_words(per.floor())
    } else {
        format!("{per} s")
    };
    format!("{} per {words}", rate.rate)
}

/// Formats a quota.
#[must_use]
pub fn quota_words(limit: &Limit) -> String {
    if !limit.has_quota() {
        return "No quota".to_owned();
    }
    let max = count(limit.quota_max.unsigned_abs());
    if limit.quota_renewal_rate > 0 {
        format!("{max} per {}", span_words(limit.quota_renewal_rate))
    } else {
        format!("{max} in total")
    }
}

/// Formats a duration in the largest unit that divides it.
#[must_use]
pub fn span_words(seconds: i64) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let fits = |(length, _): &(i64, &str)| seconds > 0 && seconds.checked_rem(*length) == Some(0);
    match units.into_iter().find(fits) {
        Some((length, unit)) => match seconds.checked_div(length).unwrap_or_default() {
            1 => unit.to_owned(),
            count => format!("{count} {unit}s"),
        },
        None => format!("{seconds} s"),
    }
}

/// Ids and names of documents; only of the few that are shown at once.
pub type Names = Vec<(String, String)>;

/// Returns a document's name, or its id if it has none.
#[must_use]
pub fn called(names: &Names, id: &str) -> String {
    let named = |(known, name): &&(String, String)| known == id && !name.is_empty();
    let name = names.iter().find(named).map_or(id, |(_, name)| name);
    name.to_owned()
}

/// Returns the id that was given as it is or as the name of a document, in either case; what is neither stays.
#[must_use]
pub fn identified(names: &Names, given: &str) -> String {
    let named =
        |(_, name): &&(String, String)| !name.is_empty() && name.eq_ignore_ascii_case(given);
    let id = match names.iter().any(|(id, _)| id == given) {
        true => given,
        false => names.iter().find(named).map_or(given, |(id, _)| id),
    };
    id.to_owned()
}
