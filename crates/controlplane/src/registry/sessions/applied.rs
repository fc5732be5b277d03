//! Applies the stored policies of a session to it.

use super::Sent;
use crate::registry::Turn;
use gatewright_model::policy::{self, Named, Policy};
use gatewright_model::session::Session;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;
use gatewright_protocol::registry::Refusal;
use gatewright_protocol::sessions::{Owner, SessionAsk};

/// A session with its policies applied.
pub(super) struct Applied {
    pub(super) text: String,
    /// The last `key_expires_in` of its policies.
    pub(super) expires_in: Option<i64>,
    /// The organisations of its policies.
    orgs: Vec<String>,
}

/// Applies the stored policies to a session that is to be written. The inner `Err` says why the result can't be stored.
pub(super) fn allowed(
    turn: &Turn<'_>,
    ask: &SessionAsk,
    sent: &Sent<'_>,
) -> Result<Result<(Applied, Session), Refusal>, StoreError> {
    let applied = match applied_to(turn, ask.owner, sent)? {
        Ok(applied) => applied,
        Err(reason) => return Ok(Err(Refusal::Policies { reason })),
    };
    let session = match applied.text == sent.text {
        true => sent.session.clone(),
        false => Session::parse(&applied.text).unwrap_or_default(),
    };
    if ask.owner == Owner::Key && !ask.master && session.access_rights.is_empty() {
        return Ok(Err(Refusal::NoRights));
    }
    if ask.checks && grants_foreign(turn, &session, &applied.orgs) {
        let reason =
            "attempting to apply policy from different organisation to key, skipping".to_owned();
        return Ok(Err(Refusal::Policies { reason }));
    }
    Ok(Ok((applied, session)))
}

/// Whether a session grants access to an API of another organisation than that of one of its policies (reference 2.4,
/// row 4).
fn grants_foreign(turn: &Turn<'_>, session: &Session, orgs: &[String]) -> bool {
    let apis = session.access_rights.iter();
    let mut known = apis.filter_map(|(id, _)| turn.index.live(id));
    known.any(|entry| {
        let owner = turn.org_of(entry);
        orgs.iter().any(|org| !org.is_empty() && org != owner)
    })
}

/// The most that the policies of a session may have together, in bytes; one that is named twice counts twice. All of
/// them are read at once, and each is applied.
const POLICIES_BYTES: usize = 4 * 1024 * 1024;

/// The ids that a session names, each with the stored text of its policy.
type NamedTexts = Vec<(String, Option<String>)>;

/// Returns the policies with these ids, each with its stored text; the inner `Err` says why there are too many.
pub(super) fn named(
    turn: &Turn<'_>,
    ids: Vec<String>,
) -> Result<Result<NamedTexts, String>, StoreError> {
    let mut found = Vec::new();
    let mut bytes: usize = 0;
    for id in ids {
        let record = turn.records.live(Kind::Policy, "", &id);
        let text = match record {
            Some(record) => turn.records.text(turn.rows, record, record.revision)?,
            None => None,
        };
        bytes = bytes.saturating_add(text.as_ref().map_or(0, String::len));
        if bytes > POLICIES_BYTES {
            let reason = format!("its policies have more than {POLICIES_BYTES} bytes together");
            return Ok(Err(reason));
        }
        found.push((id, text));
    }
    Ok(Ok(found))
}

/// Applies the stored policies. The inner `Err` is the reason why they can't be applied, in the reference's words.
pub(super) fn applied(
    turn: &Turn<'_>,
    owner: Owner,
    text: &str,
) -> Result<Result<Applied, String>, StoreError> {
    match Sent::read(text) {
        Ok(sent) => applied_to(turn, owner, &sent),
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// Applies the stored policies to a parsed session.
fn applied_to(
    turn: &Turn<'_>,
    owner: Owner,
    sent: &Sent<'_>,
) -> Result<Result<Applied, String>, StoreError> {
    let plain = |text: &str| Applied {
        text: text.to_owned(),
        expires_in: None,
        orgs: Vec::new(),
    };
    if owner == Owner::Organisation {
        return Ok(Ok(plain(sent.text)));
    }
    let found = match named(turn, sent.session.policies.clone())? {
        Ok(found) => found,
        Err(reason) => return Ok(Err(reason)),
    };
    let policies = found.iter().filter_map(|(_, text)| {
        let policy = Policy::parse(text.as_deref()?).ok()?;
        policy.is_of(&sent.session.org_id).then_some(policy)
    });
    let policies: Vec<Policy> = policies.collect();
    let expires_in = policies
        .iter()
        .rev()
        .map(|policy| policy.key_expires_in)
        .find(|seconds| *seconds > 0);
    let orgs = policies.into_iter().map(|policy| policy.org_id).collect();
    let named = found.iter().map(|(id, text)| Named {
        id,
        text: text.as_deref(),
    });
    Ok(
        match policy::apply_read(sent.text, &sent.value, &named.collect::<Vec<_>>()) {
            Ok(text) => Ok(Applied {
                text,
                expires_in,
                orgs,
            }),
            Err(error) => Err(error.to_string()),
        },
    )
}
