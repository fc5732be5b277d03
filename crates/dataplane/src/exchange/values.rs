//! The values of a request's context variables (reference 3.11). They come from the request as it arrived at the chain,
//! whatever rules change later.

use super::{Body, Exchange};
use crate::headers::canonical;
use crate::path::percent_decode;
use gatewright_model::json::parse;
use gatewright_model::session::text;
use gatewright_protocol::http::is_safe_id;

/// Variables set by rewrite triggers and jq filters, by name.
#[derive(Clone, Debug, Default)]
pub struct TriggerVariables {
    /// Only a few; the last value of a name wins.
    values: Vec<(String, String)>,
}

impl TriggerVariables {
    /// Sets a variable.
    pub fn set(&mut self, name: String, value: String) {
        self.values.push((name, value));
    }

    fn get(&self, name: &str) -> Option<&str> {
        let mut set = self.values.iter().rev();
        set.find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

impl Exchange {
    /// The value of a context variable. Without `enable_context_vars` only those of triggers have one.
    #[must_use]
    pub fn context_value(&self, name: &str) -> Option<String> {
        if name.starts_with("trigger-") {
            return self.triggers.get(name).map(str::to_owned);
        }
        // Values set by filters take precedence over those of the request.
        if self.has_context()
            && let Some(set) = self.triggers.get(name)
        {
            return Some(set.to_owned());
        }
        if self.has_context() {
            self.request_value(name)
        } else {
            None
        }
    }

    /// The value of a context variable that is read from the request.
    #[must_use]
    pub fn request_value(&self, name: &str) -> Option<String> {
        // A stripped version and a base's listen path are removed before variables are read.
        let path = || {
            if self.route.strips_version || self.route.base_stripped == Some(true) {
                self.decoded_path()
            } else {
                self.request.path.decoded().to_owned()
            }
        };
        match name {
            "path" => Some(path()),
            "path_parts" => Some(path().split('/').skip(1).collect::<Vec<_>>().join(",")),
            "remote_addr" => self.client_address().map(|address| address.to_string()),
            "request_id" => Some(self.request_id()),
            "token" => Some(self.token_variable()),
            "request_data" => Some(self.request_data()),
            _ => match name.split_once('_')? {
                ("headers", header) => self.header_named(header),
                ("cookies", name) => {
                    let named = |(key, _): &(String, String)| key.replace('-', "_") == name;
                    let header = self.request.headers.get("cookie")?;
                    // The last of several cookies with the same name wins.
                    let found = cookies(&header).filter(named).last();
                    found.map(|(_, value)| value)
                }
                ("jwt", _) => text(&parse(self.claim(name)?).ok()?),
                ("request", data) => self.parameter(data.strip_prefix("data_")?),
                _ => None,
            },
        }
    }

    /// The claim of the token, or the field of its header, that a variable is about, as JSON.
    pub(crate) fn claim(&self, variable: &str) -> Option<&str> {
        let name = variable.strip_prefix("jwt_claims_")?;
        let claims = parse(&self.key.claims).ok()?;
        Some(claims.get(name)?.span.of(&self.key.claims))
    }

    /// The id of the request: the client's own if it is safe, so that its log and ours can be correlated; otherwise a
    /// generated one, which the upstream gets too.
    #[must_use]
    pub fn request_id(&self) -> String {
        let sent = || {
            let sent = self.request.headers.get("x-request-id");
            sent.filter(|id| is_safe_id(id))
        };
        self.request_id
            .get_or_init(|| sent().unwrap_or_else(|| self.chain.settings.random_id()))
            .clone()
    }

    /// A header by its canonical name with `_` for `-`: names in another letter case or with a `-` match nothing.
    fn header_named(&self, name: &str) -> Option<String> {
        let header = name.replace('_', "-");
        if canonical(&header) != header || name.contains('-') {
            return None;
        }
        if header == "Host" {
            return Some(self.request.authority.clone());
        }
        self.request.headers.get(&header.to_ascii_lowercase())
    }

    /// The parameters of the request, form fields before those of the query. A malformed form has none.
    #[must_use]
    pub fn parameters(&self) -> Vec<(String, String)> {
        let form = match &self.body {
            Body::Read(bytes) if self.is_form() => std::str::from_utf8(bytes).ok(),
            _ => None,
        };
        let form = form.filter(|form| is_form_text(form)).unwrap_or_default();
        let mut parameters = form_pairs(form);
        parameters.extend(form_pairs(&self.request.query));
        parameters
    }

    /// Whether the body is a form whose fields are parameters.
    #[must_use]
    pub fn is_form(&self) -> bool {
        let media = self.request.headers.get("content-type").unwrap_or_default();
        let media = media.split(';').next().unwrap_or_default().trim();
        matches!(self.request.method.as_str(), "POST" | "PUT" | "PATCH")
            && media.eq_ignore_ascii_case("application/x-www-form-urlencoded")
    }

    fn parameter(&self, wanted: &str) -> Option<String> {
        let named = |(name, _): &(String, String)| name.replace('-', "_") == wanted;
        self.parameters()
            .into_iter()
            .find(named)
            .map(|(_, value)| value)
    }

    /// The values of each parameter, in the order in which names first appear.
    pub(crate) fn grouped_parameters(&self) -> Vec<(String, Vec<String>)> {
        let mut grouped: Vec<(String, Vec<String>)> = Vec::new();
        for (name, value) in self.parameters() {
            match grouped.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => values.push(value),
                None => grouped.push((name, vec![value])),
            }
        }
        grouped
    }

    /// All parameters as `name:v1,v2;other:v`.
    fn request_data(&self) -> String {
        let shown = self.grouped_parameters().into_iter();
        let shown = shown.map(|(name, values)| format!("{name}:{}", values.join(",")));
        shown.collect::<Vec<_>>().join(";")
    }
}

/// Parses a query or a form (`application/x-www-form-urlencoded`). Pairs with a broken escape or a `;`, which some
/// parsers read as `&`, are dropped.
#[must_use]
pub fn form_pairs(text: &str) -> Vec<(String, String)> {
    let decoded = |text: &str| percent_decode(&text.replace('+', " "));
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .filter(|pair| is_form_text(pair) && !pair.contains(';'))
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        })
        .collect()
}

/// Whether every `%` in a text starts a valid escape: a form with broken ones has no fields.
fn is_form_text(form: &str) -> bool {
    let mut behind = form.as_bytes().split(|byte| *byte == b'%').skip(1);
    behind.all(|escape| {
        matches!(escape, [high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
    })
}

/// The cookies of a header (RFC 6265 section 4.2), with quotes around their values removed. Those with other quotes, a
/// backslash or anything but ASCII don't count, as in the reference.
fn cookies(header: &str) -> impl Iterator<Item = (String, String)> {
    let is_allowed = |byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    header.split(';').filter_map(move |pair| {
        let (key, value) = pair.split_once('=')?;
        let value = value.trim();
        let inside = value.strip_prefix('"');
        let inside = inside.and_then(|value| value.strip_suffix('"'));
        let value = inside.unwrap_or(value);
        let cookie = (key.trim().to_owned(), value.to_owned());
        value.bytes().all(is_allowed).then_some(cookie)
    })
}
