//! Sessions: the typed view of the rights of a key or an organisation (reference sections 2.1, 2.2).
//!
//! Like the view of a definition, it is built from the parsed text, never fails, holds only what this system acts on
//! and is never written back: members of a wrong type, which the validator reports, count as absent. Policies are not
//! applied here; that is the task of [`crate::policy::apply`], whose result the data plane reads.

mod access;
mod lifetime;
mod limit;
mod meta;

pub use access::{Access, AllowedUrl, Applied};
pub use lifetime::{ApiLifetime, Lifetimes, PostExpiry};
pub(crate) use limit::integer;
pub use limit::{Endpoint, Limit, Rate, Smoothing};
pub use meta::text;

use crate::amount::Amount;
use crate::issue::Issue;
use crate::json::{Kind, Value, parse};

/// The gateway's view of a session. Absent and null members have their defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The organisation it belongs to.
    pub org_id: String,
    /// A display name.
    pub alias: String,
    /// Ids of its policies in order: `apply_policies`, or `apply_policy_id` if that is empty.
    pub policies: Vec<String>,
    /// Its own limits, for every API that has none of its own.
    pub limit: Limit,
    /// When it expires, in Unix seconds; 0 or less for never.
    pub expires: i64,
    /// When it was created: RFC 3339, as written.
    pub date_created: String,
    /// The time of its last change: Unix seconds as a text.
    pub last_updated: String,
    /// Whether it is refused because it is inactive.
    pub is_inactive: bool,
    /// For how many seconds it is retained; 0 or less for no preference.
    pub session_lifetime: i64,
    /// `post_expiry_action` and `post_expiry_grace_period`.
    pub post_expiry: PostExpiry,
    /// Whether `hmac_enabled` is on.
    pub hmac_enabled: bool,
    /// Whether `enable_http_signature_validation` is on.
    pub enable_http_signature_validation: bool,
    /// The client whose OAuth token it is; "" for any other key.
    pub oauth_client_id: String,
    /// The APIs that this client is registered with.
    pub oauth_apis: Vec<String>,
    /// Whether it has a password for basic authentication.
    pub has_password: bool,
    /// The client certificate it is bound to; "" for none.
    pub certificate: String,
    /// The client certificates it may be used with; empty for any.
    pub certificate_bindings: Vec<String>,
    /// Percentages of the quota that fire an event: `monitor.trigger_limits`.
    pub trigger_limits: Vec<Amount>,
    /// Labels.
    pub tags: Vec<String>,
    /// `meta_data`: names with the JSON text of their values, in order.
    pub meta_data: Vec<(String, String)>,
    /// `access_rights`: API ids with the rights to each, in order; empty for a master key.
    pub access_rights: Vec<(String, Access)>,
}

impl Session {
    /// Parses the view from a text.
    ///
    /// # Errors
    /// The syntax issues of a text that is not JSON.
    pub fn parse(text: &str) -> Result<Self, Vec<Issue>> {
        Ok(Self::read(text, &parse(text)?))
    }

    /// Reads the view from a parsed text. Never fails.
    #[must_use]
    pub fn read(text: &str, value: &Value<'_>) -> Self {
        let of = |name| value.str(name).unwrap_or_default().to_owned();
        let on = |name| value.bool(name).unwrap_or(false);
        let password = value
            .get("basic_auth_data")
            .and_then(|data| data.str("password"));
        Self {
            org_id: of("org_id"),
            alias: of("alias"),
            policies: policies(value),
            limit: Limit::read(value),
            expires: integer(value, "expires"),
            date_created: of("date_created"),
            last_updated: of("last_updated"),
            is_inactive: on("is_inactive"),
            session_lifetime: integer(value, "session_lifetime"),
            post_expiry: PostExpiry::read(value),
            hmac_enabled: on("hmac_enabled"),
            enable_http_signature_validation: on("enable_http_signature_validation"),
            oauth_client_id: of("oauth_client_id"),
            oauth_apis: texts(value, "oauth_apis"),
            has_password: password.is_some_and(|password| !password.is_empty()),
            certificate: of("certificate"),
            certificate_bindings: texts(value, "mtls_static_certificate_bindings"),
            trigger_limits: trigger_limits(value),
            tags: texts(value, "tags"),
            meta_data: meta_data(text, value),
            access_rights: access_rights(value),
        }
    }

    /// Returns the rights of the key at an API; `None` if it has none. A key without any rights, a master key, has none
    /// here either; whether those are let in is a setting of the gateway.
    #[must_use]
    pub fn access(&self, api_id: &str) -> Option<&Access> {
        let mut rights = self.access_rights.iter();
        let found = rights.find(|(id, _)| id == api_id);
        found.map(|(_, access)| access)
    }

    /// Whether it has expired at a time in Unix seconds.
    #[must_use]
    pub const fn is_expired(&self, now: i64) -> bool {
        self.expires > 0 && self.expires <= now
    }
}

/// Returns the ids of the policies of a session, in order: `apply_policies`, or the older `apply_policy_id` if that is
/// empty.
pub(crate) fn policies(session: &Value<'_>) -> Vec<String> {
    let mut policies = texts(session, "apply_policies");
    policies.retain(|id| !id.is_empty());
    if policies.is_empty() {
        let single = session.str("apply_policy_id").unwrap_or_default();
        policies.extend((!single.is_empty()).then(|| single.to_owned()));
    }
    policies
}

/// Returns the strings of an array member.
pub(crate) fn texts(value: &Value<'_>, name: &str) -> Vec<String> {
    let items = value.get(name).map(Value::items).unwrap_or_default();
    let texts = items.iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

fn trigger_limits(session: &Value<'_>) -> Vec<Amount> {
    let limits = session
        .get("monitor")
        .and_then(|monitor| monitor.get("trigger_limits"));
    let items = limits.map(Value::items).unwrap_or_default();
    items.iter().map(Amount::read).collect()
}

fn meta_data(text: &str, session: &Value<'_>) -> Vec<(String, String)> {
    let members = session
        .get("meta_data")
        .map(Value::members)
        .unwrap_or_default();
    let pair = |member: &crate::json::Member<'_>| {
        let json = member.value.span.of(text);
        (member.name.to_string(), json.to_owned())
    };
    members.iter().map(pair).collect()
}

fn access_rights(session: &Value<'_>) -> Vec<(String, Access)> {
    let members = session
        .get("access_rights")
        .map(Value::members)
        .unwrap_or_default();
    let right = |member: &crate::json::Member<'_>| {
        let access = Access::read(&member.value);
        (member.name.to_string(), access)
    };
    // A null right gives no access: anything but an object grants nothing.
    let objects = members
        .iter()
        .filter(|member| matches!(member.value.kind, Kind::Object(_)));
    objects.map(right).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key as written by other installations of this API family.
    const OLDER: &str = r#"{"last_check":0,"allowance":1,"rate":1,"per":6000,"throttle_interval":-1,
        "throttle_retry_limit":-1,"expires":0,"quota_max":-1,"quota_renews":1587524070,
        "quota_remaining":-1,"quota_renewal_rate":-1,"access_rights":{"4":{"api_name":"RatelimitAPI",
        "api_id":"4","versions":["Default"],"allowed_urls":[],"limit":null,"allowance_scope":""}},
        "org_id":"default","oauth_keys":null,"apply_policies":null,"apply_policy_id":"p",
        "monitor":{"trigger_limits":[80.0,60]},"basic_auth_data":{"password":"","hash_type":""},
        "meta_data":{"rate_limit_pattern":"$gateway_meta.n","n":1.0,"none":null,"o":{"a":[1]}}}"#;

    #[test]
    fn an_older_document_is_read() {
        let session = Session::parse(OLDER).unwrap();
        assert_eq!(session.org_id, "default");
        assert_eq!(session.policies, ["p"]);
        assert_eq!(session.limit.rate.per, Amount::whole(6000));
        assert!(session.limit.rate.is_limited());
        assert!(!session.limit.has_quota());
        assert!(!session.limit.is_throttled());
        assert!(!session.has_password);
        assert_eq!(
            session.trigger_limits,
            [Amount::whole(80), Amount::whole(60)]
        );
        let access = session.access("4").unwrap();
        assert_eq!(access.versions, ["Default"]);
        assert_eq!(access.limit, None);
        assert!(session.access("5").is_none());
        let pattern = session.meta("rate_limit_pattern");
        assert_eq!(pattern.as_deref(), Some("$gateway_meta.n"));
    }

    #[test]
    fn wrong_type_counts_as_absent() {
        let text = r#"{"org_id":5,"rate":"x","access_rights":{"a":null,"b":[],"c":{"versions":"x"}},
            "apply_policies":["",5,null],"tags":{},"meta_data":[],"is_inactive":"true"}"#;
        let session = Session::parse(text).unwrap();
        let expected = Session {
            access_rights: vec![("c".to_owned(), Access::default())],
            ..Session::default()
        };
        assert_eq!(session, expected);
        assert_eq!(Session::parse("[]").unwrap(), Session::default());
        assert!(Session::parse("{").is_err());
    }

    #[test]
    fn expiry_is_a_point_in_time() {
        let ends = |expires| Session {
            expires,
            ..Session::default()
        };
        assert!(!ends(0).is_expired(100));
        assert!(!ends(-1).is_expired(100));
        assert!(!ends(101).is_expired(100));
        assert!(ends(100).is_expired(100));
    }
}
