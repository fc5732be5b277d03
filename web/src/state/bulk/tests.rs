//! Tests of plans, writes, reports and files.

use gatewright_model::json::parse;
use gatewright_model::openapi::DocumentKind;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::change::{Change, change, named};
use super::excerpt::Excerpt;
use super::matching::Matching;
use super::plan::{Order, Plan, Seen, Step, Undo};
use super::report::{Outcome, Report};
use super::selection::{Pick, Selected, Shown, picks};
use super::verb::{Verb, end};
use super::{Guard, Kind, Write, read_path};
use crate::api::{ApiError, Document, Refused};

const NOW: i64 = 1_000_000;

fn pick(id: &str) -> Pick {
    Pick {
        id: id.to_owned(),
        name: id.to_uppercase(),
        document: None,
    }
}

fn shown(ids: &[&str]) -> Vec<Pick> {
    ids.iter().map(|id| pick(id)).collect()
}

fn order(verb: Verb, kind: Kind, input: &str) -> Order {
    Order {
        verb,
        kind,
        input: input.to_owned(),
        insists: false,
        now: NOW,
    }
}

fn seen(text: &str, users: &[&str]) -> Seen {
    Seen {
        document: Document {
            text: text.to_owned(),
            etag: "\"7\"".to_owned(),
            ..Document::default()
        },
        users: users.iter().map(|user| (*user).to_owned()).collect(),
    }
}

fn text(change: Change) -> String {
    match change {
        Change::Text(text, _) => text,
        Change::Already(why) => format!("already: {why}"),
        Change::Cannot(why) => format!("cannot: {why}"),
    }
}

#[test]
fn matches_are_fetched_by_page_up_to_the_plan_limit() {
    let of = |total| Matching {
        total,
        query: "view=summary&q=a%20b&p=3&per_page=50".to_owned(),
    };
    assert_eq!(Matching::parse(&of(312).text()), Some(of(312)));
    assert_eq!(Matching::parse(""), None);
    assert_eq!(of(312).label(), "Select all 312 that match");
    let asked: Vec<String> = of(312).requests().collect();
    assert_eq!(asked, ["view=summary&q=a%20b&p=1&per_page=500"]);
    assert_eq!(of(3200).label(), "Select the first 1000 of 3200 that match");
    assert_eq!((of(3200).wanted(), of(3200).requests().count()), (1000, 2));
}

#[test]
fn selection_outlives_the_page() {
    let first = shown(&["a", "b", "c", "d"]);
    let mut selected = Selected::default();
    selected.press(&first, "b", true, false);
    selected.press(&first, "d", true, true);
    assert_eq!(selected.words(&first), "3 selected");
    assert_eq!(selected.of(&first), Shown::Some);
    let second = shown(&["d", "e"]);
    assert_eq!(selected.words(&second), "3 selected, 2 not shown");
    // The range starts at the document clicked last, which is on this page too.
    selected.press(&second, "e", false, true);
    assert_eq!(selected.words(&second), "2 selected, 2 not shown");
    selected.set(&second, true);
    assert_eq!(selected.of(&second), Shown::All);
    assert_eq!(picks(&selected.json()).len(), 4);
    selected.forget(&["b", "c"]);
    assert_eq!(picks(&selected.json()), second);
    selected.clear();
    assert_eq!(selected.words(&first), "");
    assert_eq!(selected.of(&[]), Shown::None);
}

#[test]
fn range_without_visible_start_is_one_document() {
    let mut selected = Selected::default();
    selected.press(&shown(&["a", "b"]), "a", true, false);
    selected.press(&shown(&["x", "y", "z"]), "z", true, true);
    assert!(selected.has("z") && !selected.has("x"));
}

#[test]
fn selection_keeps_its_documents() {
    let mut selected = Selected::default();
    let mcp = Pick {
        document: Some(DocumentKind::Mcp),
        ..pick("m \"1\"\n")
    };
    selected.set(std::slice::from_ref(&mcp), true);
    assert_eq!(picks(&selected.json()), [mcp]);
    assert!(picks("no json").is_empty());
}

#[test]
fn tags_change_and_other_bytes_stay() {
    let of = |verb, stored: &str| text(change(verb, Kind::Api, &pick("a"), " new ", stored, NOW));
    assert_eq!(
        of(Verb::Tag, r#"{ "tags":["x"], "n": 1.0 }"#),
        r#"{ "tags":["x","new"], "n": 1.0 }"#
    );
    assert_eq!(of(Verb::Tag, r#"{"tags":null}"#), r#"{"tags":["new"]}"#);
    assert_eq!(of(Verb::Tag, r#"{"n":1}"#), r#"{"n":1,"tags":["new"]}"#);
    assert_eq!(
        of(Verb::Tag, r#"{"tags":["new"]}"#),
        "already: It already has this tag."
    );
    assert_eq!(
        of(Verb::Tag, r#"{"tags":"new"}"#),
        "cannot: Its tags are not a list."
    );
    assert_eq!(
        of(Verb::Untag, r#"{"tags":["new","x","new"]}"#),
        r#"{"tags":["x"]}"#
    );
    assert_eq!(
        of(Verb::Untag, r#"{"tags":[]}"#),
        "already: It doesn't have this tag."
    );
    assert_eq!(of(Verb::Untag, "{"), "cannot: The stored text is not JSON.");
}

#[test]
fn documents_of_openapi_have_their_tags_and_switch_in_the_extension() {
    let oas = Pick {
        document: Some(DocumentKind::Oas),
        ..pick("pets")
    };
    let of = |verb, stored: &str| text(change(verb, Kind::Api, &oas, "new", stored, NOW));
    let bare =
        r#"{"openapi":"3.0.3","x-gateway-api-gateway":{"server":{"listenPath":{"value":"/p/"}}}}"#;
    let tagged = of(Verb::Tag, bare);
    let value = parse(&tagged).unwrap();
    let tags = value
        .pointer("/x-gateway-api-gateway/server/gatewayTags")
        .unwrap();
    assert_eq!(tags.bool("enabled"), Some(true));
    assert_eq!(named(Verb::Untag, &oas, &tagged), ["new"]);
    let off = of(Verb::Deactivate, &tagged);
    assert!(off.contains(r#""state":{"active":false}"#), "{off}");
    assert_eq!(of(Verb::Activate, &tagged), "already: It is active.");
    assert_eq!(of(Verb::Deactivate, &off), "already: It is inactive.");
}

#[test]
fn apis_and_policies_are_switched_by_different_members() {
    let of = |verb, kind, stored: &str| text(change(verb, kind, &pick("a"), "", stored, NOW));
    assert_eq!(of(Verb::Deactivate, Kind::Api, "{}"), r#"{"active":false}"#);
    assert_eq!(
        of(Verb::Activate, Kind::Api, r#"{"active":false}"#),
        r#"{"active":true}"#
    );
    assert_eq!(
        of(Verb::Deactivate, Kind::Policy, r#"{"active":true}"#),
        r#"{"active":true,"is_inactive":true}"#
    );
    assert_eq!(
        of(Verb::Activate, Kind::Policy, "{}"),
        "already: It is active."
    );
}

#[test]
fn keys_are_extended_from_their_end_or_from_now() {
    let of = |input: &str, stored: &str| {
        text(change(
            Verb::Extend,
            Kind::Key,
            &pick("k"),
            input,
            stored,
            NOW,
        ))
    };
    assert_eq!(of("+1", r#"{"expires":2000000}"#), r#"{"expires":2086400}"#);
    // Expiry 1 marks a key that was ended by hand.
    assert_eq!(of("+1", r#"{"expires":1}"#), r#"{"expires":1086400}"#);
    assert_eq!(of("+1", r#"{"expires":0}"#), "already: It never expires.");
    assert_eq!(of("never", r#"{"expires":5}"#), r#"{"expires":0}"#);
    assert_eq!(of("never", "{}"), "already: It already has this expiry.");
    let sooner = change(
        Verb::Extend,
        Kind::Key,
        &pick("k"),
        "@1500000",
        r#"{"expires":2000000}"#,
        NOW,
    );
    let says = "It expires earlier than before".to_owned();
    assert_eq!(
        sooner,
        Change::Text(r#"{"expires":1500000}"#.to_owned(), says)
    );
    assert_eq!(of("@3000000", r#"{"expires":0}"#), r#"{"expires":3000000}"#);
    assert_eq!(end("soon", 0, NOW), None);
    assert!(Verb::Extend.takes("@999999", NOW).is_err());
    assert!(Verb::Extend.takes("", NOW).is_err());
    assert!(Verb::Extend.takes("never", NOW).is_ok());
}

#[test]
fn applied_policies_of_keys_are_edited() {
    let of = |verb, stored: &str| text(change(verb, Kind::Key, &pick("k"), "gold", stored, NOW));
    assert_eq!(of(Verb::AddPolicy, "{}"), r#"{"apply_policies":["gold"]}"#);
    assert_eq!(
        of(Verb::AddPolicy, r#"{"apply_policies":["a"]}"#),
        r#"{"apply_policies":["a","gold"]}"#
    );
    // The single policy takes effect only without a list: it must not be lost.
    assert_eq!(
        of(
            Verb::AddPolicy,
            r#"{"apply_policies":[],"apply_policy_id":"a"}"#
        ),
        r#"{"apply_policies":["a","gold"],"apply_policy_id":"a"}"#
    );
    assert_eq!(
        of(
            Verb::RemovePolicy,
            r#"{"apply_policies":["gold","a"],"apply_policy_id":"gold"}"#
        ),
        r#"{"apply_policies":["a"]}"#
    );
    assert_eq!(
        of(Verb::RemovePolicy, r#"{"apply_policies":["a"]}"#),
        "already: It doesn't have this policy."
    );
    let emptied = change(
        Verb::RemovePolicy,
        Kind::Key,
        &pick("k"),
        "gold",
        r#"{"apply_policies":["gold"]}"#,
        NOW,
    );
    let says = "No policies left: it no longer opens any API".to_owned();
    assert_eq!(
        emptied,
        Change::Text(r#"{"apply_policies":[]}"#.to_owned(), says)
    );
}

#[test]
fn plan_lists_skipped_first_and_sends_seen_revisions() {
    let looked = [
        (pick("a"), Ok(seen(r#"{"tags":[]}"#, &[]))),
        (pick("b"), Ok(seen(r#"{"tags":["t"]}"#, &[]))),
        (pick("c"), Err("Not found: gone".to_owned())),
    ];
    let plan = Plan::of(&order(Verb::Tag, Kind::Api, "t"), &looked);
    let ids: Vec<&str> = plan.lines.iter().map(|line| &*line.pick.id).collect();
    assert_eq!(ids, ["c", "a", "b"]);
    assert_eq!(plan.count(), 1);
    assert_eq!(plan.words(), "1 to do, 1 unchanged, 1 not possible");
    let write = Write {
        method: "PUT",
        path: "/gateway/apis/a".to_owned(),
        guard: Guard::Stored("\"7\"".to_owned()),
        body: Some(r#"{"tags":["t"]}"#.to_owned()),
    };
    let undo = Undo::Text(r#"{"tags":[]}"#.to_owned());
    assert_eq!(
        plan.lines.get(1).map(|line| &line.step),
        Some(&Step::Send(write, undo))
    );
}

#[test]
fn referenced_documents_are_deleted_only_on_insistence() {
    let looked = [
        (pick("gold"), Ok(seen("{}", &["12 keys"]))),
        (pick("free"), Ok(seen("{}", &[]))),
    ];
    let mut order = order(Verb::Delete, Kind::Policy, "");
    let plan = Plan::of(&order, &looked);
    assert_eq!(plan.words(), "1 to do, 1 left out because still in use");
    assert!(plan.holds());
    let held = plan.lines.first().map(|line| &*line.says);
    assert_eq!(held, Some("Used by 12 keys"));
    order.insists = true;
    let plan = Plan::of(&order, &looked);
    assert_eq!(plan.count(), 2);
    let Some(Step::Send(write, Undo::Write(back))) = plan.lines.first().map(|line| &line.step)
    else {
        panic!("{plan:?}");
    };
    assert_eq!(write, &Write::delete(Kind::Policy, &pick("gold"), "\"7\""));
    assert_eq!(back.path, "/gateway/policies/gold/revisions/7/restore");
    // What somebody has stored under the id since then is not overwritten.
    assert_eq!(back.guard, Guard::Nothing);
}

#[test]
fn disabling_a_policy_names_affected_keys() {
    let looked = [(pick("gold"), Ok(seen("{}", &["12 keys"])))];
    let plan = Plan::of(&order(Verb::Deactivate, Kind::Policy, ""), &looked);
    let says = plan.lines.first().map(|line| &*line.says);
    assert_eq!(says, Some("It becomes inactive; used by 12 keys"));
}

#[test]
fn keys_are_written_without_touching_their_counters_and_revoked_for_good() {
    let key = pick("ab=");
    assert_eq!(
        read_path(Kind::Key, &key),
        "/gateway/keys/ab%3D?applied=false"
    );
    assert_eq!(
        read_path(Kind::Policy, &pick("gold")),
        "/gateway/policies/gold?complete=false"
    );
    assert_eq!(
        read_path(Kind::Api, &pick("orders")),
        "/gateway/apis/orders?complete=false"
    );
    let write = Write::put(Kind::Key, &key, "{}".to_owned(), "\"1\"");
    assert_eq!(write.path, "/gateway/keys/ab%3D?suppress_reset=1");
    assert_eq!(
        Write::delete(Kind::Key, &key, "\"1\"").path,
        "/gateway/keys/ab%3D"
    );
    assert_eq!(
        Write::restore(Kind::Key, &key, &seen("{}", &[]).document),
        None
    );
    let oas = Pick {
        document: Some(DocumentKind::Oas),
        ..pick("pets")
    };
    assert_eq!(read_path(Kind::Api, &oas), "/gateway/apis/oas/pets");
}

#[test]
fn report_counts_and_lists_retries_and_undos() {
    let looked: Vec<_> = ["a", "b", "c"]
        .map(|id| (pick(id), Ok(seen("{}", &[]))))
        .into();
    let plan = Plan::of(&order(Verb::Deactivate, Kind::Api, ""), &looked);
    let mut report = Report::begin(&plan.lines);
    assert_eq!((report.ended(), report.entries.len()), (0, 3));
    let answers = [
        Ok("\"8\"".to_owned()),
        Err(ApiError::Stale(Refused::default())),
    ];
    for ((entry, line), answer) in report.entries.iter_mut().zip(&plan.lines).zip(answers) {
        let Step::Send(_, undo) = &line.step else {
            panic!("{line:?}");
        };
        entry.outcome = Outcome::of(Kind::Api, &line.pick, undo, answer);
    }
    assert_eq!(report.words(), "1 done, 1 failed, 1 not started");
    let again: Vec<String> = report.again().into_iter().map(|pick| pick.id).collect();
    assert_eq!(again, ["b", "c"]);
    assert!(
        matches!(&report.entries.get(1).unwrap().outcome, Outcome::Failed(why) if why.starts_with("Somebody else has changed it"))
    );
    let undo = report.undo();
    let back = Write::put(Kind::Api, &pick("a"), "{}".to_owned(), "\"8\"");
    assert_eq!(undo.len(), 1);
    assert_eq!(
        undo.first().map(|line| &line.step),
        Some(&Step::Send(back, Undo::Never))
    );
}

const FIRST: &str = r#"{"export":{"format":1,"id":"0123456789abcdef","sealing":{"how":"x","salt":"s","proof":"p"}}}"#;
const LAST: &str = r#"{"end":{"number":57,"written_meanwhile":0,"counts":{"api":2},"secrets_left_out":3,"sha256":"00"}}"#;

fn excerpt(kind: Kind, ids: &[&str], lines: &[&str]) -> Excerpt {
    let ids = ids.iter().map(|id| (*id).to_owned()).collect();
    let mut excerpt = Excerpt::of(kind, ids);
    lines
        .iter()
        .for_each(|line| excerpt.push((*line).to_owned()));
    excerpt
}

#[test]
fn file_has_the_selected_lines_unchanged() {
    let api = r#"{"api":{"id":"a","text":"{\"id\":\"b\"}"}}"#;
    let other = r#"{"api":{"id":"b","text":"{}"}}"#;
    let key = r#"{"session":{"owner":"key","id":"a"}}"#;
    let taken = excerpt(Kind::Api, &["c", "a"], &[FIRST, api, other, key, LAST]);
    assert!(taken.has("a") && !taken.has("b") && !taken.has("c"));
    let body = taken.body().unwrap();
    // Nothing in it is sealed, so no passphrase is needed.
    let first = FIRST.replace(r#"{"how":"x","salt":"s","proof":"p"}"#, "null");
    assert_eq!(body.text, format!("{first}\n{api}\n"));
    let file = body.closed("ff");
    let last = file.lines().last().unwrap();
    let value = parse(last).unwrap();
    let number = |at: &str| value.pointer(at).and_then(|number| number.as_int());
    let numbers = ["counts/api", "secrets_left_out"].map(|name| number(&format!("/end/{name}")));
    assert_eq!(numbers, [Some(1), Some(3)]);
    assert_eq!(
        value.pointer("/end/sha256").and_then(|text| text.as_str()),
        Some("ff")
    );
    assert!(file.ends_with('\n'));
}

#[test]
fn sealed_secrets_stay_sealed() {
    let key = r#"{"session":{"owner":"key","id":"a","text":"{}","sealed":"xyz"}}"#;
    let body = excerpt(Kind::Key, &["a"], &[FIRST, key, LAST]).body();
    assert_eq!(body.unwrap().text, format!("{FIRST}\n{key}\n"));
}

#[test]
fn interrupted_export_makes_no_file() {
    // The line's id is an internal one.
    let policy = r#"{"record":{"kind":"policy","id":"66","text":"{\"id\":\"a\"}"}}"#;
    let other = r#"{"record":{"kind":"policy","id":"a","text":"{\"_id\":\"67\"}"}}"#;
    let broken = excerpt(Kind::Policy, &["a"], &[FIRST, policy, other]);
    assert!(broken.has("a") && !broken.has("67"));
    assert_eq!(broken.body(), None);
}
