//! Metadata of a key as texts (reference 3.11).

use super::Session;
use crate::json::{Kind, Value, parse};
use crate::text::percent::encode_query;

impl Session {
    /// The text of a member of `meta_data`, for `$gateway_meta.<name>` and `rate_limit_pattern`: a
    /// string itself, a number without an exponent, the elements of a list joined by `,`, each encoded as
    /// in a query. Objects, null and what there isn't are none.
    #[must_use]
    pub fn meta(&self, name: &str) -> Option<String> {
        let mut members = self.meta_data.iter();
        let (_, json) = members.find(|(known, _)| known == name)?;
        shown(&parse(json).ok()?)
    }
}

/// A value as a text; `None` for one that has none.
fn shown(value: &Value<'_>) -> Option<String> {
    match &value.kind {
        Kind::Null | Kind::Object(_) => None,
        Kind::Bool(truth) => Some(truth.to_string()),
        Kind::Number(number) => Some(plain(number)),
        Kind::String(text) => Some(text.to_string()),
        Kind::Array(items) => {
            let texts = items.iter().filter_map(shown);
            let texts = texts.filter(|text| !text.is_empty());
            let encoded: Vec<String> = texts.map(|text| encode_query(&text)).collect();
            Some(encoded.join(","))
        }
    }
}

/// A number without an exponent and without zeros at its end. A whole one keeps all of its digits.
fn plain(number: &str) -> String {
    if !number.contains(['.', 'e', 'E']) {
        return number.to_owned();
    }
    let parsed = number.parse::<f64>().ok();
    let finite = parsed.filter(|parsed| parsed.is_finite());
    finite.map_or_else(|| number.to_owned(), |parsed| parsed.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_shown_as_texts() {
        let text = r#"{"meta_data":{"text":"a b","whole":4102444800,"large":9007199254740993,
            "exact":1.0,"half":0.5,"exponent":1e3,"small":25e-4,"yes":true,"no":false,"none":null,
            "object":{"a":[1]},"list":["a","b c",4,"",null,{},true,["x","y/z"]],"empty":[]}}"#;
        let session = Session::parse(text).unwrap();
        for (name, shown) in [
            ("text", Some("a b")),
            ("whole", Some("4102444800")),
            ("large", Some("9007199254740993")),
            ("exact", Some("1")),
            ("half", Some("0.5")),
            ("exponent", Some("1000")),
            ("small", Some("0.0025")),
            ("yes", Some("true")),
            ("no", Some("false")),
            ("none", None),
            ("object", None),
            ("object.a", None),
            ("absent", None),
            ("list", Some("a,b+c,4,true,x%2Cy%252Fz")),
            ("empty", Some("")),
        ] {
            assert_eq!(session.meta(name).as_deref(), shown, "{name}");
        }
    }
}
