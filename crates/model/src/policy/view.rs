//! The typed view of a policy (reference section 2.3).

use crate::issue::Issue;
use crate::json::{Value, parse};
use crate::session::{Limit, integer, texts};

/// The consumers' view of a policy. Absent and null members have their defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// `id`, or `_id` if that is empty.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The organisation it belongs to; "" for none.
    pub org_id: String,
    /// Whether it is in use, according to a dashboard.
    pub active: bool,
    /// Whether every key that has it is refused.
    pub is_inactive: bool,
    /// Labels given to its keys.
    pub tags: Vec<String>,
    /// Which parts of it apply.
    pub partitions: Partitions,
    /// Its limits.
    pub limit: Limit,
    /// Ids of the APIs it names, in order.
    pub apis: Vec<String>,
    /// The lifetime of a new key in seconds; 0 or less for no expiry.
    pub key_expires_in: i64,
    /// The time of its last change: Unix seconds as a text.
    pub last_updated: String,
}

/// Which parts of a policy apply; if none of the first four is set, all do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Partitions {
    /// The quota.
    pub quota: bool,
    /// The rate limit.
    pub rate_limit: bool,
    /// The depth of GraphQL queries.
    pub complexity: bool,
    /// The access rights.
    pub acl: bool,
    /// Whether every API has limits of its own.
    pub per_api: bool,
}

impl Policy {
    /// Parses the view from a text.
    ///
    /// # Errors
    /// The syntax issues of a text that is not JSON.
    pub fn parse(text: &str) -> Result<Self, Vec<Issue>> {
        Ok(Self::read(&parse(text)?))
    }

    /// Reads the view from a parsed text. Never fails: members of a wrong type count as absent.
    #[must_use]
    pub fn read(value: &Value<'_>) -> Self {
        let of = |name| value.str(name).unwrap_or_default();
        let on = |name| value.bool(name).unwrap_or(false);
        let id = [of("id"), of("_id")].into_iter().find(|id| !id.is_empty());
        let rights = value.get("access_rights").map(Value::members);
        let apis = rights.unwrap_or_default().iter();
        Self {
            id: id.unwrap_or_default().to_owned(),
            name: of("name").to_owned(),
            org_id: of("org_id").to_owned(),
            active: on("active"),
            is_inactive: on("is_inactive"),
            tags: texts(value, "tags"),
            partitions: value
                .get("partitions")
                .map(Partitions::read)
                .unwrap_or_default(),
            limit: Limit::read(value),
            apis: apis.map(|member| member.name.to_string()).collect(),
            key_expires_in: integer(value, "key_expires_in"),
            last_updated: of("last_updated").to_owned(),
        }
    }

    /// Row 4: whether sessions of this organisation can have it.
    #[must_use]
    pub fn is_of(&self, org_id: &str) -> bool {
        is_of(&self.org_id, org_id)
    }
}

/// A policy, or a session, without an organisation belongs to no other one.
pub(super) fn is_of(policy: &str, session: &str) -> bool {
    policy.is_empty() || session.is_empty() || policy == session
}

impl Partitions {
    /// Whether the access rights of the policy apply.
    #[must_use]
    pub const fn grants_access(self) -> bool {
        let is_partitioned = self.quota || self.rate_limit || self.complexity;
        self.acl || self.per_api || !is_partitioned
    }

    fn read(value: &Value<'_>) -> Self {
        let on = |name| value.bool(name).unwrap_or(false);
        Self {
            quota: on("quota"),
            rate_limit: on("rate_limit"),
            complexity: on("complexity"),
            acl: on("acl"),
            per_api: on("per_api"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_read() {
        let text = r#"{"_id":"54de205930c55e15bd000001","id":"","name":"N","active":true,"rate":1000,"per":60,
            "quota_max":-1,"access_rights":{"a":{},"b":null},"partitions":{"acl":true},"key_expires_in":60,
            "tags":["t",1]}"#;
        let policy = Policy::parse(text).unwrap();
        assert_eq!(policy.id, "54de205930c55e15bd000001");
        assert_eq!(policy.apis, ["a", "b"]);
        assert!(policy.partitions.acl && policy.active && !policy.is_inactive);
        assert_eq!(policy.tags, ["t"]);
        assert_eq!(policy.key_expires_in, 60);
        assert!(policy.limit.rate.is_limited());
        assert_eq!(Policy::parse(r#"{"id":"x","_id":"y"}"#).unwrap().id, "x");
        assert_eq!(Policy::parse("[]").unwrap(), Policy::default());
        for (partitions, grants) in [
            ("{}", true),
            (r#"{"acl":true,"quota":true}"#, true),
            (r#"{"per_api":true}"#, true),
            (r#"{"rate_limit":true}"#, false),
        ] {
            let text = format!(r#"{{"partitions":{partitions}}}"#);
            let policy = Policy::parse(&text).unwrap();
            assert_eq!(policy.partitions.grants_access(), grants, "{text}");
        }
    }
}
