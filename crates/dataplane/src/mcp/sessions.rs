//! Sessions of an MCP server that several targets are
//! (<https://modelcontextprotocol.io/specification/2025-11-25/basic/transports>, *Session Management*): each target
//! knows those alone that it has begun.
//!
//! The promise: a client has an id of the gateway's, which says by a mark which target has issued it; the target gets its own
//! id back, wherever the request is served, and nothing is stored for it. What this installation has not
//! issued for one of the targets that the API has now reaches none of them.

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

/// What a client gets to know a session by, which the target at hand calls so.
#[must_use]
pub fn shown(exchange: &Exchange, id: &str) -> Option<String> {
    let target = exchange.turn.as_deref()?;
    Some(mark(exchange, target, id) + id)
}

/// Which of the targets has issued an id, and what it calls the session.
#[must_use]
pub fn issuer(exchange: &Exchange, targets: &[Rc<Target>], shown: &str) -> Option<(usize, String)> {
    let (sent, id) = shown.split_at_checked(MARK)?;
    let is_issuer = |target: &Rc<Target>| is_same(&mark(exchange, target, id), sent);
    Some((targets.iter().position(is_issuer)?, id.to_owned()))
}

/// Compares in a time that does not tell where two texts of one length differ.
fn is_same(one: &str, other: &str) -> bool {
    let pairs = one.bytes().zip(other.bytes());
    pairs.fold(0, |differs, (one, other)| differs | (one ^ other)) == 0
}
