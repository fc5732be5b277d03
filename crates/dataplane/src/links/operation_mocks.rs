//! Link 34: operations that the gateway answers itself (`mockResponse` of an OpenAPI document; reference 3.15).
//!
//! All possible answers were prepared when the definition was compiled; a request only selects one. Response header
//! rules apply to it and it reports the limits, like an answer of the upstream.

use super::mock_responses::written_answer;
use super::operations::{Operations, Reading};
use crate::chain::{Compiler, Middleware, Need, Step, counted};
use crate::exchange::Exchange;
use crate::extras::{ExtraCall, Extracted, Subject};
use crate::facts::list;
use crate::failure::{Answer, Failure, Reply, sendable};
use gatewright_model::json::{self, Value, written};
use std::rc::Rc;

const MEMBER: &str = "/openapi/mock_response";

/// The headers that select an example.
const CODE: &str = "x-gateway-accept-example-code";
const NAME: &str = "x-gateway-accept-example-name";

/// The content type of an example if nothing else is specified.
const JSON: &str = "application/json";

/// Operations that the gateway answers itself.
#[derive(Debug)]
pub struct OperationMocks {
    operations: Operations<Mocks>,
    ignore_case: bool,
}

/// The mocks of operations that are distinguished by their parameters.
#[derive(Debug)]
struct Mocks {
    /// The parameters; empty for a single operation.
    settings: Rc<str>,
    mocks: Vec<Mock>,
}

/// The answer to an operation.
#[derive(Debug)]
enum Mock {
    /// None: it is not mocked.
    Nothing,
    /// The answer that its rule spells out.
    Answer(Answer),
    /// An example from the document.
    Examples(Examples),
}

#[derive(Debug)]
struct Examples {
    code: String,
    kind: String,
    name: String,
    responses: Vec<Response>,
}

#[derive(Debug)]
struct Response {
    /// A status, or a class such as `2XX`.
    code: String,
    headers: Vec<(String, String)>,
    content: Vec<Content>,
}

#[derive(Debug)]
struct Content {
    kind: String,
    /// Examples by name; one without a name is the only one.
    examples: Vec<(Option<String>, String)>,
}

impl Mock {
    fn read(mock: &Value<'_>) -> Self {
        if let Some(answer) = mock.get("answer") {
            return Self::Answer(written_answer(answer, "body"));
        }
        let items = |value: &Value<'_>, name: &str| -> Vec<Response> {
            let items = value.get(name).map(Value::items).unwrap_or_default();
            items.iter().map(Response::read).collect()
        };
        let text = |name: &str, usual: &str| mock.str(name).unwrap_or(usual).to_owned();
        match mock.get("responses") {
            None => Self::Nothing,
            Some(_) => Self::Examples(Examples {
                code: text("code", "200"),
                kind: text("type", JSON),
                name: text("name", ""),
                responses: items(mock, "responses"),
            }),
        }
    }
}

impl Response {
    fn read(value: &Value<'_>) -> Self {
        let content = value.get("content").map(Value::items).unwrap_or_default();
        let content = content.iter().map(|media| {
            let examples = media.get("examples").map(Value::items).unwrap_or_default();
            let examples = examples.iter().map(|example| {
                let body = example.str("body").unwrap_or_default();
                (example.str("name").map(str::to_owned), body.to_owned())
            });
            Content {
                kind: media.str("type").unwrap_or_default().to_owned(),
                examples: examples.collect(),
            }
        });
        Self {
            code: value.str("code").unwrap_or_default().to_owned(),
            headers: written_answer(value, "").headers,
            content: content.collect(),
        }
    }

    /// Whether it applies to a status: by that status or its class.
    fn is_for(&self, code: &str) -> bool {
        let class = code.get(..1).map(|first| format!("{first}XX"));
        self.code == code || class.is_some_and(|class| self.code.eq_ignore_ascii_case(&class))
    }

    /// The content for a requested type: an exact match, or else the first of the same family.
    fn content(&self, wanted: &str) -> Option<&Content> {
        let named = |kind: &str| {
            let mut all = self.content.iter();
            all.find(|content| essence(&content.kind).eq_ignore_ascii_case(kind))
        };
        let family = wanted.split('/').next().unwrap_or_default();
        let of_family = || {
            let mut all = self.content.iter();
            let family = wanted.strip_suffix('*')?;
            all.find(|content| content.kind.starts_with(family))
        };
        named(wanted)
            .or_else(of_family)
            .or_else(|| named(&format!("{family}/*")))
            .or_else(|| named("*/*"))
    }
}

/// A content type without its parameters.
fn essence(kind: &str) -> &str {
    kind.split(';').next().unwrap_or_default().trim()
}

impl Examples {
    /// The example selected by a request.
    ///
    /// # Errors
    /// Why there is none, in the reference's words.
    fn choose(&self, exchange: &Exchange) -> Result<Answer, String> {
        let missing = |what: &str, which: &str| {
            Err(format!(
                "there is no example response for the {what}: {which}"
            ))
        };
        let asked = |name: &str| exchange.header(name).filter(|value| !value.is_empty());
        let code = asked(CODE).unwrap_or_else(|| self.code.clone());
        let Ok(status) = code.trim().parse::<i64>() else {
            return Err(format!("given code {code} is not a valid integer value"));
        };
        let code = status.to_string();
        let exact = self.responses.iter().find(|response| response.code == code);
        let of_class = || {
            self.responses
                .iter()
                .find(|response| response.is_for(&code))
        };
        let Some(response) = exact.or_else(of_class) else {
            return missing("code", &code);
        };
        let accept = asked("accept").unwrap_or_else(|| "*/*".to_owned());
        let mut wanted = accept.split(',').map(essence);
        let found = wanted.find_map(|kind| match kind {
            "*/*" => Some((self.kind.as_str(), response.content(&self.kind)?)),
            kind => Some((kind, response.content(kind)?)),
        });
        let Some((kind, content)) = found else {
            let everything = accept.trim() == "*/*";
            return missing(
                "content type",
                if everything { &self.kind } else { &accept },
            );
        };
        let name = asked(NAME).unwrap_or_else(|| self.name.clone());
        let unnamed = content.examples.first().filter(|(name, _)| name.is_none());
        let named = || {
            let mut all = content.examples.iter();
            all.find(|(known, _)| name.is_empty() || known.as_deref() == Some(&name))
        };
        let Some((_, body)) = unnamed.or_else(named) else {
            return missing("example name", &name);
        };
        let kind = match content.kind.contains('*') {
            true => kind,
            false => &content.kind,
        };
        let mut answer = Answer {
            status: sendable(status).unwrap_or(500),
            headers: response.headers.clone(),
            body: body.clone(),
        };
        let has_body = !matches!(answer.status, 204 | 205 | 304);
        if exchange.request.method == "HEAD" || !has_body {
            answer.body.clear();
        }
        if !answer.body.is_empty() {
            answer.headers.retain(|(name, _)| name != "content-type");
            answer
                .headers
                .push(("content-type".to_owned(), kind.to_owned()));
        }
        Ok(answer)
    }
}

impl Middleware for OperationMocks {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let rules = from.definition.pointer(MEMBER)?;
        let operations = Operations::read(rules, |route| {
            let mocks = route.get("mocks")?.items().iter();
            Some(Mocks {
                settings: route
                    .get("settings")
                    .map(written)
                    .unwrap_or_default()
                    .into(),
                mocks: mocks.map(Mock::read).collect(),
            })
        });
        from.origin(MEMBER, counted(operations.count(), "operation"));
        Some(Self {
            operations,
            ignore_case: from.settings.ignore_case || from.version_switch("ignore_endpoint_case"),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let extracted = exchange.extracted.take();
        let Some((mocks, reading)) = self.operations.find(exchange, self.ignore_case) else {
            return Step::Next;
        };
        let chosen = match (mocks.settings.is_empty(), extracted) {
            (true, _) => Some(0),
            (false, None) => return Step::Need(which(mocks, &reading)),
            (false, Some(Extracted::Report { text, .. })) => {
                let report = json::parse(&text).ok();
                let number = report.and_then(|report| report.int("candidate"));
                number.and_then(|number| usize::try_from(number).ok())
            }
            (false, Some(_)) => return Step::Reply(Failure::SchemaMissing.into()),
        };
        let answer = match chosen.and_then(|chosen| mocks.mocks.get(chosen)) {
            None | Some(Mock::Nothing) => return Step::Next,
            Some(Mock::Answer(answer)) => Ok(answer.clone()),
            Some(Mock::Examples(examples)) => examples.choose(exchange),
        };
        match answer {
            Ok(answer) => {
                exchange.remark("The document answers");
                exchange.is_mocked = true;
                Step::Reply(Reply::Answer(answer))
            }
            Err(why) => {
                let message = format!("failed to mock response: mock: {why}");
                Step::Reply(Reply::saying(Failure::MockMissing, message))
            }
        }
    }
}

/// Asks the extra which of several operations a request is for.
fn which(mocks: &Mocks, reading: &Reading) -> Need {
    Need::Extra(Box::new(ExtraCall {
        module: "schema",
        function: "operation",
        settings: Rc::clone(&mocks.settings),
        facts: format!(
            "{{\"first\":0,\"count\":{},\"segments\":{}}}",
            mocks.mocks.len(),
            list(reading.iter().map(String::as_str))
        ),
        subject: Subject::Request,
        max: 0,
        rule: 0,
    }))
}

#[cfg(test)]
mod tests;
