//! Components, mounted, used and inspected.

use gatewright_model::{Issue, IssueCode, Position, Severity};
use gatewright_web::api::chain::Link;
use gatewright_web::api::{ApiError, Refused};
use gatewright_web::components::{
    ChainLinks, ChangeList, Confirm, Dialog, Failure, Glyph, LineDiff, Menu, MenuItem, ProblemList,
    QuickFixes, Remedy, StateBadge, ThemeSwitch, moment,
};
use gatewright_web::state::draft::changes_between;
use gatewright_web::state::session::Key;
use gatewright_web::state::theme::Theme;
use leptos::prelude::*;
use leptos::task::tick;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlDialogElement;

use crate::page::{Page, focused};

fn issue(line: u32, message: &str) -> Issue {
    let start = Position { line, column: 3 };
    Issue {
        pointer: "/proxy/listen_path".to_owned(),
        code: IssueCode::Format,
        severity: Severity::Error,
        message: message.to_owned(),
        start,
        end: start,
    }
}

#[wasm_bindgen_test]
async fn badge_explains_itself() {
    let page =
        Page::of(|| view! { <StateBadge state="invalid" problem=Some("no host".to_owned()) /> })
            .await;
    let badge = page.find(".badge");
    assert_eq!(badge.get_attribute("tabindex").as_deref(), Some("0"));
    let reason = page.find(&format!(
        "#{}",
        badge.get_attribute("aria-describedby").unwrap()
    ));
    assert_eq!(
        reason.text_content().unwrap(),
        "Skipped by the last reload: no host"
    );
}

#[wasm_bindgen_test]
async fn a_live_badge_is_no_stop_for_the_keyboard() {
    let page = Page::of(|| view! { <StateBadge state="live" /> }).await;
    assert_eq!(page.find(".badge").get_attribute("tabindex"), None);
}

#[wasm_bindgen_test]
async fn problem_links_to_its_position_and_fixes() {
    let position = RwSignal::new(None);
    let fixed = RwSignal::new(None);
    let all = RwSignal::new(false);
    // Only unambiguous fixes are applied along with others.
    let remedies = |issue: Issue| {
        vec![Remedy {
            title: format!("Mend line {}", issue.start.line),
            plain: issue.start.line == 9,
            removes: false,
        }]
    };
    let issues = RwSignal::new(vec![
        issue(4, "begins with /"),
        issue(9, "has to name a host"),
    ]);
    let page = Page::of(move || {
        view! {
            <ProblemList
                issues=issues
                on_jump=Callback::new(move |issue: Issue| position.set(Some(issue.start)))
                quick_fixes=QuickFixes {
                    remedies: Callback::new(remedies),
                    on_fix: Callback::new(move |(issue, index): (Issue, usize)| fixed.set(Some((issue.start.line, index)))),
                    on_all: Callback::new(move |()| all.set(true)),
                }
            />
        }
    })
    .await;
    assert!(
        page.text()
            .contains("Error: has to name a hostLine 9 · /proxy/listen_path"),
        "{}",
        page.text()
    );
    page.click("li:nth-child(2) button").await;
    assert_eq!(
        position.get_untracked(),
        Some(Position { line: 9, column: 3 })
    );
    page.click("li:nth-child(2) .problem-ways button").await;
    assert_eq!(fixed.get_untracked(), Some((9, 0)));
    let active = document().active_element();
    assert!(active.is_some_and(|active| active.has_attribute("tabindex")));
    page.click(".problems-all").await;
    assert!(all.get_untracked());
    issues.set(vec![issue(4, "begins with /")]);
    tick().await;
    assert_eq!(page.count(".problems-all"), 0);
    issues.set(Vec::new());
    tick().await;
    assert_eq!(page.text(), "No problems found.");
}

#[wasm_bindgen_test]
async fn a_comparison_unfolds() {
    let before: String = (1..=30).map(|line| format!("line {line}\n")).collect();
    let after = before.replace("line 20\n", "line twenty\n");
    let page =
        Page::of(move || view! { <LineDiff before=before after=after label="Lines" /> }).await;
    assert_eq!(
        (page.count(".diff-added"), page.count(".diff-removed")),
        (1, 1)
    );
    assert!(!page.text().contains("line 2 "), "{}", page.text());
    let word = |tag| page.find(tag).text_content().unwrap();
    assert_eq!(
        [word(".diff-text del"), word(".diff-text ins")],
        ["20", "twenty"]
    );
    page.click(".diff-fold button").await;
    assert!(page.text().contains("line 2"), "{}", page.text());
}

#[wasm_bindgen_test]
async fn equal_texts_are_reported_equal() {
    let page = Page::of(
        || view! { <LineDiff before="{}".to_owned() after="{}".to_owned() label="Lines" /> },
    )
    .await;
    assert_eq!(page.text(), "The two texts are the same.");
}

#[wasm_bindgen_test]
async fn changes_show_both_values_and_cut_long_ones() {
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(500));
    let changes = changes_between("{\"a\":1.0,\"b\":true}", &long);
    let page = Page::of(move || view! { <ChangeList changes=changes /> }).await;
    assert_eq!(page.find("del").text_content().unwrap(), "1.0");
    let ins = page.find("ins").text_content().unwrap();
    assert!(ins.ends_with('…') && ins.chars().count() < 200, "{ins}");
    assert!(page.text().contains("Removed/btrue"), "{}", page.text());
}

#[wasm_bindgen_test]
async fn a_dialog_takes_the_focus_and_gives_it_back() {
    let open = RwSignal::new(false);
    let page = Page::of(move || {
        let close = Callback::new(move |()| open.set(false));
        view! {
            <button id="opener" on:click=move |_| open.set(true)>"Open"</button>
            <Show when=move || open.get()>
                <Dialog title="A question" on_close=close>"Body"</Dialog>
            </Show>
        }
    })
    .await;
    page.find("#opener").focus().unwrap();
    page.click("#opener").await;
    let dialog: HtmlDialogElement = page.find("dialog").unchecked_into();
    assert!(dialog.open());
    let name = page.find(&format!(
        "#{}",
        dialog.get_attribute("aria-labelledby").unwrap()
    ));
    assert_eq!(name.text_content().unwrap(), "A question");
    assert_ne!(focused(), "Close", "Enter must not close it");
    page.click("dialog button").await;
    assert!(page.maybe("dialog").is_none());
    assert_eq!(focused(), "Open");
}

#[wasm_bindgen_test]
async fn a_question_begins_on_the_careful_answer() {
    let answer = RwSignal::new("none");
    let page = Page::of(move || {
        view! {
            <Confirm
                title="Delete it?"
                label="Delete"
                danger=true
                on_confirm=Callback::new(move |()| answer.set("yes"))
                on_cancel=Callback::new(move |()| answer.set("no"))
            >
                "It is gone then."
            </Confirm>
        }
    })
    .await;
    assert_eq!(focused(), "Cancel");
    page.click("footer .btn-danger").await;
    assert_eq!(answer.get_untracked(), "yes");
}

#[wasm_bindgen_test]
async fn a_menu_is_used_with_the_arrow_keys() {
    let chosen = RwSignal::new("");
    let page = Page::of(move || {
        view! {
            <Menu label="Actions">
                <MenuItem glyph=Glyph::Edit label="Edit" on_choose=Callback::new(move |()| chosen.set("edit")) />
                <MenuItem glyph=Glyph::Trash label="Delete" on_choose=Callback::new(move |()| chosen.set("delete")) />
            </Menu>
        }
    })
    .await;
    page.click(".menu > button").await;
    assert_eq!(focused(), "Edit");
    page.press("[role=menu]", "ArrowUp").await;
    assert_eq!(focused(), "Delete");
    page.press("[role=menu]", "Escape").await;
    assert!(page.maybe("[role=menu]").is_none());
    assert_eq!(focused(), "Actions");
    page.press(".menu > button", "ArrowDown").await;
    page.click("[role=menuitem]").await;
    assert_eq!(chosen.get_untracked(), "edit");
    assert!(page.maybe("[role=menu]").is_none());
}

#[wasm_bindgen_test]
async fn a_choice_of_theme_is_applied_and_kept() {
    let theme = RwSignal::new(Theme::System);
    let page = Page::of(move || view! { <ThemeSwitch theme=theme name="theme-test" /> }).await;
    let root = document().document_element().unwrap();
    page.click("label:nth-of-type(3) input").await;
    assert_eq!(root.get_attribute("data-theme").as_deref(), Some("dark"));
    assert_eq!(Theme::stored(), Theme::Dark);
    page.click("label:nth-of-type(1) input").await;
    assert_eq!(root.get_attribute("data-theme"), None);
    assert_eq!(Theme::stored(), Theme::System);
}

#[wasm_bindgen_test]
async fn a_failure_has_its_request_id_and_another_try() {
    let tries = RwSignal::new(0);
    let refused = Refused {
        status: 500,
        message: "no luck".to_owned(),
        request_id: Some("r-7".to_owned()),
        issues: Vec::new(),
    };
    let error = ApiError::of(Key::Secret, refused);
    let page =
        Page::of(move || view! { <Failure error=error on_retry=move |()| tries.set(1) /> }).await;
    assert_eq!(
        page.text(),
        "The gateway failedno luckRequest id r-7Try again"
    );
    assert_eq!(
        page.find(".failure").get_attribute("role").as_deref(),
        Some("alert")
    );
    page.click("button").await;
    assert_eq!(tries.get_untracked(), 1);
}

#[wasm_bindgen_test]
async fn each_link_of_a_chain_leads_to_the_members_that_made_it() {
    let link = |title: &str, phase: &str, pointers: &[&str]| Link {
        title: title.to_owned(),
        phase: phase.to_owned(),
        pointers: pointers.iter().map(|text| (*text).to_owned()).collect(),
        detail: "2 rules".to_owned(),
        ..Link::default()
    };
    let links = vec![
        link("Route", "request", &[]),
        link("Headers", "both", &["/a", "/b/0"]),
    ];
    let went = RwSignal::new(String::new());
    let jump = Callback::new(move |pointer| went.set(pointer));
    let page = Page::of(move || view! { <ChainLinks links=links on_jump=jump /> }).await;
    assert_eq!(page.count(".chain > li"), 2);
    assert!(
        page.text()
            .contains("Every API that requires a key has it."),
        "{}",
        page.text()
    );
    page.click(".chain > li:last-child li:last-child button")
        .await;
    assert_eq!(went.get_untracked(), "/b/0");
}

#[wasm_bindgen_test]
async fn layout_only_differences_are_reported_as_such() {
    let before = "{\"a\":1,\"b\":2}".to_owned();
    let after = "{\n  \"a\": 1,\n  \"b\": 2\n}".to_owned();
    let same = (before.clone(), after.clone());
    let page = Page::of(|| view! { <LineDiff before=same.0 after=same.1 label="Lines" /> }).await;
    assert_eq!(page.text(), "Only the formatting differs.");
    let after = after.replace('2', "3");
    let page =
        Page::of(move || view! { <LineDiff before=before after=after label="Lines" /> }).await;
    assert_eq!(
        (page.count(".diff-added"), page.count(".diff-removed")),
        (1, 1)
    );
}

#[wasm_bindgen_test]
fn a_date_is_the_same_for_readers_of_every_country() {
    // In local time, which is at most a day away.
    let shown = moment("2026-03-14T15:09:26Z");
    let parts = shown.split(['-', ' ', ':']).collect::<Vec<_>>();
    assert_eq!(
        (parts.len(), parts[0], parts[1]),
        (6, "2026", "03"),
        "{shown}"
    );
    assert_eq!(moment("never"), "");
}
