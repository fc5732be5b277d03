//! The response format of a batch, as specified.

use crate::batch::Item;
use crate::failure::Failure;
use crate::headers::canonical;
use base64::prelude::{BASE64_STANDARD, Engine};
use serde::Serialize;
use std::collections::BTreeMap;

/// The answer to an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Header fields in order; repeated names stay separate.
    pub headers: Vec<(String, String)>,
    /// The body, decoded.
    pub body: Vec<u8>,
    /// Whether the budget did not suffice for all of it.
    pub cut: bool,
}

/// An entry of a batch's response (specification, *Batch request*).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unit {
    relative_url: String,
    code: u16,
    headers: BTreeMap<String, Vec<String>>,
    body: String,
    /// `base64` if the body is not text, which could not be represented otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_encoding: Option<&'static str>,
    /// Why the upstream's answer is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Unit {
    pub(super) fn answered(item: &Item, answer: Answer, failure: Option<Failure>) -> Self {
        if answer.cut {
            return Self::too_large(item);
        }
        let (body, body_encoding) = text(answer.body);
        Self {
            relative_url: item.relative_url.clone(),
            code: answer.status,
            headers: fields(answer.headers),
            body,
            body_encoding,
            error: failure.map(|failure| failure.message().to_owned()),
        }
    }

    fn too_large(item: &Item) -> Self {
        let error = "The answer is larger than BATCH_MAX_RESPONSE_BYTES allows, or all answers \
                     together are larger than BATCH_MAX_TOTAL_BYTES";
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self {
            relative_url: item.relative_url.clone(),
            code: 413,
            headers: fields(headers),
            body: format!("{{\n    \"error\": \"{error}\"\n}}"),
            body_encoding: None,
            error: Some(error.to_owned()),
        }
    }
}

impl Answer {
    /// The entry for an answer of the gateway itself.
    #[must_use]
    pub fn of(answer: crate::failure::Answer) -> Self {
        Self {
            status: answer.status,
            headers: answer.headers,
            body: answer.body.into_bytes(),
            cut: false,
        }
    }
}

/// Groups header fields by name, in the spelling in which clients of this family look them up.
pub(crate) fn fields(pairs: Vec<(String, String)>) -> BTreeMap<String, Vec<String>> {
    let mut headers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in pairs {
        headers.entry(canonical(&name)).or_default().push(value);
    }
    headers
}

/// A body as text, in Base64 if it is not UTF-8.
pub(crate) fn text(body: Vec<u8>) -> (String, Option<&'static str>) {
    match String::from_utf8(body) {
        Ok(text) => (text, None),
        Err(error) => (BASE64_STANDARD.encode(error.as_bytes()), Some("base64")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item() -> Item {
        Item {
            relative_url: "get".to_owned(),
            method: "GET".to_owned(),
            path: "/a/get".to_owned(),
            query: String::new(),
            headers: Vec::new(),
            body: String::new(),
            sent_as: None,
        }
    }

    #[test]
    fn repeated_headers_and_binary_bodies_round_trip() {
        let headers = ["set-cookie", "content-type", "set-cookie"];
        let headers = headers.iter().zip(["a=1", "x/y", "b=2"]);
        let headers = headers
            .map(|(name, value)| ((*name).to_owned(), value.to_owned()))
            .collect();
        let unit = Unit::answered(
            &item(),
            Answer {
                status: 200,
                headers,
                body: vec![0xff, 0, 1, 2],
                cut: false,
            },
            None,
        );
        let text = serde_json::to_string(&unit).unwrap();
        assert_eq!(
            text,
            r#"{"relative_url":"get","code":200,"headers":{"Content-Type":["x/y"],"Set-Cookie":["a=1","b=2"]},"body":"/wABAg==","body_encoding":"base64"}"#
        );
    }
}
