//! The filters of the audit trail, streams of events, and paging of documents.

use gatewright_web::routes;
use gatewright_web::state::sse::{Event, Reader};
use gatewright_web::state::trail::Trail;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn the_trail_lives_in_the_address() {
    let trail = Trail::parse("actor=a%20b&to=2026-01-31&before=7&entry=5&nonsense=1&id=");
    assert_eq!((trail.get("actor"), trail.entry()), ("a b", Some(5)));
    assert!(trail.narrowed() && trail.is_older());
    assert_eq!(
        trail.to_url("/x"),
        "/x?actor=a%20b&to=2026-01-31&before=7&entry=5"
    );
    assert_eq!(
        trail.opened(None).to_request(),
        "actor=a%20b&to=2026-01-31T23%3A59%3A59.999Z&before=7&limit=50"
    );
    assert_eq!(
        trail.opened(None).to_request(),
        trail.to_request(),
        "opening an entry asks for no other page"
    );
    let other = trail.filtered("to", "");
    assert_eq!(other.to_url("/x"), "/x?actor=a%20b", "from the newest on");
    assert_eq!(other.to_file("csv"), "actor=a%20b&format=csv");
    assert_eq!(other.page(Some(3)).get("before"), "3");
    assert_eq!(Trail::default().to_url("/x"), "/x");
    assert!(!Trail::parse("before=3").narrowed());
}

fn event(id: &str, kind: &str, data: &str) -> Event {
    Event {
        id: id.to_owned(),
        kind: kind.to_owned(),
        data: data.to_owned(),
    }
}

#[wasm_bindgen_test]
fn events_are_read_across_chunk_boundaries() {
    let text = ":\n\nid: 1\nevent: A\ndata: {\"a\":\"ü\"}\n\nid:2\r\ndata:x\r\ndata: y\r\n\r\n: still here\n\nid: 3\ndata: half\n";
    let expected = [event("1", "A", "{\"a\":\"ü\"}"), event("2", "", "x\ny")];
    for size in 1..=text.len() {
        let mut reader = Reader::default();
        let chunks = text.as_bytes().chunks(size);
        let read: Vec<Event> = chunks.flat_map(|bytes| reader.push(bytes)).collect();
        assert_eq!(read, expected, "in parts of {size} bytes");
    }
}

#[wasm_bindgen_test]
fn documents_link_to_existing_pages() {
    let page = |subject, deleted| routes::document(subject, "1", deleted);
    assert_eq!(page("api", false).as_deref(), Some("/console/apis/1"));
    assert_eq!(
        page("api", true).as_deref(),
        Some("/console/apis/1/revisions")
    );
    assert_eq!(
        page("client_idp", false).as_deref(),
        Some("/console/client-idps/1")
    );
    assert_eq!(
        page("webhook", false).as_deref(),
        Some("/console/webhooks/1")
    );
    assert_eq!(page("client_idp", true), None);
    assert_eq!(page("unheard-of", false), None);
}
