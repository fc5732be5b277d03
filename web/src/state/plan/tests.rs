use super::*;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn changes_are_grouped_by_effect_and_chosen_singly() {
    let one = |id: &str, change: &str, outlook: &str, served_now| Pending {
        api_id: id.to_owned(),
        listen_path: format!("/{id}/"),
        change: change.to_owned(),
        outlook: outlook.to_owned(),
        served_now,
        ..Pending::default()
    };
    let policy = Pending {
        policy: true,
        ..one("b", "added", "", false)
    };
    let pending = [
        one("a", "added", "served", false),
        one("b", "modified", "skipped", true),
        one("c", "modified", "served", true),
        one("d", "deleted", "deleted", true),
        one("e", "added", "inactive", false),
        one("f", "added", "skipped", false),
        policy,
    ];
    let described: Vec<(Effect, usize)> = groups(&pending, "")
        .into_iter()
        .map(|(effect, list)| (effect, list.len()))
        .collect();
    assert_eq!(
        described,
        [
            (Effect::DropsOut, 1),
            (Effect::Skipped, 1),
            (Effect::Stops, 1),
            (Effect::Starts, 1),
            (Effect::Changes, 1),
            (Effect::Nothing, 1),
            (Effect::Policy, 1)
        ]
    );
    assert_eq!(groups(&pending, " /A/ ").len(), 1);
    let left_out = ["a", "b", "c", "d", "e"].map(|id| format!("api {id}"));
    let mut left_out = BTreeSet::from(left_out);
    assert_eq!(
        selection(&pending, &left_out).unwrap(),
        r#"{"apis":["f"],"policies":["b"]}"#
    );
    left_out.clear();
    assert_eq!(selection(&pending, &left_out), None);
    let moved = Pending {
        served_path: Some("/old/".to_owned()),
        takes_over: Some("z".to_owned()),
        ..one("c", "modified", "served", true)
    };
    assert_eq!(
        Step::back(&pending[3]).says,
        "No longer served: that generation does not have it"
    );
    assert_eq!(
        Step::of(&moved).says,
        "Moves from /old/ to /c/; z is served under /c/ until then"
    );
}

fn at(id: &str, change: &str, now: Option<u64>, revision: u64) -> Pending {
    Pending {
        api_id: id.to_owned(),
        change: change.to_owned(),
        loaded_revision: now,
        revision,
        ..Pending::default()
    }
}

#[test]
fn generations_are_compared_by_their_differences_from_now() {
    let from = [
        at("alike", "modified", Some(4), 2),
        at("both", "modified", Some(9), 3),
        at("gone", "deleted", Some(5), 5),
        at("mine", "added", None, 1),
        at("older", "modified", Some(7), 6),
    ];
    let to = [
        at("alike", "modified", Some(4), 2),
        at("both", "modified", Some(9), 8),
        at("theirs", "modified", Some(3), 2),
    ];
    let described = |apart: Vec<DifferingRevisions>| -> Vec<(String, Option<u64>, Option<u64>)> {
        let each = apart.into_iter();
        each.map(|one| (one.id, one.revisions[0], one.revisions[1]))
            .collect()
    };
    let line = |id: &str, from, to| (id.to_owned(), from, to);
    assert_eq!(
        described(between(&from, &to)),
        [
            line("both", Some(3), Some(8)),
            line("gone", None, Some(5)),
            line("mine", Some(1), None),
            line("older", Some(6), Some(7)),
            line("theirs", Some(3), Some(2)),
        ]
    );
    assert_eq!(described(between(&to, &from)).len(), 5);
    assert!(between(&from, &from).is_empty());
    assert!(between(&[], &[]).is_empty());
}

#[test]
fn keys_of_changed_apis_are_counted() {
    let one = |id: &str, outlook: &str, served_now| Pending {
        outlook: outlook.to_owned(),
        served_now,
        ..at(id, "modified", Some(1), 2)
    };
    let mut pending = vec![one("new", "served", false), one("off", "inactive", false)];
    pending.extend((0..30).map(|n| one(&format!("c{n:02}"), "served", true)));
    pending.push(one("lost", "skipped", true));
    pending.push(one("ended", "deleted", true));
    let counted = counted(&pending);
    assert_eq!(counted.len(), COUNTED);
    let has = |id: &str| counted.contains(&format!("api {id}"));
    assert!(has("lost") && has("ended") && has("c00") && has("c17"));
    assert!(!has("c18") && !has("new") && !has("off"));
}

#[test]
fn partial_publication_does_not_hide_failed_reload() {
    let mut board = ReloadStatus {
        error: Some("KV is away".to_owned()),
        full_error: Some("KV is away".to_owned()),
        state: "failed".to_owned(),
        ..ReloadStatus::default()
    };
    let says = |board: &ReloadStatus| failure(board).unwrap_or_default();
    assert!(says(&board).starts_with("The last reload failed: KV is away."));
    assert_eq!(gateway_status(&board).1, "Reload failed");
    board.error = None;
    "idle".clone_into(&mut board.state);
    assert!(says(&board).starts_with("The last full reload failed: KV is away."));
    assert_eq!(
        gateway_status(&board),
        ("dot dot-red", "Full reload failed".to_owned())
    );
    board.full_error = None;
    assert_eq!(failure(&board), None);
    assert_eq!(gateway_status(&board).0, "dot dot-green");
}

#[test]
fn served_revision_is_the_stored_one_unless_another_is_loaded() {
    let pending = Pending {
        api_id: "orders".to_owned(),
        loaded_revision: Some(3),
        ..Pending::default()
    };
    let board = ReloadStatus {
        generation: 7,
        pending: vec![pending],
        pending_total: 1,
        ..ReloadStatus::default()
    };
    assert_eq!(served_revision(&board, "orders", 4), Some(3));
    assert_eq!(served_revision(&board, "payments", 9), Some(9));
    let never = ReloadStatus::default();
    assert_eq!(served_revision(&never, "payments", 9), None);
    let skipped = crate::api::Skipped {
        api_id: "payments".to_owned(),
        ..crate::api::Skipped::default()
    };
    let board = ReloadStatus {
        skipped: vec![skipped],
        ..board
    };
    assert_eq!(served_revision(&board, "payments", 9), None);
}
