//! Requests that go from one chain to another, or again to the beginning of their own (reference 3.12).

use super::{Next, Run};
use crate::chain::{Link, Loop, trace};
use crate::exchange::{Entry, Exchange, Request, Route, RunContext};
use crate::failure::{Failure, Reply};
use crate::identity::Method;
use crate::loops;
use crate::path::RequestPath;
use crate::snapshot::Api;
use std::rc::Rc;

impl Run {
    /// Sends the request to the chain that a link names.
    pub(super) fn enter_loop(&mut self, to: &Loop) -> Next {
        if let Err(reply) = self.depth.enter(to) {
            return self.lost(reply);
        }
        // Of the answer's rules those of the inner chain alone are in force, and it would show what this one hides.
        let hides =
            |link: &Link| matches!(link, Link::McpAccess(access) if access.filters(&self.exchange));
        if self.exchange.chain.links.iter().any(hides) {
            return self.lost(Reply::from(Failure::Target));
        }
        let old = &mut self.exchange;
        // Its own chain is that of the version that has been chosen.
        let own = (to.api == "self").then(|| chain_of(old)).flatten();
        let api = match to.api.as_str() {
            "self" => Some(Rc::clone(&old.api)),
            name => old.snapshot.loop_target(name).cloned(),
        };
        let Some(api) = api.filter(|api| api.definition.active) else {
            return self.lost(Reply::from(to.missing));
        };
        let path = match loops::request_path(to) {
            Ok(path) => path,
            Err(failure) => return self.lost(Reply::from(failure)),
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
            // Who has shown a token to this API need not show it again: it may have been taken out since.
            if old.passed.iter().all(|known| known.method == Method::Token) {
                inner.identity = old.identity.take();
                inner.passed = std::mem::take(&mut old.passed);
            }
        }
        let words = format!("To {}, {}", inner.api.definition.name, to.address());
        inner.note(|| words);
        self.exchange = inner;
        self.end_step("loop", trace::Phase::Request, trace::Outcome::Passed);
        self.at = 0;
        let entered = if own.is_some() { Ok(()) } else { self.enter() };
        match entered {
            Ok(()) => self.links(),
            Err(failure) => self.finish(Reply::from(failure)),
        }
    }

    /// Answers a request that can't go on at the end of a loop.
    fn lost(&mut self, reply: Reply) -> Next {
        if let Reply::Failure(refusal) = &reply {
            self.exchange.note(|| refusal.message.to_string());
        }
        self.end_step("loop", trace::Phase::Request, trace::Outcome::Refused);
        self.finish(reply)
    }
}

/// The request as it begins in another chain.
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
        entry: Entry::Loop { counts: to.counts },
        ..old.request.clone()
    };
    let mut inner = Exchange::new(request, route, context);
    inner.trace = old.trace.take();
    // How long a tool may take is said where it is called; what the API says of its operation stands instead.
    if old.rpc.is_some() {
        inner.timeout_ms = old.timeout_ms;
    }
    // A body that was put in its place is read anew by who needs it.
    if !old.body_replaced {
        inner.body = std::mem::take(&mut old.body);
    }
    // Who has come with a key is known to an inner API that asks for none, too.
    inner.key.session = old.key.session.take();
    let caller = old
        .identity
        .as_ref()
        .map(|identity| identity.known.hash.clone());
    inner.caller = caller.or_else(|| old.caller.take());
    inner.every_answer = std::mem::take(&mut old.every_answer);
    // Of the answer's rules those of the inner chain alone are in force; how the limits stand that have
    // counted the request is no rule.
    inner.limits_answer = std::mem::take(&mut old.limits_answer);
    inner
}

/// How many bytes of a loop's path are the listen path of its API: it is stripped there too, in rules and
/// in what is sent. One with templates stays.
fn listen(api: &Api, path: &str) -> usize {
    let listen = api.definition.proxy.listen_path.as_str();
    if path.starts_with(listen) {
        listen.len()
    } else {
        0
    }
}

/// The index of the chain that a request passes among those of its API.
fn chain_of(exchange: &Exchange) -> Option<usize> {
    let mut chains = exchange.api.chains.iter();
    chains.position(|version| Rc::ptr_eq(&version.chain, &exchange.chain))
}
