//! The only module that writes the gateway's own errors as responses, and that replaces error responses of the upstream
//! (reference 3.2 and 3.3).
//!
//! The promise: an error that occurs before a request has a chain looks the same as one within a chain; the default
//! rules are `ErrorRules::default`.

mod body;
mod client;
mod format;
mod member;
mod overrides;
#[cfg(test)]
mod tests;

pub use client::Client;
pub use format::Format;
pub use overrides::Overrides;

use crate::chain::{Compiler, counted};
use crate::failure::{Answer, FailureReply, sendable};
use crate::headers;
use gatewright_model::json::Value;
use overrides::{Decision, Rule, Seen};
use std::rc::Rc;

/// The gateway's name in its own answers (reference 3.2).
const GENERATOR: &str = "Gatewright";

/// How much of an upstream's body rules inspect, in bytes (reference 3.3).
const MAX_BODY: usize = 4096;

/// The error rules of a chain.
#[derive(Debug, Default)]
pub struct ErrorRules {
    own: Overrides,
    gateway: Rc<GatewayErrors>,
}

/// The gateway operator's error settings for all APIs.
#[derive(Debug, Default)]
pub struct GatewayErrors {
    overrides: Overrides,
    messages: Vec<MessageOverride>,
    hides_generator: bool,
}

/// A replacement message or status for an error that has an id.
#[derive(Debug)]
struct MessageOverride {
    id: String,
    message: Option<String>,
    status: Option<u16>,
}

/// The answer to an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorAnswer<'r> {
    /// The response.
    pub answer: Answer,
    /// The location of the rule that replaced it (JSON Pointer), if one did.
    pub rule: Option<&'r str>,
}

/// What is needed to decide whether a rule replaces an upstream's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inspect {
    /// Nothing: no rule can match, and the answer is passed on.
    No,
    /// Only the status.
    Head,
    /// The start of the body, decompressed.
    Body {
        /// The maximum number of bytes to inspect.
        max: usize,
    },
}

/// Changes to an answer of the upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override<'r> {
    /// The new status.
    pub status: u16,
    /// Headers that replace those of the same name.
    pub headers: Vec<(String, String)>,
    /// The new body, which has no content encoding and none of the old body's validators; `None` keeps the upstream's.
    pub body: Option<String>,
    /// The location of the rule (JSON Pointer).
    pub rule: &'r str,
}

impl GatewayErrors {
    /// Reads the settings `error_overrides`, `override_messages` and `hide_generator_header`.
    #[must_use]
    pub fn read(
        overrides: Option<&Value<'_>>,
        messages: Option<&Value<'_>>,
        hides_generator: bool,
    ) -> Self {
        let messages = messages.map(Value::members).unwrap_or_default().iter();
        let messages = messages.map(|member| {
            let message = member.value.str("message").filter(|text| !text.is_empty());
            MessageOverride {
                id: member.name.clone().into_owned(),
                message: message.map(str::to_owned),
                status: member.value.int("code").and_then(sendable),
            }
        });
        Self {
            overrides: Overrides::read(overrides, ""),
            messages: messages.collect(),
            hides_generator,
        }
    }
}

impl ErrorRules {
    /// Compiles the rules of a definition.
    #[must_use]
    pub fn compile(from: &mut Compiler<'_>) -> Self {
        let is_off = from.definition.bool("error_overrides_disabled");
        let own = from.definition.get("error_overrides");
        let own = own.filter(|_| !is_off.unwrap_or_default());
        let own = Overrides::read(own, "/error_overrides");
        if !own.is_empty() {
            from.origin("/error_overrides", counted(own.len(), "rule"));
        }
        Self {
            own,
            gateway: Rc::clone(&from.settings.errors),
        }
    }

    /// Whether no answer of an upstream has to be inspected.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.own.is_empty() && self.gateway.overrides.is_empty()
    }

    /// The response to an error of the gateway.
    #[must_use]
    pub fn answer(&self, reply: &FailureReply, client: Client) -> ErrorAnswer<'_> {
        self.answer_to(None, reply, client)
    }

    /// Like [`Self::answer`], for a JSON-RPC message with this id.
    #[must_use]
    pub fn answer_to(
        &self,
        id: Option<&str>,
        reply: &FailureReply,
        client: Client,
    ) -> ErrorAnswer<'_> {
        if reply.failure.is_plain_text() {
            let body = client.body(reply.message.clone().into_owned());
            let status = reply.failure.status();
            let mut answer = Answer::of_type(status, "text/plain; charset=utf-8", body);
            set_all(&mut answer.headers, &reply.headers);
            return ErrorAnswer { answer, rule: None };
        }
        let (status, message) = self.message(reply);
        let kind = reply.failure.flag();
        let flag = reply.flag.as_deref().unwrap_or(kind);
        let seen = Seen::Gateway { flag, message };
        let rule = self
            .rules(status)
            .find(|rule| rule.decide(seen) == Decision::Fits);
        let violations = if kind == "BIV" { message } else { "" };
        let body = rule.and_then(|rule| rule.body(client.format, status, violations));
        let format = id.map_or(client.format, |_| Format::Json);
        let body = body.unwrap_or_else(|| match id {
            Some(id) => crate::mcp::error(reply.failure, status, message, id),
            None => format.body(message),
        });
        let status = rule.map_or(status, |rule| rule.status(status));
        let mut answer = Answer::of_type(status, format.media(), client.body(body));
        if !self.gateway.hides_generator {
            answer = answer.with("x-generator", GENERATOR);
        }
        set_all(&mut answer.headers, &reply.headers);
        if let Some(rule) = rule {
            set_all(&mut answer.headers, &rule.headers);
        }
        ErrorAnswer {
            answer,
            rule: rule.map(|rule| rule.pointer.as_str()),
        }
    }

    /// What is needed to judge an answer of the upstream, from its status alone.
    #[must_use]
    pub fn inspects(&self, status: u16, client: Client) -> Inspect {
        let mut needs_body = false;
        let seen = Seen::Upstream { status, body: None };
        for rule in self.rules_for_upstream(status) {
            match rule.decide(seen) {
                Decision::Fits if !needs_body => return Inspect::Head,
                Decision::Fits => break,
                // A HEAD response has no body.
                Decision::NeedsBody => needs_body |= !client.is_head,
                Decision::FitsNot => {}
            }
        }
        if needs_body {
            Inspect::Body { max: MAX_BODY }
        } else {
            Inspect::No
        }
    }

    /// The changes to an answer of the upstream, if a rule matches; `body` is the start of its body, if it was asked
    /// for (an empty text for an empty one).
    #[must_use]
    pub fn upstream(
        &self,
        status: u16,
        body: Option<&str>,
        client: Client,
    ) -> Option<Override<'_>> {
        let body = body.filter(|_| !client.is_head).map(beginning);
        let seen = Seen::Upstream { status, body };
        let rule = self
            .rules_for_upstream(status)
            .find(|rule| rule.decide(seen) == Decision::Fits)?;
        let body = rule.body(client.format, status, "");
        let mut headers = Vec::new();
        if body.is_some() {
            headers.push(("content-type".to_owned(), client.format.media().to_owned()));
        }
        set_all(&mut headers, &rule.headers);
        Some(Override {
            status: rule.status(status),
            headers,
            body: body.map(|body| client.body(body)),
            rule: &rule.pointer,
        })
    }

    /// The status and message of an error, after `override_messages`.
    fn message<'e>(&'e self, reply: &'e FailureReply) -> (u16, &'e str) {
        let id = reply.failure.id();
        let mut messages = self.gateway.messages.iter();
        let own = messages.find(|message| !id.is_empty() && message.id == id);
        let status = own.and_then(|own| own.status);
        let message = own.and_then(|own| own.message.as_deref());
        (
            status.unwrap_or_else(|| reply.status()),
            message.unwrap_or(&reply.message),
        )
    }

    /// The rules for a status: the API's, then the gateway's.
    fn rules(&self, status: u16) -> impl Iterator<Item = &Rule> {
        let of_gateway = self.gateway.overrides.of(status);
        self.own.of(status).chain(of_gateway)
    }

    /// The same for an answer of the upstream, which counts as an error from 400 on.
    fn rules_for_upstream(&self, status: u16) -> impl Iterator<Item = &Rule> {
        self.rules(status).filter(move |_| status >= 400)
    }
}

/// Sets headers, replacing those of the same name.
fn set_all(answer: &mut Vec<(String, String)>, others: &[(String, String)]) {
    for (name, value) in others {
        headers::set(answer, name, value);
    }
}

/// The part of a body that rules inspect.
fn beginning(body: &str) -> &str {
    let ends = (0..=MAX_BODY.min(body.len())).rev();
    let mut cuts = ends.filter_map(|end| body.get(..end));
    cuts.next().unwrap_or_default()
}
