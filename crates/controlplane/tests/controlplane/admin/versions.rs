//! Versions of an API, which are APIs that their base names.

use super::{definition, header, json, send};
use gatewright_testkit::platform::Memory;
use serde_json::Value;

#[test]
fn base_lists_its_version_until_it_is_deleted() {
    let memory = Memory::default();
    let base = definition("base", "/base/");
    send(&memory, "POST", "/gateway/apis", &base);
    let text = definition("v2", "/v2/");
    let target = "/gateway/apis?base_api_id=base";
    assert_eq!(send(&memory, "POST", target, &text).status, 422);
    let unnamed = send(
        &memory,
        "POST",
        &format!("{target}&new_version_name=two"),
        &text,
    );
    assert_eq!(
        json(&unnamed)["message"],
        "you need to provide a version name for the new Base API: base"
    );
    let nobody = send(
        &memory,
        "POST",
        "/gateway/apis?base_api_id=x&new_version_name=two",
        &text,
    );
    assert_eq!(
        json(&nobody)["message"],
        "x is not a valid Base API version"
    );
    assert_eq!(send(&memory, "GET", "/gateway/apis/v2", "").status, 404);
    // Wrong parameters are reported before the body of a definition, and after that of a document.
    for (query, message) in [
        ("base", "The new version name is required"),
        (
            "x&new_version_name=two",
            "x is not a valid Base API version",
        ),
        (
            "base&new_version_name=two",
            "you need to provide a version name for the new Base API: base",
        ),
        (
            "base&new_version_name=two&base_api_version_name=one",
            "Request malformed",
        ),
    ] {
        for (path, message) in [("apis", message), ("apis/oas", "request malformed")] {
            let target = format!("/gateway/{path}?base_api_id={query}");
            let answer = json(&send(&memory, "POST", &target, "no JSON"));
            assert_eq!(answer["message"], message, "{target}");
        }
    }

    let target =
        format!("{target}&new_version_name=two&base_api_version_name=one&set_default=true");
    assert_eq!(send(&memory, "POST", &target, &text).status, 200);
    let read = send(&memory, "GET", "/gateway/apis/v2", "");
    assert_eq!(header(&read, "x-gateway-base-api-id"), Some("base"));
    let read = send(&memory, "GET", "/gateway/apis/base", "");
    assert!(read.body.contains("\"n\": 1.0"), "{}", read.body);
    let value = json(&read);
    assert_eq!(value["definition"]["versions"]["two"], "v2");
    assert_eq!(
        (&value["definition"]["default"], &value["definition"]["key"]),
        (&"two".into(), &"x-api-version".into())
    );
    let versions = json(&send(&memory, "GET", "/gateway/apis/base/versions", ""));
    assert_eq!(versions["apis"][0]["versionName"], "one");
    assert_eq!(
        (
            &versions["apis"][1]["versionName"],
            &versions["apis"][1]["isDefaultVersion"]
        ),
        (&"two".into(), &true.into())
    );
    let listed = |query: &str| {
        let path = format!("/gateway/apis/base/versions?{query}");
        json(&send(&memory, "GET", &path, ""))["apis"].clone()
    };
    assert_eq!(listed("searchText=nowhere"), Value::Null);
    assert_eq!(listed("accessType=internal"), Value::Null);
    assert_eq!(listed("accessType=all"), versions["apis"]);

    send(&memory, "DELETE", "/gateway/apis/v2", "");
    let value = json(&send(&memory, "GET", "/gateway/apis/base", ""));
    assert_eq!(value["definition"]["versions"], serde_json::json!({}));
    assert_eq!(value["definition"]["default"], "one");
}

#[test]
fn a_base_whose_versions_are_null_gets_one() {
    for null in [
        r#""definition": null"#,
        r#""definition": {"versions": null}"#,
    ] {
        let memory = Memory::default();
        let base = definition("base", "/base/").replacen('{', &format!("{{{null}, "), 1);
        assert_eq!(send(&memory, "POST", "/gateway/apis", &base).status, 200);
        let target =
            "/gateway/apis?base_api_id=base&new_version_name=two&base_api_version_name=one";
        let made = send(&memory, "POST", target, &definition("v2", "/v2/"));
        assert_eq!(made.status, 200, "{}", made.body);
        let value = json(&send(&memory, "GET", "/gateway/apis/base", ""));
        assert_eq!(value["definition"]["versions"]["two"], "v2");
    }
}

fn base_and_version(memory: &Memory) -> Value {
    send(
        memory,
        "POST",
        "/gateway/apis",
        &definition("base", "/base/"),
    );
    let target = "/gateway/apis?base_api_id=base&new_version_name=two&base_api_version_name=one\
                  &set_default=true";
    let made = send(memory, "POST", target, &definition("v2", "/v2/"));
    assert_eq!(made.status, 200, "{}", made.body);
    versions_of(memory, "base")
}

#[test]
fn another_name_for_the_base_replaces_its_name() {
    let memory = Memory::default();
    base_and_version(&memory);
    let add = |query: &str, id: &str| {
        let target = format!("/gateway/apis?base_api_id=base&{query}");
        let text = definition(id, &format!("/{id}/"));
        assert_eq!(send(&memory, "POST", &target, &text).status, 200);
        versions_of(&memory, "base")
    };
    let named = add("new_version_name=three&base_api_version_name=first", "v3");
    assert_eq!(
        (&named["name"], &named["default"]),
        (&"first".into(), &"two".into())
    );
    send(&memory, "DELETE", "/gateway/apis/v2", "");
    let named = add("new_version_name=four&base_api_version_name=zero", "v4");
    assert_eq!(
        (&named["name"], &named["default"]),
        (&"zero".into(), &"zero".into())
    );
}

/// Returns what a base says about its versions.
fn versions_of(memory: &Memory, base: &str) -> Value {
    let path = format!("/gateway/apis/{base}");
    json(&send(memory, "GET", &path, ""))["definition"].clone()
}

#[test]
fn restored_version_rejoins_its_base() {
    let memory = Memory::default();
    let before = base_and_version(&memory);
    send(&memory, "DELETE", "/gateway/apis/v2", "");
    assert_ne!(versions_of(&memory, "base"), before);
    memory.restart();
    let restore = "/gateway/apis/v2/revisions/1/restore";
    let dry = send(&memory, "POST", &format!("{restore}?dry_run=true"), "");
    assert_eq!(dry.status, 200);
    assert_ne!(versions_of(&memory, "base"), before);
    let back = send(&memory, "POST", restore, "");
    assert_eq!(back.status, 200, "{}", back.body);
    assert_eq!(versions_of(&memory, "base"), before);
    let read = send(&memory, "GET", "/gateway/apis/v2", "");
    assert_eq!(header(&read, "x-gateway-base-api-id"), Some("base"));
    // Restoring a revision of an API that is not deleted does not write the base.
    let base = send(&memory, "GET", "/gateway/apis/base", "");
    send(&memory, "POST", restore, "");
    let same = send(&memory, "GET", "/gateway/apis/base", "");
    assert_eq!(header(&same, "etag"), header(&base, "etag"));
}

#[test]
fn restored_version_does_not_displace_another() {
    let memory = Memory::default();
    base_and_version(&memory);
    send(&memory, "DELETE", "/gateway/apis/v2", "");
    let target = "/gateway/apis?base_api_id=base&new_version_name=two&set_default=true";
    let other = send(&memory, "POST", target, &definition("v3", "/v3/"));
    assert_eq!(other.status, 200, "{}", other.body);
    let before = versions_of(&memory, "base");
    let restore = "/gateway/apis/v2/revisions/1/restore";
    assert_eq!(send(&memory, "POST", restore, "").status, 200);
    assert_eq!(versions_of(&memory, "base"), before);
    // Restoring does not need a base that no longer exists.
    send(&memory, "DELETE", "/gateway/apis/v3", "");
    send(&memory, "DELETE", "/gateway/apis/base", "");
    let restore = "/gateway/apis/v3/revisions/1/restore";
    assert_eq!(send(&memory, "POST", restore, "").status, 200);
}

#[test]
fn a_version_may_have_two_bases() {
    let memory = Memory::default();
    send(&memory, "POST", "/gateway/apis", &definition("v2", "/v2/"));
    for base in ["one", "two"] {
        let mut text: Value =
            serde_json::from_str(&definition(base, &format!("/{base}/"))).unwrap();
        text["definition"] = serde_json::json!({ "enabled": true, "name": "v1",
            "default": "v1", "versions": { "v2": "v2" } });
        let made = send(&memory, "POST", "/gateway/apis", &text.to_string());
        assert_eq!(made.status, 200, "{}", made.body);
    }
    let base = |memory: &Memory| {
        let read = send(memory, "GET", "/gateway/apis/v2", "");
        header(&read, "x-gateway-base-api-id").map(str::to_owned)
    };
    assert_eq!(base(&memory).as_deref(), Some("one"));
    send(&memory, "DELETE", "/gateway/apis/two", "");
    assert_eq!(base(&memory).as_deref(), Some("one"));
    let back = "/gateway/apis/two/revisions/1/restore";
    assert_eq!(send(&memory, "POST", back, "").status, 200);
    send(&memory, "DELETE", "/gateway/apis/v2", "");
    for base in ["one", "two"] {
        let versions = versions_of(&memory, base)["versions"].clone();
        assert_eq!(versions, serde_json::json!({}), "{base}");
    }
    send(&memory, "POST", "/gateway/apis/v2/revisions/1/restore", "");
    for base in ["one", "two"] {
        assert_eq!(versions_of(&memory, base)["versions"]["v2"], "v2", "{base}");
    }
}

/// Fault H6: a version that is not an API went unnoticed until requests for it failed.
#[test]
fn unknown_version_is_reported_with_a_suggestion() {
    let memory = Memory::default();
    send(&memory, "POST", "/gateway/apis", &definition("two", "/2/"));
    let text = definition("base", "/base/");
    let versions = r#""definition": {"enabled": true, "name": "one", "default": "self", "key": "v", "location": "header", "versions": {"b/2": "tow", "three": "elsewhere"}}"#;
    let text = text.trim_end().strip_suffix('}').unwrap().to_owned() + ", " + versions + "}";
    let answer = json(&send(&memory, "POST", "/gateway/apis", &text));
    let issues = answer["issues"].as_array().unwrap();
    let conflicts = issues.iter().filter(|issue| issue["code"] == "conflict");
    let said: Vec<_> = conflicts
        .map(|issue| {
            (
                issue["pointer"].as_str().unwrap(),
                issue["message"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            (
                "/definition/versions/b~12",
                r#"no stored API has the id "tow"; did you mean "two"?"#
            ),
            (
                "/definition/versions/three",
                r#"no stored API has the id "elsewhere", so requests for this version are refused until one has"#
            ),
        ]
    );
}
