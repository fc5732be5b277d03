//! Recognises valid texts that are not JSON documents of the gateway.

use crate::json::parse_shallow;

/// The format of such a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// YAML, which can be converted.
    Yaml,
    /// A description of an API, in JSON or YAML, which can be imported.
    OpenApi,
}

/// The members that identify the description of an API.
const DESCRIPTIONS: [&str; 2] = ["openapi", "swagger"];

/// Returns the format of a text that is not a JSON document of the gateway, judging by its start.
#[must_use]
pub fn foreign(text: &str) -> Option<Foreign> {
    if text.trim_start().starts_with(['{', '[']) {
        return described(text).then_some(Foreign::OpenApi);
    }
    let blank = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let mut lines = text
        .lines()
        .filter(blank)
        .skip_while(|line| is_marker(line));
    let first = lines.clone().next()?;
    let list = first.starts_with("- ");
    let yaml = list || key(first).is_some();
    let described = lines.any(|line| key(line).is_some_and(|key| DESCRIPTIONS.contains(&key)));
    yaml.then_some(match described {
        true => Foreign::OpenApi,
        false => Foreign::Yaml,
    })
}

/// Whether a line starts a YAML document or states its version.
fn is_marker(line: &str) -> bool {
    line.starts_with("---") || line.starts_with('%')
}

/// Returns the key of a line in the outermost map of a YAML text.
fn key(line: &str) -> Option<&str> {
    let (name, value) = line.split_once(':')?;
    let name = name.trim_end().trim_matches(['"', '\'']);
    let part = |letter: char| letter.is_alphanumeric() || "_-. /".contains(letter);
    let named = name.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    let apart = value.is_empty() || value.starts_with([' ', '\t', '\r']);
    (named && apart && name.chars().all(part)).then_some(name)
}

fn described(text: &str) -> bool {
    let named = |name: &str| text.contains(&format!("\"{name}\""));
    if !DESCRIPTIONS.iter().any(|name| named(name)) {
        return false;
    }
    let document = parse_shallow(text, 1);
    document.is_some_and(|document| DESCRIPTIONS.iter().any(|name| document.str(name).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_and_openapi_are_detected_by_their_first_lines() {
        for (text, expected) in [
            (
                "name: Orders\nproxy:\n  listen_path: /orders/\n",
                Some(Foreign::Yaml),
            ),
            ("# mine\n---\n\"name\" : Orders\n", Some(Foreign::Yaml)),
            ("- name: Orders\n", Some(Foreign::Yaml)),
            (
                "openapi: 3.0.3\ninfo:\n  title: Orders\n",
                Some(Foreign::OpenApi),
            ),
            (
                "%YAML 1.2\n---\ninfo:\n  title: Orders\nswagger: '2.0'\n",
                Some(Foreign::OpenApi),
            ),
            ("info:\n  openapi: 3\n", Some(Foreign::Yaml)),
            (
                "{\"openapi\": \"3.1.0\", \"paths\": {}}",
                Some(Foreign::OpenApi),
            ),
            ("{\"swagger\": \"2.0\"}", Some(Foreign::OpenApi)),
            ("{\"name\": \"openapi\", \"a\": {\"openapi\": \"3\"}}", None),
            ("{\"openapi\": {}}", None),
            ("{\"openapi\": \"3", None),
            ("{name: 'Orders'}", None),
            ("", None),
            ("# only this", None),
            ("Orders", None),
            ("http://a.example/b", None),
            ("<html>: a", None),
        ] {
            assert_eq!(foreign(text), expected, "{text}");
        }
    }
}
