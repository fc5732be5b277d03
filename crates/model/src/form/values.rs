//! Values in readable form, and what a person types into a control.

use super::Control;
use crate::json::edit::{self, EditError};
use crate::json::{Kind as Json, Value, quote};
use crate::shape::Format;

/// Whether an object has a member that is not null.
#[must_use]
pub fn is_set(object: &Value<'_>, name: &str) -> bool {
    object.get(name).is_some()
}

/// Summarises a value in one line: texts without quotes, lists and objects by their size.
#[must_use]
pub fn summary(value: &Value<'_>) -> String {
    let count = |length: usize, one: &str, several: &str| match length {
        0 => "empty".to_owned(),
        1 => format!("1 {one}"),
        more => format!("{more} {several}"),
    };
    match &value.kind {
        Json::Null => "not set".to_owned(),
        Json::Bool(true) => "yes".to_owned(),
        Json::Bool(false) => "no".to_owned(),
        Json::Number(text) => (*text).to_owned(),
        Json::String(text) => text.to_string(),
        Json::Array(items) => count(items.len(), "entry", "entries"),
        Json::Object(members) => count(members.len(), "member", "members"),
    }
}

/// Returns the JSON text for what a person typed into a control of one line.
///
/// # Errors
/// A short sentence naming the expected input.
pub fn typed(control: &Control, input: &str) -> Result<String, &'static str> {
    match control {
        Control::Switch if matches!(input, "true" | "false") => Ok(input.to_owned()),
        Control::Switch => Err("true or false"),
        Control::Integer { .. } => match input.trim().parse::<i64>() {
            Ok(number) => Ok(number.to_string()),
            Err(_) => Err("a whole number"),
        },
        Control::Number => number(input).ok_or("a number"),
        // Seconds are written as a number.
        Control::Text(Some(Format::Duration)) => Ok(number(input).unwrap_or_else(|| quote(input))),
        Control::Text(_) | Control::Lines | Control::Choice { .. } => Ok(quote(input)),
        Control::List(_)
        | Control::Map(_)
        | Control::Object(_)
        | Control::Tagged(_)
        | Control::Json => {
            let read = crate::json::parse(input).map(|value| value.span.of(input).to_owned());
            read.map_err(|_| "JSON")
        }
    }
}

/// Rewrites a number as JSON requires it: people also type leading zeros or a plus sign, which mean nothing.
fn number(input: &str) -> Option<String> {
    let input = input.trim();
    let (sign, rest) = match input.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", input.strip_prefix('+').unwrap_or(input)),
    };
    let digits = rest.trim_start_matches('0');
    let zero = if digits.starts_with(|first: char| first.is_ascii_digit()) {
        ""
    } else {
        rest.get(..1).filter(|first| *first == "0")?
    };
    let text = format!("{sign}{zero}{digits}");
    let value = crate::json::parse(&text);
    value
        .is_ok_and(|value| matches!(value.kind, Json::Number(_)))
        .then_some(text)
}

/// Whether a control can show and change a value without losing any part of it.
#[must_use]
pub fn fits(control: &Control, value: &Value<'_>) -> bool {
    match (control, &value.kind) {
        (Control::Switch, Json::Bool(_))
        | (Control::Number | Control::Text(Some(Format::Duration)), Json::Number(_))
        | (Control::List(_), Json::Array(_))
        | (Control::Map(_) | Control::Object(_), Json::Object(_))
        | (Control::Json, _) => true,
        (Control::Integer { .. }, Json::Number(_)) => value.as_int().is_some(),
        // A one-line field drops line breaks; a multi-line field writes all of them as \n.
        (Control::Text(_) | Control::Choice { .. }, Json::String(text)) => {
            !text.contains(['\n', '\r'])
        }
        (Control::Lines, Json::String(text)) => !text.contains('\r'),
        _ => false,
    }
}

/// Sets the value at a pointer, or removes it if `json` is `None`, and returns the new text.
///
/// # Errors
/// See [`EditError`].
pub fn put(text: &str, pointer: &str, json: Option<&str>) -> Result<String, EditError> {
    match json {
        Some(json) => edit::set(text, pointer, json),
        None => match edit::remove(text, pointer) {
            Err(EditError::NotFound) => Ok(text.to_owned()),
            other => other,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::control;
    use super::*;
    use crate::json::parse;
    use crate::shape::Root;

    fn control_at(pointer: &str) -> Control {
        let member = crate::shape::at(Root::ApiDefinition, pointer)
            .unwrap()
            .member
            .unwrap();
        control(member.kind, member.name)
    }

    #[test]
    fn typed_input_becomes_json() {
        let of = |pointer| control_at(pointer);
        assert_eq!(typed(&of("/active"), "true").as_deref(), Ok("true"));
        assert_eq!(typed(&of("/name"), "a\"b").as_deref(), Ok("\"a\\\"b\""));
        assert_eq!(typed(&of("/session_lifetime"), " 07 ").as_deref(), Ok("7"));
        assert!(typed(&of("/session_lifetime"), "1.5").is_err());
        let timeout = of("/version_data/versions/v1/global_enforce_timeout");
        assert_eq!(typed(&timeout, " 10 ").as_deref(), Ok("10"));
        assert_eq!(typed(&timeout, "10s").as_deref(), Ok("\"10s\""));
        assert_eq!(
            typed(&of("/hmac_allowed_clock_skew"), "-1.50").as_deref(),
            Ok("-1.50")
        );
        for (input, json) in [
            ("0100", "100"),
            ("+5", "5"),
            ("-007.50", "-7.50"),
            ("00", "0"),
            ("0.5", "0.5"),
        ] {
            let typed = typed(&of("/hmac_allowed_clock_skew"), input);
            assert_eq!(typed.as_deref(), Ok(json), "{input}");
        }
        for input in ["", "-", ".5", "1.", "0x1", "+-1", "é"] {
            assert!(
                typed(&of("/hmac_allowed_clock_skew"), input).is_err(),
                "{input}"
            );
        }
        assert_eq!(typed(&of("/tags"), " [1] ").as_deref(), Ok("[1]"));
    }

    #[test]
    fn control_shows_only_values_it_can_write() {
        let fit = |pointer, json| fits(&control_at(pointer), &parse(json).unwrap());
        assert!(fit("/active", "false") && !fit("/active", "\"false\""));
        assert!(fit("/session_lifetime", "1.0") && !fit("/session_lifetime", "1.5"));
        assert!(fit("/name", "\"a\"") && !fit("/name", "\"a\\nb\"") && !fit("/name", "null"));
        assert!(fits(&Control::Lines, &parse("\"a\\nb\"").unwrap()));
        assert!(!fits(&Control::Lines, &parse("\"a\\r\\nb\"").unwrap()));
        assert!(fit("/tags", "[1]") && !fit("/tags", "{}"));
    }

    #[test]
    fn values_are_put_and_shown() {
        let text = put("{\n  \"a\": 1\n}", "/tags", Some("[]")).unwrap();
        assert_eq!(text, "{\n  \"a\": 1,\n  \"tags\": []\n}");
        assert_eq!(put(&text, "/tags", None).unwrap(), "{\n  \"a\": 1\n}");
        assert_eq!(put(&text, "/zzz", None).unwrap(), text);
        let value = parse(r#"{"a":null,"b":[1],"c":true,"d":"x"}"#).unwrap();
        assert!(!is_set(&value, "a") && is_set(&value, "b"));
        assert_eq!(summary(value.pointer("/b").unwrap()), "1 entry");
        assert_eq!(summary(&value), "4 members");
    }
}
