//! Where an API expects a token (reference 3.7, *Token sources*).

use crate::identity::Method;
use crate::path::percent_decode;
use gatewright_model::json::Value;

/// The token's header, unless a definition names another one.
const HEADER: &str = "Authorization";

/// The display names of the three locations.
const COOKIE: &str = "cookie";
const PARAMETER: &str = "query parameter";
const HEADER_FIELD: &str = "header";

/// Where an API's token may be: in a header, a query parameter, a cookie. Later ones take precedence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenSource {
    /// The header, in lower case; `None` if headers are ignored.
    pub header: Option<String>,
    /// The query parameter.
    pub parameter: Option<String>,
    /// The cookie.
    pub cookie: Option<String>,
}

/// The parts of a request that may carry a token.
pub struct Carrier<'a> {
    /// The query without `?`, encoded.
    pub query: &'a str,
    /// The value of a header, by its name in lower case.
    pub header: &'a dyn Fn(&str) -> Option<String>,
}

impl TokenSource {
    /// The token sources of a definition, for each auth method it enables.
    #[must_use]
    pub fn all(definition: &Value<'_>) -> Vec<Self> {
        let methods = Method::all_on(definition).into_iter();
        methods
            .map(|method| Self::read(definition, method))
            .collect()
    }

    /// Reads where a definition expects the credential of a method. `auth_configs` takes precedence over the older
    /// `auth` (reference 6.2), which applies to tokens and JWTs only.
    #[must_use]
    pub fn read(definition: &Value<'_>, method: Method) -> Self {
        let config = Self::config(definition, method);
        let text = |name| {
            let text = config.and_then(|config| config.str(name));
            text.filter(|text| !text.is_empty())
        };
        let on = |name| config.and_then(|config| config.bool(name)) == Some(true);
        let header = text("auth_header_name").unwrap_or(HEADER);
        // If headers are disabled, the header's name is ignored.
        let is_off = on("disable_header");
        let unnamed = if is_off { HEADER } else { header };
        let named = |switch, name| on(switch).then(|| text(name).unwrap_or(unnamed).to_owned());
        Self {
            header: (!is_off).then(|| header.to_ascii_lowercase()),
            parameter: named("use_param", "param_name"),
            cookie: named("use_cookie", "cookie_name"),
        }
    }

    /// A definition's settings for the credential of a method.
    pub(crate) fn config<'v, 'd>(
        definition: &'v Value<'d>,
        method: Method,
    ) -> Option<&'v Value<'d>> {
        let configs = definition.get("auth_configs");
        let older = matches!(method, Method::Token | Method::Jwt).then(|| definition.get("auth"));
        configs
            .and_then(|configs| configs.get(method.config()))
            .or_else(|| older.flatten())
    }

    /// Finds the token in a request.
    #[must_use]
    pub fn find(&self, carrier: &Carrier<'_>) -> Option<String> {
        self.located(carrier).map(|(_, token)| token)
    }

    /// The token, with its location.
    pub(crate) fn located(&self, carrier: &Carrier<'_>) -> Option<(&'static str, String)> {
        let (kind, found) = self.search(carrier)?;
        // Only the first of repeated headers counts; the runtime joins them.
        let found = match kind {
            HEADER_FIELD => found.split(", ").next().unwrap_or_default(),
            _ => &found,
        };
        let token = bare(found);
        (!token.is_empty()).then(|| (kind, token.to_owned()))
    }

    /// The location of the token, with its raw contents.
    pub(crate) fn search(&self, carrier: &Carrier<'_>) -> Option<(&'static str, String)> {
        let header = || (carrier.header)(self.header.as_deref()?);
        let parameter = || parameter(carrier.query, self.parameter.as_deref()?);
        let cookie = || {
            let name = self.cookie.as_deref()?;
            cookie(&(carrier.header)("cookie")?, name)
        };
        let sent = |text: &String| !text.is_empty();
        let cookie = cookie().filter(sent).map(|text| (COOKIE, text));
        cookie
            .or_else(|| Some((PARAMETER, parameter().filter(sent)?)))
            .or_else(|| Some((HEADER_FIELD, header().filter(sent)?)))
    }

    /// All possible locations, for display.
    pub(crate) fn locations(&self) -> Vec<(&'static str, &str)> {
        let named = [
            (HEADER_FIELD, &self.header),
            (PARAMETER, &self.parameter),
            (COOKIE, &self.cookie),
        ];
        let named = named.into_iter();
        named
            .filter_map(|(kind, name)| Some((kind, name.as_deref()?)))
            .collect()
    }

    /// The token parameter's values in a query, still encoded.
    pub(crate) fn query_values<'q>(&self, query: &'q str) -> impl Iterator<Item = &'q str> {
        let wanted = self.parameter.clone();
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs
            .filter(move |(key, _)| wanted.as_deref() == Some(decoded(key).as_str()))
            .map(|(_, value)| value)
    }

    /// Removes the token from a query.
    #[must_use]
    pub fn strip_query(&self, query: &str) -> Option<String> {
        let name = self.parameter.as_deref()?;
        let kept = query.split('&').filter(|pair| {
            let key = pair.split('=').next().unwrap_or_default();
            decoded(key) != name
        });
        Some(kept.collect::<Vec<_>>().join("&"))
    }
}

impl TokenSource {
    /// The headers that hold the token, each with its remaining value.
    #[must_use]
    pub fn strip_headers(&self, carrier: &Carrier<'_>) -> Vec<(String, Option<String>)> {
        let mut stripped = Vec::new();
        if let Some(header) = &self.header {
            stripped.push((header.clone(), None));
        }
        if let Some(name) = &self.cookie
            && let Some(sent) = (carrier.header)("cookie")
        {
            let is_other = |pair: &&str| pair.split('=').next().map(str::trim) != Some(name);
            let kept = sent.split(';').filter_map(|part| {
                let others: Vec<_> = part.split(", ").filter(is_other).collect();
                (!others.is_empty()).then(|| others.join("; "))
            });
            let kept = kept.collect::<Vec<_>>().join(";").trim().to_owned();
            let left = Some(kept).filter(|kept| !kept.is_empty());
            stripped.push(("cookie".to_owned(), left));
        }
        stripped
    }
}

/// Removes a leading `Bearer ` (in any case), which clients put before a token. Anything else is part of the token.
pub(crate) fn bare(text: &str) -> &str {
    let text = text.trim();
    match text.split_at_checked(7) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer ") => token,
        _ => text,
    }
}

fn decoded(text: &str) -> String {
    percent_decode(&text.replace('+', " "))
}

fn parameter(query: &str, name: &str) -> Option<String> {
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        // A `+` in a token belongs to its Base64; it is a space only after the scheme.
        (decoded(key) == name).then(|| match value.split_once('+') {
            Some((scheme, rest)) if is_scheme(scheme) => {
                percent_decode(&[scheme, "%20", rest].concat())
            }
            _ => percent_decode(value),
        })
    })
}

fn is_scheme(word: &str) -> bool {
    word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic")
}

/// The value of a cookie (RFC 6265 section 4.2).
fn cookie(header: &str, name: &str) -> Option<String> {
    pairs(header).find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        (key.trim() == name).then(|| value.trim().trim_matches('"').to_owned())
    })
}

/// The cookies of a header, or of several that the runtime has joined like any other header.
fn pairs(header: &str) -> impl Iterator<Item = &str> {
    header
        .split(';')
        .flat_map(|part| part.split(", "))
        .map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_model::json::parse;

    fn find(definition: &str, headers: &[(&str, &str)], query: &str) -> Option<String> {
        let header = |name: &str| {
            let found = headers.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let source = TokenSource::read(&parse(definition).unwrap(), Method::Token);
        source.find(&Carrier {
            query,
            header: &header,
        })
    }

    #[test]
    fn authorization_header_is_the_default_token_source() {
        for (sent, token) in [
            ("k", "k"),
            ("Bearer k", "k"),
            ("BEARER k", "k"),
            (" k ", "k"),
            ("k, other", "k"),
            ("Bearer k, Bearer other", "k"),
            ("bearer  k", " k"),
            ("Bearer Bearer k", "Bearer k"),
            ("Bearer: k", "Bearer: k"),
            ("Bearer", "Bearer"),
        ] {
            let found = find("{}", &[("authorization", sent)], "");
            assert_eq!(found.as_deref(), Some(token), "{sent}");
        }
        assert_eq!(find("{}", &[], "authorization=k"), None);
        assert_eq!(find("{}", &[("authorization", "")], ""), None);
        let named = r#"{"auth":{"auth_header_name":"X-Key"}}"#;
        assert_eq!(find(named, &[("x-key", "k")], "").as_deref(), Some("k"));
        let both = r#"{"auth":{"auth_header_name":"X-Old"},
            "auth_configs":{"authToken":{"auth_header_name":"X-New"}}}"#;
        assert_eq!(find(both, &[("x-old", "k")], ""), None);
        assert_eq!(find(both, &[("x-new", "k")], "").as_deref(), Some("k"));
    }

    #[test]
    fn later_sources_override_earlier_ones() {
        let all = r#"{"auth":{"auth_header_name":"X-Key","use_param":true,"param_name":"p",
            "use_cookie":true,"cookie_name":"c"}}"#;
        let headers = [("x-key", "header"), ("cookie", "a=b; c=\"cookie\"")];
        assert_eq!(find(all, &headers, "p=param").as_deref(), Some("cookie"));
        assert_eq!(
            find(all, &headers[..1], "x=y&p=pa%72am%2B+").as_deref(),
            Some("param++")
        );
        assert_eq!(find(all, &headers[..1], "").as_deref(), Some("header"));
        let off = r#"{"auth":{"auth_header_name":"X-Key","disable_header":true,"use_param":true}}"#;
        assert_eq!(find(off, &[("x-key", "k")], "X-Key=k"), None);
        assert_eq!(find(off, &[], "authorization=k"), None);
        let found = find(off, &[], "Authorization=k");
        assert_eq!(found.as_deref(), Some("k"));
    }

    #[test]
    fn cookies_of_several_headers_are_found_and_removed() {
        let named = r#"{"auth":{"use_cookie":true,"cookie_name":"c"}}"#;
        for (sent, token, left) in [
            ("a=1, c=k", "k", Some("a=1")),
            ("a=1; b=2, c=k; d=3", "k", Some("a=1; b=2; d=3")),
            ("c=k; c=other", "k", None),
            ("cc=1; c=k", "k", Some("cc=1")),
            ("a=1;c=k;b=2", "k", Some("a=1;b=2")),
            ("c=k;b=2; d", "k", Some("b=2; d")),
            ("c=k;", "k", None),
        ] {
            let header = |name: &str| (name == "cookie").then(|| sent.to_owned());
            let source = TokenSource::read(&parse(named).unwrap(), Method::Token);
            let carrier = Carrier {
                query: "",
                header: &header,
            };
            assert_eq!(source.find(&carrier).as_deref(), Some(token), "{sent}");
            let stripped = source.strip_headers(&carrier);
            let expected = ("cookie".to_owned(), left.map(str::to_owned));
            assert_eq!(stripped.last(), Some(&expected), "{sent}");
        }
    }

    #[test]
    fn plus_after_scheme_in_parameter_is_a_space() {
        let named = r#"{"auth":{"use_param":true,"param_name":"k"}}"#;
        for (query, token) in [
            ("k=Bearer+a%2Bb", "a+b"),
            ("k=bearer%20ab", "ab"),
            ("k=a+b", "a+b"),
            ("k=Bearer+a+b", "a+b"),
        ] {
            assert_eq!(find(named, &[], query).as_deref(), Some(token), "{query}");
        }
    }

    #[test]
    fn token_parameter_is_removed_from_the_query() {
        let source = TokenSource {
            header: None,
            parameter: Some("p q".to_owned()),
            cookie: None,
        };
        let left = |query| source.strip_query(query);
        assert_eq!(
            left("a=1&p+q=k&b=%20&p%20q=z").as_deref(),
            Some("a=1&b=%20")
        );
        assert_eq!(left("").as_deref(), Some(""));
    }
}
