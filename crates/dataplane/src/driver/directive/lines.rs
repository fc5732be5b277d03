//! Directives in lines instead of JSON: the most frequent ones.

use super::{About, edits, request_edits};
use crate::driver::Sending;
use crate::proofs::ProofCall;

/// Writes the directive of a request that is only forwarded, in three lines: the slot it is counted in, the upstream's
/// time limit in milliseconds (0 for none), and the address.
#[must_use]
pub fn plain(figures: u32, timeout_ms: u64, url: &str) -> String {
    format!("{figures}\n{timeout_ms}\n{url}")
}

/// Writes the directive to send a run's request: the lines of [`plain()`], the run, the lowest status that the driver has
/// to inspect (empty for none), the number of lines that change the request's headers, these, and those that change the
/// answer's headers. `None` if there is more to say, or if a text has several lines.
pub(super) fn sending(sending: &Sending, about: &About<'_>) -> Option<String> {
    // Every member is named, so that none can be forgotten.
    let Sending {
        url,
        method: None,
        headers,
        pins: false,
        event_call: None,
        sign: None,
        body: _,
        watches: false,
        watches_session: false,
        timeout_ms,
        answer,
        cache: None,
        after: _,
        inspect,
    } = sending
    else {
        return None;
    };
    let About {
        run,
        figures,
        leases_due: false,
        failed: None,
    } = about
    else {
        return None;
    };
    let (headers, answer) = (request_edits(headers), edits(answer));
    let mut text = plain(*figures, *timeout_ms, url);
    let inspected = inspect
        .from_status()
        .map_or_else(String::new, |from| from.to_string());
    let count = headers.len().to_string();
    let head = [run.to_string().into(), inspected.into(), count.into()];
    let mut expected = 2_usize;
    for line in head.iter().chain(&headers).chain(&answer) {
        text.push('\n');
        text.push_str(line);
        expected = expected.saturating_add(1);
    }
    let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
    (breaks == expected).then_some(text)
}

/// Writes the directive to check a credential: a line each for the word, the run, the slot it is counted in, and the
/// function; then the facts, which may have several. Leases that are due are mentioned in the next one.
pub(super) fn proof(call: &ProofCall, About { run, figures, .. }: &About<'_>) -> String {
    let ProofCall {
        function, facts, ..
    } = call;
    format!("proof\n{run}\n{figures}\n{function}\n{facts}")
}
