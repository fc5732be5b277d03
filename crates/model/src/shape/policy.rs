//! Policies: limits and rights that many keys share (reference section 2.3).

use super::Support::{Enforced, Informative, Stored};
use super::session::{ACCESS_RIGHTS, POST_EXPIRY, SMOOTHING_KIND, UNLIMITED};
use super::{
    BOOL, FREE, Format, INTEGER, Kind, NUMBER, Switch, TEXT, TEXTS, Type, members, one_of,
};

/// `Policy`
pub static POLICY: Type = Type {
    name: "Policy",
    doc: super::doc("Limits and rights shared by many keys"),
    switch: Switch::None,
    members: members! {
        "id": Kind::Format(Format::Id), Enforced, section("Identity") => "The identifier: a-z, A-Z, 0-9, ., _, -, ~";
        "_id": Kind::Format(Format::ObjectId), Enforced => "The record's identifier in a dashboard's database: 24 hexadecimal digits";
        "name": TEXT, Enforced => "The display name";
        "org_id": TEXT, Enforced => "The organisation it belongs to";
        "active": BOOL, Informative, detail => "Whether it is active, for a dashboard";
        "state": one_of!("", "active", "draft", "deny"), Informative, detail => "Its state in a dashboard: active, draft or deny";
        "is_inactive": BOOL, Enforced => "Refuses every key with this policy";
        "tags": TEXTS, Enforced => "Labels added to its keys";
        "meta_data": FREE, Enforced => "Metadata added to its keys";
        "last_updated": Kind::Format(Format::UnixSeconds), Enforced, detail => "When it was last changed, Unix seconds as a string";
        "access_rights": ACCESS_RIGHTS, Enforced, section("Access") => "Access rights by API id";
        "graphql_access_rights": FREE, Stored, detail => "Kept for older documents";
        "partitions": Kind::Object(&PARTITIONS), Enforced => "Which parts of the policy apply; all if none is set";
        "hmac_enabled": BOOL, Enforced => "Checks HTTP signatures made with the hmac_string of its keys";
        "enable_http_signature_validation": BOOL, Enforced => "Checks HTTP signatures of its keys, also those made with rsa_certificate_id";
        "rate": NUMBER, Enforced, section("Limits") => "Requests allowed per period; 0 or less for no limit";
        "per": NUMBER, Enforced => "The period in seconds";
        "smoothing": SMOOTHING_KIND, Enforced => "Raises and lowers the rate in steps";
        "throttle_interval": NUMBER, Enforced => "How many seconds a request over the rate waits before a retry; -1 for no retries";
        "throttle_retry_limit": INTEGER, Enforced => "Maximum number of retries; -1 for none";
        "quota_max": INTEGER, Enforced => "Requests allowed per quota window; -1 for no quota";
        "quota_renewal_rate": INTEGER, Enforced => "The length of the quota window in seconds";
        "max_query_depth": INTEGER, Stored, restricts("the depth of GraphQL queries"), quiet(UNLIMITED) => "Maximum depth of a GraphQL query; -1 or 0 for no limit";
        "key_expires_in": INTEGER, Enforced, section("Lifetime of its keys") => "Lifetime of a new key in seconds; 0 for no expiry";
        "post_expiry_action": POST_EXPIRY, Enforced => "What happens to the record of an expired key: retain or delete";
        "post_expiry_grace_period": INTEGER, Enforced, detail => "How many seconds that record is retained; -1 for ever";
    },
};

/// `PolicyPartitions`
pub static PARTITIONS: Type = Type {
    name: "PolicyPartitions",
    doc: super::doc("Which parts of a policy apply"),
    switch: Switch::None,
    members: members! {
        "quota": BOOL, Enforced => "The quota";
        "rate_limit": BOOL, Enforced => "The rate limit";
        "complexity": BOOL, Enforced => "The depth of GraphQL queries";
        "acl": BOOL, Enforced => "The access rights";
        "per_api": BOOL, Enforced => "Gives each API its own limits; excludes the other parts";
    },
};
