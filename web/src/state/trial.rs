//! A request to try: its contents, and the ways to send it.

use crate::api::debug::{Step, StepChange};
use gatewright_model::json::{Value, parse, quote};

use super::curl::Curl;
use super::query_string::encode;

/// The default address of the gateway: the port that `cargo xtask serve` uses.
const GATEWAY_URL: &str = "http://127.0.0.1:8787";
/// The environment variable from which a copied command reads the gateway's address.
const GATEWAY_VARIABLE: &str = "GATEWAY_URL";
/// The environment variable from which a copied command reads the API's token.
const TOKEN_VARIABLE: &str = "API_TOKEN";

/// The sender of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sender {
    /// Nobody.
    #[default]
    Nobody,
    /// A stored key, whose token is no longer known.
    Stored {
        /// The hash of its token; empty until one is picked.
        hash: String,
        /// Its display name.
        name: String,
    },
    /// The holder of this token.
    Token(String),
}

impl Sender {
    /// Creates a sender for a stored key that is yet to be picked.
    #[must_use]
    pub const fn unpicked() -> Self {
        Self::Stored {
            hash: String::new(),
            name: String::new(),
        }
    }
}

/// Where an API looks for a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenLocation {
    /// A header.
    Header(String),
    /// A query parameter.
    Parameter(String),
    /// A cookie.
    Cookie(String),
}

impl Default for TokenLocation {
    fn default() -> Self {
        Self::Header("Authorization".to_owned())
    }
}

impl TokenLocation {
    /// Returns the first location that a definition uses: the header, unless that is disabled.
    #[must_use]
    pub fn of(definition: &str) -> Self {
        let Ok(value) = parse(definition) else {
            return Self::default();
        };
        let config = value
            .pointer("/auth_configs/authToken")
            .or_else(|| value.get("auth"));
        config.map(Self::read).unwrap_or_default()
    }

    /// Returns the first location that a definition uses for JSON Web Tokens.
    #[must_use]
    pub fn of_jwt(definition: &str) -> Self {
        let value = parse(definition).ok();
        let config = value
            .as_ref()
            .and_then(|value| value.pointer("/auth_configs/jwt"));
        config.map(Self::read).unwrap_or_default()
    }

    fn read(config: &Value<'_>) -> Self {
        let on = |name| config.bool(name).unwrap_or_default();
        let named = |name| config.str(name).filter(|text| !text.is_empty());
        let header = named("auth_header_name").unwrap_or("Authorization");
        let name = |name| named(name).unwrap_or(header).to_owned();
        if !on("disable_header") {
            Self::Header(header.to_owned())
        } else if on("use_param") {
            Self::Parameter(name("param_name"))
        } else if on("use_cookie") {
            Self::Cookie(name("cookie_name"))
        } else {
            Self::default()
        }
    }

    /// Describes the location.
    #[must_use]
    pub fn description(&self) -> String {
        match self {
            Self::Header(name) => format!("header {name}"),
            Self::Parameter(name) => format!("query parameter {name}"),
            Self::Cookie(name) => format!("cookie {name}"),
        }
    }
}

/// The definition to use for the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against<'a> {
    /// The loaded definition of this API.
    Loaded(&'a str),
    /// This text, which need not be loaded.
    Text(&'a str),
}

/// A request to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The method.
    pub method: String,
    /// The path relative to the listen path, with its query.
    pub path: String,
    /// Header names and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
    /// Its sender.
    pub sender: Sender,
}

impl Default for Trial {
    fn default() -> Self {
        Self {
            method: "GET".to_owned(),
            path: "/".to_owned(),
            headers: Vec::new(),
            body: String::new(),
            sender: Sender::Nobody,
        }
    }
}

impl Trial {
    /// Returns the body for the debug endpoint. A token is put where the API looks for it.
    #[must_use]
    pub fn to_json(&self, against: Against<'_>, location: &TokenLocation) -> String {
        let named = self.headers.iter().filter(|(name, _)| !name.is_empty());
        let mut headers: Vec<(String, String)> = named.cloned().collect();
        let mut path = self.path.clone();
        if let Sender::Token(token) = &self.sender
            && !token.is_empty()
        {
            match location {
                TokenLocation::Header(name) => headers.push((name.clone(), token.clone())),
                TokenLocation::Parameter(name) => {
                    path = with_parameter(&path, &format!("{}={}", encode(name), encode(token)));
                }
                TokenLocation::Cookie(name) => {
                    headers.push(("Cookie".to_owned(), format!("{name}={token}")))
                }
            }
        }
        let target = match against {
            Against::Loaded(id) => format!("\"api_id\": {}", quote(id)),
            Against::Text(text) => format!("\"spec\": {text}"),
        };
        let key = match &self.sender {
            Sender::Stored { hash, .. } if !hash.is_empty() => {
                format!(", \"key_hash\": {}", quote(hash))
            }
            _ => String::new(),
        };
        format!(
            "{{{target}{key}, \"request\": {{\"method\": {}, \"path\": {}, \"headers\": {{{}}}, \"body\": {}}}}}",
            quote(&self.method),
            quote(&path),
            fields(&headers),
            quote(&self.body),
        )
    }

    /// Returns the shell command that sends the same request to the data plane. It never contains a token, but reads
    /// `$API_TOKEN`.
    #[must_use]
    pub fn curl(&self, listen_path: &str, domain: &str, location: &TokenLocation) -> String {
        let base = listen_path.trim_end_matches('/');
        let rest = self.path.strip_prefix('/').unwrap_or(&self.path);
        let mut path = format!("{base}/{rest}");
        let shows = self.sender != Sender::Nobody;
        if let (true, TokenLocation::Parameter(name)) = (shows, location) {
            path = with_parameter(&path, &format!("{}=", encode(name)));
        }
        let mut request = Curl::below_variable(&self.method, GATEWAY_VARIABLE, GATEWAY_URL, &path);
        request = match (shows, location) {
            (true, TokenLocation::Header(name)) => {
                request.variable_header(&format!("{name}: "), TOKEN_VARIABLE)
            }
            (true, TokenLocation::Cookie(name)) => {
                request.variable_header(&format!("Cookie: {name}="), TOKEN_VARIABLE)
            }
            (true, TokenLocation::Parameter(_)) => request.variable_behind(TOKEN_VARIABLE),
            (false, _) => request,
        };
        if !domain.is_empty() {
            request = request.header("Host", domain);
        }
        for (name, value) in self.headers.iter().filter(|(name, _)| !name.is_empty()) {
            request = request.header(name, value);
        }
        if !self.body.is_empty() {
            request = request.raw(&self.body);
        }
        request.command()
    }

    /// Whether requests with a method have a body.
    #[must_use]
    pub fn takes_body(&self) -> bool {
        !matches!(self.method.as_str(), "GET" | "HEAD")
    }
}

fn with_parameter(path: &str, pair: &str) -> String {
    let separator = if path.contains('?') { '&' } else { '?' };
    format!("{path}{separator}{pair}")
}

/// Writes the members of the headers object; a repeated name gets a list of values.
fn fields(headers: &[(String, String)]) -> String {
    let mut named: Vec<(String, Vec<String>)> = Vec::new();
    for (name, value) in headers {
        let name = name.to_ascii_lowercase();
        match named.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(quote(value)),
            None => named.push((name, vec![quote(value)])),
        }
    }
    let fields: Vec<String> = named
        .iter()
        .map(|(name, values)| format!("{}: [{}]", quote(name), values.join(", ")))
        .collect();
    fields.join(", ")
}

/// Returns the label of a step of the chain: the one on the page of its API, if that is not just its name in words.
#[must_use]
pub fn step_name(name: &str) -> String {
    let known = match name {
        "address_lists" => "IP lists",
        "api_rate_limit" => "API rate limits",
        "auth_token" => "Token",
        "cors" => "CORS",
        "counters" => "Limits",
        "forward" => "Sent on",
        "granular_access" => "Allowed URLs",
        "hard_timeouts" => "Timeouts",
        "loop_target" => "Loop as target",
        "mock_response" => "Mock responses",
        "strip_auth_data" => "Strip credentials",
        "transform_headers" => "Header transforms",
        "url_rewrites" => "URL rewrites",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let mut text = name.replace('_', " ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// The steps of one phase of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhaseSteps {
    /// `request` or `response`.
    pub phase: String,
    /// The steps that did something, in order.
    pub concerned: Vec<Step>,
}

/// Arranges a trace for reading: the steps towards the upstream, then those back, starting with the upstream's
/// response; steps that did nothing are returned separately. The gateway decides on changes to response headers before
/// it sends the request, but a reader looks for them where they take effect.
#[must_use]
pub fn by_phase(steps: Vec<Step>) -> (Vec<PhaseSteps>, Vec<Step>) {
    let (folded, mut concerned): (Vec<_>, Vec<_>) = steps
        .into_iter()
        .partition(|step| step.decision == "skipped" && step.changes.is_empty());
    concerned.sort_by_key(|step| match (step.phase.as_str(), step.name.as_str()) {
        ("response", "upstream") => 1,
        ("response", _) => 2,
        _ => 0,
    });
    let mut phases: Vec<PhaseSteps> = Vec::new();
    for step in concerned {
        match phases.last_mut().filter(|last| last.phase == step.phase) {
            Some(last) => last.concerned.push(step),
            None => phases.push(PhaseSteps {
                phase: step.phase.clone(),
                concerned: vec![step],
            }),
        }
    }
    (phases, folded)
}

/// Describes what a step changed, and how: added, removed or replaced.
#[must_use]
pub fn change_words(change: &StepChange) -> (String, &'static str) {
    let about = match (change.what.as_str(), change.name.as_str()) {
        ("header", name) => format!("Header {name}"),
        (what, "") => step_name(what),
        (what, name) => format!("{} {name}", step_name(what)),
    };
    let how = match (&change.from, &change.to) {
        (None, Some(_)) => "added",
        (Some(_), None) => "removed",
        (Some(_), Some(_)) => "replaced",
        (None, None) if change.what == "header" => "not sent",
        (None, None) => "changed",
    };
    (about, how)
}
