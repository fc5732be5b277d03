//! Link 25: authenticates the gateway to the upstream (`upstream_auth`).
//!
//! The credential replaces whatever the client or a rule has put into that header, even a signature: an upstream that
//! requires it must not receive anything else. Tokens are in [`super::upstream_oauth`].

use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use gatewright_model::json::Value;
use std::rc::Rc;

/// Basic authentication to the upstream.
pub struct UpstreamAuth {
    header: Rc<(String, String)>,
}

impl std::fmt::Debug for UpstreamAuth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UpstreamAuth(…)")
    }
}

/// The header in which a source of credentials sends them.
pub(super) fn header_name(source: Option<&Value<'_>>) -> String {
    let named = source.filter(|source| source.bool("enabled") == Some(true));
    let name = named.and_then(|source| source.str("name"));
    let name = name.filter(|name| !name.is_empty());
    name.unwrap_or("authorization").to_ascii_lowercase()
}

impl Middleware for UpstreamAuth {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let auth = from.definition.get("upstream_auth")?;
        let basic = auth.get("basic_auth")?;
        let is_on = |value: &Value<'_>| value.bool("enabled") == Some(true);
        if !is_on(auth) || !is_on(basic) {
            return None;
        }
        let text = |name: &str| basic.str(name).unwrap_or_default();
        let pair = format!("{}:{}", text("username"), text("password"));
        let value = format!("Basic {}", BASE64_STANDARD.encode(pair));
        let name = header_name(basic.get("header"));
        from.origin("/upstream_auth/basic_auth", name.clone());
        Some(Self {
            header: Rc::new((name, value)),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        exchange.upstream_credential = Some(Rc::clone(&self.header));
        exchange.note(|| {
            let name = &self.header.0;
            format!("the upstream gets a user name and a password in {name}")
        });
        Step::Next
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::send;

    fn sent(members: &str) -> Option<(String, String)> {
        let definition = format!(r#"{{"upstream_auth":{members}}}"#);
        let sent = send(&definition, "GET", "/", &[("Authorization", "mine")]);
        sent.exchange
            .upstream_credential
            .map(|pair| (*pair).clone())
    }

    #[test]
    fn a_user_name_and_a_password_go_into_their_header() {
        let basic = r#""basic_auth":{"enabled":true,"username":"Aladdin","password":"open sesame""#;
        let value = "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==";
        for (more, header) in [
            ("", "authorization"),
            (r#","header":{"enabled":true,"name":"X-Up"}"#, "x-up"),
            (
                r#","header":{"enabled":false,"name":"X-Up"}"#,
                "authorization",
            ),
            (r#","header":{"enabled":true,"name":""}"#, "authorization"),
        ] {
            let members = format!(r#"{{"enabled":true,{basic}{more}}}}}"#);
            let expected = (header.to_owned(), value.to_owned());
            assert_eq!(sent(&members), Some(expected), "{more}");
        }
        for off in [
            format!(r#"{{"enabled":false,{basic}}}}}"#),
            format!("{{{basic}}}}}"),
            r#"{"enabled":true,"basic_auth":{"enabled":false,"username":"u"}}"#.to_owned(),
            "null".to_owned(),
        ] {
            assert_eq!(sent(&off), None, "{off}");
        }
    }
}
