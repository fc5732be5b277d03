//! The list of keys: what scripts read, and search, filters, order and pages in addition.

use super::{add_api, add_policy, call, done, escaped, hashes, key, read, refused, session};
use crate::now;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

/// Creates five keys with aliases that number them, and returns their hashes.
fn keys(memory: &Memory) -> Vec<String> {
    add_policy(memory, "gold", &json!({}));
    let now = memory.now_ms() / 1000;
    [
        json!({ "alias": "Delta", "org_id": "acme", "expires": now + 9000 }),
        json!({ "alias": "alpha", "tags": ["Blue", "ünder"] }),
        json!({ "alias": "Charlie", "is_inactive": true }),
        json!({ "alias": "bravo", "apply_policies": ["gold"] }),
        json!({ "alias": "échø 100%_x", "expires": now + 1, "access_rights": { "b": {} } }),
    ]
    .iter()
    .map(|more| key(memory, &session(more)).1)
    .collect()
}

fn aliases(memory: &Memory, query: &str) -> Vec<String> {
    let page = read(memory, &format!("keys?view=summary&{query}"));
    let keys = page["keys"].as_array().unwrap().clone();
    let alias = |key: &Value| key["alias"].as_str().unwrap().to_owned();
    keys.iter().map(alias).collect()
}

#[test]
fn plain_list_is_complete_and_has_hashes_only() {
    let memory = Memory::default();
    assert_eq!(read(&memory, "keys"), json!({ "keys": [] }));
    let mut made = keys(&memory);
    let mut listed = hashes(&memory, "");
    made.sort();
    listed.sort();
    assert_eq!(listed, made);
    // A filter is an organisation, or the start of a hash.
    assert_eq!(hashes(&memory, "filter=acme").len(), 1);
    let start = &made[0][..12];
    assert_eq!(
        hashes(&memory, &format!("filter={start}")),
        [made[0].as_str()]
    );
    assert!(hashes(&memory, "filter=nobody").is_empty());
    assert_eq!(hashes(&memory, "api_id=b").len(), 1);
    assert_eq!(hashes(&memory, "api_id=a").len(), 4);
}

#[test]
fn api_filter_matches_rights_and_policies() {
    let memory = Memory::default();
    let internal = "5f3c8a2b9d1e0fc04d1e4c6a";
    let opened = json!({ "opened": {} });
    add_policy(
        &memory,
        "grants",
        &json!({ "_id": internal, "access_rights": opened }),
    );
    add_policy(
        &memory,
        "limits",
        &json!({ "partitions": { "quota": true }, "access_rights": opened }),
    );
    add_policy(&memory, "elsewhere", &json!({}));
    let with = |policies: &[&str]| key(&memory, &session(&json!({ "apply_policies": policies }))).1;
    let mut granted = vec![with(&["grants"]), with(&[internal, "limits"])];
    with(&["elsewhere", "limits"]);
    with(&["elsewhere"]);
    granted.sort();
    let mut found = hashes(&memory, "api_id=opened");
    found.sort();
    assert_eq!(found, granted);
    assert_eq!(
        hashes(&memory, "api_id=a").len(),
        4,
        "the sessions' own rights count too"
    );
    done(&memory, "DELETE", "policies/grants", &Value::Null);
    assert!(hashes(&memory, "api_id=opened").is_empty());
}

#[test]
fn api_filter_reads_only_policies_that_may_name_the_api() {
    let memory = Memory::default();
    let grants = |id: &str, api: &str| {
        add_policy(&memory, id, &json!({ "access_rights": { api: {} } }));
    };
    grants("grants", "opened");
    let escaped = r#"{"id": "escaped", "access_rights": {"op\u0065ned": {}}}"#;
    let made = now(memory.send("POST", "/gateway/policies", escaped));
    assert_eq!(made.status, 200, "{}", made.body);
    for policy in ["grants", "escaped"] {
        key(&memory, &session(&json!({ "apply_policies": [policy] })));
    }
    let queries = |memory: &Memory| {
        memory.restart();
        hashes(memory, "");
        memory.sql.take_queries();
        assert_eq!(hashes(memory, "api_id=opened").len(), 2);
        memory.sql.take_queries()
    };
    let before = queries(&memory);
    for number in 0..20 {
        grants(&format!("other{number}"), "elsewhere");
    }
    assert_eq!(queries(&memory), before);
}

#[test]
fn summary_has_the_list_columns() {
    let memory = Memory::default();
    let hash = keys(&memory)[3].clone();
    let page = read(&memory, &format!("keys?view=summary&filter={hash}"));
    assert_eq!(
        (&page["total"], &page["page"], &page["pages"]),
        (&json!(1), &json!(1), &json!(1))
    );
    let shown = &page["keys"][0];
    assert_eq!(shown["key_hash"], hash);
    assert_eq!(shown["state"], "active");
    assert_eq!(
        (&shown["policies"], &shown["apis"]),
        (&json!(["gold"]), &json!(["a"]))
    );
    assert!(shown["revision"].is_u64() && shown["created_at"].is_string());
}

#[test]
fn keys_are_searched_and_filtered() {
    let memory = Memory::default();
    let hash = keys(&memory)[1].clone();
    for (query, found) in [
        ("q=ALPHA", vec!["alpha"]),
        ("q=h", vec!["Charlie", "alpha", "échø 100%_x"]),
        ("q=blu", vec!["alpha"]),
        ("q=%_", vec!["échø 100%_x"]),
        ("q=ÉCH", vec!["échø 100%_x"]),
        ("q=none", vec![]),
        ("tag=Blue", vec!["alpha"]),
        ("tag=blue", vec![]),
        ("policy=gold", vec!["bravo"]),
        ("api_id=b", vec!["échø 100%_x"]),
        ("state=inactive", vec!["Charlie"]),
        ("state=expired", vec!["échø 100%_x"]),
        ("state=active&filter=acme", vec!["Delta"]),
        ("state=active&q=alpha&policy=gold", vec![]),
    ] {
        let mut listed = aliases(&memory, &format!("{query}&sort=alias"));
        listed.sort();
        assert_eq!(listed, found, "{query}");
    }
    assert_eq!(aliases(&memory, &format!("q={}", &hash[4..20])), ["alpha"]);
}

#[test]
fn keys_are_ordered_and_paged_without_gaps() {
    let memory = Memory::default();
    keys(&memory);
    let by_alias = ["alpha", "bravo", "Charlie", "Delta", "échø 100%_x"];
    assert_eq!(aliases(&memory, "sort=alias"), by_alias);
    let reverse: Vec<_> = by_alias.iter().rev().copied().collect();
    assert_eq!(aliases(&memory, "sort=-alias"), reverse);
    assert_eq!(aliases(&memory, "sort=created_at")[0], "Delta");
    assert_eq!(aliases(&memory, "sort=-updated_at")[0], "échø 100%_x");
    assert_eq!(aliases(&memory, "sort=-expires")[0], "Delta");
    let mut seen = Vec::new();
    for page in 1..=3 {
        let query = format!("sort=alias&per_page=2&p={page}");
        let page = read(&memory, &format!("keys?view=summary&{query}"));
        assert_eq!((&page["total"], &page["pages"]), (&json!(5), &json!(3)));
        seen.extend(aliases(&memory, &query));
    }
    assert_eq!(seen, by_alias);
    assert!(aliases(&memory, "per_page=2&p=4").is_empty());
}

#[test]
fn a_malformed_parameter_is_refused() {
    let memory = Memory::default();
    for query in ["p=x", "per_page=-1", "state=dead", "sort=colour"] {
        let answer = call(
            &memory,
            "GET",
            &format!("keys?view=summary&{query}"),
            &Value::Null,
        );
        let name = query.split('=').next().unwrap();
        let message = super::value(&answer)["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(answer.status == 400 && message.contains(name), "{message}");
    }
}

#[test]
fn removed_key_is_not_found() {
    let memory = Memory::default();
    for hash in keys(&memory) {
        done(&memory, "DELETE", &format!("keys/{hash}"), &Value::Null);
    }
    for query in ["", "tag=Blue", "api_id=a", "policy=gold", "q=a"] {
        assert!(hashes(&memory, query).is_empty(), "{query}");
    }
    let answer = call(&memory, "GET", "keys/none", &Value::Null);
    refused(&answer, 404, "Key not found");
}

#[test]
fn custom_id_is_found_in_organisation_of_api() {
    let memory = Memory::default();
    add_api(&memory, "a", &json!({ "org_id": "acme" }));
    add_api(&memory, "b", &json!({}));
    let sent = session(&json!({ "org_id": "acme", "alias": "bob" }));
    let made = done(&memory, "POST", "keys/bob", &sent);
    assert_eq!(read(&memory, "keys/bob?api_id=a")["alias"], "bob");
    assert_eq!(
        read(&memory, "keys/bob?org_id=acme&api_id=b")["alias"],
        "bob"
    );
    for query in ["", "?api_id=b", "?api_id=nothing", "?api_id=%2e%2e"] {
        let answer = call(&memory, "GET", &format!("keys/bob{query}"), &Value::Null);
        refused(&answer, 404, "Key not found");
    }
    // A key that is found without the parameter is found with it.
    let token = escaped(made["key"].as_str().unwrap());
    for api in ["a", "b", "nothing"] {
        let path = format!("keys/{token}?api_id={api}");
        assert_eq!(read(&memory, &path)["alias"], "bob", "{api}");
    }
    let ours = session(&json!({ "alias": "ours" }));
    done(&memory, "POST", "keys/ann", &ours);
    assert_eq!(read(&memory, "keys/ann?api_id=b")["alias"], "ours");
}
