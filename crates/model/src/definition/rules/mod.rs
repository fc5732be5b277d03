//! The rules that no table of types can express.
//!
//! A rule of the reference keeps its message, because clients of this API family show it. Values of a wrong type were
//! reported with the shape and count as absent here.

mod access;
mod conflicts;
mod events;
mod json_schema;
mod lists;
mod paths;
mod plugins;
mod proxy;
pub(super) mod reason;
mod upstream;
mod uptime;
mod versions;

use std::borrow::Cow;

use super::host;
use crate::findings::{Findings, shown};
use crate::issue::{IssueCode, Severity};
use crate::json::{Kind, Span, Value};

/// Applies every rule; the shape has already been checked.
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
    rules.data_sources();
    rules.auth_sources();
    rules.addresses("allowed_ips");
    rules.addresses("blacklisted_ips");
    rules.upstream_auth();
    rules.load_balancing();
    rules.uptime_tests();
    rules.plugins();
    rules.event_handlers();
    rules.version_references();
    rules.version_data();
    rules.conflicts();
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

    /// Whether the value at a pointer is `true`.
    fn at(&self, pointer: &str) -> bool {
        self.definition.pointer(pointer).and_then(Value::as_bool) == Some(true)
    }

    /// Returns the span of the value at a pointer or, if there is none, of the opening brace of its object.
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

    fn error(&mut self, code: IssueCode, pointer: &str, message: impl Into<Cow<'static, str>>) {
        self.issue(Severity::Error, code, pointer, message.into());
    }

    fn warning(&mut self, code: IssueCode, pointer: &str, message: impl Into<Cow<'static, str>>) {
        self.issue(Severity::Warning, code, pointer, message.into());
    }

    #[inline(never)]
    fn issue(
        &mut self,
        severity: Severity,
        code: IssueCode,
        pointer: &str,
        message: Cow<'static, str>,
    ) {
        let span = self.span(pointer);
        self.findings.add(severity, code, span, pointer, message);
    }

    fn identity(&mut self) {
        if self.text("/name") == Some("") {
            self.error(
                IssueCode::Required,
                "/name",
                "the name is empty; write what people call the API",
            );
        }
        let domain = self
            .text("/domain")
            .filter(|domain| !domain.is_empty() && !self.on("domain_disabled"));
        let Some(domain) = domain else { return };
        if let Err(problem) = host::check(domain) {
            self.error(IssueCode::Format, "/domain", problem);
        } else if !self.on("internal") {
            let message = format!(
                "the API is served under {} only, on no other host; set domain_disabled if that isn't meant",
                shown(domain)
            );
            self.issue(
                Severity::Info,
                IssueCode::Conflict,
                "/domain",
                message.into(),
            );
        }
    }
}
