//! Row 1: reads the message in a request to an MCP proxy (reference 6.4, *Parse* and *Virtual paths*). It precedes
//! everything else, so that all later links use the message instead of the path.
//!
//! A POST with JSON is read as a message. Other methods pass: GET opens a stream of the server's own messages, DELETE
//! ends a session. What else could have a message passes if the proxy has no rules ([`mcp::ask_ruled`]).

use super::size_limits;
use crate::chain::{Compiler, Middleware, Step, counted};
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::mcp;
use gatewright_model::mcp::{Lists, path};

/// Reads messages.
#[derive(Debug)]
pub struct McpMessage {
    lists: Lists,
    /// `global_size_limit`: longer bodies are not read.
    limit: Option<u64>,
}

impl McpMessage {
    /// Whether the path is that of a method: its rules are for messages, and requests may not use it.
    fn is_method(&self, exchange: &Exchange) -> bool {
        let asked = exchange.stripped().trim_end_matches('/');
        self.lists
            .methods
            .iter()
            .any(|method| method.trim_end_matches('/') == asked)
    }
}

impl Middleware for McpMessage {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        if !from.is_mcp() {
            return None;
        }
        from.origin("/application_protocol", "");
        let lists = Lists::read(from.definition);
        if !lists.methods.is_empty() {
            from.origin(
                "/openapi/mcp/methods",
                counted(lists.methods.len(), "method"),
            );
        }
        let limit = size_limits::global(from);
        Some(Self { lists, limit })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if exchange.rpc.is_some() {
            return Step::Next;
        }
        let is_post = exchange.request.method == "POST";
        if is_post && self.is_method(exchange) {
            exchange.remark("the path of a method, whose rules are for messages");
            return Step::Reply(Failure::EndpointForbidden.into());
        }
        if self.lists.is_empty() && !(is_post && mcp::is_json(exchange)) {
            if is_post {
                exchange.remark("no JSON: it is not read as a message");
            }
            return Step::Next;
        }
        let limit = self.limit.filter(|_| is_post);
        let refusal = limit.and_then(|limit| size_limits::first(exchange, limit));
        if let Some(refusal) = refusal {
            return Step::Reply(refusal);
        }
        if let Err(step) = mcp::ask_ruled(exchange) {
            return step;
        }
        let Some(message) = &mut exchange.rpc else {
            return Step::Next;
        };
        // The rules for the definition's name of the primitive, which may differ from the one that was sent.
        if let Some((category, name)) = &message.primitive
            && let Some(found) = self.lists.find(*category, name)
        {
            message.paths.push(path(*category, &found.name));
            exchange.ignored |= self.lists.opens(*category, name);
        }
        Step::Next
    }
}

#[cfg(test)]
mod tests;
