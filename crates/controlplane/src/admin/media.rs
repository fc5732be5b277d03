//! The format a document is sent in (RFC 9110 section 8.3), and the one it is requested in (section 12.5.1).

use crate::error::Error;
use gatewright_api::message::{NO_DOCUMENT_MEDIA, NO_UTF8};
use gatewright_model::openapi::task::Format;
use gatewright_protocol::http::{Request, Response};

/// Media types of YAML: that of RFC 9512, its predecessors, and those used for OpenAPI documents.
const YAML: [&str; 6] = [
    "application/yaml",
    "application/x-yaml",
    "text/yaml",
    "text/x-yaml",
    "application/openapi+yaml",
    "application/vnd.oai.openapi",
];

/// Types that say nothing about a text, including the defaults of curl and `fetch`: such a body is JSON, as for other
/// gateways of the family, which never look at its type.
const ANY: [&str; 4] = [
    "",
    "application/x-www-form-urlencoded",
    "application/octet-stream",
    "text/plain",
];

/// Splits a media type or range into its type in lower case and the value of one of its parameters.
fn part(media: &str, parameter: &str) -> (String, Option<String>) {
    let mut parts = media.split(';');
    let name = parts.next().unwrap_or_default().trim();
    let value = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        let value = value.trim().trim_matches('"');
        (name.trim().eq_ignore_ascii_case(parameter)).then(|| value.to_ascii_lowercase())
    });
    (name.to_ascii_lowercase(), value)
}

/// Returns the format of a request's document.
///
/// # Errors
/// 415 for anything but JSON and YAML.
pub(super) fn sent_format(request: &Request) -> Result<Format, Error> {
    let (name, charset) = part(
        request.header("content-type").unwrap_or_default(),
        "charset",
    );
    if YAML.contains(&name.as_str()) || name.ends_with("+yaml") {
        return match charset.as_deref() {
            None | Some("utf-8" | "utf8" | "us-ascii") => Ok(Format::Yaml),
            Some(_) => Err(Error::MediaType(NO_UTF8)),
        };
    }
    let is_json = name.ends_with("/json") || name.ends_with("+json");
    match is_json || ANY.contains(&name.as_str()) {
        true => Ok(Format::Json),
        false => Err(Error::MediaType(NO_DOCUMENT_MEDIA)),
    }
}

/// Returns the YAML media type that a client prefers; `None` for JSON, which is the default if the client names neither
/// or prefers neither.
pub(super) fn requested_yaml(request: &Request) -> Option<&'static str> {
    let (mut json, mut yaml) = ((0, 0), (0, None));
    for range in request.header("accept")?.split(',') {
        let (name, quality) = part(range, "q");
        let quality = quality.map_or(1000, |quality| thousandths(&quality));
        let closer = match name.as_str() {
            "application/json" => 3,
            "application/*" => 2,
            "*/*" => 1,
            _ => 0,
        };
        // The most specific range decides (section 12.5.1).
        json = json.max((closer, if closer > 0 { quality } else { 0 }));
        let named = YAML.into_iter().find(|media| *media == name);
        if named.is_some() && quality > yaml.0 {
            yaml = (quality, named);
        }
    }
    let (closer, json) = json;
    let (yaml, media) = yaml;
    media.filter(|_| yaml > json || (yaml == json && closer < 3))
}

/// Parses a weight in thousandths (section 12.4.2); an invalid one counts as 0.
fn thousandths(quality: &str) -> u16 {
    let (whole, fraction) = quality.split_once('.').unwrap_or((quality, ""));
    let is_weight = fraction.len() <= 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    match whole {
        "1" if is_weight => 1000,
        "0" if is_weight => format!("{fraction:0<3}").parse().unwrap_or(0),
        _ => 0,
    }
}

/// Returns the tag of a document at a revision; each format has its own (section 8.8.3).
pub(super) fn etag(revision: u64, response: &Response) -> String {
    let is_yaml = |media: &str| YAML.contains(&media);
    match response.header("content-type").is_some_and(is_yaml) {
        true => format!("\"{revision}-yaml\""),
        false => crate::error::etag(revision),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(name: &str, value: &str) -> Request {
        Request {
            headers: vec![(name.to_owned(), value.to_owned())],
            ..Request::default()
        }
    }

    #[test]
    fn media_type_selects_the_syntax() {
        let of = |value: &str| sent_format(&request("content-type", value)).ok();
        for media in [
            "application/yaml",
            "Application/YAML",
            "application/x-yaml; charset=UTF-8",
            "text/yaml;charset=\"utf-8\"",
            "text/x-yaml ; foo=bar",
            "application/openapi+yaml",
            "application/vnd.oai.openapi;version=3.0",
        ] {
            assert_eq!(of(media), Some(Format::Yaml), "{media}");
        }
        for media in [
            "application/json",
            "application/json; charset=utf-8",
            "application/merge-patch+json",
            "application/vnd.oai.openapi+json;version=3.0",
            "text/json",
            "application/x-www-form-urlencoded",
            "text/plain;charset=UTF-8",
            "",
        ] {
            assert_eq!(of(media), Some(Format::Json), "{media}");
        }
        assert_eq!(sent_format(&Request::default()).ok(), Some(Format::Json));
        for media in [
            "application/xml",
            "multipart/form-data; boundary=x",
            "text/html",
            "yaml",
            "application/yaml; charset=utf-16",
        ] {
            assert_eq!(of(media), None, "{media}");
        }
    }

    #[test]
    fn yaml_is_served_on_request() {
        let of = |value: &str| requested_yaml(&request("accept", value));
        for (accept, expected) in [
            ("application/yaml", Some("application/yaml")),
            ("TEXT/YAML;q=0.3", Some("text/yaml")),
            ("application/yaml, */*;q=0.8", Some("application/yaml")),
            ("application/yaml, */*", Some("application/yaml")),
            (
                "application/json;q=0.5, application/x-yaml;q=0.501",
                Some("application/x-yaml"),
            ),
            (
                "text/yaml;q=0.1, application/yaml;q=0.2, text/html",
                Some("application/yaml"),
            ),
            (
                "*/*, application/json;q=0, application/yaml;q=0.1",
                Some("application/yaml"),
            ),
            ("application/yaml;q=0.5, */*", None),
            ("application/json, application/yaml", None),
            ("application/yaml;q=0", None),
            ("application/yaml;q=x", None),
            ("application/yaml;q=0.5, application/*;q=0.6", None),
            ("*/*", None),
            ("application/*", None),
            ("text/html, text/*, */*;q=0.8", None),
            ("", None),
        ] {
            assert_eq!(of(accept), expected, "{accept}");
        }
        assert_eq!(requested_yaml(&Request::default()), None);
    }
}
