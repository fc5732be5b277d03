//! What the next reload does to what is served: a description of each change, and counts.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::once;

use gatewright_model::json::quote;

use super::draft::plural;
use super::sought::Sought;
use crate::api::{Pending, ReloadStatus};

/// How urgently a change needs attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Something that is served now won't be any more.
    Lost,
    /// It won't be served although its definition says it should.
    Skipped,
    /// It does what was intended.
    Plain,
}

/// The effect of a change on what is served, the one that most needs attention first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It is served now and should be, but won't be.
    DropsOut,
    /// It should be served but won't be.
    Skipped,
    /// It is served now, and was deleted or deactivated.
    Stops,
    /// It is not served now, but will be.
    Starts,
    /// It is served differently.
    Changes,
    /// It is not served, before or after.
    Nothing,
    /// It is a change of a policy.
    Policy,
}

impl Effect {
    /// Returns the effect of a change.
    #[must_use]
    pub fn of(pending: &Pending) -> Self {
        match (pending.outlook.as_str(), pending.served_now) {
            _ if pending.policy => Self::Policy,
            ("skipped", true) => Self::DropsOut,
            ("skipped", false) => Self::Skipped,
            ("inactive" | "deleted", true) => Self::Stops,
            ("inactive" | "deleted", false) => Self::Nothing,
            (_, true) => Self::Changes,
            (_, false) => Self::Starts,
        }
    }

    /// Returns the heading of the group with this effect.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::DropsOut => "Served now, will drop out",
            Self::Skipped => "Skipped",
            Self::Stops => "Stop being served",
            Self::Starts => "Start being served",
            Self::Changes => "Change what is served",
            Self::Nothing => "Nothing served changes",
            Self::Policy => "Policies",
        }
    }
}

/// Returns the key of a change; the kind is part of it, because an API and a policy may have the same id.
#[must_use]
pub fn key(pending: &Pending) -> String {
    let kind = if pending.policy { "policy" } else { "api" };
    format!("{kind} {}", pending.api_id)
}

/// Returns the body of a reload that publishes all of these changes except those with the keys in `left_out`; `None` if
/// none is left out.
#[must_use]
pub fn selection(pending: &[Pending], left_out: &BTreeSet<String>) -> Option<String> {
    let (chosen, left): (Vec<&Pending>, Vec<&Pending>) = pending
        .iter()
        .partition(|pending| !left_out.contains(&key(pending)));
    if left.is_empty() {
        return None;
    }
    let ids = |policy: bool| {
        let ids = chosen.iter().filter(|one| one.policy == policy);
        ids.map(|one| quote(&one.api_id))
            .collect::<Vec<_>>()
            .join(",")
    };
    Some(format!(
        r#"{{"apis":[{}],"policies":[{}]}}"#,
        ids(false),
        ids(true)
    ))
}

/// Returns the differences between two generations, by name, given what going back to either would change. What is the
/// same in both is left out.
#[must_use]
pub fn between(from: &[Pending], to: &[Pending]) -> Vec<DifferingRevisions> {
    let by_key = |list: &[Pending]| -> BTreeMap<String, Pending> {
        list.iter().map(|one| (key(one), one.clone())).collect()
    };
    let revision = |own: Option<&Pending>, other: &Pending| match own {
        // Going back would change nothing: it has the revision that is loaded now.
        None => other.loaded_revision,
        Some(own) if own.change == "deleted" => None,
        Some(own) => Some(own.revision),
    };
    let (from, mut to) = (by_key(from), by_key(to));
    let mut apart: Vec<DifferingRevisions> = Vec::new();
    let mut pair = |one: Option<&Pending>, other: Option<&Pending>| {
        let Some(either) = other.or(one) else {
            return;
        };
        let revisions = [
            revision(one, either),
            revision(other, one.unwrap_or(either)),
        ];
        if revisions[0] != revisions[1] {
            apart.push(DifferingRevisions {
                policy: either.policy,
                id: either.api_id.clone(),
                name: if either.name.is_empty() {
                    either.api_id.clone()
                } else {
                    either.name.clone()
                },
                revisions,
            });
        }
    };
    for (key, one) in &from {
        pair(Some(one), to.remove(key).as_ref());
    }
    for other in to.values() {
        pair(None, Some(other));
    }
    apart.sort_by(|one, other| (one.policy, &one.name).cmp(&(other.policy, &other.name)));
    apart
}

/// An API or a policy whose revision differs between two generations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferingRevisions {
    /// Whether it is a policy.
    pub policy: bool,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The revision in each of them; `None` if it isn't in there.
    pub revisions: [Option<u64>; 2],
}

/// For how many changes the affected keys are counted.
const COUNTED: usize = 20;

/// Returns the keys of the changes for which the affected keys are counted: the first of those that change what is
/// served, the most urgent first.
#[must_use]
pub fn counted(pending: &[Pending]) -> BTreeSet<String> {
    let effects = [
        Effect::DropsOut,
        Effect::Stops,
        Effect::Changes,
        Effect::Policy,
    ];
    let groups = groups(pending, "").into_iter();
    let concerned = groups.filter(|(effect, _)| effects.contains(effect));
    let keys = concerned.flat_map(|(_, list)| list.iter().map(key).collect::<Vec<_>>());
    keys.take(COUNTED).collect()
}

/// The description of one change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// How urgently it needs attention.
    pub weight: Weight,
    /// The word in its badge: `added`, `modified`, `deleted`, `removed`, `skipped` or `inactive`.
    pub word: &'static str,
    /// What the reload does, in a sentence without a full stop.
    pub says: String,
}

/// Whether the next reload changes what is loaded of an API; `by_header` is what the response with its definition said.
#[must_use]
pub fn is_pending(board: Option<&ReloadStatus>, id: &str, by_header: bool) -> bool {
    match board {
        // The list is cut at 1000; beyond that only the header knows.
        Some(board) if board.pending_total <= 1000 => {
            let mut pending = board.pending.iter();
            pending.any(|pending| !pending.policy && pending.api_id == id)
        }
        _ => by_header,
    }
}

/// Returns the state of a stored API, in the words of the list; see [`is_pending`].
#[must_use]
pub fn state_of(
    board: Option<&ReloadStatus>,
    id: &str,
    by_header: bool,
    (active, internal): (bool, bool),
) -> &'static str {
    let skipped = |board: &ReloadStatus| board.skipped.iter().any(|skipped| skipped.api_id == id);
    match (active, internal) {
        (false, _) => "inactive",
        (true, true) => "internal",
        (true, false) if is_pending(board, id, by_header) => "pending",
        (true, false) if board.is_some_and(skipped) => "invalid",
        (true, false) => "live",
    }
}

/// Returns the revision of an API that is served, according to what is pending; `None` if it isn't loaded or that can't
/// be determined.
#[must_use]
pub fn served_revision(board: &ReloadStatus, id: &str, stored: u64) -> Option<u64> {
    if board.skipped.iter().any(|skipped| skipped.api_id == id) || board.generation == 0 {
        return None;
    }
    let mut pending = board.pending.iter();
    match pending.find(|pending| !pending.policy && pending.api_id == id) {
        Some(pending) => pending.loaded_revision,
        // The list is truncated, so the API may be pending without being in it.
        None if board.pending_total > 1000 => None,
        None => Some(stored),
    }
}

impl Step {
    /// Describes a change.
    #[must_use]
    pub fn of(pending: &Pending) -> Self {
        Self::describe(pending, "deleted", "it is deleted")
    }

    /// Describes a change made by publishing an earlier generation again: an API may be missing from it without having
    /// been deleted.
    #[must_use]
    pub fn back(pending: &Pending) -> Self {
        Self::describe(pending, "removed", "that generation does not have it")
    }

    fn describe(pending: &Pending, gone: &'static str, why_gone: &str) -> Self {
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
            (_, "deleted") if pending.policy => plain(gone, "No longer in effect"),
            _ if pending.policy => plain(change_word(&pending.change), "Will take effect"),
            ("skipped", _) => {
                let why = pending.reason.as_deref().unwrap_or("it can't be served");
                // The text says already that it isn't served.
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
            ("inactive", _) => lost("inactive", "it is inactive"),
            ("deleted", _) => lost(gone, why_gone),
            ("internal", _) => plain(
                change_word(&pending.change),
                "Will be served to other APIs only: it is internal",
            ),
            (_, change) => Self {
                weight: Weight::Plain,
                word: if now && change == "modified" {
                    "modified"
                } else {
                    "added"
                },
                says: served(pending),
            },
        }
    }
}

/// Describes how it will be served, including a move from another path or a path taken over from another API.
fn served(pending: &Pending) -> String {
    let path = &pending.listen_path;
    let mut says = match &pending.served_path {
        Some(before) => format!("Moves from {before} to {path}"),
        None if pending.served_now => format!("Will be served as revision {}", pending.revision),
        None => "Will be served".to_owned(),
    };
    if let Some(owner) = &pending.takes_over {
        says.push_str(&format!("; {owner} is served under {path} until then"));
    }
    says
}

fn change_word(change: &str) -> &'static str {
    match change {
        "added" => "added",
        "deleted" => "deleted",
        _ => "modified",
    }
}

/// Strips the words that it isn't served from the reason of a skip.
#[must_use]
pub fn bare(reason: &str) -> &str {
    reason.strip_prefix("Not served: ").unwrap_or(reason)
}

/// Lowers the first letter of a sentence, to be used within another one, unless it is an abbreviation.
fn lower(text: &str) -> String {
    let mut characters = text.chars();
    match (characters.next(), characters.clone().next()) {
        (Some(first), Some(second)) if second.is_ascii_lowercase() => {
            once(first.to_ascii_lowercase()).chain(characters).collect()
        }
        _ => text.to_owned(),
    }
}

/// Groups the changes by effect, the most urgent first, keeping only those with a text in their name, id or listen
/// path.
#[must_use]
pub fn groups(pending: &[Pending], search: &str) -> Vec<(Effect, Vec<Pending>)> {
    let sought = Sought::of(search);
    let holds = |one: &&Pending| sought.is_in([&one.name, &one.api_id, &one.listen_path]);
    let mut groups = BTreeMap::<Effect, Vec<Pending>>::new();
    for one in pending.iter().filter(holds) {
        groups.entry(Effect::of(one)).or_default().push(one.clone());
    }
    groups.into_iter().collect()
}

/// How many APIs and policies the reload affects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// APIs that will be served as they are stored.
    pub served: usize,
    /// APIs that will be skipped.
    pub skipped: usize,
    /// APIs that are served now and won't be any more.
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

/// Summarises what a reload did: how many APIs it loaded and skipped, and how many of the pending changes took effect.
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
        (_, 0) => format!(" {} published.", plural(applied, "change")),
        _ => format!(" {} published, {left_out} not.", plural(applied, "change")),
    };
    format!("{}, {skipped}.{changes}", served_words(loaded))
}

/// Summarises what is served after publishing a part, or an earlier generation again.
#[must_use]
pub fn done_in_part(after: &ReloadStatus) -> String {
    let skipped = match after.skipped.len() {
        0 => "none skipped".to_owned(),
        count => format!("{count} skipped"),
    };
    let loaded = usize::try_from(after.loaded_total).unwrap_or(usize::MAX);
    let waits = match after.pending_total {
        0 => "Nothing is pending.".to_owned(),
        1 => "1 change is pending.".to_owned(),
        count => format!("{count} changes are pending."),
    };
    format!("{}, {skipped}. {waits}", served_words(loaded))
}

fn served_words(loaded: usize) -> String {
    format!("{} served", plural(loaded, "API"))
}

/// Says that a reload has failed, and what is still served.
#[must_use]
pub fn failure(board: &ReloadStatus) -> Option<String> {
    match (&board.error, &board.full_error) {
        (Some(error), _) => Some(format!(
            "The last reload failed: {error}. The previous set stays in service."
        )),
        (None, Some(error)) => Some(format!(
            "The last full reload failed: {error}. Only a part, or an earlier generation, has been published since."
        )),
        (None, None) => None,
    }
}

/// Returns the colour and the text of the gateway's status. Anything skipped counts as a problem.
#[must_use]
pub fn gateway_status(board: &ReloadStatus) -> (&'static str, String) {
    let counts = [
        (board.pending_total, "pending"),
        (board.skipped.len() as u64, "skipped"),
    ];
    let word = counts.into_iter().filter(|(count, _)| *count > 0).fold(
        format!("{} served", board.loaded_total),
        |text, (count, word)| format!("{text}, {count} {word}"),
    );
    match board.state.as_str() {
        "failed" => ("dot dot-red", "Reload failed".to_owned()),
        "reloading" => ("dot dot-amber", "Reloading".to_owned()),
        _ if board.full_error.is_some() => ("dot dot-red", "Full reload failed".to_owned()),
        _ if counts.iter().all(|(count, _)| *count == 0) => ("dot dot-green", word),
        _ => ("dot dot-amber", word),
    }
}

#[cfg(test)]
mod tests;
