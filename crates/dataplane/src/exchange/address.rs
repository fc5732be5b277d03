//! The client's address (reference 3.4, *Real IP*).

use super::Exchange;
use crate::chain::Settings;
use crate::headers::Headers;
use gatewright_protocol::http::address as parse;
use std::cell::LazyCell;
use std::fmt;
use std::net::IpAddr;
use std::rc::Rc;

/// The address of a connection, fetched on first use: most chains don't need it, and the runtime parses a document to
/// get it.
#[derive(Clone)]
pub struct ConnectionAddress(Rc<LazyCell<Box<str>, Ask>>);

type Ask = Box<dyn FnOnce() -> Box<str>>;

impl ConnectionAddress {
    /// Wraps the function that returns the address.
    pub fn asking(ask: impl FnOnce() -> String + 'static) -> Self {
        Self(Rc::new(LazyCell::new(Box::new(|| ask().into()))))
    }

    /// The address without a port; empty if unknown.
    #[must_use]
    pub fn get(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ConnectionAddress {
    fn from(address: &str) -> Self {
        let address = address.to_owned();
        Self::asking(|| address)
    }
}

impl fmt::Debug for ConnectionAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConnectionAddress")
    }
}

impl Exchange {
    /// The address a client is counted by: only the operator's trusted header may override that of the connection.
    #[must_use]
    pub fn counted_address(&self) -> Option<IpAddr> {
        let request = &self.request;
        let trusted = self.chain.settings.client_ip_header.as_ref();
        match (trusted, &request.client_address) {
            (None, _) => parse(request.connection_address.get()),
            (Some(_), Some(address)) => parse(address),
            (Some(header), None) => parse(&request.headers.get(header)?),
        }
    }

    /// The client's address; see [`client_address`].
    #[must_use]
    pub fn client_address(&self) -> Option<IpAddr> {
        let request = &self.request;
        match &request.client_address {
            Some(address) => parse(address),
            None => client_address(
                &request.headers,
                &self.chain.settings,
                request.connection_address.get(),
            ),
        }
    }
}

/// The client's address: taken from the header that the operator trusts (`CLIENT_IP_HEADER`); without one from
/// `X-Real-IP` or `X-Forwarded-For`, whichever holds an address first, else from the connection. `None` if that can't
/// be parsed, or if the list has fewer entries than configured; no allow list admits such a client.
#[must_use]
pub fn client_address(headers: &Headers, settings: &Settings, connection: &str) -> Option<IpAddr> {
    if let Some(trusted) = &settings.client_ip_header {
        return parse(&headers.get(trusted)?);
    }
    if let Some(address) = headers.get("x-real-ip").and_then(|text| parse(&text)) {
        return Some(address);
    }
    let list = headers.get("x-forwarded-for");
    match list.filter(|list| !list.trim().is_empty()) {
        Some(list) => parse(settings.xff_depth.pick(&list)?).or_else(|| parse(connection)),
        None => parse(connection),
    }
}

/// Which entry of `X-Forwarded-For` is the client's address (`HTTP_XFF_DEPTH`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct XffDepth(pub usize);

impl XffDepth {
    /// Picks the entry: 0 is the first, n the n-th from the right; `None` if there are fewer.
    fn pick(self, list: &str) -> Option<&str> {
        match self.0.checked_sub(1) {
            None => list.split(',').next(),
            Some(behind) => list.rsplit(',').nth(behind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_counted_from_the_right() {
        let list = "203.0.113.1, 198.51.100.2 ,192.0.2.3";
        for (depth, entry) in [
            (0, Some("203.0.113.1")),
            (1, Some("192.0.2.3")),
            (2, Some(" 198.51.100.2 ")),
            (3, Some("203.0.113.1")),
            (4, None),
        ] {
            assert_eq!(XffDepth(depth).pick(list), entry, "{depth}");
        }
    }

    #[test]
    fn an_address_has_no_port() {
        assert_eq!(parse("192.0.2.1:80"), None);
        assert_eq!(parse(" 192.0.2.1 "), parse("::ffff:192.0.2.1"));
        assert_eq!(parse("not an address"), None);
    }
}
