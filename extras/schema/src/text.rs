//! Parsing of bodies.

use gatewright_model::json::{Value, parse, parse_repeating};

/// Returns the text of a body.
///
/// # Errors
/// If it isn't UTF-8, in words.
pub(crate) fn read(body: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(body).map_err(|_| "the body is not UTF-8".to_owned())
}

/// Parses a JSON text. Parsers differ in which of several members of a name counts (RFC 8259 section 4), so there is none
/// that could be validated.
///
/// # Errors
/// Why it isn't JSON: `EOF` for an empty text, `unexpected EOF` for one that is cut off (reference 3.14).
pub(crate) fn value(text: &str) -> Result<Value<'_>, String> {
    let issues = match parse(text) {
        Ok(value) => return Ok(value),
        Err(issues) => issues,
    };
    let cut = text.trim_end_matches([' ', '\n', '\r', '\t']);
    if cut.is_empty() {
        return Err("EOF".to_owned());
    }
    if parse_repeating(text).is_none() && is_cut_off(cut) {
        return Err("unexpected EOF".to_owned());
    }
    let first = issues.first().map(ToString::to_string);
    Err(first.unwrap_or_else(|| "this is not JSON".to_owned()))
}

/// Whether a text is the start of a JSON text, so that only its end is wrong.
fn is_cut_off(text: &str) -> bool {
    let mut open: Vec<u8> = Vec::new();
    let mut in_string = false;
    let mut is_escaped = false;
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => open.push(byte),
            b'}' | b']' if open.pop() != Some(byte.saturating_sub(2)) => return false,
            _ => {}
        }
    }
    // Once closed with the missing brackets, plus a value where one may be required, it has to be JSON.
    let mut closed = text.to_owned();
    if in_string {
        if is_escaped {
            closed.push('\\');
        }
        closed.push('"');
    }
    let closing: String = open
        .iter()
        .rev()
        .map(|open| char::from(open.saturating_add(2)))
        .collect();
    [
        "", "0", "\"\":0", ":0", "e", "ue", "rue", "l", "ll", "ull", "se", "lse", "alse",
    ]
    .iter()
    .any(|value| parse_repeating(&format!("{closed}{value}{closing}")).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_json_is_distinguished() {
        for (text, why) in [
            ("", "EOF"),
            (" \n", "EOF"),
            ("{", "unexpected EOF"),
            (r#"{"a":"#, "unexpected EOF"),
            (r#"{"a":1,"#, "unexpected EOF"),
            (r#"{"a":"x"#, "unexpected EOF"),
            (r#"{"a"#, "unexpected EOF"),
            (r#"{"a":[1,{"b":tr"#, "unexpected EOF"),
            ("[1,", "unexpected EOF"),
            ("-", "unexpected EOF"),
            ("nul", "unexpected EOF"),
        ] {
            assert_eq!(value(text).unwrap_err(), why, "{text}");
        }
        for text in ["no json", "{]", "{'a':1}", "[1,]", "{} {}", "01"] {
            let why = value(text).unwrap_err();
            assert!(!why.contains("EOF") && !why.is_empty(), "{text}: {why}");
        }
        let twice = value(r#"{"a":1,"a":2}"#).unwrap_err();
        assert!(twice.contains("twice"), "{twice}");
    }
}
