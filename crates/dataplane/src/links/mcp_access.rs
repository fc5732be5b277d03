//! Row 21: which methods, tools, resources and prompts a message may use, by its key's rights and by what the proxy
//! allows and blocks; and the filter for the lists that a server returns, so that clients are not shown what they may
//! not use (reference 6.4, *Key-level rules*, *Allow lists* and *List filtering*).
//!
//! Only answers to messages that ask for a list, or for the server's capabilities, are read, and only if something is
//! forbidden; everything else is streamed. A stream that no message has asked for may have such an answer too: its events
//! are filtered one by one.

use crate::chain::{Compiler, Middleware, Step, counted};
use crate::exchange::Exchange;
use crate::extras::{ExtraCall, Extracted, Subject};
use crate::facts::{list, object};
use crate::failure::{Failure, Reply};
use crate::mcp::Rights;
use gatewright_model::json::{quote, written};
use gatewright_model::mcp::{
    CAPABILITIES, Category, Decision, Lists, McpRights, NameRules, listed, lists_capabilities,
};
use std::rc::Rc;

/// The header of a GET that resumes any stream of the session: the server sends again what was on it, also the answer to
/// a message (revision 2025-11-25, *Resumability and Redelivery*).
const RESUMES: &str = "last-event-id";
/// The methods whose answers are filtered, one for each form of answer.
const FILTERED: [&str; 5] = [
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "initialize",
];

/// The proxy's access rules.
#[derive(Debug)]
pub struct McpAccess {
    lists: Lists,
    /// The rules in the form that the extra reads.
    settings: Rc<str>,
}

/// The key's rights to the API.
fn rights(exchange: &Exchange) -> Option<Rc<crate::sessions::Rules>> {
    let identity = exchange.identity.as_ref().filter(|_| !exchange.ignored)?;
    let anchors = exchange.chain.settings.anchors;
    Some(
        identity
            .known
            .rules(&exchange.api.definition.api_id, anchors),
    )
}

fn names(rules: &NameRules) -> String {
    let [allowed, blocked] =
        [&rules.allowed, &rules.blocked].map(|names| list(names.iter().map(String::as_str)));
    format!("{{\"allowed\":{allowed},\"blocked\":{blocked}}}")
}

impl McpAccess {
    /// Why a message is refused; `None` if it may pass.
    fn refusal(&self, exchange: &Exchange, rights: Option<&Rights>) -> Option<Reply> {
        let message = exchange.rpc.as_ref()?;
        let unavailable = |what: &str, name: &str| {
            let words = format!("{what} '{name}' is not available");
            Some(Reply::saying(Failure::ResourceDisallowed, words))
        };
        let primitives = || message.primitive.iter().chain(&message.others);
        if let Some(rights) = rights {
            if message.is_request() && !rights.allows_method(&message.method) {
                return unavailable("method", &message.method);
            }
            let refused = primitives().find(|(category, name)| !rights.allows(*category, name));
            if let Some((category, name)) = refused {
                return unavailable(category.name(), name);
            }
        }
        primitives().find_map(
            |(category, name)| match self.lists.decide(*category, name) {
                Decision::Passes => None,
                Decision::Blocked => Some(Failure::EndpointForbidden.into()),
                Decision::NotAllowed => {
                    let words = "access to this resource has been disallowed".to_owned();
                    Some(Reply::saying(Failure::ResourceDisallowed, words))
                }
            },
        )
    }

    /// Whether the answer to a request has to be filtered.
    #[must_use]
    pub fn filters(&self, exchange: &Exchange) -> bool {
        self.facts(exchange).is_some()
    }

    /// The proxy's lists, and the extra's facts for filtering an answer of the gateway itself; `None` if it needs no
    /// filtering.
    pub(crate) fn filter_call(&self, exchange: &Exchange) -> Option<(&str, String)> {
        Some((&self.settings, self.facts(exchange)?))
    }

    /// The extra's facts for filtering the answer; `None` if it passes unchanged.
    fn facts(&self, exchange: &Exchange) -> Option<String> {
        self.facts_about(exchange, &exchange.rpc.as_ref()?.method)
    }

    /// The extra's facts for filtering a stream that may have the answer to any message: those for each method.
    fn facts_of_stream(&self, exchange: &Exchange) -> Option<String> {
        let each = FILTERED.iter();
        let each = each.filter_map(|method| self.facts_about(exchange, method));
        let facts = each.collect::<Vec<_>>().join(",");
        (exchange.rpc.is_none() && !facts.is_empty()).then(|| format!("[{facts}]"))
    }

    fn facts_about(&self, exchange: &Exchange, method: &str) -> Option<String> {
        let rights = rights(exchange);
        let rights = rights.as_ref().map(|rights| &rights.mcp);
        let of_key = rights.and_then(|rights| rights.written.as_deref());
        if let Some(listed) = listed(method) {
            let restricts = |rights: &&McpRights| !rights.of(listed.category).is_empty();
            let of_key = of_key
                .filter(restricts)
                .map(|rights| names(rights.of(listed.category)));
            if of_key.is_none() && !self.lists.restricts(listed.category) {
                return None;
            }
            let rights = of_key.unwrap_or_else(|| "null".to_owned());
            return Some(format!(
                "{{\"list\":{},\"rights\":{rights}}}",
                quote(method)
            ));
        }
        if !lists_capabilities(method) {
            return None;
        }
        let rights = rights?;
        let is_refused = |method: &&str| !rights.allows_method(method);
        let lost = CAPABILITIES.iter();
        let lost = lost.filter(|(_, methods)| methods.iter().any(is_refused));
        let lost: Vec<&str> = lost.map(|(name, _)| *name).collect();
        (!lost.is_empty()).then(|| format!("{{\"lost\":{}}}", list(lost.into_iter())))
    }
}

impl Middleware for McpAccess {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        if !from.is_mcp() {
            return None;
        }
        let lists = Lists::read(from.definition);
        for category in Category::ALL {
            let rules = lists.of(category).len();
            if rules > 0 {
                let pointer = format!("/openapi/mcp/{}", category.plural());
                from.origin(pointer, counted(rules, category.name()));
            }
        }
        let settings = from.definition.pointer("/openapi/mcp").map(|mcp| {
            let lists = Category::ALL.into_iter().filter_map(|category| {
                let list = mcp.get(category.plural())?;
                Some((category.plural(), written(list)))
            });
            format!("{{\"openapi\":{{\"mcp\":{}}}}}", object(lists))
        });
        Some(Self {
            lists,
            settings: settings.unwrap_or_else(|| "{}".to_owned()).into(),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let rules = rights(exchange);
        let rights = rules.as_ref().map(|rules| &rules.mcp);
        let rights = rights.filter(|rights| rights.written.is_some());
        let is_refused = |method: &&str| rights.is_some_and(|rights| !rights.allows_method(method));
        if exchange.rpc.is_none()
            && FILTERED.iter().any(is_refused)
            && exchange.header(RESUMES).is_some()
        {
            exchange.remark("a stream can't be resumed here: it could repeat a forbidden answer");
            exchange.remove_header(RESUMES);
        }
        match self.refusal(exchange, rights) {
            Some(refusal) => Step::Reply(refusal),
            None => Step::Next,
        }
    }

    fn response(&self, exchange: &mut Exchange) {
        let of_stream = self.facts_of_stream(exchange);
        let is_stream = of_stream.is_some();
        if let Some(facts) = of_stream.or_else(|| self.facts(exchange)) {
            exchange.remark("what may not be used is taken out of the answer");
            let call = ExtraCall {
                module: "mcp",
                function: "filter",
                settings: Rc::clone(&self.settings),
                facts,
                subject: Subject::Answer,
                max: exchange.chain.settings.max_body_bytes,
                rule: 0,
            };
            if is_stream {
                exchange.event_call = Some(call);
            } else {
                exchange.ask_of_answer(call);
            }
        }
    }

    fn answered(&self, exchange: &mut Exchange, extracted: Extracted) -> Result<(), Failure> {
        match extracted {
            Extracted::Report { text, .. } if text == "{}" => Ok(()),
            // Passed on unchanged it could reveal what the rules hide.
            _ => {
                exchange.remark("the answer can't be filtered");
                Err(Failure::Upstream)
            }
        }
    }
}

#[cfg(test)]
mod tests;
