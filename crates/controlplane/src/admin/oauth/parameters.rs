//! The parameters of a request: from its query, a form, or a JSON object.

use gatewright_model::json;
use gatewright_model::text::percent::percent_decode;
use gatewright_protocol::http::Request;

/// Names and values in order; those of the body precede those of the query.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parameters(Vec<(String, String)>);

/// Parses the pairs of a text in `application/x-www-form-urlencoded`.
fn pairs(text: &str) -> impl Iterator<Item = (String, String)> {
    let decoded = |text: &str| percent_decode(&text.replace('+', " "));
    text.split('&')
        .filter(|pair| !pair.is_empty())
        .map(move |pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        })
}

/// Returns the body of a request if it is a form.
fn form(request: &Request) -> Option<&str> {
    let media = request.header("content-type").unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    let is_form = media.eq_ignore_ascii_case("application/x-www-form-urlencoded");
    let text = std::str::from_utf8(&request.body).ok();
    text.filter(|_| is_form)
}

impl Parameters {
    /// Reads the parameters of a form; any other body has none.
    pub(super) fn of_form(request: &Request) -> Self {
        Self(form(request).map(pairs).into_iter().flatten().collect())
    }

    /// Reads the parameters of a form; `None` if it contains a broken escape or a semicolon.
    pub(super) fn of_valid_form(request: &Request) -> Option<Self> {
        let text = form(request).unwrap_or_default();
        let is_hex = |part: &str| {
            let digits = part.bytes().take(2).filter(u8::is_ascii_hexdigit);
            digits.count() == 2
        };
        let is_valid = !text.contains(';') && text.split('%').skip(1).all(is_hex);
        is_valid.then(|| Self::of_form(request))
    }

    /// Reads the parameters of a form, or the texts of a JSON object. `None` if the body is JSON but not an object of
    /// texts.
    pub(super) fn of_body(request: &Request) -> Option<Self> {
        let media = request.header("content-type").unwrap_or_default();
        let media = media.split(';').next().unwrap_or_default().trim();
        if !media.eq_ignore_ascii_case("application/json") {
            return Some(Self::of_form(request));
        }
        let text = std::str::from_utf8(&request.body).ok()?;
        let value = json::parse(text).ok()?;
        let members = value.members().iter();
        let pairs = members.map(|member| {
            let text = member.value.as_str()?;
            Some((member.name.to_string(), text.to_owned()))
        });
        pairs.collect::<Option<Vec<_>>>().map(Self)
    }

    /// Appends the parameters of a query.
    pub(super) fn with_query(mut self, query: &str) -> Self {
        self.0.extend(pairs(query));
        self
    }

    /// Returns the value of a parameter; empty if it is missing.
    pub(super) fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// Whether one of these parameters is repeated, which RFC 6749 section 3.1 forbids.
    pub(super) fn has_twice(&self, names: &[&str]) -> bool {
        let count = |name: &&str| self.0.iter().filter(|(known, _)| known == *name).count();
        names.iter().any(|name| count(name) > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(media: &str, body: &str) -> Request {
        Request {
            headers: vec![("content-type".to_owned(), media.to_owned())],
            body: body.as_bytes().to_vec(),
            ..Request::default()
        }
    }

    #[test]
    fn form_and_json_object_are_equivalent() {
        let form = "application/x-www-form-urlencoded; charset=utf-8";
        let form = Parameters::of_body(&request(form, "grant_type=a+b&code=%26&&x"));
        let form = form.unwrap();
        assert_eq!(
            (form.get("grant_type"), form.get("code"), form.get("x")),
            ("a b", "&", "")
        );
        let sent = r#"{"grant_type":"a b","code":"&","x":""}"#;
        let object = Parameters::of_body(&request("application/json", sent));
        assert_eq!(object.unwrap(), form);
        for broken in ["[]", "{", r#"{"a":1}"#] {
            let read = Parameters::of_body(&request("application/json", broken));
            assert!(
                read.is_none_or(|read| read == Parameters::default()),
                "{broken}"
            );
        }
        assert_eq!(
            Parameters::of_body(&request("text/plain", "a=b")),
            Some(Parameters::default())
        );
    }

    #[test]
    fn rejects_form_with_broken_escape() {
        let whole = |text| {
            let form = request("application/x-www-form-urlencoded", text);
            Parameters::of_valid_form(&form).is_some()
        };
        for text in ["", "a=b", "a=%41%2fc&d=+"] {
            assert!(whole(text), "{text}");
        }
        for text in ["a=%zz", "a=%", "%4", "a=%4&b=1", "a=1;b=2"] {
            assert!(!whole(text), "{text}");
        }
        let other = request("application/json", "%zz");
        assert!(Parameters::of_valid_form(&other).is_some());
    }

    #[test]
    fn body_takes_precedence_over_query() {
        let form = request("application/x-www-form-urlencoded", "a=1");
        let both = Parameters::of_form(&form).with_query("a=2&b=3");
        assert_eq!(
            (both.get("a"), both.get("b"), both.get("c")),
            ("1", "3", "")
        );
        assert!(both.has_twice(&["b", "a"]) && !both.has_twice(&["b", "c"]));
    }
}
