//! The server whose tools are the operations of an API (`gateway://{id}/mcp`; reference 6.4). The gateway itself is
//! that server, in revision 2026-07-28, where each message is self-contained, and in the earlier ones, which start with
//! `initialize`. It has no sessions and streams nothing.

use crate::parts::{json_text, last, object};
use crate::request::{self, BadArguments};
use crate::rules::Filter;
use gatewright_model::json::{Kind, Value, parse, parse_repeating, quote, written};

/// The revision without sessions.
const MODERN: &str = "2026-07-28";

/// The revisions with `initialize`, the newest first.
const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const META: &str = "io.modelcontextprotocol/";

const METHOD_NOT_FOUND: i32 = -32_601;
const INVALID_PARAMS: i32 = -32_602;
const INVALID_REQUEST: i32 = -32_600;
const PARSE_ERROR: i32 = -32_700;
const HEADER_MISMATCH: i32 = -32_020;
const UNSUPPORTED_VERSION: i32 = -32_022;

/// The outcome of a message.
enum Outcome {
    /// It is answered directly.
    Answer { status: u16, body: String },
    /// It becomes a request to the API; the text is what is needed to turn the response into a result.
    Request(Box<request::Request>, String),
}

/// A message with its context.
struct Message<'m> {
    id: &'m str,
    method: &'m str,
    params: Option<&'m Value<'m>>,
    settings: &'m Value<'m>,
    facts: &'m Value<'m>,
    is_modern: bool,
}

/// Reads a message. `settings` is the tool's request if the message calls a known tool, else what the server offers;
/// `facts` are the headers about the message, and what is to be removed from lists.
///
/// Returns a report and, if the message becomes a request to the API, the request's body and what is needed to turn the
/// response into a result.
pub(crate) fn asked(settings: &str, facts: &str, body: &[u8]) -> Result<Vec<String>, String> {
    let read = |text| parse(text).map_err(|_| "what the gateway tells is no JSON".to_owned());
    let (settings, facts) = (read(settings)?, read(facts)?);
    let outcome = match std::str::from_utf8(body).ok().and_then(parse_repeating) {
        Some(message) => {
            let text = std::str::from_utf8(body).unwrap_or_default();
            outcome(&settings, &facts, &message, text)
        }
        None => Outcome::error(400, "null", PARSE_ERROR, "parse error", None),
    };
    Ok(match outcome {
        Outcome::Answer { status, body } => {
            let body = quote(&body);
            vec![format!(
                "{{\"answer\":{{\"status\":{status},\"body\":{body}}}}}"
            )]
        }
        Outcome::Request(request, context) => vec![request.report(), request.body, context],
    })
}

fn outcome(settings: &Value<'_>, facts: &Value<'_>, message: &Value<'_>, text: &str) -> Outcome {
    let Some(id) = last(message, "id") else {
        // A notification, which gets no response.
        return Outcome::Answer {
            status: 202,
            body: String::new(),
        };
    };
    let invalid = || Outcome::error(400, "null", INVALID_REQUEST, "invalid request", None);
    if !matches!(id.kind, Kind::String(_) | Kind::Number(_)) {
        return invalid();
    }
    let Some(method) = last(message, "method").and_then(Value::as_str) else {
        return invalid();
    };
    let params = last(message, "params");
    let meta = params.and_then(|params| last(params, "_meta"));
    let version = meta.and_then(|meta| last(meta, &format!("{META}protocolVersion")));
    let id = id.span.of(text);
    let is_modern = match revision(facts, version, meta, method, id) {
        Ok(is_modern) => is_modern,
        Err(refused) => return refused,
    };
    Message {
        id,
        method,
        params,
        settings,
        facts,
        is_modern,
    }
    .outcome()
}

/// Whether a message is of the revision without sessions; `Err` refuses it.
fn revision(
    facts: &Value<'_>,
    version: Option<&Value<'_>>,
    meta: Option<&Value<'_>>,
    method: &str,
    id: &str,
) -> Result<bool, Outcome> {
    let header = |name| facts.get("headers").and_then(|headers| headers.str(name));
    let header_version = header("version").map(str::trim);
    let error = |code, message: &str| Err(Outcome::error(400, id, code, message, None));
    let unsupported = |requested: &str| {
        let known = [MODERN].into_iter().chain(LEGACY).map(quote);
        let known: Vec<String> = known.collect();
        let data = format!(
            "{{\"supported\":[{}],\"requested\":{}}}",
            known.join(","),
            quote(requested)
        );
        let message = "Unsupported protocol version";
        Err(Outcome::error(
            400,
            id,
            UNSUPPORTED_VERSION,
            message,
            Some(&data),
        ))
    };
    let Some(version) = version else {
        return match header_version {
            Some(MODERN) => error(
                INVALID_PARAMS,
                "missing io.modelcontextprotocol/protocolVersion in _meta",
            ),
            Some(header_version) if !LEGACY.contains(&header_version) => {
                unsupported(header_version)
            }
            _ => Ok(false),
        };
    };
    let Some(version) = version.as_str() else {
        return error(INVALID_PARAMS, "invalid params: protocolVersion is no text");
    };
    if header_version != Some(version) {
        let header_version = header_version.unwrap_or_default();
        return error(
            HEADER_MISMATCH,
            &format!(
                "Header mismatch: MCP-Protocol-Version header value '{header_version}' does not match body value '{version}'"
            ),
        );
    }
    if LEGACY.contains(&version) {
        return Ok(false);
    }
    if version != MODERN {
        return unsupported(version);
    }
    // That they agree with the body has been checked already; here they only have to be present.
    let names = method == "tools/call";
    for (name, header_name, is_needed) in
        [("method", "Mcp-Method", true), ("name", "Mcp-Name", names)]
    {
        if is_needed && header(name).is_none() {
            let message = format!("Header mismatch: {header_name} header is missing");
            return error(HEADER_MISMATCH, &message);
        }
    }
    let capabilities = meta.and_then(|meta| last(meta, &format!("{META}clientCapabilities")));
    if !capabilities.is_some_and(|known| matches!(known.kind, Kind::Object(_))) {
        return error(
            INVALID_PARAMS,
            "missing io.modelcontextprotocol/clientCapabilities in _meta",
        );
    }
    Ok(true)
}

impl Outcome {
    fn error(status: u16, id: &str, code: i32, message: &str, data: Option<&str>) -> Self {
        let data = data.map_or_else(String::new, |data| format!(",\"data\":{data}"));
        let message = quote(message);
        Self::Answer {
            status,
            body: format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":{message}{data}}}}}"
            ),
        }
    }
}

impl Message<'_> {
    fn outcome(&self) -> Outcome {
        match (self.method, self.is_modern) {
            ("initialize", false) => self.initialize(),
            ("ping", false) => self.result(&[]),
            ("server/discover", true) => self.discover(),
            ("tools/list", _) => self.list(),
            ("tools/call", _) => self.call(),
            // The stateless revision defines a status for it (*Streamable HTTP*, *Protocol Version Header*).
            (_, is_modern) => {
                let status = if is_modern { 404 } else { 200 };
                self.error(status, METHOD_NOT_FOUND, "Method not found")
            }
        }
    }

    fn error(&self, status: u16, code: i32, message: &str) -> Outcome {
        Outcome::error(status, self.id, code, message, None)
    }

    fn param(&self, name: &str) -> Option<&Value<'_>> {
        self.params.and_then(|params| last(params, name))
    }

    /// Returns a result with these members, given as JSON, without what is to be removed from it.
    fn result(&self, members: &[(&str, String)]) -> Outcome {
        let mut all = Vec::new();
        if self.is_modern {
            all.push(("resultType", quote("complete")));
        }
        all.extend_from_slice(members);
        let result = object(&all);
        let body = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}",
            self.id
        );
        Outcome::Answer {
            status: 200,
            body: self.filtered(body),
        }
    }

    fn filtered(&self, body: String) -> String {
        let Some(facts) = self.facts.get("filter") else {
            return body;
        };
        let lists = self.facts.get("lists");
        let filter = Filter::read(lists.unwrap_or(facts), facts);
        // A list that can't be filtered is not returned.
        let (Ok(filter), Some(mut message)) = (filter, parse_repeating(&body)) else {
            return "{}".to_owned();
        };
        match filter.message(&mut message) {
            true => written(&message),
            false => body,
        }
    }

    fn server(&self) -> String {
        json_text(self.settings.get("server"), "{}")
    }

    fn initialize(&self) -> Outcome {
        let wanted = self.param("protocolVersion").and_then(Value::as_str);
        let known = LEGACY.into_iter().find(|known| wanted == Some(*known));
        self.result(&[
            ("protocolVersion", quote(known.unwrap_or(LEGACY[0]))),
            ("capabilities", "{\"tools\":{}}".to_owned()),
            ("serverInfo", self.server()),
        ])
    }

    fn discover(&self) -> Outcome {
        let known = [MODERN].into_iter().chain(LEGACY).map(quote);
        let known: Vec<String> = known.collect();
        let server = self.server();
        self.result(&[
            ("supportedVersions", format!("[{}]", known.join(","))),
            ("capabilities", "{\"tools\":{}}".to_owned()),
            ("serverInfo", server.clone()),
            ("ttlMs", "0".to_owned()),
            ("cacheScope", quote("private")),
            ("_meta", object(&[(&format!("{META}serverInfo"), server)])),
        ])
    }

    /// Returns all tools at once: there is no second page, and no valid cursor.
    fn list(&self) -> Outcome {
        if self.param("cursor").is_some_and(|cursor| !cursor.is_null()) {
            return self.error(200, INVALID_PARAMS, "Invalid cursor");
        }
        let tools = json_text(self.settings.get("tools"), "[]");
        let mut members = vec![("tools", tools)];
        if self.is_modern {
            // Another set may be loaded at any time.
            members.push(("ttlMs", "0".to_owned()));
            members.push(("cacheScope", quote("public")));
        }
        self.result(&members)
    }

    fn call(&self) -> Outcome {
        if self.settings.get("method").is_none() {
            let name = self.param("name").and_then(Value::as_str);
            let message = format!("Unknown tool: {}", name.unwrap_or_default());
            return self.error(200, INVALID_PARAMS, &message);
        }
        let arguments = self.param("arguments").filter(|given| !given.is_null());
        match request::build(self.settings, arguments) {
            Ok(request) => {
                let mut context = vec![
                    ("id", quote(self.id)),
                    ("modern", self.is_modern.to_string()),
                ];
                let output = self.settings.get("output");
                context.extend(output.map(|schema| ("output", written(schema))));
                Outcome::Request(Box::new(request), object(&context))
            }
            Err(BadArguments::NoObject) => {
                self.error(400, INVALID_PARAMS, "invalid params: expected object")
            }
            // The model that chose the arguments can choose others (*Tools*, *Error Handling*).
            Err(BadArguments::Argument(why)) => self.result(&[
                (
                    "content",
                    format!("[{{\"type\":\"text\",\"text\":{}}}]", quote(&why)),
                ),
                ("isError", "true".to_owned()),
            ]),
        }
    }
}
