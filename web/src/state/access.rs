//! What keys and policies give: the result of policies, and limits in words. Plain values; the model, which
//! comes with the editor, applies policies as the edge does.

use gatewright_model::amount::Amount;
use gatewright_model::json::{Member, Value, parse, quote};
use gatewright_model::policy::{self, Named, Policy};
use gatewright_model::session::{Limit, Rate, Session};

use super::draft::plural;
use crate::api::access::StoredPolicy;

/// The orders that the list of keys knows, and what they are called.
pub const KEY_ORDERS: super::listing::Orders = &[
    ("-updated_at", "Changed last first"),
    ("alias", "By alias"),
    ("-created_at", "Newest first"),
    ("created_at", "Oldest first"),
    ("expires", "Ends first"),
];

/// What a session gives on one API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The API.
    pub api_id: String,
    /// What people call it.
    pub name: String,
    /// The versions it may use; empty for all.
    pub versions: Vec<String>,
    /// How many rules restrict paths and methods.
    pub paths: usize,
    /// How many paths have a rate of their own.
    pub endpoints: usize,
    /// The limits that requests on it count against.
    pub limit: Limit,
    /// What they count together with, in words.
    pub counts: &'static str,
}

impl Given {
    /// What restricts it, in words.
    #[must_use]
    pub fn confined(&self) -> String {
        let parts = [
            (!self.versions.is_empty()).then(|| format!("versions {}", self.versions.join(", "))),
            (self.paths > 0).then(|| plural(self.paths, "path")),
            (self.endpoints > 0).then(|| format!("{} with a rate", plural(self.endpoints, "path"))),
        ];
        let said: Vec<String> = parts.into_iter().flatten().collect();
        if said.is_empty() {
            "No restriction".to_owned()
        } else {
            said.join(", ")
        }
    }
}

/// What comes of a session and its policies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// On each API.
    pub given: Vec<Given>,
    /// The limits of APIs without limits of their own.
    pub limit: Limit,
    /// Tags, those of policies included.
    pub tags: Vec<String>,
    /// Whether it is refused.
    pub inactive: bool,
    /// Policies that it names and that nobody has stored.
    pub unknown: Vec<String>,
}

/// The session with those policies applied, or why they can't be, in the words of the edge.
pub type Apply<'a> = dyn Fn(&str, &[Named<'_>]) -> Result<String, String> + 'a;

/// Applies the policies that a session names, and reads what comes of it.
///
/// # Errors
/// Why they can't be applied, as a sentence.
pub fn outcome(
    session: &str,
    policies: &[StoredPolicy],
    apply: &Apply<'_>,
) -> Result<Outcome, String> {
    let json = |_| "This is no JSON at this moment.".to_owned();
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
    read(&applied, unknown).ok_or_else(|| "This is no JSON at this moment.".to_owned())
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

/// The session that a policy alone would make: of its own organisation, so that it applies.
#[must_use]
pub fn only(policy: &str) -> Option<(String, StoredPolicy)> {
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

/// Why a policy opens no API to a key that has no other one; none if it opens some, or is no JSON. The gateway refuses
/// such a key, and to make one.
#[must_use]
pub fn opens_nothing(policy: &str) -> Option<&'static str> {
    let policy = Policy::parse(policy).ok()?;
    if !policy.partitions.grants_access() {
        return Some(
            "It gives limits and no API: its partitions leave access_rights out. A key that has no other policy is refused.",
        );
    }
    policy.apis.is_empty().then_some(
        "It opens no API: name some in access_rights. A key that has no other policy is refused.",
    )
}

/// How a quota stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The API that it is for; none for all together.
    pub api_id: Option<String>,
    /// The maximum.
    pub max: i64,
    /// What is left.
    pub remaining: i64,
    /// When it begins anew, Unix seconds; none while no window runs.
    pub renews: Option<i64>,
}

/// The quotas of a session as the gateway answers it, with its live counters.
#[must_use]
pub fn standings(session: &str) -> Vec<Standing> {
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
        // A window that only the last write has set was not used yet; nothing that is left is not shown.
        let renews = renews.filter(|at| *at > 0 && Some(*at) != unused);
        let left = if renews.is_some() { 0 } else { max };
        Some(Standing {
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
    // Without a scope of its own an API counts with all the others (reference 2.4, row 15).
    let is_shared =
        |right: &Member<'_>| right.value.str("allowance_scope").unwrap_or("").is_empty();
    let own = own.filter(|right| all.is_none() || !is_shared(right));
    let own = own.filter_map(|right| one(Some(&right.name), right.value.get("limit")));
    let own: Vec<Standing> = own.collect();
    all.into_iter().chain(own).collect()
}

/// A rate in words.
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

/// A quota in words.
#[must_use]
pub fn quota_words(limit: &Limit) -> String {
    if !limit.has_quota() {
        return "No quota".to_owned();
    }
    let max = limit.quota_max;
    if limit.quota_renewal_rate > 0 {
        format!("{max} per {}", span_words(limit.quota_renewal_rate))
    } else {
        format!("{max} in all")
    }
}

/// A length of time in the largest unit that divides it.
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

/// Ids of documents with their names; of the few that are shown at once.
pub type Names = Vec<(String, String)>;

/// What a document is called: its name, or its id without one.
#[must_use]
pub fn called(names: &Names, id: &str) -> String {
    let named = |(known, name): &&(String, String)| known == id && !name.is_empty();
    let name = names.iter().find(named).map_or(id, |(_, name)| name);
    name.to_owned()
}
