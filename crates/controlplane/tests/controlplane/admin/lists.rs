//! Lists of APIs: summaries, and lists that are read in pages.

use super::{definition, json, send};
use futures_util::FutureExt;
use gatewright_testkit::platform::Memory;

#[test]
fn summaries_search_sort_and_page() {
    let memory = Memory::default();
    for (id, path) in [("alpha", "/x/"), ("Beta", "/y/"), ("gamma", "/z/")] {
        send(&memory, "POST", "/gateway/apis", &definition(id, path));
    }
    let list = |query: &str| {
        let page = json(&send(
            &memory,
            "GET",
            &format!("/gateway/apis?view=summary{query}"),
            "",
        ));
        let ids: Vec<String> = page["apis"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["api_id"].as_str().unwrap().to_owned())
            .collect();
        (
            ids,
            page["pages"].as_u64().unwrap(),
            page["total"].as_u64().unwrap(),
        )
    };
    let ids = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(list(""), (ids(&["alpha", "Beta", "gamma"]), 1, 3));
    assert_eq!(
        list("&sort=-listen_path"),
        (ids(&["gamma", "Beta", "alpha"]), 1, 3)
    );
    assert_eq!(list("&q=BET"), (ids(&["Beta"]), 1, 1));
    assert_eq!(list("&q=/z"), (ids(&["gamma"]), 1, 1));
    assert_eq!(list("&per_page=2&p=2"), (ids(&["gamma"]), 2, 3));
    assert_eq!(list("&document=oas").0, ids(&[]));
    assert_eq!(list("&state=live").0, ids(&[]));
    assert_eq!(list("&state=pending").2, 3);
    send(&memory, "GET", "/gateway/reload?block=true", "");
    assert_eq!(list("&state=live").2, 3);
    send(&memory, "DELETE", "/gateway/apis/alpha", "");
    assert_eq!(list("&state=deleted").0, ids(&["alpha"]));
    assert_eq!(list("").2, 2);
    assert_eq!(
        send(&memory, "GET", "/gateway/apis?view=summary&sort=colour", "").status,
        400
    );
    assert_eq!(
        send(&memory, "GET", "/gateway/apis?view=summary&p=x", "").status,
        400
    );
    assert_eq!(
        send(
            &memory,
            "GET",
            "/gateway/apis?view=summary&document=raml",
            ""
        )
        .status,
        400
    );
}

#[test]
fn paged_long_list_equals_the_plain_list() {
    let gate = Memory::default();
    let filler = "x".repeat(100_000);
    let text = |id: usize| {
        format!(
            r#"{{"api_id":"a{id:02}","name":"n","use_keyless":true,"filler":"{filler}","proxy":{{"listen_path":"/{id}/","target_url":"http://u.example/"}}}}"#
        )
    };
    let store = |id: usize| {
        let stored = gate
            .send("POST", "/gateway/apis", &text(id))
            .now_or_never()
            .unwrap();
        assert_eq!(stored.status, 200, "{}", stored.body);
    };
    let list = || {
        let mut answer = gate
            .send("GET", "/gateway/apis", "")
            .now_or_never()
            .unwrap();
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some("application/json"))
        );
        let mut pages = 0;
        let mut next = answer.stream.take();
        while let Some(message) = next {
            let looked = gate.look(&message).unwrap();
            let (message, page) = looked.split_once('\n').unwrap();
            assert!(page.len() < 700_000, "{}", page.len());
            answer.body.push_str(page);
            pages += 1;
            next = (!message.is_empty()).then(|| message.to_owned());
        }
        (answer.body, pages)
    };
    let all = |ids: std::ops::Range<usize>| {
        format!("[{}]\n", ids.map(text).collect::<Vec<_>>().join(","))
    };
    assert_eq!(list(), (all(0..0), 0));
    for id in 0..3 {
        store(id);
    }
    assert_eq!(list(), (all(0..3), 0));
    for id in 3..20 {
        store(id);
    }
    assert_eq!(list(), (all(0..20), 4));
}
