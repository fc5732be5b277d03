//! Batches over a dispatcher in memory: order, bounds, isolation.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use futures_util::FutureExt;
use gatewright_dataplane::batch::{Answer, Budget, Dispatch, Item, Scope, Unsent, run};
use gatewright_dataplane::config::BatchLimits;
use gatewright_dataplane::failure::Failure;
use gatewright_dataplane::gate::{Refusal, Way};
use gatewright_dataplane::plan::{Base, Forward};
use gatewright_dataplane::snapshot::Snapshot;
use gatewright_protocol::http::Response;
use gatewright_protocol::snapshot::{Candidate, Chunks};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// Answers with the URL, or as many bytes as the path asks for; remembers what was sent.
#[derive(Default)]
struct Echo(RefCell<Vec<String>>);

impl Dispatch for Echo {
    async fn pass(
        &self,
        _: &Scope<'_>,
        item: &Item,
        forward: &Forward<'_>,
    ) -> Result<Way, Refusal> {
        Ok(Way {
            url: forward.url(&item.query),
            ..Way::default()
        })
    }

    async fn send(&self, item: &Item, way: &Way, budget: &Budget) -> Result<Answer, Unsent> {
        let url = way.url.as_str();
        self.0.borrow_mut().push(url.to_owned());
        if url.ends_with("/down") {
            return Err(Unsent::Failure(Failure::Upstream));
        }
        let size = url
            .rsplit_once("/size/")
            .and_then(|(_, size)| size.parse().ok());
        let body = size.map_or_else(
            || format!("{} {url} {}", item.method, item.body).into_bytes(),
            |size| vec![b'x'; size],
        );
        let cut = body.len() > budget.item || !budget.take(body.len());
        let headers = vec![("content-type".to_owned(), "text/plain".to_owned())];
        Ok(Answer {
            status: 200,
            headers,
            body,
            cut,
        })
    }
}

fn snapshot() -> Snapshot {
    let mut chunks = Chunks::new();
    for (id, path) in [("a", "/a/"), ("nested", "/a/nested/"), ("b", "/b/")] {
        let text = format!(
            "{{\"name\":\"{id}\",\"api_id\":\"{id}\",\"use_keyless\":true,\"enable_batch_request_support\":true,\
             \"proxy\":{{\"listen_path\":\"{path}\",\"target_url\":\"http://{id}\",\"strip_listen_path\":true}}}}"
        );
        assert!(
            chunks
                .add(&Candidate {
                    file: id.to_owned(),
                    revision: 1,
                    text
                })
                .is_none()
        );
    }
    let mut snapshot = Snapshot::empty(1);
    snapshot.add_chunk(&chunks.finish().0).unwrap();
    snapshot
}

fn batch_with(limits: &BatchLimits, body: &str) -> (Response, Vec<String>) {
    let snapshot = snapshot();
    let api = Rc::clone(snapshot.router.get("a").unwrap());
    let base = Base {
        path: "/a".to_owned(),
        by_id: false,
    };
    let scope = Scope {
        snapshot: &snapshot,
        api: &api,
        base: &base,
        authority: "h",
    };
    let echo = Echo::default();
    let response = run(&scope, limits, body.as_bytes(), &echo)
        .now_or_never()
        .unwrap();
    (response, echo.0.into_inner())
}

fn batch(body: &Value) -> (Response, Vec<String>) {
    batch_with(&BatchLimits::default(), &body.to_string())
}

fn units(response: &Response) -> Vec<Value> {
    assert_eq!(response.status, 200, "{}", response.body);
    serde_json::from_str(&response.body).unwrap()
}

#[test]
fn answers_come_in_request_order_and_failures_keep_their_place() {
    for sequential in [false, true] {
        let (response, _) = batch(&json!({
            "suppress_parallel_execution": sequential,
            "requests": [
                {"relative_url": "one?x=1", "method": "GET"},
                {"relative_url": "down"},
                {"relative_url": "/two", "method": "POST", "body": "text"},
            ],
        }));
        let units = units(&response);
        assert_eq!(units[0]["body"], "GET http://a/one?x=1 ");
        assert_eq!(units[0]["headers"]["Content-Type"], json!(["text/plain"]));
        assert_eq!(
            (&units[1]["relative_url"], &units[1]["code"]),
            (&"down".into(), &500.into())
        );
        assert_eq!(
            units[1]["error"],
            "There was a problem proxying the request"
        );
        assert_eq!(units[2]["body"], "POST http://a/two text");
    }
}

#[test]
fn one_bad_item_and_nothing_is_sent() {
    for bad in [
        "../b/x",
        "%2e%2e/b",
        "//b/x",
        "http://b/",
        "x\r\n",
        "gateway/batch/",
    ] {
        let (response, sent) =
            batch(&json!({"requests": [{"relative_url": "ok"}, {"relative_url": bad}]}));
        let body: Value = serde_json::from_str(&response.body).unwrap();
        assert_eq!(response.status, 400, "{bad}");
        assert_eq!(
            body["message"],
            "Batch request creation failed , request structure malformed"
        );
        assert_eq!(body["issues"][0]["pointer"], "/requests/1/relative_url");
        assert!(sent.is_empty(), "{bad}");
    }
}

#[test]
fn what_another_api_serves_below_stays_its_own() {
    let (response, sent) =
        batch(&json!({"requests": [{"relative_url": "nested/x"}, {"relative_url": "nestedx"}]}));
    let units = units(&response);
    assert_eq!(
        (&units[0]["code"], &units[1]["code"]),
        (&404.into(), &200.into())
    );
    assert_eq!(sent, ["http://a/nestedx"]);
}

#[test]
fn bounds_hold() {
    let limits = BatchLimits {
        requests: 2,
        request_bytes: 200,
        response_bytes: 10,
        total_bytes: 15,
        timeout_seconds: 1,
    };
    let (response, sent) = batch_with(&limits, &json!({"requests": [{}, {}, {}]}).to_string());
    assert_eq!((response.status, sent.len()), (413, 0));
    let (response, _) = batch_with(
        &limits,
        &json!({"requests": [{"body": "x".repeat(200)}]}).to_string(),
    );
    assert_eq!(response.status, 413);
    let sizes = |first: &str, second: &str| {
        let body = json!({"requests": [{"relative_url": first}, {"relative_url": second}], "suppress_parallel_execution": true});
        let (response, _) = batch_with(&limits, &body.to_string());
        units(&response)
            .iter()
            .map(|unit| unit["code"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(sizes("size/11", "size/10"), [413, 200]);
    assert_eq!(sizes("size/10", "size/6"), [200, 413]);
    assert_eq!(sizes("size/10", "size/5"), [200, 200]);
}

#[test]
fn an_empty_batch_is_an_empty_array() {
    for body in ["{}", "null", "{\"requests\":[]}"] {
        assert_eq!(batch_with(&BatchLimits::default(), body).0.body, "[]\n");
    }
}
