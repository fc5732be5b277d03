//! Which API a request is routed to, from the written definition to the address the request is sent to (reference 5.1
//! and 5.2).

use super::{Visit, api, publish, visit};
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

/// Returns an open API with this listen path and host, whose upstream is named by its id.
fn listens(id: &str, domain: &str, listen_path: &str) -> Value {
    let proxy = json!({
        "listen_path": listen_path,
        "target_url": format!("http://{id}/"),
        "strip_listen_path": true,
    });
    let more = json!({ "use_keyless": true, "domain": domain, "proxy": proxy });
    api(id, &more)
}

fn sent(memory: &Memory, target: &str) -> String {
    let visited = visit(
        memory,
        Visit {
            method: "GET",
            target,
            headers: &[],
            body: "",
        },
    );
    visited.map_or_else(
        |refused| format!("{:?}", refused.failure),
        |passed| passed.url().to_owned(),
    )
}

#[test]
fn listen_paths_are_served_as_the_reference_reads_them() {
    let memory = Memory::default();
    let definitions = [
        listens("root", "", "/"),
        listens("numbered", "", "/v{n}/"),
        listens("file", "", "/f-{id:[0-9]+}.json/"),
        listens("bare", "", "/a"),
        listens("open", "", "/a/"),
        listens("cleaned", "", "//b/./c/../d//"),
    ];
    publish(&memory, &definitions);
    for (target, url) in [
        ("/v12/x", "http://numbered/x"),
        ("/f-7.json/x", "http://file/x"),
        ("/f-x.json/x", "http://root/f-x.json/x"),
        ("/a", "http://bare/"),
        ("/ab", "http://bare/b"),
        ("/a/b", "http://open/b"),
        ("/b/d/x", "http://cleaned/x"),
        // The id is not a listen path, so it isn't stripped.
        ("/cleaned/x", "http://cleaned/cleaned/x"),
        ("/others/x", "http://root/others/x"),
    ] {
        assert_eq!(sent(&memory, target), url, "{target}");
    }
}

/// A version is stripped, and a rule drops directories, so that dots which an upstream may resolve lead out of the
/// target.
#[test]
fn what_is_stripped_or_rewritten_stays_below_the_target() {
    let memory = Memory::default();
    let in_path = json!({ "location": "url", "strip_versioning_data": true });
    let versioned = json!({
        "use_keyless": true,
        "definition": in_path,
        "version_data": { "not_versioned": false, "versions": { "v1": {}, "v2": {} } },
    });
    let rewrites = json!([
        { "path": "/docs", "method": "GET", "match_pattern": "docs/of/(.*)", "rewrite_to": "/$1" },
    ]);
    let rewriting = json!({
        "use_keyless": true,
        "version_data": { "not_versioned": true, "versions": { "Default": {
            "name": "Default", "use_extended_paths": true, "extended_paths": { "url_rewrites": rewrites },
        } } },
    });
    publish(&memory, &[api("v", &versioned), api("r", &rewriting)]);
    for (target, url) in [
        ("/v/v1/x", "http://up/x"),
        ("/v/v1/x/..;/y", "http://up/x/..;/y"),
        ("/v/v1/..;/x", "BrokenPath"),
        ("/v/v1/..%5cx", "BrokenPath"),
        ("/v/v1/%252e%252e/x", "BrokenPath"),
        ("/r/docs/of/x", "http://up/x"),
        ("/r/docs/of/..%5cx", "BrokenPath"),
        ("/r/docs/of/x/..;/..;/y", "BrokenPath"),
    ] {
        assert_eq!(sent(&memory, target), url, "{target}");
    }
}
