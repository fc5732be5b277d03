//! The effect of saving, carrying changes over, and comparing.

use gatewright_model::lines::{LineKind, line_diff};
use gatewright_web::api::{ApiError, Document, Refused};
use gatewright_web::state::draft::{Draft, Review, Tally, as_read, plural};
use gatewright_web::state::hunks::{counts, hunks};
use gatewright_web::state::rebase::rebase;
use gatewright_web::state::session::Key;
use wasm_bindgen_test::wasm_bindgen_test;

fn stored(text: &str, revision: u64) -> Document {
    Document {
        text: text.to_owned(),
        etag: format!("\"{revision}\""),
        ..Document::default()
    }
}

fn edited(base: &str, text: &str) -> Draft {
    Draft {
        text: text.to_owned(),
        ..Draft::of(stored(base, 1))
    }
}

#[wasm_bindgen_test]
fn a_template_and_a_stored_text_are_no_edits() {
    assert!(!Draft::new().dirty());
    assert!(!Draft::of(stored("{}", 1)).dirty());
    assert!(edited("{}", "{ }").dirty());
}

#[wasm_bindgen_test]
fn one_line_text_opens_formatted_without_edit() {
    let line = "{\"n\":1.0,\"u\":\"\\u00e9\"}";
    let mut draft = Draft::of(stored(line, 1));
    assert_eq!(draft.text, "{\n  \"n\": 1.0,\n  \"u\": \"\\u00e9\"\n}");
    assert!(!draft.dirty() && draft.stored_on_one_line());
    assert_eq!(draft.saves(), line);
    draft.text = draft.text.replace("1.0", "2.0");
    assert!(draft.dirty());
    assert_eq!(draft.saves(), draft.text);
    draft.text = line.to_owned();
    assert!(!draft.dirty(), "what is stored, typed again");
    let other = "{\n \"n\":1.0}\n";
    assert_eq!(Draft::of(stored(other, 1)).text, other);
}

#[wasm_bindgen_test]
fn to_ask_for_the_layout_is_an_edit() {
    let mut draft = Draft::of(stored("{\"n\":1.0}", 1));
    assert!(draft.format() && draft.dirty());
    assert_eq!(draft.saves(), "{\n  \"n\": 1.0\n}");
    let text = draft.text.clone();
    draft.store(stored(&text, 2));
    assert!(!draft.dirty() && !draft.stored_on_one_line());
    assert!(draft.format() && !draft.dirty(), "it is laid out already");
    draft.text = "{ half".to_owned();
    assert!(!draft.format());
    assert_eq!(draft.text, "{ half");
}

#[wasm_bindgen_test]
fn the_template_is_valid() {
    assert_eq!(
        Tally::of(&gatewright_model::validate(&Draft::new().text)),
        Tally::default()
    );
}

#[wasm_bindgen_test]
fn an_untouched_base_is_replaced() {
    let review = edited("{}", "{\"a\":1}").review(Some(stored("{}", 1)));
    assert_eq!(
        review,
        Review::Update {
            stored: stored("{}", 1)
        }
    );
}

#[wasm_bindgen_test]
fn a_revision_with_the_same_text_is_no_conflict_but_guards_the_save() {
    let review = edited("{}", "{\"a\":1}").review(Some(stored("{}", 5)));
    assert_eq!(
        review,
        Review::Update {
            stored: stored("{}", 5)
        }
    );
}

#[wasm_bindgen_test]
fn another_text_is_a_conflict() {
    let review = edited("{}", "{\"a\":1}").review(Some(stored("{\"b\":1}", 2)));
    assert_eq!(
        review,
        Review::Conflict {
            base: stored("{}", 1),
            theirs: stored("{\"b\":1}", 2)
        }
    );
}

#[wasm_bindgen_test]
fn deleted_new_and_equal_are_distinguished() {
    assert_eq!(
        edited("{}", "{\"a\":1}").review(None),
        Review::Gone {
            base: stored("{}", 1)
        }
    );
    assert_eq!(Draft::new().review(None), Review::Create);
    assert_eq!(
        Draft::of(stored("{}", 1)).review(Some(stored("{}", 1))),
        Review::Same
    );
}

#[wasm_bindgen_test]
fn changes_of_both_are_kept_and_every_other_byte_is_theirs() {
    let base = "{\"a\": 1, \"b\": 2, \"n\": 1.0}";
    let theirs = "{\n  \"a\": 1,\n  \"b\": 3,\n  \"n\": 1.0\n}";
    let rebased = rebase(base, "{\"a\": 9, \"b\": 2, \"n\": 1.0}", theirs).unwrap();
    assert_eq!(rebased.text, theirs.replace("\"a\": 1", "\"a\": 9"));
    assert_eq!(
        (rebased.carried, rebased.overlapping),
        (vec!["/a".to_owned()], vec![])
    );
}

#[wasm_bindgen_test]
fn the_same_member_changed_by_both_is_mine_and_is_named() {
    let rebased = rebase(
        "{\"a\":{\"b\":1}}",
        "{\"a\":{\"b\":2}}",
        "{\"a\":{\"b\":3}}",
    )
    .unwrap();
    assert_eq!(rebased.text, "{\"a\":{\"b\":2}}");
    assert_eq!(rebased.overlapping, ["/a/b"]);
}

#[wasm_bindgen_test]
fn the_same_change_of_both_is_no_overlap() {
    let rebased = rebase("{\"a\":1}", "{\"a\":2}", "{\"a\":2}").unwrap();
    assert_eq!((rebased.carried.len(), rebased.overlapping.len()), (1, 0));
}

#[wasm_bindgen_test]
fn arrays_are_never_mixed() {
    let (base, mine, theirs) = (
        "{\"t\":[\"a\",\"b\"]}",
        "{\"t\":[\"x\",\"a\",\"b\"]}",
        "{\"t\":[\"a\",\"b\",\"c\"]}",
    );
    let rebased = rebase(base, mine, theirs).unwrap();
    assert_eq!(rebased.text, mine);
    assert_eq!(rebased.overlapping, ["/t"]);
    assert_eq!(rebase(base, base, theirs).unwrap().text, theirs);
}

#[wasm_bindgen_test]
fn removal_is_rebased_and_overlap_is_reported() {
    let rebased = rebase(
        "{\"a\":1,\"b\":2}",
        "{\"a\":1}",
        "{\"a\":1,\"b\":2,\"c\":3}",
    )
    .unwrap();
    assert_eq!(rebased.text, "{\"a\":1,\"c\":3}");
    let gone = rebase("{\"a\":{\"b\":1}}", "{\"a\":{\"b\":2}}", "{}").unwrap();
    assert_eq!([gone.overlapping, gone.dropped].concat(), ["/a/b"]);
}

#[wasm_bindgen_test]
fn far_unchanged_lines_are_folded_and_all_are_numbered() {
    let before: String = (1..=20).map(|line| format!("{line}\n")).collect();
    let folded = hunks(line_diff(&before, &before.replace("10\n", "ten\n")));
    let shape: Vec<(bool, usize)> = folded
        .iter()
        .map(|hunk| (hunk.folded, hunk.lines.len()))
        .collect();
    assert_eq!(shape[..2], [(true, 6), (false, 8)]);
    assert_eq!(counts(&folded), (1, 1));
    let removed = folded
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .find(|line| line.kind == LineKind::Removed)
        .unwrap();
    assert_eq!(
        (removed.before, removed.after, removed.text.as_str()),
        (Some(10), None, "10")
    );
}

#[wasm_bindgen_test]
fn nouns_follow_their_count() {
    assert_eq!(
        [plural(1, "reply"), plural(2, "reply"), plural(0, "change")],
        ["1 reply", "2 replies", "0 changes"]
    );
}

#[wasm_bindgen_test]
fn a_status_decides_the_kind_of_failure() {
    let by = |key, status| {
        let refused = Refused {
            status,
            request_id: Some("r1".to_owned()),
            ..Refused::default()
        };
        ApiError::of(key, refused)
    };
    let of = |status| by(Key::Secret, status);
    assert_eq!(of(403), ApiError::Forbidden);
    assert_eq!(by(Key::Token, 401), ApiError::NotAuthorised);
    assert_eq!(
        by(Key::Token, 403).title(),
        "Not permitted",
        "the token is good, but not for this"
    );
    assert!(matches!(of(404), ApiError::Missing(_)));
    assert!(matches!(of(409), ApiError::Taken(_)));
    assert!(matches!(of(412), ApiError::Stale(_)));
    assert_eq!(of(500).title(), "The gateway failed");
    assert_eq!(of(500).request_id(), Some("r1"));
    assert_eq!(of(500).to_string(), "The gateway answered with status 500.");
}

#[wasm_bindgen_test]
fn endless_line_is_formatted_but_long_string_is_not() {
    let list = vec!["1"; 600].join(",");
    let sent = format!("{{\"a\":[{list}],\"servers\":[\n  {{}}\n]}}");
    assert!(as_read(&sent).lines().count() > 600);
    let draft = Draft::of(Document {
        text: sent.clone(),
        ..Document::default()
    });
    assert!(draft.stored_on_one_line() && !draft.dirty());
    assert_eq!(draft.saves(), sent);
    let long = format!("{{\n  \"a\": \"{}\"\n}}\n", "x".repeat(5_000));
    assert_eq!(as_read(&long), long);
}
