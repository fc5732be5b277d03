//! Rules about who may call an API.

use super::Rules;
use crate::findings::shown;
use crate::issue::IssueCode;
use crate::json::Value;
use crate::text::network::is_address_or_range;

impl Rules<'_, '_> {
    /// Reference section 6.1: lists of addresses, whether or not they are switched on, because a list that isn't empty
    /// is in force without its switch.
    pub(super) fn addresses(&mut self, name: &str) {
        for (index, item) in self
            .definition
            .get(name)
            .map(Value::items)
            .unwrap_or_default()
            .iter()
            .enumerate()
        {
            if let Some(text) = item.as_str().filter(|text| !is_address_or_range(text)) {
                let message = format!("invalid IP/CIDR {}", shown(text));
                let pointer = format!("/{name}/{index}");
                self.error(IssueCode::Format, &pointer, message);
            }
        }
    }

    /// Reference section 6.1: an enabled method needs a location for its credential, except basic authentication, which
    /// has its own header.
    pub(super) fn auth_sources(&mut self) {
        let methods: [(&str, &[&str]); 6] = [
            ("authToken", &["use_standard_auth"]),
            (
                "coprocess",
                &["enable_coprocess_auth", "custom_plugin_auth_enabled"],
            ),
            ("hmac", &["enable_signature_checking"]),
            ("jwt", &["enable_jwt"]),
            ("oauth", &["use_oauth2"]),
            ("oidc", &["use_openid"]),
        ];
        let Some(configs) = self.definition.get("auth_configs") else {
            return;
        };
        for (name, switches) in methods {
            let Some(config) = configs
                .get(name)
                .filter(|_| switches.iter().any(|switch| self.on(switch)))
            else {
                continue;
            };
            let is = |member| config.bool(member) == Some(true);
            if is("disable_header") && !is("use_param") && !is("use_cookie") {
                let message = format!(
                    "all auth sources are disabled for {name}, at least one of header/cookie/query must be enabled"
                );
                self.error(
                    IssueCode::Conflict,
                    &format!("/auth_configs/{name}"),
                    message,
                );
            }
        }
    }
}
