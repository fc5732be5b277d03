//! Requests that move to another chain, or back to the start of their own (reference 3.12).

use super::{Next, Run};
use crate::chain::{Link, Loop, trace};
use crate::exchange::{Entry, Exchange, Request, Route, RunContext};
use crate::failure::{Failure, Reply};
use crate::loops;
use crate::path::{RequestPath, splits_dots};
use crate::snapshot::Api;
use std::rc::Rc;

impl Run {
    /// Moves the request to the chain that a link names.
    pub(super) fn enter_loop(&mut self, to: &Loop) -> Next {
        if let Err(reply) = self.depth.enter(to) {
            return self.refuse_loop(reply);
        }
        // Only the inner chain's rules for the answer apply, and it would expose what this chain hides.
        let hides =
            |link: &Link| matches!(link, Link::McpAccess(access) if access.filters(&self.exchange));
        if self.exchange.chain.links.iter().any(hides) {
            return self.refuse_loop(Reply::from(Failure::Target));
        }
        let old = &mut self.exchange;
        // `self` stays in the chain of the version that was chosen.
        let own = (to.api == "self").then(|| chain_of(old)).flatten();
        let api = match to.api.as_str() {
            "self" => Some(Rc::clone(&old.api)),
            name => old.snapshot.loop_target(name).cloned(),
        };
        let Some(api) = api.filter(|api| api.definition.active) else {
            return self.refuse_loop(Reply::from(to.missing));
        };
        let path = match loops::request_path(to) {
            Ok(path) => path,
            Err(failure) => return self.refuse_loop(Reply::from(failure)),
        };
        let context = RunContext {
            snapshot: Rc::clone(&old.snapshot),
            isolate: Rc::clone(&old.isolate),
            api,
            chain: own.unwrap_or_default(),
        };
        let mut inner = inner(old, to, path, context);
        if own.is_some() {
            inner.version = std::mem::take(&mut old.version);
        }
        // Whom this chain has let in need not send a token to the next one, as in the family, unless it counts anew: the
        // token may have been stripped since, or be that of another method. Rights are still checked.
        let keeps = own.is_some() || (!to.counts && !to.is_target && inner.org() == old.org());
        let outer = old.identity.take().or_else(|| inner.outer.take());
        inner.outer = outer.filter(|_| keeps);
        inner.note_of(|inner| format!("To {}, {}", inner.api.definition.name, to.address()));
        self.exchange = inner;
        self.end_step("loop", trace::Phase::Request, trace::Outcome::Passed);
        self.at = 0;
        match own {
            Some(_) => self.links(),
            None => self.start(),
        }
    }

    /// Answers a request whose loop can't be followed.
    fn refuse_loop(&mut self, reply: Reply) -> Next {
        if let Reply::Failure(refusal) = &reply {
            self.exchange.remark(&refusal.message);
        }
        self.end_step("loop", trace::Phase::Request, trace::Outcome::Refused);
        self.finish(reply)
    }
}

/// The request as it enters another chain.
fn inner(old: &mut Exchange, to: &Loop, path: RequestPath, context: RunContext) -> Exchange {
    let route = Route {
        listen: listen(&context.api, path.decoded()),
        ..Route::default()
    };
    let method = to.method.as_deref().unwrap_or_else(|| old.sent_method());
    let request = Request {
        method: method.to_owned(),
        path,
        query: to.query.clone(),
        has_bare_query: false,
        headers: old.request.headers.with(old.headers().clone()),
        entry: if to.is_target {
            old.request.entry
        } else {
            Entry::Loop { counts: to.counts }
        },
        ..old.request.clone()
    };
    let mut inner = Exchange::new(request, route, context);
    inner.succeed(old);
    // A tool's time limit comes from its caller; it replaces the one that the API defines for the operation.
    if old.rpc.is_some() {
        inner.timeout_ms = old.timeout_ms;
    }
    // A replaced body is read anew by whichever link needs it.
    if !old.body_replaced {
        inner.body = std::mem::take(&mut old.body);
    }
    inner
}

/// The length in bytes of the API's listen path within a loop's path: rules and forwarding strip it there too. A listen
/// path with templates is not stripped, so its length is 0, and neither is one that would leave dots.
fn listen(api: &Api, path: &str) -> usize {
    let listen = api.definition.proxy.listen_path.as_str();
    if path.starts_with(listen) && !splits_dots(path, listen.len()) {
        listen.len()
    } else {
        0
    }
}

/// The index of the request's chain among those of its API.
fn chain_of(exchange: &Exchange) -> Option<usize> {
    let mut chains = exchange.api.chains.iter();
    chains.position(|version| Rc::ptr_eq(&version.chain, &exchange.chain))
}
