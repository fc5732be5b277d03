//! Sessions of an MCP server with several targets
//! (<https://modelcontextprotocol.io/specification/2025-11-25/basic/transports>, *Session Management*): each target
//! knows only the sessions that it started.
//!
//! The promise: clients get an id from the gateway, with a mark that identifies the issuing target; the target gets its
//! own id back, wherever the request is served, and nothing is stored. An id that this installation has not issued for
//! one of the API's current targets reaches none of them.

use crate::exchange::Exchange;
use gatewright_protocol::pseudonym::MARK;
use gatewright_protocol::target::Target;
use std::rc::Rc;

/// The header that carries an id.
pub const HEADER: &str = "mcp-session-id";

fn mark(exchange: &Exchange, target: &Target, id: &str) -> String {
    let api = &exchange.api.definition.api_id;
    let address = target.join("", "", true);
    let pseudonyms = &exchange.isolate.config().pseudonyms;
    pseudonyms.mark(&format!("session\n{api}\n{address}\n{id}"))
}

/// The id to show to the client for a session of the current target.
#[must_use]
pub fn shown(exchange: &Exchange, id: &str) -> Option<String> {
    let target = exchange.turn.as_deref()?;
    Some(mark(exchange, target, id) + id)
}

/// The index of the target that issued an id, and its own id for the session.
#[must_use]
pub fn issuer(exchange: &Exchange, targets: &[Rc<Target>], shown: &str) -> Option<(usize, String)> {
    let (sent, id) = shown.split_at_checked(MARK)?;
    let is_issuer = |target: &Rc<Target>| is_same(&mark(exchange, target, id), sent);
    Some((targets.iter().position(is_issuer)?, id.to_owned()))
}

/// Compares two texts of the same length in constant time.
fn is_same(one: &str, other: &str) -> bool {
    let pairs = one.bytes().zip(other.bytes());
    pairs.fold(0, |differs, (one, other)| differs | (one ^ other)) == 0
}
