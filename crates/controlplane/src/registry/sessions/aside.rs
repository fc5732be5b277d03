//! What a write of a session brings about elsewhere, and what its author has to know.

use gatewright_model::document::issue_at;
use gatewright_model::issue::{IssueCode, Severity};
use gatewright_model::session::Session;
use gatewright_protocol::pattern::Pattern;
use gatewright_protocol::registry::Aside;

/// A session that is being stored.
pub(super) struct Stored<'a> {
    /// As it was sent.
    pub(super) text: &'a str,
    /// With its policies applied.
    pub(super) session: &'a Session,
    /// The hash of its key.
    pub(super) id: &'a str,
    /// Its organisation.
    pub(super) org: &'a str,
}

/// Counters that a write lets start anew although they are not the key's own: those under a text that it
/// shares with others (`rate_limit_pattern`). Where requests are a part of the text nobody can say which
/// there are, and they are of whoever sends it, so they go on.
pub(super) fn cleared(stored: &Stored<'_>, aside: &mut Aside) {
    let Some(pattern) = Pattern::of(stored.session, stored.id) else {
        return;
    };
    match pattern.own(stored.org) {
        Some(place) => aside.clears = place.ledger,
        None => aside.issues.extend(issue_at(
            stored.text,
            "/meta_data/rate_limit_pattern",
            (Severity::Info, IssueCode::Conflict),
            "requests are a part of this text, so what is counted under it goes on until its windows \
             end; write another text to let it start anew"
                .to_owned(),
        )),
    }
}
