//! Link 40, before the upstream: MCP proxies whose tools are operations of an API (`gateway://{id}/mcp`; reference
//! 6.4). The gateway is the server: it answers messages about the tools, and a call becomes a request to the API's
//! chain, which it passes through like one from outside.
//!
//! The promise: a call reaches the API only after all links of the proxy, under the name that these links have checked.
//! The rules are in the extra `mcp`, which reads the message and writes the request; the adapter turns the API's answer
//! into a result (`worker/src/tools.js`), whichever link of the API has answered.

use crate::chain::{Compiler, Link, Loop, Middleware, Need, Step, counted};
use crate::exchange::Exchange;
use crate::extras::{ExtraCall, Extracted, Subject};
use crate::facts::object;
use crate::failure::{Answer, Failure, Reply};
use crate::loops;
use crate::mcp;
use gatewright_model::json::{self, Value, quote, written};
use gatewright_model::mcp::Category;
use gatewright_protocol::headers::is_refused;
use std::collections::HashMap;
use std::rc::Rc;

const MEMBER: &str = "/openapi/mcp/catalogue";

/// The headers that concern a message, and the extra's names for them.
const HEADERS: [(&str, &str); 3] = [
    ("mcp-protocol-version", "version"),
    ("mcp-method", "method"),
    ("mcp-name", "name"),
];

/// The tools that are operations of an API.
#[derive(Debug)]
pub struct McpTools {
    /// The id of the API.
    api: String,
    /// The request for each tool by name, in the form that the extra reads.
    calls: HashMap<String, Rc<str>>,
    /// The server's description and its list of tools, in the form that the extra reads.
    about: Rc<str>,
}

impl McpTools {
    fn call(&self, exchange: &Exchange) -> ExtraCall {
        let message = exchange.rpc.as_ref();
        let named = message.and_then(|message| message.primitive.as_ref());
        let tool = named.filter(|(category, _)| *category == Category::Tool);
        let call = tool.and_then(|(_, name)| self.calls.get(name));
        let headers = HEADERS.iter().filter_map(|(header, name)| {
            let value = exchange.request.headers.get(header)?;
            Some((*name, quote(&value)))
        });
        let mut facts = format!("{{\"headers\":{}", object(headers));
        let links = exchange.chain.links.iter();
        let filters = links.filter_map(|link| match link {
            Link::McpAccess(access) => access.filter_call(exchange),
            _ => None,
        });
        for (lists, filter) in filters {
            facts.push_str(&format!(",\"lists\":{lists},\"filter\":{filter}"));
        }
        facts.push('}');
        ExtraCall {
            module: "mcp",
            function: "asked",
            settings: Rc::clone(call.unwrap_or(&self.about)),
            facts,
            subject: Subject::Request,
            max: exchange.chain.settings.max_body_bytes,
            rule: 0,
        }
    }

    /// Carries out the extra's report about a message.
    fn reported(&self, exchange: &mut Exchange, report: &str) -> Option<Step> {
        let report = json::parse(report).ok()?;
        if let Some(answer) = report.get("answer") {
            // Its response reports the limits, as that of a server does.
            exchange.is_mocked = true;
            return Some(answered(
                u16::try_from(answer.int("status")?).ok()?,
                answer.str("body")?,
            ));
        }
        let request = report.get("request")?;
        for header in request.get("headers")?.members() {
            match header.value.as_str() {
                // An argument of the caller's, whatever the API's document calls it.
                Some(_) if claims(exchange, &header.name) => {}
                Some(value) => exchange.set_header(&header.name, value),
                None => exchange.remove_header(&header.name),
            }
        }
        // The credential for the proxy's upstream is sent to the API.
        if let Some(credential) = exchange.upstream_credential.take() {
            exchange.set_header(&credential.0, &credential.1);
        }
        let path = match loops::path(request.str("path")?) {
            Ok(path) => path,
            Err(failure) => return Some(Step::Reply(failure.into())),
        };
        let to = Loop {
            api: self.api.clone(),
            path,
            query: request.str("query")?.to_owned(),
            method: Some(request.str("method")?.to_owned()),
            // The caller's key has rates at the API: a tool is no way around them.
            counts: true,
            missing: Failure::Target,
            ..Loop::default()
        };
        exchange.note(|| {
            format!(
                "The tool is {} {}",
                to.method.as_deref().unwrap_or(""),
                to.address()
            )
        });
        Some(Step::Loop(to))
    }
}

/// Whether a header would claim to an upstream what only the gateway says.
fn claims(exchange: &Exchange, name: &str) -> bool {
    let trusted = exchange.chain.settings.client_ip_header.as_deref();
    is_refused(name) || trusted == Some(name)
}

fn answered(status: u16, body: &str) -> Step {
    Step::Reply(Reply::Answer(match body {
        "" => Answer::of_status(status),
        body => Answer::of_type(status, "application/json", body.to_owned()),
    }))
}

impl Middleware for McpTools {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let catalogue = from.definition.pointer(MEMBER).filter(|_| from.is_mcp())?;
        let tools = catalogue.get("tools").map(Value::items).unwrap_or_default();
        from.origin("/proxy/target_url", counted(tools.len(), "tool"));
        let calls = tools.iter().filter_map(|entry| {
            let name = entry.get("tool")?.str("name")?;
            Some((name.to_owned(), written(entry.get("call")?).into()))
        });
        let listed = tools.iter().filter_map(|entry| entry.get("tool"));
        let listed: Vec<String> = listed.map(written).collect();
        let server = catalogue.get("server").map(written);
        let about = format!(
            "{{\"server\":{},\"tools\":[{}]}}",
            server.unwrap_or_else(|| "{}".to_owned()),
            listed.join(",")
        );
        Some(Self {
            api: catalogue.str("api")?.to_owned(),
            calls: calls.collect(),
            about: about.into(),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        match exchange.extracted.take() {
            None if exchange.request.method != "POST" => {
                exchange.remark("there are no streams and no sessions");
                let status = Failure::MethodNotAllowed.status();
                let answer = Answer::of_status(status).with("allow", "POST");
                Step::Reply(Reply::Answer(answer))
            }
            None => {
                // The body was not read because the proxy has no rules for it.
                if exchange.rpc.is_none()
                    && let Err(step) = mcp::ask(exchange)
                {
                    return step;
                }
                Step::Need(Need::Extra(Box::new(self.call(exchange))))
            }
            Some(Extracted::TooLarge) => Step::Reply(Failure::BodyOverLimit.into()),
            Some(Extracted::Failed) => Step::Reply(Failure::Upstream.into()),
            Some(Extracted::Report { text, .. }) => self
                .reported(exchange, &text)
                .unwrap_or_else(|| Step::Reply(Failure::Upstream.into())),
        }
    }
}

#[cfg(test)]
mod tests;
