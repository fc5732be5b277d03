//! Link 16: strips credentials from requests before they are forwarded (`strip_auth_data`).

use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::token_source::TokenSource;
use std::rc::Rc;

/// Strips the credentials of all methods.
#[derive(Debug)]
pub struct StripAuthData;

impl Middleware for StripAuthData {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let on = |name| from.definition.bool(name).unwrap_or_default();
        let strips = on("strip_auth_data") && !on("use_keyless");
        if strips {
            from.origin("/strip_auth_data", "");
        }
        strips.then_some(Self)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let api = Rc::clone(&exchange.api);
        for source in &api.sources {
            strip(source, exchange);
        }
        Step::Next
    }
}

fn strip(source: &TokenSource, exchange: &mut Exchange) {
    let headers = exchange.carrier(|carrier| source.strip_headers(carrier));
    for (name, left) in headers {
        match left {
            _ if exchange.header(&name).is_none() => {}
            Some(value) => exchange.set_header(&name, &value),
            None => exchange.remove_header(&name),
        }
    }
    // A version may already have been stripped.
    if let Some(query) = source.strip_query(exchange.asked_query())
        && query != exchange.asked_query()
    {
        exchange.query = Some(query);
        exchange.remark("Taken out of the query");
    }
}
