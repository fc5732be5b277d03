//! The rules that no table of types can express.
//!
//! Where the reference has a rule, its text is kept, because clients of this API family show it.
//! What has the wrong type was reported with the shape and counts as absent here.

use std::net::IpAddr;

use super::{host, reserved, route, target};
use crate::id::check_id;
use crate::issue::{Findings, IssueCode, Severity};
use crate::json::pointer::push_token;
use crate::json::{Kind, Span, Value, quote};

/// Applies every rule; the shape has been checked before.
pub(super) fn check(definition: &Value<'_>, findings: &mut Findings) {
    if !matches!(definition.kind, Kind::Object(_)) {
        return;
    }
    let mut rules = Rules {
        definition,
        findings,
    };
    rules.identity();
    rules.listen_path();
    rules.target_url();
    rules.protocol();
    rules.load_balancing();
    rules.addresses("enable_ip_whitelisting", "allowed_ips");
    rules.addresses("enable_ip_blacklisting", "blacklisted_ips");
    rules.auth_sources();
    rules.keys();
    rules.upstream_auth();
    rules.data_sources();
    rules.versions();
}

struct Rules<'r, 't> {
    definition: &'r Value<'t>,
    findings: &'r mut Findings,
}

impl<'r, 't> Rules<'r, 't> {
    fn text(&self, pointer: &str) -> Option<&'r str> {
        self.definition.pointer(pointer)?.as_str()
    }

    fn on(&self, name: &str) -> bool {
        self.definition.bool(name).unwrap_or(false)
    }

    /// Where the value at a pointer stands; for one that isn't there, where its object opens.
    fn span(&self, pointer: &str) -> Span {
        let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        match self.definition.pointer(pointer) {
            Some(value) => value.span,
            None => self
                .definition
                .pointer(parent)
                .unwrap_or(self.definition)
                .span
                .opening(),
        }
    }

    fn error(&mut self, code: IssueCode, pointer: &str, message: impl Into<String>) {
        let span = self.span(pointer);
        self.findings.error(code, span, pointer.to_owned(), message);
    }

    fn warning(&mut self, code: IssueCode, pointer: &str, message: impl Into<String>) {
        let span = self.span(pointer);
        self.findings
            .warning(code, span, pointer.to_owned(), message);
    }

    fn identity(&mut self) {
        if self.text("/name") == Some("") {
            self.error(
                IssueCode::Required,
                "/name",
                "the name is empty; write what people call the API",
            );
        }
        if let Some(Err(problem)) = self
            .text("/api_id")
            .filter(|id| !id.is_empty())
            .map(check_id)
        {
            self.error(IssueCode::Format, "/api_id", problem);
        }
        let domain = self
            .text("/domain")
            .filter(|domain| !domain.is_empty() && !self.on("domain_disabled"));
        if let Some(Err(problem)) = domain.map(host::check) {
            self.error(IssueCode::Format, "/domain", problem);
        }
    }

    fn listen_path(&mut self) {
        const POINTER: &str = "/proxy/listen_path";
        let Some(proxy) = self
            .definition
            .get("proxy")
            .filter(|proxy| matches!(proxy.kind, Kind::Object(_)))
        else {
            return;
        };
        match proxy.get("listen_path").map(Value::as_str) {
            // Connections without paths have none.
            None | Some(Some("")) if matches!(self.text("/protocol"), Some("tcp" | "tls")) => {}
            None => self.error(
                IssueCode::Required,
                POINTER,
                "\"listen_path\" is required; write the path under which the API is served",
            ),
            Some(Some("")) => {
                self.error(
                    IssueCode::Required,
                    POINTER,
                    "the listen path is empty; write '/' to serve everything",
                );
            }
            Some(None) => {}
            Some(Some(path)) => self.present_listen_path(POINTER, path),
        }
    }

    fn present_listen_path(&mut self, pointer: &str, path: &str) {
        if let Err(problem) = route::ListenPath::parse(path) {
            return self.error(IssueCode::Format, pointer, problem);
        }
        if !path.starts_with('/') {
            self.warning(
                IssueCode::Format,
                pointer,
                "a listen path begins with '/'; one is put before it",
            );
        }
        // An internal API has no public route, so it can't be in the way.
        if let Some(taken) = reserved(path).filter(|_| !self.on("internal")) {
            let message =
                format!("{taken} belongs to the gateway itself; choose another listen path");
            self.error(IssueCode::Conflict, pointer, message);
        }
    }

    fn target_url(&mut self) {
        const POINTER: &str = "/proxy/target_url";
        let Some(proxy) = self
            .definition
            .get("proxy")
            .filter(|proxy| matches!(proxy.kind, Kind::Object(_)))
        else {
            return;
        };
        let listed = proxy.bool("enable_load_balancing") == Some(true)
            && proxy
                .get("target_list")
                .is_some_and(|list| !list.items().is_empty());
        let discovered = self
            .definition
            .pointer("/proxy/service_discovery/use_discovery_service");
        let elsewhere = listed || discovered.and_then(Value::as_bool) == Some(true);
        match proxy.get("target_url").map(Value::as_str) {
            None | Some(Some("")) if elsewhere => {}
            None => self.error(
                IssueCode::Required,
                POINTER,
                "\"target_url\" is required; write the URL of the upstream",
            ),
            Some(Some("")) => {
                self.error(
                    IssueCode::Required,
                    POINTER,
                    "the target URL is empty; write the URL of the upstream",
                );
            }
            Some(None) => {}
            Some(Some(url)) => self.url(POINTER, url),
        }
        for (index, item) in proxy
            .get("target_list")
            .map(Value::items)
            .unwrap_or_default()
            .iter()
            .enumerate()
        {
            if let Some(url) = item.as_str().filter(|_| listed) {
                self.url(&format!("/proxy/target_list/{index}"), url);
            }
        }
    }

    fn url(&mut self, pointer: &str, url: &str) {
        match target::check(url) {
            Err(problem) => self.error(IssueCode::Format, pointer, problem),
            Ok(target::Target::Unsupported(reason)) => {
                self.warning(
                    IssueCode::Unsupported,
                    pointer,
                    format!("requests can't be forwarded there: {reason}"),
                );
            }
            Ok(target::Target::Usable { credentials: true }) => {
                let message = "the URL holds a user name or password, which everybody who may read the definition sees; remove it";
                self.warning(IssueCode::Format, pointer, message);
            }
            Ok(target::Target::Usable { credentials: false }) => {}
        }
    }

    fn protocol(&mut self) {
        let message = match self.text("/protocol") {
            Some("tcp" | "tls") => {
                "the platform serves HTTP only, no plain connections; the API isn't reachable that way"
            }
            Some("h2c") => {
                "HTTP/2 without TLS isn't offered; the API is served over the protocols of the gateway"
            }
            _ => return,
        };
        self.warning(IssueCode::Unsupported, "/protocol", message);
    }

    /// Reference section 6.1; without targets nothing has a weight above 0.
    fn load_balancing(&mut self) {
        let Some(proxy) = self.definition.get("proxy") else {
            return;
        };
        let empty = proxy
            .get("target_list")
            .is_none_or(|list| list.items().is_empty());
        if proxy.bool("enable_load_balancing") == Some(true) && empty {
            let message = "all load balancing targets have weight 0, at least one target must have weight > 0";
            self.error(IssueCode::Conflict, "/proxy/enable_load_balancing", message);
        }
    }

    /// Reference section 6.1: lists of addresses count only while they are switched on.
    fn addresses(&mut self, switch: &str, name: &str) {
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
                let message = format!("invalid IP/CIDR {}", quote(text));
                self.error(IssueCode::Format, &format!("/{name}/{index}"), message);
            }
        }
    }

    /// Reference section 6.1: a method that is on needs a place where its credential may stand.
    fn auth_sources(&mut self) {
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
    fn keys(&mut self) {
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

    /// Reference section 6.1.
    fn upstream_auth(&mut self) {
        let on = |pointer| self.definition.pointer(pointer).and_then(Value::as_bool) == Some(true);
        if on("/upstream_auth/enabled")
            && on("/upstream_auth/basic_auth/enabled")
            && on("/upstream_auth/oauth/enabled")
        {
            self.error(
                IssueCode::Conflict,
                "/upstream_auth",
                "multiple upstream authentication modes not allowed",
            );
        }
    }

    /// Reference section 6.1: compared without spaces at the ends and without regard to case.
    fn data_sources(&mut self) {
        let sources = self
            .definition
            .pointer("/graphql/engine/data_sources")
            .map(Value::items)
            .unwrap_or_default();
        let mut seen = std::collections::BTreeSet::new();
        for (index, source) in sources.iter().enumerate() {
            let Some(name) = source.str("name") else {
                continue;
            };
            if !seen.insert(name.trim().to_lowercase()) {
                let pointer = format!("/graphql/engine/data_sources/{index}/name");
                self.error(
                    IssueCode::Conflict,
                    &pointer,
                    "duplicate data source names are not allowed",
                );
            }
        }
    }

    fn versions(&mut self) {
        let versions = self
            .definition
            .pointer("/version_data/versions")
            .map(Value::members)
            .unwrap_or_default();
        let single = self
            .definition
            .pointer("/version_data/not_versioned")
            .and_then(Value::as_bool)
            == Some(true);
        if !single && versions.len() > 1 {
            let message = "several versions in one definition aren't told apart; make an API of each and list them in definition.versions";
            self.warning(IssueCode::NotEnforced, "/version_data/versions", message);
        }
        for version in versions {
            let timeouts = version
                .value
                .pointer("/extended_paths/hard_timeouts")
                .map(Value::items)
                .unwrap_or_default();
            for (index, rule) in timeouts.iter().enumerate() {
                if rule.int("timeout").is_some_and(|seconds| seconds < 0) {
                    let mut pointer = "/version_data/versions".to_owned();
                    push_token(&mut pointer, &version.name);
                    pointer.push_str(&format!("/extended_paths/hard_timeouts/{index}/timeout"));
                    self.error(IssueCode::Range, &pointer, "invalid timeout value");
                }
            }
        }
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
