//! Link 9: the session of the organisation, over all its keys.

use super::limits::Refused;
use super::refusal::{Refusal, refusal, refused_by, unavailable};
use super::sessions::Known;
use super::taken::Taken;
use super::{ATTEMPTS, Gatekeeper, told};
use crate::failure::Failure;
use gatewright_protocol::ledger::{Consume, Verdict};
use gatewright_protocol::limits::{quota, rate};
use gatewright_protocol::sessions::Owner;
use std::rc::Rc;

/// Link 9: the session of the organisation. Answers what it has counted.
pub(super) async fn organisation<G: Gatekeeper>(
    gate: &G,
    org: &str,
    peek: bool,
) -> Result<Taken, Refusal> {
    let cached = format!("org:{org}");
    let mut known = gate.sessions().borrow_mut().get(&cached, 0);
    for _ in 0..ATTEMPTS {
        let session = known.as_ref().and_then(|known| known.session.as_ref());
        let inactive = session.is_some_and(|session| session.is_inactive);
        let counts = match session {
            Some(session) if !inactive => {
                let limit = &session.limit;
                let rate = rate(limit.rate, "rate", "");
                rate.into_iter().chain(quota(limit, "")).collect()
            }
            _ => Vec::new(),
        };
        let ask = Consume {
            revision: Some(known.as_ref().map_or(0, |known| known.revision)),
            show: (0..).take(counts.len()).collect(),
            counts,
            peek,
            back: Vec::new(),
        };
        let ledger = Owner::Organisation.ledger(org);
        let asked = gate.consume(&ledger, &ask).await.map_err(unavailable)?;
        let state = (org, inactive);
        told::organisation(gate.trace(), state, (&ask, &asked.0));
        match asked {
            (Verdict::Admitted(_), _) if inactive => return Err(Failure::OrgInactive.into()),
            (Verdict::Admitted(standings), _) => {
                return Ok(Taken {
                    ledger,
                    revision: ask.revision,
                    counts: ask.counts.into_iter().zip(standings).collect(),
                });
            }
            (Verdict::Unknown, _) => return Ok(Taken::default()),
            (Verdict::Refused { by, retry_ms, .. }, _) => {
                let refused = refused_by(&ask.counts, by);
                let failure = match refused {
                    Refused::Rate => Failure::OrgRate,
                    Refused::Quota => Failure::OrgQuota,
                };
                return Err(refusal(
                    gate.config(),
                    failure,
                    retry_ms,
                    &[],
                    &[],
                    gate.now_ms(),
                ));
            }
            (Verdict::Stale { revision }, text) => {
                let none = std::collections::BTreeMap::new();
                let fresh = Rc::new(Known::new(org.to_owned(), revision, text, (0, &none)));
                gate.sessions().borrow_mut().put(&cached, Rc::clone(&fresh));
                known = Some(fresh);
            }
        }
    }
    Err(Failure::LimitsUnavailable.into())
}
