//! The rules that no table of types can express.
//!
//! Where the reference has a rule, its text is kept, because clients of this API family show it.
//! What has the wrong type was reported with the shape and counts as absent here.

mod access;
mod proxy;

use super::host;
use crate::findings::Findings;
use crate::id::check_id;
use crate::issue::IssueCode;
use crate::json::pointer::push_token;
use crate::json::{Kind, Span, Value};

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
        self.findings.error(code, span, pointer, message);
    }

    fn warning(&mut self, code: IssueCode, pointer: &str, message: impl Into<String>) {
        let span = self.span(pointer);
        self.findings.warning(code, span, pointer, message);
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
