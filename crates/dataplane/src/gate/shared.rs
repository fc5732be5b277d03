//! Limits that a key counts under a text of the request instead of under its own name
//! (`meta_data.rate_limit_pattern`, reference 3.4): every key of the organisation whose text is the
//! same counts together.

use super::sessions::Known;
use super::{Gatekeeper, Incoming, org};
use crate::context::Context;
use crate::snapshot::Api;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::{Consume, Count, Limit, Verdict};
use gatewright_protocol::sessions::Owner;
use gatewright_protocol::token::HashFunction;

/// What the names of such Ledgers begin with.
const WORD: &str = "pattern";

/// The Ledger that counts for a request, where it is not the key's own. Its name is a hash, because
/// the text may be anything that a client sends. Limits with other windows count apart: one must not
/// forget what another has to remember.
pub(super) fn ledger<G: Gatekeeper>(
    gate: &G,
    api: &Api,
    known: &Known,
    incoming: &Incoming<'_>,
    counts: &[Count],
) -> Option<String> {
    let pattern = known.pattern.as_ref().filter(|_| !counts.is_empty())?;
    let context = Context {
        path: incoming.path,
        query: incoming.carrier.query,
        header: incoming.carrier.header,
        remote_addr: &|| gate.client_address(),
        key_hash: &known.hash,
        session: known.session.as_ref()?,
    };
    let text = context.resolve(pattern);
    // Whoever sends nothing to count under is counted as the key.
    (!text.is_empty()).then(|| {
        let mut name = org(api, gate.config()).to_owned();
        for count in counts {
            name.push('\n');
            name.push_str(&window(count).to_string());
        }
        name.push('\n');
        name.push_str(&text);
        format!("{WORD}:{}", HashFunction::Sha256.hash(&name))
    })
}

const fn window(count: &Count) -> u64 {
    match count.limit {
        Limit::Rate(limit) => limit.window_ms,
        Limit::Quota(limit) => limit.window_ms,
    }
}

/// Asks the Ledger of a key, and behind it the one that counts in its place, if there is one. Nothing
/// is counted for a session that does not hold.
pub(super) async fn consume<G: Gatekeeper>(
    gate: &G,
    known: &Known,
    ask: &Consume,
    shared: Option<&str>,
) -> Result<(Verdict, String), StoreError> {
    let own = Owner::Key.ledger(&known.hash);
    let Some(shared) = shared else {
        return gate.consume(&own, ask).await;
    };
    let holds = Consume {
        revision: ask.revision,
        ..Consume::default()
    };
    match gate.consume(&own, &holds).await? {
        (Verdict::Admitted(_), _) => {
            let counted = Consume {
                revision: None,
                ..ask.clone()
            };
            gate.consume(shared, &counted).await
        }
        other => Ok(other),
    }
}
