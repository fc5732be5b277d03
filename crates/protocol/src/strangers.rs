//! Unknown tokens, and who sends them: a Ledger's object counts for many keys, and whoever makes up tokens must not keep
//! it from that.
//!
//! The promise: a Ledger is asked about a token that is not a key only once in a while ([`REMEMBERED_MS`]), and for an
//! address that exceeds its rate of such tokens none is asked about unknown tokens at all until the address has waited. A newly created key works at its first request all the same: if its Ledger was asked about its token
//! recently, the response to its creation waits until every isolate has forgotten that (`ledger/src/denials.rs`).

use crate::sessions::REMEMBERED_MS;
use crate::token::HashFunction;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};

/// The most tokens, and the most addresses, remembered at once.
const MAX: usize = 4096;
/// The longest an address waits, in milliseconds: others may share it.
const LONGEST_MS: u64 = 10_000;

/// How many unknown tokens of an address Ledgers are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrangerLimit {
    /// Per second (`UNKNOWN_KEYS_PER_SECOND`); 0 means no limit.
    pub per_second: u32,
    /// At once (`UNKNOWN_KEYS_BURST`).
    pub burst: u32,
}

impl Default for StrangerLimit {
    fn default() -> Self {
        Self {
            per_second: 50,
            burst: 40,
        }
    }
}

impl StrangerLimit {
    /// Reads the worker's variables; one that is not a number keeps its default.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let default = Self::default();
        let number = |name, default| {
            let number = variable(name).and_then(|text| text.trim().parse().ok());
            number.unwrap_or(default)
        };
        Self {
            per_second: number("UNKNOWN_KEYS_PER_SECOND", default.per_second),
            burst: number("UNKNOWN_KEYS_BURST", default.burst),
        }
    }

    /// Returns the milliseconds per token.
    fn interval(self) -> u64 {
        let per_second = u64::from(self.per_second.clamp(1, 1000));
        1000_u64.checked_div(per_second).unwrap_or(1000)
    }
}

/// What to do about a token that this isolate doesn't know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stranger {
    /// Ask its Ledger.
    Ask,
    /// It was not a key a moment ago.
    Unknown,
    /// Its address has sent too many tokens that are not keys.
    TooMany,
}

/// The sender of a token, for counting.
#[derive(Clone, Copy, Debug)]
pub struct Sender {
    /// The address, if known. Unknown addresses count together.
    pub address: Option<IpAddr>,
    /// Whether the token comes from an item of a batch. All items may ask before the first reply arrives, so each
    /// counts until its reply says that it is a key.
    pub in_batch: bool,
}

/// A map in two halves: when the newer one is full, the older one is discarded.
#[derive(Debug, Default)]
struct AgingMap {
    newer: HashMap<String, u64>,
    older: HashMap<String, u64>,
}

impl AgingMap {
    fn get(&self, key: &str) -> u64 {
        let found = self.newer.get(key).or_else(|| self.older.get(key));
        found.copied().unwrap_or(0)
    }

    fn put(&mut self, key: String, until: u64) {
        if self.newer.len() >= MAX / 2 && !self.newer.contains_key(&key) {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(key, until);
    }
}

/// The tokens and addresses that an isolate remembers. Times are Unix milliseconds.
#[derive(Debug, Default)]
pub struct Strangers {
    /// Until when a token counts as unknown, by the hash of its name.
    tokens: AgingMap,
    /// By when an address that sends nothing more has waited for all it has sent.
    addresses: AgingMap,
}

impl Strangers {
    /// Decides whether to ask about the token with this name in the isolate.
    pub fn decide(
        &mut self,
        name: &str,
        sender: Sender,
        limit: StrangerLimit,
        now: u64,
    ) -> Stranger {
        if now < self.tokens.get(&hashed(name)) {
            return Stranger::Unknown;
        }
        if !self.may_try(sender, limit, now) {
            return Stranger::TooMany;
        }
        if sender.in_batch && limit.per_second > 0 {
            self.charge(sender, limit, now);
        }
        Stranger::Ask
    }

    /// Whether to process what an address sends: it has not sent too many wrong tokens.
    #[must_use]
    pub fn may_try(&self, sender: Sender, limit: StrangerLimit, now: u64) -> bool {
        let most = u64::from(limit.burst.max(1)).saturating_mul(limit.interval());
        let waits = self.addresses.get(&network(sender.address));
        let after = waits.saturating_sub(now).saturating_add(limit.interval());
        limit.per_second == 0 || after <= most
    }

    /// Counts a wrong credential of an address.
    pub fn record_failure(&mut self, sender: Sender, limit: StrangerLimit, now: u64) {
        self.charge(sender, limit, now);
    }

    /// Records that a token, asked about at this time, is not a key.
    pub fn record_unknown(
        &mut self,
        name: &str,
        sender: Sender,
        limit: StrangerLimit,
        (asked_at, now): (u64, u64),
    ) {
        let until = asked_at.saturating_add(REMEMBERED_MS);
        self.tokens.put(hashed(name), until);
        if !sender.in_batch {
            self.charge(sender, limit, now);
        }
    }

    /// Records that a token that was asked about is a key.
    pub fn record_key(&mut self, sender: Sender, limit: StrangerLimit) {
        if sender.in_batch {
            self.forgive(sender, limit);
        }
    }

    /// Takes back what was counted for an address: its token was a key until now.
    pub fn forgive(&mut self, sender: Sender, limit: StrangerLimit) {
        let network = network(sender.address);
        let waits = self.addresses.get(&network);
        let back = waits.saturating_sub(limit.interval());
        self.addresses.put(network, back);
    }

    fn charge(&mut self, sender: Sender, limit: StrangerLimit, now: u64) {
        let network = network(sender.address);
        let waits = self.addresses.get(&network).max(now);
        let waits = waits.saturating_add(limit.interval());
        self.addresses
            .put(network, waits.min(now.saturating_add(LONGEST_MS)));
    }
}

/// Returns the key of a token in the map. Tokens can have thousands of bytes, and nobody should be able to find others
/// with the same key.
fn hashed(name: &str) -> String {
    HashFunction::Sha256.hash(name)
}

/// Returns the network of an address, which what it sends counts against; empty if the address is unknown. An IPv6
/// address belongs to whoever has the first half of its bits (RFC 4291 section 2.5.1).
#[must_use]
pub fn network(address: Option<IpAddr>) -> String {
    let address = address.map(|address| address.to_canonical());
    match address {
        None => String::new(),
        Some(IpAddr::V6(address)) => {
            let [first, second, third, fourth, ..] = address.segments();
            Ipv6Addr::new(first, second, third, fourth, 0, 0, 0, 0).to_string()
        }
        Some(address) => address.to_string(),
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    const NOW: u64 = 1_700_000_000_000;
    const LIMIT: StrangerLimit = StrangerLimit {
        per_second: 5,
        burst: 3,
    };

    fn from(address: &str) -> Sender {
        Sender {
            address: address.parse().ok(),
            in_batch: false,
        }
    }

    fn wrong(strangers: &mut Strangers, name: &str, sender: Sender, now: u64) -> Stranger {
        let decision = strangers.decide(name, sender, LIMIT, now);
        if decision == Stranger::Ask {
            strangers.record_unknown(name, sender, LIMIT, (now, now));
        }
        decision
    }

    #[test]
    fn an_unknown_token_is_remembered_from_the_time_of_the_query() {
        let mut strangers = Strangers::default();
        let sender = from("192.0.2.1");
        strangers.record_unknown("t", sender, LIMIT, (NOW, NOW + 500));
        let decision = |strangers: &mut Strangers, at| strangers.decide("t", sender, LIMIT, at);
        let last = NOW + REMEMBERED_MS - 1;
        assert_eq!(decision(&mut strangers, last), Stranger::Unknown);
        assert_eq!(decision(&mut strangers, last + 1), Stranger::Ask);
        let other = from("192.0.2.2");
        assert_eq!(strangers.decide("u", other, LIMIT, NOW), Stranger::Ask);
    }

    #[test]
    fn an_address_has_its_burst_and_then_its_rate() {
        let mut strangers = Strangers::default();
        let mut asked = 0;
        for ms in 0..2000 {
            let name = format!("{ms}");
            let decision = wrong(&mut strangers, &name, from("192.0.2.1"), NOW + ms);
            asked += u32::from(decision == Stranger::Ask);
        }
        assert_eq!(asked, 3 + 9);
        let decision = wrong(&mut strangers, "x", from("192.0.2.2"), NOW + 2000);
        assert_eq!(decision, Stranger::Ask);
        // Nobody waits longer than ten seconds, however many were in flight.
        for number in 0..10_000 {
            let times = (NOW, NOW + 3000);
            strangers.record_unknown(&format!("y{number}"), from("192.0.2.1"), LIMIT, times);
        }
        let decision = wrong(&mut strangers, "z", from("192.0.2.1"), NOW + 13_000);
        assert_eq!(decision, Stranger::Ask);
    }

    #[test]
    fn ipv6_addresses_count_by_their_first_half() {
        let mut strangers = Strangers::default();
        for number in 1..=3 {
            let sender = from(&format!("2001:db8::{number}"));
            wrong(&mut strangers, &number.to_string(), sender, NOW);
        }
        let decision =
            |strangers: &mut Strangers, address| strangers.decide("x", from(address), LIMIT, NOW);
        assert_eq!(decision(&mut strangers, "2001:db8::4"), Stranger::TooMany);
        assert_eq!(decision(&mut strangers, "2001:db8:0:1::4"), Stranger::Ask);
    }

    #[test]
    fn an_item_of_a_batch_counts_until_it_is_a_key() {
        let mut strangers = Strangers::default();
        let item = Sender {
            in_batch: true,
            ..from("192.0.2.1")
        };
        let decision = |strangers: &mut Strangers, name| strangers.decide(name, item, LIMIT, NOW);
        let first = ["a", "b", "c", "d"].map(|name| decision(&mut strangers, name));
        assert_eq!(first[..3], [Stranger::Ask; 3]);
        assert_eq!(first[3], Stranger::TooMany);
        strangers.record_unknown("a", item, LIMIT, (NOW, NOW));
        assert_eq!(decision(&mut strangers, "d"), Stranger::TooMany);
        strangers.record_key(item, LIMIT);
        assert_eq!(decision(&mut strangers, "d"), Stranger::Ask);
    }

    #[test]
    fn the_number_of_remembered_tokens_is_bounded() {
        let mut strangers = Strangers::default();
        for number in 0..MAX as u64 * 3 {
            let address = IpAddr::from(u32::try_from(number).unwrap().to_be_bytes());
            let sender = Sender {
                address: Some(address),
                in_batch: false,
            };
            strangers.record_unknown(&number.to_string(), sender, LIMIT, (NOW, NOW));
        }
        let tokens = &strangers.tokens;
        assert!(tokens.newer.len() + tokens.older.len() <= MAX);
        let addresses = &strangers.addresses;
        assert!(addresses.newer.len() + addresses.older.len() <= MAX);
    }
}
