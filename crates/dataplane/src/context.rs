//! Variables of a request, and texts that name them (reference 3.4, *Context variables*).
//!
//! `$gateway_context.<name>` is something of the request, `$gateway_meta.<name>` a member of the
//! key's `meta_data`; what isn't there is an empty text. Of the request's body nothing is known
//! here, and of a token its hash alone.

use gatewright_model::session::Session;
use gatewright_model::text::percent::percent_decode;

/// What stands before the names of variables.
const CONTEXT: &str = "$gateway_context.";
const META: &str = "$gateway_meta.";

/// A request, as far as variables can name it.
pub struct Context<'a> {
    /// The normalised path, with what names the API.
    pub path: &'a str,
    /// The query without `?`, encoded.
    pub query: &'a str,
    /// The value of a header, by its name in lower case.
    pub header: &'a dyn Fn(&str) -> Option<String>,
    /// The client's address.
    pub remote_addr: &'a dyn Fn() -> String,
    /// The hash of its key.
    pub key_hash: &'a str,
    /// The session of its key.
    pub session: &'a Session,
}

impl Context<'_> {
    /// A text with the values of its variables in their places.
    #[must_use]
    pub fn resolve(&self, text: &str) -> String {
        let mut resolved = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, from) = rest.split_at(at);
            resolved.push_str(before);
            rest = if let Some((name, behind)) = variable(from, CONTEXT) {
                resolved.push_str(&self.value(name).unwrap_or_default());
                behind
            } else if let Some((name, behind)) = variable(from, META) {
                resolved.push_str(&self.session.meta(name).unwrap_or_default());
                behind
            } else {
                resolved.push('$');
                from.strip_prefix('$').unwrap_or_default()
            };
        }
        resolved.push_str(rest);
        resolved
    }

    fn value(&self, name: &str) -> Option<String> {
        match name {
            "path" => Some(self.path.to_owned()),
            "path_parts" => Some(self.path.trim_matches('/').replace('/', ",")),
            "remote_addr" => Some((self.remote_addr)()),
            "request_id" => (self.header)("x-request-id"),
            "token" => Some(self.key_hash.to_owned()),
            "request_data" => Some(self.request_data()),
            _ => match name.split_once('_')? {
                ("headers", header) => self.header_named(header),
                ("cookies", name) => cookie(&(self.header)("cookie")?, name),
                ("request", data) => self.parameters(data.strip_prefix("data_")?),
                _ => None,
            },
        }
    }

    /// The name has `_` for each `-` of the header's.
    fn header_named(&self, name: &str) -> Option<String> {
        let name = name.to_ascii_lowercase();
        (self.header)(&name.replace('_', "-")).or_else(|| (self.header)(&name))
    }

    fn pairs(&self) -> impl Iterator<Item = (String, String)> {
        let pairs = self.query.split('&').filter(|pair| !pair.is_empty());
        pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decoded = |text: &str| percent_decode(&text.replace('+', " "));
            (decoded(name), decoded(value))
        })
    }

    /// Every value that a parameter of the query has.
    fn parameters(&self, wanted: &str) -> Option<String> {
        let named = self.pairs().filter(|(name, _)| name == wanted);
        let values: Vec<String> = named.map(|(_, value)| value).collect();
        Some(values.join(","))
    }

    fn request_data(&self) -> String {
        let pairs = self.pairs().map(|(name, value)| name + ":" + &value);
        pairs.collect::<Vec<_>>().join(";")
    }
}

/// The name behind a prefix, and the text behind the name.
fn variable<'t>(text: &'t str, prefix: &str) -> Option<(&'t str, &'t str)> {
    let named = text.strip_prefix(prefix)?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let length = named.find(|c| !is_name(c)).unwrap_or(named.len());
    named.split_at_checked(length)
}

/// The value of a cookie (RFC 6265 section 4.2).
pub(super) fn cookie(header: &str, name: &str) -> Option<String> {
    header.split(';').find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        (key.trim() == name).then(|| value.trim().trim_matches('"').to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(text: &str) -> String {
        let session = r#"{"meta_data":{"tier":"gold","n":1.0,"none":null,"a.b-c":{"d":[1]},"again":"$gateway_meta.tier"}}"#;
        let header = |name: &str| {
            let headers = [
                ("x-team", "blue"),
                ("under_score", "kept"),
                ("host", "api.example"),
                ("x-request-id", "r-1"),
                ("cookie", "a=1; b=\"2\""),
            ];
            let found = headers.into_iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| value.to_owned())
        };
        let context = Context {
            path: "/a/b%2Fc/",
            query: "q=1&q=%32&empty&w=x+y",
            header: &header,
            remote_addr: &|| "192.0.2.1".to_owned(),
            key_hash: "00ff",
            session: &Session::parse(session).unwrap(),
        };
        context.resolve(text)
    }

    #[test]
    fn variables_of_the_request_have_its_values() {
        for (name, value) in [
            ("path", "/a/b%2Fc/"),
            ("path_parts", "a,b%2Fc"),
            ("remote_addr", "192.0.2.1"),
            ("request_id", "r-1"),
            ("token", "00ff"),
            ("headers_X_Team", "blue"),
            ("headers_x-team", "blue"),
            ("headers_Under_Score", "kept"),
            ("headers_Host", "api.example"),
            ("headers_None", ""),
            ("cookies_b", "2"),
            ("cookies_c", ""),
            ("request_data_q", "1,2"),
            ("request_data_w", "x y"),
            ("request_data_none", ""),
            ("request_data", "q:1;q:2;empty:;w:x y"),
            ("request", ""),
            ("headers", ""),
            ("nothing", ""),
            ("", ""),
        ] {
            assert_eq!(
                resolve(&format!("$gateway_context.{name}")),
                value,
                "{name}"
            );
        }
    }

    #[test]
    fn members_of_the_meta_data_are_put_in_once() {
        for (name, value) in [
            ("tier", "gold"),
            ("n", "1.0"),
            ("none", ""),
            ("a.b-c", "{\"d\":[1]}"),
            ("again", "$gateway_meta.tier"),
        ] {
            assert_eq!(resolve(&format!("$gateway_meta.{name}")), value, "{name}");
        }
    }

    #[test]
    fn the_rest_of_a_text_stays_as_it_is() {
        for (text, resolved) in [
            ("", ""),
            ("plain", "plain"),
            (
                "$gateway_meta.tier|$gateway_context.headers_X_Team",
                "gold|blue",
            ),
            ("<$gateway_meta.tier>", "<gold>"),
            ("$$gateway_meta.tier$", "$gold$"),
            (
                "$gateway_metatier $Gateway_meta.tier $é",
                "$gateway_metatier $Gateway_meta.tier $é",
            ),
            ("$gateway_meta.tieré", "goldé"),
        ] {
            assert_eq!(resolve(text), resolved, "{text}");
        }
    }
}
