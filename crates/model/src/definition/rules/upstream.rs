//! Rules about credentials for the upstream (reference section 6.1).

use super::Rules;
use crate::issue::IssueCode;
use crate::json::Value;

const FLOWS: [(&str, &str); 2] = [
    ("clientCredentials", "client_credentials"),
    ("password", "password"),
];

impl Rules<'_, '_> {
    pub(super) fn upstream_auth(&mut self) {
        if !self.at("/upstream_auth/enabled") {
            return;
        }
        let oauth = self.at("/upstream_auth/oauth/enabled");
        if oauth && self.at("/upstream_auth/basic_auth/enabled") {
            let message = "multiple upstream authentication modes not allowed";
            self.error(IssueCode::Conflict, "/upstream_auth", message);
        }
        if oauth {
            self.upstream_flow();
        }
    }

    fn upstream_flow(&mut self) {
        const TYPES: &str = "/upstream_auth/oauth/allowed_authorize_types";
        let types = self
            .definition
            .pointer(TYPES)
            .map(Value::items)
            .unwrap_or_default();
        let Some(first) = types.first() else {
            let message = "upstream OAuth authorization type is required";
            return self.error(IssueCode::Required, TYPES, message);
        };
        if types.len() > 1 {
            let message = "multiple upstream OAuth authorization type not allowed";
            self.error(IssueCode::Conflict, TYPES, message);
        }
        // Non-strings were reported with the shape.
        let Some(named) = first.as_str() else {
            return;
        };
        let Some((_, member)) = FLOWS.into_iter().find(|(flow, _)| *flow == named) else {
            let message = "invalid OAuth authorization type";
            return self.error(IssueCode::Enum, &format!("{TYPES}/0"), message);
        };
        let url = format!("/upstream_auth/oauth/{member}/token_url");
        if self.text(&url).unwrap_or_default().trim().is_empty() {
            let message = "no token can be had; write the URL that issues tokens";
            self.warning(IssueCode::Required, &url, message);
        }
        let method = format!("/upstream_auth/oauth/{member}/method");
        if let Some(found) = self.text(&method)
            && !matches!(found, "" | "client_secret_basic" | "client_secret_post")
        {
            let message = "invalid upstream OAuth client authentication method, valid values are: client_secret_basic, client_secret_post";
            self.error(IssueCode::Enum, &method, message);
        }
    }
}
