//! Link 3: which web pages may call the API (`CORS`, reference 3.5; Fetch Standard, section 3.2).
//!
//! CORS refuses nothing: a request that it doesn't allow is still sent, only its response lacks what a browser
//! requires. Every OPTIONS request is answered here or, with `options_passthrough`, sent to the upstream at once, past
//! the version check and the links before this one too ([`left_from`]).
//! Headers of other responses are set on every answer from here on, so that refusals of later links have them too; they
//! replace those of the upstream. Endpoints that the gateway serves itself, such as that for tokens, are under the same
//! rules ([`own`]).
//!
//! `debug` changes nothing: the trace always shows the decision.

use crate::chain::{Chain, Compiler, Link, Middleware, Step};
use crate::exchange::Exchange;
use crate::failure::{Answer, Reply};
use crate::headers::{AnswerEdit, Headers, canonical};
use crate::snapshot::Api;
use gatewright_model::json::Value;

/// The CORS settings.
#[derive(Debug)]
pub struct Cors {
    origins: Origins,
    methods: Vec<String>,
    headers: AllowedHeaders,
    /// The value of `Access-Control-Expose-Headers`.
    exposed: Option<String>,
    credentials: bool,
    max_age: Option<String>,
    passthrough: bool,
}

/// Which origins are allowed.
#[derive(Debug)]
enum Origins {
    All,
    Some(Vec<OriginPattern>),
}

/// Origins in lower case.
#[derive(Debug)]
enum OriginPattern {
    Whole(String),
    /// Starts and ends with these texts, with anything between.
    Between(String, String),
}

/// Which headers a page may send.
#[derive(Debug)]
enum AllowedHeaders {
    All,
    /// Names in lower case.
    Some(Vec<String>),
}

/// Headers of a response.
type Fields = Vec<(&'static str, String)>;

const ALLOW_ORIGIN: &str = "access-control-allow-origin";
const ALLOW_CREDENTIALS: &str = "access-control-allow-credentials";
const REQUEST_METHOD: &str = "access-control-request-method";
const REQUEST_HEADERS: &str = "access-control-request-headers";
const PREFLIGHT_VARY: &str =
    "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";

/// The value of a header, unless it is empty.
fn present(headers: &Headers, name: &str) -> Option<String> {
    headers.get(name).filter(|value| !value.is_empty())
}

/// Whether a request is a preflight as browsers send it (reference 3.4, *OPTIONS preflight*).
pub(super) fn is_preflight(exchange: &Exchange) -> bool {
    let request = &exchange.request;
    request.method == "OPTIONS"
        && present(&request.headers, "origin").is_some()
        && present(&request.headers, REQUEST_METHOD).is_some()
}

/// Whether CORS is on for an API.
pub(super) fn is_on(definition: &Value<'_>) -> bool {
    let cors = definition.get("CORS");
    cors.and_then(|cors| cors.bool("enable")) == Some(true)
}

/// A list of texts, or `default` if it is empty.
fn texts(cors: &Value<'_>, name: &str, default: &[&str]) -> Vec<String> {
    let items = cors.get(name).map(Value::items).unwrap_or_default();
    let texts: Vec<String> = items
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    if items.is_empty() {
        return default.iter().map(|text| (*text).to_owned()).collect();
    }
    texts
}

impl Origins {
    fn read(cors: &Value<'_>) -> Self {
        let entries = texts(cors, "allowed_origins", &["*"]);
        if entries.iter().any(|entry| entry == "*") {
            return Self::All;
        }
        let pattern = |entry: &String| {
            let entry = entry.to_ascii_lowercase();
            match entry.split_once('*') {
                Some((before, behind)) => {
                    OriginPattern::Between(before.to_owned(), behind.to_owned())
                }
                None => OriginPattern::Whole(entry),
            }
        };
        Self::Some(entries.iter().map(pattern).collect())
    }

    /// The value of `Access-Control-Allow-Origin` for an origin; `None` if it is not allowed.
    fn answer<'o>(&self, origin: &'o str) -> Option<&'o str> {
        let patterns = match self {
            Self::All => return Some("*"),
            Self::Some(patterns) => patterns,
        };
        let asked = origin.to_ascii_lowercase();
        let fits = |pattern: &OriginPattern| match pattern {
            OriginPattern::Whole(whole) => *whole == asked,
            OriginPattern::Between(before, behind) => asked
                .strip_prefix(before.as_str())
                .is_some_and(|rest| rest.ends_with(behind.as_str())),
        };
        patterns.iter().any(fits).then_some(origin)
    }
}

impl AllowedHeaders {
    fn read(cors: &Value<'_>) -> Self {
        let default = ["accept", "content-type", "x-requested-with"];
        let names = texts(cors, "allowed_headers", &default);
        if names.iter().any(|name| name == "*") {
            return Self::All;
        }
        Self::Some(names.iter().map(|name| name.to_ascii_lowercase()).collect())
    }

    /// Whether all names in a list are allowed.
    fn allow(&self, asked: &str) -> bool {
        let allowed = match self {
            Self::All => return true,
            Self::Some(allowed) => allowed,
        };
        let names = asked.split(',').map(str::trim);
        names
            .filter(|name| !name.is_empty())
            .all(|name| allowed.iter().any(|known| known.eq_ignore_ascii_case(name)))
    }
}

/// The value of `Access-Control-Max-Age`; `None` to omit it.
fn max_age(cors: &Value<'_>) -> Option<String> {
    match cors.int("max_age") {
        None | Some(0) => None,
        Some(seconds) => Some(seconds.max(0).to_string()),
    }
}

impl Cors {
    fn allows_method(&self, method: &str) -> bool {
        method == "OPTIONS" || self.methods.iter().any(|allowed| allowed == method)
    }

    /// The headers of the response to a preflight, or why it is not allowed.
    fn preflight(&self, headers: &Headers) -> Result<Fields, &'static str> {
        let origin = present(headers, "origin").ok_or("the preflight names no origin")?;
        let allowed = self.origins.answer(&origin);
        let allowed = allowed.ok_or("the origin is not allowed")?;
        let method = present(headers, REQUEST_METHOD).unwrap_or_default();
        if !self.allows_method(&method) {
            return Err("the method is not allowed");
        }
        let asked = present(headers, REQUEST_HEADERS);
        if asked
            .as_ref()
            .is_some_and(|asked| !self.headers.allow(asked))
        {
            return Err("a header is not allowed");
        }
        let credentials = self.credentials.then(|| "true".to_owned());
        Ok(given(vec![
            (ALLOW_ORIGIN, Some(allowed.to_owned())),
            ("access-control-allow-methods", Some(method)),
            ("access-control-allow-headers", asked),
            (ALLOW_CREDENTIALS, credentials),
            ("access-control-max-age", self.max_age.clone()),
        ]))
    }

    /// The headers of the response to a request, or why it is not allowed.
    fn actual(&self, method: &str, headers: &Headers) -> Result<Fields, &'static str> {
        let origin = present(headers, "origin").ok_or("the request names no origin")?;
        let allowed = self.origins.answer(&origin);
        let allowed = allowed.ok_or("the origin is not allowed")?;
        if !self.allows_method(method) {
            return Err("the method is not allowed");
        }
        let credentials = self.credentials.then(|| "true".to_owned());
        Ok(given(vec![
            (ALLOW_ORIGIN, Some(allowed.to_owned())),
            (ALLOW_CREDENTIALS, credentials),
            ("access-control-expose-headers", self.exposed.clone()),
        ]))
    }

    /// The response to OPTIONS, what it is called, and why it allows nothing.
    fn options(&self, headers: &Headers) -> (Answer, &'static str, Option<&'static str>) {
        let (status, vary, what, fields) = if present(headers, REQUEST_METHOD).is_some() {
            (204, PREFLIGHT_VARY, "preflight", self.preflight(headers))
        } else {
            (200, "Origin", "OPTIONS", self.actual("OPTIONS", headers))
        };
        let reason = fields.as_ref().err().copied();
        let fields = varying(vary, fields).into_iter();
        let answer = Answer {
            status,
            headers: fields
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            body: String::new(),
        };
        (answer, what, reason)
    }
}

/// The headers that have a value.
fn given(fields: Vec<(&'static str, Option<String>)>) -> Fields {
    let fields = fields.into_iter();
    fields
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// The headers of a response that depends on these headers of a request.
fn varying(vary: &str, fields: Result<Fields, &'static str>) -> Fields {
    let mut headers = vec![("vary", vary.to_owned())];
    headers.extend(fields.unwrap_or_default());
    headers
}

/// The position in a chain from which a request is left to the upstream: with `options_passthrough`, no link decides
/// about OPTIONS (reference 3.5).
#[must_use]
pub fn left_from(chain: &Chain, method: &str) -> Option<usize> {
    let leaves = |link: &Link| matches!(link, Link::Cors(cors) if cors.passthrough);
    let found = (method == "OPTIONS").then(|| chain.links.iter().position(leaves));
    found.flatten()
}

/// The headers that CORS adds to the response of an endpoint that the gateway serves itself, below a listen path.
///
/// # Errors
/// The response to OPTIONS, which CORS answers.
pub fn own(api: &Api, method: &str, headers: &Headers) -> Result<Fields, Answer> {
    // CORS is the same in every version.
    let links = api.chains.first().map(|version| &version.chain.links);
    let cors = links.into_iter().flatten().find_map(|link| match link {
        Link::Cors(cors) => Some(cors),
        _ => None,
    });
    match cors {
        None => Ok(Vec::new()),
        Some(cors) if method != "OPTIONS" => Ok(varying("Origin", cors.actual(method, headers))),
        Some(cors) if cors.passthrough => Ok(Vec::new()),
        Some(cors) => Err(cors.options(headers).0),
    }
}

impl Middleware for Cors {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let cors = from.definition.get("CORS")?;
        if !is_on(from.definition) {
            return None;
        }
        let exposed = texts(cors, "exposed_headers", &[]);
        let exposed: Vec<String> = exposed.iter().map(|name| canonical(name)).collect();
        let is = |name| cors.bool(name).unwrap_or_default();
        let compiled = Self {
            origins: Origins::read(cors),
            methods: texts(cors, "allowed_methods", &["GET", "POST", "HEAD"]),
            headers: AllowedHeaders::read(cors),
            exposed: (!exposed.is_empty()).then(|| exposed.join(", ")),
            credentials: is("allow_credentials"),
            max_age: max_age(cors),
            passthrough: is("options_passthrough"),
        };
        let detail = match &compiled.origins {
            Origins::All => "every origin".to_owned(),
            Origins::Some(patterns) => crate::chain::counted(patterns.len(), "origin"),
        };
        from.origin("/CORS", detail);
        Some(compiled)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if exchange.request.method == "OPTIONS" {
            if self.passthrough {
                exchange.remark("OPTIONS is left to the upstream");
                return Step::Send;
            }
            let (answer, what, reason) = self.options(&exchange.request.headers);
            exchange.note(|| match reason {
                None => format!("the {what} is allowed"),
                Some(reason) => format!("{reason}, so the answer to the {what} allows nothing"),
            });
            return Step::Reply(Reply::Answer(answer));
        }
        let vary = AnswerEdit::Prepend("vary".to_owned(), "Origin".to_owned());
        exchange.edit_every_answer(vary);
        let request = &exchange.request;
        match self.actual(&request.method, &request.headers) {
            Ok(fields) => {
                for (name, value) in fields {
                    exchange.edit_every_answer(AnswerEdit::Set(name.to_owned(), value));
                }
            }
            Err(reason) => {
                exchange.note(|| format!("{reason}, so the answer allows nothing"));
            }
        }
        Step::Next
    }
}

#[cfg(test)]
mod tests;
