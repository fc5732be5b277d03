//! Taking credentials out of texts.

use crate::batch::Item;
use crate::snapshot::Api;
use crate::token_source::Carrier;
use gatewright_model::order::sorted_by_number;

/// What stands instead of a credential.
const HIDDEN: &str = "[hidden]";

/// Headers whose values are credentials, whatever an API makes of them.
const CREDENTIALS: [&str; 2] = ["authorization", "cookie"];

/// The credentials of one request.
pub(super) struct Mask {
    /// The headers that the API has its credentials in.
    headers: Vec<String>,
    /// Texts that appear nowhere, the longest first.
    secrets: Vec<String>,
}

impl Mask {
    /// What a request to an API has to hide.
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
            // As it is written in the URL, it can be another text.
            found.extend(source.query_values(&item.query).map(str::to_owned));
        }
        // Behind its scheme (RFC 9110 section 11.6.2).
        let authorization = header("authorization").unwrap_or_default();
        found.extend(authorization.split_whitespace().last().map(str::to_owned));
        // Nothing that short is a credential, and taking it out would leave no sentence whole.
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

    /// A text without the credentials.
    pub(super) fn hide(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.secrets {
            text = text.replace(secret.as_str(), HIDDEN);
        }
        text
    }

    /// The value of a header of the request, to be shown.
    pub(super) fn header(&self, name: &str, value: &str) -> String {
        if CREDENTIALS.contains(&name) || self.headers.iter().any(|known| known == name) {
            return HIDDEN.to_owned();
        }
        self.hide(value)
    }
}
