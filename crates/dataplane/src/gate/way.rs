//! Where a request goes that has passed, and what is taken out of it.

use super::Passed;
use super::limits::Header;
use super::source::Carrier;
use crate::plan::Forward;

/// The way of a request that has passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// Where it is sent.
    pub url: String,
    /// Headers of the request that are not sent as they came: what is sent instead, if anything.
    pub stripped: Vec<(String, Option<String>)>,
    /// Headers of its answer.
    pub headers: Vec<Header>,
}

/// The way of a request that has passed: its token is taken out where the definition says so.
#[must_use]
pub fn way(forward: &Forward<'_>, carrier: &Carrier<'_>, passed: Passed) -> Way {
    let api = &forward.api;
    let strips = api.strips_token && !api.definition.keyless;
    let query = api.source.strip_query(carrier.query).filter(|_| strips);
    let stripped = if strips {
        api.source.strip_headers(carrier)
    } else {
        Vec::new()
    };
    Way {
        url: forward.url(query.as_deref().unwrap_or(carrier.query)),
        stripped,
        headers: passed.headers,
    }
}
