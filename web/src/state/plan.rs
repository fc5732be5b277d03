//! What the next reload does to what is served: each change in words, and all of them counted.

use super::draft::plural;
use crate::api::{Pending, ReloadStatus};

/// How much a change asks for attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Something that is served now won't be.
    Lost,
    /// It won't be served although it says it should.
    Skipped,
    /// It does what somebody wanted.
    Plain,
}

/// One change of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// How much it asks for attention.
    pub weight: Weight,
    /// The word of its badge: added, modified, deleted, skipped or off.
    pub word: &'static str,
    /// What the reload does, in a sentence without a full stop.
    pub says: String,
}

/// The revision of an API that is served, by what is pending: none if nothing of it is loaded.
#[must_use]
pub fn served_revision(board: &ReloadStatus, id: &str, stored: u64) -> Option<u64> {
    if board.skipped.iter().any(|skipped| skipped.api_id == id) || board.generation == 0 {
        return None;
    }
    let mut pending = board.pending.iter();
    match pending.find(|pending| !pending.policy && pending.api_id == id) {
        Some(pending) => pending.loaded_revision,
        // The list is cut: what is not in it may wait all the same.
        None if board.pending_total > 1000 => None,
        None => Some(stored),
    }
}

impl Step {
    /// What becomes of a change.
    #[must_use]
    pub fn of(pending: &Pending) -> Self {
        let now = pending.served_now;
        let lost = |word, why: &str| Self {
            weight: if now { Weight::Lost } else { Weight::Plain },
            word,
            says: if now {
                format!("No longer served: {why}")
            } else {
                format!("Not served: {why}")
            },
        };
        let plain = |word, says: &str| Self {
            weight: Weight::Plain,
            word,
            says: says.to_owned(),
        };
        match (pending.outlook.as_str(), pending.change.as_str()) {
            _ if pending.policy => plain(change_word(&pending.change), "Taken over"),
            ("skipped", _) => {
                let why = pending.reason.as_deref().unwrap_or("it can't be served");
                // That it isn't served is said already.
                let why = bare(why);
                let what = if now {
                    "No longer served"
                } else {
                    "Will be skipped"
                };
                Self {
                    weight: if now { Weight::Lost } else { Weight::Skipped },
                    word: "skipped",
                    says: format!("{what}, because {}", lower(why)),
                }
            }
            ("inactive", _) => lost("off", "it is switched off"),
            ("deleted", _) => lost("deleted", "it is deleted"),
            ("internal", _) => plain(
                change_word(&pending.change),
                "Loaded, without a public route",
            ),
            (_, "modified") if now => plain("modified", "Will be served as it is stored now"),
            _ => plain("added", "Will be served"),
        }
    }
}

fn change_word(change: &str) -> &'static str {
    match change {
        "added" => "added",
        "deleted" => "deleted",
        _ => "modified",
    }
}

/// The reason of a skip without the words that it isn't served.
pub(super) fn bare(reason: &str) -> &str {
    reason.strip_prefix("Not served: ").unwrap_or(reason)
}

/// A sentence in the middle of another one. What begins with a capital letter for other reasons stays.
fn lower(text: &str) -> String {
    let mut characters = text.chars();
    match (characters.next(), characters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain(characters).collect()
        }
        _ => text.to_owned(),
    }
}

/// The changes with what becomes of them, those that ask for attention first.
#[must_use]
pub fn steps(pending: &[Pending]) -> Vec<(Pending, Step)> {
    let mut steps: Vec<(Pending, Step)> = pending
        .iter()
        .map(|pending| (pending.clone(), Step::of(pending)))
        .collect();
    steps.sort_by_key(|(_, step)| step.weight);
    steps
}

/// How many APIs the reload does what to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// They will be served as they are stored.
    pub served: usize,
    /// They will be skipped.
    pub skipped: usize,
    /// They are served now and won't be.
    pub lost: usize,
    /// Policies that change.
    pub policies: usize,
}

impl Counts {
    /// Counts the changes.
    #[must_use]
    pub fn of(pending: &[Pending]) -> Self {
        let count = |is: fn(&Pending) -> bool| pending.iter().filter(|one| is(one)).count();
        Self {
            served: count(|one| !one.policy && one.outlook == "served"),
            skipped: count(|one| one.outlook == "skipped"),
            lost: count(|one| {
                one.served_now && matches!(&*one.outlook, "skipped" | "inactive" | "deleted")
            }),
            policies: count(|one| one.policy),
        }
    }
}

/// What a reload did, for a note: what it loaded, what it left out, and how many of the changes that
/// waited came into service.
#[must_use]
pub fn done(before: &ReloadStatus, after: &ReloadStatus) -> String {
    let left = |pending: &&Pending| {
        let waits = after.pending.iter().any(|one| one.api_id == pending.api_id);
        let skipped = after.skipped.iter().any(|one| one.api_id == pending.api_id);
        waits || !pending.policy && skipped
    };
    let left_out = before.pending.iter().filter(left).count();
    let applied = usize::try_from(before.pending_total)
        .unwrap_or(usize::MAX)
        .saturating_sub(left_out);
    let loaded = usize::try_from(after.loaded_total).unwrap_or(usize::MAX);
    let skipped = match after.skipped.len() {
        0 => "none skipped".to_owned(),
        count => format!("{count} skipped"),
    };
    let changes = match (applied, left_out) {
        (0, 0) => String::new(),
        (_, 0) => format!(" {} applied.", plural(applied, "change")),
        _ => format!(" {} applied, {left_out} not.", plural(applied, "change")),
    };
    format!("{}, {skipped}.{changes}", loaded_words(loaded))
}

fn loaded_words(loaded: usize) -> String {
    format!("{} loaded", plural(loaded, "API"))
}

/// The colour of the gateway's dot and what it says. What is left out is not in order.
#[must_use]
pub fn standing(board: &ReloadStatus) -> (&'static str, String) {
    let counts = [
        (board.pending_total, "pending"),
        (board.skipped.len() as u64, "skipped"),
    ];
    let word = counts.into_iter().filter(|(count, _)| *count > 0).fold(
        format!("{} loaded", board.loaded_total),
        |said, (count, word)| format!("{said}, {count} {word}"),
    );
    match board.state.as_str() {
        "failed" => ("dot dot-red", "Reload failed".to_owned()),
        "reloading" => ("dot dot-amber", "Reloading".to_owned()),
        _ if counts.iter().all(|(count, _)| *count == 0) => ("dot dot-green", word),
        _ => ("dot dot-amber", word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn what_is_served_is_the_stored_revision_unless_another_one_is_loaded() {
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
}
