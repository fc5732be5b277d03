//! The effect of an attempt on its delivery: delivered, to be retried, or given up.

use crate::config::WebhookConfig;
use crate::registry::rows::DeliveryRow;
use gatewright_api::dashboard::delivery::{Attempt, DeliveryState, Received};
use gatewright_protocol::time::rfc3339;

/// How many attempts of a delivery its log retains.
pub const ATTEMPTS_KEPT: usize = 10;

/// The status of a receiver that wants no more calls (RFC 9110 section 15.5.11).
const GONE: u16 = 410;

/// Builds the log entry of a call: `answer` is the status and the response, or why there is none. `began` and `ended`
/// are in Unix milliseconds.
#[must_use]
pub fn attempt(answer: Result<(u16, Received), String>, began: u64, ended: u64) -> Attempt {
    let (status, error, response) = match answer {
        Ok((status, response)) => (Some(status), trouble(status), Some(response)),
        Err(reason) => (None, Some(reason), None),
    };
    Attempt {
        at: rfc3339(began),
        status,
        duration_ms: ended.saturating_sub(began),
        error,
        response,
    }
}

/// Returns why a status is a failure, or `None` for a success.
fn trouble(status: u16) -> Option<String> {
    match status {
        200..=299 => None,
        300..=399 => Some(format!(
            "The receiver answered {status}; redirects are not followed, so name the address itself"
        )),
        GONE => Some("The receiver answered 410: it wants no more calls".to_owned()),
        _ => Some(format!("The receiver answered {status}")),
    }
}

/// Records an attempt that ended at `now`, in Unix milliseconds.
pub fn enter(row: &mut DeliveryRow, attempt: Attempt, now: u64, config: &WebhookConfig) {
    row.tries = row.tries.saturating_add(1);
    let delivery = &mut row.delivery;
    let delivered = attempt.error.is_none();
    let gone = attempt.status == Some(GONE);
    if attempt.response.is_some() {
        for earlier in &mut delivery.attempts {
            earlier.response = None;
        }
    }
    delivery.attempts.push(attempt);
    let surplus = delivery.attempts.len().saturating_sub(ATTEMPTS_KEPT);
    delivery.attempts.drain(..surplus);
    delivery.next_at = None;
    if delivered {
        delivery.state = DeliveryState::Delivered;
        return;
    }
    // The delivery was given up during the call.
    if delivery.state == DeliveryState::Failed {
        return;
    }
    match config.delay_ms(row.tries).filter(|_| !gone) {
        Some(delay) => delivery.next_at = Some(rfc3339(now.saturating_add(delay))),
        None => delivery.state = DeliveryState::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: fn() -> WebhookConfig = WebhookConfig::default;

    fn replied(status: u16) -> (u16, Received) {
        let body = Some(format!("{status}"));
        (
            status,
            Received {
                body,
                ..Received::default()
            },
        )
    }

    fn after(answers: &[Result<u16, &str>]) -> DeliveryRow {
        let mut row = DeliveryRow::default();
        for answer in answers {
            let answer = answer.map(replied).map_err(str::to_owned);
            enter(&mut row, attempt(answer, 1_000, 1_250), 2_000, &CONFIG());
        }
        row
    }

    #[test]
    fn only_a_2xx_is_a_success() {
        for (status, state) in [
            (200, DeliveryState::Delivered),
            (204, DeliveryState::Delivered),
            (301, DeliveryState::Pending),
            (304, DeliveryState::Pending),
            (404, DeliveryState::Pending),
            (410, DeliveryState::Failed),
            (429, DeliveryState::Pending),
            (500, DeliveryState::Pending),
        ] {
            let row = after(&[Ok(status)]);
            assert_eq!(row.delivery.state, state, "{status}");
            let pending = state == DeliveryState::Pending;
            assert_eq!(row.delivery.next_at.is_some(), pending, "{status}");
            assert_eq!(row.delivery.attempts[0].duration_ms, 250);
        }
    }

    #[test]
    fn retries_back_off_and_then_give_up() {
        let mut pauses = Vec::new();
        for tries in 1..=7 {
            let row = after(&vec![Err("The server can't be reached"); tries]);
            pauses.push(row.delivery.next_at);
        }
        let at = |text: &str| Some(format!("1970-01-01T{text}.000Z"));
        assert_eq!(
            pauses,
            [
                at("00:00:07"),
                at("00:00:32"),
                at("00:02:02"),
                at("00:10:02"),
                at("00:30:02"),
                at("02:00:02"),
                None
            ]
        );
        let row = after(&[Ok(500); 7]);
        assert_eq!((row.delivery.state, row.tries), (DeliveryState::Failed, 7));
    }

    #[test]
    fn the_log_of_attempts_is_bounded() {
        let row = after(&[Err("x"); 30]);
        assert_eq!(row.delivery.attempts.len(), ATTEMPTS_KEPT);
    }

    #[test]
    fn only_the_latest_response_is_kept() {
        let row = after(&[Ok(500), Ok(503), Err("x")]);
        let kept = row.delivery.attempts.iter().map(|attempt| {
            let response = attempt.response.as_ref();
            response.and_then(|response| response.body.as_deref())
        });
        assert_eq!(kept.collect::<Vec<_>>(), [None, Some("503"), None]);
    }

    #[test]
    fn abandoned_delivery_stays_abandoned_unless_delivered() {
        let mut row = DeliveryRow::default();
        row.delivery.state = DeliveryState::Failed;
        enter(&mut row, attempt(Ok(replied(500)), 0, 1), 1, &CONFIG());
        assert_eq!(row.delivery.state, DeliveryState::Failed);
        assert_eq!(row.delivery.next_at, None);
        enter(&mut row, attempt(Ok(replied(200)), 0, 1), 1, &CONFIG());
        assert_eq!(row.delivery.state, DeliveryState::Delivered);
    }
}
