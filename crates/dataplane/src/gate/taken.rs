//! What a request has taken before another limit refused it. Rates are gone in a moment, so they
//! keep what was counted; a quota may last for a month, and gets back what nobody has used.

use super::{Gatekeeper, Standing};
use gatewright_protocol::ledger::{Consume, Count, Limit};

/// What one Ledger has counted for a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    pub(super) ledger: String,
    /// The revision of the session that said so.
    pub(super) revision: Option<u64>,
    pub(super) counts: Vec<(Count, Standing)>,
}

impl Taken {
    /// Asks to take the quotas' part back; nothing without one. Each has the end of its window with
    /// it, because another window owes nothing.
    fn back(self) -> Option<(String, Consume)> {
        let is_quota = |(count, _): &(Count, Standing)| matches!(count.limit, Limit::Quota(_));
        let quotas = self.counts.into_iter().filter(is_quota);
        let (counts, back): (Vec<_>, Vec<_>) =
            quotas.map(|(count, standing)| (count, standing.at)).unzip();
        let ask = Consume {
            revision: self.revision,
            counts,
            back,
            ..Consume::default()
        };
        (!ask.back.is_empty()).then_some((self.ledger, ask))
    }
}

/// Gives back what a refused request has taken. It costs calls, but only where something else than
/// the last limit refuses; one that fails leaves the quota with a request less.
pub(super) async fn give_back<G: Gatekeeper>(gate: &G, taken: Vec<Taken>) {
    for (ledger, ask) in taken.into_iter().filter_map(Taken::back) {
        let _ = gate.consume(&ledger, &ask).await;
    }
}
