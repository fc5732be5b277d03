//! The descriptions of what a reload will do, and of what is served.

use gatewright_model::ApiDefinition;
use gatewright_model::json::parse;
use gatewright_web::api::types::Skipped;
use gatewright_web::api::{Pending, ReloadStatus};
use gatewright_web::state::plan::{Counts, Step, Weight, done, gateway_status, groups};
use gatewright_web::state::served::{Stage, served};
use wasm_bindgen_test::wasm_bindgen_test;

fn pending(id: &str, change: &str, outlook: &str, served_now: bool) -> Pending {
    Pending {
        api_id: id.to_owned(),
        change: change.to_owned(),
        outlook: outlook.to_owned(),
        reason: (outlook == "skipped").then(|| "Not served: it is open".to_owned()),
        served_now,
        ..Pending::default()
    }
}

fn changes() -> Vec<Pending> {
    let policy = Pending {
        policy: true,
        ..pending("gold", "added", "", false)
    };
    vec![
        pending("new", "added", "served", false),
        pending("skip", "added", "skipped", false),
        pending("drop", "modified", "skipped", true),
        pending("off", "added", "inactive", false),
        pending("out", "modified", "inactive", true),
        pending("gone", "deleted", "deleted", true),
        pending("back", "modified", "served", false),
        pending("other", "modified", "served", true),
        policy,
    ]
}

#[wasm_bindgen_test]
fn only_served_apis_count_as_added() {
    let changes: Vec<Pending> = groups(&changes(), "")
        .into_iter()
        .flat_map(|(_, list)| list)
        .collect();
    let steps: Vec<Step> = changes.iter().map(Step::of).collect();
    let said: Vec<(&str, &str, &str)> = changes
        .iter()
        .zip(&steps)
        .map(|(pending, step)| (pending.api_id.as_str(), step.word, step.says.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            ("drop", "skipped", "No longer served, because it is open"),
            ("skip", "skipped", "Will be skipped, because it is open"),
            ("out", "inactive", "No longer served: it is inactive"),
            ("gone", "deleted", "No longer served: it is deleted"),
            ("new", "added", "Will be served"),
            ("back", "added", "Will be served"),
            ("other", "modified", "Will be served as revision 0"),
            ("off", "inactive", "Not served: it is inactive"),
            ("gold", "added", "Will take effect"),
        ]
    );
    assert_eq!(steps[0].weight, Weight::Lost);
}

#[wasm_bindgen_test]
fn plan_counts_losses_separately() {
    let expected = Counts {
        served: 3,
        skipped: 2,
        lost: 3,
        policies: 1,
    };
    assert_eq!(Counts::of(&changes()), expected);
}

fn status(pending: Vec<Pending>, skipped: &[&str]) -> ReloadStatus {
    let left_out = |id: &&str| Skipped {
        api_id: (*id).to_owned(),
        ..Skipped::default()
    };
    ReloadStatus {
        loaded_total: 2,
        pending_total: pending.len() as u64,
        pending,
        skipped: skipped.iter().map(left_out).collect(),
        ..ReloadStatus::default()
    }
}

#[wasm_bindgen_test]
fn skipped_changes_are_not_counted_as_published() {
    let before = status(
        vec![
            pending("a", "added", "served", false),
            pending("b", "added", "skipped", false),
        ],
        &[],
    );
    let after = status(Vec::new(), &["b", "old"]);
    assert_eq!(
        done(&before, &after),
        "2 APIs served, 2 skipped. 1 change published, 1 not."
    );
    assert_eq!(done(&after, &after), "2 APIs served, 2 skipped.");
    let clean = status(Vec::new(), &[]);
    let all = done(&status(changes(), &[]), &clean);
    assert_eq!(all, "2 APIs served, none skipped. 9 changes published.");
}

#[wasm_bindgen_test]
fn the_dot_is_green_only_while_nothing_is_left_out() {
    let clean = status(Vec::new(), &[]);
    assert_eq!(
        gateway_status(&clean),
        ("dot dot-green", "2 served".to_owned())
    );
    let left_out = status(Vec::new(), &["a"]);
    let said = ("dot dot-amber", "2 served, 1 skipped".to_owned());
    assert_eq!(gateway_status(&left_out), said);
    let both = status(vec![pending("b", "added", "served", false)], &["a"]);
    assert_eq!(gateway_status(&both).1, "2 served, 1 pending, 1 skipped");
    let failed = ReloadStatus {
        state: "failed".to_owned(),
        ..clean
    };
    assert_eq!(gateway_status(&failed).0, "dot dot-red");
}

#[wasm_bindgen_test]
fn api_counts_as_served_only_once_loaded() {
    let of = |members: &str, stage: Stage| {
        let text = format!(
            r#"{{"name":"a","use_keyless":true,{members}"proxy":{{"listen_path":"/a/","target_url":"http://a.example"}}}}"#
        );
        let definition = ApiDefinition::read(&parse(&text).unwrap());
        served(
            &definition,
            Some(&gatewright_model::validate(&text)),
            &stage,
        )
    };
    assert_eq!(of("", Stage::Loaded), "Yes");
    assert_eq!(of("", Stage::Waiting), "After the next reload");
    assert_eq!(of("", Stage::Unsaved), "Once it is saved and reloaded");
    for why in ["x", "Not served: x"] {
        let left_out = Stage::LeftOut(why.to_owned());
        assert_eq!(of("", left_out), "Not served: x");
    }
    let plugin = r#""use_go_plugin_auth":true,"#;
    let pinned = r#""pinned_public_keys":{"*":"x"},"#;
    for members in [plugin, pinned] {
        let said = of(members, Stage::Unsaved);
        assert!(said.starts_with("Not served: "), "{said}");
        assert!(said.contains("in ALLOW_UNENFORCED"), "{said}");
        // The gateway knows what the operator allows.
        let said = of(members, Stage::Loaded);
        assert!(said.starts_with("Yes, by ALLOW_UNENFORCED"), "{said}");
    }
    assert_eq!(of(r#""tags":1,"#, Stage::Loaded), "No: it has errors");
    assert_eq!(served(&ApiDefinition::default(), None, &Stage::Loaded), "…");
}
