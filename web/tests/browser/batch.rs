//! A batch as a form and as JSON.

use gatewright_web::state::batch::{Batch, Item};
use wasm_bindgen_test::wasm_bindgen_test;

fn item(relative_url: &str) -> Item {
    Item {
        relative_url: relative_url.to_owned(),
        ..Item::default()
    }
}

#[wasm_bindgen_test]
fn a_batch_survives_its_json() {
    let batch = Batch {
        items: vec![
            Item {
                method: "POST".to_owned(),
                relative_url: "orders/1?x=\"é\"".to_owned(),
                headers: vec![
                    ("Accept".to_owned(), "a/b".to_owned()),
                    ("X-1".to_owned(), String::new()),
                ],
                body: "{\n\t\"a\": 1.0\n}".to_owned(),
            },
            item("get"),
        ],
        sequential: true,
    };
    assert_eq!(Batch::from_json(&batch.to_json()), Ok(batch));
    assert_eq!(
        Batch::from_json(&Batch::default().to_json()),
        Ok(Batch::default())
    );
}

#[wasm_bindgen_test]
fn omitted_members_have_defaults() {
    let read =
        Batch::from_json("{\"requests\":[{\"relative_url\":\"a\",\"headers\":null}]}").unwrap();
    assert_eq!(
        read,
        Batch {
            items: vec![item("a")],
            sequential: false
        }
    );
}

#[wasm_bindgen_test]
fn unreadable_parts_are_reported() {
    let cases = [
        ("{\"requests\":[", "Line 1"),
        ("{}", "\"requests\" is missing"),
        ("{\"requests\":{}}", "has to be an array"),
        ("{\"requests\":[{},5]}", "request 2: has to be an object"),
        (
            "{\"requests\":[{\"body\":{}}]}",
            "request 1: body has to be a string",
        ),
        (
            "{\"requests\":[{\"headers\":{\"A\":1}}]}",
            "request 1: header A has to be a string",
        ),
    ];
    for (text, part) in cases {
        let problem = Batch::from_json(text).unwrap_err();
        assert!(problem.contains(part), "{text}: {problem}");
    }
}

#[wasm_bindgen_test]
fn items_move_by_one_and_stop_at_the_ends() {
    let mut batch = Batch {
        items: vec![item("a"), item("b")],
        sequential: false,
    };
    assert_eq!(batch.shift(0, false), 0);
    assert_eq!(batch.shift(0, true), 1);
    assert_eq!(batch.items[0].relative_url, "b");
    assert_eq!(batch.shift(1, true), 1);
}
