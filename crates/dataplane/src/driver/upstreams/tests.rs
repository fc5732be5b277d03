//! Which failures open a circuit breaker.

use crate::chain::Settings;
use crate::driver::tests::{api, bare, isolate, merge};
use crate::driver::{Given, Next, Routed, Run, route};
use crate::exchange::Request;
use crate::failure::Failure;
use crate::snapshot::Snapshot;
use crate::testing::request;
use serde_json::json;
use std::rc::Rc;

/// The statuses of three consecutive requests that end like this, behind a breaker that one failure opens.
fn statuses(method: &str, failure: Failure) -> Vec<u16> {
    let mut definition = bare();
    let row = json!({ "path": "/", "method": method, "samples": 1, "threshold_percent": 0.5, "return_to_service_after": 60 });
    let paths =
        json!({ "use_extended_paths": true, "extended_paths": { "circuit_breakers": [row] } });
    merge(
        &mut definition,
        &json!({ "version_data": { "versions": { "Default": paths } } }),
    );
    let settings = Settings::default();
    let mut snapshot = Snapshot::empty(1, settings.clone());
    snapshot.add(api(&definition, &settings));
    let snapshot = Rc::new(snapshot);
    let isolate = isolate(&[]);
    let sent = || {
        let Routed::Api(target, path) = route(&snapshot, "h", "/a/x", "") else {
            panic!("no API")
        };
        let request = Request {
            path,
            ..request(method, "/a/x", &[])
        };
        let mut run = Run::new(&snapshot, &isolate, &target, request, None);
        let next = match run.advance(Given::Start) {
            Next::Send(sending) => {
                assert_eq!(sending.watches, method == "POST");
                run.advance(Given::Failed(failure))
            }
            next => next,
        };
        let Next::Answer(answer) = next else {
            panic!("{next:?}")
        };
        answer.status
    };
    (0..3).map(|_| sent()).collect()
}

#[test]
fn client_abort_does_not_open_the_breaker() {
    let failed = |text| Failure::from_upstream(text);
    for (failure, expected) in [
        (failed("client: gone"), [499, 499, 499]),
        (failed("client: slow"), [408, 408, 408]),
        (failed("Error: Network connection lost."), [500, 503, 503]),
        (failed("Error: timeout"), [504, 503, 503]),
    ] {
        for method in ["GET", "POST"] {
            assert_eq!(statuses(method, failure), expected, "{method}, {failure:?}");
        }
    }
}
