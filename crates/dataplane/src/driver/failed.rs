//! What is told of a request that the gateway has answered with an error, so that somebody can find the cause
//! (`worker/src/failures.js` keeps the first of each kind).

use super::Run;
use crate::failure::Failure;
use crate::versions::TRACE_NAME;
use serde::Serialize;

/// A failed request, without what it was sent with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failed<'a> {
    /// The API that it came to.
    pub api: &'a str,
    /// The version of it; empty where there is only one, or none was found.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub version: &'a str,
    /// The error's message before a definition has a say in it, or what went wrong on the way to the upstream; empty
    /// where the upstream itself has answered with an error.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub reason: &'static str,
    /// The link of the chain that has refused it, by the name that traces have; `upstream` for trouble on the way
    /// there and behind it.
    pub link: &'a str,
    /// The hash of its key, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl<'a> Failed<'a> {
    /// A failure on the way to the upstream, of a request to this API.
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

/// What a trace calls the step behind the last link.
const UPSTREAM: &str = "upstream";

const fn reason(failure: Failure) -> &'static str {
    match failure.is_of_upstream() {
        true => failure.cause(),
        false => failure.message(),
    }
}

impl Run {
    /// What it has failed of. For one that the gateway has not refused, that is what its upstream has answered.
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
        // A base may have sent it to another API, which has one version itself.
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
