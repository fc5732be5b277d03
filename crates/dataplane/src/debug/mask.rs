//! Removes credentials from texts.

use crate::batch::Item;
use crate::snapshot::Api;
use crate::token_source::Carrier;
use gatewright_model::order::sorted_by_number;

/// The replacement for credentials.
const HIDDEN: &str = "[hidden]";

/// Headers whose values are always credentials, whatever the API uses them for.
const CREDENTIALS: [&str; 2] = ["authorization", "cookie"];

/// The credentials of one request.
pub(super) struct Mask {
    /// The headers in which the API expects credentials.
    headers: Vec<String>,
    /// Texts that must not appear anywhere, longest first.
    secrets: Vec<String>,
}

impl Mask {
    /// Collects what has to be hidden in a request to an API.
    pub(super) fn of(api: &Api, item: &Item) -> Self {
        let header = |name: &str| {
            let found = item.headers.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone())
        };
        let carrier = Carrier {
            query: &item.query,
            header: &header,
        };
        let mut found: Vec<String> = Vec::new();
        for source in &api.sources {
            found.extend(source.find(&carrier));
            // Its encoded form in the URL may differ.
            found.extend(source.query_values(&item.query).map(str::to_owned));
        }
        // After its scheme (RFC 9110 section 11.6.2).
        let authorization = header("authorization").unwrap_or_default();
        found.extend(authorization.split_whitespace().last().map(str::to_owned));
        // Nothing that short is a credential, and hiding it would garble every sentence.
        found.retain(|secret| secret.len() > 2);
        let secrets = sorted_by_number(found, |secret| usize::MAX.saturating_sub(secret.len()));
        Self {
            headers: api
                .sources
                .iter()
                .filter_map(|source| source.header.clone())
                .collect(),
            secrets,
        }
    }

    /// Replaces credentials in a text.
    pub(super) fn hide(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.secrets {
            text = text.replace(secret.as_str(), HIDDEN);
        }
        text
    }

    /// The value of a request header for display.
    pub(super) fn header(&self, name: &str, value: &str) -> String {
        if CREDENTIALS.contains(&name) || self.headers.iter().any(|known| known == name) {
            return HIDDEN.to_owned();
        }
        self.hide(value)
    }
}
