//! The Registry's half of exports and imports: which lines there are, and how they are stored.
//!
//! The promise: a line holds everything administered about one item, and it is stored exactly as in its origin: texts
//! byte for byte, revisions by their numbers, keys by their hashes. An import starts only on an empty Registry; nothing
//! is published until it has finished; and it can be repeated as often as it is interrupted, because a line that is
//! stored already changes nothing.

mod line;
mod pages;
mod store;

pub(crate) use line::joined;
pub(crate) use pages::session_root;

use super::commit::{Draft, commit};
use super::journal::AuditedWrite;
use super::rows::Change;
use super::{Replied, Turn, done, refuse};
use gatewright_api::dashboard::shape::Subject;
use gatewright_api::message::Action;
use gatewright_protocol::backup::Backup;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;
use gatewright_protocol::registry::{Refusal, Reply};
use gatewright_protocol::sessions::Owner;

/// The bookkeeping value with the id of the export whose import is in progress, or an empty text.
const UNFINISHED: &str = "import";
/// The one with the number of the newest entry of the trail when that import began: later ones are about what others have
/// written meanwhile.
const BEGUN: &str = "import-begun";
/// More than the number of any entry of the trail, and exact as a double, which SQL's port binds.
const NO_ENTRY: u64 = 1 << 52;

/// The content of a section of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Documents(Subject),
    Sessions(Owner),
    Credentials,
    Certificates,
    OauthClients,
    OauthTokens,
}

/// The sections in order. An export in progress refers to its section by number, so new ones are added last.
pub(crate) const SECTIONS: [Section; 11] = [
    Section::Documents(Subject::Api),
    Section::Documents(Subject::Policy),
    Section::Documents(Subject::ClientIdp),
    Section::Documents(Subject::Ruleset),
    Section::Documents(Subject::Webhook),
    Section::Sessions(Owner::Organisation),
    Section::Sessions(Owner::Key),
    Section::Credentials,
    Section::Certificates,
    Section::OauthClients,
    Section::OauthTokens,
];

/// Carries out a command.
pub(super) fn carry_out(turn: &mut Turn<'_>, command: &Backup) -> Replied {
    match command {
        Backup::Read {
            place,
            revisions,
            secrets,
        } => {
            let page = pages::read(turn, place, *revisions, *secrets)?;
            Ok((Reply::Page(page), String::new()))
        }
        Backup::Begin { id, dry_run } => begin(turn, id, *dry_run),
        Backup::Store { id, lines } => match unfinished(turn.rows)? == *id {
            true => store::store(turn, lines),
            false => refused(0, "it was given up or has ended meanwhile".to_owned()),
        },
        Backup::End { id, number } => end(turn, id, *number),
        Backup::GiveUp => give_up(turn),
    }
}

fn refused(line: u64, reason: String) -> Replied {
    refuse(Refusal::Import { line, reason })
}

/// Returns the export whose import is in progress; empty for none.
pub(super) fn unfinished(rows: &super::rows::Rows) -> Result<String, StoreError> {
    Ok(rows.value(UNFINISHED)?.unwrap_or_default())
}

fn note(turn: &Turn<'_>, id: &str) -> Result<(), StoreError> {
    let begun = turn.journal.next_audit().saturating_sub(1).to_string();
    let value = |name, value| Change::Value { name, value };
    turn.rows
        .commit(&[value(UNFINISHED, id), value(BEGUN, &begun)])
}

fn begin(turn: &Turn<'_>, id: &str, dry_run: bool) -> Replied {
    let known = unfinished(turn.rows)?;
    if known == id {
        return done();
    }
    if !known.is_empty() {
        let reason = format!(
            "the import of another export ({known}) has begun here and not ended: send that one again, or \
             DELETE /gateway/import to remove what it has stored"
        );
        return refused(0, reason);
    }
    let held = holdings(turn)?;
    if !held.is_empty() {
        let reason = format!(
            "the gateway is not empty, deleted documents included ({held}): import into a new one"
        );
        return refused(0, reason);
    }
    if !dry_run {
        note(turn, id)?;
    }
    done()
}

/// Says what is stored, as numbers by kind; empty for nothing.
fn holdings(turn: &Turn<'_>) -> Result<String, StoreError> {
    let size = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let (keys, orgs) = turn.rows.count_sessions()?;
    let mut held = vec![("APIs", turn.rows.documents(Subject::Api)?)];
    for row in Kind::ALL.map(Kind::row) {
        held.push((row.plural, turn.rows.documents(row.subject)?));
    }
    held.extend([
        ("keys", keys),
        ("organisations", orgs),
        ("credentials", size(turn.credentials.after("").count())),
        ("certificates", turn.rows.count_certificates()?),
        (
            "OAuth clients",
            size(turn.rows.oauth_clients_after(("", ""), 1)?.len()),
        ),
        (
            "OAuth tokens",
            size(turn.rows.oauth_tokens_after("", 1)?.len()),
        ),
    ]);
    let held = held.into_iter().filter(|(_, count)| *count > 0);
    let held = held.map(|(what, count)| format!("{what}: {count}"));
    Ok(held.collect::<Vec<_>>().join(", "))
}

/// Finishes an import, which allows publishing. Numbers of the trail continue after the imported ones.
fn end(turn: &mut Turn<'_>, id: &str, number: u64) -> Replied {
    if unfinished(turn.rows)? != id {
        return refused(0, "it was given up or has ended meanwhile".to_owned());
    }
    turn.journal.reach(number);
    log(turn, id, Action::Added)?;
    done()
}

/// Records the outcome of an import in the trail, and that none is in progress any more.
fn log(turn: &mut Turn<'_>, id: &str, action: Action) -> Result<(), StoreError> {
    let audited = AuditedWrite {
        org: turn.default_org,
        id,
        ..AuditedWrite::new(Subject::Import, action)
    };
    let ended = Change::Value {
        name: UNFINISHED,
        value: "",
    };
    // Organisations have been added or removed with it.
    let write = Draft {
        lists: true,
        ..Draft::new(audited, vec![ended])
    };
    commit(turn, vec![write])
}

/// Removes what an import has stored. The reply says what is left: what others have written meanwhile.
fn give_up(turn: &mut Turn<'_>) -> Replied {
    let id = unfinished(turn.rows)?;
    if id.is_empty() {
        return refuse(Refusal::NotFound);
    }
    // An import that began under an earlier release has no number: nothing is left.
    let begun = turn.rows.value(BEGUN)?.and_then(|text| text.parse().ok());
    let begun = begun.unwrap_or(NO_ENTRY);
    let number = turn.journal.next_audit();
    turn.rows.commit(&[Change::Emptied { begun, number }])?;
    *turn.index = super::Index::load(turn.rows)?;
    *turn.records = super::Records::load(turn.rows)?;
    *turn.credentials = super::Credentials::load(turn.rows)?;
    *turn.ends = super::Ends::load(turn.rows)?;
    log(turn, &id, Action::Deleted)?;
    Ok((Reply::Json, holdings(turn)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_has_every_kind_of_document() {
        for kind in Kind::ALL {
            assert!(
                SECTIONS.contains(&Section::Documents(kind.row().subject)),
                "{kind:?}"
            );
        }
    }
}
