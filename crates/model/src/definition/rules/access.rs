//! Rules about who may call an API.

use std::net::IpAddr;

use super::Rules;
use crate::findings::shown;
use crate::issue::{IssueCode, Severity};
use crate::json::Value;

impl Rules<'_, '_> {
    /// Reference section 6.1: lists of addresses count only while they are switched on.
    pub(super) fn addresses(&mut self, switch: &str, name: &str) {
        if !self.on(switch) {
            return;
        }
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
                self.error(IssueCode::Format, &format!("/{name}/{index}"), message);
            }
        }
    }

    /// Reference section 6.1: a method that is on needs a place where its credential may stand.
    pub(super) fn auth_sources(&mut self) {
        let methods: [(&str, &[&str]); 7] = [
            ("authToken", &["use_standard_auth"]),
            ("basic", &["use_basic_auth"]),
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

    /// Keys can't be issued yet; whoever protects an API with them should know.
    pub(super) fn keys(&mut self) {
        if self.on("use_keyless") || self.definition.get("proxy").is_none() {
            return;
        }
        let pointer = ["/use_keyless", "/use_standard_auth"]
            .into_iter()
            .find(|at| self.definition.pointer(at).is_some());
        let span = self.span(pointer.unwrap_or("/use_keyless"));
        let message =
            "the API asks for keys; until keys can be issued, every request to it is refused";
        self.findings.add(
            Severity::Info,
            IssueCode::NotEnforced,
            span,
            pointer.unwrap_or_default().to_owned(),
            message,
        );
    }
}

/// An IPv4 or IPv6 address, with or without a prefix length (RFC 4632, RFC 4291).
fn is_address_or_range(text: &str) -> bool {
    let (address, prefix) = match text.split_once('/') {
        Some((address, prefix)) => (address, Some(prefix)),
        None => (text, None),
    };
    let Ok(address) = address.parse::<IpAddr>() else {
        return false;
    };
    let longest = if address.is_ipv4() { 32 } else { 128 };
    let fits = |prefix: &str| {
        prefix.bytes().all(|byte| byte.is_ascii_digit())
            && prefix.parse::<u8>().is_ok_and(|length| length <= longest)
    };
    prefix.is_none_or(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_ranges() {
        for text in [
            "127.0.0.1",
            "10.0.0.0/8",
            "::1",
            "2001:db8::/32",
            "0.0.0.0/0",
        ] {
            assert!(is_address_or_range(text), "{text}");
        }
        for text in [
            "",
            "localhost",
            "10.0.0.0/33",
            "10.0.0/8",
            "::/129",
            "10.0.0.1/",
            "10.0.0.1/+8",
            "10.0.0.1/8/8",
        ] {
            assert!(!is_address_or_range(text), "{text}");
        }
    }
}
