//! Ledgers, and notifying them of sessions.

use super::super::{Case, Outcome, cases, ensure, ensure_eq, unexpected};
use gatewright_controlplane::ports::{LedgerCall, Platform};
use gatewright_protocol::ledger::{Consume, Count, Limit, Standing, Verdict};
use gatewright_protocol::limits::QuotaLimit;

pub(super) fn cases<P: Platform>() -> Vec<Case<P>> {
    cases![
        a_ledger_counts,
        a_ledger_without_a_session_knows_none,
        a_write_is_announced_to_a_ledger_without_an_answer,
        what_a_ledger_counts_goes_on_in_another,
        counters_that_are_none_change_nothing,
        the_list_of_organisations_is_handed_on,
    ]
}

/// Creates a call that counts against a quota of two.
fn ask() -> LedgerCall {
    LedgerCall::Ask(Consume {
        counts: vec![Count {
            name: "quota".to_owned(),
            limit: Limit::Quota(QuotaLimit {
                max: 2,
                window_ms: 0,
            }),
            smoothing: None,
        }],
        show: vec![0],
        ..Consume::default()
    })
}

/// Removes the times from a verdict.
fn without_time(mut verdict: Verdict) -> Verdict {
    if let Verdict::Admitted(standings) = &mut verdict {
        for standing in standings {
            standing.counted_at = 0;
        }
    }
    verdict
}

async fn a_ledger_counts<P: Platform>(platform: &P) -> Outcome {
    let at = u64::MAX;
    let left = |remaining| {
        vec![Standing {
            remaining,
            at,
            counted_at: 0,
            ..Standing::default()
        }]
    };
    for wanted in [
        Verdict::Admitted(left(1)),
        Verdict::Admitted(left(0)),
        Verdict::Refused {
            by: 0,
            retry_ms: u64::MAX,
            standings: left(0),
        },
    ] {
        let verdict = platform.ledger("api:contract-counts", ask()).await;
        let verdict = verdict.map_err(unexpected)?.map(without_time);
        ensure_eq("the verdict", verdict, Some(wanted))?;
    }
    let other = platform.ledger("api:contract-others", ask()).await;
    let wanted = Some(Verdict::Admitted(left(1)));
    let other = other.map_err(unexpected)?.map(without_time);
    ensure_eq("another Ledger's", other, wanted)
}

async fn a_ledger_without_a_session_knows_none<P: Platform>(platform: &P) -> Outcome {
    for name in ["key:contract", "org:contract"] {
        let call = LedgerCall::Ask(Consume::look());
        let verdict = platform.ledger(name, call).await.map_err(unexpected)?;
        ensure_eq(name, verdict, Some(Verdict::Unknown))?;
    }
    Ok(())
}

async fn a_write_is_announced_to_a_ledger_without_an_answer<P: Platform>(platform: &P) -> Outcome {
    for _ in 0..2 {
        let verdict = platform
            .ledger("key:contract-write", LedgerCall::Release)
            .await;
        ensure_eq("the answer", verdict.map_err(unexpected)?, None)?;
    }
    Ok(())
}

async fn what_a_ledger_counts_goes_on_in_another<P: Platform>(platform: &P) -> Outcome {
    let names = ["api:contract-from", "api:contract-idle"].map(str::to_owned);
    let none = platform.take_counters(&names).await.map_err(unexpected)?;
    ensure_eq("what nobody has counted", none, ["", ""])?;
    platform
        .ledger(&names[0], ask())
        .await
        .map_err(unexpected)?;
    let others = ["api:contract-to", "api:contract-too"];
    for _ in 0..2 {
        // The second time changes nothing.
        let taken = platform.take_counters(&names).await.map_err(unexpected)?;
        let [counters, idle] = taken.as_slice() else {
            return Err(format!("it answers {taken:?}"));
        };
        ensure_eq("what an idle one counts", idle, "")?;
        let counters = others.map(|name| (name.to_owned(), counters.clone()));
        platform.put_counters(&counters).await.map_err(unexpected)?;
    }
    // One request of two was counted before, and the second is counted now.
    for to in [others, others].concat() {
        let verdict = platform.ledger(to, ask()).await.map_err(unexpected)?;
        let left = match verdict {
            Some(Verdict::Admitted(found)) => found,
            Some(Verdict::Refused { standings, .. }) => standings,
            other => return Err(format!("it answers {other:?}")),
        };
        let left: Vec<u64> = left.iter().map(|standing| standing.remaining).collect();
        ensure_eq(to, left, [0])?;
    }
    Ok(())
}

async fn counters_that_are_none_change_nothing<P: Platform>(platform: &P) -> Outcome {
    let name = ["api:contract-unread".to_owned()];
    platform.ledger(&name[0], ask()).await.map_err(unexpected)?;
    let before = platform.take_counters(&name).await.map_err(unexpected)?;
    for wrong in ["", "{", "{\"format\":99}"] {
        let put = [(name[0].clone(), wrong.to_owned())];
        let put = platform.put_counters(&put).await;
        ensure(format!("{wrong:?} was taken"), put.is_err())?;
    }
    let after = platform.take_counters(&name).await.map_err(unexpected)?;
    ensure_eq("the counters", after, before)
}

async fn the_list_of_organisations_is_handed_on<P: Platform>(platform: &P) -> Outcome {
    platform.orgs_changed().await;
    Ok(())
}
