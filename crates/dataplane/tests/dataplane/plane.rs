//! Routing decisions: which API, which URL, and which answer otherwise.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use gatewright_dataplane::batch::Base;
use gatewright_dataplane::chain::Settings;
use gatewright_dataplane::driver::{OwnRoute, Routed, metadata_of, own_route, plain_url, route};
use gatewright_dataplane::headers::{HeaderSource, Headers};
use gatewright_dataplane::links::cors;
use gatewright_dataplane::snapshot::Snapshot;
use gatewright_model::definition::Allowed;
use gatewright_protocol::snapshot::{Candidate, Chunk, Chunks, check};
use std::rc::Rc;

fn api(id: &str, path: &str, more: &str) -> String {
    format!(
        "{{\"name\":\"{id}\",\"api_id\":\"{id}\",\"use_keyless\":true,{more}\
         \"proxy\":{{\"listen_path\":\"{path}\",\"target_url\":\"http://{id}/base\",\"strip_listen_path\":true}}}}"
    )
}

fn snapshot(definitions: &[String]) -> Snapshot {
    let mut chunks = Chunks::default();
    let mut snapshot = Snapshot::empty(1, Settings::default());
    for (number, text) in definitions.iter().enumerate() {
        let candidate = Candidate {
            file: format!("apis/{number}.json"),
            revision: 1,
            text: text.clone(),
        };
        if let Some(chunk) = chunks.add(&candidate) {
            snapshot.take(Chunk::read(&chunk).unwrap()).unwrap();
        }
    }
    let (last, outcome) = chunks.finish();
    assert!(outcome.skipped.is_empty(), "{:?}", outcome.skipped);
    snapshot.take(Chunk::read(&last).unwrap()).unwrap();
    snapshot
}

/// Where a request goes, or the status and location of the answer it gets instead.
fn go(snapshot: &Snapshot, url: &str) -> Result<String, (u16, String)> {
    let rest = url.strip_prefix("http://").unwrap();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = rest.split_at(rest.find('/').unwrap());
    let (found, path) = match route(snapshot, authority, path, query) {
        Routed::Api(found, path) => (found, path),
        Routed::Answer(answer) => {
            let mut headers = answer.headers.into_iter();
            let location = headers.find(|(name, _)| name == "location");
            let location = location.map_or_else(String::new, |(_, location)| location);
            return Err((answer.status, location));
        }
    };
    let id = &found.api.definition.api_id;
    let behind = path.decoded().get(found.listen..).unwrap_or_default();
    Ok(match own_route(&found.api, behind) {
        OwnRoute::None => plain_url(&found, &path, query).unwrap(),
        OwnRoute::Standing => format!("limits of {id}"),
        OwnRoute::Oauth => format!("server of {id}"),
        OwnRoute::Batch => format!("batch of {id} below {:?}", Base::of(&found, &path).path),
    })
}

#[test]
fn domain_precedes_none_and_longest_path_wins() {
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
        // `/a/` is not `/a` (reference 5.2).
        ("http://h/a", "http://root/base/a"),
        ("http://h/a/", "http://a/base"),
        ("http://h/a/x?q=1&r=%20", "http://a/base/x?q=1&r=%20"),
        ("http://h/ab", "http://root/base/ab"),
        ("http://h/a/b", "http://a/base/b"),
        ("http://h/a/b/", "http://ab/base"),
        // Template segments don't count towards the length.
        ("http://h/a/b/c", "http://ab/base/c"),
        ("http://h/a/x/c/d", "http://template/base/d"),
        // The decoded path is compared, the original one is sent on.
        ("http://h/%61/%62/y%7E", "http://ab/base/y%7E"),
        ("http://h/a%2fb/y", "http://ab/base/y"),
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
        assert_eq!(go(&set, url), Ok(upstream.to_owned()), "{url}");
    }
}

#[test]
fn the_oauth_server_of_an_api_is_below_its_listen_path() {
    let set = snapshot(&[
        api("a", "/a/", "\"use_oauth2\":true,"),
        api("b", "/b", "\"use_oauth2\":true,"),
        api("plain", "/plain/", ""),
    ]);
    for rest in [
        "oauth/token",
        "oauth/token/",
        "oauth/authorize",
        "oauth/revoke",
        "oauth/revoke_all/",
        "gateway/oauth/authorize-client/",
        ".well-known/oauth-authorization-server",
    ] {
        for (path, id) in [("a/", "a"), ("b/", "b")] {
            let found = go(&set, &format!("http://h/{path}{rest}"));
            assert_eq!(found, Ok(format!("server of {id}")), "{path}{rest}");
        }
        let plain = go(&set, &format!("http://h/plain/{rest}"));
        assert_eq!(plain, Ok(format!("http://plain/base/{rest}")));
    }
    assert_eq!(
        go(&set, "http://h/a/oauth/tokens"),
        Ok("http://a/base/oauth/tokens".to_owned())
    );
    let of = |path: &str| {
        let api = metadata_of(
            &set,
            "h",
            &format!("/.well-known/oauth-authorization-server{path}"),
        );
        api.map(|api| api.definition.api_id.clone())
    };
    assert_eq!(of("/a").as_deref(), Some("a"));
    assert_eq!(of("/a/").as_deref(), Some("a"));
    assert_eq!(of("/b").as_deref(), Some("b"));
    for path in ["", "/", "/plain", "/none", "x/a"] {
        assert_eq!(of(path), None, "{path}");
    }
}

#[test]
fn id_replaces_an_unmatched_listen_path() {
    let set = snapshot(&[api("first", "/a/", ""), api("second", "/first/deeper/", "")]);
    for (url, upstream) in [
        // The id stays in the path that is sent, even if listen paths are stripped.
        ("http://h/first/x", "http://first/base/first/x"),
        ("http://h/first/deeper/x", "http://second/base/x"),
    ] {
        assert_eq!(go(&set, url), Ok(upstream.to_owned()), "{url}");
    }
    let nobody = go(&set, "http://h/nobody/x");
    assert_eq!(nobody, Err((404, String::new())));
}

#[test]
fn listen_path_is_kept_unless_stripped() {
    let text =
        api("a", "/a/", "").replace("\"strip_listen_path\":true", "\"strip_listen_path\":false");
    let set = snapshot(&[text]);
    assert_eq!(go(&set, "http://h/a/x"), Ok("http://a/base/a/x".to_owned()));
}

#[test]
fn a_path_has_one_reading() {
    let set = snapshot(&[api("root", "/", ""), api("a", "/a/", "")]);
    // Clients are redirected to the canonical path; nothing is served under the other one.
    for (path, clean) in [
        ("//a///b/./x/../y", "/a/b/y"),
        ("/..%2f", "/"),
        ("/%2e%2e/x?q=%2e", "/x?q=%2e"),
        ("/x/%2e%2e/a/y", "/a/y"),
        ("/x%2F..%2fa", "/a"),
        ("//evil.example/x", "/evil.example/x"),
    ] {
        let url = format!("http://h{path}");
        let moved = Err((301, clean.to_owned()));
        assert_eq!(go(&set, &url), moved, "{path}");
    }
    for path in ["/%zz", "/x%", "/x%2"] {
        let broken = go(&set, &format!("http://h{path}"));
        assert_eq!(broken, Err((400, String::new())), "{path}");
    }
    // Characters that separate nothing here are preserved, escaped where they must not appear raw.
    for (path, upstream) in [
        ("/a\\b", "http://root/base/a%5Cb"),
        ("/%00", "http://root/base/%00"),
        ("/x/..;/y", "http://root/base/x/..;/y"),
        ("/x/%252e%252e/y", "http://root/base/x/%252e%252e/y"),
    ] {
        let url = format!("http://h{path}");
        assert_eq!(go(&set, &url), Ok(upstream.to_owned()), "{path}");
    }
}

/// However an upstream reads it: `http://root/base/..;/x` may be `http://root/x`.
#[test]
fn a_path_stays_below_the_target() {
    let set = snapshot(&[
        api("root", "/", ""),
        api("open", "/app", ""),
        api("template", "/of-{tenant}/", ""),
    ]);
    for path in [
        "/..;/x",
        "/%252e%252e/x",
        "/x/..%5c..%5cy",
        "/app/..%5capp-x",
        "/app..;/app",
        "/of-a/..%5cof-b/x",
        "/of-a/..;/of-b/x",
        "/of-a/x/..;/..;/of-b/x",
    ] {
        let refused = Err((400, String::new()));
        assert_eq!(go(&set, &format!("http://h{path}")), refused, "{path}");
    }
    let inside = go(&set, "http://h/of-a/x/..;/y");
    assert_eq!(inside, Ok("http://template/base/x/..;/y".to_owned()));
    let kept = api("kept", "/of-{tenant}/", "").replace("path\":true", "path\":false");
    let url = "http://h/of-a/x;y";
    let expected = Ok("http://kept/base/of-a/x;y".to_owned());
    assert_eq!(go(&snapshot(&[kept]), url), expected);
}

#[test]
fn batch_endpoint_exists_only_if_enabled() {
    let on = "\"enable_batch_request_support\":true,";
    let set = snapshot(&[
        api("on", "/on/", on),
        api("off", "/off/", ""),
        api("root", "/", on),
    ]);
    for (url, base) in [
        ("http://h/on/gateway/batch", "http://on/base/gateway/batch"),
        ("http://h/on/gateway/batch/", "batch of on below \"/on\""),
        (
            "http://h/%6fn/gateway%2Fbatch/",
            "batch of on below \"/on\"",
        ),
        (
            "http://h/off/gateway/batch/",
            "http://off/base/gateway/batch/",
        ),
        ("http://h/gateway/batch/", "batch of root below \"\""),
    ] {
        assert_eq!(go(&set, url), Ok(base.to_owned()), "{url}");
    }
}

#[test]
fn key_limits_endpoint_requires_keys() {
    let keyed = api("a", "/a/", "").replace("\"use_keyless\":true", "\"use_keyless\":false");
    let set = snapshot(&[keyed, api("open", "/open/", "")]);
    for (url, answer) in [
        ("http://h/a/gateway/rate-limits/", "limits of a"),
        (
            "http://h/a/gateway/rate-limits",
            "http://a/base/gateway/rate-limits",
        ),
        (
            "http://h/open/gateway/rate-limits/",
            "http://open/base/gateway/rate-limits/",
        ),
    ] {
        assert_eq!(go(&set, url), Ok(answer.to_owned()), "{url}");
    }
}

/// The headers of a request.
struct Sent(&'static [(&'static str, &'static str)]);

impl HeaderSource for Sent {
    fn get(&self, name: &str) -> Option<String> {
        let mut sent = self.0.iter();
        let (_, value) = sent.find(|(sent, _)| *sent == name)?;
        Some((*value).to_owned())
    }
}

#[test]
fn own_endpoints_are_under_the_cors_rules_of_their_api() {
    let origin = "\"allowed_origins\":[\"http://page.example\"],\"exposed_headers\":[\"x-one\"]";
    let cors = |more: &str| format!("\"CORS\":{{\"enable\":true,{more}{origin}}},");
    let set = snapshot(&[
        api("on", "/on/", &cors("")),
        api("passed", "/passed/", &cors("\"options_passthrough\":true,")),
        api("off", "/off/", ""),
    ]);
    let asked = |id: &str, method: &str, headers| {
        let api = set.router.get(id).unwrap();
        cors::own(api, method, &Headers::new(Rc::new(Sent(headers))))
    };
    const PAGE: (&str, &str) = ("origin", "http://page.example");
    let granted = vec![
        ("vary", "Origin".to_owned()),
        ("access-control-allow-origin", PAGE.1.to_owned()),
        ("access-control-expose-headers", "X-One".to_owned()),
    ];
    let unknown = granted[..1].to_vec();
    assert_eq!(asked("on", "POST", &[PAGE]), Ok(granted));
    let other: &[_] = &[("origin", "http://other.example")];
    assert_eq!(asked("on", "POST", other), Ok(unknown.clone()));
    assert_eq!(asked("on", "POST", &[]), Ok(unknown));
    let preflight: &[_] = &[PAGE, ("access-control-request-method", "POST")];
    let answer = asked("on", "OPTIONS", preflight).unwrap_err();
    assert_eq!((answer.status, answer.body.as_str()), (204, ""));
    let allowed = ("access-control-allow-methods".to_owned(), "POST".to_owned());
    assert!(answer.headers.contains(&allowed), "{:?}", answer.headers);
    assert_eq!(asked("on", "OPTIONS", &[PAGE]).unwrap_err().status, 200);
    for id in ["passed", "off"] {
        assert_eq!(asked(id, "OPTIONS", preflight), Ok(vec![]), "{id}");
    }
    assert_eq!(asked("off", "POST", &[PAGE]), Ok(vec![]));
}

#[test]
fn unenforceable_protection_prevents_serving() {
    for more in [
        "\"custom_middleware\":{\"pre\":[{\"name\":\"f\",\"path\":\"f.js\"}]},",
        "\"enable_coprocess_auth\":true,",
        "\"version_data\":{\"versions\":{\"Default\":{\"name\":\"Default\",\"use_extended_paths\":true,\
         \"extended_paths\":{\"validate_request\":[{\"enabled\":true,\"path\":\"/secret\",\"method\":\"GET\"}]}}}},",
        "\"pinned_public_keys\":{\"*\":\"x\"},",
    ] {
        let text = api("a", "/a/", more);
        let (reason, issues) = check(&text, &Allowed::NONE).unwrap_err();
        assert!(reason.starts_with("Not served"), "{more}: {reason}");
        assert!(!issues.is_empty());
        let allowed = Allowed::parse(
            "enable_coprocess_auth,pinned_public_keys,version_data.versions.extended_paths,custom_middleware",
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
    for n in 0..12 {
        assert!(set.router.get(&format!("a{n}")).is_some(), "a{n}");
    }
    assert!(set.router.find("h", "/p11/x").is_some());
    let chunk = Chunk::read("{\"apis\":[{\"revision\":1,\"definition\":{}}]}").unwrap();
    let mut empty = Snapshot::empty(1, Settings::default());
    assert!(empty.take(chunk).is_err());
    assert!(Chunk::read("garbage").is_err());
}
