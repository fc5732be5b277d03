//! New keys, the rights from policies, and limits in words.

use gatewright_model::json::parse;
use gatewright_model::policy::{self, Named};
use gatewright_model::session::Session;
use gatewright_web::api::Document;
use gatewright_web::api::access::StoredPolicy;
use gatewright_web::routes::{self, Area, Page};
use gatewright_web::state::access::{
    Given, KEY_ORDERS, called, identified, opens_nothing, outcome, quota_states, quota_words,
    rate_words, session_with_policy, span_words,
};
use gatewright_web::state::clock::unix_seconds;
use gatewright_web::state::draft::plural;
use gatewright_web::state::listing::Listing;
use gatewright_web::state::new_key::{NewKey, Number};
use wasm_bindgen_test::wasm_bindgen_test;

fn stored(id: &str, text: &str) -> StoredPolicy {
    StoredPolicy {
        id: id.to_owned(),
        internal: format!("_{id}"),
        name: id.to_owned(),
        text: text.to_owned(),
    }
}

/// Applies policies without the editor's module.
fn apply(session: &str, policies: &[Named<'_>]) -> Result<String, String> {
    policy::apply(session, policies).map_err(|error| error.to_string())
}

#[wasm_bindgen_test]
fn a_new_key_is_sent_as_it_was_filled_in_and_no_more() {
    let mut key = NewKey::default();
    assert!(!key.complete());
    assert_eq!(key.preview(), "");
    key.apis.push(("a\"b".to_owned(), "An API".to_owned()));
    assert!(key.complete());
    assert_eq!(
        key.session(),
        "{\n  \"access_rights\": {\n    \"a\\\"b\": { \"api_id\": \"a\\\"b\", \"api_name\": \"An API\" }\n  }\n}\n"
    );
    key.alias = " x ".to_owned();
    key.tags = "a, ,b ".to_owned();
    key.policies = vec!["gold".to_owned()];
    key.expires = Some(7);
    for (number, text) in Number::ALL.into_iter().zip(["5", "60", " 9 ", ""]) {
        key.set_number(number, text);
    }
    assert!(key.complete());
    let text = key.session();
    let session = Session::read(&text, &parse(&text).unwrap());
    assert_eq!((session.alias.as_str(), session.org_id.as_str()), ("x", ""));
    assert_eq!(
        (session.tags, session.policies),
        (
            vec!["a".to_owned(), "b".to_owned()],
            vec!["gold".to_owned()]
        )
    );
    assert_eq!((session.expires, session.limit.quota_max), (7, 9));
    assert_eq!(rate_words(session.limit.rate), "5 per minute");
}

#[wasm_bindgen_test]
fn numbers_are_whole_and_come_in_pairs() {
    let mut key = NewKey::default();
    key.policies = vec!["gold".to_owned()];
    key.set_number(Number::Rate, "5");
    assert!(key.problem(Number::Per).is_some());
    assert!(!key.complete());
    for wrong in ["0", "-1", "1.5", "x", "99999999999"] {
        key.set_number(Number::Per, wrong);
        assert!(key.problem(Number::Per).is_some(), "{wrong}");
    }
    key.set_number(Number::Per, "1");
    assert!(key.complete());
    key.set_number(Number::Renewal, "60");
    assert!(key.problem(Number::Quota).is_some());
    key.set_number(Number::Renewal, "");
    key.set_number(Number::Quota, "60");
    assert!(key.complete(), "a quota may never be renewed");
}

#[wasm_bindgen_test]
fn session_is_shown_with_policies_applied() {
    let gold = stored(
        "gold",
        r#"{"rate":5,"per":1,"tags":["t"],"access_rights":{"a":{"api_id":"a","api_name":"Alpha"}}}"#,
    );
    let given = |text: &str| outcome(text, std::slice::from_ref(&gold), &apply);
    let both = given(r#"{"apply_policies":["gold","none"],"access_rights":{"b":{}}}"#).unwrap();
    assert_eq!(both.unknown, ["none"]);
    assert_eq!(both.tags, ["t"]);
    let [alpha] = both.given.as_slice() else {
        panic!("{both:?}")
    };
    assert_eq!((alpha.api_id.as_str(), alpha.name.as_str()), ("a", "Alpha"));
    assert_eq!(rate_words(alpha.limit.rate), "5 per second");
    assert_eq!(alpha.counts, "together with the others");
    let internal = given(r#"{"apply_policies":["_gold"]}"#).unwrap();
    assert_eq!(internal.given.len(), 1);
    assert_eq!(
        given(r#"{"apply_policies":["none"]}"#).unwrap_err(),
        "Policy not found: \"none\"."
    );
    assert!(given("{ half").unwrap_err().contains("not valid JSON"));
    assert!(given("{}").unwrap().given.is_empty());
}

#[wasm_bindgen_test]
fn single_policy_grants_its_own_access() {
    let text = r#"{"id":"x","org_id":"acme","quota_max":3,"access_rights":{"a":{"limit":{"rate":2,"per":1}},"b":{}},"partitions":{"per_api":true}}"#;
    let (session, stored) = session_with_policy(text).unwrap();
    let outcome = outcome(&session, &[stored], &apply).unwrap();
    let said: Vec<(String, String)> = outcome
        .given
        .iter()
        .map(|given| (rate_words(given.limit.rate), quota_words(&given.limit)))
        .collect();
    let expected = [("2 per second", "No quota"), ("No limit", "3 in total")];
    assert_eq!(
        said,
        expected.map(|(rate, quota)| (rate.to_owned(), quota.to_owned()))
    );
    assert!(session_with_policy("{ half").is_none());
    assert!(
        session_with_policy("{}").is_some(),
        "one that has no id yet is looked at, too"
    );
}

#[wasm_bindgen_test]
fn useless_policies_are_explained_like_in_the_model() {
    for (policy, why) in [
        (r#"{"id":"x"}"#, Some("It opens no API")),
        (r#"{"id":"x","access_rights":{}}"#, Some("It opens no API")),
        (r#"{"id":"x","access_rights":{"a":{}}}"#, None),
        (
            r#"{"id":"x","access_rights":{"a":{}},"partitions":{"quota":true}}"#,
            Some("It gives limits but no API"),
        ),
        (
            r#"{"id":"x","access_rights":{"a":{}},"partitions":{"quota":true,"acl":true}}"#,
            None,
        ),
    ] {
        let (session, stored) = session_with_policy(policy).unwrap();
        let refused = outcome(&session, &[stored], &apply).is_err();
        let said = opens_nothing(policy);
        assert_eq!(said.is_some(), refused, "{policy}");
        assert!(
            said.unwrap_or_default()
                .starts_with(why.unwrap_or_default()),
            "{policy}"
        );
    }
    assert_eq!(opens_nothing("{ half"), None);
}

#[wasm_bindgen_test]
fn quotas_are_read_with_their_counters() {
    let text = r#"{"quota_max":5,"quota_remaining":9,"quota_renews":77,"access_rights":{
        "a":{"allowance_scope":"a","limit":{"quota_max":3,"quota_remaining":1}},
        "d":{"allowance_scope":"","limit":{"quota_max":5}},"b":{"limit":{"quota_max":-1}},"c":{}}}"#;
    let found = quota_states(text);
    let said: Vec<_> = found
        .iter()
        .map(|one| (one.api_id.as_deref(), one.max, one.remaining, one.renews))
        .collect();
    assert_eq!(said, [(None, 5, 5, Some(77)), (Some("a"), 3, 1, None)]);
    assert!(quota_states("{ half").is_empty());
    // A write already sets the end of the window that only the first request starts.
    for (renews, left) in [(70, (5, None)), (77, (0, Some(77)))] {
        let text = format!(
            r#"{{"quota_max":5,"quota_renewal_rate":60,"last_updated":"10","quota_renews":{renews}}}"#
        );
        let found = quota_states(&text);
        assert_eq!((found[0].remaining, found[0].renews), left);
    }
}

#[wasm_bindgen_test]
fn durations_use_the_fitting_unit() {
    let said = [1, 60, 90, 7_200, 86_400, 259_200, 0, -1].map(span_words);
    let expected = [
        "1 s", "minute", "90 s", "2 hours", "day", "3 days", "0 s", "-1 s",
    ];
    assert_eq!(said, expected);
    assert_eq!(unix_seconds(1_999.0), Some(2));
    assert_eq!(unix_seconds(f64::NAN), None);
    assert_eq!(plural(2, "key"), "2 keys");
    assert_eq!(plural(2, "policy"), "2 policies");
}

#[wasm_bindgen_test]
fn a_document_without_its_name_is_called_by_its_id() {
    let names = vec![
        ("a".to_owned(), "Alpha".to_owned()),
        ("b".to_owned(), String::new()),
    ];
    assert_eq!(
        ["a", "b", "c"].map(|id| called(&names, id)),
        ["Alpha", "b", "c"]
    );
}

#[wasm_bindgen_test]
fn a_document_is_found_by_its_id_or_its_name() {
    let names = [("gold", "Gold plan"), ("b", "gold"), ("c", "")];
    let names = names.map(|(id, name)| (id.to_owned(), name.to_owned()));
    for (given, id) in [
        ("gold", "gold"),
        ("gold PLAN", "gold"),
        ("Gold", "b"),
        ("Gold pl", "Gold pl"),
        ("", ""),
    ] {
        assert_eq!(identified(&names.to_vec(), given), id);
    }
}

#[wasm_bindgen_test]
fn counted_members_of_every_api_are_left_out() {
    let document = Document {
        text: r#"{"n":1,"m":{"a/b":{"limit":{"n":1,"x":2}},"c":{}}}"#.to_owned(),
        ..Document::default()
    };
    let text = document.without(&["n", "m/*/limit/n", "none/*/n"]).text;
    assert_eq!(text, r#"{"m":{"a/b":{"limit":{"x":2}},"c":{}}}"#);
}

#[wasm_bindgen_test]
fn the_pages_have_their_addresses() {
    assert_eq!(Page::of(routes::KEYS), Page::Keys);
    assert_eq!(Page::of(routes::NEW_KEY), Page::NewKey);
    assert_eq!(Page::of(routes::POLICIES), Page::Policies);
    assert_eq!(Page::of(routes::NEW_POLICY), Page::NewPolicy);
    assert_eq!(Page::of(routes::ORGANISATIONS), Page::Organisations);
    assert_eq!(
        Page::of(&routes::organisation("a/b")),
        Page::Organisation("a%2Fb".to_owned())
    );
    assert_eq!(Page::of(&routes::policy("p")), Page::Policy("p".to_owned()));
    let key = routes::key("a b");
    assert_eq!(Page::of(&key), Page::Key("a%20b".to_owned()));
    assert_eq!(Area::of(&key), Area::Access);
    assert_eq!(routes::document("key", "a b", false), Some(key));
    assert_eq!(routes::document("policy", "p", true), None);
    let listing = Listing::parse(KEY_ORDERS, "sort=name&policy=gold");
    assert_eq!(listing.to_url("/x"), "/x?policy=gold");
    assert_eq!(
        listing.to_request(),
        "sort=-updated_at&p=1&per_page=50&policy=gold"
    );
    let listing = Listing::parse(KEY_ORDERS, "policy=Gold%20plan&p=2");
    let listing = listing.with_filter("policy", |name| name.to_lowercase().replace(' ', "-"));
    assert_eq!(listing.to_url("/x"), "/x?p=2&policy=gold-plan");
    let same = listing.clone().with_filter("tag", |_| "a".to_owned());
    assert_eq!(same, listing);
}

#[wasm_bindgen_test]
fn a_right_without_limits_of_its_own_is_no_restriction() {
    let mut given = Given {
        api_id: "a".to_owned(),
        name: String::new(),
        versions: Vec::new(),
        paths: 0,
        endpoints: 0,
        limit: gatewright_model::session::Limit::default(),
        counts: "",
    };
    assert_eq!(given.confined(), "No restriction");
    given.versions = vec!["v1".to_owned()];
    given.paths = 2;
    assert_eq!(given.confined(), "versions v1, 2 paths");
}
