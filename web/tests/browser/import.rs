//! Importing OpenAPI documents, as plain values, and handing documents from page to page.

use gatewright_model::Position;
use gatewright_web::api::Document;
use gatewright_web::state::draft::Draft;
use gatewright_web::state::files::too_large;
use gatewright_web::state::handover::{Handover, read_draft, write_draft};
use gatewright_web::state::import::{Choices, Outcome, Remark, Source, grouped};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn choices_are_the_options_of_the_model() {
    let choices = Choices {
        name: Some("a \"b\"".to_owned()),
        api_id: Some(String::new()),
        server: 2,
        mock_responses: true,
        ..Choices::default()
    };
    let options: gatewright_model::openapi::Options =
        serde_json::from_str(&choices.to_json(Some("https://a.example/x"))).unwrap();
    let expected = gatewright_model::openapi::Options {
        name: Some("a \"b\"".to_owned()),
        api_id: Some(String::new()),
        server: 2,
        mock_responses: true,
        document_url: Some("https://a.example/x".to_owned()),
        ..gatewright_model::openapi::Options::default()
    };
    assert_eq!(options, expected);
    let nothing: gatewright_model::openapi::Options =
        serde_json::from_str(&Choices::default().to_json(None)).unwrap();
    assert_eq!(nothing, gatewright_model::openapi::Options::default());
}

#[wasm_bindgen_test]
fn an_answer_of_the_worker_is_read() {
    let text = r#"{"openapi":"3.1.0","info":{"version":"7"},"servers":[{"url":"https://{a}"}],"security":[{"k":[]}],"paths":{"/a":{"get":{},"put":{}}}}"#;
    let import = gatewright_model::openapi::import(text, &Default::default()).unwrap();
    let mut answer = serde_json::to_value(&import).unwrap();
    answer["format"] = "json".into();
    answer["consequences"] = serde_json::json!({ "allow_list": "not served" });
    answer["report"][0]["line"] = 3.into();
    answer["report"][0]["column"] = 5.into();
    let outcome = Outcome::read(&answer.to_string()).unwrap();
    let made = outcome.made.unwrap();
    assert_eq!((outcome.format.as_str(), outcome.issues.len()), ("json", 0));
    assert_eq!(made.definition, import.definition);
    assert_eq!(made.report.len(), import.report.len());
    assert_eq!(made.report[0].position, (3, 5));
    assert_eq!(
        (made.openapi.as_str(), made.version.as_str()),
        ("3.1.0", "7")
    );
    assert_eq!((made.paths, made.operations), (1, 2));
    assert_eq!(made.schemes, ["k"]);
    let said = ("allow_list".to_owned(), "not served".to_owned());
    assert_eq!(made.consequences, [said]);
    assert_eq!(
        (
            made.servers[0].url.as_str(),
            made.servers[0].written.as_str()
        ),
        ("", "https://{a}")
    );

    let refused = r#"{"format":"yaml","issues":[{"pointer":"/a","code":"syntax","severity":"error","message":"m","line":2,"column":3,"end_line":2,"end_column":4}]}"#;
    let outcome = Outcome::read(refused).unwrap();
    assert!(outcome.made.is_none());
    assert_eq!(outcome.issues[0].start, Position { line: 2, column: 3 });
    assert!(Outcome::read("no answer").is_none());
}

#[wasm_bindgen_test]
fn remarks_that_say_the_same_are_one_group() {
    let remark = |pointer: &str, imported, message: &str| Remark {
        pointer: pointer.to_owned(),
        imported,
        message: message.to_owned(),
        position: (1, 1),
    };
    let report = [
        remark("/a", false, "x"),
        remark("/b", true, "x"),
        remark("/c", false, "y"),
        remark("/d", false, "x"),
    ];
    let said = |imported| {
        let pointers = |about: Vec<(String, Position)>| {
            let pointers: Vec<_> = about.into_iter().map(|(pointer, _)| pointer).collect();
            pointers.join(" ")
        };
        let groups = grouped(&report, imported).into_iter();
        groups
            .map(|group| format!("{}: {}", group.message, pointers(group.about)))
            .collect::<Vec<_>>()
    };
    assert_eq!(said(false), ["x: /a /d", "y: /c"]);
    assert_eq!(said(true), ["x: /b"]);
}

#[wasm_bindgen_test]
fn draft_is_handed_over_once_to_its_page() {
    let owner = Owner::new();
    owner.with(|| {
        let handover = Handover::new();
        assert!(handover.take_draft(None).is_none());
        let draft = Draft::with(None, "{}".to_owned());
        handover.give_draft(None, draft.clone());
        assert_eq!(handover.take_draft(None), Some(draft.clone()));
        assert!(handover.take_draft(None).is_none());
        handover.give_draft(Some("a".to_owned()), draft);
        assert!(handover.take_draft(Some("b")).is_none());
        assert!(
            handover.take_draft(Some("a")).is_none(),
            "nobody came for it"
        );
        handover.give_source(Source::new("\u{FEFF}x", "a.yaml", None));
        assert_eq!(handover.take_source().unwrap().text, "x");
        assert!(handover.take_source().is_none());
    });
}

#[wasm_bindgen_test]
fn the_limit_of_documents_is_named() {
    let said = too_large("a.json", 9_000_000);
    assert!(
        said.starts_with("a.json has 9.0 MB; the limit is 8.4 MB (8388608 bytes)"),
        "{said}"
    );
    assert!(too_large("", 9_000_000).starts_with("The document has"));
}

#[wasm_bindgen_test]
fn a_draft_goes_from_one_module_to_another_unchanged() {
    let draft = Draft::with(
        Some(Document {
            text: "{\"a\": 1.0}".to_owned(),
            etag: "\"7\"".to_owned(),
            pending: true,
            base_api: Some("b".to_owned()),
        }),
        "no \\ \u{1F600} json\n".to_owned(),
    );
    for id in [None, Some("a")] {
        let given = (id.map(str::to_owned), draft.clone());
        assert_eq!(read_draft(&write_draft(id, &draft)), Some(given));
    }
    let new = Draft::with(None, String::new());
    assert_eq!(
        read_draft(&write_draft(None, &new)),
        Some((None, new.clone()))
    );
    assert_eq!(read_draft("{}"), None);
}
