//! Links 6 and 7: addresses that may or may not call (`allowed_ips`, `blacklisted_ips`; reference 3.4, *IP lists*).
//!
//! A non-empty list is in effect whatever its switch says; only `ip_access_control_disabled` disables lists whose
//! switch is not on. The client's address is that of [`Exchange::client_address`].
//!
//! What can't be parsed fails closed. An entry that is not an address matches no client on the allow list and *every*
//! client on the block list; the validator rejects such a definition, so this happens only if one gets into the store
//! some other way. A client without an address is on no allow list, and the block list refuses it, too.

use crate::chain::{Compiler, Middleware, Step, counted};
use crate::exchange::Exchange;
use crate::failure::Failure;
use gatewright_model::json::Value;
use std::net::IpAddr;

/// The lists of addresses.
#[derive(Debug)]
pub struct AddressLists {
    /// `None` if the list is not in effect.
    allowed: Option<Vec<Option<Network>>>,
    blocked: Option<Vec<Option<Network>>>,
}

/// An address, or all those with the same prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network {
    /// The significant bits; the others are 0.
    bits: u128,
    mask: u128,
    is_ipv4: bool,
}

/// The bits of an address; an IPv4 address is in the upper bits.
fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()) << 96,
        IpAddr::V6(address) => address.to_bits(),
    }
}

impl Network {
    /// Parses an address with an optional prefix length, ignoring bits after the prefix. An IPv4-mapped IPv6 address
    /// becomes an IPv4 one, including its prefix.
    fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let written: IpAddr = address.parse().ok()?;
        let longest = if written.is_ipv4() { 32 } else { 128 };
        let length = match prefix {
            None => longest,
            Some(prefix) if prefix.bytes().all(|byte| byte.is_ascii_digit()) => {
                prefix.parse::<u32>().ok()?
            }
            Some(_) => return None,
        };
        if length > longest {
            return None;
        }
        // Only a prefix longer than that of `::ffff:0:0/96` refers to IPv4 addresses.
        let canonical = written.to_canonical();
        let (address, length) = match length.checked_sub(96) {
            Some(of_ipv4) if written.is_ipv6() && canonical.is_ipv4() => (canonical, of_ipv4),
            _ => (written, length),
        };
        let mask = u128::MAX.checked_shl(128_u32.saturating_sub(length));
        let mask = mask.unwrap_or_default();
        Some(Self {
            bits: bits(address) & mask,
            mask,
            is_ipv4: address.is_ipv4(),
        })
    }

    fn contains(self, address: IpAddr) -> bool {
        address.is_ipv4() == self.is_ipv4 && bits(address) & self.mask == self.bits
    }
}

/// A list that is in effect; invalid entries are `None`.
fn list(from: &mut Compiler<'_>, name: &str, switch: &str) -> Option<Vec<Option<Network>>> {
    let is = |name| from.definition.bool(name).unwrap_or_default();
    let entries = from.definition.get(name)?.items();
    let is_off = is("ip_access_control_disabled") && !is(switch);
    if entries.is_empty() || is_off {
        return None;
    }
    let read = |entry: &Value<'_>| entry.as_str().and_then(Network::parse);
    let entries: Vec<Option<Network>> = entries.iter().map(read).collect();
    let what = if name == "allowed_ips" {
        "allowed"
    } else {
        "blocked"
    };
    let detail = format!("{} {what}", counted(entries.len(), "range"));
    from.origin(format!("/{name}"), detail);
    Some(entries)
}

impl AddressLists {
    /// Why a client is refused; `None` if it is allowed.
    fn refuses(&self, client: Option<IpAddr>) -> Option<&'static str> {
        let on = |list: &[Option<Network>]| {
            let mut known = list.iter().flatten();
            client.is_some_and(|client| known.any(|network| network.contains(client)))
        };
        if self.allowed.as_ref().is_some_and(|list| !on(list)) {
            return Some("is not on the allow list");
        }
        let blocked = self.blocked.as_ref()?;
        if blocked.contains(&None) {
            return Some("may be on the block list, which has an entry that is no address");
        }
        if client.is_none() {
            return Some("may be on the block list");
        }
        on(blocked).then_some("is on the block list")
    }
}

impl Middleware for AddressLists {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let allowed = list(from, "allowed_ips", "enable_ip_whitelisting");
        let blocked = list(from, "blacklisted_ips", "enable_ip_blacklisting");
        (allowed.is_some() || blocked.is_some()).then_some(Self { allowed, blocked })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let client = exchange.client_address();
        let refused = self.refuses(client);
        exchange.note(|| {
            let client = client.map_or_else(
                || "the client has no known address and".to_owned(),
                |address| format!("the address {address}"),
            );
            format!("{client} {}", refused.unwrap_or("may call"))
        });
        match refused {
            Some(_) => Step::Reply(Failure::AddressDisallowed.into()),
            None => Step::Next,
        }
    }
}

#[cfg(test)]
mod tests;
