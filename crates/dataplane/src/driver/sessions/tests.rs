//! Concurrent requests of one user.

use crate::chain::Settings;
use crate::driver::tests::{api, bare, isolate, merge};
use crate::driver::{Given, Next, Routed, Run, Wanted, route};
use crate::exchange::Request;
use crate::identity::Stored;
use crate::snapshot::Snapshot;
use crate::testing::{NOW_MS, request};
use serde_json::json;
use std::rc::Rc;

#[test]
fn password_proved_meanwhile_is_not_checked_again() {
    let mut definition = bare();
    merge(
        &mut definition,
        &json!({ "use_keyless": false, "use_basic_auth": true }),
    );
    let settings = Settings::default();
    let mut snapshot = Snapshot::empty(1, settings.clone());
    snapshot.add(api(&definition, &settings));
    let snapshot = Rc::new(snapshot);
    let isolate = isolate(&[]);
    let begun = || {
        let Routed::Api(target, path) = route(&snapshot, "h", "/a/x", "") else {
            panic!("no API")
        };
        let request = Request {
            path,
            ..request("GET", "/a/x", &[("authorization", "Basic YTpi")])
        };
        let mut run = Run::new(&snapshot, &isolate, &target, request, None);
        let next = run.advance(Given::Start);
        assert!(matches!(next, Next::Need(Wanted::Proof(_))), "{next:?}");
        let next = run.advance(Given::Proof(Some(
            r#"{"key":"defaultsomebody"}"#.to_owned(),
        )));
        assert!(
            matches!(next, Next::Need(Wanted::Session { .. })),
            "{next:?}"
        );
        run
    };
    let found = || {
        Given::Session(Ok(Some(Stored {
            hash: "h".to_owned(),
            revision: 1,
            text: r#"{"rate":1000,"per":1,"access_rights":{"a":{"api_id":"a","versions":["Default"]}}}"#.to_owned(),
        })))
    };
    let (mut first, mut second) = (begun(), begun());
    let next = first.advance(found());
    assert!(matches!(next, Next::Need(Wanted::Proof(_))), "{next:?}");
    let report = format!(r#"{{"stored":true,"until":{}}}"#, NOW_MS + 60_000);
    let next = first.advance(Given::Proof(Some(report)));
    assert!(matches!(next, Next::Need(Wanted::Counters(_))), "{next:?}");
    let next = second.advance(found());
    assert!(matches!(next, Next::Need(Wanted::Counters(_))), "{next:?}");
}
