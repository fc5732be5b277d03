//! Finds members of documents by name, in the reference and where they are set.

use gatewright_model::form::{Hit, search};
use gatewright_model::shape::Root;

use super::{Act, Entry, Kind, Line, rank};
use crate::routes;
use crate::state::reference::Place;
use crate::state::session::Identity;

/// The documents with a page for their members: plural and address of the list.
const DOCUMENTS: [(Root, &str, &str); 6] = [
    (Root::ApiDefinition, "APIs", routes::APIS),
    (Root::Session, "Keys", routes::KEYS),
    (Root::Policy, "Policies", routes::POLICIES),
    (Root::Ruleset, "Rulesets", routes::RULESETS),
    (
        Root::ClientIdentityProvider,
        "Client IdPs",
        routes::CLIENT_IDPS,
    ),
    (Root::Webhook, "Webhooks", routes::WEBHOOKS),
];
/// Minimum length of a name's prefix.
const SHORTEST: usize = 3;
/// Maximum number of results per kind of document.
const OF_EACH: usize = 3;

/// Returns the results for a word in lower case: members with that name or with a word that starts with it, and the
/// pages where they are set, as far as they may be seen. They never precede an object with that name.
#[must_use]
pub fn members(typed: &str, who: &Identity) -> Vec<Line> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if typed.len() < SHORTEST || !typed.chars().all(is_name) {
        return Vec::new();
    }
    let mut lines = Vec::new();
    for (root, documents, list) in DOCUMENTS {
        let name = |hit: &Hit| hit.member.name.to_ascii_lowercase();
        let named = |hit: &Hit| {
            let name = name(hit);
            name.starts_with(typed) || name.split('_').any(|word| word.starts_with(typed))
        };
        let mut hits: Vec<Hit> = search(root, typed).into_iter().filter(named).collect();
        hits.sort_by_key(|hit| name(hit) != typed);
        hits.truncate(OF_EACH);
        let Some(first) = hits.first() else { continue };
        let rank = match name(first) == typed {
            true => rank::MEMBER,
            false => rank::PART_OF_MEMBER,
        };
        let url = |hit: &Hit| {
            let query = format!("of={}&path={}", root.word(), hit.path.join("."));
            Place::parse(&query).url()
        };
        let reference = hits.iter().map(|hit| Line {
            entry: Entry::object(Kind::Member, "", &hit.path.join("."), url(hit))
                .with_detail(format!("of {documents}")),
            rank,
        });
        lines.extend(reference);
        if who.lacks(list).is_none() {
            let detail = format!("where {} is set", first.member.name);
            let entry = Entry {
                act: Act::Go(list.to_owned()),
                ..Entry::object(Kind::Page, "", documents, String::new()).with_detail(detail)
            };
            lines.push(Line {
                entry,
                rank: rank.saturating_add(1),
            });
        }
    }
    lines
}
