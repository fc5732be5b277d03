//! What is reported about a request that the gateway answered with an error, so that the cause can be found
//! (`worker/src/failures.js` keeps the first of each kind).

use super::Run;
use crate::failure::Failure;
use crate::versions::TRACE_NAME;
use serde::Serialize;

/// A failed request, without any of its contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failed<'a> {
    /// The API that the request reached.
    pub api: &'a str,
    /// The API's version; empty if there is only one or none was found.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub version: &'a str,
    /// The error's message before the definition's rules change it, or what went wrong between gateway and upstream;
    /// empty if the upstream itself answered with an error.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub reason: &'static str,
    /// The link of the chain that refused the request, by its name in traces; `upstream` for trouble with the upstream
    /// or after it.
    pub link: &'a str,
    /// The hash of the request's key, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl<'a> Failed<'a> {
    /// A failure to get an answer from the upstream, for a request to this API.
    #[must_use]
    pub const fn of_upstream(api: &'a str, failure: Failure) -> Self {
        Self {
            api,
            version: "",
            reason: reason(failure),
            link: UPSTREAM,
            key: None,
        }
    }
}

/// What a trace calls the step after the last link.
const UPSTREAM: &str = "upstream";

const fn reason(failure: Failure) -> &'static str {
    match failure.is_of_upstream() {
        true => failure.cause(),
        false => failure.message(),
    }
}

impl Run {
    /// Why the request failed. If the gateway has not refused it, the upstream's answer was the error.
    #[must_use]
    pub fn failed_as(&self) -> Failed<'_> {
        let exchange = &self.exchange;
        let link = exchange.chain.links.get(self.at).map(|link| link.name());
        let link = match self.failure {
            Some(
                Failure::VersionMissing
                | Failure::VersionUnknown
                | Failure::VersionUnknownHere
                | Failure::VersionExpired
                | Failure::FallbackBroken
                | Failure::NoDefaultVersion
                | Failure::AmbiguousDefaultVersion,
            ) => Some(TRACE_NAME),
            Some(failure) if !failure.is_of_upstream() => link,
            _ => None,
        };
        // A base may have passed the request to another API, even one with a single version.
        let own = exchange.api.definition.api_id == self.counted_as;
        let several = !own || exchange.api.chains.len() > 1;
        let is_chosen = several && link != Some(TRACE_NAME);
        Failed {
            api: &self.counted_as,
            version: match is_chosen {
                true => &exchange.version,
                false => "",
            },
            reason: self.failure.map_or("", reason),
            link: link.unwrap_or(UPSTREAM),
            key: exchange.decided_with().map(|(_, known)| known.hash.clone()),
        }
    }
}
