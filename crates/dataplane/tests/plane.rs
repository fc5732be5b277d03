//! The data plane's decisions: which API, which URL, and which answer instead.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use gatewright_dataplane::failure::Failure;
use gatewright_dataplane::plan::{Head, Plan, plan};
use gatewright_dataplane::snapshot::Snapshot;
use gatewright_protocol::snapshot::{Candidate, Chunks, check};

fn api(id: &str, path: &str, more: &str) -> String {
    format!(
        "{{\"name\":\"{id}\",\"api_id\":\"{id}\",\"use_keyless\":true,{more}\
         \"proxy\":{{\"listen_path\":\"{path}\",\"target_url\":\"http://{id}/base\",\"strip_listen_path\":true}}}}"
    )
}

fn snapshot(definitions: &[String]) -> Snapshot {
    let mut chunks = Chunks::new();
    let mut snapshot = Snapshot::empty(1);
    for (number, text) in definitions.iter().enumerate() {
        let candidate = Candidate {
            file: format!("apis/{number}.json"),
            revision: 1,
            text: text.clone(),
        };
        if let Some(chunk) = chunks.add(&candidate) {
            snapshot.add_chunk(&chunk).unwrap();
        }
    }
    let (last, _, skipped) = chunks.finish();
    assert!(skipped.is_empty(), "{skipped:?}");
    snapshot.add_chunk(&last).unwrap();
    snapshot
}

fn go(snapshot: &Snapshot, method: &str, url: &str) -> Result<String, Failure> {
    let rest = url.strip_prefix("http://").unwrap();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = rest.split_at(rest.find('/').unwrap());
    let head = Head {
        method,
        authority,
        path,
        query,
    };
    plan(snapshot, &head).map(|plan| match plan {
        Plan::Forward(forward) => forward.url(query),
        Plan::RateLimits(forward) => format!("limits of {}", forward.api.definition.api_id),
        Plan::Batch(api, base) => {
            format!("batch of {} below {:?}", api.definition.api_id, base.path)
        }
    })
}

#[test]
fn domain_comes_before_none_and_the_longest_path_first() {
    let set = snapshot(&[
        api("root", "/", ""),
        api("a", "/a/", ""),
        api("ab", "/a/b/", ""),
        api("template", "/a/{x}/c", ""),
        api("host", "/a/", "\"domain\":\"API.example\","),
        api("wild", "/w/", "\"domain\":\"{sub}.example\","),
        api("inner", "/inner/", "\"internal\":true,"),
    ]);
    for (url, upstream) in [
        ("http://h/", "http://root/base"),
        ("http://h/a", "http://a/base"),
        ("http://h/a/", "http://a/base"),
        ("http://h/a/x?q=1&r=%20", "http://a/base/x?q=1&r=%20"),
        ("http://h/ab", "http://root/base/ab"),
        ("http://h/a/b", "http://ab/base"),
        // `/a/{x}/c` has more text of its own than `/a/b`.
        ("http://h/a/b/c", "http://template/base"),
        ("http://h/a/x/c/d", "http://template/base/d"),
        ("http://h//a///b/./x/../y", "http://ab/base/y"),
        ("http://h/%61/%62/y", "http://ab/base/y"),
        ("http://h/a%2fb/y", "http://root/base/a%2Fb/y"),
        ("http://h/a;x/y", "http://root/base/a;x/y"),
        ("http://h/A/y", "http://root/base/A/y"),
        ("http://api.example/a/b/x", "http://host/base/b/x"),
        ("http://api.example:8787/a/x", "http://host/base/x"),
        ("http://api.example/w/x", "http://wild/base/x"),
        ("http://api.example/z", "http://root/base/z"),
        ("http://x.example/w/y", "http://wild/base/y"),
        ("http://x.y.example/w/y", "http://root/base/w/y"),
        ("http://h/inner/x", "http://root/base/inner/x"),
    ] {
        assert_eq!(go(&set, "GET", url).as_deref(), Ok(upstream), "{url}");
    }
}

#[test]
fn an_id_stands_for_the_listen_path_where_no_listen_path_matches() {
    let set = snapshot(&[api("first", "/a/", ""), api("second", "/first/deeper/", "")]);
    assert_eq!(
        go(&set, "GET", "http://h/first/x").as_deref(),
        Ok("http://first/base/x")
    );
    assert_eq!(
        go(&set, "GET", "http://h/first/deeper/x").as_deref(),
        Ok("http://second/base/x")
    );
    assert_eq!(go(&set, "GET", "http://h/nobody/x"), Err(Failure::NoRoute));
}

#[test]
fn the_listen_path_stays_where_it_is_not_stripped() {
    let text =
        api("a", "/a/", "").replace("\"strip_listen_path\":true", "\"strip_listen_path\":false");
    let set = snapshot(&[text]);
    assert_eq!(
        go(&set, "GET", "http://h/a/x").as_deref(),
        Ok("http://a/base/a/x")
    );
}

#[test]
fn ambiguous_paths_reach_no_api() {
    let set = snapshot(&[api("root", "/", "")]);
    for path in [
        "/a\\b",
        "/%00",
        "/..%2f",
        "/%2e%2e%2fx",
        "/..;/x",
        "/%zz",
        "/%252e%252e/x",
    ] {
        let url = format!("http://h{path}");
        assert_eq!(go(&set, "GET", &url), Err(Failure::AmbiguousPath), "{path}");
    }
}

#[test]
fn the_batch_endpoint_is_there_only_where_it_is_switched_on() {
    let on = "\"enable_batch_request_support\":true,";
    let set = snapshot(&[
        api("on", "/on/", on),
        api("off", "/off/", ""),
        api("root", "/", on),
    ]);
    for (url, base) in [
        ("http://h/on/gateway/batch", "batch of on below \"/on\""),
        ("http://h/on/gateway/batch/", "batch of on below \"/on\""),
        (
            "http://h//on/./gateway//batch/",
            "batch of on below \"/on\"",
        ),
        (
            "http://h/off/gateway/batch",
            "http://off/base/gateway/batch",
        ),
        ("http://h/gateway/batch", "batch of root below \"\""),
    ] {
        assert_eq!(go(&set, "POST", url).as_deref(), Ok(base), "{url}");
    }
    assert_eq!(
        go(&set, "GET", "http://h/on/gateway/batch"),
        Err(Failure::BatchMethod)
    );
}

#[test]
fn what_would_be_served_without_its_protection_is_not_served() {
    for more in [
        "\"custom_middleware\":{\"pre\":[{\"name\":\"f\",\"path\":\"f.js\"}]},",
        "\"use_mutual_tls_auth\":true,",
        "\"enable_jwt\":true,",
        "\"version_data\":{\"versions\":{\"Default\":{\"name\":\"Default\",\"use_extended_paths\":true,\
         \"extended_paths\":{\"validate_json\":[{\"path\":\"/secret\",\"method\":\"GET\"}]}}}},",
        "\"pinned_public_keys\":{\"*\":\"x\"},",
    ] {
        let text = api("a", "/a/", more);
        let (reason, issues) = check(&text, &Allowed::NONE).unwrap_err();
        assert!(reason.starts_with("Not served"), "{more}: {reason}");
        assert!(!issues.is_empty());
        let allowed = Allowed::parse(
            "enable_jwt,use_mutual_tls_auth,pinned_public_keys,version_data.versions.extended_paths,custom_middleware",
        );
        let (_, warnings) = check(&text, &allowed).unwrap();
        assert!(!warnings.is_empty(), "what is let through is still said");
    }
    let text = api("a", "/a/", "").replace("http://a/base", "tcp://a:1");
    let (reason, _) = check(&text, &Allowed::NONE).unwrap_err();
    assert!(reason.contains("tcp://a:1"), "{reason}");
}

#[test]
fn large_sets_are_cut_into_chunks_and_read_back_whole() {
    let filler = format!("\"tags\":[\"{}\"],", "x".repeat(900_000));
    let texts: Vec<String> = (0..12)
        .map(|n| api(&format!("a{n}"), &format!("/p{n}/"), &filler))
        .collect();
    let set = snapshot(&texts);
    assert_eq!(set.router.len(), 12);
    assert!(set.router.find("h", "/p11/x").is_some());
    assert!(
        Snapshot::empty(1)
            .add_chunk("{\"apis\":[{\"revision\":1,\"definition\":{}}]}")
            .is_err()
    );
    assert!(Snapshot::empty(1).add_chunk("garbage").is_err());
}
