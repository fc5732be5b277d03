//! Versions of an API: where their requests go (reference 5.2 no. 6).

use super::{Visit, api, key, publish, refusal, visit, with};
use gatewright_dataplane::failure::Failure;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

/// Returns an open API with these versions, which the header `v` selects.
fn versioned(versions: &Value, chooser: &Value) -> Value {
    let header = json!({ "location": "header", "key": "v" });
    let more = json!({
        "use_keyless": true,
        "definition": with(header, chooser),
        "version_data": { "not_versioned": false, "versions": versions },
    });
    api("a", &more)
}

/// Returns where a GET for this version is sent, or why it isn't.
fn sent(memory: &Memory, version: &str) -> Result<String, Failure> {
    let headers = [("v", version)];
    let passed = visit(
        memory,
        Visit {
            method: "GET",
            target: "/a/x?q=1",
            headers: &headers,
            body: "",
        },
    );
    let passed = passed.map_err(|refusal| refusal.failure)?;
    Ok(passed.url().to_owned())
}

#[test]
fn a_version_goes_to_a_target_of_its_own_or_nowhere() {
    let memory = Memory::default();
    let versions = json!({
        "own": { "override_target": "http://two/p?k=1" },
        "none": { "override_target": "" },
        "slip": { "override_target": "two.example/p" },
        "kept": { "override_target": "env://TWO" },
        "loop": { "override_target": "gateway://b/" },
    });
    let inner = api("b", &json!({ "use_keyless": true, "internal": true }));
    publish(&memory, &[versioned(&versions, &json!({})), inner]);
    for (version, expected) in [
        ("own", Ok("http://two/p/x?k=1&q=1")),
        ("none", Ok("http://up/x?q=1")),
        // Not to the API's target, which would be wrong.
        ("slip", Err(Failure::Target)),
        ("kept", Err(Failure::Target)),
        ("loop", Ok("http://up/x?q=1")),
    ] {
        let expected = expected.map(str::to_owned);
        assert_eq!(sent(&memory, version), expected, "{version}");
    }
}

/// A child reached through its base sees the path without the base's listen path; under a listen path of its own, or
/// below a base that doesn't strip its listen path, it sees the full path.
#[test]
fn a_base_takes_its_listen_path_off_before_a_child_sees_the_path() {
    let chooser = json!({ "definition": {
        "enabled": true, "name": "one", "default": "self", "location": "header", "key": "v",
        "versions": { "two": "b" },
    } });
    let open = with(json!({ "use_keyless": true }), &chooser);
    let row = json!({
        "path": "/", "method": "GET", "match_pattern": "^(.*)/(\\d+)$",
        "rewrite_to": "/new/$2?seen=$1&path=$gateway_context.path",
    });
    let child = json!({
        "use_keyless": true,
        "enable_context_vars": true,
        "version_data": { "not_versioned": true, "versions": { "Default": {
            "use_extended_paths": true, "extended_paths": { "url_rewrites": [row] },
        } } },
    });
    for (strips, expected) in [
        (
            true,
            ["http://up/new/7?seen=/x&path=%2Fx%2F7", "http://up/x/y"],
        ),
        (
            false,
            [
                "http://up/new/7?seen=/a/x&path=%2Fa%2Fx%2F7",
                "http://up/a/x/y",
            ],
        ),
    ] {
        let memory = Memory::default();
        let mut base = api("a", &open);
        base["proxy"]["strip_listen_path"] = json!(strips);
        publish(&memory, &[base, api("b", &child)]);
        for (target, version, expected) in [
            ("/a/x/7", "two", expected[0]),
            ("/a/x/y", "two", expected[1]),
            ("/b/x/7", "", "http://up/new/7?seen=/b/x&path=%2Fb%2Fx%2F7"),
        ] {
            let headers = [("v", version)];
            let visited = visit(
                &memory,
                Visit {
                    method: "GET",
                    target,
                    headers: &headers,
                    body: "",
                },
            );
            assert_eq!(visited.unwrap().url(), expected, "{target} {strips}");
        }
    }
}

/// Rules and access rights see the rest of the path, with and without the listen path, and the path that was sent
/// (reference 5.2 no. 4, 2.2). A version that is not stripped is part of the path.
#[test]
fn rules_and_rights_see_the_path_without_a_version_that_is_taken_out() {
    for (strips, closed) in [
        (true, ["/a/v1/left", "/a/v1/full", "/a/v1/sent"].as_slice()),
        (false, ["/a/v1/sent"].as_slice()),
    ] {
        let memory = Memory::default();
        let rows =
            json!([{ "path": "^/left$" }, { "path": "^/a/full$" }, { "path": "^/v1/sent$" }]);
        let more = json!({
            "definition": { "location": "url", "strip_versioning_data": strips },
            "version_data": { "not_versioned": false, "versions": { "v1": {
                "name": "v1", "use_extended_paths": true, "extended_paths": { "black_list": rows },
            } } },
        });
        publish(&memory, &[api("a", &more)]);
        let (token, _) = key(
            &memory,
            &json!({ "access_rights": { "a": { "versions": ["v1"] } } }),
        );
        for target in ["/a/v1/left", "/a/v1/full", "/a/v1/sent", "/a/v1/else"] {
            let expected = closed
                .contains(&target)
                .then_some(Failure::EndpointForbidden);
            assert_eq!(
                refusal(&memory, &token, target),
                expected,
                "{target} {strips}"
            );
        }
        let urls = json!([{ "url": "^/a/(x|v1/y)$", "methods": ["GET"] }]);
        let rights = json!({ "a": { "versions": ["v1"], "allowed_urls": urls } });
        let (token, _) = key(&memory, &json!({ "access_rights": rights }));
        let refused = Some(Failure::ResourceDisallowed);
        for (target, expected) in [
            ("/a/v1/x", refused.filter(|_| !strips)),
            ("/a/v1/y", None),
            ("/a/v1/z", refused),
        ] {
            assert_eq!(
                refusal(&memory, &token, target),
                expected,
                "{target} {strips}"
            );
        }
    }
}
